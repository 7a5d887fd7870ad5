# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Canceling the contract of a recorded order: once, and only the one that the list shows as this order's.

What becomes of runs that are killed while they cancel is in tests/faults/canceling.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from playbooks.files.simulator import data
from tests.support.described import PLAIN
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, VPS, Bench, Ran

pytestmark = FOR_OWN

HOST, PATH = "web01.example.org", "/api/reseller/contracts/{id}"
CANCEL = {"method": "DELETE", "path": PATH}
CONTRACTS = {
    **PLAIN,
    "path": "/api/reseller/contracts",
    "total": None,
    "next": None,
    "ends_at": "cancelledTo",
    "state": "state.name",
}
ENDED = {**CONTRACTS, "ended": ["cancelled", "deleted"]}
#: A list that says that it has more.
CUT = {**ENDED, "records": "data", "total": "total"}
del CUT["next"]
USER = data.END_USER
END_USERS = {"customer-4711": {"id": USER, "organization_id": data.END_USER_ORGANIZATION_ID}}
AHEAD, PASSED = "2999-12-31", "2020-12-31"


def cancel(bench: Bench, check: bool = False, parts: dict[str, Any] | None = None, **options: Any) -> Ran:
    said = {"contracts": ENDED, "cancel": CANCEL, "end_users": END_USERS, **(parts or {})}
    service = bench.described(**{name: each for name, each in said.items() if each is not None})
    given = {"end_user": "__self__", "settings": {"hostname": HOST}, "state": "absent", "service": service}
    return bench.run("reseller_contract", check, **{**given, **options})


def again(bench: Bench, **options: Any) -> Ran:
    return bench.order(HOST, service=bench.described(contracts=ENDED, cancel=CANCEL, end_users=END_USERS), **options)


def deleted(bench: Bench) -> list[str]:
    """The organizations and paths of the requests that canceled something."""
    return [
        f"{each.headers['X-Organization-ID']} {each.path.rpartition('/')[2]}"
        for each in bench.service.requests("DELETE")
    ]


def cut(bench: Bench, *ids: str) -> None:
    """Let the list have these contracts, and say that it has more."""
    shown = [
        {"id": each, "settings": {"hostname": HOST}, "productId": VPS, "target": "__self__", "state": "active"}
        for each in ids
    ]
    body = {"data": shown, "total": 99}
    bench.service.arm("answer", method="GET", on="/api/reseller/contracts", status=200, body=body, times=-1)


def refused(ran: Ran, words: str) -> None:
    assert ran.failed
    assert words in ran.msg


def test_contract_is_canceled_once_and_the_record_says_so(bench: Bench) -> None:
    assert bench.order(HOST)["changed"]
    ran = cancel(bench)
    assert (ran.failed, ran["changed"], ran["contract_id"]) == (False, True, bench.ids[0])
    assert ran["request"]["method"] == "DELETE"
    assert deleted(bench) == [f"4200 {bench.ids[0]}"]
    record = bench.records()[HOST]
    assert record.cancelled is not None
    assert ran["cancelled"] == {**record.cancelled._asdict()}
    assert (ran["cancelled"]["by"], ran["cancelled"]["until"]) == (f"cancel {HOST} ({bench.ids[0]}, 1)", None)
    second = cancel(bench)
    assert (second.failed, second["changed"], len(deleted(bench))) == (False, False, 1)


def test_contract_of_an_end_user_is_canceled_in_its_organization(bench: Bench) -> None:
    assert again(bench, end_user="customer-4711")["changed"]
    ran = cancel(bench, end_user="customer-4711")
    assert (ran["changed"], ran["order"]["end_user_name"]) == (True, "customer-4711")
    assert deleted(bench) == [f"{data.END_USER_ORGANIZATION_ID} {bench.ids[0]}"]


def test_webhosting_is_canceled_by_its_product(bench: Bench) -> None:
    service = bench.described(contracts=ENDED, end_users=END_USERS)
    assert bench.web_hosting("shop", service=service)["changed"]
    ran = cancel(bench, name="shop", settings={}, end_user=USER, product="Webhosting Start")
    assert (ran.failed, ran["changed"]) == (False, True)


