# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Promises hold whoever orders, for whom, in which ledger and beside whom. See the fixture ``life``."""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Record
from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.conftest import SimulatorFactory
from tests.integration.test_contracts import read_until
from tests.support.described import service_file
from tests.support.ledgers import let_time_pass, opened
from tests.support.lives import Life
from tests.support.playbooks import Runner, vps
from tests.support.tasks import runner_for

HOSTS = ["web01.example.org", "web02.example.org", "web03.example.org"]
#: What becomes of a request, with what the simulator does for it.
ANSWERS: dict[str, dict[str, Any] | None] = {
    "accepted": None,
    "lost": {"kind": "drop_after"},
    "error, accepted": {"kind": "answer", "status": 500, "process": True},
    "error": {"kind": "answer", "status": 500},
    "rejected": {"kind": "answer", "status": 422},
}


class Story:
    """A user, a person in the portal, and whatever becomes of requests: never twice, never lost, never untrue."""

    def __init__(self, life: Life, simulator: Simulator, folder: Path, draw: Random) -> None:
        self.life, self.simulator, self.folder, self.draw = life, simulator, folder, draw
        self.by_hand: Counter[str] = Counter()
        self.said: list[str] = []

    def run(self, module: str, **options: Any) -> dict[str, Any]:
        life = self.life
        runner = runner_for(
            self.simulator.base_url,
            life.ledger,
            **life.account,
            service=service_file(self.folder, self.simulator.base_url, **life.described()),
        )
        result = runner.run(module, options)
        self.said.append(f"{module} {options}: {result.get('msg') or result.get('changed')}")
        return result

    def bought(self) -> Counter[str]:
        return Counter(order["settings"]["hostname"] for order in self.simulator.orders())

    # What happens

    def order(self, host: str, answer: str = "accepted") -> None:
        before = self.bought()[host]
        if fault := ANSWERS[answer]:
            self.simulator.arm(**fault, match={"hostname": host})
        settings = {"hostname": host, "template": "debian-12"}
        result = self.run("reseller_contract", end_user=self.life.end_user, product=data.VPS_M, settings=settings)
        self.simulator.disarm()
        compared = (result.get("read_back") or {}).get("read")
        # What somebody bought in the portal is not bought again, where the list shows it.
        assert not (compared and self.by_hand[host] and self.bought()[host] > before)

    def some_order(self) -> None:
        self.order(self.draw.choice(HOSTS), self.draw.choice([*ANSWERS]))

    def by_portal(self) -> None:
        host = self.draw.choice(HOSTS)
        # What is in doubt may be what a person bought.
        if not (self.by_hand[host] or host in self.records()):
            settings, of = {"hostname": host, "template": "debian-12"}, self.life
            self.simulator.add_contract(data.VPS_M, settings, end_user=of.end_user, own=of.own_organization, age=3600.0)
            self.by_hand[host] += 1

    def organization_is_told_or_not(self) -> None:
        self.life = replace(self.life, is_told=not self.life.is_told)

    def settle_by_list(self) -> None:
        self.run("reseller_reconcile")

    def settle_by_person(self) -> None:
        """A person who looks the contracts up in the portal."""
        ids = {order["settings"]["hostname"]: order["id"] for order in self.simulator.orders()}
        for host in [host for host, record in self.records().items() if record.status == "in_doubt"]:
            outcome = {"state": "present", "contract_id": ids[host]} if host in ids else {"state": "absent"}
            self.run("reseller_record", name=host, **outcome)

    # What is so

    def records(self) -> dict[str, Record]:
        with opened(self.life.ledger, "read") as ledger:
            return {each.name: each for each in ledger.select(Filter())}

    def check(self) -> None:
        bought, contracts = self.bought(), {order["id"]: order for order in self.simulator.orders()}
        assert max(bought.values(), default=0) <= 1, self.said
        records = self.records()
        for host, record in records.items():
            assert record.status != "ordered" or bought[host], self.said
            if record.status == "ordered" and record.outcome.contract_id:
                contract = contracts[record.outcome.contract_id]
                found = contract["settings"]["hostname"], contract["organization"]
                assert found == (host, self.life.organization), self.said
        # Whatever was bought is recorded, or may have been.
        lost = [host for host in bought if records[host].status not in ("ordered", "in_doubt", "pending")]
        assert lost == [], self.said

    def tell(self, events: int) -> None:
        happen = [self.some_order] * 4 + [self.by_portal, self.settle_by_list, self.settle_by_person]
        for _event in range(events):
            self.draw.choice([*happen, self.organization_is_told_or_not])()
            self.check()
        self.settle_by_person()
        for host in HOSTS:
            self.order(host)
            self.check()
            assert self.bought()[host] + self.by_hand[host] >= 1, self.said


@pytest.mark.parametrize("number", [*range(6), *(pytest.param(n, marks=pytest.mark.full) for n in range(6, 150))])
def test_things_are_bought_once_whatever_a_life_is_like(
    life: Life, start_simulator: SimulatorFactory, tmp_path: Path, number: int
) -> None:
    draw = Random(f"{number} {life.end_user} {life.own_organization}")
    simulator = start_simulator(draw.choice(["apiplatform", "plain", "laravel"]))
    Story(life, simulator, tmp_path, draw).tell(events=8)


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("number", [0, *(pytest.param(n, marks=pytest.mark.full) for n in range(1, 6))])
def test_order_of_a_killed_run_is_not_sent_by_one_beside_it(
    life: Life, runner: Runner, start_simulator: SimulatorFactory, number: int, apart: bool
) -> None:
    """In one machine, or each in a container of its own, where the process IDs of both are 1."""
    life = replace(life, apart=apart)
    simulator = start_simulator("apiplatform")
    simulator.arm("hold", match={"hostname": HOSTS[0]})
    env = life.env(simulator, runner.folder)
    task = vps(HOSTS[0], end_user=life.end_user)
    user = runner.within("first")
    first = life.start(user, env, user.write(task))
    simulator.wait(held=1)
    second = life.start(runner, env, runner.write(task))
    said = read_until(second, "Waiting until")
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    simulator.release()
    with opened(life.ledger) as ledger:
        let_time_pass(ledger, HOSTS[0])
    result = runner.finish(second).result
    first.communicate()
    assert len(simulator.requests("POST")) == 1
    assert (result.get("order") or {}).get("status") in ("ordered", "in_doubt"), (said, result)
