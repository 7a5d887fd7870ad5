# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of the API specification's sections 2.4, 4.3 and 8 in orders: a value at each bound, and one past it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.examples import CONTACT, PRODUCTS, settings
from tests.simulator.fixtures import SimulatorFactory
from tests.support.playbooks import order

LABEL_63 = "a" * 63
NAME_253 = ".".join([LABEL_63, LABEL_63, LABEL_63, "b" * 61])

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


@pytest.mark.full
def test_org_max_ram_is_the_upper_bound_of_ram(runner: Runner, start_simulator: SimulatorFactory) -> None:
    """Section 8: a value of each organization. From the option, else from the catalogue, else not checked here."""
    telling, silent = start_simulator("plain"), start_simulator("plain", hide_org_max_ram=True)

    def sized(ram: int, **options: Any) -> dict[str, Any]:
        asked = settings(data.CONFIGURABLE_VPS, ram=ram)
        return order(end_user=data.SELF, product_type="configurable_vps", settings=asked, **options)

    limit = data.ORG_MAX_RAM
    listed = [sized(8192, org_max_ram=8192), sized(9216, org_max_ram=8192), sized(limit), sized(limit + 1024)]
    results = runner.table(listed, telling.env, "--check")
    assert [result["changed"] for result in results] == [True, False, True, False]
    assert all("ram" in result["msg"] for result in results if not result["changed"])
    assert f"{limit}" in results[3]["msg"]
    results = runner.table([sized(4 * limit), sized(9216, org_max_ram=8192)], silent.env, "--check")
    assert [result["changed"] for result in results] == [True, False]
