# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in ledger_tables.py; every value is bound
"""Reads, claims, records, settles and removes orders and operations, in a transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from .database import Clock
from .identity import (
    by_subject,
    cancellation_name,
    folded_name,
    is_duplicate,
    is_of_contract,
    is_written,
    record_to_write,
    records_of_similar_names,
    replaced_name,
    undisputed,
    version_of,
)
from .ledger_errors import other_number_error, refuse_pending
from .ledger_history import LedgerHistory, marks
from .ledger_tables import CLAIMS, COLUMNS, LISTS, ORDERS, Row, ended_as, later, record_of, row_of, storable
from .order_records import RELEASED, Cancellation, Claim, Filter, ListedIds, Outcome, Record, Request, Settlement

_SELECT = f"SELECT {', '.join(COLUMNS)} FROM {ORDERS}"
_NOT_RELEASED = f" AND status NOT IN ({', '.join(repr(status) for status in sorted(RELEASED))})"
_IS_ORDERED = " AND status = 'ordered'"
_DATED = f"SELECT COALESCE(claimed_at, updated_at), name FROM {ORDERS}"
_OURS = (
    " AND kind = 'order' AND cancelled IS NULL AND service IN (?, '')"
    " AND (end_user <> '__self__' OR organization_id IN (?, ''))"
)
#: Takes the values of row_of(), in place of a record with that name.
_WRITE = (
    f"INSERT INTO {ORDERS} ({', '.join(COLUMNS)}) VALUES ({marks(COLUMNS)}) ON CONFLICT (name) DO "
    f"UPDATE SET {', '.join(f'{column} = excluded.{column}' for column in COLUMNS[1:])}"
)
_SERVICES = f"SELECT service, COUNT(*) FROM {ORDERS} WHERE service <> '' GROUP BY service"
_COUNT_CLAIM = (
    f"INSERT INTO {CLAIMS} (folded_name, number) VALUES (?, 1) "
    f"ON CONFLICT (folded_name) DO UPDATE SET number = {CLAIMS}.number + 1"
)
_COUNT_RELEASE = f"UPDATE {CLAIMS} SET number = number - 1 WHERE folded_name = ? AND number > 0"
_KEEP_LIST = f"INSERT INTO {LISTS} (digest, hashes) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING"
_NOTE_ADDRESS = f"UPDATE {ORDERS} SET address = ? WHERE name = ? AND contract_id = ?{_IS_ORDERED}"
_DROP_LISTS = f"DELETE FROM {LISTS} WHERE digest NOT IN (SELECT listed FROM {ORDERS} WHERE listed IS NOT NULL)"


class Transaction(LedgerHistory):
    """A transaction of one run, open while the work that it is given to runs."""

    # Reading records

    def find(self, names: Sequence[str]) -> dict[str, Record]:
        """The records of orders and operations with these names, by name. Names without a record are left out."""
        return self.look_up(names)[0]

    def look_up(self, names: Sequence[str]) -> tuple[dict[str, Record], dict[str, Record]]:
        """The records with these names, and those that take these names, which may have others."""
        # Not by an index on the name: SQLite would take the name from that, whatever row it leads to.
        forms = [*map(folded_name, names)]
        holders = self._records(self.rows_with(_SELECT, "folded_name", forms))
        records = {record.name: record for record in holders}
        return {name: records[name] for name in names if name in records}, records_of_similar_names(names, holders)

    def select(self, wanted: Filter) -> list[Record]:
        """The records that match, in the order of ``claimed_at`` (adopted ones by ``updated_at``) and name."""
        given: dict[str, Collection[str] | None] = {
            "kind": wanted.kind and [wanted.kind],
            "lower(end_user)": wanted.end_users and [user.lower() for user in wanted.end_users],
            "product_type": wanted.product_types,
            # What is pending may turn out to be in doubt.
            "status": None if wanted.statuses is None else {*wanted.statuses, "pending"},
        }
        limits = {column: texts for column, texts in given.items() if texts is not None}
        condition = "".join(f" AND {column} IN ({marks(texts)})" for column, texts in limits.items())
        values = [value for texts in limits.values() for value in texts]

        if wanted.names is None:
            rows = self.query(f"{_SELECT} WHERE 1 = 1{condition}", values)
        else:
            rows = self.rows_with(_SELECT, "folded_name", map(folded_name, wanted.names), condition, values)
        records = filter(wanted.holds, self._records(rows))
        return sorted(records, key=lambda record: (record.claimed_at or record.updated_at, record.name))

    def duplicates(
        self, requests: Sequence[Request], claims: Mapping[str, Record] = MappingProxyType({})
    ) -> dict[str, Record]:
        """The records for the same things as these requests under other names, by the requests' names.

        An order in doubt and a pending one stand, too. With ``claims``, which are written with the requests, these
        stand as well, and a request that ``may_be_second`` has no duplicates.
        """
        wanted = [(request, request.identity.subject) for request in requests if request.identity]
        subjects = [subject for _request, subject in wanted]
        of_subject = by_subject(self._records(self.rows_with(_SELECT, "subject", subjects, _NOT_RELEASED)))
        others: dict[str, Record] = {}
        for request, subject in wanted:
            those = of_subject.setdefault(subject, [])
            is_wanted = request.may_be_second and request.name in claims
            other = None if is_wanted else next((record for record in those if is_duplicate(record, request)), None)
            if other is not None:
                others.setdefault(request.name, other)
            elif request.name in claims:
                those.append(claims[request.name])
        return others

    def open_cancellations(self, orders: Sequence[Record]) -> dict[str, Record]:
        """The cancellations of these orders' contracts that are pending or in doubt, by the orders' names."""
        with_id = {order.name: order.outcome.contract_id for order in orders if order.outcome.contract_id}
        numbers = self.numbers([*with_id])
        keys = {cancellation_name(name, id_, numbers[name]): name for name, id_ in with_id.items()}
        records = self.find([*keys])
        return {keys[key]: record for key, record in records.items() if record.status in ("pending", "in_doubt")}

    def cancellation_of(self, order: Record) -> str:
        """The name of the request that cancels the contract of an order."""
        return cancellation_name(order.name, order.outcome.contract_id or "", self.numbers([order.name])[order.name])

    def count(self) -> int:
        """Return the number of orders and operations."""
        ((count,),) = self.query(f"SELECT COUNT(*) FROM {ORDERS}")
        return int(count)

    def names_for(self, end_users: Collection[str], service: str, organization_id: str) -> list[str]:
        """The names of orders of these end users at a service, released ones aside, by the time of their claim.

        Those for ``__self__`` are of this organization. A service or organization that is not known may be this one.
        """
        condition, values = _NOT_RELEASED + _OURS, [service, organization_id]
        rows = self.rows_with(_DATED, "lower(end_user)", map(str.lower, end_users), condition, values)
        return [name for _time, name in sorted(map(tuple, rows))]

    def known_ids(self, ids: Collection[str]) -> frozenset[str]:
        """Those of these IDs, in small letters, that are of the end user or product of any order."""
        forms = "lower(end_user)", "lower(product)"
        columns = [self.rows_with(f"SELECT DISTINCT {form} FROM {ORDERS}", form, ids) for form in forms]
        return frozenset(id_ for rows in columns for (id_,) in rows)

    def services(self) -> dict[str, int]:
        """The addresses of services with recorded orders, and the number of orders for each."""
        return dict(self.query(_SERVICES))

    def _records(self, selected: Iterable[Row]) -> list[Record]:
        database = self._database
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in selected]
        clock = self.clock() if any(row["status"] == "pending" for row in rows) else Clock("")
        digests, lists = list({row["listed"] for row in rows} - {None}), dict[str, ListedIds]()
        if digests:
            listed = self.query(f"SELECT digest, hashes FROM {LISTS} WHERE digest IN ({marks(digests)})", digests)
            key = database.digest_key
            lists = {digest: ListedIds(frozenset(ids.split()), "", key, digest) for digest, ids in listed}
        records = [record_of(row, database.place, database.by, clock, lists) for row in rows]
        evidence = database.by.evidence
        return [self._with_evidence(record) if record.name in evidence else record for record in records]

    def _with_evidence(self, record: Record) -> Record:
        """Return a record, with what was listed before it if this run got it accepted without an ID."""
        by, request = self._database.by, record.request
        if request and (record.status, record.run_id) == ("ordered", by.id) and not record.outcome.contract_id:
            return record._replace(request=replace(request, evidence=by.evidence[record.name]))
        return record

    def _of_contracts(self, ids: Iterable[str | None]) -> list[Record]:
        """The records of orders with these contract IDs, in capitals or not."""
        wanted = [storable(id_).lower() for id_ in ids if id_]
        return self._records(self.rows_with(_SELECT, "lower(contract_id)", wanted, _IS_ORDERED))

    # Claiming and recording

    def write(self, records: Iterable[Record]) -> None:
        """Write records in place of those with their names."""
        self.many(_WRITE, map(row_of, records))

    def claim(self, wanted: Sequence[Claim], longest: float) -> tuple[dict[str, Record], dict[str, Record]]:
        """Write a claim for each of these in whose way nothing stands; of a name that is given twice, for the first.

        Until ``longest`` seconds after now, they are pending. Return all claims, and the records that there are then
        for the names, both by name: the claim itself, or what stands in its way.
        """
        clock, orders = self.clock(), [order for order in wanted if isinstance(order, Request)]
        claims = {claim.name: self._claim_of(claim, clock, longest) for claim in reversed(wanted)}
        for order in orders:
            if order.over:
                self._make_way(order)
        standing = self.duplicates(orders, claims) | self.look_up([*claims])[1]
        # Nobody else writes meanwhile: what does not stand in the way now does not when the claims are written.
        own = {name: claim for name, claim in claims.items() if name not in standing}
        self._write_claims(own.values())
        return claims, standing | own

    def _claim_of(self, wanted: Claim, clock: Clock, longest: float) -> Record:
        database, time = self._database, clock.time
        claim = Record(wanted.name, Outcome("pending"), None, database.by.id, time, None, time, True)
        claim = claim._replace(deadline=later(time, longest), ledger=database.place)
        if clock.boot_id is not None:
            claim = claim._replace(boot_id=clock.boot_id, boot_time=f"{clock.boot_time:.3f}")
        if not isinstance(wanted, Request):
            return claim._replace(operation=wanted)
        # What was listed before, as this ledger keeps it.
        evidence = wanted.evidence and wanted.evidence.kept(database.digest_key)
        return claim._replace(request=replace(wanted, evidence=evidence))

    def _write_claims(self, claims: Collection[Record]) -> None:
        """Write new claims, count them, and keep what was listed before, each list once.

        Raises LedgerError for a name that was claimed more or less often than its plan says.
        """
        requests = [claim.request for claim in claims if claim.request]
        planned = {order.name: order.number for order in requests if order.number is not None}
        numbers = self.numbers([*planned])
        for name, number in planned.items():
            if numbers[name] != number:
                raise other_number_error(name, number, numbers[name], self._database.place)
        lists = {order.evidence.digest: " ".join(sorted(order.evidence.ids)) for order in requests if order.evidence}
        self.write(claims)
        self.many(_KEEP_LIST, lists.items())
        self.many(_COUNT_CLAIM, [[folded_name(claim.name)] for claim in claims])
        self.mark_real(claimed.service for claim in claims if (claimed := claim.request or claim.operation))

    def record(self, outcomes: Mapping[str, Outcome], claims: Mapping[str, Record]) -> dict[str, Record]:
        """Record how orders of this run ended, by their names, and return their records. ``claims`` are the run's.

        A contract ID that is another order's is recorded for none; see undisputed().
        """
        run_id, time, ledger = self._database.by.id, self.clock().time, self._database.place
        unknown = Record("", Outcome("pending"), None, run_id, None, None, time, ledger=ledger)
        own = {name: claims.get(name) or unknown._replace(name=name) for name in outcomes}
        before, ended = self.find([*own]), dict[str, Record]()
        # Somebody may have removed a claim: it ends as any other.
        records = own | before
        others = self._of_contracts([told.contract_id for told in outcomes.values()])
        for name, outcome in undisputed(outcomes, own, before, others).items():
            claim, is_own = own[name], name in before and before[name].run_id == run_id
            if not is_own and self._is_over(claim, outcome):
                records[name] = ended_as(claim, outcome, run_id, time, time)
            elif written := record_to_write(records[name], claim, outcome):
                made = ended_as(written, written.outcome, run_id, written.ordered_at or time, time)
                records[name] = ended[name] = made
        self.write(ended.values())
        for name, made in ended.items():
            self._note_cancelled(made, outcomes[name].until)
            if made.status in RELEASED:
                self._take_back(own[name], before.get(name))
        return records

    def _take_back(self, claim: Record, before: Record | None) -> None:
        """Count a claim that was released as never made, and give a canceled contract its name back."""
        # A claim that was removed counts for good: plans were made with it since, which one more claim would fit.
        if before and before.outcome.status not in RELEASED:
            self.query(_COUNT_RELEASE, [folded_name(claim.name)])
        if claim.request and claim.request.over:
            # Else a later run would not ask whether that contract is over.
            self._rename_canceled(replaced_name(claim.name, claim.request.over), claim.name, replaced=False)

    def _is_over(self, claim: Record, own: Outcome) -> bool:
        """Return whether a claim of this run was settled as this very contract, which was removed or canceled since."""
        return own.status == "ordered" and any(
            event.action in ("removed", "cancelled")
            and (event.before["claimed_at"], event.before["status"]) == (claim.claimed_at, "ordered")
            and (own.contract_id is None or event.before["contract_id"] in (own.contract_id, None))
            for event in self.events(claim.name)
        )

    def _make_way(self, claim: Request) -> None:
        """Keep the record of the canceled contract that a claim takes the place of under a name of its own."""
        before = self.find([claim.name]).get(claim.name)
        if before and before.outcome.contract_id == claim.over:
            self._rename_canceled(claim.name, replaced_name(claim.name, claim.over or ""), replaced=True)

    def _rename_canceled(self, old: str, new: str, *, replaced: bool) -> None:
        """Give the record of a canceled contract another name, that of an order or the one beside it."""
        before = self.find([old]).get(old)
        if before and before.cancelled:
            self.query(f"DELETE FROM {ORDERS} WHERE name = ?", [old])
            request = before.request and replace(before.request, name=new)
            canceled = before.cancelled._replace(replaced=replaced)
            self.write([before._replace(name=new, request=request, cancelled=canceled)])

    def end_claims(self, names: Collection[str]) -> None:
        """Say that no request of these claims of this run is under way: without an outcome, they are in doubt."""
        ended = f"UPDATE {ORDERS} SET deadline = claimed_at WHERE name = ? AND run_id = ? AND status = 'pending'"
        self.many(ended, [(name, self._database.by.id) for name in names])

    # What is done by hand, or by the service's list

    def settle(self, settlements: Sequence[Settlement], *, write: bool = True) -> list[Record | None]:
        """Settle or adopt in one transaction, durably, or only return what stands in the way of that.

        For each ``None``, or without having written it the record that stands in the way: its own if that has changed
        since ``before`` was read, that of another order with the same contract id, or that of the same thing under
        another name, unless it ``may_be_second`` or was recorded here before. The outcome takes the place of the
        recorded one. Raises ResellerError while another run is placing the order.
        """
        standing: list[Record | None] = []
        for settlement in settlements:
            current = self.find([settlement.name]).get(settlement.name)
            if version_of(current) != version_of(settlement.before):
                # It may have been written by this very transaction, whose commit was answered by a lost connection.
                standing.append(None if is_written(current, settlement.outcome) else current or settlement.before)
                continue
            standing.append(other := self._in_the_way(settlement, current))
            if write and other is None:
                self._write_settled(settlement, current)
        return standing

    def _in_the_way(self, settlement: Settlement, current: Record | None) -> Record | None:
        """Return the record of another name that has the contract, or that is of the same thing."""
        if current is not None:
            refuse_pending(current)
        name, contract_id, request = settlement.name, settlement.outcome.contract_id, settlement.request
        recorded = current.request if current is not None else None
        for other in self._of_contracts([contract_id]):
            if other.name != name and is_of_contract(other, contract_id, request or recorded):
                return other
        is_known = recorded is not None and request is not None and recorded.identity == request.identity
        if request is None or request.may_be_second or is_known:
            return None
        return self.duplicates([request]).get(name)

    def _write_settled(self, settlement: Settlement, before: Record | None) -> None:
        name, outcome, time = settlement.name, settlement.outcome, self.clock().time
        current = before or Record(name, outcome, None, None, None, None, time, ledger=self._database.place)
        known = settlement.request or current.request
        # It was sent when it was claimed. When a contract was bought elsewhere is not known.
        sent_at = current.ordered_at or current.claimed_at
        made = ended_as(current._replace(request=known), outcome, None, sent_at, time)
        self.write([made])
        self.note("settled" if before else "adopted", name, before and before.as_dict(), made.as_dict())
        self._note_cancelled(made, outcome.until)
        claim = made.operation or known
        self.mark_real([claim.service if claim else ""])

    def remove(self, before: Record) -> Record | None:
        """Remove a record. Raises ResellerError while another run is placing it.

        One that is another one than ``before`` by now is left, and returned.
        """
        current = self.find([before.name]).get(before.name)
        if current is not None:
            refuse_pending(current)
            if version_of(current) != version_of(before):
                return current
            self.query(f"DELETE FROM {ORDERS} WHERE name = ?", [before.name])
            self.note("removed", before.name, before.as_dict(), None)
        return None

    def readdress(self, old: str, new: str) -> None:
        """Give all records whose service is exactly ``old`` the address ``new``."""
        if old in self.services():
            self.query(
                f"UPDATE {ORDERS} SET service = ?, updated_at = ? WHERE service = ?", [new, self.clock().time, old]
            )
            self.mark_real([new])
            self.note("readdressed", None, {"base_url": old}, {"base_url": new})

    def note_addresses(self, shown: Mapping[str, tuple[str, str | None]]) -> None:
        """Keep the addresses that the service shows now of orders, by their names: each of this contract ID."""
        self.many(_NOTE_ADDRESS, [(address, name, contract_id) for name, (contract_id, address) in shown.items()])

    def _note_cancelled(self, cancellation: Record, until: str | None) -> None:
        """Mark an order's contract as cancelled to this day, if that is what this operation did."""
        order = cancellation.operation and cancellation.operation.cancels
        before = self.find([order]).get(order) if order and cancellation.status == "ordered" else None
        if order and before and not before.cancelled and self.cancellation_of(before) == cancellation.name:
            done = Cancellation(self.clock().time, cancellation.name, until, cancellation.outcome.contract)
            made = before._replace(cancelled=done, updated_at=done.at)
            self.write([made])
            self.note("cancelled", order, before.as_dict(), made.as_dict())

    def drop_lists(self) -> None:
        """Drop what was listed before claims that are all certain by now."""
        self.query(_DROP_LISTS)
