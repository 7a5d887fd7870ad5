# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The error of a claim that is not certain yet, and the lines and tasks that correct a ledger by hand. Pure.

As the lines are offered, they never cause a second order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._core.errors import Advice, LedgerError, ResellerError
from .._core.pasting import CommentedValue, Offer, offer
from .order_records import Kind, Record


def claimant(record: Record) -> str:
    """Return who has claimed the order or operation, in words."""
    claim = record.request or record.operation
    job = claim and (claim.awx_job_id or claim.awx_workflow_job_id)
    return f"AWX job {job}" if job else "Another run"


def waiting_line(pending: Sequence[Record]) -> str:
    """Return what is waited for, for whom, and until when at the latest, for a person who sees nothing happen."""
    first, last = pending[0], max(str(record.deadline) for record in pending)
    others = f" (and {len(pending) - 1} more)" if len(pending) > 1 else ""
    return f"{claimant(first)} has claimed {first.name}{others}. Waiting until {last[11:19]} UTC at the latest."


def pending_error(record: Record) -> ResellerError:
    """The error of an order or operation that a run has claimed and that is not certain yet."""
    return ResellerError(
        f"The {record.kind} {record.name} is {record.status_in_words}. Nothing was sent or changed.\n"
        f"{claimant(record)} claimed it at {record.claimed_at}. A request of it may be under way until "
        f"{record.deadline}.",
        Advice("Run again then. If it hangs, end it. Until it is certain, it cannot be settled."),
        kind="pending",
        **({"order": record.order()} if record.kind == "order" else {}),
    )


def refuse_pending(record: Record) -> None:
    """Raise ResellerError if a run has claimed the order or operation, and it is not certain yet."""
    if record.status == "pending":
        raise pending_error(record)


def other_number_error(name: str, planned: int, number: int, place: str) -> LedgerError:
    """The error of a name that was claimed more or less often than its plan says."""
    if number > planned:
        what = f"{name} was claimed since the plan was made. Nothing was sent.\nThe plan orders each name once"
    else:
        what = f"The ledger is older than the plan: it lacks a claim of {name}. Nothing was sent.\nIt may be restored"
    return LedgerError(
        f"{what}. The ledger is {place}: {number} claims of {name}, {planned} in the plan.",
        Advice("Look at the current plan in check mode, and approve that one."),
    )


#: Stands for the ID of a contract that is there, and whose ID is not known.
UNKNOWN_ID = "unknown"
_OR_ABSENT = {
    "order": "or absent, if the portal does not show the contract and never will. Only once: the next run orders it",
    "operation": "or absent, if it was not done and never will be. Only once: the next run sends it",
}


def offer_settling(
    name: str, place: str, *, state: str | None = None, contract_id: str | None = None, kind: Kind = "order"
) -> Offer:
    """Return the line that settles the order or operation in the ledger at ``place``.

    ``state`` is what is known of it, ``present`` or ``absent``; ``None``: that is for the person to find out.
    """
    options: dict[str, Any] = {"name": name, "state": state or CommentedValue("present", _OR_ABSENT[kind])}
    if contract_id is not None:
        options["contract_id"] = contract_id
    elif kind == "order" and state != "absent":
        options["contract_id"] = CommentedValue(UNKNOWN_ID, "or the ID that the portal shows")
    return offer_by_hand(f"Settle the {kind}", options, place)


def name_beside(name: str) -> str:
    """The name to record a second contract of an order under. It is no longer than a name may be."""
    return f"{name[:253]}/2"


def offer_by_hand(
    title: str, options: Mapping[str, Any], place: str, *, diff: bool = False, module: str = "reseller_record"
) -> Offer:
    """Return the line that runs the module with these options in the ledger at ``place``, and in no other one.

    The address of a server has no password there. It is found where that of the ledger is (see location_of), or by
    libpq: without one, the offer fails.
    """
    ledger = (
        CommentedValue(place, "The password is that of RESELLER_LEDGER, PGPASSWORD or ~/.pgpass")
        if "://" in place
        else place
    )
    return offer(title, f"hosting.reseller.{module}", {**options, "ledger": ledger}, diff=diff)
