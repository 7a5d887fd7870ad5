# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger_info: the records of a ledger, and its trail."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import Actor, Event
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._tasks import ledger_info
from playbooks.files.simulator import data
from tests.support.ledgers import claim, opened, record
from tests.unit.plugins.module_utils._tasks.conftest import CONTRACT, FOR_OWN, Desk, request

pytestmark = FOR_OWN


def test_orders_are_listed_by_status_name_end_user_type_and_time(desk: Desk) -> None:
    other = {"end_user": "__self__", "product_type": "webhosting", "product_name": None, "settings": {}}
    with opened(desk.ledger) as ledger:
        claim(ledger, [request("bought"), request("s" * 30, **other), request("refused")])
        record(ledger, "bought", Outcome("ordered", contract_id=CONTRACT, contract={"id": CONTRACT, "state": "new"}))
        record(ledger, "refused", Outcome("rejected", "No credit."))
    wanted: list[tuple[dict[str, Any], set[str]]] = [
        ({"statuses": ["ordered"]}, {"bought"}),
        ({"names": ["bought", "refused", "unknown"]}, {"bought", "refused"}),
        ({"end_users": ["__self__"]}, {"s" * 30}),
        ({"end_users": [data.END_USER.upper()]}, {"bought", "refused"}),
        ({"end_users": ["__self__", data.END_USER]}, {"bought", "s" * 30, "refused"}),
        ({"product_types": ["webhosting"]}, {"s" * 30}),
        ({"product_types": ["webhosting", "vps"], "statuses": ["ordered", "rejected"]}, {"bought", "refused"}),
        ({"since": "2026-01-01"}, {"bought", "s" * 30, "refused"}),
        ({"since": "9999-12-31T23:59:59+00:00"}, set()),
    ]
    for filters, names in wanted:
        assert {*desk.info(**filters).names("records")} == names
    for since in ("yesterday", "21.11.2026"):
        assert f"ISO 8601, as 2026-11-21 or 2026-11-21T08:00:00Z (given: '{since}')" in desk.info(since=since).msg
    listed = desk.info(statuses=["ordered", "in_doubt"])
    now = listed["records"][0]["claimed_at"][:10]
    # A long name moves its own line alone.
    assert listed["lines"] == [
        "NAME                          STATUS    PRODUCT            SINCE",
        f"bought                        ordered   VPS M              {now}",
        f"{'s' * 30}  in_doubt  webhosting         {now}",
    ]
    assert desk.info(names=["none"])["lines"] == []
    (bought,) = desk.info(statuses=["ordered"])["records"]
    assert (bought["contract"], bought["reason"]) == ({"id": CONTRACT, "state": "new"}, None)


def test_columns_stay_with_wide_letters_and_show_what_was_canceled() -> None:
    shown = {"name": "顧客/ショップ", "status": "ordered", "product_name": "VPS M", "since": "2026-11-21T08:00:00Z"}
    canceled = ledger_info.record_lines([{**shown, "cancelled": {"by": "cancel"}}])
    assert canceled[1].split()[1] == "canceled"
    assert ledger_info.record_lines([shown])[1] == f"顧客/ショップ{' ' * 15}  ordered   VPS M              2026-11-21"


def test_trail_shows_what_was_done_by_hand_and_what_it_was_before(desk: Desk) -> None:
    desk.leave_in_doubt(request("web01", approved_by="plan-2:new:0"), request("web02"))
    assert [each["approved_by"] for each in desk.info()["records"]] == ["plan-2:new:0", None]
    assert "events" not in desk.info().result
    desk.settle("web01", contract_id=CONTRACT)
    desk.settle("web02", "absent")
    desk.settle("web01", "absent", contract_id=CONTRACT)
    # A removed name has no record, and its history stays.
    assert desk.info(names=["web01"])["records"] == []
    trail = desk.info(names=["WEB01"], events=True)
    first, last = trail["events"]
    settled = (first["action"], first["before"]["status"], first["after"]["contract_id"])
    assert settled == ("settled", "in_doubt", CONTRACT)
    assert (last["action"], last["before"], last["after"]) == ("removed", first["after"], None)
    actor = first["actor"]
    assert trail["event_lines"] == [
        f"{each['at']} {each['action']} 'web01' ({ends}) by {actor['user']} at {each['host']}"
        for each, ends in (
            (first, f"in doubt -> ordered, contract {CONTRACT}"),
            (last, f"ordered, contract {CONTRACT} -> not recorded"),
        )
    ]
    assert len(desk.info(events=True)["events"]) == 3
    assert desk.info(events=True, since="2999-01-01")["events"] == []


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({"ledger": "/a.db"}, {"ledger": "postgresql://db/a"}, "/a.db -> postgresql://db/a"),
        ({"base_url": "https://a"}, {"base_url": "https://b"}, "https://a -> https://b"),
        ({"id": "4711", "orders": 3}, {"id": "4712", "orders": 0}, "ID 4711, 3 orders -> ID 4712, 0 orders"),
    ],
)
def test_trail_shows_what_was_done_to_the_whole_ledger(before: Any, after: Any, words: str) -> None:
    event = Event("2026-11-21T14:03:20Z", "moved", None, Actor("alice", "17", "16"), "host", before, after)
    shown = ledger_info.event_line(event)
    assert shown == f"2026-11-21T14:03:20Z moved the ledger ({words}) by alice at host, AWX job 17, AWX workflow job 16"
