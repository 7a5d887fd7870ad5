# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mistakes that people make, and what the message says to do about each of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.plugin_utils._documented_options import OptionsValidator
from ansible_collections.hosting.reseller.plugins.plugin_utils._in_process import check_version
from playbooks.files.simulator import data
from tests.support.cases import cases
from tests.support.order_examples import SETTINGS
from tests.unit.plugins.module_utils._tasks.conftest import Bench, vps

#: What each module needs so that nothing else is wrong.
NEEDED = {
    "contract": {"end_user": "__self__"},
    "contracts": {"contracts": []},
    "record": {"name": "web01"},
    "operation": {"method": "PUT", "path": "/x"},
}
CANCEL = "leaving something out of a list cancels nothing. reseller_contract with state: absent cancels one contract."
SETTING = "a setting of the product, not an option. Nothing was sent."
#: Module, options, and lines or parts of lines of the message.
OPTIONS: list[tuple[str, dict[str, Any], list[str]]] = [
    # A setting beside the option settings is a frequent mistake.
    ("contract", {"ram": 1, "10g_upgrade": True}, [f"10g_upgrade, ram: {SETTING}\nWrite each setting below settings."]),
    ("contracts", {"contracts": [{"hostname": "x"}]}, [f"contracts.hostname: {SETTING}"]),
    (
        "contracts",
        {"contracts": [{"prodct": "x"}], "defaults": {"endUser": "x"}, "maxOrders": 1},
        [
            "(hosting.reseller.reseller_contracts) module: contracts.prodct, defaults.endUser, maxOrders. Nothing was",
            "\ncontracts.prodct: did you mean product?\ndefaults.endUser: did you mean end_user?\nmaxOrders: did you",
        ],
    ),
    ("operation", {"qqq": "x"}, ["qqq: no option has a similar name. ansible-doc hosting.reseller.reseller_operation"]),
    # The option that is missing is the one that is misspelt.
    ("operation", {"pahth": "/x", "path": ...}, ["pahth: did you mean path?\nmissing required arguments: path"]),
    ("contracts", {"end_user": "__self__"}, ["end_user: write it below defaults, or in each contract."]),
    ("contract", {"contracts": []}, ["contracts: reseller_contract does not have it. Use reseller_contracts."]),
    ("products_info", {"name": "VPS M"}, ["name: its option is product."]),
    *(
        (module, {"state": state}, [f"state: {CANCEL}"])
        for module in ("contracts", "stack")
        for state in ("absent", "present")
    ),
    (
        "contracts",
        {"contracts": {"web01": {"product": "VPS M"}}},
        ["'contracts' must be a list of mappings, not a mapping", "  contracts:\n    - end_user: …\n      product: …"],
    ),
    ("contracts", {"contracts": [{}, None]}, ["'contracts[1]' must be a mapping, not null"]),
    ("contracts", {"contracts": [{"settings": [{"ram": 1}]}]}, ["'contracts[0].settings' must be a", "the hyphens"]),
    ("contract", {"timeout": "30s"}, ["'timeout' must be a number, not '30s'", "a number of seconds, without a unit"]),
    ("contracts", {"defaults": {"product_type": "VPS"}}, ["'defaults.product_type' must be one of vps, ", "mean vps?"]),
    ("record", {"state": "deleted"}, ["'state' must be one of present, absent, not 'deleted'", "Did you mean absent?"]),
]


@pytest.mark.parametrize(("module", "options", "parts"), OPTIONS)
def test_option_that_is_wrong_is_answered_with_what_to_write(
    module: str, options: dict[str, Any], parts: list[str]
) -> None:
    validator = OptionsValidator(f"reseller_{module}", {})
    try:
        given = {**NEEDED.get(module, {}), **options}
        _params, problem = validator.validated({name: each for name, each in given.items() if each is not ...})
    except ConfigurationError as error:
        problem = error.message
    assert problem is not None
    assert [part for part in parts if part not in problem] == []
    assert "Nothing was sent." in problem


def server(**changes: Any) -> dict[str, Any]:
    """A valid order of a VPS with these settings in place of its own."""
    return {"end_user": "__self__", "product": data.VPS_M, "settings": {**SETTINGS[data.VPS], **changes}}


def configured(**changes: Any) -> dict[str, Any]:
    settings = {**SETTINGS[data.CONFIGURABLE_VPS], **changes}
    return {"end_user": "__self__", "product_type": "configurable_vps", "settings": settings}


def domain(name: str) -> dict[str, Any]:
    return {"end_user": "__self__", "product_type": "domain", "settings": {**SETTINGS[data.DOMAIN], "domain": name}}


