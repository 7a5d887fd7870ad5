# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tells a person what is known of a service: each field, what it permits, what is missing without it. Pure.

A guess that is saved would settle orders by accident, so only what is proven becomes a line of the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .._core.pasting import CommentedValue, lines_of
from .description import Description, EndUser, Field

_UNREAD = "contracts are not read: nothing is compared, settled or shown"
#: The fields, each with what cannot be done without it. The guide says where to look each one up.
WITHOUT = {
    "order.end_user": "no order can be sent",
    "order.product": "no order can be sent",
    "order.placed": "an order that another status than 201, 202 or 204 confirms without a receipt is in doubt",
    "contracts.path": _UNREAD,
    "contracts.records": _UNREAD,
    "contracts.next": "a list of several pages is not complete, and settles nothing",
    "contracts.total": "one page that is full is not known to be all",
    "contracts.id": "nothing is settled by the list",
    "contracts.hostname": "a server that the ledger lacks is not found, and bought again",
    "contracts.domain": "a domain that the ledger lacks is not found",
    "contracts.product": "nothing is settled by the list, and webhosting is compared with nothing",
    "contracts.end_user": "your own list compares nothing for end users, and settles nothing for them",
    "contracts.own": "a contract that shows no owner settles nothing, unless contracts.owned_by_list is true",
    "contracts.owned_by_list": "a contract that shows no owner settles nothing, unless contracts.own says whose it is",
    "contracts.state": "wait is refused",
    "contracts.ready": "wait is refused",
    "contracts.failed": "a contract that failed is waited for until wait_timeout",
    "contracts.ended": "a contract that is over refuses another one, unless its state is a plain word",
    "contracts.ends_at": "a contract that was canceled to a day is not known to be",
    "contracts.address": "the hosts of inventories have no address, and wait returns none",
    "cancel": "state: absent is refused",
}
#: The heading of the guide Describe your service under which each field has its place to look.
_GUIDE = "Find each line"
#: What a learned field permits, if it is not that.
_LEARNED_PERMITS = "refuses duplicates and names candidates, and settles nothing"
_OTHER_PERMITS = {
    **dict.fromkeys(("order.end_user", "order.product", "contracts.path"), "is used as it is"),
    **dict.fromkeys(("contracts.records", "contracts.next", "contracts.total"), "is used as it is"),
    # No recorded contract can prove these.
    **dict.fromkeys(("contracts.state", "contracts.ends_at", "contracts.address"), "is shown, and decides nothing"),
}
_SOURCES = {"file": "from the file", "openapi": "from the OpenAPI document", "name": "learned by its name"}


def field_report(
    description: Description, proven: Collection[str], contradicted: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return all fields, with what each permits. ``contradicted`` has the contract that contradicts it in words.

    Where a field is not known, ``without`` says what cannot be done.
    """
    report = []
    for name, without in WITHOUT.items():
        field, against = description.fields.get(name), contradicted.get(name)
        is_given, is_usable = description.source(name) == "file", field is not None and not against
        learned = "all that it is for" if name in proven else _OTHER_PERMITS.get(name, _LEARNED_PERMITS)
        permits = "all that it is for" if is_given else learned
        report.append(
            {
                "name": name,
                **(field._asdict() if field else dict.fromkeys(Field._fields)),
                "proven": name in proven,
                "contradicted": against,
                "permits": permits if is_usable else "nothing",
                "without": None if is_usable or is_given else without,
            }
        )
    return report


def file_text(base_url: str, report: Iterable[Mapping[str, Any]], candidates: Sequence[EndUser]) -> str:
    """Return the lines that a file lacks: what is proven as fields, and what a name alone suggests as comments."""
    parts: dict[str, Any] = {"base_url": base_url}
    for row in report:
        if row["source"] not in (None, "file") and not row["contradicted"]:
            part, _dot, name = row["name"].rpartition(".")
            note = "proven by a recorded contract" if row["proven"] else f"learned ({row['source']}): check it"
            parts.setdefault(part, {})[name] = CommentedValue(row["value"], note, off=not row["proven"])
    if candidates:
        parts["end_users"] = {
            user.name: CommentedValue({"id": user.id, "organization_id": user.organization_id}, off=True)
            for user in candidates
        }
    # A part of comments alone says nothing.
    return lines_of(parts).replace(": {}\n", ":\n")


def lines_for(report: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a line for each field, as a person reads it, and where to look for those that are not known."""
    lines = []
    for row in report:
        name, source, against = row["name"], row["source"], row["contradicted"]
        if source is None:
            lines.append(f"{name}: not known. Without it, {row['without']}.")
        else:
            facts = _SOURCES[source] + ", proven" * row["proven"]
            end = f" Contradicted: {against}" if against else ""
            lines.append(f"{name}: {row['value']!r} ({facts}). It permits: {row['permits']}.{end}")
    return [*lines, f"The guide Describe your service says where to look for each field, under {_GUIDE}."]
