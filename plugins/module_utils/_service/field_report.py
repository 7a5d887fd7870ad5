# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tells a person what is known of a service: each field, what it permits, what is missing without it. Pure.

A guess that is saved would settle orders by accident, so only what is proven becomes a line of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._core.pasting import Noted, lines_of
from .description import Description, EndUser


class _Row(NamedTuple):
    """A field, what cannot be done ``without`` it, and where a person would ``find`` it."""

    name: str
    without: str
    find: str


_DOCUMENT = "the OpenAPI document: the request body of POST /api/reseller/contracts"
_LIST = "the list of contracts: reseller_operation_info shows it"
_KNOWN = "a contract that you know, in the list of contracts"
_STATES = "contracts in each state, or the operator of the service"
ROWS = (
    _Row("order.end_user", "no order can be sent", _DOCUMENT),
    _Row("order.product", "no order can be sent", _DOCUMENT),
    _Row(
        "order.placed",
        "an order that is confirmed with another status than 201, 202 or 204, and without a receipt, is in doubt",
        "the OpenAPI document: the response to an order; the operator of the service",
    ),
    _Row("contracts.path", "contracts are not read: nothing is compared, settled or shown", "the OpenAPI document"),
    _Row("contracts.records", "contracts are not read: nothing is compared, settled or shown", _LIST),
    _Row("contracts.next", "a list of several pages is not complete, and settles nothing", "two pages of the list"),
    _Row("contracts.total", "one page that is full is not known to be all", _LIST),
    _Row("contracts.id", "nothing is settled by the list", _KNOWN),
    _Row("contracts.hostname", "a server that the ledger lacks is not found, and bought again", _KNOWN),
    _Row("contracts.domain", "a domain that the ledger lacks is not found", _KNOWN),
    _Row("contracts.product", "nothing is settled by the list, and webhosting is compared with nothing", _KNOWN),
    _Row("contracts.end_user", "your own list compares nothing for end users, and settles nothing for them", _KNOWN),
    _Row(
        "contracts.own",
        "a contract that shows no owner settles nothing, unless contracts.owned_by_list is true",
        "your own contracts beside those of end users, in one list",
    ),
    _Row(
        "contracts.owned_by_list",
        "a contract that shows no owner settles nothing, unless contracts.own says that it is yours",
        "the operator of the service: does your list show contracts of end users?",
    ),
    _Row("contracts.state", "wait is refused", _STATES),
    _Row("contracts.ready", "wait is refused", _STATES),
    _Row("contracts.failed", "a contract that failed is waited for until wait_timeout", _STATES),
    _Row("contracts.ended", "a contract that is over refuses another one, unless its state is a plain word", _STATES),
    _Row("contracts.ends_at", "a contract that was canceled to a day is not known to be", _STATES),
    _Row(
        "contracts.address", "the hosts of inventories have no address, and wait returns none", "a server that is ready"
    ),
    _Row("cancel", "state: absent is refused", "the OpenAPI document, or the operator of the service"),
)
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

    Where a field is not known, ``without`` says what cannot be done, and ``find`` where it would be found.
    """
    proofs, report = {*proven}, []
    for name, without, find in ROWS:
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
                "find": find if is_missing else None,
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
    """Return a line for each field, as a person reads it."""
    lines = []
    for each in report:
        if each["source"] is None:
            lines.append(f"{each['name']}: not known. Without it, {each['without']}. To find it: {each['find']}.")
            continue
        said = {"file": "from the file", "openapi": "from the OpenAPI document", "name": "learned by its name"}
        facts = [said[each["source"]], *(["proven"] if each["proven"] else [])]
        against = f" Contradicted: {each['contradicted']}" if each["contradicted"] else ""
        lines.append(f"{each['name']}: {each['value']!r} ({', '.join(facts)}). It permits: {each['permits']}.{against}")
    return lines