NO_ADDRESS = ["is neither the path of a file nor a PostgreSQL address", "Write postgresql://user@host/database"]
#: Options of an order in check mode, and parts of the message.
ORDERS: list[tuple[dict[str, Any], list[str]]] = [
    (server(hostname="web_01.example.org"), ["settings.hostname: '_' is not allowed in it (given: "]),
    (server(hostname="web 01.example.org"), ["settings.hostname: a blank is not allowed in it (given: "]),
    (server(hostname="https://web01.example.org"), ["settings.hostname: remove https:// (given: "]),
    (domain("https://example.org"), ["settings.domain: remove https:// (given: "]),
    (configured(ram=8), ["settings.ram: RAM is in MB: 8 GB is 8192 (given: 8)"]),
    (configured(ram="8 GB"), ["settings.ram: RAM is in MB: 8 GB is 8192 (given: '8 GB')"]),
    (configured(ram="8192 MB"), ["settings.ram: write 8192 (given: "]),
    ({**server(), "save_answer": "web.json"}, ["save_answer 'web.json' is not an absolute path", "/web.json"]),
    ({**server(), "ledger": "postgresql;//u:hunter2@db/x"}, NO_ADDRESS),
    ({**server(), "ledger": "postgresq://u:hunter2@db/x"}, NO_ADDRESS),
]


@pytest.mark.parametrize(("options", "parts"), ORDERS)
def test_value_that_is_wrong_is_answered_with_what_to_write(
    options: dict[str, Any], parts: list[str], bench: Bench
) -> None:
    told = bench.run("reseller_contract", check=True, **options)
    assert told.failed
    assert [part for part in parts if part not in told.msg] == []
    assert "hunter2" not in repr(told)
    assert not bench.path.exists()


def test_product_of_another_type_is_named(bench: Bench) -> None:
    wrong = {**server(), "product": data.WEBHOSTING_START, "product_type": "vps"}
    warning = "Webhosting Start is webhosting: the catalogue lists no options for it."
    assert any(warning in each for each in bench.run("reseller_contract", check=True, **wrong).warnings)
    right = bench.run("reseller_contract", check=True, **server())
    assert not any("webhosting" in each for each in right.warnings)


@pytest.mark.parametrize("empty", [None, ""])
def test_value_that_is_missing_later_is_warned_of_in_check_mode(empty: str | None, bench: Bench) -> None:
    settings = {**SETTINGS[data.DEDICATED_SERVER], "existing_l2vpn": empty}
    order = {"end_user": "__self__", "product": data.DEDICATED_FRANKFURT, "settings": settings}
    told = bench.run("reseller_contract", check=True, **order)
    warning = "settings.existing_l2vpn is null or empty. Outside check mode, the order is refused"
    assert any(warning in each for each in told.warnings)
    assert bench.run("reseller_contract", **order).failed


@cases("pasted")
def test_what_is_pasted_is_sent_as_it_is_listed(bench: Bench, case: dict[str, Any]) -> None:
    right = {"product": "VPS M", "settings": {"hostname": "web01", "template": "Windows Server 2022"}}
    pasted = {"product": case["product"], "settings": {"hostname": "web01", "template": case["template"]}}
    first = bench.order("web01", **pasted)
    (sent,) = bench.service.orders()
    assert (first["order"]["product"], sent["settings"]["template"]) == (data.VPS_M, "Windows Server 2022")
    # In either form, it is the same order.
    assert [bench.order("web01", **each)["changed"] for each in (pasted, right)] == [False, False]
    assert bench.sent == 1


def test_name_that_a_mac_decomposed_is_that_of_the_record(bench: Bench) -> None:
    composed, decomposed = "K\u00f6ln", "Ko\u0308ln"
    assert [bench.order("web01", name=name)["changed"] for name in (decomposed, composed)] == [True, False]
    contract = {"name": decomposed, "settings": {"hostname": "web01", "template": "debian-12"}}
    assert not bench.batch(contracts=[contract])["changed"]
    assert bench.run("reseller_record", name=decomposed, state="present")["before"]["name"] == composed
    assert [*bench.records()] == [composed]


