# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each rule of the interface's description: what is accepted at a bound, and refused just past it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator import data, examples
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator

VPS = data.VPS
CONFIGURABLE = data.CONFIGURABLE_VPS
DEDICATED = data.DEDICATED_SERVER
WEBHOSTING = data.WEBHOSTING
DOMAIN = data.DOMAIN

LABEL = "a" * 63
NAME_253 = ".".join([LABEL, LABEL, LABEL, "a" * 61])

ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    (VPS, {"hostname": "a"}),
    (VPS, {"hostname": LABEL}),
    (VPS, {"hostname": NAME_253}),
    (VPS, {"hostname": "9-a.EXAMPLE"}),
    *((VPS, {"template": template}) for template in data.OS_TEMPLATES),
    (CONFIGURABLE, {"cpu_cores": 1}),
    (CONFIGURABLE, {"cpu_cores": 10}),
    (CONFIGURABLE, {"ram": 1024}),
    (CONFIGURABLE, {"ram": data.ORG_MAX_RAM}),
    (CONFIGURABLE, {"disk_size": 10}),
    (CONFIGURABLE, {"disk_size": 1000}),
    (CONFIGURABLE, {"username": "abc"}),
    (CONFIGURABLE, {"username": "Z9" * 16}),
    (CONFIGURABLE, {"password": "x"}),
    (CONFIGURABLE, {"ipv4_addresses": 1}),
    (CONFIGURABLE, {"ipv4_addresses": 10}),
    (CONFIGURABLE, {"traffic_display": 128}),
    (CONFIGURABLE, {"traffic_display": 128_000}),
    (CONFIGURABLE, {"backup_count": 5}),
    (CONFIGURABLE, {"backup_count": 500}),
    (CONFIGURABLE, {"snapshot_count": 2}),
    (CONFIGURABLE, {"snapshot_count": 200}),
    (CONFIGURABLE, {"ha_upgrade": True, "10g_upgrade": True}),
    (DEDICATED, {"ip4_count": 1}),
    (DEDICATED, {"ip4_count": 10}),
    (DEDICATED, {"ip4_count": ..., "ip4_subnet_size": 25}),
    (DEDICATED, {"ip4_count": ..., "ip4_subnet_size": 29}),
    (DEDICATED, {"ip4_count": None, "ip4_subnet_size": 29}),
    (DEDICATED, {"ip6_subnet_size": 48}),
    (DEDICATED, {"ip6_subnet_size": 64}),
    (DEDICATED, {"ip6_subnet_size": ...}),
    (DEDICATED, {"existing_l2vpn": data.SELF_L2VPN}),
    (DOMAIN, {"action": "transfer", "authcode": "s3cret"}),
    (DOMAIN, {"nameservers": "ns1.customer.example"}),
    (DOMAIN, {"nameservers": "ns1.customer.example ns2.customer.example"}),
    (DOMAIN, {"ownercData": ..., "ownercRef": data.OWNER_CONTACT}),
    (DOMAIN, {"admincRef": ..., "admincData": examples.CONTACT_DATA}),
    (DOMAIN, {"ownercData": examples.contact_data(fax=...)}),
    (DOMAIN, {"ownercData": examples.contact_data(company_name="")}),
    (DOMAIN, {"ownercData": examples.contact_data(telephone="+1.5")}),
    (DOMAIN, {"ownercData": examples.contact_data(telephone="+423.12345678901234")}),
    (DOMAIN, {"domain": "customer.swiss", "ownercData": examples.contact_data(country="CH")}),
]

