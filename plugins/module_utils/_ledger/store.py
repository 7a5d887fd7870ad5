# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every ledger guarantees: claiming, recording, settling, removing and moving orders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

from .._core.errors import LedgerError
from . import rows as rows_of
from .claiming import Claiming, ended_as, why_closed
from .identity import is_of_contract
from .order_records import Outcome, Record, Settlement, Token
from .rows import Row, Transaction, row_of, rows_with

_T = TypeVar("_T")


#: All orders, runs, lists and approvals of a ledger.
Tables = tuple[list[Row], list[Row], list[Row], list[Row]]


class Ledger(Claiming):
    """The durable store of every order sent. Its methods raise LedgerError when it cannot be read or written."""

    # Settling, adopting, removing

    def settle(self, settlements: Sequence[Settlement], *, write: bool = True) -> list[Record | None]:
        """Settle or adopt in one transaction, durably, or only tell what stands in the way of that.

        For each ``None``, or without having written it the record that stands in the way: its own if that has changed
        since ``before`` was read, that of another order with the same contract id, or that of the same thing under
        another name, unless it is requested ``again`` or was recorded here before. The outcome takes the place of the
        recorded one. Raises ResellerError while another run is placing the order.
        """

        def work(transaction: Transaction) -> list[Record | None]:
            ids = [each.outcome.contract_id.lower() for each in settlements if each.outcome.contract_id]
            recorded = self._records(
                transaction, lambda each: rows_with(each, "lower(contract_id)", ids, rows_of.IS_ORDERED)
            )
            by_id = defaultdict[str | None, list[Record]](list)
            for each in recorded:
                by_id[_folded_id(each.outcome)].append(each)
            return [self._settle(transaction, each, by_id[_folded_id(each.outcome)], write) for each in settlements]

        if not write:
            return self._look(work)
        answer = self._change(work)
        for each, in_the_way in zip(settlements, answer, strict=True):
            if in_the_way is None:
                self._claims.pop(each.name, None)
        return answer

    def _settle(
        self, transaction: Transaction, settlement: Settlement, same_ids: list[Record], write: bool
    ) -> Record | None:
        """Settle one order. ``same_ids`` are the records with its contract id, to which it is added."""
        name, outcome, request = settlement.name, settlement.outcome, settlement.request
        current = self._by_name(transaction, [name]).get(name)
        if _version_of(current) != _version_of(settlement.before):
            # It may have been written by this very transaction, whose commit was answered by a lost connection.
            return None if _is_written(current, outcome) else current or settlement.before
        # What is known to be there stays, whatever a run that may live still records.
        if current is not None and not (current.unseen and outcome.status == "ordered"):
            self.refuse_pending(current)
        recorded = current.request if current is not None else None
        known = request or recorded
        for other in same_ids:
            if other.name != name and is_of_contract(other, outcome.contract_id, known):
                return other
        if request is not None and (recorded is None or recorded.identity != request.identity):
            others = self._duplicates(transaction, [request])
            if others:
                return others[name]
        time = transaction.now()
        adopted = Record(name, outcome, request, None, None, None, time)
        if not write:
            same_ids.append(adopted)
            return None
        current = current or adopted
        # It was sent when it was claimed. When a contract was bought elsewhere is not known.
        sent_at = current.ordered_at or current.claimed_at
        written = ended_as(current._replace(request=known), outcome, None, sent_at, time)
        transaction.query(rows_of.WRITE, row_of(written))
        same_ids.append(written)
        return None

    def move_service(self, old: str, new: str) -> None:
        """Give all records whose service is exactly ``old`` the address ``new``."""
        self._change(lambda transaction: rows_of.move_service(transaction, old, new))

    def remove(self, name: str, before: Record | None = None) -> Record | None:
        """Remove the record with this name, if any. Raises ResellerError while another run is placing it.

        A record that is another one than ``before`` by now is left, and returned.
        """

        def work(transaction: Transaction) -> Record | None:
            current = self._by_name(transaction, [name]).get(name)
            if current is not None:
                self.refuse_pending(current)
                if before is not None and _version_of(current) != _version_of(before):
                    return current
                rows_of.delete(transaction, name)
            return None

        left = self._change(work)
        if left is None:
            self._claims.pop(name, None)
        return left

    # Moving to another ledger

    def await_contents(self, source_id: str) -> bool:
        """Mark this ledger as the one that is to take over the rows of another one. Nothing is ordered with it until
        then.

        ``False`` if it has taken them over. Raises LedgerError unless it is empty, and awaits no other one's.
        """

        def work(transaction: Transaction) -> bool:
            _moved_to, moved_from, incoming_from = rows_of.read_moves(transaction)
            if moved_from == source_id:
                return False
            if incoming_from not in (None, source_id):
                raise LedgerError(why_closed(self.place, None, incoming_from) or "")
            if any(rows_of.read_all(transaction)):
                raise LedgerError(not_empty(self.place))
            rows_of.write_meta(transaction, "incoming_from", source_id)
            return True

        return self._write_only(work)

    def retire(self, moved_to: str) -> Tables:
        """Record that the ledger was moved to this location, and return what it holds.

        Nothing is claimed, settled or removed in it any more. Raises ResellerError while a run is placing an order, and
        LedgerError if it was moved elsewhere.
        """

        def work(transaction: Transaction) -> tuple[Tables, Token | None]:
            token = None
            if rows_of.read_moves(transaction)[0] != moved_to:
                pending = rows_of.select(" AND status = 'pending'")
                for record in self._records(transaction, lambda each: each.query(pending)):
                    self.refuse_pending(record)
                token = self._leave_token(transaction)
                rows_of.write_meta(transaction, "moved_to", moved_to)
            return rows_of.read_all(transaction), token

        tables, token = self._write_only(work)
        self.token = token or self.token
        return tables

    def take_over(self, source: Ledger, tables: Tables) -> None:
        """Take over all that another ledger holds, which this one awaits. From then on this one is in use."""

        def work(transaction: Transaction) -> None:
            _moved_to, moved_from, incoming_from = rows_of.read_moves(transaction)
            if moved_from == source.id:
                return  # by another run, or by this very transaction, whose commit was answered by a lost connection
            if incoming_from != source.id:
                raise LedgerError(not_empty(self.place))
            rows_of.write_meta(transaction, "digest_key", source.digest_key.hex())
            rows_of.write_meta(transaction, "moved_from", source.id)
            rows_of.write_meta(transaction, "incoming_from", None)
            rows_of.write_all(transaction, *tables)

        self._write_only(work)
        self._database.digest_key = source.digest_key

    def use_again(self) -> None:
        """Take a ledger that was moved, or that awaits another one's rows, into use as it is."""

        def work(transaction: Transaction) -> None:
            for key in ("moved_to", "incoming_from"):
                rows_of.write_meta(transaction, key, None)

        self._write_only(work)


def not_empty(place: str) -> str:
    """The error of a ledger that is to take over another one."""
    return (
        f"The ledger {place} has records of its own, so that no other ledger can be moved there.\n"
        "Give the location of an empty ledger, or of none: it is made."
    )


def _folded_id(outcome: Outcome) -> str | None:
    return outcome.contract_id and outcome.contract_id.casefold()


def _version_of(record: Record | None) -> tuple[str | None, ...] | None:
    """What changes whenever a record is written."""
    return (record.status, record.run_id, record.claimed_at, record.updated_at) if record else None


def _is_written(current: Record | None, outcome: Outcome) -> bool:
    """Whether a person or the service's list settled it in this way already."""
    if current is None or current.run_id is not None or current.outcome.status != outcome.status:
        return False
    if outcome.contract_id:
        return current.outcome.contract_id == outcome.contract_id
    return current.outcome.reason == outcome.reason
