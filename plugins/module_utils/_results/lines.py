# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports each order in one line, which roles, playbooks and AWX jobs show. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_ENDS = {
    "planned": "not sent",
    "not_sent": "not sent",
    "in_doubt": "in doubt",
    "pending": "being placed by another run",
    "rejected": "rejected",
}


def lines_of(plan: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]) -> list[str]:
    """One line for each entry of a plan and its result: ``NAME: PRODUCT, ordered, contract ID``.

    Instead of ``ordered`` also ``there already``, ``not sent``, ``in doubt``, ``rejected`` and ``being placed by
    another run``.
    """
    return [_line(entry, result) for entry, result in zip(plan, results, strict=True)]


def _line(entry: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    product = entry["product_name"] or entry["product"] or entry["product_type"] or "unknown product"
    line = f"{entry['name']}: {product}, {_end(result)}"
    contract = result.get("contract_id")
    return f"{line}, contract {contract}" if contract else line


def _end(result: Mapping[str, Any]) -> str:
    status = (result.get("order") or {}).get("status")
    if status == "ordered":
        return "ordered" if result["changed"] else "there already"
    return _ENDS.get(status or "not_sent", "not sent")