# Product type, changes, and the settings that the answer has to name.
REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    *((VPS, {name: ...}, {name}) for name in ("hostname", "template")),
    *((VPS, {name: None}, {name}) for name in ("hostname", "template")),
    (VPS, {"hostname": "", "template": ""}, {"hostname", "template"}),
    (VPS, {"hostname": LABEL + "a"}, {"hostname"}),
    (VPS, {"hostname": NAME_253 + "a"}, {"hostname"}),
    (VPS, {"hostname": "-a.example"}, {"hostname"}),
    (VPS, {"hostname": "a-.example"}, {"hostname"}),
    (VPS, {"hostname": "a..example"}, {"hostname"}),
    (VPS, {"hostname": "a.example\n"}, {"hostname"}),
    (VPS, {"hostname": "a_b.example"}, {"hostname"}),
    (VPS, {"hostname": "müller.example"}, {"hostname"}),
    (VPS, {"hostname": 12}, {"hostname"}),
    (VPS, {"template": "debian-1"}, {"template"}),
    (VPS, {"template": ["debian-12"]}, {"template"}),
    (VPS, {"template_name": "debian-12"}, {"template_name"}),
    *((CONFIGURABLE, {name: ...}, {name}) for name in examples.SETTINGS[CONFIGURABLE]),
    *((CONFIGURABLE, {name: None}, {name}) for name in examples.SETTINGS[CONFIGURABLE]),
    *(
        (CONFIGURABLE, {name: value}, {name})
        for name in ("cpu_cores", "ram", "disk_size", "ipv4_addresses", "traffic_display", "backup_count")
        for value in ("1024", True, 1024.0, 0, -1)
    ),
    (CONFIGURABLE, {"cpu_cores": 11}, {"cpu_cores"}),
    (CONFIGURABLE, {"ram": 1023}, {"ram"}),
    (CONFIGURABLE, {"ram": 1025}, {"ram"}),
    (CONFIGURABLE, {"ram": data.ORG_MAX_RAM + 1024}, {"ram"}),
    (CONFIGURABLE, {"disk_size": 9}, {"disk_size"}),
    (CONFIGURABLE, {"disk_size": 11}, {"disk_size"}),
    (CONFIGURABLE, {"disk_size": 1010}, {"disk_size"}),
    (CONFIGURABLE, {"username": "ab"}, {"username"}),
    (CONFIGURABLE, {"username": "a" * 33}, {"username"}),
    (CONFIGURABLE, {"username": "ab-c"}, {"username"}),
    (CONFIGURABLE, {"username": "abä"}, {"username"}),
    (CONFIGURABLE, {"username": "ab²"}, {"username"}),
    (CONFIGURABLE, {"username": 1234}, {"username"}),
    (CONFIGURABLE, {"password": ""}, {"password"}),
    (CONFIGURABLE, {"password": 12345}, {"password"}),
    (CONFIGURABLE, {"template_name": "debian-11"}, {"template_name"}),
    (CONFIGURABLE, {"template": "debian-12"}, {"template"}),
    (CONFIGURABLE, {"hostname": "a b"}, {"hostname"}),
    (CONFIGURABLE, {"ipv4_addresses": 11}, {"ipv4_addresses"}),
    (CONFIGURABLE, {"traffic_display": 127}, {"traffic_display"}),
    (CONFIGURABLE, {"traffic_display": 129}, {"traffic_display"}),
    (CONFIGURABLE, {"backup_count": 4}, {"backup_count"}),
    (CONFIGURABLE, {"snapshot_count": 1}, {"snapshot_count"}),
    *((CONFIGURABLE, {name: value}, {name}) for name in ("ha_upgrade", "10g_upgrade") for value in ("true", 1, 0)),
    (DEDICATED, {"hostname": ..., "template": ...}, {"hostname", "template"}),
    (DEDICATED, {"ip4_count": 0}, {"ip4_count"}),
    (DEDICATED, {"ip4_count": 11}, {"ip4_count"}),
    (DEDICATED, {"ip4_count": "1"}, {"ip4_count"}),
    (DEDICATED, {"ip4_count": True}, {"ip4_count"}),
    (DEDICATED, {"ip4_count": ...}, {"ip4_count", "ip4_subnet_size"}),
    (DEDICATED, {"ip4_count": None}, {"ip4_count", "ip4_subnet_size"}),
    (DEDICATED, {"ip4_subnet_size": 29}, {"ip4_count", "ip4_subnet_size"}),
    (DEDICATED, {"ip4_count": ..., "ip4_subnet_size": 24}, {"ip4_subnet_size"}),
    (DEDICATED, {"ip4_count": ..., "ip4_subnet_size": 30}, {"ip4_subnet_size"}),
    (DEDICATED, {"ip6_subnet_size": 47}, {"ip6_subnet_size"}),
    (DEDICATED, {"ip6_subnet_size": 65}, {"ip6_subnet_size"}),
    (DEDICATED, {"ip6_subnet_size": None}, {"ip6_subnet_size"}),
    (DEDICATED, {"existing_l2vpn": "vlan-1"}, {"existing_l2vpn"}),
    (DEDICATED, {"existing_l2vpn": None}, {"existing_l2vpn"}),
    (DEDICATED, {"existing_l2vpn": data.FOREIGN_L2VPN}, {"existing_l2vpn"}),
    (DEDICATED, {"existing_l2vpn": data.L2VPN}, {"existing_l2vpn"}),
    (WEBHOSTING, {"hostname": "a"}, {"hostname"}),
    (DOMAIN, {"domain": ..., "action": ...}, {"domain", "action"}),
    (DOMAIN, {"domain": "customer"}, {"domain"}),
    (DOMAIN, {"domain": "customer.example\n"}, {"domain"}),
    (DOMAIN, {"domain": "192.0.2.1"}, {"domain"}),
    (DOMAIN, {"action": "renew"}, {"action"}),
    (DOMAIN, {"action": "Register"}, {"action"}),
    (DOMAIN, {"authcode": 12345}, {"authcode"}),
    (DOMAIN, {"nameservers": ""}, {"nameservers"}),
    (DOMAIN, {"nameservers": ["ns1.customer.example"]}, {"nameservers"}),
    (DOMAIN, {"nameservers": "ns1.customer.example,ns2.customer.example"}, {"nameservers"}),
    (DOMAIN, {"ownercData": ...}, {"ownercRef"}),
    (DOMAIN, {"ownercRef": data.OWNER_CONTACT}, {"ownercRef"}),
    (DOMAIN, {"ownercData": ..., "ownercRef": data.ADMIN_CONTACT}, {"ownercRef"}),
    (DOMAIN, {"ownercData": ..., "ownercRef": data.FOREIGN_OWNER_CONTACT}, {"ownercRef"}),
    (DOMAIN, {"admincRef": ...}, {"admincRef"}),
    (DOMAIN, {"admincRef": 20001}, {"admincRef"}),
    (DOMAIN, {"admincData": examples.CONTACT_DATA}, {"admincRef"}),
    (DOMAIN, {"ownercData": examples.CONTACT}, {"ownercData"}),
    (DOMAIN, {"ownercData": ""}, {"ownercData"}),
    (DOMAIN, {"ownercData": "[]"}, {"ownercData"}),
    (DOMAIN, {"ownercData": repr(examples.CONTACT)}, {"ownercData"}),
    (DOMAIN, {"ownercData": '{"label": "a", "label": "b"}'}, {"ownercData"}),
    *(
        (DOMAIN, {"ownercData": examples.contact_data(**{name: value})}, {"ownercData"})
        for name in examples.CONTACT
        for value in ((...,) if name != "fax" else ()) + (None, 1)
    ),
    *(
        (DOMAIN, {"ownercData": examples.contact_data(**{name: ""})}, {"ownercData"})
        for name in examples.CONTACT
        if name not in ("fax", "company_name")
    ),
    *((DOMAIN, {"ownercData": examples.contact_data(country=value)}, {"ownercData"}) for value in ("DEU", "D", "D1")),
    *(
        (DOMAIN, {"ownercData": examples.contact_data(telephone=value)}, {"ownercData"})
        for value in ("49.123", "+49123", "+.123", "+49.", "+4912.123", "+49.123456789012345", "+49.12 3", "+49.1\n")
    ),
    *(
        (DOMAIN, {"ownercData": examples.contact_data(email=value)}, {"ownercData"})
        for value in ("a", "a@", "a@b c.de")
    ),
    (DOMAIN, {"ownercData": examples.contact_data(zip="1")}, {"ownercData"}),
    (DOMAIN, {"domain": "customer.swiss"}, {"ownercData"}),
]


