# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Contracts are read back without being asked: what an accident leaves is found, and nothing else changes."""

from __future__ import annotations

import shutil
from typing import Any

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import each_shape
from tests.support.order_examples import settings
from tests.support.playbooks import Runner, order, vps

LIST = "/api/reseller/contracts"
HOST, DOMAIN = "web01.example.org", "example.org"
UNREAD = "The service's list of contracts was not read to its end"


def domain(**options: Any) -> dict[str, Any]:
    asked = settings(data.DOMAIN, domain=DOMAIN)
    return order(**{"end_user": data.SELF, "product_type": "domain", "settings": asked, **options})


@each_shape
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


def test_orders_go_where_the_list_cannot_be_read(runner: Runner, simulator: Simulator) -> None:
    for number in range(25):
        simulator.add_contract(data.VPS_M, {"hostname": f"other{number}.example.org"}, age=86400.0)
    simulator.arm("answer", method="GET", on=f"{LIST}?page=2", times=-1, status=500)
    play = runner.run([vps(HOST), vps("web02.example.org")], simulator.env, "-v")
    assert play.changed == [True, True], play.output
    assert all(result["read_back"]["read"] is False and result["read_back"]["why"] for result in play.results)
    # A new ledger, once; and -v shows why.
    assert play.output.count(UNREAD) == 1
    assert '"why": "' in play.output
    # The second task of the run does not try again.
    methods = [request.method for request in simulator.requests() if request.path == LIST]
    assert methods[methods.index("POST") :] == ["POST", "POST"]
    quiet = runner.run(vps("web03.example.org"), simulator.env)
    assert (quiet.changed, UNREAD in quiet.output, "WARNING" in quiet.output) == ([True], False, False), quiet.output
