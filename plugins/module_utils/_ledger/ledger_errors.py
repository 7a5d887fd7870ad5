# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The errors of a ledger, and the lines and tasks that correct it by hand. Pure.

As the lines are offered, they never cause a second order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._core.errors import Advice, LedgerError, ResellerError, message_of
from .._core.pasting import PLACEHOLDER, Noted, Offer, offer
from .order_records import Kind, Record


def damaged(place: str, how: str) -> LedgerError:
    """Return the error of a ledger that is not as this collection wrote it."""
    return LedgerError(
        f"The ledger {place} was damaged: {how}.\n"
        "Do not order anything until the ledger has been restored from a backup."
    )


def other_version_error(place: str, version: int, own: int) -> LedgerError:
    """Return the error of a ledger whose tables have another version than this release's ``own``."""
    tables = f"Its tables have version {version}, this release reads {own}. The ledger was not changed."
    if version > own:
        return LedgerError(
            f"The ledger {place} was written by a newer release of hosting.reseller.\n{tables}",
            Advice("Use the release that wrote it, or a newer one."),
        )
    return LedgerError(
        f"The ledger {place} was written by a development version of hosting.reseller.\n{tables}",
        Advice(
            "Set ledger (or RESELLER_LEDGER) to a new location, and new_ledger to allow for one run. Before you order "
            "anything, adopt all contracts of the old one there: reseller_reconcile lists them, and reseller_record "
            "with state: present records each.",
        ),
    )


def back_in_time_error(place: str) -> LedgerError:
    """The error of a ledger that lacks changes of this run, or that this run saw."""
    return LedgerError(
        f"The ledger {place} went back in time while this run had it open. Nothing more is sent.\n"
        "It lacks changes that this run made or saw. A failover or a restored backup has lost orders.\n"
        "Do not order anything until the ledger has been restored, or the contracts that the customer portal "
        "shows were adopted."
    )


def why_closed(place: str, moved_to: str | None, incoming_from: str | None) -> str | None:
    """Why nothing may be ordered with a ledger that is moved, or ``None``."""
    if moved_to is not None:
        what = f"The ledger {place} was moved to {moved_to}. Nothing was sent."
        where = f"Set ledger (or RESELLER_LEDGER) to {moved_to}: orders placed since are recorded there alone."
        return message_of((what, Advice(where)))
    if incoming_from is not None:
        return (
            f"The orders of another ledger are being moved to {place}, and are not there yet. Nothing was sent.\n"
            "If that was cut off, run the same move again (playbook move_ledger), which finishes it."
        )
    return None


def not_empty(place: str) -> str:
    """The error of a ledger that is to take over another one."""
    return (
        f"The ledger {place} has records of its own, so that no other ledger can be moved there.\n"
        "Give the location of an empty ledger, or of none: it is made."
    )


def claimed_before_error(names: Sequence[str], place: str) -> LedgerError:
    """The error if orders of these names were claimed under the approval that they have."""
    others = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return LedgerError(
        f"{names[0]}{others} was sent before under this approval, and its record was removed. Nothing was sent.\n"
        f"An approval orders each name once. The ledger is {place}.",
        Advice("To order it again, look at the current plan in check mode, and approve that one."),
    )


def pending_error(record: Record) -> ResellerError:
    """The error of an order or operation that a run has claimed and that is not certain yet."""
    ended = "" if record.unseen else ", or when its run has ended"
    return ResellerError(
        f"The {record.kind} {record.name} is {record.status_in_words}. Nothing was sent or changed.\n"
        f"A run claimed it at {record.claimed_at}. A request of it may be under way until {record.deadline}.",
        Advice(f"Run again then{ended}. If it hangs, end it. Until it is certain, it cannot be settled."),
        kind="pending",
        **({"order": record.order()} if record.kind == "order" else {}),
    )


def refuse_pending(record: Record) -> None:
    """Raise ResellerError if a run has claimed the order or operation, and it is not certain yet."""
    if record.status == "pending":
        raise pending_error(record)


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
    is_order = kind == "order"
    options: dict[str, Any] = {"name": name, "state": state or Noted("present", _OR_ABSENT[kind])}
    if contract_id is not None:
        options["contract_id"] = contract_id
    elif is_order and state != "absent":
        options["contract_id"] = Noted(UNKNOWN_ID, "or the ID that the portal shows")
    return offer_by_hand(f"Settle the {kind}", options, place)


def name_beside(name: str) -> str:
    """The name to record a second contract of an order under. It is no longer than a name may be."""
    return f"{name[:253]}/2"


def offer_by_hand(
    title: str, options: Mapping[str, Any], place: str, *, diff: bool = False, module: str = "reseller_record"
) -> Offer:
    """Return the line that runs the module with these options in the ledger at ``place``, and in no other one.

    The address of a server has no password there: without one from elsewhere, the offer fails.
    """
    module = f"hosting.reseller.{module}"
    if not place.startswith("postgresql:"):
        return offer(title, module, {**options, "ledger": place}, diff=diff)
    ledger = Noted(PLACEHOLDER, f"in RESELLER_LEDGER, {place} with its password", given=False)
    return offer(title, module, {**options, "ledger": ledger}, environ={"RESELLER_LEDGER": place}, diff=diff)
