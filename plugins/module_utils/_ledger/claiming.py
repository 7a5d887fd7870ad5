# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Claims orders and named operations before they are sent, and records how they ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from .._core.advice import Advice, told
from .._core.errors import LedgerError, ResellerError
from . import rows as rows_of
from .order_records import RELEASED, Claim, ClaimEvidence, Outcome, Record, Request, Token
from .precedence import outcome_to_write
from .reading import LedgerReading, similar_records
from .rows import WRITE, Transaction, row_of

_T = TypeVar("_T")


class Claiming(LedgerReading):
    """A ledger in which a run claims what it sends. At most one run has a claim on a name, and on a thing."""

    def make(self) -> None:
        """Make a missing ledger, or check it as a whole, as the first change does. Its digest key is known then."""
        self._use(writing=True)

    # Claiming and recording

    def exchange(
        self,
        outcomes: Mapping[str, Outcome],
        requests: Sequence[Claim],
        *,
        longest: float,
    ) -> tuple[dict[str, Record], list[Record | None]]:
        """Record how orders of this run ended, by their names, and claim others, in one transaction, durably.

        ``longest`` seconds after now, no request of the claims is under way: whoever cannot see this run takes it for
        alive until then. It returns the records of those that ended, and for each request in
        order ``None`` when the claim is this run's now (no record, or a released one), else the record that stands in
        the way, untouched; of a name that is given twice, the second gets the first's claim. One of the other kind
        stands in the way, and a record of another name if it is a duplicate, unless the request is ``again``, and if
        the names look alike. This run's lock is taken before the first claim is written.

        A contract is never lost: if somebody removed a claim meanwhile, it is made again with its outcome; if somebody
        settled it, precedence.py says what stays. Raises ConflictError, with both outcomes in its message, if two
        orders may exist, and LedgerError if the ledger was moved, if it lacks the last token that this run left or saw,
        or if a name was claimed under its approval before. Nothing was written then; if the store failed at the very
        end it may show the claims as in doubt nonetheless, never as free.
        """
        claims: dict[str, Record] = {}

        def work(transaction: Transaction) -> tuple[dict[str, Record], dict[str, Record], Token | None]:
            time = transaction.now()
            until = rows_of.later(time, longest)
            # Of a name that is given twice, the first one.
            for each in reversed(requests):
                claims[each.name] = self._claim(each, time, until)
            records = self._record(transaction, outcomes, time)
            standing = self._of_similar_names(transaction, [*claims])
            orders = [each for each in requests if isinstance(each, Request)]
            others = self._duplicates(transaction, orders, claims) | similar_records([*claims], standing)
            found = others | {
                each.name: each for each in standing if each.name in claims and each.status not in RELEASED
            }
            # Nobody else writes meanwhile: what does not stand in the way now does not when the claims are written.
            own = {name: claims[name] for name in claims if name not in found}
            self._refuse_claimed_before(transaction, orders, own)
            rows_of.write_claims(transaction, own.values())
            if any(map(_evidence_of, map(self._claims.get, outcomes))):
                rows_of.drop_lists(transaction)
            found |= own
            claimed = any(map(self._is_new, found.values()))
            return records, found, self._leave_token(transaction) if claimed else None

        if not (outcomes or requests):
            return {}, []
        database = self._use(writing=True)
        if requests and not self._locked:
            database.take_lock()
            self._locked = True
        records, found, token = database.run(work, writing=True)
        if token is not None:
            self._left(token)
        for name in outcomes:
            evidence = _evidence_of(self._claims.pop(name, None))
            if evidence is not None and records[name].status == "ordered" and not records[name].outcome.contract_id:
                self._evidence[name] = evidence
        return records, [self._in_the_way(found[each.name], claims) for each in requests]

    def _claim(self, claim: Claim, time: str, until: str) -> Record:
        made = Record(claim.name, Outcome("pending"), None, self._run_id, time, None, time, True, deadline=until)
        if isinstance(claim, Request):
            return made._replace(request=self._with_kept_list(claim))
        return made._replace(operation=claim)

    def _with_kept_list(self, request: Request) -> Request:
        """The request with what was listed before as this ledger keeps it."""
        evidence = request.evidence
        if evidence is None or evidence.before is None:
            return request
        return replace(request, evidence=evidence._replace(before=evidence.before.kept(self.digest_key)))

    def _refuse_claimed_before(
        self, transaction: Transaction, requests: Sequence[Request], own: Mapping[str, Record]
    ) -> None:
        """Raise LedgerError if a name of these claims was claimed under its approval, and that claim was not released.

        Its record was removed since, or this run's plan would not have it.
        """
        # All requests of a task have one approval.
        approval = next((each.approval for each in requests if each.approval), None)
        found = rows_of.names_claimed(transaction, approval, [*own]) if approval and own else {}
        if any(found.values()):
            raise claimed_before_error([name for name in found if found[name]], self.place)

    def _is_new(self, record: Record) -> bool:
        # A claim of this run that it does not know of is one whose commit was answered by a lost connection.
        return record.run_id == self._run_id and record.status == "pending" and record.name not in self._claims

    def _in_the_way(self, found: Record, claims: Mapping[str, Record]) -> Record | None:
        if not self._is_new(found):
            return found
        self._claims[found.name] = claims[found.name]
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
            answer = work(transaction)
            rows_of.drop_lists(transaction)
            return answer, self._leave_token(transaction)

        answer, token = self._write_only(changing)
        self._left(token)
        return answer

    def _write_only(self, work: Callable[[Transaction], _T]) -> _T:
        """Do the work in a transaction that leaves no token of itself."""
        return self._use(writing=True).run(work, writing=True)

    def _left(self, token: Token) -> None:
        self.token = token
        if self.on_change is not None:
            self.on_change()

    def _record(self, transaction: Transaction, outcomes: Mapping[str, Outcome], time: str) -> dict[str, Record]:
        claims = {
            name: self._claims.get(name) or Record(name, Outcome("pending"), None, self._run_id, None, None, time)
            for name in outcomes
        }
        # Somebody may have removed a claim: it ends as any other.
        records, ended = claims | self._by_name(transaction, [*claims]), []
        for name, claim in claims.items():
            base = current = records[name]
            decided = outcome_to_write(current, self._run_id, outcomes[name])
            if decided is None:
                continue
            if current.run_id != self._run_id and (
                current.outcome.status in RELEASED or (current.request is None and current.operation is None)
            ):
                base = claim._replace(ordered_at=current.ordered_at)
            records[name] = ended_as(base, decided, self._run_id, base.ordered_at or time, time)
            ended.append(records[name])
        transaction.many(WRITE, map(row_of, ended))
        return records

    def refuse_pending(self, record: Record) -> None:
        """Raise ResellerError if another run has claimed this order or operation, and it is not certain yet."""
        if record.status == "pending" and record.run_id != self._run_id:
            raise pending_error(record)


