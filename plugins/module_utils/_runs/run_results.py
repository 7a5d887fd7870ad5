# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports the orders of a run: errors, the numbers of outcomes, and one message for all. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._adapter.context import Result
from .._core.errors import FAILURE_KINDS, Advice, ResellerError, ViolationsError
from .._core.text import clean, counted
from .._ledger.order_records import pending_in_words
from .._orders.placed_order import PlacedOrder, result_of, unrecorded_order
from .._service.description import Description

COUNTS = ("ordered", "unchanged", "differs", "failed", "in_doubt", "pending", "not_sent")
#: What a line says of an order that may have been sent, and is not recorded as ordered, by its status.
_ENDS = {"in_doubt": "in doubt", "rejected": "rejected"}
#: Of more failures than this a message gives the first lines only, and of more than the second their number only.
_MOST_IN_FULL = 3
_MOST_LISTED = 20


def warnings_of(planned: Sequence[PlacedOrder]) -> Iterator[str]:
    """Warnings, each once, however many orders cause them."""
    names: dict[str, list[str]] = {}
    for one in planned:
        for warning in one.warnings:
            names.setdefault(warning, []).append(one.name)
    for warning, those in names.items():
        others = f" (and {counted(len(those) - 1, 'other order')})" if len(those) > 1 else ""
        yield f"{those[0]}{others}: {warning}"


def named_result(one: PlacedOrder, end: Result | ResellerError | None) -> Result:
    """The entry of an order in ``results``: how it ended, ``None`` if the run did not reach it. ``msg`` is why not."""
    status = one.record.status_in_words if one.state == "elsewhere" and one.record else None
    named = {"name": one.name, "msg": status, "failed": False, "failure": None}
    if isinstance(end, dict):
        # In place: a copy of the results of many orders takes as much memory as they do.
        end |= named
        return end
    known = {**named, **result_of(one.record), "order": unrecorded_order(one.order or one.requested, "not_sent")}
    if end is None:
        return {**known, "msg": "Not sent: the run did not reach this order."}
    # An error that knows the order to be in another state says so.
    return {**known, "failed": True, "msg": end.message, "failure": end.failure, **end.results}


def with_end_user_names(result: Mapping[str, Any], described: Description) -> Result:
    """Return a result, in whose orders the names are set that the service's file has for their end users."""
    # In place, as above.
    others = result.get("not_requested", {}).get("orders", ())
    for order in (*filter(None, (entry.get("order") for entry in (result, *result.get("results", ())))), *others):
        order["end_user_name"] = described.name_of(order["end_user"])
    return {**result}


def summary(plan: Sequence[Mapping[str, Any]], results: Sequence[Result]) -> Result:
    """The return values ``results``, ``counts`` and ``lines``."""
    counts = dict.fromkeys(COUNTS, 0)
    for result in results:
        counts[_count_of(result)] += 1
    lines = [line_of(entry, result) for entry, result in zip(plan, results, strict=True)]
    return {"results": list(results), "counts": counts, "lines": lines}


