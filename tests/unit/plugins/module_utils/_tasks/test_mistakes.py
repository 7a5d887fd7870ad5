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
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, IN_FILE, Bench

pytestmark = FOR_OWN

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


def server() -> dict[str, Any]:
    """A valid order of a VPS."""
    return {"end_user": "__self__", "product": data.VPS_M, "settings": SETTINGS[data.VPS]}


NO_ADDRESS = ["is neither the path of a file nor a PostgreSQL address", "Write postgresql://user@host/database"]
#: Options of an order in check mode, what the service's file says, and parts of the message.
ORDERS: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    (
        {
            "product": ...,
            "product_type": "configurable_vps",
            "settings": {**SETTINGS[data.CONFIGURABLE_VPS], "ram": 8},
        },
        {},
        ["settings.ram: RAM is in MB: 8 GB is 8192 (given: 8)"],
    ),
    ({"save_answer": "web.json"}, {}, ["save_answer 'web.json' is not an absolute path", "/web.json"]),
    ({"ledger": "postgresql;//u:hunter2@db/x"}, {}, NO_ADDRESS),
    ({"ledger": "postgresq://u:hunter2@db/x"}, {}, NO_ADDRESS),
    ({"wait": True}, {}, ["wait needs contracts.state and contracts.ready", "  ready: [active]"]),
    (
        {},
        {"cancel": {"method": "DELETE", "path": "https://evil.example/{id}"}},
        ["cancel.path: a path below base_url, in which {id}"],
    ),
]


@pytest.mark.parametrize(("changes", "described", "parts"), ORDERS)
@IN_FILE
def test_value_that_is_wrong_is_answered_with_what_to_write(
    changes: dict[str, Any], described: dict[str, Any], parts: list[str], bench: Bench
) -> None:
    options = {name: each for name, each in {**server(), **changes}.items() if each is not ...}
    service = bench.described(**described) if described else None
    ran = bench.run("reseller_contract", check=True, service=service, **options)
    assert ran.failed
    assert [part for part in parts if part not in ran.msg] == [], ran.msg
    assert "hunter2" not in repr(ran)
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


def test_doubt_about_an_order_of_an_end_user_begins_with_the_line_for_its_organization(bench: Bench) -> None:
    bench.lose()
    lines = bench.order("web01", end_user=data.END_USER).msg.splitlines()
    said = [
        "is in doubt",
        "is not known, so its contracts are not read",
        "give end_users: {customer: {",
        "Check the customer portal",
    ]
    places = [next(at for at, line in enumerate(lines) if each in line) for each in said]
    assert places == sorted(places)
    named = bench.described(end_users={"shop": {"id": data.END_USER}})
    assert f"give end_users: {{shop: {{id: {data.END_USER}" in bench.order("web01", end_user="shop", service=named).msg
    known = bench.described(end_users={"shop": {"id": data.END_USER, "organization_id": data.END_USER_ORGANIZATION_ID}})
    assert "end_users" not in bench.order("web01", end_user="shop", service=known).msg


def test_older_ansible_core_is_refused_with_both_versions() -> None:
    runtime = Path(__file__).parents[5] / "meta/runtime.yml"
    (least,) = re.findall(r"requires_ansible: '>=(.*)'", runtime.read_text())
    with pytest.raises(ConfigurationError, match=rf"2\.18\.5, is too old: {re.escape(least)} "):
        check_version("2.18.5")
    for newer in ("2.19.0rc1", "2.20.0", "3.0"):
        check_version(newer)
