# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of the interface's description, which a lenient simulator would let anybody break: what is accepted at a
bound and refused just past it, who may order for whom, and what is processed of a request that a fault hits."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.conftest import SimulatorFactory
from tests.support import order_examples as examples

CONFIGURABLE, DEDICATED, DOMAIN = data.CONFIGURABLE_VPS, data.DEDICATED_SERVER, data.DOMAIN

#: A contact with one field twice.
TWICE = examples.CONTACT_DATA.replace("{", '{"label":"other",', 1)

#: Of each setting what is accepted at its bounds, and refused just past them.
BOUNDS: list[tuple[str, str, list[Any], list[Any]]] = [
    (data.VPS, "hostname", ["a", "WEB-1.example", "a" * 63], [..., "", "-a", "a_b", "a..b", "a" * 64, 4]),
    (data.VPS, "template", ["Windows Server 2022"], [..., "debian-99"]),
    (CONFIGURABLE, "cpu_cores", [1, 10], [..., 0, 11, 4.0, "4", True, None]),
    (CONFIGURABLE, "ram", [1024, data.ORG_MAX_RAM], [..., 0, 1025, data.ORG_MAX_RAM + 1024]),
    (CONFIGURABLE, "disk_size", [10, 1000], [..., 0, 15, 1010]),
    (CONFIGURABLE, "username", ["abc", "A1" * 16], [..., "ab", "a" * 33, "a-b", "äbc", "abc\n"]),
    (CONFIGURABLE, "password", ["x"], [..., "", 4]),
    (CONFIGURABLE, "template_name", ["debian-13"], [..., "Debian 13"]),
    (CONFIGURABLE, "hostname", ["a"], [..., "a b"]),
    (CONFIGURABLE, "ipv4_addresses", [1, 10], [..., 0, 11]),
    (CONFIGURABLE, "traffic_display", [128, 1280000], [..., 0, 129]),
    (CONFIGURABLE, "backup_count", [5, 6], [..., 4]),
    (CONFIGURABLE, "snapshot_count", [2, 3], [..., 1]),
    (CONFIGURABLE, "ha_upgrade", [True, False], [..., 1, "true", None]),
    (CONFIGURABLE, "10g_upgrade", [True, False], [..., 0]),
    (DEDICATED, "hostname", ["a"], [..., "a b"]),
    (DEDICATED, "template", ["debian-13"], [..., "x"]),
    (DEDICATED, "ip4_count", [1, 10], [0, 11, "1"]),
    (DEDICATED, "ip6_subnet_size", [..., 48, 64], [47, 65, None]),
    (DEDICATED, "existing_l2vpn", [..., data.SELF_L2VPN.upper()], ["x", data.SELF_L2VPN[:-1]]),
    (DOMAIN, "domain", ["a.example", "xn--a.b.example"], [..., "example", "a b.example", "a.example."]),
    (DOMAIN, "action", ["register", "transfer"], [..., "renew"]),
    (DOMAIN, "authcode", [..., "x"], [4, ""]),
    (
        DOMAIN,
        "nameservers",
        [..., "ns1.a.example", "ns1.a.example ns2.a.example"],
        ["ns1.a.example,b.example", ["a.example"]],
    ),
]
#: The same of each field of a contact.
CONTACT_BOUNDS: list[tuple[str, list[Any], list[Any]]] = [
    *(
        (name, ["x"], [..., "", " ", 4])
        for name in ("label", "first_name", "last_name", "street", "postal_code", "city")
    ),
    ("company_name", [""], [..., 4]),
    ("fax", [..., "", "x"], [4]),
    ("country", ["DE"], [..., "DEU", "D1"]),
    ("telephone", ["+1.2", "+999.12345678901234"], [..., "+1234.1", "+49.123456789012345", "49.2211234", "+492211234"]),
    ("email", ["a@b.example"], [..., "a", "a@b c.example"]),
    ("colour", [], ["red"]),
]

#: Several settings, and those of them that are wrong. ``...`` leaves one out.
REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    (data.WEBHOSTING, {"hostname": "a"}, {"hostname"}),
    (DEDICATED, {"ip4_count": ...}, {"ip4_count", "ip4_subnet_size"}),
    (DEDICATED, {"ip4_subnet_size": 29}, {"ip4_count", "ip4_subnet_size"}),
    (DEDICATED, {"ip4_count": ..., "ip4_subnet_size": 24}, {"ip4_subnet_size"}),
    (DEDICATED, {"ip4_count": ..., "ip4_subnet_size": 30}, {"ip4_subnet_size"}),
    (DOMAIN, {"ownercData": ...}, {"ownercRef", "ownercData"}),
    (DOMAIN, {"ownercRef": data.OWNER_CONTACT}, {"ownercRef", "ownercData"}),
    (DOMAIN, {"ownercData": ..., "ownercRef": data.ADMIN_CONTACT}, {"ownercRef"}),
    (DOMAIN, {"ownercData": ..., "ownercRef": data.FOREIGN_OWNER_CONTACT}, {"ownercRef"}),
    (DOMAIN, {"admincRef": ...}, {"admincRef", "admincData"}),
    (DOMAIN, {"admincData": examples.CONTACT_DATA}, {"admincRef", "admincData"}),
    *((DOMAIN, {"ownercData": value}, {"ownercData"}) for value in (examples.CONTACT, "", "[]", TWICE)),
]


@pytest.fixture
def plain(start_simulator: SimulatorFactory) -> Simulator:
    """A simulator in the shape whose errors are simplest to read."""
    return start_simulator("plain")


