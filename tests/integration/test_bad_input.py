# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever is wrong, there is one clear error that says what to do, and nothing is sent that should not be."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.examples import settings
from tests.simulator.fixtures import SimulatorFactory
from tests.support.playbooks import order

UNKNOWN_UUID = "00000000-0000-4000-8000-000000000000"
LETTER = "Dear aunt,\nthis is no database.\n" * 200


def vps(**options: Any) -> dict[str, Any]:
    return order(**{"end_user": data.SELF, "product": "VPS M", "settings": settings(data.VPS), **options})


#: What is wrong, the order, and what the error says: the reason first, then what to do.
WRONG: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no base_url": (vps(base_url=""), ["base_url is missing or empty", "RESELLER_BASE_URL"]),
    "no api_key": (vps(api_key=""), ["api_key is missing or empty", "RESELLER_API_KEY"]),
    "no organization_id": (
        vps(organization_id=""),
        ["organization_id is missing or empty", "RESELLER_ORGANIZATION_ID"],
    ),
    "no scheme": (vps(base_url="portal.example.com"), ["'portal.example.com' has no scheme", "as https://host"]),
    "another scheme": (vps(base_url="ftp://portal.example.com"), ["has no scheme https://", "as https://host"]),
    "no host": (vps(base_url="https://"), ["has no valid host", "as https://host"]),
    "not encrypted": (vps(base_url="http://portal.example.com"), ["is not encrypted", "allow_http: true"]),
    "a user name": (
        vps(base_url="https://me:pw@portal.example.com"),
        ["must not contain a user name", "as https://host"],
    ),
    "a path too much": (
        vps(base_url="https://portal.example.com/api/reseller/"),
        ["must end before /api/reseller", "Write it as https://portal.example.com."],
    ),
    "unresolved": (
        vps(base_url="https://no-such-host.invalid", read_retries=0),
        ["no-such-host.invalid", "was not sent", "cannot be resolved. Check base_url"],
    ),
    "refused": (vps(base_url="http://127.0.0.1:9", read_retries=0), ["was not sent", "refused", "Check base_url"]),
    "a key with a newline": (vps(api_key=data.API_KEY + "\n"), ["api_key", "newline", "use the trim filter"]),
    "a key of two lines": (vps(api_key="one\ntwo"), ["api_key", "newline", "must be one line"]),
    "a key beyond latin-1": (vps(api_key="schlüssel-→"), ["api_key", "outside latin-1", "Copy it again"]),
    "an organization with a tab": (vps(organization_id="\t4200"), ["organization_id", "'\\t4200'", "trim filter"]),
    "end_user": (
        vps(end_user="customer-4711"),
        ["'customer-4711' is neither a UUID nor __self__", "Give the end user's UUID"],
    ),
    "almost __self__": (vps(end_user="_self_"), ["'_self_' is neither a UUID nor __self__", "or __self__ to order"]),
    "empty end_user": (vps(end_user=""), ["'' is neither a UUID nor __self__", "Give the end user's UUID"]),
    "unknown product": (vps(product="VPS XXL"), ["lists no product", "'VPS XXL'", f"'VPS L' ({data.VPS_L})"]),
    "another case": (vps(product="vps m"), ["lists no product", f"'VPS M' ({data.VPS_M})"]),
    "unknown UUID": (vps(product=UNKNOWN_UUID), [UNKNOWN_UUID, "reseller_products_info lists what can be ordered"]),
    "shared name": (
        vps(product=data.DUPLICATE_NAME),
        ["2 products are named 'VPS Classic'", "Give the UUID", *data.DUPLICATES],
    ),
    "no product": (
        vps(product=None),
        ["product is missing", "Give the UUID or the name", "configurable_vps and domain"],
    ),
    "no name": (
        vps(product="Webhosting Start", settings={}),
        ["has no name", "A webhosting order needs name."],
    ),
    "misspelt hostname": (
        vps(settings={"hostnam": "a", "template": "debian-12"}),
        ["settings.hostnam: ", "did you mean hostname?"],
    ),
    "misspelt setting": (
        vps(settings={**settings(data.VPS), "Template": "debian-12"}),
        ["settings.Template", "did you mean template?"],
    ),
    "a server's settings": (
        vps(settings=settings(data.DEDICATED_SERVER)),
        ["breaks 1 rule. ", "vps (regular VPS) has no settings named ip4_count, ip6_subnet_size", "dedicated_server"],
    ),
    "a configurable one's": (
        vps(settings=settings(data.CONFIGURABLE_VPS)),
        ["breaks 1 rule. ", "vps (regular VPS) has no settings named cpu_cores", "product type configurable_vps"],
    ),
    "a VPS's for a domain": (
        vps(product=None, product_type="domain"),
        ["breaks 1 rule. ", "the product type domain has no settings named hostname, template", "vps (regular VPS)"],
    ),
    "settings for webhosting": (
        vps(product="Webhosting Start"),
        ["the product type webhosting has no settings named hostname, template", "vps (regular VPS)"],
    ),
    "a VPS called a domain": (
        vps(product_type="domain"),
        ["product_type: the catalogue lists hostname, template for VPS M, settings of the product type vps", "correct"],
    ),
    "the domain product called a VPS": (
        vps(product=data.DOMAIN_DEFAULT, product_type="vps"),
        ["product_type is vps", "is the documented domain", "Correct one of them"],
    ),
    "unlisted template": (
        vps(settings={"hostname": "a", "template": "debian12"}),
        ["settings.template", "that the catalogue lists", "did you mean debian-12", "(catalogue)"],
    ),
    "a contact in Python's notation": (
        vps(product=None, product_type="domain", settings=settings(data.DOMAIN, ownercData="{'label': 'x'}")),
        ["settings.ownercData", "Python's notation", "add | to_json"],
    ),
    "settings as text": (vps(settings="hostname"), ["settings", "dict"]),
    "unknown option": (vps(api_token="x"), ["Unsupported parameters", "api_token"]),
    "unknown type": (vps(product_type="vsp"), ["product_type must be one of: vps,", "got: vsp"]),
    "no time": (vps(timeout=0), ["timeout must be more than 0 and at most 86400 seconds (given: 0)"]),
    "a negative age": (vps(catalogue_max_age=-1), ["catalogue_max_age must be from 0 to 31536000 seconds (given: -1)"]),
    "an endless age": (vps(catalogue_max_age=float("inf")), ["catalogue_max_age must be from 0", "(given: inf)"]),
    "a huge wait": (vps(wait_in_flight=10**400), ["wait_in_flight must be from 0 to 604800 seconds (given: inf)"]),
    "a wait in digits": (vps(wait_in_flight="9" * 5000), ["wait_in_flight must be from 0 to 604800 seconds"]),
    "a huge port": (vps(nameserver_port=65536), ["nameserver_port must be from 1 to 65535 (given: 65536)"]),
    "no retries": (vps(read_retries=-1), ["read_retries must be from 0 to 100 (given: -1)"]),
    "memory without end": (vps(org_max_ram=float("inf")), ["org_max_ram must be from 0", "(given: inf)"]),
    "NUL in ca_path": (vps(ca_path="/etc/ca\0.pem"), ["option ca_path contains a NUL character"]),
    "NUL in save_answer": (vps(save_answer="/tmp/a\0"), ["option save_answer contains a NUL character"]),
    "NUL in a ledger": (vps(ledger="/srv/ledger\0.db"), ["option ledger contains a NUL character"]),
    "NUL in a stack's path": (
        {"hosting.reseller.reseller_stack_info": {"path": "/srv/stack\0.yml"}},
        ["option path contains a NUL character"],
    ),
    "an order's own memory": (
        {"hosting.reseller.reseller_contracts": {"contracts": [{"org_max_ram": -1}]}},
        ["org_max_ram must be from 0"],
    ),
    "too much at once": (
        {"hosting.reseller.reseller_contracts": {"contracts": [], "concurrency": 33}},
        ["concurrency must be from 1 to 32 (given: 33)"],
    ),
    "an approved plan of anything": (
        {
            "hosting.reseller.reseller_contracts": {
                "contracts": [{"end_user": data.SELF, "product": "VPS M", "settings": settings(data.VPS)}],
                "approved_plan": {"plan": [{"name": ["a"]}], "plan_digest": "plan-1:0"},
            }
        },
        ["The plan is no longer the approved one. Nothing was sent"],
    ),
    "an endless DNS query": (
        {
            "hosting.reseller.reseller_nameservers_info": {
                "domain": "example.org",
                "nameservers": ["ns1.example.net"],
                "dns_timeout": float("inf"),
            }
        },
        ["dns_timeout must be more than 0 and at most 600 seconds (given: inf)"],
    ),
    "no mapping of defaults": (
        {"hosting.reseller.reseller_contracts": {"contracts": [], "defaults": 0}},
        ["defaults", "must be a mapping, but is of type int"],
    ),
    "no time to read": (vps(read_timeout=0), ["read_timeout must be more than 0"]),
    "no time to order": (vps(order_timeout=-1), ["order_timeout must be more than 0"]),
    "token in the address": (vps(base_url="https://portal.example?token=s3cret"), ["'https://portal.example?…'"]),
    "no element": (
        vps(additional_elements={"voucher": 1}),
        ["additional_elements.voucher", "the published reference names no such element"],
    ),
    "own element": (
        vps(additional_elements={"productId": 1}),
        ["additional_elements.productId", "is what the option product sets"],
    ),
    "one element for both": (
        vps(end_user_element="item", product_element="item"),
        ["end_user_element and product_element are both 'item'. Nothing was sent."],
    ),
    "one element for both, without a request": (
        vps(end_user_element="item", product_element="item", validation="documented") | {"check_mode": True},
        ["end_user_element and product_element are both 'item'"],
    ),
    "settings for the product": (
        vps(product_element="settings", validation="documented") | {"check_mode": True},
        ["product_element cannot be settings"],
    ),
    "own element by the options, without a request": (
        vps(
            product=data.VPS_M,
            product_type="vps",
            product_element="item",
            additional_elements={"item": 1},
            validation="documented",
        )
        | {"check_mode": True},
        ["additional_elements.item", "is what the option product sets"],
    ),
}


