# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads contracts back around a run that orders: what exists before it, and what settles orders in doubt after it.

A list is always read first and the ledger afterwards: so the ledger has what other runs have bought in between.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .._contracts.reading import ContractReader, read_lists, reconciler_of
from .._core.errors import (
    READING_FAILURES,
    Advice,
    LedgerError,
    NotPublishedError,
    ResellerError,
    ServiceError,
    message_of,
)
from .._core.text import clean, counted
from .._ledger.order_records import ListedIds, Record
from .._ledger.store import Ledger
from .._orders.order import Order
from .._orders.order_errors import listed_error, standing_error, unread_error
from .._orders.placed_order import PlacedOrder, State
from .._product_types.registry import SELF
from .._service.service import Service

if TYPE_CHECKING:
    from .._contracts.contract_list import ShownContract
    from .._contracts.judging import Judgment
    from .._contracts.reconciling import ExistingContracts, Presence, Reconciler

#: Of contracts that look like an order, and of reasons, no more are listed.
_MOST_LISTED = 5


class ReadAgain(NamedTuple):
    """An order in the list that was read after it was sent."""

    #: Its record if it is settled.
    record: Record | None = None
    evidence: Sequence[str] = ()
    contract: Mapping[str, Any] | None = None


@dataclass
class ReadBack:
    """Implements the option ``read_back`` of a task."""

    service: Service
    ledger: Ledger
    #: The option: required, or not, or ``None`` to do it where it takes little.
    wanted: bool | None
    warn: Callable[[str], None]
    #: Whether nothing is to be sent.
    planning: bool
    #: Has the return value ``read_back``, where an order was to be sent: whether all lists were read to their end, and
    #: why not.
    result: dict[str, Any] = field(default_factory=dict)
    _reader: ContractReader | None = None
    _has_warned: bool = False

    # Before

    def examined(self, planned: Sequence[PlacedOrder]) -> list[PlacedOrder]:
        """The orders with the existing contracts like them. Those that the service may already have are refused."""
        orders = {at: one.order for at, one in self._chosen(planned, "planned", "elsewhere").items() if one.order}
        if not orders or self.wanted is False:
            return list(planned)
        if self.wanted is None and not self._is_published:
            self.result = _read("The OpenAPI document has no operation that lists contracts.")
            return list(planned)
        self._reader = self._reader or ContractReader(self.service, is_bounded=self.wanted is None)
        existing, is_published = self._existing(self._reader, orders)
        self._tell_unread(
            {orders[at].name: contracts.unread for at, contracts in existing.items() if contracts.unread}, is_published
        )
        return [
            self._compared(one, orders[at], existing[at]) if at in existing else one for at, one in enumerate(planned)
        ]

    def renewed(self, planned: Mapping[int, PlacedOrder], *, is_outdated: bool) -> dict[int, PlacedOrder]:
        """Return orders that are about to be claimed as a list shows that is read anew, by their index.

        It is read anew if it ``is_outdated``, or too old to serve a claim; else nothing is returned.
        """
        if self._reader is None or not (is_outdated or self._reader.is_outdated):
            return {}
        self._reader.forget()
        # What another run did not place is an order as any other.
        now = self.examined([one.to("planned", warnings=()) for one in planned.values()])
        return dict(zip(planned, now, strict=True))

    def _chosen(self, planned: Sequence[PlacedOrder], *states: State) -> dict[int, PlacedOrder]:
        """Return those in these states for which requests may be sent, by their index."""
        return {
            at: one
            for at, one in enumerate(planned)
            if one.state in states and not (self.planning and one.requested.validation == "specification")
        }

    @property
    def _is_published(self) -> bool:
        """Return whether the service may list contracts, without a request."""
        shape = self.service.shape(offline=True)
        return not shape.elements or shape.lists_contracts or bool(self.service.described.get("contracts.path"))

    def _existing(
        self, reader: ContractReader, orders: Mapping[int, Order]
    ) -> tuple[dict[int, ExistingContracts], bool]:
        """Return what the lists have already of these orders, by their index, and whether there is such a list."""
        from .._contracts.reconciling import ExistingContracts

        try:
            reconciler = read_lists(reader, self.ledger, [order.end_user for order in orders.values()])
        except ServiceError as error:
            why, is_published = error.message.splitlines()[0], not isinstance(error, NotPublishedError)
            return dict.fromkeys(orders, ExistingContracts(unread=why)), is_published
        return {index: reconciler.existing(order) for index, order in orders.items()}, True

    def _tell_unread(self, unread: Mapping[str, str], is_published: bool) -> None:
        """Note why orders, by their names, are not compared with lists. Warn of it once if that is not required."""
        why = " ".join([*dict.fromkeys(reason.replace("\n", " ") for reason in unread.values())][:_MOST_LISTED])
        self.result = _read(why or None)
        if unread and is_published and self.wanted is None and not self._has_warned:
            self._has_warned = True
            number = counted(len(unread), "order")
            text = f"{number} {'is' if len(unread) == 1 else 'are'} not compared with what the service lists."
            self.result = _read(f"{text} {why}")
            advice = Advice("To send nothing without that, set read_back to true.")
            self.warn(message_of((text, next(iter(unread.values())), advice)))

    def _compared(self, one: PlacedOrder, order: Order, existing: ExistingContracts) -> PlacedOrder:
        """Return an order after a look at contracts like it: refused if the ledger lacks one."""
        ids, second = [contract.id for contract in existing.unrecorded], one.requested.second
        allowed = [] if order.kind.unique else [id_ for id_ in filter(None, ids) if second.allows(id_)]
        unrecorded = [id_ for id_ in ids if id_ not in allowed]
        if one.state == "planned" and len(unrecorded) > existing.explained:
            return one.refused(listed_error(order, unrecorded[:_MOST_LISTED], self.ledger.place))
        if one.state == "planned" and existing.unread and self.wanted:
            return one.refused(unread_error(order, existing.unread))
        notes = _notes(allowed if len(ids) > existing.explained else [], existing.over)
        return one._replace(order=replace(order, evidence=existing.evidence), warnings=(*one.warnings, *notes))

    # Recorded contracts

    def without_standing(self, planned: Sequence[PlacedOrder]) -> list[PlacedOrder]:
        """The orders, with those refused that order anew what was canceled, and is not known to be over."""
        anew = {at: one for at, one in self._chosen(planned, "planned").items() if one.order and one.order.over}
        checked = list(planned)
        records = self.ledger.find([one.name for one in anew.values()]) if anew else {}
        lists: Reconciler | str = "read_back is false"
        if records and self.wanted is not False:
            lists = self._lists_for(ContractReader(self.service), records.values())
        for at, one in anew.items():
            record = records.get(one.name)
            why = self._why_it_stands(record, lists) if record else None
            if record and record.cancelled and why and one.order:
                checked[at] = _as_second(one, one.order, standing_error(one.order, record, record.cancelled, why))
        return checked

    def _lists_for(
        self, reader: ContractReader, records: Collection[Record], *, alone: bool = False
    ) -> Reconciler | str:
        """The lists of the end users of these records, or why they could not be read.

        They are compared with the ledger, or with these records ``alone``, which takes no look at all of the ledger.
        """
        users = [record.request.end_user for record in records if record.request]
        try:
            if not alone:
                return read_lists(reader, self.ledger, users)
            reader.read(reader.lists_of(users))
            return reconciler_of(reader, [*records])
        except ServiceError as error:
            return error.message.splitlines()[0]

    def _why_it_stands(self, record: Record, lists: Reconciler | str) -> str | None:
        """Return why a canceled contract may not be over."""
        from .._contracts.canceling import why_it_stands

        if record.request is None or record.cancelled is None:
            return None
        if isinstance(lists, str):
            return lists
        by = self.ledger.find([record.cancelled.by]).get(record.cancelled.by)
        source = by and by.operation and by.operation.list_source
        before = ListedIds(frozenset(), source, self.ledger.digest_key) if source else None
        return why_it_stands(lists, record, record.request, before)

    def looked_up(self, planned: Sequence[PlacedOrder]) -> list[PlacedOrder]:
        """The orders, with what the service shows of recorded contracts, where a look-up is required.

        Warns of those that the service does not show, or that ended.
        """
        chosen = self._chosen(planned, "recorded", "differs") if self.wanted else {}
        recorded = {at: one.record for at, one in chosen.items() if one.record}
        checked = list(planned)
        if not recorded:
            return checked
        self._reader = self._reader or ContractReader(self.service)
        lists = self._lists_for(self._reader, recorded.values(), alone=True)
        if isinstance(lists, str):
            self.warn(lists)
        elif not self.planning:
            lists.keep_addresses(lambda: self.ledger)
        for at, record in recorded.items():
            shown = _as_shown("not_read", lists, None)
            if not isinstance(lists, str):
                presence = lists.presence_of(record)
                shown = _as_shown(presence.presence, presence.why, presence.contract)
                self._warn_of(record, presence)
            checked[at] = checked[at]._replace(shown=shown)
        return checked

    def _warn_of(self, record: Record, shown: Presence) -> None:
        """Warn of a recorded contract that the lists do not show, or not any more."""
        if shown.why and shown.presence != "not_read":
            ended = "has ended" if shown.contract else "is not seen any more"
            lost = f"{record.name} is recorded, and its contract {record.outcome.contract_id} {ended}."
            advice = Advice("To order it again, remove its record with reseller_record: state: absent.")
            self.warn(message_of((lost, shown.why, advice)))
        elif shown.why:
            self.warn(message_of((f"{record.name} was not looked up.", shown.why)))

    # After

    def settled(self, names: Sequence[str]) -> dict[str, ReadAgain]:
        """Settle orders in doubt, or without a contract ID, and return what the list shows of them.

        It is always read anew. What another run settled first is settled, too.
        """
        if self.wanted is False or not names:
            return {}
        records, lines = dict[str, Record](), dict[str, ReadAgain]()
        try:
            records = self.ledger.find(names)
            if self.wanted is None:
                lines = self._not_compared(records.values()) if self._is_published else {}
                # A list can settle those before which one was read; others may be settled already.
                records = {name: record for name, record in records.items() if _may_be_settled(record)}
            return lines | (self._judged(records) if records else {})
        except (ServiceError, LedgerError, *READING_FAILURES) as error:
            why = str(error).partition("\n")[0] or type(error).__name__
            unread = f"What is in doubt could not be read back: {why}"
            if self.wanted:
                self.warn(unread)
            return lines | dict.fromkeys(records or names, ReadAgain(evidence=() if self.wanted else (unread,)))

    def _judged(self, recorded: Mapping[str, Record]) -> dict[str, ReadAgain]:
        """Settle what the lists show. Raises ServiceError, LedgerError and READING_FAILURES."""
        from .._contracts.judging import Judge, settle

        users = [record.request.end_user for record in recorded.values() if record.request]
        reconciler = read_lists(ContractReader(self.service), self.ledger, users)
        judgments = {judgment.name: judgment for judgment in Judge(reconciler).judgments([*recorded])}
        in_the_way = settle(self.service.config, self.ledger, [*judgments.values()])
        records = self.ledger.find([*recorded])
        shown = {name: _read_again(record, judgments.get(name), name in in_the_way) for name, record in records.items()}
        return {name: again for name, again in shown.items() if again is not None}

    def _not_compared(self, records: Collection[Record]) -> dict[str, ReadAgain]:
        """Return the line for orders in doubt of end users whose organization is not known, without a request."""
        from .._contracts.reconciling import line_for

        end_users = self.service.described.end_users.values()
        known = {SELF, *(user.id.lower() for user in end_users if user.organization_id)}
        return {
            record.name: ReadAgain(evidence=(line_for(record.request.end_user, self.service.described),))
            for record in records
            if record.request and record.request.end_user.lower() not in known
        }