def test_check_mode_shows_the_contract_and_the_request(bench: Bench) -> None:
    bench.order(HOST)
    ran = cancel(bench, check=True)
    assert (ran["changed"], deleted(bench)) == (True, [])
    for shown in (HOST, "VPS M", bench.ids[0], "__self__"):
        assert shown in ran["diff"]["before"]
    assert f"/api/reseller/contracts/{bench.ids[0]}" in ran["diff"]["after"]
    assert bench.records()[HOST].cancelled is None


def test_body_and_method_are_those_of_the_file(bench: Bench) -> None:
    bench.order(HOST)
    bench.service.arm("answer", method="POST", on="/api/reseller/cancellations", status=200, body={"ok": True})
    said = {"method": "POST", "path": "/api/reseller/cancellations", "body": {"contracts": ["{id}"]}}
    ran = cancel(bench, parts={"cancel": said})
    assert ran["request"]["body"] == {"contracts": [bench.ids[0]]}
    assert ran["changed"]


#: What the list shows of the contract instead, what the file says instead, and what the refusal says.
NOT_ITS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "another hostname": (
        {"settings": {"hostname": "db.example.org"}},
        {},
        f"Its hostname is {HOST} in the ledger, and db.example.org in the list.",
    ),
    "another end user": ({"target": data.OTHER_END_USER}, {}, "Its end user is __self__ in the ledger"),
    "not in the list": (None, {}, "does not show it"),
    "a list that is not complete": ({}, {"contracts": CUT}, "is not complete"),
    "no cancel": (
        {},
        {"cancel": None},
        "it has no cancel. The OpenAPI document has DELETE /api/reseller/contracts/{id}.",
    ),
}


@pytest.mark.parametrize("case", NOT_ITS)
def test_nothing_is_canceled_but_what_the_list_shows_as_its(bench: Bench, case: str) -> None:
    changes, parts, words = NOT_ITS[case]
    bench.order(HOST)
    if parts.get("contracts") is CUT:
        cut(bench, bench.ids[0])
    elif changes is None:
        bench.service.behave(hidden=[bench.ids[0]])
    else:
        bench.service.change_contract(bench.ids[0], **changes)
    ran = cancel(bench, parts=parts)
    refused(ran, words)
    assert "portal" in ran.msg
    assert deleted(bench) == []
    assert bench.records()[HOST].cancelled is None


def test_pending_in_doubt_and_without_id_fail(bench: Bench) -> None:
    bench.lost(HOST)
    refused(cancel(bench), "is in doubt")
    bench.run("reseller_record", name=HOST, state="present", contract_id="unknown")
    refused(cancel(bench), "does not have its ID")
    assert deleted(bench) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"end_user": USER}, "end_user: recorded '__self__'"),
        ({"product": data.VPS_L}, "product: recorded 'VPS M'"),
        ({"name": HOST, "settings": {"hostname": "db.example.org"}}, "settings.hostname"),
        ({"settings": {}}, "not known which order is meant"),
    ],
)
def test_task_that_means_another_order_is_refused(bench: Bench, options: dict[str, Any], words: str) -> None:
    bench.order(HOST)
    ran = cancel(bench, **options)
    refused(ran, words)
    # Neither has a meaning here.
    assert "on_drift" not in ran.msg
    assert "order another one" not in ran.msg
    assert deleted(bench) == []


def test_what_is_not_recorded_is_absent_only_if_a_complete_list_shows_nothing_like_it(bench: Bench) -> None:
    ran = cancel(bench)
    assert (ran.failed, ran["changed"]) == (False, False)
    cut(bench)
    refused(cancel(bench, parts={"contracts": CUT}), "it is not known whether the service has it")
    bench.service.disarm()
    bought = bench.add(HOST)
    ran = cancel(bench)
    refused(ran, f"the service shows contract {bought}")
    assert '"state": "present"' in ran.msg
    bench.service.change_contract(bought, state={"name": "deleted"})
    assert not cancel(bench).failed


