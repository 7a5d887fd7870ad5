# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is told of a run of many orders: whether it is finished, its failures, and a line for each order."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._tasks.batch_results import (
    lines_of,
    summary,
    unfinished_error,
)

ENTRY = {"name": "web01", "product": "p", "product_name": None, "product_type": "vps"}
ORDERED: dict[str, Any] = {"name": "web01", "changed": True, "order": {"status": "ordered"}}
THERE = {**ORDERED, "changed": False}
REJECTED = {**THERE, "failed": True, "msg": "no", "order": {"status": "rejected"}}
NOT_SENT = {**THERE, "order": {"status": "not_sent"}}


@pytest.mark.parametrize(
    ("results", "finished"),
    [
        ([], True),
        ([ORDERED, THERE], True),
        ([ORDERED, REJECTED], False),
        ([ORDERED, NOT_SENT], False),
    ],
    ids=["nothing asked", "all there", "one rejected", "one unsent without a failure"],
)
def test_run_is_finished_once_nothing_is_left(results: list[dict[str, Any]], finished: bool) -> None:
    error = unfinished_error(summary([ENTRY] * len(results), results), signalled=False)
    assert (error is None) is finished


def test_many_failures_for_one_reason_are_one_line() -> None:
    heading = (
        "The order breaks 2 rules. It was not sent.\n"
        "  - settings.a: {} (API specification)\n  - settings.b: no (catalogue)"
    )
    messages = [heading.format("refused")] * 4 + ["The service rejected it.\nMore."]
    results = [{**REJECTED, "name": f"web{number}", "msg": message} for number, message in enumerate(messages)]
    error = unfinished_error(summary([ENTRY] * len(results), results), signalled=False)
    assert error is not None
    assert error.message.splitlines()[1:] == [
        "web0: (and 3 more) settings.a: refused (API specification) (and 1 more)",
        "web4: The service rejected it.",
        "All that is known of each order is in results.",
    ]


# A line for each order

VPS = {**ENTRY, "product_name": "VPS M"}


def result(status: str | None, *, changed: bool = False, **more: Any) -> dict[str, Any]:
    return {"changed": changed, "order": {"status": status} if status else None, **more}


@pytest.mark.parametrize(
    ("ended", "expected"),
    [
        (result("ordered", changed=True, contract_id="c-1"), "VPS M, ordered, contract c-1"),
        (result("ordered", changed=True, contract_id=None), "VPS M, ordered"),
        (result("ordered", contract_id="c-1"), "VPS M, there already, contract c-1"),
        (result("planned", changed=True), "VPS M, not sent"),
        (result("not_sent", failed=True), "VPS M, not sent"),
        (result(None, failed=True), "VPS M, not sent"),
        (result("in_doubt", failed=True), "VPS M, in doubt"),
        (result("rejected", failed=True), "VPS M, rejected"),
        (result("pending"), "VPS M, being placed by another run"),
        # Recorded with other settings: it is there, and what is asked now was not sent.
        (result("ordered", failed=True, contract_id="c-1"), "VPS M, there already, contract c-1"),
    ],
)
def test_one_line_tells_what_became_of_an_order(ended: dict[str, Any], expected: str) -> None:
    assert lines_of([VPS], [ended]) == [f"web01: {expected}"]


@pytest.mark.parametrize(
    ("entry", "product"),
    [
        ({"product_name": None}, "p"),
        ({"product_name": None, "product": None}, "vps"),
        ({"product_name": None, "product": None, "product_type": None}, "unknown product"),
    ],
)
def test_product_is_called_by_what_is_known_of_it(entry: dict[str, Any], product: str) -> None:
    assert lines_of([{**VPS, **entry}], [result(None)]) == [f"web01: {product}, not sent"]
