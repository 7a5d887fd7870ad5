# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._tasks.batch_results import lines_of

ENTRY = {"name": "web01.example.org", "product": "0b5d", "product_name": "VPS M", "product_type": "vps"}


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
    assert lines_of([ENTRY], [ended]) == [f"web01.example.org: {expected}"]


@pytest.mark.parametrize(
    ("entry", "product"),
    [
        ({"product_name": None}, "0b5d"),
        ({"product_name": None, "product": None}, "vps"),
        ({"product_name": None, "product": None, "product_type": None}, "unknown product"),
    ],
)
def test_product_is_called_by_what_is_known_of_it(entry: dict[str, Any], product: str) -> None:
    assert lines_of([{**ENTRY, **entry}], [result(None)]) == [f"web01.example.org: {product}, not sent"]
