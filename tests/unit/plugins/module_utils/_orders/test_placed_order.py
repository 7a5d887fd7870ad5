# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The states of an order in a run, and what leads from one to the next."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    LedgerError,
    ResellerError,
    ServiceError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome, Record
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import RequestedOrder
from ansible_collections.hosting.reseller.plugins.module_utils._orders.placed_order import (
    PlacedOrder,
    State,
    end_of,
    result_of,
)
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.recognition import MASK
from ansible_collections.hosting.reseller.plugins.module_utils._service.order_shape import OrderShape
from tests.support.order_examples import order_of

NOW = "2026-11-21T14:01:00Z"
ERROR = ServiceError("no")


def recorded(status: Any) -> Record:
    return Record("web01", Outcome(status), None, "run", NOW, None, NOW, True, deadline="2026-11-21T14:03:20Z")


def one(state: State) -> PlacedOrder:
    return PlacedOrder(RequestedOrder("__self__", "web01"), state, order=order_of("web01", {"hostname": "web01"}))


#: What can become of an order.
EVENTS: dict[str, Callable[[PlacedOrder], PlacedOrder]] = {
    "is refused": lambda each: each.refused(ResellerError("no")),
    "joins": lambda each: each.joining("an-id"),
    "is accepted": lambda each: each.ended(recorded("ordered"), Outcome("ordered")),
    "is rejected": lambda each: each.ended(recorded("rejected"), Outcome("rejected", error=ERROR)),
    "is not reached": lambda each: each.ended(recorded("not_sent"), Outcome("not_sent", error=ERROR)),
    "is not answered": lambda each: each.ended(recorded("in_doubt"), Outcome("in_doubt", error=ERROR)),
    "another run has it": lambda each: each.ended(recorded("pending"), None),
    "another run claims it then": lambda each: each.ended(recorded("pending"), Outcome("not_sent", error=ERROR)),
    "another run got it": lambda each: each.ended(recorded("ordered"), None),
    "another run lost it": lambda each: each.ended(recorded("in_doubt"), None),
    "a claim fails": lambda each: each.stopped_by(LedgerError("no")),
    "a record fails": lambda each: each.stopped_by(LedgerError("no", kind="not_recorded")),
    "the list shows it": lambda each: each.settled(recorded("ordered"), None, ()),
    "the run stops": lambda each: each.to("unreached"),
}
SENDING = {
    "is refused": "refused",
    "joins": "planned",
    "is accepted": "answered",
    "is rejected": "rejected",
    "is not reached": "rejected",
    "is not answered": "in_doubt",
    "another run has it": "elsewhere",
    "another run claims it then": "elsewhere",
    "another run got it": "elsewhere",
    "another run lost it": "in_doubt",
    "a claim fails": "refused",
    "a record fails": "unrecorded",
    "the run stops": "unreached",
}
REFUSED = {"is refused": "refused", "a claim fails": "refused"}
#: The next state by state and event. What is missing cannot be.
FOLLOWS: dict[State, dict[str, str]] = {
    "planned": SENDING,
    "elsewhere": SENDING,
    "recorded": REFUSED,
    "differs": REFUSED,
    "refused": REFUSED,
    "in_doubt": {
        **REFUSED,
        "the list shows it": "settled",
        "another run has it": "elsewhere",
        "another run claims it then": "elsewhere",
        "another run got it": "elsewhere",
    },
    "answered": {"the list shows it": "settled"},
    "settled": {},
    "rejected": {},
    "unrecorded": {},
    "unreached": {},
}


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("state", get_args(State))
def test_every_state_and_event(state: State, event: str) -> None:
    follows = FOLLOWS[state].get(event)
    if follows is None:
        with pytest.raises(ValueError, match=f"order web01: {state} cannot become "):
            EVENTS[event](one(state))
    else:
        found = EVENTS[event](one(state))
        assert found.state == follows
        # Whatever is not placed says why, unless the run did not come to it.
        is_open = follows in ("planned", "answered", "settled", "unreached") or event == "another run got it"
        assert (found.error is None) is is_open


def test_order_that_was_claimed_and_not_begun_stays_planned() -> None:
    planned = one("planned")
    assert planned.ended(recorded("not_sent"), Outcome("not_sent", "The run was stopped.")) == planned


def test_order_that_the_ledger_lacks_is_told_as_in_doubt() -> None:
    error = one("planned").stopped_by(LedgerError("no", kind="not_recorded")).error
    assert error is not None
    assert error.results["order"]["status"] == "in_doubt"


def test_order_in_doubt_has_the_results_of_its_failure() -> None:
    failed = ServiceError("no").with_results(status=500)
    error = one("planned").ended(recorded("in_doubt"), Outcome("in_doubt", error=failed)).error
    assert error is not None
    assert (error.results["status"], error.results["order"]["status"]) == (500, "in_doubt")


def test_order_that_joins_has_the_l2vpn_in_what_is_requested_and_sent() -> None:
    waiting = one("planned")._replace(requested=RequestedOrder("__self__", "web01", l2vpn_of="db01"))
    joined = waiting.joining("an-id")
    assert joined.order is not None
    assert joined.requested.settings == {"existing_l2vpn": "an-id"}
    assert (joined.order.settings["existing_l2vpn"], joined.requested.l2vpn_of) == ("an-id", None)


# How an order ended

SECRET: Any = {"hostname": "web01", "password": "Quite-Secret-1"}
SERVICE: Any = SimpleNamespace(shape=lambda offline: OrderShape("endUser", "product"))


@pytest.mark.parametrize(
    ("state", "changed", "status", "is_sent"),
    [("planned", True, "planned", True), ("answered", True, "ordered", True), ("recorded", False, "ordered", False)],
)
def test_result_of_an_order(state: State, changed: bool, status: str, is_sent: bool) -> None:
    order = order_of("web01", SECRET)
    ended = PlacedOrder(RequestedOrder("__self__", "web01"), state, order=order, record=recorded("ordered"))
    result = end_of(ended, SERVICE)
    assert isinstance(result, dict)
    assert (result["changed"], result["order"]["status"]) == (changed, status)
    assert result_of(None).keys() == result.keys()
    if is_sent:
        assert result["request"]["body"]["settings"] == {**SECRET, "password": MASK}
    else:
        assert result["request"] is None


def test_error_is_the_end_of_an_order_and_nothing_that_of_one_that_was_not_reached() -> None:
    assert end_of(one("planned").refused(ERROR), SERVICE) is ERROR
    assert end_of(one("planned").to("unreached"), SERVICE) is None
