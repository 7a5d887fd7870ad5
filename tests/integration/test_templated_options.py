# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that come out of templates."""

from __future__ import annotations

from typing import Any

from playbooks.files.simulator import data
from tests.integration.conftest import Runner
from tests.support.order_examples import settings
from tests.support.playbooks import order
from tests.support.simulator_fixtures import SimulatorFactory


def messages(results: list[dict[str, Any]]) -> str:
    return "\n".join(str(result.get("msg", "")) for result in results)


def test_templates_give_numbers_and_booleans(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("apiplatform")
    templated = settings(
        data.CONFIGURABLE_VPS,
        cpu_cores="{{ cores }}",
        ram="{{ 4 * 1024 }}",
        disk_size="{{ '80' }}",
        password="{{ '0123456' }}",
        ipv4_addresses="{{ [1, 2] | length }}",
        backup_count="{{ cores | int + 3 }}",
        ha_upgrade="{{ 'yes' }}",
        **{"10g_upgrade": "{{ 1 == 2 }}"},
    )
    configured = {"end_user": "{{ user }}", "product_type": "{{ 'configurable' ~ '_vps' }}"}
    tasks = [
        order(settings=templated, **configured),
        order(settings={**templated, "hostname": "b", "ram": "{{ 4 * 1024.0 }}"}, **configured),
        order(settings="{{ all_of_them }}", **configured),
    ]
    variables = {"cores": "4", "user": data.SELF, "all_of_them": {**templated, "hostname": "c"}}
    results = runner.run(tasks, simulator.env, vars=variables).results
    assert [result["changed"] for result in results] == [True, False, True], messages(results)
    assert "settings.ram" in results[1]["msg"]
    assert "in a template add | int" in results[1]["msg"]
    for placed in simulator.orders():
        expected = {"cpu_cores": 4, "ram": 4096, "disk_size": 80, "password": "0123456", "ipv4_addresses": 2}
        expected |= {"backup_count": 7, "ha_upgrade": True, "10g_upgrade": False}
        assert {name: placed["settings"][name] for name in expected} == expected
        assert [type(placed["settings"][name]) for name in expected] == [type(value) for value in expected.values()]
