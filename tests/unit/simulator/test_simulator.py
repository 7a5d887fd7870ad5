# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of the interface's description, which a lenient simulator would let anybody break: what is accepted at a
bound and refused just past it, who may order for whom, and what is processed of a request that a fault hits."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator import data, examples
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator

CONFIGURABLE, DEDICATED, DOMAIN = data.CONFIGURABLE_VPS, data.DEDICATED_SERVER, data.DOMAIN

#: A contact with one field twice, and one with a wrong address.
TWICE = examples.CONTACT_DATA.replace("{", '{"label":"other",', 1)
MISSPELT = examples.contact_data(email="a@b c.de")

#: Settings, and those of them that are wrong. ``...`` leaves one out.
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
    *((DOMAIN, {"ownercData": value}, {"ownercData"}) for value in (examples.CONTACT, "", "[]", TWICE, MISSPELT)),
]


@pytest.fixture
def plain(start_simulator: SimulatorFactory) -> Simulator:
    """A simulator in the shape whose errors are simplest to read."""
    return start_simulator("plain")


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
    simulator, json = start_simulator("apiplatform"), "application/json"
    for accept, status in (("*/*", 201), (f"{json}, */*;q=0.1", 201), (json, 406)):
        assert simulator.order(data.WEBHOSTING_START, Accept=accept).status_code == status, accept
    assert simulator.order(data.WEBHOSTING_START, **{"Content-Type": json}).status_code == 415
    assert len(simulator.orders()) == 2
