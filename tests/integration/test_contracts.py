# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many orders in one task: planned and validated as a whole, approved, placed once each, and stopped without loss."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter
from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.examples import settings
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.support import playbooks

#: What all orders here share.
SHARED = {"end_user": data.END_USER, "product": "VPS M", "settings": {"template": data.OS_TEMPLATE}}


@pytest.fixture
def simulator(start_simulator: SimulatorFactory) -> Simulator:
    return start_simulator("apiplatform")


def many(hostnames: Sequence[str], **options: Any) -> dict[str, Any]:
    """A task that orders a VPS for each host name."""
    contracts = [{"settings": {"hostname": name}} for name in hostnames]
    return {
        "name": "Order many",
        "hosting.reseller.reseller_contracts": {"defaults": SHARED, "contracts": contracts, **options},
    }


def hosts(count: int) -> list[str]:
    return [f"web{number:03}.customer.example" for number in range(count)]


def hostnames(simulator: Simulator) -> list[str]:
    return sorted(order["settings"]["hostname"] for order in simulator.orders())


def recorded(runner: Runner) -> dict[str, str]:
    """The status of each order in the ledger, by name."""
    with open_ledger(location_of(str(runner.ledger), {}), writing=False) as ledger:
        return {record.name: record.status for record in ledger.select(Filter())}


