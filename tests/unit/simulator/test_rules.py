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
SIZES = ("cpu_cores", "ram", "disk_size", "ipv4_addresses", "traffic_display", "backup_count", "snapshot_count")

#: Values at their bounds; what the answer to an order names is what is wrong, so one order has many of them.
ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    (VPS, {"hostname": LABEL}),
    (VPS, {"hostname": NAME_253, "template": data.OS_TEMPLATE}),
    (CONFIGURABLE, dict(zip(SIZES, (1, 1024, 10, 1, 128, 5, 2), strict=True)) | {"username": "abc", "password": "x"}),
    (
        CONFIGURABLE,
        dict(zip(SIZES, (10, data.ORG_MAX_RAM, 1000, 10, 128_000, 500, 200), strict=True)) | {"username": "Z9" * 16},
    ),
    (CONFIGURABLE, {"ha_upgrade": True, "10g_upgrade": True}),
    (DEDICATED, {"ip4_count": 1, "ip6_subnet_size": 48}),
    (DEDICATED, {"ip4_count": 10, "ip6_subnet_size": 64, "existing_l2vpn": data.SELF_L2VPN}),
    (DEDICATED, {"ip4_count": ..., "ip4_subnet_size": 25, "ip6_subnet_size": ...}),
    (DEDICATED, {"ip4_count": None, "ip4_subnet_size": 29}),
    (DOMAIN, {"action": "transfer", "authcode": "s3cret", "nameservers": "ns1.customer.example"}),
    (DOMAIN, {"nameservers": "ns1.customer.example ns2.customer.example"}),
    (DOMAIN, {"ownercData": ..., "ownercRef": data.OWNER_CONTACT}),
    (DOMAIN, {"admincRef": ..., "admincData": examples.CONTACT_DATA}),
    (DOMAIN, {"ownercData": examples.contact_data(fax=..., company_name="", telephone="+1.5")}),
    (DOMAIN, {"ownercData": examples.contact_data(telephone="+423.12345678901234")}),
    (DOMAIN, {"domain": "customer.swiss", "ownercData": examples.contact_data(country="CH")}),
]

#: Product type, and the settings that are wrong: each of them has to be named. ``...`` leaves one out.
REFUSED: list[tuple[str, dict[str, Any]]] = [
    *((kind, dict.fromkeys(("hostname", "template"), value)) for kind in (VPS, DEDICATED) for value in (..., None, "")),
    *(
        (VPS, {"hostname": hostname})
        for hostname in (
            *(LABEL + "a", NAME_253 + "a", "-a.example", "a-.example", "a..example", "a.example\n", "a_b.example"),
            *("müller.example", 12),
        )
    ),
    (VPS, {"template": "debian-1", "template_name": "debian-12"}),
    *((CONFIGURABLE, dict.fromkeys(examples.SETTINGS[CONFIGURABLE], value)) for value in (..., None)),
    *((CONFIGURABLE, dict.fromkeys(SIZES, value)) for value in ("1024", True, 1024.0, 0)),
    (CONFIGURABLE, dict(zip(SIZES, (11, 1025, 1010, 11, 129, 4, 1), strict=True)) | {"username": "ab"}),
    (CONFIGURABLE, {"ram": data.ORG_MAX_RAM + 1024, "disk_size": 11, "traffic_display": 127, "username": "a" * 33}),
    (CONFIGURABLE, {"username": "ab-c", "password": "", "template_name": "debian-11", "template": "debian-12"}),
    *((CONFIGURABLE, {"username": "ab²", "password": 12345, "ha_upgrade": value}) for value in ("true", 1)),
    *((DEDICATED, {"ip4_count": value}) for value in (0, 11, "1", True)),
    (DEDICATED, {"ip6_subnet_size": 47, "existing_l2vpn": "vlan-1"}),
    (DEDICATED, {"ip6_subnet_size": 65, "existing_l2vpn": None}),
    (DEDICATED, {"existing_l2vpn": data.FOREIGN_L2VPN}),
    (WEBHOSTING, {"hostname": "a"}),
    (DOMAIN, {"domain": ..., "action": ...}),
    (DOMAIN, {"domain": "customer", "action": "Register", "authcode": 12345, "nameservers": ""}),
    (DOMAIN, {"domain": "customer.example\n", "nameservers": "ns1.customer.example,ns2.customer.example"}),
    (DOMAIN, {"domain": "192.0.2.1", "nameservers": ["ns1.customer.example"], "admincRef": 20001}),
    *((DOMAIN, {"ownercData": value}) for value in (examples.CONTACT, "", "[]", '{"label": "a", "label": "b"}')),
    *(
        (DOMAIN, {"ownercData": examples.contact_data(**{name: value})})
        for name in examples.CONTACT
        for value in (1, "")
        if value or name not in ("fax", "company_name")
    ),
    *(
        (DOMAIN, {"ownercData": examples.contact_data(**changes)})
        for changes in (
            *({"label": ...}, {"label": None}, {"zip": "1"}, {"country": "DEU"}, {"country": "D1"}, {"email": "a"}),
            *({"email": "a@b c.de"}, {"telephone": "+49123"}, {"telephone": "+49."}, {"telephone": "+4912.123"}),
            *({"telephone": "+49.123456789012345"}, {"telephone": "+49.1\n"}),
        )
    ),
]

#: Settings of which one that is wrong puts another one in the wrong.
REFUSED_TOGETHER: list[tuple[str, dict[str, Any], set[str]]] = [
    (DEDICATED, {"ip4_count": ...}, {"ip4_count", "ip4_subnet_size"}),
    (DEDICATED, {"ip4_subnet_size": 29}, {"ip4_count", "ip4_subnet_size"}),
    (DEDICATED, {"ip4_count": ..., "ip4_subnet_size": 24}, {"ip4_subnet_size"}),
    (DEDICATED, {"ip4_count": ..., "ip4_subnet_size": 30}, {"ip4_subnet_size"}),
    (DOMAIN, {"ownercData": ...}, {"ownercRef"}),
    (DOMAIN, {"ownercRef": data.OWNER_CONTACT}, {"ownercRef"}),
    (DOMAIN, {"ownercData": ..., "ownercRef": data.ADMIN_CONTACT}, {"ownercRef"}),
    (DOMAIN, {"ownercData": ..., "ownercRef": data.FOREIGN_OWNER_CONTACT}, {"ownercRef"}),
    (DOMAIN, {"admincRef": ...}, {"admincRef"}),
    (DOMAIN, {"admincData": examples.CONTACT_DATA}, {"admincRef"}),
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


@pytest.mark.parametrize(
    ("product_type", "changes", "named"),
    [*((kind, changes, {*changes}) for kind, changes in REFUSED), *REFUSED_TOGETHER],
)
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
