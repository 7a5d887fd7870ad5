# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every rule of the document's sections 2.4, 4.3 and 8: accepted at its bounds, refused just past them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.examples import CONTACT, PRODUCTS, settings
from tests.simulator.fixtures import SimulatorFactory
from tests.support.playbooks import order

UNREACHED = {
    "RESELLER_BASE_URL": "http://127.0.0.1:9",
    "RESELLER_API_KEY": "never-sent",
    "RESELLER_ORGANIZATION_ID": "4200",
}
LABEL_63 = "a" * 63
NAME_253 = ".".join([LABEL_63, LABEL_63, LABEL_63, "b" * 61])
UUID = "ABCDEF01-2345-6789-abcd-ef0123456789"

HOSTNAMES = ["a", "0", "web01", "A-1.b--c.Example", LABEL_63, NAME_253]
NO_HOSTNAMES = ["", "a" * 64, NAME_253 + "b", "-a", "a-", "a..b", ".a", "a.", "a_b", "a b", "a\n", "müller.example", 7]
DOMAINS = ["a.example", "1.de", f"{LABEL_63}.de", NAME_253, "xn--mller-kva.example"]
NO_DOMAINS = ["localhost", *NO_HOSTNAMES, "https://a.example", "a.example/", "192.0.2.1"]


@dataclass(frozen=True)
class As:
    """A value that is accepted and sent as another."""

    given: Any
    sent: Any


TRUTHS = [True, False, As("yes", True), As("no", False), As("true", True), As("False", False)]