def start(runner: Runner, task: dict[str, Any], env: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a playbook with this task."""
    path = playbooks.write_playbook(runner.folder, [task], ignore_errors=False, play={})
    return playbooks.start(runner.folder, env, str(path))


def test_each_is_placed_once_and_reported_in_the_order_given(runner: Runner, simulator: Simulator) -> None:
    names = [*hosts(20)[::-1], "aaa.customer.example"]
    first = runner.run(many(names, concurrency=8), simulator.env).result
    assert first["changed"]
    assert [result["name"] for result in first["results"]] == names
    assert [entry["name"] for entry in first["plan"]] == names
    assert {entry["action"] for entry in first["plan"]} == {"order"}
    assert first["counts"] == {"ordered": 21, "unchanged": 0, "failed": 0, "in_doubt": 0, "not_sent": 0}
    ids = {order["settings"]["hostname"]: order["id"] for order in simulator.orders()}
    assert {result["name"]: result["contract_id"] for result in first["results"]} == ids
    assert len(simulator.orders()) == 21

    simulator.reset()
    again = runner.run(many(names), simulator.env).result
    assert not again["changed"]
    assert [result["contract_id"] for result in again["results"]] == [ids[name] for name in names]
    assert again["counts"]["unchanged"] == 21
    assert not simulator.requests(), "the ledger answers"


def test_everything_is_validated_before_anything_is_sent(runner: Runner, simulator: Simulator) -> None:
    task = many(hosts(3))
    contracts = task["hosting.reseller.reseller_contracts"]["contracts"]
    contracts += [
        {"settings": {"hostname": "-.example", "template": "none"}},
        {"product": "VPS XXXXL", "name": "unknown product", "settings": {"hostname": "a.example"}},
        {"settings": {}},
        {"end_user": "nobody", "name": "nobody"},
    ]
    stopping = task["hosting.reseller.reseller_contracts"]
    going_on = {"hosting.reseller.reseller_contracts": {**stopping, "on_error": "continue"}}
    for result in runner.table([task, going_on], simulator.env):
        assert not result["changed"]
        assert "4 of 7 orders cannot be placed. Nothing was sent" in result["msg"]
        paths = {violation["path"] for violation in result["violations"]}
        assert {"contracts[3].settings.hostname", "contracts[3].settings.template"} <= paths
        assert [entry["action"] for entry in result["plan"]] == ["order"] * 3 + ["refused"] * 4
        for index in (4, 6):
            assert f"contracts[{index}] {result['results'][index]['msg'].splitlines()[0]}" in result["msg"]
        assert "contracts[5] settings.hostname: required" in result["msg"]
        assert result["counts"]["failed"] == 4
    assert not simulator.requests("POST")
    assert recorded(runner) == {}


def test_plan_that_is_not_allowed_sends_nothing(runner: Runner, simulator: Simulator) -> None:
    """More than max_orders, another plan than the approved one, a name or an identity twice, and one in doubt."""
    first, second, third = hosts(3)
    seen = runner.run(many(hosts(3)), simulator.env, "--check").result
    simulator.arm("error_after", match={"hostname": "doubt.example"})
    assert runner.run(many(["doubt.example"]), simulator.env).result["counts"]["in_doubt"] == 1
    approved = {"plan": seen["plan"], "plan_digest": seen["plan_digest"]}
    other = many([first, second, "new.example.com"], approved_plan=approved)
    contracts = other["hosting.reseller.reseller_contracts"]["contracts"]
    contracts[0]["settings"]["template"] = "debian-13"
    contracts[1]["end_user"] = data.SELF
    malformed = "approved_plan is not a valid plan digest. Nothing was sent."
    refused: list[tuple[dict[str, Any], str]] = [
        (many(hosts(3), max_orders=2), "3 orders, but max_orders is 2. Nothing was sent."),
        (many(hosts(2), approved_plan=seen["plan_digest"]), seen["plan_digest"]),
        (other, seen["plan_digest"]),
        *((many(hosts(1), approved_plan=each), malformed) for each in ("yes", {"plan": []}, ["plan-1:0"])),
        (many([first, first.upper()]), "is also that of contracts[0]"),
        (many([*hosts(2), "doubt.example"]), "1 of 3 orders cannot be placed. Nothing was sent"),
    ]
    for arguments in ((), ("--check",)):
        results = runner.table([task for task, _words in refused], simulator.env, *arguments)
        for result, (_task, words) in zip(results, refused, strict=True):
            assert words in result["msg"]
            assert not result["changed"]
            assert result.get("counts", {"ordered": 0})["ordered"] == 0
    assert results[2]["plan_differences"] == [
        f"{third}: approved, but no longer requested",
        f"{first}: the settings, additional elements, service or organization differ",
        f"{second}: end_user was {data.END_USER}, and is {data.SELF}",
        "new.example.com: requested now (order), but not in the approved list",
    ]
    assert [each["order"]["status"] for each in results[-1]["results"]] == ["not_sent", "not_sent", "in_doubt"]
    assert [each["action"] for each in results[-1]["plan"]] == ["order", "order", "in_doubt"]
    assert len(simulator.requests("POST")) == 1

    # The approved plan is ordered. What is there already counts as nothing and needs no approval.
    tasks = [many(hosts(3), approved_plan=seen["plan_digest"], max_orders=3) for _time in range(2)]
    done, again = runner.table(tasks, simulator.env)
    assert (done["plan_digest"], done["counts"]["ordered"]) == (seen["plan_digest"], 3)
    assert (again["plan_digest"] != seen["plan_digest"], again["counts"]["unchanged"]) == (True, 3)
    # What is in doubt is passed over where that is wanted.
    passed = runner.run(many(["doubt.example", "new.example.com"], on_error="continue"), simulator.env).result
    assert passed["counts"] == {"ordered": 1, "unchanged": 0, "failed": 0, "in_doubt": 1, "not_sent": 0}


def test_a_dry_run_shows_the_plan(runner: Runner, simulator: Simulator) -> None:
    runner.run(many(["old.example.com"]), simulator.env)
    simulator.reset()
    task = many(["old.example.com", "new.example.com"])
    task["hosting.reseller.reseller_contracts"]["contracts"].append(
        {
            "product_type": "domain",
            "product": data.DOMAIN_DEFAULT,
            "end_user": data.SELF,
            "settings": {
                "template": None,
                "domain": "new.example",
                "action": "transfer",
                "authcode": "authorised-4711",
                "ownercRef": data.OWNER_CONTACT,
                "admincRef": data.ADMIN_CONTACT,
            },
        }
    )
    play = runner.run(task, simulator.env, "--check", "--diff")
    assert play.result["changed"]
    assert play.result["counts"]["ordered"] == 2
    assert play.result["plan"][2]["billing"] == "yearly"
    assert f"+order    new.example.com: VPS M (vps) for {data.END_USER}" in play.output
    assert "+    hostname: new.example.com" in play.output
    assert "(domain, billed yearly) for __self__" in play.output
    assert " none     old.example.com" in play.output
    assert "the plan: 2 to be ordered, 1 there already" in play.output
    assert "authorised-4711" not in json.dumps(play.result) + play.output
    assert not simulator.requests("POST")
    assert set(recorded(runner)) == {"old.example.com"}


def test_secrets_are_not_in_the_digest(runner: Runner, simulator: Simulator) -> None:
    asked = {"end_user": data.END_USER, "product": data.VPS_KONFIGURATOR}
    tasks = [
        many([], contracts=[{**asked, "settings": settings(data.CONFIGURABLE_VPS, password=password)}], defaults={})
        for password in ("correct-horse-battery", "another-horse-battery")
    ]
    assert len({result["plan_digest"] for result in runner.table(tasks, simulator.env, "--check")}) == 1


def test_an_error_stops_what_was_not_begun(runner: Runner, simulator: Simulator) -> None:
    simulator.arm("status", status=422, match={"hostname": hosts(2)[1]})
    result = runner.run(many(hosts(5), concurrency=1), simulator.env).result
    assert result["changed"]
    assert result["counts"] == {"ordered": 1, "unchanged": 0, "failed": 1, "in_doubt": 0, "not_sent": 3}
    assert "1 of 5 orders failed: 1 ordered, 1 failed, 3 not sent" in result["msg"]
    assert [bool(entry.get("failed")) for entry in result["results"]] == [False, True, False, False, False]
    assert hostnames(simulator) == hosts(1)
    # The rest on the next run, which passes over what fails.
    simulator.arm("status", status=422, match={"hostname": hosts(4)[3]})
    rest = runner.run(many(hosts(5), on_error="continue"), simulator.env).result
    assert rest["counts"] == {"ordered": 3, "unchanged": 1, "failed": 1, "in_doubt": 0, "not_sent": 0}
    assert hostnames(simulator) == [*hosts(3), hosts(5)[4]]


def test_runs_side_by_side_share_the_orders(runner: Runner, simulator: Simulator) -> None:
    """Two runs of the same playbook: one contract each, whoever ordered it, and both runs report all of them."""
    names = hosts(12)
    simulator.arm("slow", times=-1, seconds=0.05)
    other = Runner(runner.folder / "other")
    other.folder.mkdir()
    env = {**simulator.env, "RESELLER_LEDGER": str(runner.ledger)}
    starters = [(each.folder, start(each, many(names, concurrency=2), env)) for each in (runner, other)]
    plays = [playbooks.finish(folder, process) for folder, process in starters]
    assert hostnames(simulator) == names
    for play in plays:
        assert not play.result.get("msg"), play.output
    counts = [play.result["counts"] for play in plays]
    assert sum(count["ordered"] for count in counts) == len(names)
    assert all(count["ordered"] + count["unchanged"] == len(names) for count in counts)
    ids = [[entry["contract_id"] for entry in play.result["results"]] for play in plays]
    assert ids[0] == ids[1]


def interrupt_all(process: subprocess.Popen[str]) -> None:
    """Ctrl-C: the terminal signals the whole process group."""
    os.killpg(process.pid, signal.SIGINT)


def terminate_all(process: subprocess.Popen[str]) -> None:
    """A service manager, or AWX, that ends a job."""
    os.killpg(process.pid, signal.SIGTERM)


def kill_one(process: subprocess.Popen[str]) -> None:
    """ansible-playbook is gone before it could tell anybody."""
    os.kill(process.pid, signal.SIGKILL)


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """What a process printed until it said this, which it has to say before it ends."""
    said = ""
    for line in process.stdout or ():
        said += line
        if words in line:
            return said
    raise AssertionError(f"it never said {words!r}:\n{said}")


FULL = pytest.mark.full
ENDS = [*(pytest.param(end, marks=FULL) for end in (interrupt_all, terminate_all)), kill_one]


@pytest.mark.every
@pytest.mark.parametrize("end", ENDS)
def test_interrupted(runner: Runner, simulator: Simulator, end: Callable[[subprocess.Popen[str]], None]) -> None:
    """Nothing new is sent, what is in flight is recorded, and a person is told what became of it all."""
    simulator.arm("hold", times=-1, when="after")
    process = start(runner, many(hosts(50), concurrency=4, timeout=300), simulator.env)
    simulator.wait(held=4)
    end(process)
    said = read_until(process, "Stopping: nothing more is sent")
    simulator.release()
    said += process.communicate(timeout=playbooks.TIMEOUT)[0]
    assert "The run was stopped by a signal: 4 ordered, 46 not sent.\nRun again to order the rest." in said
    assert process.returncode not in (0, None)
    assert len(simulator.orders()) == 4
    simulator.disarm()
    assert [*recorded(runner).values()] == ["ordered"] * 4
    again = runner.run(many(hosts(50), concurrency=16), simulator.env).result
    assert again["counts"] == {"ordered": 46, "unchanged": 4, "failed": 0, "in_doubt": 0, "not_sent": 0}
    assert hostnames(simulator) == hosts(50)


@pytest.mark.full
def test_interrupted_with_answers_that_never_come(runner: Runner, simulator: Simulator) -> None:
    simulator.arm("hold", times=-1, when="after")
    process = start(runner, many(hosts(8), concurrency=3, order_timeout=3), simulator.env)
    simulator.wait(held=3)
    interrupt_all(process)
    said = process.communicate(timeout=playbooks.TIMEOUT)[0]
    assert "The run was stopped by a signal: 3 in doubt, 5 not sent." in said
    assert [*recorded(runner).values()] == ["in_doubt"] * 3
    assert len(simulator.orders()) == 3


@pytest.mark.full
def test_one_order_is_recorded_before_the_run_ends(runner: Runner, simulator: Simulator) -> None:
    """Ctrl-C in a loop of single orders: the one on its way is recorded, the next one is not sent."""
    task = {
        "name": "Order one by one",
        "hosting.reseller.reseller_contract": {
            **SHARED,
            "settings": {"hostname": "{{ item }}", "template": data.OS_TEMPLATE},
            "timeout": 300,
        },
        "loop": hosts(3),
    }
    simulator.arm("hold", when="after")
    process = start(runner, task, simulator.env)
    simulator.wait(held=1)
    interrupt_all(process)
    read_until(process, "User interrupted execution")
    simulator.release()
    said = process.communicate(timeout=playbooks.TIMEOUT)[0]
    assert f"The order {hosts(1)[0]} is recorded: ordered." in said
    assert recorded(runner) == {hosts(1)[0]: "ordered"}
    assert hostnames(simulator) == hosts(1)
