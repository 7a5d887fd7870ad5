# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting until ordered contracts are ready, by the states that the service's file gives."""

from __future__ import annotations

from typing import Any, cast

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts import waiting
from ansible_collections.hosting.reseller.plugins.module_utils._core.clocks import Clocks
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ServiceError
from playbooks.files.simulator import data
from tests.support.described import PLAIN
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, VPS, Bench, Ran, vps

pytestmark = FOR_OWN

HOST, LIST = "web01.example.org", "/api/reseller/contracts"
STATES = {
    **PLAIN,
    "path": LIST,
    "next": None,
    "state": "state.name",
    "ready": ["active"],
    "failed": ["failed"],
    "ended": ["cancelled"],
    "address": "ips.*",
}
END_USERS = {"customer-4711": {"id": data.END_USER, "organization_id": data.END_USER_ORGANIZATION_ID}}


def described(bench: Bench, **contracts: Any) -> str:
    said = {name: each for name, each in {**STATES, **contracts}.items() if each is not ...}
    return bench.described(contracts=said, end_users=END_USERS)


def waited(bench: Bench, check: bool = False, **options: Any) -> Ran:
    service = options.pop("service", None) or described(bench)
    given = {"service": service, "wait": True, "wait_timeout": 30, "product": VPS, "end_user": "__self__"}
    return bench.run("reseller_contract", check, **{**given, **vps(HOST), **options})


#: How each module requests one server.
MODULES: dict[str, dict[str, Any]] = {
    "reseller_contract": {"end_user": "__self__", "product": VPS, **vps(HOST)},
    "reseller_contracts": {"contracts": [{"end_user": "__self__", "product": VPS, **vps(HOST)}]},
    "reseller_stack": {
        "stack": {
            "end_user": "__self__",
            "contracts": {"vps": [{"product": VPS, "hostname": HOST, "template": "debian-12"}]},
        }
    },
}
each_module = pytest.mark.parametrize("module", MODULES)


def waited_by(module: str, bench: Bench, check: bool = False, **options: Any) -> tuple[Ran, dict[str, Any]]:
    """Run a module, and return the result of its one order, too."""
    service = options.pop("service", None) or described(bench)
    given = {"service": service, "wait": True, "wait_timeout": 30, **MODULES[module], **options}
    ran = bench.run(module, check, **given)
    return ran, ran.result if module == "reseller_contract" else next(iter(ran.result.get("results", [])), {})


def test_task_waits_until_the_state_is_ready(bench: Bench) -> None:
    bench.service.behave(ready_reads=4)
    ran = waited(bench)
    assert not ran.failed, ran.msg
    assert (ran["changed"], ran["contract_state"]) == (True, "active")
    assert ran["address"] == ran["contract"]["ips"][0]
    assert bench.reads(LIST) > 4


@each_module
def test_recorded_order_is_waited_for_in_a_later_run(bench: Bench, module: str) -> None:
    bench.order(HOST)
    bench.service.behave(ready_reads=2)
    ran, order = waited_by(module, bench)
    assert (ran.failed, ran["changed"], order["contract_state"]) == (False, False, "active")
    assert order["address"] == "203.0.113.2"


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_state_of_failure_fails_the_task_at_once_and_the_order_stays(bench: Bench, state: str) -> None:
    bench.order(HOST)
    bench.service.change_contract(bench.ids[0], state={"name": state})
    ran = waited(bench)
    assert ran["failure"]["kind"] == "contract_failed"
    assert f"The contract of {HOST} failed: state.name: {state}." in ran.msg
    assert (ran["contract_state"], ran["contract_id"], ran["order"]["status"]) == (state, bench.ids[0], "ordered")


def test_time_out_leaves_an_ordered_contract_and_says_so(bench: Bench) -> None:
    bench.service.behave(ready_reads=999)
    ran = waited(bench, wait_timeout=1)
    assert ran["failure"]["kind"] == "not_ready"
    assert f"is not ready yet: state.name: provisioning.\nOrder {HOST} is ordered as contract {bench.ids[0]}" in ran.msg
    assert "It was waited for 1 seconds" in ran.msg
    assert (ran["changed"], bench.records()[HOST].status) == (True, "ordered")


