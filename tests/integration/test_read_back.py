# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Contracts are read back without being asked: what an accident leaves is found, and nothing else changes."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import Runner
from tests.support.order_examples import settings
from tests.support.playbooks import order, vps
from tests.support.simulator_fixtures import SimulatorFactory

LIST = "/api/reseller/contracts"
HOST, DOMAIN = "web01.example.org", "example.org"
UNREAD = "The service's list of contracts was not read to its end"


def domain(**options: Any) -> dict[str, Any]:
    asked = settings(data.DOMAIN, domain=DOMAIN)
    return order(**{"end_user": data.SELF, "product_type": "domain", "settings": asked, **options})


ORDERS: dict[str, dict[str, Any]] = {
    "host": vps(HOST),
    "domain": domain(),
    "end user": vps(HOST, end_user=data.END_USER),
}


@pytest.mark.parametrize("task", ORDERS.values(), ids=ORDERS)
def test_lost_answer_is_settled_with_the_first_order_of_a_ledger(
    task: dict[str, Any], runner: Runner, simulator: Simulator
) -> None:
    """The service has contracts that the ledger never saw, as those of the end user."""
    simulator.behave(of_end_users=True)
    for end_user, name in ((data.SELF, "old1"), (data.OTHER_END_USER, "old2")):
        simulator.add_contract(data.VPS_M, {"hostname": f"{name}.example.org"}, end_user=end_user, age=86400.0)
    simulator.add_contract(data.DOMAIN_DEFAULT, {"domain": "old.example"}, age=86400.0)
    simulator.arm("drop_after")
    done = runner.run(task, simulator.env, "-v").result
    (bought,) = simulator.orders()
    assert (done["changed"], done["contract_id"], done["read_back"]["read"]) == (True, bought["id"], True)
    assert "evidence" in done
    again = runner.run(task, simulator.env).result
    assert (again["changed"], again["contract_id"]) == (False, bought["id"])
    assert len(simulator.orders()) == 1


def test_lost_ledger_buys_nothing_again(runner: Runner, simulator: Simulator) -> None:
    assert runner.run([vps(HOST), domain()], simulator.env).changed == [True, True]
    shutil.rmtree(runner.ledger.parent)
    # What this user has seen is lost, too.
    env = {**simulator.env, "XDG_STATE_HOME": str(runner.folder / "another home")}
    for arguments in (("--check",), ()):
        results = runner.table([vps(HOST), domain()], env, *arguments)
        for result in results:
            assert "the service has a contract like it that the ledger lacks" in result["msg"]
            assert result["failure"]["kind"] == "duplicate"
    assert len(simulator.orders()) == len(simulator.requests("POST")) == 2


UNREADABLE: dict[str, dict[str, Any]] = {
    "forbidden": {"kind": "answer", "status": 403},
    "page": {"kind": "answer", "status": 200, "body": "<html><title>Log in</title></html>"},
    "second page": {"kind": "answer", "status": 500, "on": f"{LIST}?page=2"},
    "long": {},
    "incomplete": {},
}


@pytest.mark.parametrize("case", [*UNREADABLE, pytest.param("slow", marks=pytest.mark.full)])
def test_orders_go_where_the_list_cannot_be_read(case: str, runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("apiplatform")
    for number in range(5000 if case == "long" else 25):
        simulator.add_contract(data.VPS_M, {"hostname": f"other{number}.example.org"}, age=86400.0)
    if case == "incomplete":
        simulator.behave(repeated_page=1)
    elif case == "slow":
        simulator.arm("hold", method="GET", times=-1)
    elif case != "long":
        simulator.arm(**{"method": "GET", "on": LIST, "times": -1, **UNREADABLE[case]})
    play = runner.run([vps(HOST), vps("web02.example.org")], simulator.env, "-v")
    simulator.release()
    assert play.changed == [True, True], play.output
    assert all(result["read_back"]["read"] is False and result["read_back"]["why"] for result in play.results)
    # A new ledger, once; and -v shows why.
    assert play.output.count(UNREAD) == 1
    assert '"why": "' in play.output
    # The second task of the run does not try again.
    methods = [request.method for request in simulator.requests() if request.path == LIST]
    assert methods[methods.index("POST") :] == ["POST", "POST"]
    quiet = runner.run(vps("web03.example.org"), simulator.env)
    simulator.release()
    assert (quiet.changed, UNREAD in quiet.output, "WARNING" in quiet.output) == ([True], False, False), quiet.output
