# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Claims orders and named operations before they are sent, and records how they ended."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from .._core.advice import Advice, told
from .._core.errors import LedgerError, ResellerError
from . import rows as rows_of
from .order_records import RELEASED, Kind, Outcome, Record, Request, Token
from .precedence import outcome_to_write
from .reading import LedgerReading
from .rows import INSERT_CLAIM, INSERT_MISSING, Liveness, Transaction, record_of, row_of

_T = TypeVar("_T")


class Claiming(LedgerReading):
    """A ledger in which a run claims what it sends. At most one run has a claim on a name, and on a thing."""

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
