# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""When a run of many orders counts as finished."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._tasks.batch_results import summary, unfinished_error

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
