# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads contracts back around a run that orders: what exists before it, and what settles orders in doubt after it.

A list is always read first and the ledger afterwards: so the ledger has what other runs have bought in between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .._contracts.reading import read_lists, reader_of, reconciler_of, settle
from .._core.errors import READING_FAILURES, Advice, LedgerError, NotPublishedError, ServiceError, message_of
from .._core.text import clean, counted
from .._ledger.order_records import ListedIds, Record
from .._ledger.store import Ledger
from .._orders.order import Order
from .._orders.order_errors import listed_error, standing_error, unread_error
from .._orders.placed_order import PlacedOrder
from .._product_types.registry import SELF
from .._service.service import Service

if TYPE_CHECKING:
    from .._contracts.reader import ContractReader
    from .._contracts.reconciling import ExistingContracts

#: Of contracts that look like an order, and of reasons, no more are listed.
_MOST_LISTED = 5


class ReadAgain(NamedTuple):
    """An order in the list that was read afterwards: its ``record`` if it is settled, evidence, and the contract."""

    record: Record | None = None
    evidence: Sequence[str] = ()
    contract: Mapping[str, Any] | None = None


@dataclass
class ReadBack:
    """Implements the option ``read_back`` of a task with these ``options``. With ``planning``, nothing is to be sent.

    ``wanted`` is that option: required, or not, or ``None`` to do it where it takes little. ``result`` has the return
    value ``read_back``, where an order was to be sent: whether all lists were read to their end, and why not.
    """

    service: Service
    ledger: Ledger
    options: Mapping[str, Any]
    warn: Callable[[str], None]
    planning: bool
    result: dict[str, Any] = field(default_factory=dict)
    _reader: ContractReader | None = None
    _has_warned: bool = False

    @property
    def wanted(self) -> bool | None:
        wanted: bool | None = self.options["read_back"]
        return wanted

    # Before

    def examined(self, planned: Sequence[PlacedOrder]) -> list[PlacedOrder]:
        """The orders with the existing contracts like them. Those that the service may already have are refused."""
        orders = {
            index: one.order
            for index, one in enumerate(planned)
            if one.order and one.state in ("planned", "elsewhere") and not self._without_request(one)
        }
        if not orders or self.wanted is False:
            return list(planned)
        if self.wanted is None and not self._is_published:
            why = "The OpenAPI document has no operation that lists contracts."
            self.result = {"read_back": {"read": False, "why": why}}
            return list(planned)
        self._reader = self._reader or reader_of(self.service, is_bounded=self.wanted is None)
        found, is_published = self._existing(self._reader, orders)
        unread = {orders[index].name: each.unread for index, each in found.items() if each.unread}
        why = " ".join([*dict.fromkeys(each.replace("\n", " ") for each in unread.values())][:_MOST_LISTED])
        self.result = {"read_back": {"read": not unread, "why": why or None}}
        if unread and is_published and self.wanted is None and not self._has_warned:
            self._has_warned = True
            number = counted(len(unread), "order")
            said = f"{number} {'is' if len(unread) == 1 else 'are'} not compared with what the service lists."
            self.result["read_back"]["why"] = f"{said} {why}"
            advice = Advice("To send nothing without that, set read_back to true.")
            self.warn(message_of((said, next(iter(unread.values())), advice)))
        return [
            self._beside(one, orders[index], found[index]) if index in found else one
            for index, one in enumerate(planned)
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

    @property
    def _is_published(self) -> bool:
        """Return whether the service may list contracts, without a request."""
        shape = self.service.shape(offline=True)
        return not shape.elements or shape.lists_contracts or bool(self.service.described.get("contracts.path"))

    def _without_request(self, one: PlacedOrder) -> bool:
        return self.planning and one.requested.validation == "specification"

    def _existing(
        self, reader: ContractReader, orders: Mapping[int, Order]
    ) -> tuple[dict[int, ExistingContracts], bool]:
        """Return what the lists have already of these orders, by their index, and whether there is such a list."""
        from .._contracts.reconciling import ExistingContracts

        users = [each.end_user for each in orders.values()]
        try:
            reconciler = read_lists(reader, self.service, self.ledger, users)
        except ServiceError as error:
            why, is_published = error.message.splitlines()[0], not isinstance(error, NotPublishedError)
            return dict.fromkeys(orders, ExistingContracts(unread=why)), is_published
        found = {index: reconciler.existing(order) for index, order in orders.items()}
        return found, True

    def _beside(self, one: PlacedOrder, order: Order, found: ExistingContracts) -> PlacedOrder:
        """Return an order after a look at contracts like it: refused if the ledger lacks one."""
        second, warnings = one.requested.second, one.warnings
        ids = [each.id for each in found.unrecorded] if len(found.unrecorded) > found.explained else []
        allowed = [each for each in ids if each and second.allows(each) and not order.kind.unique]
        unrecorded = [each for each in ids if each not in allowed]
        if one.state == "planned" and len(unrecorded) > found.explained:
            return one.refused(listed_error(order, unrecorded[:_MOST_LISTED], self.ledger.place))
        if one.state == "planned" and found.unread and self.wanted:
            return one.refused(unread_error(order, found.unread))
        if allowed:
            listed = ", ".join(clean(each, 100) for each in allowed[:_MOST_LISTED])
            said = f"The service has a contract like this order that the ledger lacks: {listed}. It is ordered as well."
            warnings = (*warnings, said)
        if found.over:
            over = "; ".join(found.over[:_MOST_LISTED])
            warnings = (*warnings, f"The service has a contract like this order that is over: {over}. It is ordered.")
        return one._replace(order=replace(order, evidence=found.evidence), warnings=warnings)

    # Recorded contracts

    def without_standing(self, planned: Sequence[PlacedOrder]) -> list[PlacedOrder]:
        """The orders, with those refused that order anew what was canceled, and is not known to be over."""
        anew = {
            index: one.order
            for index, one in enumerate(planned)
            if one.order and one.order.over and not self._without_request(one)
        }
        checked = list(planned)
        if not anew:
            return checked
        from .._contracts.canceling import why_it_stands

        records, why = self.ledger.find([each.name for each in anew.values()]), ""
        users = [each.request.end_user for each in records.values() if each.request]
        try:
            found = (
                None if self.wanted is False else read_lists(reader_of(self.service), self.service, self.ledger, users)
            )
        except ServiceError as error:
            found, why = None, error.message.splitlines()[0]
        for index, order in anew.items():
            record, second = records.get(order.name), planned[index].requested.second
            if record is None or record.request is None or record.cancelled is None:
                continue
            by = self.ledger.find([record.cancelled.by]).get(record.cancelled.by)
            source = by and by.operation and by.operation.list_source
            before = ListedIds(frozenset(), source, self.ledger.digest_key) if source else None
            stands = why_it_stands(found, record, record.request, before) if found else why or "read_back is false"
            if stands and second.recorded and not order.kind.unique:
                said = f"Contract {order.over} of this name was canceled, and may not be over. Another one is ordered."
                checked[index] = planned[index]._replace(warnings=(*planned[index].warnings, said))
            elif stands:
                checked[index] = planned[index].refused(standing_error(order, record, record.cancelled, stands))
        return checked

    def looked_up(self, planned: Sequence[PlacedOrder]) -> list[PlacedOrder]:
        """The orders, with what the service shows of recorded contracts, where a look-up is required.

        Warns of those that the service does not show, or that ended.
        """
        shown = self._looked_up(planned)
        return [each._replace(shown=shown[at]) if at in shown else each for at, each in enumerate(planned)]

    def _looked_up(self, planned: Sequence[PlacedOrder]) -> dict[int, dict[str, Any]]:
        recorded = {
            index: one.record
            for index, one in enumerate(planned)
            if one.record and one.state in ("recorded", "differs") and not self._without_request(one)
        }
        if not (recorded and self.wanted):
            return {}
        from .._contracts.server_addresses import keep_addresses

        self._reader = self._reader or reader_of(self.service)
        users = [each.request.end_user for each in recorded.values() if each.request]
        try:
            self._reader.read(self._reader.lists_of(users))
            reconciler = reconciler_of(self._reader, self.service, [*recorded.values()])
        except ServiceError as error:
            why = error.message.splitlines()[0]
            self.warn(why)
            return dict.fromkeys(recorded, _as_shown("not_read", why, None))
        if not self.planning:
            keep_addresses(reconciler, lambda: self.ledger)
        found = {}
        for index, record in recorded.items():
            seen = reconciler.presence_of(record)
            shown = dict(seen.contract.raw) if seen.contract else None
            found[index] = _as_shown(seen.presence, seen.why or None, shown)
            if seen.contract and seen.contract.address:
                found[index]["address"] = seen.contract.address
            if seen.why and seen.presence != "not_read":
                ended = "has ended" if seen.contract else "is not seen any more"
                lost = f"{record.name} is recorded, and its contract {record.outcome.contract_id} {ended}."
                advice = Advice("To order it again, remove its record with reseller_record: state: absent.")
                self.warn(message_of((lost, seen.why, advice)))
            elif seen.why:
                self.warn(message_of((f"{record.name} was not looked up.", seen.why)))
        return found

    # After

    def settled(self, names: Sequence[str]) -> dict[str, ReadAgain]:
        """Settle orders in doubt, or without a contract ID, and return what the list shows of them.

        It is always read anew. What another run settled first is settled, too.
        """
        if self.wanted is False or not names:
            return {}
        reader = reader_of(self.service)
        found = self._not_compared(names) if self.wanted is None and self._is_published else {}
        names = self._with_evidence(names) if self.wanted is None else names
        if not names:
            return found
        from .._contracts.judging import Judge

        try:
            recorded = self.ledger.find(names).values()
            users = [each.request.end_user for each in recorded if each.request]
            reconciler = read_lists(reader, self.service, self.ledger, users)
            judgments = {each.name: each for each in Judge(reconciler).judgments(names)}
            others = settle(self.service.config, self.ledger, [*judgments.values()])
            records = self.ledger.find(names)
        except (ServiceError, LedgerError, *READING_FAILURES) as error:
            why = str(error).partition("\n")[0] or type(error).__name__
            unread = f"What is in doubt could not be read back: {why}"
            if self.wanted:
                self.warn(unread)
            return found | {name: ReadAgain(evidence=() if self.wanted else (unread,)) for name in names}
        for name, record in records.items():
            judgment = judgments.get(name)
            if judgment is not None and judgment.contract is not None and name not in others:
                found[name] = ReadAgain(record, judgment.sentences, judgment.contract.raw)
            elif record.status == "ordered" and record.outcome.contract_id:
                found[name] = ReadAgain(record)
            elif judgment is not None:
                found[name] = ReadAgain(evidence=judgment.sentences)
        return found

    def _with_evidence(self, names: Sequence[str]) -> list[str]:
        """Return those that a list can settle, because one was read before them, and those that are settled."""
        return [
            name
            for name, each in self.ledger.find(names).items()
            if each.outcome.contract_id or (each.status == "in_doubt" and each.request and each.request.evidence)
        ]

    def _not_compared(self, names: Sequence[str]) -> dict[str, ReadAgain]:
        """Return the line for orders in doubt of end users whose organization is not known, without a request."""
        from .._contracts.reconciling import line_for

        users = {name: each.request.end_user for name, each in self.ledger.find(names).items() if each.request}
        known = {each.id.lower() for each in self.service.described.end_users.values() if each.organization_id}
        return {
            name: ReadAgain(evidence=(line_for(user),))
            for name, user in users.items()
            if user.lower() not in {SELF, *known}
        }


def _as_shown(presence: str, why: str | None, contract: dict[str, Any] | None) -> dict[str, Any]:
    """The result values of a recorded contract that was looked up."""
    return {
        "presence": presence,
        "read_back": {"read": presence != "not_read", "why": why},
        "contract": contract,
    }
