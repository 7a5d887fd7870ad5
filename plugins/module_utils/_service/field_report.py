# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tells a person what is known of a service: each field, what it permits, what is missing without it. Pure.

A guess that is saved would settle orders by accident, so only what is proven becomes a line of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._core.pasting import Noted, lines_of
from .description import Description, EndUser

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
#: No recorded contract can prove these.
_UNPROVABLE = frozenset({"contracts.state", "contracts.ends_at", "contracts.address"})
#: Fields that a list and orders are read and sent with as they are learned.
_AS_LEARNED = frozenset(
    {"order.end_user", "order.product", "contracts.path", "contracts.records", "contracts.next", "contracts.total"}
)


def field_report(
    description: Description, proven: Iterable[str], contradicted: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return all fields, with what each permits. ``contradicted`` has the contract that contradicts it in words.

    Where a field is not known, ``without`` says what cannot be done.
    """
    proofs, report = {*proven}, []
    for name, without in WITHOUT.items():
        field, against = description.fields.get(name), contradicted.get(name)
        is_given = field is not None and field.source == "file"
        if field is None or against:
            permits = "nothing"
        elif is_given or name in proofs:
            permits = "all that it is for"
        elif name in _AS_LEARNED:
            permits = "is used as it is"
        elif name in _UNPROVABLE:
            permits = "is shown, and decides nothing"
        else:
            permits = "refuses duplicates and names candidates, and settles nothing"
        is_missing = permits == "nothing" and not is_given
        report.append(
            {
                "name": name,
                "value": field.value if field else None,
                "source": field.source if field else None,
                "line": field.line if field else None,
                "proven": name in proofs,
                "contradicted": against,
                "permits": permits,
                "without": without if is_missing else None,
            }
        )
    return report


def file_text(base_url: str, report: Iterable[Mapping[str, Any]], candidates: Sequence[EndUser]) -> str:
    """Return the lines that a file lacks: what is proven as fields, and what a name alone suggests as comments."""
    parts: dict[str, Any] = {"base_url": base_url}
    for each in report:
        if each["source"] in (None, "file") or each["contradicted"]:
            continue
        part, _dot, name = each["name"].rpartition(".")
        note = "proven by a recorded contract" if each["proven"] else f"learned ({each['source']}): check it"
        noted = Noted(each["value"], note, given=each["proven"])
        parts.setdefault(part, {})[name] = noted
    if candidates:
        entries = {
            each.name: Noted({"id": each.id, "organization_id": each.organization_id}, given=False)
            for each in candidates
        }
        parts["end_users"] = entries
    # A part of comments alone says nothing.
    return lines_of(parts).replace(": {}\n", ":\n")


def lines_for(report: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a line for each field, as a person reads it, and where to look for those that are not known."""
    lines = []
    for each in report:
        if each["source"] is None:
            lines.append(f"{each['name']}: not known. Without it, {each['without']}.")
            continue
        said = {"file": "from the file", "openapi": "from the OpenAPI document", "name": "learned by its name"}
        facts = [said[each["source"]], *(["proven"] if each["proven"] else [])]
        against = f" Contradicted: {each['contradicted']}" if each["contradicted"] else ""
        lines.append(f"{each['name']}: {each['value']!r} ({', '.join(facts)}). It permits: {each['permits']}.{against}")
    return [*lines, f"The guide Describe your service says where to look for each field, under {_GUIDE}."]