def _read(why: str | None) -> dict[str, Any]:
    """The return value ``read_back``: whether all lists were read to their end, and why not."""
    return {"read_back": {"read": why is None, "why": why}}


def _notes(unrecorded: Sequence[str], over: Sequence[str]) -> Iterator[str]:
    """Yield warnings of contracts like an order that do not keep it from being sent."""
    like = "The service has a contract like this order that"
    if unrecorded:
        listed = ", ".join(clean(id_, 100) for id_ in unrecorded[:_MOST_LISTED])
        yield f"{like} the ledger lacks: {listed}. It is ordered as well."
    if over:
        yield f"{like} is over: {'; '.join(over[:_MOST_LISTED])}. It is ordered."


def _as_shown(presence: str, why: Any, contract: ShownContract | None) -> dict[str, Any]:
    """The result values of a recorded contract that was looked up."""
    shown = {"presence": presence, "contract": dict(contract.raw) if contract else None}
    shown["read_back"] = {"read": presence != "not_read", "why": why or None}
    return {**shown, "address": contract.address} if contract and contract.address else shown


def _as_second(one: PlacedOrder, order: Order, error: ResellerError) -> PlacedOrder:
    """An order whose canceled contract may not be over: refused, unless a second one may be ordered."""
    if not one.requested.second.recorded or order.kind.unique:
        return one.refused(error)
    warning = f"Contract {order.over} of this name was canceled, and may not be over. Another one is ordered."
    return one._replace(warnings=(*one.warnings, warning))


def _may_be_settled(record: Record) -> bool:
    if record.outcome.contract_id:
        return True
    return record.status == "in_doubt" and record.request is not None and record.request.evidence is not None


def _read_again(record: Record, judgment: Judgment | None, is_in_the_way: bool) -> ReadAgain | None:
    """What the list shows of an order whose settlement another record may be in the way of."""
    if judgment is not None and judgment.contract is not None and not is_in_the_way:
        return ReadAgain(record, judgment.sentences, judgment.contract.raw)
    if record.status == "ordered" and record.outcome.contract_id:
        return ReadAgain(record)
    return judgment and ReadAgain(evidence=judgment.sentences)