def test_what_is_not_recorded_and_named_without_a_product_is_not_told_to_be_absent(bench: Bench) -> None:
    ran = cancel(bench, name="shop", settings={})
    refused(ran, "it is not known whether the service has it.\nthe product and its type are not known")


# How it ends


@pytest.mark.parametrize(
    ("answer", "end"),
    [
        ({"status": 204}, "done"),
        ({"status": 200, "body": {"success": False}}, "in doubt"),
        ({"status": 200, "body": "<html><body>Please log in</body></html>"}, "in doubt"),
        ({"status": 409, "body": {"message": "It has a notice period."}}, "rejected"),
        ({"status": 404}, "rejected"),
        ({"status": 500}, "in doubt"),
    ],
)
def test_answer_decides(bench: Bench, answer: dict[str, Any], end: str) -> None:
    bench.order(HOST)
    bench.service.arm("answer", method="DELETE", on=f"/api/reseller/contracts/{bench.ids[0]}", times=1, **answer)
    ran = cancel(bench)
    assert (ran.failed, bench.records()[HOST].cancelled is not None) == (end != "done", end == "done")
    if end == "in doubt":
        refused(ran, "is in doubt")
        refused(cancel(bench), "is in doubt")
        refused(again(bench), "is in doubt")
    elif end == "rejected":
        assert ran["sent"]
        assert cancel(bench)["changed"]
    assert len(deleted(bench)) == (2 if end == "rejected" else 1)


def test_contract_that_is_gone_is_canceled_if_its_list_lacks_it(bench: Bench) -> None:
    bench.order(HOST)
    bench.service.arm("answer", method="DELETE", on=f"/api/reseller/contracts/{bench.ids[0]}", status=404, process=True)
    ran = cancel(bench)
    assert (ran.failed, ran["changed"], bench.records()[HOST].cancelled is not None) == (False, True, True)


@pytest.mark.parametrize("shown", [None, AHEAD])
def test_lost_answer_is_settled_by_the_list(bench: Bench, shown: str | None) -> None:
    bench.order(HOST)
    bench.service.behave(cancel_until=shown or "")
    bench.service.arm("answer", method="DELETE", on=f"/api/reseller/contracts/{bench.ids[0]}", status=500, process=True)
    ran = cancel(bench)
    assert (ran.failed, ran["changed"], ran["cancelled"]["until"]) == (False, True, shown)
    assert len(deleted(bench)) == 1


def lost(bench: Bench) -> None:
    """Cancel a contract, and lose the answer to a request that was not done."""
    bench.order(HOST)
    bench.service.arm("answer", method="DELETE", on=f"/api/reseller/contracts/{bench.ids[0]}", status=500, times=1)
    refused(cancel(bench), "is in doubt")


@pytest.mark.parametrize("by", ["the list", "a person"])
def test_cancellation_in_doubt_is_settled_by(bench: Bench, by: str) -> None:
    lost(bench)
    if by == "the list":
        bench.service.remove_contract(bench.ids[0])
    else:
        name = f"cancel {HOST} ({bench.ids[0]}, 1)"
        assert not bench.run("reseller_record", name=name, state="present").failed
        assert bench.records()[HOST].cancelled is not None
    ran = cancel(bench)
    assert (ran.failed, ran["changed"], len(deleted(bench))) == (False, False, 1)
    assert bench.records()[HOST].cancelled is not None


def test_another_list_settles_no_cancellation(bench: Bench) -> None:
    lost(bench)
    bench.service.remove_contract(bench.ids[0])
    refused(cancel(bench, parts={"contracts": {**ENDED, "id": "uuid"}}), "is in doubt")


# Ordering anew


