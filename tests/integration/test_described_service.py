# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A described service: connect shows what is known and writes the file, and a file alone explains an odd service."""

from __future__ import annotations

import pytest

from playbooks.files.simulator import data
from tests.conftest import LEARNED, SimulatorFactory
from tests.support.described import connect_once, house, service_file
from tests.support.playbooks import Runner

CONNECT = "connect"


@pytest.mark.full
@pytest.mark.parametrize("shape", LEARNED)
def test_connect_shows_and_writes_the_file_once(runner: Runner, start_simulator: SimulatorFactory, shape: str) -> None:
    simulator = start_simulator(shape)
    env = {**simulator.env, "XDG_CONFIG_HOME": str(runner.folder / "config")}
    shown = runner.playbook(CONNECT, env)
    assert f"order.end_user: '{simulator.end_user_element}' (from the OpenAPI document)" in shown.output
    assert "Lines for" in shown.output
    assert not (runner.folder / "config").exists()
    connect_once(runner, env, simulator.base_url)


def test_file_alone_explains_a_service_in_words_of_its_own(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("house")
    env = {**simulator.env, "RESELLER_SERVICE": service_file(runner.folder, simulator.base_url, **house())}
    order = {
        "hosting.reseller.reseller_contract": {
            "end_user": data.END_USER,
            "product": "VPS M",
            "settings": {"hostname": "web01.example.org", "template": "debian-12"},
        }
    }
    assert runner.run([order], env).result["changed"]
    assert not runner.run([order], env).result["changed"]
    assert [each["body"]["f01"] for each in simulator.orders()] == [data.END_USER]
    shown = runner.playbook(CONNECT, env)
    assert (
        "contracts.hostname: 'merkmale.hostname' (from the file, proven). It permits: all that it is for."
        in shown.output
    )