def test_wrong_input_is_one_clear_error_and_sends_nothing(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain", duplicate_names=True)
    results = runner.table([task for task, _rest in WRONG.values()], simulator.env)
    wrong = {
        name: result.get("msg")
        for (name, (_rest, said)), result in zip(WRONG.items(), results, strict=True)
        if result["changed"] or not all(words in result["msg"] for words in said)
    }
    assert not wrong, "\n\n".join(f"{name}: {message}" for name, message in wrong.items())
    assert not simulator.requests("POST")
    # Not so much as a claim is left behind.
    shown = runner.run(ledger_info(), simulator.env)
    assert shown.result["orders"] == []


def ledger_info() -> dict[str, Any]:
    return {"name": "Show", "hosting.reseller.reseller_ledger_info": {}}


@pytest.mark.full
def test_what_is_only_unusual_is_accepted(runner: Runner, start_simulator: SimulatorFactory) -> None:
    """A slash after base_url, a UUID in capitals, options that are null or empty."""
    simulator = start_simulator("plain")
    nothing = dict.fromkeys(("name", "org_max_ram", "end_user_element", "product_element", "ca_path"), None)
    results = runner.table(
        [
            vps(base_url=f"{simulator.base_url}/"),
            # The same service, so the same order.
            vps(base_url=f"{simulator.base_url}///"),
            vps(product=data.VPS_M.upper(), end_user=data.END_USER.upper(), name="capitals"),
            vps(settings={**settings(data.VPS, hostname="nothing"), "password": None, "domain": None}, **nothing),
            order(name="empty", end_user=data.SELF, product="Webhosting Start", settings={}, additional_elements={}),
        ],
        simulator.env,
    )
    assert [result["changed"] for result in results] == [True, False, True, True, True], results
    assert [found["settings"] for found in simulator.orders()][2] == {"hostname": "nothing", "template": "debian-12"}


@pytest.mark.parametrize(
    ("missing", "also", "purpose"),
    [
        ("requests", "dns", "to reach the service"),
        pytest.param("jsonschema", None, "to check the settings of an order", marks=pytest.mark.full),
    ],
)
def test_missing_libraries_are_named_at_once(
    missing: str, also: str | None, purpose: str, runner: Runner, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("plain")
    # A module that is None cannot be imported.
    hook = f"import sys\nsys.modules.update(dict.fromkeys({[missing, also]}))\n"
    (runner.folder / "sitecustomize.py").write_text(hook)
    env = {**simulator.env, "PYTHONPATH": str(runner.folder)}
    refused, listed = runner.table([vps(), ledger_info()], env)
    first, reason, where, pip, uv = refused["msg"].splitlines()
    assert first == f"The Python library {missing}, needed {purpose}, cannot be imported. Nothing was sent."
    assert reason.endswith(f"Also missing: {'dnspython' if also else 'none'}.")
    python = where.removeprefix("Ansible runs in ").partition(". Install what is missing there")[0]
    assert Path(python).parent.samefile(Path(sys.executable).parent)
    packages = f"{missing} dnspython" if also else missing
    assert pip.strip() == f"{python} -m pip install {packages}"
    assert uv.strip() == f"uv pip install --python {python} {packages}"
    assert listed["orders"] == []
    assert not simulator.requests()


def letter(path: Path) -> None:
    path.write_text(LETTER)


def other_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.commit()
    connection.close()


def short_file(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0")


def table_of_that_name(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE orders (name TEXT)")
    connection.commit()
    connection.close()


FOREIGN: list[Callable[[Path], None]] = [letter, other_database, short_file, table_of_that_name]


@pytest.mark.full
def test_a_ledger_that_cannot_be_used_is_an_error_and_left_as_it_is(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("plain")
    held: dict[Path, tuple[bytes, int]] = {}
    for make in FOREIGN:
        path = runner.folder / make.__name__
        make(path)
        held[path] = (path.read_bytes(), path.stat().st_mtime_ns)
    placed = [
        *((str(path), ["is not a ledger. It was not changed", "Give the option ledger"]) for path in held),
        (
            "/proc/nowhere/ledger.db",
            ["cannot be opened", "/proc/nowhere", "that the user of this task can write"],
        ),
        ("/sys/ledger.db", ["cannot be", "/sys", "Give the option ledger a path"]),
        (str(runner.folder), ["is a directory", "Give the path of a file"]),
        (str(runner.folder / "letter" / "ledger.db"), ["cannot be opened", "letter", "Give the option ledger"]),
        ("sqlite:///srv/ledger.db", ["The option ledger starts with sqlite://", "Give the path of a file"]),
        ("mysql://me@db/orders", ["mysql://", "postgresql://"]),
        ("host=db user=me dbname=orders", ["postgresql://user@host"]),
        ("postgresql://me@127.0.0.1:1/orders", ["cannot be opened", "127.0.0.1", "Check the address"]),
        (
            "postgresql://me@no-such-host.invalid/orders",
            ["cannot be opened", "no-such-host.invalid", "Check the address"],
        ),
    ]
    results = runner.table([vps(ledger=ledger) for ledger, _rest in placed], simulator.env)
    # A dry run writes nothing, so it sees only what is there.
    readable = [each for each in placed if not each[0].startswith(("/proc/", "/sys/"))]
    results += runner.table([vps(ledger=ledger) for ledger, _rest in readable], simulator.env, "--check")
    wrong = {
        ledger: result.get("msg")
        for (ledger, said), result in zip([*placed, *readable], results, strict=True)
        if result["changed"] or not all(words in result.get("msg", "") for words in said)
    }
    assert not wrong, "\n\n".join(f"{ledger}: {message}" for ledger, message in wrong.items())
    assert not simulator.requests("POST")
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in held} == held
    assert not [path for path in runner.folder.iterdir() if "=" in path.name]