def test_name_is_ordered_anew_once_the_contract_is_gone(bench: Bench) -> None:
    bench.order(HOST)
    assert cancel(bench)["changed"]
    ran = again(bench)
    assert (ran["changed"], ran["contract_id"]) == (True, bench.ids[1])
    assert not again(bench)["changed"]
    old = bench.records()[f"{HOST} (canceled {bench.ids[0]})"]
    assert (old.outcome.contract_id, old.cancelled and old.cancelled.replaced) == (bench.ids[0], True)
    # Another contract of the name is another request.
    assert cancel(bench)["changed"]
    assert deleted(bench) == [f"4200 {each}" for each in bench.ids]


def test_name_is_not_ordered_anew_before_its_last_day(bench: Bench) -> None:
    bench.order(HOST)
    bench.service.behave(cancel_until=AHEAD)
    assert cancel(bench)["changed"]
    ran = again(bench)
    refused(ran, f"The service shows it until {AHEAD}.")
    refused(again(bench, read_back=False), "read_back is false")
    assert bench.sent == 1
    bench.service.change_contract(bench.ids[0], cancelledTo=PASSED)
    last = again(bench)
    assert not last.failed, last.msg
    assert last["changed"]


def test_second_server_is_ordered_beside_a_canceled_one_and_explains_its_listing(bench: Bench) -> None:
    bench.order(HOST)
    bench.service.behave(cancel_until=AHEAD)
    assert cancel(bench)["changed"]
    ran = again(bench, allow_second=True)
    assert (ran["changed"], ran["contract_id"]) == (True, bench.ids[1])
    assert any("was canceled, and may not be over" in each for each in ran.warnings)
    assert again(bench, read_back=True)["contract_id"] == bench.ids[1]
    reported = bench.reconcile(service=bench.described(contracts=ENDED))
    assert reported["unrecorded"] == []


def test_rejected_order_leaves_the_canceled_record_its_name(bench: Bench) -> None:
    """A later run asks again whether the contract is over."""
    bench.order(HOST)
    bench.service.behave(cancel_until=AHEAD)
    assert cancel(bench)["changed"]
    bench.service.arm("answer", method="POST", status=422, body={"message": "No."}, times=1)
    rejected = again(bench, allow_second=True)
    assert (rejected["failure"]["kind"], rejected["order"]["status"]) == ("rejected", "rejected")
    refused(again(bench), f"The service shows it until {AHEAD}.")
    assert again(bench, allow_second=True)["changed"]
    assert {*bench.records()} == {f"{HOST} (canceled {bench.ids[0]})", HOST}


def test_canceled_elsewhere_is_not_canceled_again(bench: Bench) -> None:
    bench.order(HOST)
    bench.service.change_contract(bench.ids[0], cancelledTo=AHEAD)
    ran = cancel(bench, check=True)
    assert (ran.failed, ran["changed"], deleted(bench)) == (False, False, [])
    assert "is canceled already" in ran.warnings[-1]
    assert bench.records()[HOST].cancelled is None


@pytest.mark.parametrize("until", [AHEAD, PASSED])
def test_record_of_a_contract_canceled_elsewhere_is_marked(bench: Bench, until: str) -> None:
    """So nobody is warned every night, and the name is ordered anew once the contract is over."""
    bench.order(HOST)
    bench.service.change_contract(bench.ids[0], cancelledTo=until, state={"name": "deleted"})
    ran = cancel(bench)
    assert (ran.failed, ran["cancelled"]["until"]) == (False, until)
    second = cancel(bench)
    assert (second.failed, second["changed"], second.warnings) == (False, False, [])
    assert again(bench).failed == (until == AHEAD)
    assert (bench.sent, deleted(bench)) == (1 if until == AHEAD else 2, [])


def test_removed_record_of_a_canceled_contract_frees_its_name(bench: Bench) -> None:
    bench.order(HOST)
    bench.service.behave(cancel_until=AHEAD)
    cancel(bench)
    assert not bench.run("reseller_record", name=HOST, state="absent", contract_id=bench.ids[0]).failed
    assert again(bench, read_back=False)["changed"]
