# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is told of a run of many orders: whether it is finished, its failures, and a line for each order."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    Advice,
    ConfigurationError,
    ResellerError,
    ServiceError,
    Violation,
    ViolationsError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._order.order import RequestedOrder
from ansible_collections.hosting.reseller.plugins.module_utils._order.planner import Step
from ansible_collections.hosting.reseller.plugins.module_utils._tasks.batch_results import (
    line_of,
    named_result,
    refusal_of,
    summary,
    unfinished_error,
)

ENTRY = {"name": "web01", "product": "p", "product_name": None, "product_type": "vps"}
ORDERED: dict[str, Any] = {"changed": True, "order": {"status": "ordered"}}
REJECTED = ServiceError("The service rejected it.\nMore.")
DOUBT = ResellerError("In doubt.", Advice("Run this."), order={"name": "web0", "status": "in_doubt"}, kind="in_doubt")


def step(action: Any, error: ResellerError | None = None, number: int = 0) -> Step:
    return Step(RequestedOrder("__self__", f"web{number}"), action, error=error)


def error_of(
    *ends: dict[str, Any] | ResellerError | None, signalled: bool = False, timed_out: bool = False
) -> ResellerError | None:
    steps = [step("order", number=number) for number in range(len(ends))]
    results = [named_result(*each) for each in zip(steps, ends, strict=True)]
    counts = summary([ENTRY] * len(ends), results)["counts"]
    return unfinished_error(counts, steps, ends, signalled=signalled, timed_out=timed_out)


def test_run_that_a_signal_stopped_says_so() -> None:
    stopped = error_of(ORDERED, None, signalled=True)
    assert stopped is not None
    assert stopped.message.startswith("The run was stopped by a signal: 1 ordered, 1 not sent.")
    assert stopped.message.endswith("Run again to order the rest.")
    whole = error_of(ORDERED, signalled=True)
    assert whole is not None
    assert "Run again" not in whole.message


def test_run_that_its_timeout_stopped_fails_only_if_orders_are_left() -> None:
    stopped = error_of(ORDERED, None, timed_out=True)
    assert stopped is not None
    assert stopped.message.startswith("The run was stopped by the timeout of the task: 1 ordered, 1 not sent.")
    assert stopped.message.endswith("Run again to order the rest.")
    assert error_of(ORDERED, timed_out=True) is None


def test_many_failures_for_one_reason_are_one_line() -> None:
    violations = [
        Violation("settings.a", None, "refused", "specification"),
        Violation("settings.b", None, "no", "catalogue"),
    ]
    error = error_of(*[ViolationsError(violations, "The order") for _each in range(4)], REJECTED)
    assert error is not None
    assert error.message.splitlines()[1:] == [
        "web0: (and 3 more) settings.a: refused (API specification) (and 1 more)",
        "web4: The service rejected it.",
        "All that is known of each order is in results.",
    ]
    drift = "Order is not as recorded.\n  - ram: recorded '1', requested '2'"
    error = error_of(*[ResellerError(drift, Advice("Restore it."), kind="differs") for _each in range(5)])
    assert error is not None
    assert error.message.splitlines()[1] == "web0: (and 4 more) ram: recorded '1', requested '2'"
    assert error.message.endswith("in results.\nRestore it.")


def test_what_is_wrong_stops_also_a_run_that_goes_on_after_failures() -> None:
    doubt, wrong = step("in_doubt", DOUBT), step("refused", ConfigurationError("wrong"))
    assert refusal_of([doubt], str, going_on=True) is None
    assert refusal_of([doubt, wrong], str, going_on=True) is not None
    refused = refusal_of([doubt, doubt], "contracts[{}]".format, going_on=False)
    assert refused is not None
    assert refused.message.splitlines()[1:] == [
        *("contracts[0] (web0): In doubt.", "contracts[1] (web0): In doubt."),
        "Run this.",
    ]


def test_advice_for_one_of_many_failures_is_in_results_alone() -> None:
    error = error_of(DOUBT, DOUBT, REJECTED, REJECTED)
    assert error is not None
    assert error.message.splitlines()[-1] == "All that is known of each order is in results."


# A line for each order

VPS = {**ENTRY, "product_name": "VPS M"}


def result(status: str | None, *, changed: bool = False, **more: Any) -> dict[str, Any]:
    return {"changed": changed, "order": {"status": status} if status else None, **more}


def pending(**more: Any) -> dict[str, Any]:
    return {"changed": False, "order": {"status": "pending", "certain_at": "2026-11-21T14:03:20Z"}, **more}


@pytest.mark.parametrize("failed", [False, True])
def test_pending_order_is_counted_as_nothing_else(failed: bool) -> None:
    counts = summary([VPS], [pending(failed=failed)])["counts"]
    assert {count: number for count, number in counts.items() if number} == {"pending": 1}


@pytest.mark.parametrize(
    ("ended", "expected"),
    [
        (result("ordered", changed=True, contract_id="c-1"), "VPS M, ordered, contract c-1"),
        (result("ordered", changed=True, contract_id=None), "VPS M, ordered"),
        (result("planned", changed=True), "VPS M, not sent"),
        (result(None, failed=True), "VPS M, not sent"),
        (result("in_doubt", failed=True), "VPS M, in doubt"),
        (result("rejected", failed=True), "VPS M, rejected"),
        (pending(), "VPS M, being placed, or cut off: certain at 14:03:20 UTC"),
        (pending(failed=True), "VPS M, being placed, or cut off: certain at 14:03:20 UTC"),
        # Recorded with other settings: it is there, and what is asked now was not sent.
        (result("ordered", failed=True, contract_id="c-1"), "VPS M, there already, contract c-1"),
    ],
)
def test_one_line_tells_what_became_of_an_order(ended: dict[str, Any], expected: str) -> None:
    assert line_of(VPS, ended) == f"'web01': {expected}"


def test_name_cannot_pass_for_the_words_of_a_line() -> None:
    forged = {**VPS, "name": "web01': VPS M, there already, 'x"}
    assert line_of(forged, result(None)) == "\"web01': VPS M, there already, 'x\": VPS M, not sent"


def test_product_is_called_by_what_is_known_of_it() -> None:
    known, said = dict(VPS), []
    for unknown in ("product_name", "product", "product_type"):
        known[unknown] = None
        said.append(line_of(known, result(None)))
    assert said == [f"'web01': {product}, not sent" for product in ("p", "vps", "unknown product")]