#: Product type, setting, values that are accepted, values that are refused; ``...`` leaves the setting out.
RULES: list[tuple[str, str, list[Any], list[Any]]] = [
    (data.VPS, "hostname", HOSTNAMES, NO_HOSTNAMES),
    (data.VPS, "template", ["debian-12", "Windows Server 2022"], ["", " ", 12, True, ...]),
    (data.CONFIGURABLE_VPS, "cpu_cores", [1, 2, 9, 10, As("4", 4)], [0, 11, -1, 1.5, True, "four", "", ...]),
    (data.CONFIGURABLE_VPS, "ram", [1024, 2048, 1024 * 1024, As("4096", 4096)], [0, 1023, 1025, 1536, -1024, ...]),
    (data.CONFIGURABLE_VPS, "disk_size", [10, 20, 990, 1000], [0, 9, 11, 15, 999, 1001, 1010, ...]),
    (data.CONFIGURABLE_VPS, "username", ["abc", "Az9", "a" * 32], ["ab", "a" * 33, "a-b", "a b", "äbc", "abc\n", ...]),
    (data.CONFIGURABLE_VPS, "password", ["x", " ", "012345", "ü\"'\\%"], ["", 12345, True, ...]),
    (data.CONFIGURABLE_VPS, "template_name", ["debian-12"], ["", "\t", 12, ...]),
    (data.CONFIGURABLE_VPS, "hostname", HOSTNAMES, NO_HOSTNAMES),
    (data.CONFIGURABLE_VPS, "ipv4_addresses", [1, 2, 9, 10], [0, 11, False, ...]),
    (data.CONFIGURABLE_VPS, "traffic_display", [128, 256, 128 * 10**6], [0, 127, 129, 192, ...]),
    (data.CONFIGURABLE_VPS, "backup_count", [5, 6, 1000], [4, 0, 5.5, ...]),
    (data.CONFIGURABLE_VPS, "snapshot_count", [2, 3, 1000], [1, 0, ...]),
    (data.CONFIGURABLE_VPS, "ha_upgrade", TRUTHS, ["maybe", 2, "", ...]),
    (data.CONFIGURABLE_VPS, "10g_upgrade", TRUTHS, ["maybe", -1, None]),
    (data.DEDICATED_SERVER, "hostname", HOSTNAMES, NO_HOSTNAMES),
    (data.DEDICATED_SERVER, "template", ["debian-12"], ["", " ", ...]),
    (data.DEDICATED_SERVER, "ip4_count", [1, 2, 9, 10, As("10", 10)], [0, 11, True, ""]),
    (data.DEDICATED_SERVER, "ip6_subnet_size", [48, 49, 63, 64, ...], [47, 65, "/64"]),
    (data.DEDICATED_SERVER, "existing_l2vpn", [UUID, UUID.lower()], [UUID[:-1], UUID + "0", f"urn:uuid:{UUID}", 7]),
    (data.DOMAIN, "domain", DOMAINS, NO_DOMAINS),
    (data.DOMAIN, "action", ["register", "transfer"], ["Register", "renew", "", ...]),
    (data.DOMAIN, "authcode", ["x", "a b\"'\\"], ["", 1234]),
    (data.DOMAIN, "nameservers", ["ns.a.example", As("a.example  b.example", "a.example b.example")], ["", " ", 5]),
    (data.DOMAIN, "nameservers", [As(["a.example", "b.example"], "a.example b.example")], []),
    (data.DOMAIN, "admincRef", ["x", data.ADMIN_CONTACT], ["", " ", 20001, ...]),
]
CONTACT_RULES: list[tuple[str, list[Any], list[Any]]] = [
    ("label", ["x", "customer 1"], ["", " ", 4711, None, ...]),
    ("first_name", ["X"], ["", " ", True, ...]),
    ("last_name", ["X", "O'Neill-Łuczak"], ["", " ", ...]),
    ("company_name", ["", "X"], [7, None, ...]),
    ("street", ["X"], ["", " ", ...]),
    ("postal_code", ["0", "01067"], ["", 51147, ...]),
    ("city", ["X"], ["", " ", ...]),
    # YAML reads an unquoted NO as false.
    ("country", ["DE", "de"], ["", "D", "DEU", "D1", "ÄÖ", "DE\n", False, ...]),
    (
        "telephone",
        ["+1.1", "+999.12345678901234"],
        ["", "+1234.1", "+.1", "+49.", "+49.123456789012345", "49.1", "+1 2"],
    ),
    ("telephone", [], ["+491234", "+49.12a", "+49.1\n", 49, ...]),
    (
        "email",
        ["a@b.example", "a.b+c@x.example"],
        ["", "a", "a@", "@b.example", "a@b", "a b@c.example", "a@b.de\n", ...],
    ),
    ("fax", ["", "+49.1", ...], [7]),
]
SERVER = data.DEDICATED_SERVER
#: Rules about several settings: product type, changes, the path below settings that is refused, or None.
GROUPS: list[tuple[str, dict[str, Any], str | None]] = [
    *((SERVER, {"ip4_count": ..., "ip4_subnet_size": size}, None) for size in (25, 26, 28, 29)),
    *((SERVER, {"ip4_count": ..., "ip4_subnet_size": size}, "ip4_subnet_size") for size in (24, 30, True)),
    (SERVER, {"ip4_count": None, "ip4_subnet_size": 29}, None),
    (SERVER, {"ip4_count": 1, "ip4_subnet_size": None}, None),
    (SERVER, {"ip4_count": 1, "ip4_subnet_size": 29}, "ip4_subnet_size"),
    (SERVER, {"ip4_count": None}, "ip4_subnet_size"),
    (SERVER, {"ip4_count": ...}, "ip4_subnet_size"),
    (data.DOMAIN, {"ownercRef": "OC-1", "ownercData": ...}, None),
    (data.DOMAIN, {"ownercRef": "OC-1", "ownercData": None}, None),
    (data.DOMAIN, {"ownercRef": "OC-1"}, "ownercRef"),
    (data.DOMAIN, {"ownercData": ...}, "ownercRef"),
    (data.DOMAIN, {"admincData": CONTACT, "admincRef": ...}, None),
    (data.DOMAIN, {"admincData": CONTACT}, "admincRef"),
    (data.DOMAIN, {"admincRef": ...}, "admincRef"),
    (data.DOMAIN, {"ownercData": "Erika Mustermann"}, "ownercData"),
    (data.DOMAIN, {"ownercData": "[]"}, "ownercData"),
    (data.DOMAIN, {"ownercData": ["x"]}, "ownercData"),
    (data.DOMAIN, {"ownercData": CONTACT | {"firstname": "X"}}, "ownercData.firstname"),
    (data.DOMAIN, {"telephone": "+49.1"}, "telephone"),
    (data.DOMAIN, {"template": "debian-12"}, "template"),
    (data.WEBHOSTING, {"php_version": "8.3"}, "php_version"),
    # What would fit another product type is refused as a whole.
    (data.WEBHOSTING, {"domain": "a.example"}, ""),
]


@dataclass(frozen=True)
class Case:
    """One order. ``refused`` is the path of the only violation, or None; ``sent`` is what else the settings hold."""

    product_type: str
    settings: dict[str, Any]
    refused: str | None
    sent: dict[str, Any]

    def item(self) -> dict[str, Any]:
        product = PRODUCTS[self.product_type]
        return {"product": product, "product_type": self.product_type, "settings": self.settings}


