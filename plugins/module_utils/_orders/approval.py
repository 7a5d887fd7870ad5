# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Approvals: of a whole plan by its digest, and of the rest of a plan that was begun, which a file has.

Each name of a plan has a number: how often it was claimed before. So one approval never orders a name twice.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._core.errors import Advice, ConfigurationError, ResellerError
from .._core.files import refuse_unsafe
from .._ledger.store import Ledger
from .placed_order import PlacedOrder
from .plan import COMPARED, NEW, SCHEME, Entries, digest_of_entries, ledger_in_digest, why_not_approvable

#: What of an entry is compared whatever became of its order.
_ALWAYS = ("product", "product_type", "end_user")
_ANEW = "Look at the current plan in check mode, and approve that one."
#: A plan of 100,000 orders is smaller, in characters.
_LARGEST = 100_000_000


def spent_names(digest: str, approved: Any, plan: Entries, current: str | None, ledger: Ledger) -> frozenset[str]:
    """Return the names of ``plan`` that were claimed under the approval before and have no record: they are not sent.

    ``digest`` is the approval, and ``current`` the digest of ``plan``. A digest alone approves the whole plan. With
    ``approved``, the entries of the approved plan, a run sends what of that was never claimed.

    Raises ResellerError for what is not approved, and ConfigurationError for an approval of another form.
    """
    if not digest.startswith(SCHEME):
        raise ConfigurationError(
            f"{'approved_plan is not a valid plan digest' if digest else 'approved_plan is missing or empty'}. "
            f"Nothing was sent.\nRun the playbook with --check, which returns plan_digest ({SCHEME}…).\n"
            "If you approve that plan, give this digest."
        )
    if approved is not None and not _is_plan_of(digest, approved):
        raise _not_approved(["plan_file holds another plan than the one with this digest"], digest, current)
    if digest == current:
        return frozenset()
    orders = [entry for entry in plan if entry["action"] == "order"]
    if approved is None:
        lines = [f"would be ordered now: {_line_of(entry)}" for entry in orders]
        advice = "To order what is left of the approved plan, give that as plan_file."
        raise _not_approved(lines, digest, current, advice)
    before = {entry["name"]: entry for entry in approved}
    claimed = ledger.numbers([*before])
    begun = any(claimed[name] > entry["number"] for name, entry in before.items())
    lines = [*_changes(before, plan, begun=begun), *_of_other_ledger(digest, ledger, begun=begun)]
    if lines:
        raise _not_approved(lines, digest, current)
    return frozenset(entry["name"] for entry in orders if entry["number"] == before[entry["name"]]["number"] + 1)


def _is_plan_of(digest: str, plan: Any) -> bool:
    """Return whether these are the entries of a plan with this digest."""
    return (
        isinstance(plan, list)
        and all(
            isinstance(entry, Mapping) and entry.keys() >= {*COMPARED} and isinstance(entry["name"], str)
            for entry in plan
        )
        and digest.rpartition(":")[2] == digest_of_entries(plan)
    )


def _not_approved(lines: list[str], digest: str, current: str | None, *advice: str) -> ResellerError:
    listed = "\n".join(f"  - {line}" for line in lines)
    return ResellerError(
        f"The plan is no longer the approved one. Nothing was sent.\n{listed}",
        Advice(" ".join((_ANEW, *advice))),
        f"Approved: {digest}, now: {current or 'none, because not all of it can be placed'}.",
        kind="invalid",
        approved_digest=digest,
        plan_differences=lines,
    )


def _line_of(entry: Mapping[str, Any]) -> str:
    product = entry.get("product_name") or entry["product"] or entry["product_type"]
    return f"{entry['name']!r}, {product} for {entry['end_user']}"


def _changes(before: Mapping[str, Mapping[str, Any]], plan: Entries, *, begun: bool) -> list[str]:
    """Return how a plan differs from the approved one, a line for each difference, but for what was sent of it.

    Of one that was ``begun``, what is no longer wanted can be left out.
    """
    after = {entry["name"]: entry for entry in plan}
    lines = [f"{name!r}: approved, but no longer requested" for name in before if name not in after and not begun]
    for name, entry in after.items():
        if name not in before:
            lines.append(f"{name!r}: requested now ({entry['action']}), but not in the approved list")
        else:
            lines += [f"{name!r}: {change}" for change in _entry_changes(before[name], entry)]
    if not (lines or begun) and [*before] != [*after]:
        lines.append("the entries are the same, in another sequence")
    return lines


def _entry_changes(before: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield how an entry of a plan differs from the approved one. Its number may be one more if it was sent."""
    more = entry["number"] - before["number"]
    if more < 0:
        yield "this ledger is older than the plan"
    elif more > (before["action"] == "order"):
        yield "claimed since the plan was made"
    for field in (*_ALWAYS, "action") if entry["action"] == "order" else _ALWAYS:
        if before[field] != entry[field]:
            yield f"{field} was {before[field]}, and is {entry[field]}"
    if None not in (prints := (before["fingerprint"], entry["fingerprint"])) and len({*prints}) > 1:
        yield "the settings, additional elements, service or organization differ"


def _of_other_ledger(digest: str, ledger: Ledger, *, begun: bool) -> list[str]:
    """Return that the ledger is another one than that of the approval. A new one has an ID once it was ordered with."""
    was, is_now = digest.split(":")[1], ledger_in_digest(ledger)
    if was == is_now or (was == NEW and begun):
        return []
    old, new = ("a new one" if part == NEW else f"the one with ID {part}..." for part in (was, is_now))
    return [f"the ledger: approved with {old}, now {ledger.place}, {new}"]


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


# The file of a plan


def write_plan(path: str, plan: Entries, digest: str | None) -> None:
    """Write ``plan`` and ``plan_digest`` as JSON, readable by this user alone, in place of an earlier plan.

    Raises ConfigurationError if that is not possible or others could change it, and for a file that holds no plan. When
    it is read, its digest alone decides.
    """
    file = Path(path)
    text = json.dumps({"plan_digest": digest, "plan": [*plan]}, indent=1, ensure_ascii=False) + "\n"
    made = None
    try:
        refuse_unsafe("plan_file", path)
        if os.path.lexists(file):
            read_plan(path)
        # A reader sees the earlier plan or this one. The file is made with the mode 0600.
        descriptor, made = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        with open(descriptor, "w", encoding="utf-8") as new:
            new.write(text)
        os.replace(made, file)
    except OSError as error:
        if made is not None:
            with contextlib.suppress(OSError):
                os.unlink(made)
        raise ConfigurationError(
            f"plan_file {path!r} cannot be written: {error.strerror}. Nothing was sent.\n"
            "Give the path of a file in a directory that this user can write to."
        ) from error


def read_plan(path: str) -> list[Any]:
    """Return the entries of a plan file. Raises ConfigurationError for a file that holds no plan."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.loads(file.read(_LARGEST))
    except OSError as error:
        raise ConfigurationError(
            f"plan_file {path!r} cannot be read: {error.strerror}. Nothing was sent.\n"
            "Run the playbook with --check, which writes it."
        ) from error
    except (ValueError, RecursionError):
        content = None
    plan = content.get("plan") if isinstance(content, Mapping) and "plan_digest" in content else None
    if not isinstance(plan, list):
        raise ConfigurationError(
            f"plan_file {path!r} is not a plan. Nothing was sent or changed.\n"
            "Give the path of a file that --check wrote, or of a new one."
        )
    return plan