@pytest.fixture
def plain(start_simulator: SimulatorFactory) -> Simulator:
    """A simulator in the shape whose errors are simplest to read."""
    return start_simulator("plain")


@pytest.mark.parametrize(("product_type", "changes"), ACCEPTED)
def test_accepts(plain: Simulator, product_type: str, changes: dict[str, Any]) -> None:
    settings = examples.settings(product_type, **changes)
    answer = plain.order(examples.PRODUCTS[product_type], settings)
    assert answer.status_code == 200, answer.text
    assert [order["settings"] for order in plain.orders()] == [settings]


@pytest.mark.parametrize(("product_type", "changes", "named"), REFUSED)
def test_refuses(plain: Simulator, product_type: str, changes: dict[str, Any], named: set[str]) -> None:
    answer = plain.order(examples.PRODUCTS[product_type], examples.settings(product_type, **changes))
    assert answer.status_code == 400
    assert set(answer.json()["error"]["fields"]) == named
    assert plain.orders() == []


@pytest.mark.parametrize("settings", [None, {}])
def test_webhosting_needs_no_settings(plain: Simulator, settings: dict[str, Any] | None) -> None:
    assert plain.order(data.WEBHOSTING_PRO, settings).status_code == 200


@pytest.mark.parametrize("settings", [[], "", 0, False, "{}"])
def test_settings_are_an_object(plain: Simulator, settings: Any) -> None:
    answer = plain.order(data.WEBHOSTING_PRO, settings)
    assert answer.json()["error"]["fields"] == {"settings": "This value should be an object."}


