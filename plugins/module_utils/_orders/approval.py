# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Approvals: of a whole plan by its digest, and of the rest of a plan that was begun.

Each name of a plan has a number: how often it was claimed before. So one approval never orders a name twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._core.errors import Advice, ConfigurationError, ResellerError
from .._ledger.store import Ledger
from .placed_order import PlacedOrder
from .plan import COMPARED, NEW, SCHEME, Entries, digest_of_entries, ledger_in_digest, why_not_approvable

#: What of an entry is compared whatever became of its order.
_ALWAYS = ("product", "product_type", "end_user")
_ANEW = "Look at the current plan in check mode, and approve that one."


class Approval(NamedTuple):
    """The digest that approves the orders of a run. ``spent`` names were claimed under it and have no record."""

    digest: str
    spent: frozenset[str] = frozenset()


def approval_of(digest: str, before: Any, plan: Entries, now: str | None, ledger: Ledger) -> Approval:
    """Return the approval of the orders of ``plan``, whose digest is ``now``, with this ledger.

    A digest alone approves the whole plan. With ``before``, the entries of the approved plan, a run sends what of that
    was never claimed.

    Raises ResellerError for what is not approved, and ConfigurationError for an approval of another form.
    """
    if not digest.startswith(SCHEME):
        raise ConfigurationError(
            f"{'approved_plan is not a valid plan digest' if digest else 'approved_plan is missing or empty'}. "
            f"Nothing was sent.\nRun the playbook with --check, which returns plan_digest ({SCHEME}…).\n"
            "If you approve that plan, give this digest."
        )
    if before is not None and digest != _digest(before, digest):
        raise _not_approved(["plan_file holds another plan than the one with this digest"], digest, now)
    if digest == now:
        return Approval(digest)
    if before is None:
        lines = [f"would be ordered now: {_line_of(entry)}" for entry in plan if entry["action"] == "order"]
        raise _not_approved(lines, digest, now, "To order what is left of the approved plan, give that as plan_file.")
    entries = {entry["name"]: entry for entry in before}
    claimed = ledger.numbers([*entries])
    begun = any(claimed[name] > each["number"] for name, each in entries.items())
    lines = [*_changes(entries, plan, begun=begun), *_of_other_ledger(digest, ledger, begun=begun)]
    if lines:
        raise _not_approved(lines, digest, now)
    return Approval(digest, frozenset(each["name"] for each in plan if _is_spent(entries[each["name"]], each)))


def _digest(plan: Any, like: str) -> str:
    """The digest of a plan that was given, for the ledger of another digest; empty if it is not a plan."""
    if not isinstance(plan, list) or not all(
        isinstance(each, Mapping) and each.keys() >= {*COMPARED} and isinstance(each["name"], str) for each in plan
    ):
        return ""
    return f"{like.rpartition(':')[0]}:{digest_of_entries(plan)}"


def _not_approved(lines: list[str], digest: str, now: str | None, *advice: str) -> ResellerError:
    listed = "\n".join(f"  - {line}" for line in lines)
    return ResellerError(
        f"The plan is no longer the approved one. Nothing was sent.\n{listed}",
        Advice(" ".join((_ANEW, *advice))),
        f"Approved: {digest}, now: {now or 'none, because not all of it can be placed'}.",
        kind="invalid",
        approved_digest=digest,
        plan_differences=lines,
    )


def _line_of(entry: Mapping[str, Any]) -> str:
    product = entry.get("product_name") or entry["product"] or entry["product_type"]
    return f"{entry['name']!r}, {product} for {entry['end_user']}"


def _is_spent(before: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    """Return whether an order was claimed under the approval, and has no record any more."""
    return bool(entry["action"] == "order" and entry["number"] == before["number"] + 1)


def _changes(before: Mapping[str, Mapping[str, Any]], plan: Entries, *, begun: bool) -> list[str]:
    """Return how a plan differs from the approved one, a line for each difference, but for what was sent of it.

    Of one that was ``begun``, what is no longer wanted can be left out.
    """
    after = {entry["name"]: entry for entry in plan}
    lines = [f"{name!r}: approved, but no longer requested" for name in before if name not in after and not begun]
    for name, entry in after.items():
        known = before.get(name)
        if known is None:
            lines.append(f"{name!r}: requested now ({entry['action']}), but not in the approved list")
            continue
        lines += _number_changes(known, entry)
        compared = (*_ALWAYS, "action") if entry["action"] == "order" else _ALWAYS
        lines += [
            f"{name!r}: {each} was {known[each]}, and is {entry[each]}"
            for each in compared
            if known[each] != entry[each]
        ]
        if None not in (known["fingerprint"], entry["fingerprint"]) and known["fingerprint"] != entry["fingerprint"]:
            lines.append(f"{name!r}: the settings, additional elements, service or organization differ")
    if not (lines or begun) and [*before] != [*after]:
        lines.append("the entries are the same, in another sequence")
    return lines


def _number_changes(before: Mapping[str, Any], entry: Mapping[str, Any]) -> list[str]:
    """Return why the number of a name is not what the approval allows: as planned, or one more if it was sent."""
    more = entry["number"] - before["number"]
    if more < 0:
        return [f"{entry['name']!r}: this ledger is older than the plan"]
    if more > (before["action"] == "order"):
        return [f"{entry['name']!r}: claimed since the plan was made"]
    return []


def _of_other_ledger(digest: str, ledger: Ledger, *, begun: bool) -> list[str]:
    """Return that the ledger is another one than that of the approval. A new one has an ID once it was ordered with."""
    was, is_now = digest.split(":")[1], ledger_in_digest(ledger)
    if was == is_now or (was == NEW and begun):
        return []
    one, other = ("a new one" if each == NEW else f"the one with ID {each}..." for each in (was, is_now))
    return [f"the ledger: approved with {one}, now {ledger.place}, {other}"]


def no_digest_error(planned: Sequence[PlacedOrder]) -> ResellerError:
    """The error of a plan that cannot be approved as a whole: the approval would not tell of some orders."""
    listed = "\n".join(f"  - {line}" for line in why_not_approvable(planned))
    return ResellerError(
        f"The plan has no digest, so it cannot be approved. Nothing was sent.\n{listed}", kind="invalid"
    )


def spent_error(name: str) -> ResellerError:
    """The error of an order that was claimed under its approval before, and whose record was removed since."""
    return ResellerError(
        f"{name} was claimed under this approval before, and has no record any more. This order was not sent.\n"
        "An approval orders each name once.",
        Advice("To order it again, make and approve a new plan."),
        kind="invalid",
    )