def cases() -> Iterator[Case]:
    for product_type, name, accepted, refused in RULES:
        for value in accepted:
            given, sent = (value.given, value.sent) if isinstance(value, As) else (value, value)
            yield Case(product_type, settings(product_type, **{name: given}), None, {} if sent is ... else {name: sent})
        for value in refused:
            yield Case(product_type, settings(product_type, **{name: value}), name, {})
    for field, accepted, refused in CONTACT_RULES:
        for value in accepted:
            yield contact_case(field, value, None)
        for value in refused:
            yield contact_case(field, value, f"ownercData.{field}")
    for product_type, changes, path in GROUPS:
        yield Case(product_type, settings(product_type, **changes), path, {})


def contact_case(field: str, value: Any, refused: str | None) -> Case:
    contact = {name: held for name, held in {**CONTACT, field: value}.items() if held is not ...}
    sent = json.dumps(contact, ensure_ascii=False, separators=(",", ":"))
    return Case(data.DOMAIN, settings(data.DOMAIN, ownercData=contact), refused, {"ownercData": sent})


@pytest.mark.full
def test_each_value_at_and_just_past_its_bound(runner: Runner) -> None:
    """Each alone, by the documented rules, which need no service in check mode."""
    listed = list(cases())
    # The name is given, so that a refused hostname is told by its rule.
    task = order(
        name="bounds",
        end_user=data.SELF,
        product="{{ item.product }}",
        product_type="{{ item.product_type }}",
        settings="{{ item.settings }}",
        validation="documented",
    )
    # As a variable: Ansible sends a task with all that stands in it to its callbacks for each item.
    items = {"items": [case.item() for case in listed]}
    play = runner.run({**task, "loop": "{{ items }}"}, UNREACHED, "--check", vars=items)
    assert "Traceback" not in play.output, play.output
    results = play.result["results"]
    wrong = [(case, result) for case, result in zip(listed, results, strict=True) if not as_expected(case, result)]
    assert not wrong, "\n\n".join(f"{case}\n{result.get('msg') or result}" for case, result in wrong)


def as_expected(case: Case, result: dict[str, Any]) -> bool:
    if case.refused is None:
        body = (result.get("request") or {}).get("body", {})
        shown = {name: value for name, value in case.sent.items() if name not in ("password", "authcode")}
        return bool(result["changed"]) and shown.items() <= body.get("settings", {}).items()
    violations = result.get("violations", [])
    return (
        not result["changed"]
        and [violation["path"] for violation in violations] == [f"settings.{case.refused}".rstrip(".")]
        and all(violation["source"] == "documented" and violation["rule"] in result["msg"] for violation in violations)
    )


@pytest.mark.full
def test_org_max_ram_is_the_upper_bound_of_ram(runner: Runner, start_simulator: SimulatorFactory) -> None:
    """Section 8: a value of each organization. From the option, else from the catalogue, else not checked here."""
    telling, silent = start_simulator("plain"), start_simulator("plain", hide_org_max_ram=True)

    def sized(ram: int, **options: Any) -> dict[str, Any]:
        return order(
            end_user=data.SELF,
            product_type="configurable_vps",
            settings=settings(data.CONFIGURABLE_VPS, ram=ram),
            **options,
        )

    limit = data.ORG_MAX_RAM
    given = {"org_max_ram": 8192}
    listed = [
        (sized(8192, **given), True),
        (sized(9216, **given), False),
        (sized(8192, validation="documented", **given), True),
        (sized(9216, validation="documented", **given), False),
        # A limit that is no multiple of the step is kept, too.
        (sized(8192, org_max_ram=9000), True),
        (sized(9216, org_max_ram=9000), False),
        (sized(1024, org_max_ram=1024), True),
        (sized(1024, org_max_ram=1023), False),
        (sized(limit), True),
        (sized(limit + 1024), False),
        (sized(limit + 1024, org_max_ram=2 * limit), False),
    ]
    results = runner.table([task for task, _rest in listed], telling.env, "--check")
    assert [result["changed"] for result in results] == [accepted for _rest, accepted in listed]
    assert all("ram" in result["msg"] for result in results if not result["changed"])
    assert f"{limit}" in results[9]["msg"]
    results = runner.table([sized(limit), sized(4 * limit), sized(9216, **given)], silent.env, "--check")
    assert [result["changed"] for result in results] == [True, True, False]