def test_order_without_id_fails_with_the_line_that_records_it(bench: Bench) -> None:
    bench.service.arm("answer", method="POST", status=202, body="", process=True)
    ran = waited(bench, read_back=False)
    assert ran["failure"]["kind"] == "not_ready"
    assert "does not have its contract's ID" in ran.msg
    assert "reseller_record" in ran.msg
    assert (ran["changed"], bench.records()[HOST].status) == (True, "ordered")


@each_module
@pytest.mark.parametrize("lacking", ["state", "ready"])
def test_wait_without_given_states_is_refused_before_anything_is_sent(bench: Bench, module: str, lacking: str) -> None:
    ran, _order = waited_by(module, bench, service=described(bench, **{lacking: ...}))
    assert ran.failed
    assert f"wait needs contracts.{lacking} in the service's file. Nothing was sent." in ran.msg
    assert bench.sent == 0


@each_module
def test_wait_without_a_list_is_refused_before_anything_is_sent(bench: Bench, module: str) -> None:
    bench.service.behave(list_status=403)
    ran, _order = waited_by(module, bench)
    assert ran.failed
    assert "wait needs the list of contracts, which cannot be read. Nothing was sent." in ran.msg
    assert bench.sent == 0


def test_wait_for_a_stranger_is_refused_before_anything_is_sent(bench: Bench) -> None:
    stranger = waited(bench, end_user=data.OTHER_END_USER)
    assert "is not known, so its contracts are not read" in stranger.msg
    assert bench.sent == 0


@each_module
def test_check_mode_says_what_it_would_wait_for(bench: Bench, module: str) -> None:
    _ran, order = waited_by(module, bench, check=True)
    assert order["waits_for"] == "a state that is one of active, at most 30 seconds"
    assert bench.sent == 0


def test_one_list_serves_many_contracts(bench: Bench) -> None:
    bench.service.behave(ready_reads=9)
    hosts = [f"web{number}.example.org" for number in range(5)]
    before = bench.reads(LIST)
    ran = bench.batch(*hosts, service=described(bench), wait=True, wait_timeout=600)
    assert not ran.failed, ran.msg
    assert [each["contract_state"] for each in ran["results"]] == ["active"] * 5
    assert bench.reads(LIST) - before < 20


def test_stack_waits_for_an_end_user(bench: Bench) -> None:
    bench.service.behave(ready_reads=2)
    stack = {
        "end_user": "customer-4711",
        "contracts": {"vps": [{"product": VPS, "hostname": HOST, "template": "debian-12"}]},
    }
    ran = bench.run("reseller_stack", stack=stack, service=described(bench), wait=True, wait_timeout=30)
    assert not ran.failed, ran.msg
    assert ran["results"][0]["contract_state"] == "active"


def test_failed_contract_of_many_fails_the_task_and_all_stay_ordered(bench: Bench) -> None:
    bench.service.behave(ready_reads=999, failed_products=[data.VPS_L])
    contracts = [vps("web01.example.org"), vps("db01.example.org", product=data.VPS_L)]
    ran = bench.batch(contracts=contracts, service=described(bench), wait=True, wait_timeout=30)
    assert ran["failure"]["kind"] == "contract_failed"
    assert "The contract of db01.example.org failed: state.name: failed." in ran.msg
    assert {each.status for each in bench.records().values()} == {"ordered"}
    assert [each["changed"] for each in ran["results"]] == [True, True]


class RefusedLists:
    """Lists that the service refuses to show."""

    def __init__(self, error: ServiceError) -> None:
        self.error = error

    def own_list(self, _end_user: str) -> Any:
        raise self.error


@pytest.mark.parametrize(
    ("status", "retry_after", "became", "pauses"),
    [(429, 600.0, "waiting", [600.0]), (429, None, "waiting", [waiting.FIRST_PAUSE]), (403, None, "unread", [])],
)
def test_list_that_is_refused_is_read_again_when_the_service_says_or_not(
    status: int, retry_after: float | None, became: str, pauses: list[float]
) -> None:
    slept, lists = list[float](), RefusedLists(ServiceError("No.", status=status, retry_after=retry_after))
    awaited = {0: waiting.AwaitedContract("1", "__self__")}
    looks = waiting.wait_until_ready(
        awaited,
        lambda _users: cast(Any, lists),
        1000,
        Clocks(),
        slept.append,
        lambda: bool(slept),
        keep_going=False,
    )
    assert (looks[0].status, slept) == (became, pauses)
