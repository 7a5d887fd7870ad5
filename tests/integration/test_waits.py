# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting for contracts in playbooks: what is left where the wait is cut off, and the roles' options for it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import in_shape
from tests.integration.test_contracts import read_until
from tests.support import playbooks
from tests.support.described import PLAIN, service_file
from tests.support.order_examples import CONTACT
from tests.support.playbooks import Runner, stack, vps

HOST, LIST = "web01.example.org", "/api/reseller/contracts"
SAID = {
    "contracts": {**PLAIN, "path": LIST, "next": None, "domain": "settings.domain", "address": "ips.*"}
    | {"state": "state.name", "ready": ["active"], "failed": ["failed"], "ended": ["cancelled"]},
    "end_users": {"shop": {"id": data.END_USER, "organization_id": data.END_USER_ORGANIZATION_ID}},
}

pytestmark = in_shape("plain")


@pytest.fixture
def env(runner: Runner, simulator: Simulator) -> dict[str, str]:
    return {**simulator.env, "RESELLER_SERVICE": service_file(runner.folder, simulator.base_url, **SAID)}


@pytest.mark.parametrize(
    ("kill", "number"),
    [
        pytest.param(os.killpg, signal.SIGINT, id="Ctrl-C"),
        pytest.param(os.killpg, signal.SIGTERM, id="ended-job", marks=pytest.mark.full),
        pytest.param(os.kill, signal.SIGKILL, id="killed"),
        pytest.param(os.killpg, signal.SIGKILL, id="killed-as-a-whole", marks=pytest.mark.full),
    ],
)
def test_wait_that_is_cut_off_leaves_an_ordered_contract_and_says_so(
    runner: Runner, simulator: Simulator, env: dict[str, str], kill: Callable[[int, int], None], number: int
) -> None:
    simulator.behave(ready_reads=1_000_000)
    task = vps(HOST, wait=True, wait_timeout=600)
    process = runner.start(env, runner.write(task, ignore_errors=False))
    said = read_until(process, "Waiting for a state")
    kill(process.pid, number)
    process.communicate(timeout=playbooks.TIMEOUT)
    contract = simulator.orders()[0]["id"]
    assert f"Ordered: {HOST} (contract {contract}). Waiting for a state that is one of active, at most 600 s" in said
    assert process.returncode not in (0, None)
    # The next run waits on, and orders nothing.
    simulator.behave()
    again = runner.run(task, env).result
    assert (again["changed"], again["contract_state"], again["contract_id"]) == (False, "active", contract)
    assert len(simulator.orders()) == 1


ROLES: dict[str, dict[str, Any]] = {
    "customer_stack": {"inline": stack(HOST, end_user="shop")},
    "dedicated_server": {"end_user": "shop", "product": "Dedicated Server E-2388", "template": "debian-12"}
    | {"ip4_count": 1, "servers": [{"hostname": "db01.example.org"}]},
    "web_presence": {"end_user": "shop", "domain": "example.org", "product": "Webhosting Start", "contact": CONTACT},
}


def included(name: str, **options: Any) -> dict[str, Any]:
    given = {f"{name}_{option}": value for option, value in {**ROLES[name], **options}.items()}
    return {"ansible.builtin.include_role": {"name": f"hosting.reseller.{name}"}, "vars": given}


@pytest.mark.parametrize(
    "name", ["customer_stack", *(pytest.param(each, marks=pytest.mark.full) for each in [*ROLES][1:])]
)
def test_roles_wait_until_all_contracts_are_ready(
    runner: Runner, simulator: Simulator, env: dict[str, str], name: str
) -> None:
    simulator.behave(ready_reads=1)
    show = {"ansible.builtin.debug": {"msg": f"{{{{ {name}_results | map(attribute='contract_state') | list }}}}"}}
    # A role that handed on no wait would show no state, and one without its limit would wait for half an hour.
    done = runner.run([included(name, wait=True, wait_timeout=120), show], env, ignore_errors=False)
    assert done.status == 0, done.output
    assert {*done.results[-1]["msg"]} == {"active"}
    simulator.behave(ready_reads=1_000_000)
    late = runner.run([included(name, wait=True, wait_timeout=1)], env, ignore_errors=False)
    assert "It was waited for 1 seconds." in late.output
    assert late.status != 0