#: All values of a product type at their lower and upper bounds, and all just past them, in one order each.
EXTREMES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    data.VPS: ([{"hostname": "a"}, {"hostname": NAME_253}], [{"hostname": NAME_253 + "b", "template": ""}]),
    data.CONFIGURABLE_VPS: (
        [
            {
                "cpu_cores": 1,
                "ram": 1024,
                "disk_size": 10,
                "username": "abc",
                "password": "x",
                "hostname": "b",
                "ipv4_addresses": 1,
                "traffic_display": 128,
                "backup_count": 5,
                "snapshot_count": 2,
                "ha_upgrade": False,
                "10g_upgrade": False,
            },
            {
                "cpu_cores": 10,
                "ram": data.ORG_MAX_RAM,
                "disk_size": 1000,
                "username": "Z" * 32,
                "password": "y" * 200,
                "hostname": "c" + NAME_253[1:],
                "ipv4_addresses": 10,
                "traffic_display": 128 * 10**6,
                "backup_count": 10**6,
                "snapshot_count": 10**6,
                "ha_upgrade": True,
                "10g_upgrade": True,
            },
        ],
        [
            {
                "cpu_cores": 0,
                "ram": 0,
                "disk_size": 0,
                "username": "ab",
                "password": "",
                "template_name": "",
                "hostname": "-",
                "ipv4_addresses": 0,
                "traffic_display": 0,
                "backup_count": 4,
                "snapshot_count": 1,
                "ha_upgrade": 2,
                "10g_upgrade": "maybe",
            },
            {
                "cpu_cores": 11,
                "ram": 1025,
                "disk_size": 1010,
                "username": "Z" * 33,
                "hostname": "c" * 64,
                "ipv4_addresses": 11,
                "traffic_display": 129,
            },
        ],
    ),
    data.DEDICATED_SERVER: (
        [
            {"hostname": "d", "ip4_count": 1, "ip6_subnet_size": 48},
            {"hostname": "e", "ip4_count": 10, "ip6_subnet_size": 64},
            {"hostname": "f", "ip4_count": ..., "ip4_subnet_size": 25},
            {"hostname": "g", "ip4_count": None, "ip4_subnet_size": 29},
        ],
        [
            {"ip4_count": 0, "ip6_subnet_size": 47, "existing_l2vpn": data.L2VPN[:-1]},
            {"ip4_count": ..., "ip4_subnet_size": 30, "ip6_subnet_size": 65},
        ],
    ),
    data.DOMAIN: (
        [
            {"domain": "a.example", "ownercData": {**CONTACT, "telephone": "+1.1", "company_name": ""}},
            {
                "domain": "d" + NAME_253[1:],
                "ownercData": {**CONTACT, "telephone": "+999.12345678901234", "country": "de"},
            },
        ],
        [
            {
                "domain": "localhost",
                "action": "renew",
                "ownercData": {**CONTACT, "telephone": "+1234.1", "country": "DEU", "label": "", "email": "a@b"},
                "admincRef": "",
            }
        ],
    ),
}


@pytest.mark.full
def test_all_bounds_are_taken_and_all_that_is_past_them_is_told(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    """What is accepted here the service accepts as well, and what is refused is all told at once and not sent."""
    simulator = start_simulator("apiplatform")
    accepted, refused, paths = [], [], []
    for product_type, (good, bad) in EXTREMES.items():
        options = {"end_user": data.SELF, "product": PRODUCTS[product_type]}
        accepted += [order(settings=settings(product_type, **changes), **options) for changes in good]
        for changes in bad:
            refused.append(order(name=f"x{len(refused)}", settings=settings(product_type, **changes), **options))
            paths.append(sorted(wrong_paths(changes)))
    results = runner.table([*accepted, *refused], simulator.env)
    told = "\n".join(result["msg"] for result in results[: len(accepted)] if "msg" in result)
    assert [result["changed"] for result in results] == [True] * len(accepted) + [False] * len(refused), told
    assert len(simulator.orders()) == len(simulator.requests("POST")) == len(accepted)
    for result, expected in zip(results[len(accepted) :], paths, strict=True):
        assert sorted(violation["path"] for violation in result["violations"]) == expected
        rules = "rule" if len(expected) == 1 else "rules"
        assert result["msg"].startswith(f"The order breaks {len(expected)} {rules}. It was not sent.\n")
        assert all(path in result["msg"] for path in expected)


def wrong_paths(changes: dict[str, Any]) -> Iterator[str]:
    for name, value in changes.items():
        if isinstance(value, dict):
            yield from (f"settings.{name}.{field}" for field, held in value.items() if CONTACT[field] != held)
        elif value is not ...:
            yield f"settings.{name}"