def test_null_settings_are_no_object(plain: Simulator) -> None:
    assert plain.order(data.WEBHOSTING_PRO, elements={"settings": None}).status_code == 400


def test_all_violations_are_reported_at_once(plain: Simulator) -> None:
    answer = plain.order("x", end_user="y", elements={"quantity": 2})
    assert set(answer.json()["error"]["fields"]) == {"quantity", "target", "productId"}


def test_the_l2vpn_belongs_to_the_organization_of_the_contract(plain: Simulator) -> None:
    settings = examples.settings(data.DEDICATED_SERVER, existing_l2vpn=data.L2VPN)
    assert plain.order(data.DEDICATED_FRANKFURT, settings, end_user=data.END_USER).status_code == 200
    assert plain.order(data.DEDICATED_FRANKFURT, settings, end_user=data.OTHER_END_USER).status_code == 400
    assert plain.order(data.DEDICATED_AMSTERDAM, settings, end_user=data.END_USER).status_code == 400
    assert plain.order(data.DEDICATED_FRANKFURT, settings).status_code == 400
    as_end_user = {"X-Organization-ID": data.END_USER_ORGANIZATION_ID}
    assert plain.order(data.DEDICATED_FRANKFURT, settings, **as_end_user).status_code == 200


def test_a_new_l2vpn_can_be_joined_at_its_location(plain: Simulator) -> None:
    plain.order(data.DEDICATED_AMSTERDAM, examples.settings(data.DEDICATED_SERVER), end_user=data.END_USER)
    created = plain.orders()[0]["l2vpn"]
    assert {"id": created, "location": "AMS2", "organization": data.END_USER_ORGANIZATION_ID} in plain.l2vpns()
    settings = examples.settings(data.DEDICATED_SERVER, existing_l2vpn=created)
    assert plain.order(data.DEDICATED_AMSTERDAM, settings, end_user=data.END_USER).status_code == 200
    assert plain.order(data.DEDICATED_FRANKFURT, settings, end_user=data.END_USER).status_code == 400
    assert [order["l2vpn"] for order in plain.orders()] == [created, created]


def test_the_organization_of_the_call_limits_the_ram(plain: Simulator) -> None:
    settings = examples.settings(data.CONFIGURABLE_VPS, ram=data.END_USER_ORG_MAX_RAM + 1024)
    as_end_user = {"X-Organization-ID": data.END_USER_ORGANIZATION_ID}
    assert plain.order(data.VPS_KONFIGURATOR, settings, end_user=data.END_USER).status_code == 200
    assert plain.order(data.VPS_KONFIGURATOR, settings, **as_end_user).status_code == 400
