# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in database.py; every value is bound
"""Reads, claims, records, settles and removes orders and operations, in a transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from .database import COLUMNS, LISTS, ORDERS, Row, ended_as, record_of, row_of, storable
from .identity import (
    by_subject,
    cancellation_name,
    folded_name,
    is_duplicate,
    is_of_contract,
    is_written,
    outcome_to_write,
    replaced_name,
    taken_names,
    undisputed,
    version_of,
)
from .lease import Clock
from .ledger_errors import other_number_error, refuse_pending
from .ledger_tables import LedgerTables, marks
from .order_records import RELEASED, Cancellation, Filter, ListedIds, Outcome, Record, Request, Settlement

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
_KEEP_LIST = f"INSERT INTO {LISTS} (digest, hashes) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING"
_NOTE_ADDRESS = f"UPDATE {ORDERS} SET address = ? WHERE name = ? AND contract_id = ?{_IS_ORDERED}"
_DROP_LISTS = f"DELETE FROM {LISTS} WHERE digest NOT IN (SELECT listed FROM {ORDERS} WHERE listed IS NOT NULL)"


class Transaction(LedgerTables):
    """A transaction of one run, open while the work that it is given to runs. Each kind of database has its own."""

    # Reading records

    def find(self, names: Sequence[str]) -> dict[str, Record]:
        """The records of orders and operations with these names, by name. Names without a record are left out."""
        return self.look_up(names)[0]

    def look_up(self, names: Sequence[str]) -> tuple[dict[str, Record], dict[str, Record]]:
        """The records with these names, and those that take these names, which may have others; see taken_names()."""
        # Not by an index on the name: SQLite would take the name from that, whatever row it leads to.
        forms = [*map(folded_name, names)]
        found = self._records(lambda: self.rows_with(_SELECT, "folded_name", forms))
        records = {each.name: each for each in found}
        return {name: records[name] for name in names if name in records}, taken_names(names, found)

    def select(self, wanted: Filter) -> list[Record]:
        """The records that match, in the order of ``claimed_at`` (adopted ones by ``updated_at``) and name."""
        given: dict[str, Collection[str] | None] = {
            "kind": wanted.kind and [wanted.kind],
            "lower(end_user)": wanted.end_users and [each.lower() for each in wanted.end_users],
            "product_type": wanted.product_types,
            # What is pending may turn out to be in doubt.
            "status": None if wanted.statuses is None else {*wanted.statuses, "pending"},
        }
        limits = {column: each for column, each in given.items() if each is not None}
        condition = "".join(f" AND {column} IN ({marks(each)})" for column, each in limits.items())
        values = [value for each in limits.values() for value in each]

        def rows() -> list[Row]:
            if wanted.names is None:
                return self.query(f"{_SELECT} WHERE 1 = 1{condition}", values)
            return self.rows_with(_SELECT, "folded_name", map(folded_name, wanted.names), condition, values)

        found = filter(wanted.holds, self._records(rows))
        return sorted(found, key=lambda record: (record.claimed_at or record.updated_at, record.name))

    def duplicates(
        self, requests: Sequence[Request], claims: Mapping[str, Record] = MappingProxyType({})
    ) -> dict[str, Record]:
        """The records for the same things as these requests under other names, by the requests' names.

        An order in doubt and a pending one stand, too. With ``claims``, which are written with the requests, these
        stand as well, and a request that ``may_be_second`` has no duplicates.
        """
        wanted = [(request, request.identity.subject) for request in requests if request.identity]
        subjects = [subject for _request, subject in wanted]
        found = by_subject(self._records(lambda: self.rows_with(_SELECT, "subject", subjects, _NOT_RELEASED)))
        others: dict[str, Record] = {}
        for request, subject in wanted:
            those = found.setdefault(subject, [])
            is_wanted = request.may_be_second and request.name in claims
            other = None if is_wanted else next((each for each in those if is_duplicate(each, request)), None)
            if other is not None:
                others.setdefault(request.name, other)
            elif request.name in claims:
                those.append(claims[request.name])
        return others

    def open_cancellations(self, orders: Sequence[Record]) -> dict[str, Record]:
        """The cancellations of these orders' contracts that are pending or in doubt, by the orders' names."""
        with_id = {each.name: each.outcome.contract_id for each in orders if each.outcome.contract_id}
        numbers = self.numbers([*with_id])
        keys = {cancellation_name(name, id_, numbers[name]): name for name, id_ in with_id.items()}
        found = self.find([*keys])
        return {keys[key]: each for key, each in found.items() if each.status in ("pending", "in_doubt")}

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
        found = [self.rows_with(f"SELECT DISTINCT {form} FROM {ORDERS}", form, ids) for form in forms]
        return frozenset(each for rows in found for (each,) in rows)

    def services(self) -> dict[str, int]:
        """The addresses of services with recorded orders, and the number of orders for each."""
        return dict(self.query(_SERVICES))

    def _records(self, query: Callable[[], list[Row]]) -> list[Record]:
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in query()]
        clock = self.clock() if any(row["status"] == "pending" for row in rows) else Clock("")
        lists = self._lists({row["listed"] for row in rows} - {None})
        return [self._with_evidence(record_of(row, self._database, clock, lists)) for row in rows]

    def _with_evidence(self, record: Record) -> Record:
        """Return a record, with what was listed before it if this run got it accepted without an ID."""
        evidence, request = self._database.evidence.get(record.name), record.request
        is_own = (record.status, record.run_id) == ("ordered", self._database.by.id)
        if evidence and request and is_own and not record.outcome.contract_id:
            return record._replace(request=replace(request, evidence=evidence))
        return record

    def _of_contracts(self, ids: Sequence[str]) -> list[Record]:
        """The records of orders with these contract IDs, which are in small letters."""
        return self._records(lambda: self.rows_with(_SELECT, "lower(contract_id)", ids, _IS_ORDERED))

    def _lists(self, digests: Collection[str]) -> dict[str, ListedIds]:
        """Return what was listed before claims, by digest."""
        if not digests:
            return {}
        rows = self.query(f"SELECT digest, hashes FROM {LISTS} WHERE digest IN ({marks(digests)})", [*digests])
        key = self._database.digest_key
        return {digest: ListedIds(frozenset(hashes.split()), "", key, digest) for digest, hashes in rows}

    # Writing records

    def write(self, records: Iterable[Record]) -> None:
        """Write records in place of those with their names."""
        self.many(_WRITE, map(row_of, records))

    def write_claims(self, claims: Collection[Record]) -> None:
        """Write new claims, count them, and keep what was listed before, each list once.

        Raises LedgerError for a name that was claimed more or less often than its plan says.
        """
        requests = [each.request for each in claims if each.request]
        planned = {each.name: each.number for each in requests if each.number is not None}
        numbers = self.numbers([*planned])
        for name, number in planned.items():
            if numbers[name] != number:
                raise other_number_error(name, number, numbers[name], self._database.place)
        lists = {each.evidence.digest: " ".join(sorted(each.evidence.ids)) for each in requests if each.evidence}
        self.write(claims)
        self.many(_KEEP_LIST, lists.items())
        self.count_claims([each.name for each in claims])
        self.mark_real(claimed.service for each in claims if (claimed := each.request or each.operation))

    def record(self, outcomes: Mapping[str, Outcome], claims: Mapping[str, Record]) -> dict[str, Record]:
        """Record how orders of this run ended, by their names, and return their records. ``claims`` are the run's.

        A contract ID that is another order's is recorded for none; see undisputed().
        """
        run_id, time, ledger = self._database.by.id, self.now(), self._database.place
        unknown = Record("", Outcome("pending"), None, run_id, None, None, time, ledger=ledger)
        own = {name: claims.get(name) or unknown._replace(name=name) for name in outcomes}
        # Somebody may have removed a claim: it ends as any other.
        found, ended, released = self.find([*own]), [], []
        records = own | found
        ids = [storable(each.contract_id).lower() for each in outcomes.values() if each.contract_id]
        known = {name: each if each.request else own[name] for name, each in records.items()}
        outcomes = undisputed(outcomes, known, self._of_contracts(ids))
        for name, claim in own.items():
            base = current = records[name]
            if (current.run_id != run_id or name not in found) and self._is_over(claim, outcomes[name]):
                records[name] = ended_as(claim, outcomes[name], run_id, time, time)
                continue
            decided = outcome_to_write(current, run_id, outcomes[name])
            if decided is None:
                continue
            if current.run_id != run_id and (
                current.outcome.status in RELEASED or (current.request is None and current.operation is None)
            ):
                base = claim._replace(ordered_at=current.ordered_at)
            records[name] = ended_as(base, decided, run_id, base.ordered_at or time, time)
            ended.append(records[name])
            # A claim that was removed counts for good: plans were made with it since, which one more claim would fit.
            if decided.status in RELEASED and name in found and current.outcome.status not in RELEASED:
                released.append(name)
        self.write(ended)
        self.count_claims([], released)
        for each in ended:
            self._note_cancelled(each, outcomes[each.name].until)
            claimed = own[each.name].request
            if each.status in RELEASED and claimed and claimed.over:
                # Else a later run would not ask whether that contract is over.
                self._rename_canceled(replaced_name(each.name, claimed.over), each.name, replaced=False)
        return records

    def _is_over(self, claim: Record, own: Outcome) -> bool:
        """Return whether a claim of this run was settled as this very contract, which was removed or canceled since."""
        return own.status == "ordered" and any(
            each.action in ("removed", "cancelled")
            and (each.before["claimed_at"], each.before["status"]) == (claim.claimed_at, "ordered")
            and (own.contract_id is None or each.before["contract_id"] in (own.contract_id, None))
            for each in self.events(claim.name)
        )

    def make_way(self, claim: Request) -> None:
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
        return [self._settle(each, write=write) for each in settlements]

    def _settle(self, settlement: Settlement, *, write: bool) -> Record | None:
        name, outcome, request = settlement.name, settlement.outcome, settlement.request
        current = before = self.find([name]).get(name)
        if version_of(current) != version_of(settlement.before):
            # It may have been written by this very transaction, whose commit was answered by a lost connection.
            return None if is_written(current, outcome) else current or settlement.before
        if current is not None:
            refuse_pending(current)
        recorded = current.request if current is not None else None
        known = request or recorded
        ids = [outcome.contract_id.lower()] if outcome.contract_id else []
        for other in self._of_contracts(ids):
            if other.name != name and is_of_contract(other, outcome.contract_id, known):
                return other
        if (
            request is not None
            and not request.may_be_second
            and (recorded is None or recorded.identity != request.identity)
        ):
            others = self.duplicates([request])
            if others:
                return others[name]
        if write:
            time = self.now()
            current = current or Record(name, outcome, None, None, None, None, time, ledger=self._database.place)
            # It was sent when it was claimed. When a contract was bought elsewhere is not known.
            sent_at = current.ordered_at or current.claimed_at
            made = ended_as(current._replace(request=known), outcome, None, sent_at, time)
            self.write([made])
            self.note("settled" if before else "adopted", name, before and before.as_dict(), made.as_dict())
            self._note_cancelled(made, outcome.until)
            self.mark_real([made.operation.service if made.operation else known.service if known else ""])
        return None

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
            self.query(f"UPDATE {ORDERS} SET service = ?, updated_at = ? WHERE service = ?", [new, self.now(), old])
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
            done = Cancellation(self.now(), cancellation.name, until, cancellation.outcome.contract)
            made = before._replace(cancelled=done, updated_at=done.at)
            self.write([made])
            self.note("cancelled", order, before.as_dict(), made.as_dict())

    def drop_lists(self) -> None:
        """Drop what was listed before claims that are all certain by now."""
        self.query(_DROP_LISTS)