def _evidence_of(claim: Record | None) -> ClaimEvidence | None:
    return claim.request.evidence if claim and claim.request else None


def claimed_before_error(names: Sequence[str], place: str) -> LedgerError:
    """The error if orders of these names were claimed under the approval that they have."""
    others = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return LedgerError(
        f"{names[0]}{others} was sent before under this approval, and its record was removed. Nothing was sent.\n"
        f"An approval orders each name once. The ledger is {place}.",
        Advice("To order it again, look at the current plan in check mode, and approve that one."),
    )


def ended_as(base: Record, outcome: Outcome, run_id: str | None, ordered_at: str | None, time: str) -> Record:
    """A record with the outcome that this run, or a person (``None``), gives it at this time."""
    at = ordered_at if outcome.status == "ordered" else None
    outcome = rows_of.stored(outcome)
    return base._replace(outcome=outcome, run_id=run_id, ordered_at=at, updated_at=time, alive=False, unseen=False)


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


def why_closed(place: str, moved_to: str | None, incoming_from: str | None) -> str | None:
    """Why nothing may be ordered with a ledger that is moved, or ``None``."""
    if moved_to is not None:
        what = f"The ledger {place} was moved to {moved_to}. Nothing was sent."
        where = f"Set ledger (or RESELLER_LEDGER) to {moved_to}: orders placed since are recorded there alone."
        return told((what, Advice(where)))
    if incoming_from is not None:
        return (
            f"The orders of another ledger are being moved to {place}, and are not there yet. Nothing was sent.\n"
            "If that was cut off, run the same move again (playbook move_ledger), which finishes it."
        )
    return None