def line_of(entry: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """One line for an entry of a plan and its result: ``'NAME': PRODUCT, ordered, contract ID``.

    Instead of ``ordered`` also ``there already``, ``differs``, ``not sent``, ``in doubt``, ``rejected`` and ``being
    placed, or cut off: certain at 14:03:20 UTC``.
    """
    product = entry["product_name"] or entry["product"] or entry["product_type"] or "unknown product"
    order = result.get("order") or {}
    status = order.get("status")
    end = _ENDS.get(str(status), "not sent")
    if status == "pending":
        end = pending_in_words(order.get("certain_at"))
    elif status == "ordered":
        end = "ordered" if result["changed"] else "differs" if result.get("differences") else "there already"
    contract = f", contract {result['contract_id']}" if result.get("contract_id") else ""
    return f"{entry['name']!r}: {product}, {end}{contract}"


def _count_of(result: Result) -> str:
    status = (result.get("order") or {}).get("status")
    if status in ("in_doubt", "pending"):
        return str(status)
    if result.get("failed"):
        return "failed"
    if result["changed"]:
        return "ordered"
    if result.get("differences"):
        return "differs"
    return "not_sent" if status == "not_sent" else "unchanged"


def refuse_blocked(planned: Sequence[PlacedOrder], place_of: Callable[[int], str], *, going_on: bool) -> None:
    """Raise ResellerError if nothing may be sent: an order is invalid, or one blocks a run that is not ``going_on``.

    ``place_of`` tells where an order stands in the task, by its index.
    """
    reasons = {index: one.error for index, one in enumerate(planned) if one.error is not None}
    invalid = [index for index in reasons if planned[index].state == "refused"]
    if not invalid and (going_on or not reasons):
        return
    raise ResellerError(
        f"{len(reasons)} of {len(planned)} orders cannot be placed. Nothing was sent.",
        *_listed([(f"{_called(place_of(index), planned[index].name)}:", reason) for index, reason in reasons.items()]),
        **_most_urgent(reasons.values()),
        violations=[
            {**violation, "path": f"{place_of(index)}.{violation['path']}"}
            for index in invalid
            for violation in reasons[index].results.get("violations", ())
        ],
    )


def _called(place: str, name: str | None) -> str:
    """The place of an order in the task, with the order's name where the place has none."""
    return place if not name or place.endswith(name) else f"{place} ({clean(name, 40)})"


def unfinished_error(
    counts: Mapping[str, int],
    planned: Sequence[PlacedOrder],
    ends: Sequence[Result | ResellerError | None],
    stopped: str | None,
) -> ResellerError | None:
    """The error of a run that left orders unsent, or that a signal stopped. ``counts`` are its return value.

    ``stopped`` is what stopped it, if anything did: ``a signal``, or ``the timeout of the task``.
    """
    failures = [(one.name, end) for one, end in zip(planned, ends, strict=True) if isinstance(end, ResellerError)]
    if not failures and stopped != "a signal" and not counts["not_sent"]:
        return None
    parts = _listed([(f"{name}:", error) for name, error in failures])
    if stopped or not len(planned) == len(failures) == 1:
        # The error of a single order says it all.
        why = f"The run was stopped by {stopped}" if stopped else f"{len(failures)} of {len(planned)} orders failed"
        parts.insert(0, f"{why}: {_totals(counts, [error for _name, error in failures])}.")
    if stopped and counts["not_sent"]:
        parts.append(Advice("Run again to order the rest."))
    return ResellerError(*parts, **_most_urgent(error for _name, error in failures))


def _totals(counts: Mapping[str, int], failures: Sequence[ResellerError]) -> str:
    """The counts in words, of what failed with those that the service rejected apart."""
    rejected = sum(error.kind == "rejected" for error in failures)
    told = {**counts, "failed": counts["failed"] - rejected, "rejected": rejected}
    return ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in told.items() if count) or "no orders"


def _most_urgent(errors: Iterable[ResellerError]) -> dict[str, Any]:
    """The ``kind`` and the HTTP ``status`` that the error of many orders has: those of its most urgent one.

    A run that was stopped without an error did not reach the service with the orders that it left.
    """
    stopped = ResellerError(kind="unreachable")
    return min(errors, key=lambda error: FAILURE_KINDS.index(error.kind), default=stopped).failure


def _listed(errors: Sequence[tuple[str, ResellerError]]) -> list[str]:
    """Errors with what they are about, as many and as long as a person reads."""
    if len(errors) <= _MOST_IN_FULL:
        return [part for subject, error in errors for part in (f"{subject} {error.parts[0]}", *error.parts[1:])]
    reasons: dict[str, list[str]] = {}
    for subject, error in errors:
        reasons.setdefault(_short(error), []).append(subject)
    lines = [
        f"{subjects[0]} {f'(and {len(subjects) - 1} more) ' if len(subjects) > 1 else ''}{text}"
        for text, subjects in list(reasons.items())[:_MOST_LISTED]
    ]
    if len(reasons) > _MOST_LISTED:
        lines.append(f"… and {len(reasons) - _MOST_LISTED} more reasons.")
    given = Counter(part for _subject, error in errors for part in error.parts if isinstance(part, Advice))
    # What is said to all of them holds for all. What one order needs, such as a line with its name, is in results.
    advice = [part for part, times in given.items() if times == len(errors)]
    return [*lines, Advice("All that is known of each order is in results."), *advice]


def _short(error: ResellerError) -> str:
    """The first line of an error, or the first rule or difference that it lists."""
    first, *others = error.message.splitlines()
    listed = [line.removeprefix("  - ") for line in others if line.startswith("  - ")]
    if not listed or not (isinstance(error, ViolationsError) or error.kind == "differs"):
        return first
    return f"{listed[0]} (and {len(listed) - 1} more)" if len(listed) > 1 else listed[0]