SHOP = {"id": data.END_USER, "organization_id": data.END_USER_ORGANIZATION_ID}
WEB01 = {"name": "web01", "state": "present", "contract_id": "7", "end_user": "__self__", "product": "VPS M"}
PLAN = {"defaults": {"end_user": "__self__", "product": data.VPS_M}, "contracts": [{"settings": SETTINGS[data.VPS]}]}
#: Mistakes of those who walk the guides, beside the recorded order web00: what they do, and parts of the message.
#: ``described`` is what the service's file says.
WALKED: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "describe: a field": ("contract", {"described": {"contracts": {"adress": "x"}}}, ["adress: unknown key; did you"]),
    "describe: a number": (
        "contract",
        {"described": {"end_users": {"shop": {"id": data.END_USER, "organization_id": 4201}}}},
        [":5:5: end_users.shop.organization_id: ", "in quotes, not an integer"],
    ),
    "describe: copied lines": (
        "contract",
        {"described": {"end_users": {"blog": SHOP, "shop": SHOP}}},
        ["end_users.shop.id: this is also that of blog: each end user has its own"],
    ),
    "describe: another host": (
        "contract",
        {"described": {"cancel": {"method": "DELETE", "path": "https://evil.example/{id}"}}},
        ["cancel.path: a path below base_url with {id}"],
    ),
    "describe: a relative path": (
        "contract",
        {"service": "service.yml"},
        ["is relative: service.yml.", "absolute path"],
    ),
    "describe: its name": (
        "contract",
        {"end_user": "shpo", "described": {"end_users": {"shop": SHOP}}},
        ["'shpo' is not a UUID", "Did you mean shop?"],
    ),
    "after: wait alone": (
        "contract",
        {"wait": True},
        ["wait needs contracts.state and contracts.ready", "  ready: [active]"],
    ),
    "after: the response again": (
        "contract",
        {"save_answer": "{file}"},
        ["File exists.", "move the file that is there away"],
    ),
    "names: another name": (
        "contract",
        {"name": "shop", **vps("web00")},
        ["Use the name web00 for"],
    ),
    "names: webhosting": (
        "contract",
        {"product": "Webhosting Start", "settings": {}},
        ["The order has no name.", "A webhosting order needs name."],
    ),
    "many: no approval": (
        "contracts",
        {**PLAN, "plan_file": "{new}"},
        ["approved_plan is missing or empty", "--check"],
    ),
    "many: another plan": (
        "contracts",
        {**PLAN, "approved_plan": "plan-2:new:0"},
        ["  - would be ordered now: 'web01", "approve that one"],
    ),
    "many: a lost ledger": ("contracts", {**PLAN, "max_orders": 0}, ["but max_orders is 0", "Check the ledger"]),
    "operations: a POST": (
        "operation",
        {"method": "POST", "path": "/api/reseller/ssh-keys"},
        ["needs either name or repeatable", "sent once"],
    ),
    "ledger: a German date": ("ledger_info", {"since": "21.11.2026"}, ["ISO 8601, as 2026-11-21", "'21.11.2026'"]),
    "ledger: the same one": ("ledger", {"state": "moved", "to": "{ledger}"}, ["is the same ledger as", "another one"]),
    "table: an ID to come": (
        "record",
        {**WEB01, "contract_id": "tbd"},
        ["'tbd' stands for no ID", "leave the cell empty"],
    ),
    "table: a rounded ID": (
        "record",
        {**WEB01, "contract_id": "1,23E+17"},
        ["is a number that a spreadsheet wrote", "Format the column as text"],
    ),
    "change: a hostname": (
        "record",
        {"name": "web00", "state": "present", "take_over_settings": True, "settings": {"hostname": "web02"}},
        ["recorded 'web00', requested 'web02'", "Another contract needs another name."],
    ),
    "cancel: not described": (
        "contract",
        {"name": "web00", "state": "absent", "product": ..., "settings": ...},
        ["it has no cancel. The OpenAPI document has DELETE", "cancel it in the customer portal", "state=absent"],
    ),
}


@pytest.mark.parametrize("met", WALKED)
def test_mistake_of_a_reader_is_answered_with_what_to_do(met: str, bench: Bench) -> None:
    assert bench.order("web00")["changed"]
    module, options, parts = WALKED[met]
    given = {**(server() if module == "contract" else {}), **options}
    if described := given.pop("described", None):
        given["service"] = bench.described(**described)
    kept = bench.folder / "web.json"
    kept.touch()
    places = {"{file}": str(kept), "{new}": str(bench.folder / "new.json"), "{ledger}": str(bench.path)}
    given = {name: places.get(each, each) if isinstance(each, str) else each for name, each in given.items()}
    told = bench.run(f"reseller_{module}", **{name: each for name, each in given.items() if each is not ...})
    assert told.failed
    assert [part for part in parts if part not in told.msg] == [], told.msg
    ordered = [name for name, each in bench.records().items() if each.status == "ordered"]
    assert (bench.sent, ordered) == (1, ["web00"])


def test_doubt_about_an_order_of_an_end_user_begins_with_the_line_for_its_organization(bench: Bench) -> None:
    bench.lose()
    lines = bench.order("web01", end_user=data.END_USER).msg.splitlines()
    said = [
        "is in doubt",
        "is not known, so its contracts are not read",
        "give end_users: {",
        "Check the customer portal",
    ]
    places = [next(at for at, line in enumerate(lines) if each in line) for each in said]
    assert places == sorted(places)
    known = bench.described(end_users={"shop": {"id": data.END_USER, "organization_id": data.END_USER_ORGANIZATION_ID}})
    assert "end_users" not in bench.order("web01", end_user="shop", service=known).msg


def test_older_ansible_core_is_refused_with_both_versions() -> None:
    runtime = Path(__file__).parents[5] / "meta/runtime.yml"
    (least,) = re.findall(r"requires_ansible: '>=(.*)'", runtime.read_text())
    with pytest.raises(ConfigurationError, match=rf"2\.18\.5, is too old: {re.escape(least)} "):
        check_version("2.18.5")
    for newer in ("2.19.0rc1", "2.20.0", "3.0"):
        check_version(newer)