def test_each_setting_is_accepted_at_its_bounds_and_refused_past_them(plain: Simulator) -> None:
    rows: list[tuple[str, str, Any, set[str]]] = []
    for product_type, name, accepted, refused in BOUNDS:
        rows += [(product_type, name, value, set()) for value in accepted]
        rows += [(product_type, name, value, {name}) for value in refused]
    for field, accepted, refused in CONTACT_BOUNDS:
        for values, wrong in ((accepted, set()), (refused, {"ownercData"})):
            contacts = (examples.contact_data(**{field: value}) for value in values)
            rows += [(DOMAIN, "ownercData", contact, wrong) for contact in contacts]
    for product_type, name, value, wrong in rows:
        answer = plain.order(examples.PRODUCTS[product_type], examples.settings(product_type, **{name: value}))
        assert {*answer.json().get("error", {"fields": ()})["fields"]} == wrong, (name, value)


def test_rules(plain: Simulator) -> None:
    for product_type, changes, wrong in REFUSED:
        answer = plain.order(examples.PRODUCTS[product_type], examples.settings(product_type, **changes))
        assert (answer.status_code, {*answer.json()["error"]["fields"]}) == (400, wrong), changes
    for settings in ([], "", 0, False, "{}"):
        assert {*plain.order(data.WEBHOSTING_START, settings).json()["error"]["fields"]} == {"settings"}
    assert plain.order(data.WEBHOSTING_START, elements={"settings": None}).status_code == 400
    # All that is wrong is told at once, and nothing of it is kept.
    answer = plain.order("x", end_user="y", elements={"quantity": 2})
    assert {*answer.json()["error"]["fields"]} == {"quantity", "target", "productId"}
    assert plain.orders() == []


OWN, THEIRS = data.ORGANIZATION_ID, data.END_USER_ORGANIZATION_ID
AS_THEM = {"X-Organization-ID": THEIRS}
SITE = data.WEBHOSTING_START, {}
#: An L2VPN belongs to the organization that gets the contract, at the place of the server.
JOINING = data.DEDICATED_FRANKFURT, examples.settings(DEDICATED, existing_l2vpn=data.L2VPN)
#: The limit is that of the organization that calls.
LARGER = data.VPS_KONFIGURATOR, examples.settings(CONFIGURABLE, ram=data.END_USER_ORG_MAX_RAM + 1024)
#: The headers of a call, the end user and the order, and the organization that gets it, or the refusal.
CALLS: list[tuple[dict[str, Any], str, tuple[str, dict[str, Any]], str | int]] = [
    ({"X-API-Key": None}, data.SELF, SITE, 401),
    ({"X-API-Key": "x"}, data.SELF, SITE, 401),
    ({"X-Organization-ID": None}, data.SELF, SITE, 401),
    ({"X-Organization-ID": data.FOREIGN_ORGANIZATION_ID}, data.SELF, SITE, 403),
    ({"X-API-Key": data.FOREIGN_API_KEY}, data.SELF, SITE, 403),
    ({"Content-Type": "text/plain"}, data.SELF, SITE, 415),
    ({}, data.SELF, SITE, OWN),
    ({}, data.END_USER.upper(), SITE, THEIRS),
    (AS_THEM, data.END_USER, SITE, THEIRS),
    (AS_THEM, data.OTHER_END_USER, SITE, 400),
    ({}, data.FOREIGN_END_USER, SITE, 400),
    ({}, "self", SITE, 400),
    ({}, data.END_USER, JOINING, THEIRS),
    (AS_THEM, data.SELF, JOINING, THEIRS),
    ({}, data.OTHER_END_USER, JOINING, 400),
    ({}, data.SELF, JOINING, 400),
    ({}, data.END_USER, (data.DEDICATED_AMSTERDAM, JOINING[1]), 400),
    ({}, data.END_USER, LARGER, THEIRS),
    (AS_THEM, data.END_USER, LARGER, 400),
]


def test_who_may_order_for_whom(plain: Simulator) -> None:
    for headers, end_user, order, expected in CALLS:
        plain.reset()
        answer = plain.order(*order, end_user=end_user, **headers)
        found = [order["organization"] for order in plain.orders()]
        assert (found or answer.status_code) == ([expected] if isinstance(expected, str) else expected), headers


def test_apiplatform_answers_in_its_one_type_alone(start_simulator: SimulatorFactory) -> None:
    simulator, plain_json = start_simulator("apiplatform"), "application/json"
    for accept, status in (("*/*", 201), (f"{plain_json}, */*;q=0.1", 201), (plain_json, 406)):
        assert simulator.order(data.WEBHOSTING_START, Accept=accept).status_code == status, accept
    assert simulator.order(data.WEBHOSTING_START, **{"Content-Type": plain_json}).status_code == 415
    assert len(simulator.orders()) == 2


def test_house_publishes_the_day_to_which_a_contract_is_canceled(start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("house")
    simulator.behave(cancel_until="2099-12-31")
    order = simulator.order(data.VPS_M, {"hostname": "web01", "template": "debian-12"}).json()["vorgang"]["nr"]
    requests.delete(f"{simulator.base_url}/api/reseller/contracts/{order}", headers=simulator.headers, timeout=9)
    listed = requests.get(f"{simulator.base_url}/api/reseller/contracts", headers=simulator.headers, timeout=9).json()
    published = requests.get(f"{simulator.base_url}/doku/schnittstelle", headers=simulator.headers, timeout=9).json()
    schema = published["paths"]["/api/reseller/contracts"]["get"]["responses"]["200"]["content"]["application/json"]
    assert [each["ende"] for each in listed["z"]["posten"]] == ["2099-12-31"]
    assert '"ende"' in json.dumps(schema)
