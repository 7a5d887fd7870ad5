# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every ledger guarantees: claiming, recording, settling, removing and moving orders.

A ledger holds at most one record for a name. It never holds a secret: the caller hands over settings from which
secrets are removed and in which contact data are replaced by keyed digests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from .._core.advice import Advice, told
from .._core.errors import LedgerError, ResellerError
from . import rows as rows_of
from .identity import is_of_contract
from .order_records import RELEASED, Kind, Outcome, Record, Request, Settlement, Token
from .precedence import joined, outcome_to_write
from .reading import LedgerReading, in_chunks
from .rows import INSERT_CLAIM, INSERT_MISSING, Liveness, Row, Transaction, record_of, row_of

_T = TypeVar("_T")


@dataclass(frozen=True)
class Contents:
    """All that a ledger holds, to be taken over by another one: its ID, its digest key, and the rows of its tables."""

    id: str
    digest_key: bytes
    orders: Sequence[Row]
    runs: Sequence[Row]
    lists: Sequence[Row]


class Ledger(LedgerReading):
    """The durable store of every order sent. Its methods raise LedgerError when it cannot be read or written."""

    def make(self) -> None:
        """Make the ledger if it is missing, as its first change does. Its digest key is known from then on."""
        with self._used(writing=True):
            pass

    # Claiming and recording

    def exchange(
        self,
        outcomes: Mapping[str, Outcome],
        requests: Sequence[Request],
        *,
        longest: float,
        again: Collection[str] = (),
        kind: Kind = "order",
    ) -> tuple[dict[str, Record], list[Record | None]]:
        """Record how orders of this run ended, by their names, and claim others, in one transaction, durably.

        All are of one ``kind``. ``longest`` seconds after now, no request of the claims is under way: whoever cannot
        see this run takes it for alive until then. The records as they stand then, and what claim() answers. When
        LedgerError is raised, nothing was written, see claim() and record().
        """
        if any(outcome.status == "pending" for outcome in outcomes.values()):
            raise ValueError("an outcome is how an order ended: it cannot be pending")
        claims: dict[str, Record] = {}

        def work(transaction: Transaction) -> tuple[dict[str, Record], dict[str, Record], Token | None]:
            time = transaction.now()
            until = rows_of.later(time, longest)
            # Of a name that is given twice, the first one.
            for each in reversed(requests):
                claims[each.name] = Record(
                    each.name, Outcome("pending"), each, self._run_id, time, None, time, True, deadline=until, kind=kind
                )
            records = self._record(transaction, outcomes, kind)
            twins = self._duplicates(transaction, requests, claims, again)
            twins |= self._in_other_case(transaction, [*claims], kind)
            transaction.many(INSERT_CLAIM, (row_of(claim) for name, claim in claims.items() if name not in twins))
            rows_of.keep_lists(transaction, claims.values())
            standing = self._standing(transaction, [*claims], kind)
            free = {name for name in twins if name not in standing or standing[name].status in RELEASED}
            standing |= {name: twins[name] for name in free}
            claimed = any(map(self._is_new, standing.values()))
            return records, standing, self._leave_token(transaction) if claimed else None

        if not (outcomes or requests):
            return {}, []
        with self._used(writing=True):
            if requests and not self._locked:
                self._database.take_lock()
                self._locked = True
            records, standing, token = self._database.run(work, writing=True)
            if token is not None:
                self._left(token)
            for name in outcomes:
                self._claims.pop((kind, name), None)
            return records, [self._in_the_way(standing[each.name], claims) for each in requests]

    def claim(
        self, requests: Sequence[Request], *, longest: float = 0.0, again: Collection[str] = (), kind: Kind = "order"
    ) -> list[Record | None]:
        """Record these orders as ``pending`` for this run, in one transaction that is durable on return.

        For each request, in order: ``None`` when the claim is this run's now (no record, or a released one), else the
        record that stands in the way, untouched; of a name that is given twice, the second gets the first's claim. A
        record of another name stands in the way if it is a duplicate, unless the request's name is in ``again``, and if
        the names differ in capital letters only: of two runs that claim such names, one gets the other's claim. This
        run's lock is taken before the first claim is written. Raises LedgerError if the ledger was moved, or lacks the
        last token that this run left or saw.
        When LedgerError is raised, nothing was claimed; if the store failed at the very end it may show the claims as
        in doubt nonetheless, never as free.
        """
        return self.exchange({}, requests, longest=longest, again=again, kind=kind)[1]

    def record(self, name: str, outcome: Outcome, kind: Kind = "order") -> Record:
        """Record durably how this run's order ended, and return the new record.

        ``outcome`` is not ``pending``. Saying it again is harmless.

        A contract is never lost: if somebody removed the claim meanwhile, it is made again; if somebody settled it,
        ``ordered`` outranks everything, ``in_doubt`` everything but ``ordered``, and a contract id that one side
        lacks is filled in. A record that another run claimed meanwhile is left as it is: that is LedgerError (with
        both outcomes in its message) if two orders may exist, as are two different contract ids.
        """
        return self.exchange({name: outcome}, [], longest=0.0, kind=kind)[0][name]

    def _is_new(self, record: Record) -> bool:
        # A claim of this run that it does not know of is one whose commit was answered by a lost connection.
        claimed = (record.kind, record.name) in self._claims
        return record.run_id == self._run_id and record.status == "pending" and not claimed

    def _in_the_way(self, standing: Record, claims: Mapping[str, Record]) -> Record | None:
        if not self._is_new(standing):
            return standing
        self._claims[standing.kind, standing.name] = claims[standing.name]
        return None

    def _leave_token(self, transaction: Transaction) -> Token:
        """Leave a token of this change, unless the ledger is closed or is no longer the one that this run knows."""
        token = rows_of.leave_token(transaction, self._run_id, self.token)
        moved_to, _moved_from, incoming_from = rows_of.read_moves(transaction)
        if reason := why_closed(self.place, moved_to, incoming_from):
            raise LedgerError(reason)
        if token is None:
            raise LedgerError(
                f"The ledger {self.place} went back in time while this run had it open. Nothing more is sent.\n"
                "It lacks changes that this run made or saw. A failover or a restored backup has lost orders.\n"
                "Do not order anything until the ledger has been restored, or the contracts that the customer portal "
                "shows were adopted."
            )
        return token

    def _change(self, work: Callable[[Transaction], _T]) -> _T:
        """Do the work in a transaction that leaves a token."""

        def changing(transaction: Transaction) -> tuple[_T, Token]:
            return work(transaction), self._leave_token(transaction)

        with self._used(writing=True):
            answer, token = self._database.run(changing, writing=True)
            self._left(token)
            return answer

    def _left(self, token: Token) -> None:
        self.token = token
        if self.on_change is not None:
            self.on_change()

    def _record(self, transaction: Transaction, outcomes: Mapping[str, Outcome], kind: Kind) -> dict[str, Record]:
        time = transaction.now()
        claims = {
            name: self._claims.get((kind, name))
            or Record(name, Outcome("pending"), None, self._run_id, None, None, time, kind=kind)
            for name in outcomes
        }
        # Somebody may have removed a claim: it is put back, and then ends as any other.
        records = self._standing_or(transaction, [*claims.values()], kind)
        for name, claim in claims.items():
            base = standing = records[name]
            decided = outcome_to_write(standing, self._run_id, outcomes[name])
            if decided is None:
                continue
            if standing.run_id != self._run_id and (standing.outcome.status in RELEASED or standing.request is None):
                base = replace(claim, ordered_at=standing.ordered_at)
            base = replace(base, run_id=self._run_id)
            records[name] = self._write(transaction, base, decided, base.ordered_at or time)
        return records

    # Settling, adopting, removing

    def settle(self, settlements: Sequence[Settlement], *, really: bool = True) -> list[Record | None]:
        """Settle or adopt in one transaction, durably, or only tell what stands in the way of that.

        For each ``None``, or without having written it the record that stands in the way: its own if that has changed
        since ``before`` was read, that of another order with the same contract id, or that of the same thing under
        another name, unless that is wanted ``again`` or was recorded here before. Of a recorded contract with the same
        or no id, what the outcome does not tell is kept. Raises ResellerError while another run is placing the order.
        """
        if any(each.outcome.status == "pending" for each in settlements):
            raise ValueError("an order is settled as what became of it: it cannot be pending")

        def work(transaction: Transaction) -> list[Record | None]:
            ids = [each.outcome.contract_id for each in settlements if each.outcome.contract_id]
            having = self._records(transaction, lambda each: in_chunks(rows_of.having, each, ids))
            return [self._settle(transaction, each, having, really) for each in settlements]

        if not really:
            return self._look(work)
        answer = self._change(work)
        for each, in_the_way in zip(settlements, answer, strict=True):
            if in_the_way is None:
                self._claims.pop((each.kind, each.name), None)
        return answer

    def _settle(
        self, transaction: Transaction, settlement: Settlement, having: list[Record], really: bool
    ) -> Record | None:
        name, outcome, request, kind = settlement.name, settlement.outcome, settlement.request, settlement.kind
        standing = self._standing(transaction, [name], kind).get(name)
        if _version_of(standing) != _version_of(settlement.before):
            # It may have been written by this very transaction, whose commit was answered by a lost connection.
            return None if _is_written(standing, outcome) else standing or settlement.before
        # What is known to be there stays, whatever a run that may live still records.
        if standing is not None and not (standing.unseen and outcome.status == "ordered"):
            self.refuse_in_flight(standing)
        known = request or (standing.request if standing else None)
        for other in having:
            if other.name != name and is_of_contract(other, outcome.contract_id, known):
                return other
        if request is not None and not (settlement.again or _is_about(standing, request)):
            twins = self._duplicates(transaction, [request])
            if twins:
                return twins[name]
        adopted = Record(name, outcome, request, None, None, None, transaction.now(), kind=kind)
        if not really:
            having.append(adopted)
            return None
        standing = standing or self._standing_or(transaction, [adopted], kind)[name]
        settled = outcome
        if standing.outcome.status == outcome.status == "ordered":
            settled = joined(standing.outcome, outcome) or outcome
        base = replace(standing, run_id=None, request=known)
        # It was sent when it was claimed. When a contract was bought elsewhere is not known.
        having.append(self._write(transaction, base, settled, standing.ordered_at or standing.claimed_at))
        return None

    def move_service(self, old: str, new: str) -> None:
        """Give all records whose service is exactly ``old`` the address ``new``."""
        self._change(lambda transaction: rows_of.move_service(transaction, old, new))

    def remove(self, name: str, kind: Kind = "order") -> None:
        """Remove the record with this name, if any. Raises ResellerError while another run is placing it."""

        def work(transaction: Transaction) -> None:
            standing = self._standing(transaction, [name], kind).get(name)
            if standing is not None:
                self.refuse_in_flight(standing)
                rows_of.delete(transaction, name, kind)

        self._change(work)
        self._claims.pop((kind, name), None)

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

        with self._used(writing=True):
            return self._database.run(work, writing=True)

    def retire(self, moved_to: str) -> Contents:
        """Record that the ledger was moved to this location, and return what it holds.

        Nothing is claimed, settled or removed in it any more. Raises ResellerError while a run is placing an order, and
        LedgerError if it was moved elsewhere.
        """

        def work(transaction: Transaction) -> tuple[Contents, Token | None]:
            token = None
            if rows_of.read_moves(transaction)[0] != moved_to:
                pending = rows_of.select(" AND status = 'pending'")
                for record in self._records(transaction, lambda each: each.query(pending)):
                    self.refuse_in_flight(record)
                token = self._leave_token(transaction)
                rows_of.write_meta(transaction, "moved_to", moved_to)
            return Contents(self.id, self.digest_key, *rows_of.read_all(transaction)), token

        with self._used(writing=True):
            contents, token = self._database.run(work, writing=True)
            self.token = token or self.token
            return contents

    def take_over(self, contents: Contents) -> None:
        """Take over all that another ledger holds, which awaits it. From then on it is in use."""

        def work(transaction: Transaction) -> None:
            _moved_to, moved_from, incoming_from = rows_of.read_moves(transaction)
            if moved_from == contents.id:
                return  # by another run, or by this very transaction, whose commit was answered by a lost connection
            if incoming_from != contents.id:
                raise LedgerError(not_empty(self.place))
            rows_of.write_meta(transaction, "digest_key", contents.digest_key.hex())
            rows_of.write_meta(transaction, "moved_from", contents.id)
            rows_of.write_meta(transaction, "incoming_from", None)
            rows_of.write_all(transaction, contents.orders, contents.runs, contents.lists)

        with self._used(writing=True):
            self._database.run(work, writing=True)
            self._database.digest_key = contents.digest_key

    def use_again(self) -> None:
        """Take a ledger that was moved, or that awaits another one's rows, into use as it is."""

        def work(transaction: Transaction) -> None:
            for key in ("moved_to", "incoming_from"):
                rows_of.write_meta(transaction, key, None)

        with self._used(writing=True):
            self._database.run(work, writing=True)

    # Records within a transaction

    def _write(self, transaction: Transaction, base: Record, outcome: Outcome, ordered_at: str | None) -> Record:
        """Write this outcome over a record; the record as it is read from then on."""
        at = ordered_at if outcome.status == "ordered" else None
        row = rows_of.update(transaction, replace(base, outcome=outcome, ordered_at=at, updated_at=transaction.now()))
        return record_of(row, Liveness(()))

    def refuse_in_flight(self, standing: Record) -> None:
        """Raise ResellerError if another run is placing this order, or sending this operation, or may still do so."""
        if standing.status == "pending" and standing.run_id != self._run_id:
            is_order = standing.kind == "order"
            wait = (
                f"Whether that run still lives cannot be seen from here. A request of it may be under way until "
                f"{standing.deadline}: wait until then."
                if standing.unseen
                else "Wait until that run has ended. If it dies, it is in doubt from then on, and can be settled."
            )
            raise ResellerError(
                f"Another run has been {'placing' if is_order else 'sending'} the {standing.kind} {standing.name} "
                f"since {standing.claimed_at}.\n{wait}",
                kind="in_flight",
                order=standing.order() if is_order else None,
            )

    def _standing_or(self, transaction: Transaction, missing: Sequence[Record], kind: Kind) -> dict[str, Record]:
        """The records with the names of these, by name, of which those that are missing are written."""
        while True:
            standing = self._standing(transaction, [each.name for each in missing], kind)
            absent = [row_of(each) for each in missing if each.name not in standing]
            if not absent:
                return standing
            transaction.many(INSERT_MISSING, absent)


def why_closed(place: str, moved_to: str | None, incoming_from: str | None) -> str | None:
    """Why nothing may be ordered with a ledger that is moved, or ``None``."""
    if moved_to is not None:
        what = f"The ledger {place} was moved to {moved_to}. Nothing was sent."
        where = f"Set ledger (or RESELLER_LEDGER) to {moved_to}: orders placed since are recorded there alone."
        return told((what, Advice("ledger", where)))
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


def _version_of(record: Record | None) -> tuple[str | None, ...] | None:
    """What changes whenever a record is written."""
    return (record.status, record.run_id, record.claimed_at, record.updated_at) if record else None


def _is_written(standing: Record | None, outcome: Outcome) -> bool:
    """Whether a person or the service's list settled it in this way already."""
    if standing is None or standing.run_id is not None or standing.outcome.status != outcome.status:
        return False
    if outcome.contract_id:
        return standing.outcome.contract_id == outcome.contract_id
    return standing.outcome.reason == outcome.reason


def _is_about(standing: Record | None, request: Request) -> bool:
    known = standing.request if standing is not None else None
    return known is not None and known.identity == request.identity
