# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rule about money: which outcome of an order replaces which, so that no contract is lost. Pure."""

from __future__ import annotations

from .._core.errors import LedgerError
from .identity import same_contract_id
from .order_records import RELEASED, Outcome, Record


class ConflictError(LedgerError):
    """The ledger has another outcome of an order than the run that sent it, so that two contracts may exist.

    ``recorded`` is the contract ID in the ledger.
    """

    def __init__(self, message: str, recorded: str | None) -> None:
        super().__init__(message)
        self.recorded = recorded


def outcome_to_write(current: Record, run_id: str, own: Outcome) -> Outcome | None:
    """The record after this run's outcome for its order. ``None`` leaves the current record.

    A record without a run is a person's word. What is known of money outranks what is not: ordered, then in doubt,
    then released. Raises ConflictError when the order may have been placed twice.
    """
    kept = current.outcome
    others = current.run_id not in (None, run_id)
    if own.status in RELEASED:
        return None if others or kept.status == "ordered" else own
    if kept.status in RELEASED or not (others or kept.status == "ordered"):
        return own
    if others:
        if kept.status == own.status == "ordered" and same_contract_id(own.contract_id or "", kept.contract_id or "?"):
            return None
    elif own.status == "in_doubt":
        return None
    elif not (kept.contract_id and own.contract_id) or same_contract_id(kept.contract_id, own.contract_id):
        # Both are of one contract.
        return own._replace(
            reason=own.reason or kept.reason,
            contract_id=own.contract_id or kept.contract_id,
            contract=kept.contract if own.contract is None else own.contract,
            l2vpn_id=own.l2vpn_id or kept.l2vpn_id,
        )
    raise ConflictError(
        f"The order {current.name} may exist twice.\n"
        f"Recorded {'by another run' if others else 'meanwhile'} at {current.updated_at}: {_described(kept)}. "
        f"This run's order: {_described(own)}.",
        kept.contract_id,
    )


def _described(outcome: Outcome) -> str:
    words: str = outcome.status
    if outcome.contract_id is not None:
        words += f", contract {outcome.contract_id}"
    return words if outcome.reason is None else f"{words} ({outcome.reason})"


def version_of(record: Record | None) -> tuple[str | None, ...] | None:
    """Return values that change whenever a record is written."""
    return (record.status, record.run_id, record.claimed_at, record.updated_at) if record else None


def is_written(current: Record | None, outcome: Outcome) -> bool:
    """Return whether a person or the service's list settled it in this way already."""
    if current is None or current.run_id is not None or current.outcome.status != outcome.status:
        return False
    if outcome.contract_id:
        return current.outcome.contract_id == outcome.contract_id
    return current.outcome.reason == outcome.reason
