# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads contracts back around a run that orders: what exists before it, and what settles orders in doubt after it.

Unless an option requires that, it is done where the service publishes a list that a few requests read to its end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .._catalogue.catalogue import catalogue_of
from .._core.errors import READING_FAILURES, Advice, LedgerError, NotPublishedError, ServiceError, message_of
from .._core.text import clean
from .._http.config import ServiceConfig
from .._ledger.order_records import RELEASED, Filter, Record
from .._ledger.store import Ledger
from .._order.already_there import listed_error, unread_error
from .._order.order import Order, Step
from .._product_types.registry import SELF
from .._service.service import Service

if TYPE_CHECKING:
    from .._contracts.judgments import Judgment
    from .._contracts.reader import ContractReader
    from .._contracts.reconciling import ExistingContracts, Reconciler

#: Of contracts that look like an order, and of reasons, no more are listed.
_MOST_LISTED = 5
#: What a read before orders takes at most, in requests, pages and seconds, where no option requires it.
_MOST_REQUESTS, _MOST_SECONDS = 10, 10.0
#: Seconds for which one such list serves the orders of a loop.
_KEPT_SECONDS = 10.0


def reader_of(service: Service, records: Sequence[Record], **more: Any) -> ContractReader:
    """A reader of contracts for these records, as the file of the service says."""
    from .._contracts.reader import ContractReader

    described = service.described
    path, organizations = described.get("contracts.path"), {**described.organizations}
    if described.get("contracts.owned_by_list"):
        organizations[SELF] = service.config.organization_id
    return ContractReader(
        service.client, service.reference, records, organizations=organizations, contracts_path=path, **more
    )


def reconciler_of(service: Service, records: Sequence[Record], **more: Any) -> Reconciler:
    """A reconciler for these records. It sends nothing yet."""
    # Measured: 20 ms of a start, which only runs that read back need. They come here before they claim anything.
    from .._contracts.reconciling import Reconciler

    def products() -> dict[str, str | None]:
        try:
            return {each.id: each.name for each in catalogue_of(service).products}
        except ServiceError:
            return {}

    return Reconciler(reader_of(service, records, products=products, **more))


def settle(config: ServiceConfig, ledger: Ledger, judgments: Sequence[Judgment]) -> dict[str, Record]:
    """Settle the orders whose contracts are proven. Return the records that stand in the way of that, by name."""
    masker = config.masker()
    settlements = [made for each in judgments if (made := each.settlement(masker)) is not None]
    others = ledger.settle(settlements) if settlements else []
    return {each.name: other for each, other in zip(settlements, others, strict=True) if other is not None}


class ReadAgain(NamedTuple):
    """An order in the list that was read afterwards: its ``record`` if it is settled, evidence, and the contract."""

    record: Record | None = None
    evidence: Sequence[str] = ()
    contract: Mapping[str, Any] | None = None


@dataclass
class ReadBack:
    """Implements the option ``read_back`` of a task with these ``options``. With ``planning``, nothing is to be sent.

    ``wanted`` is that option: required, or not, or ``None`` to do it where it takes little. ``kept`` has lists that
    serve several tasks. ``result`` has the return value ``read_back``, where an order was to be sent: whether the list
    was read to its end, and why not or what it lacks.
    """

    service: Service
    ledger: Ledger
    options: Mapping[str, Any]
    warn: Callable[[str], None]
    planning: bool
    kept: dict[Any, Any]
    result: dict[str, Any] = field(default_factory=dict)
    _required: Reconciler | None = None

    @property
    def wanted(self) -> bool | None:
        wanted: bool | None = self.options["read_back"]
        return wanted

    def _reconciler(self, **more: Any) -> Reconciler:
        return reconciler_of(self.service, self.ledger.select(Filter()), **more)

    # Before

    def examined(self, steps: Sequence[Step]) -> list[Step]:
        """The steps with the existing contracts like them. Steps that the service may already have are refused."""
        orders = {
            index: step.order
            for index, step in enumerate(steps)
            if step.order and step.action in ("order", "pending") and not self._without_request(step)
        }
        if not orders or self.wanted is False:
            return list(steps)
        shape = self.service.shape(offline=True)
        is_listed = shape.lists_contracts or self.service.described.get("contracts.path")
        if self.wanted is None and shape.elements and not is_listed:
            why = "The OpenAPI document has no operation that lists contracts."
            self.result = {"read_back": {"read": False, "why": why}}
            return list(steps)
        existing = self._required_lists(orders) if self.wanted else self._readable_lists(orders)
        unclear = dict.fromkeys(found.unclear.replace("\n", " ") for found in existing.values() if found.unclear)
        # A list that does not show a contract like the order is not the one to compare it with.
        self.result = {"read_back": {"read": not unclear, "why": " ".join([*unclear][:_MOST_LISTED]) or None}}
        return [
            self._beside(step, orders[index], existing[index]) if index in existing else step
            for index, step in enumerate(steps)
        ]

    def _without_request(self, step: Step) -> bool:
        return self.planning and step.requested.validation == "specification"

    def _required_lists(self, orders: Mapping[int, Order]) -> dict[int, ExistingContracts]:
        """Return what the service has already of these orders, by their index: in lists that this task alone reads."""

        self._required = self._reconciler()
        return _found_by(self._required, orders)

    def _readable_lists(self, orders: Mapping[int, Order]) -> dict[int, ExistingContracts]:
        """The same, as far as the bound allows. A list that was not read to its end tells nothing.

        One list serves the orders of a loop, and is read anew before anything is refused because of it. A list that
        could not be read is not tried again in the same loop.
        """
        kept = self._kept
        found = _found_by(kept, orders) if kept else {}
        if found and not any(each.unrecorded for each in found.values()):
            return found
        unread = self.kept.setdefault("unread", {}).get(self._which, {})
        with self.service.client.reading(_MOST_SECONDS, _MOST_REQUESTS):
            read = self._reconciler(most_pages=_MOST_REQUESTS, unread=unread)
            found = _found_by(read, orders)
        if read.reader.lists and "contracts" not in self.options:
            self.kept[self._which] = read, time.monotonic()
        if read.reader.unread.keys() != unread.keys():
            self.kept["unread"][self._which] = read.reader.unread
            self._warn_unread(read.reader.unread)
        return found

    @property
    def _which(self) -> tuple[str, ...]:
        """The key of lists, and of the ledger that they are compared with."""
        config, described = self.service.config, self.service.described
        lists = repr((described.fields, described.end_users))
        return (config.base_url, config.organization_id, config.api_key, lists, self.ledger.place)

    @property
    def _kept(self) -> Reconciler | None:
        """The list that serves the orders of a loop."""
        kept, since = self.kept.get(self._which, (None, 0.0))
        return kept if time.monotonic() - since <= _KEPT_SECONDS else None

    def _warn_unread(self, unread: Mapping[str, ServiceError]) -> None:
        """Warn of the first list that could not be read if the ledger may lack what it shows."""
        exist = [error.message for error in unread.values() if not isinstance(error, NotPublishedError)]
        if exist and self.ledger.is_new_here:
            why = exist[0].splitlines()[0]
            new = "This ledger is new here. Orders that it lacks would be placed again."
            advice = Advice("To send nothing without a complete list, set read_back to true.")
            cut = f"The service's list of contracts was not read to its end. {why}"
            self.warn(message_of((cut, new, advice)))

    def _beside(self, step: Step, order: Order, found: ExistingContracts) -> Step:
        """Return the step of an order after a look at contracts like it: refused if the ledger lacks one."""
        second, warnings = step.requested.second, step.warnings
        allowed = [each for each in found.unrecorded if second.allows(each) and not order.kind.unique]
        unrecorded = [each for each in found.unrecorded if each not in allowed][:_MOST_LISTED]
        # What another run is placing may be listed before it is recorded.
        refusing = step.action == "order" and not (unrecorded and self._is_claimed(order.name))
        if refusing and unrecorded:
            return step.refused(listed_error(order, unrecorded, self.ledger.place))
        if refusing and found.unread and self.wanted:
            return step.refused(unread_error(order, found.unclear))
        if found.unclear and self.wanted:
            warnings = (*warnings, f"Only the ledger was checked. {found.unclear}")
        if allowed:
            listed = ", ".join(clean(each, 100) for each in allowed[:_MOST_LISTED])
            said = f"The service has a contract like this order that the ledger lacks: {listed}. It is ordered as well."
            warnings = (*warnings, said)
        if found.over:
            over = "; ".join(found.over[:_MOST_LISTED])
            warnings = (*warnings, f"The service has a contract like this order that is over: {over}. It is ordered.")
        return step._replace(order=replace(order, evidence=found.evidence), warnings=warnings)

    def _is_claimed(self, name: str) -> bool:
        """Return whether another run has claimed the order since it was planned: what is listed is that run's then."""
        if not self.planning:
            # A ledger that was missing is read as empty until this run makes it, whoever did so meanwhile.
            self.ledger.make()
        record = self.ledger.find([name]).get(name)
        return record is not None and record.status not in RELEASED

    # Recorded contracts

    def looked_up(self, steps: Sequence[Step]) -> dict[int, dict[str, Any]]:
        """Return the result values of recorded contracts, by the index of the step, where a look-up is required.

        Warns of those that the service does not show, or that ended.
        """
        recorded = {
            index: step.record
            for index, step in enumerate(steps)
            if step.record and step.action in ("none", "differs") and not self._without_request(step)
        }
        if not (recorded and self.wanted):
            return {}
        reconciler = self._required or reconciler_of(self.service, [*recorded.values()])
        found = {}
        for index, record in recorded.items():
            seen = reconciler.reader.presence_of(record)
            shown = dict(seen.contract.raw) if seen.contract else None
            found[index] = {"presence": seen.presence, "why": seen.why or None, "contract": shown}
            if seen.why:
                ended = "has ended" if seen.contract else "is not seen any more"
                lost = f"{record.name} is recorded, and its contract {record.outcome.contract_id} {ended}."
                advice = Advice("To order it again, remove its record with reseller_record: state: absent.")
                self.warn(message_of((lost, seen.why, advice)))
        return found

    # After

    def ended(self, record: Record) -> None:
        """Add what this run ordered to the list that is kept. If its contract is not known, none is kept any more."""
        kept = self._kept
        if kept is not None and record.status not in RELEASED and not kept.add(record):
            del self.kept[self._which]

    def settled(self, names: Sequence[str]) -> dict[str, ReadAgain]:
        """Settle orders in doubt, or without a contract ID, and return what the list shows of them.

        It is always read anew. What another run settled first is settled, too.
        """
        if self.wanted is None:
            names = self._with_evidence(names)
        if not names or self.wanted is False:
            return {}
        try:
            judgments = {each.name: each for each in self._reconciler().judgments if each.name in names}
            others = settle(self.service.config, self.ledger, [*judgments.values()])
            records = self.ledger.find(names)
        except (ServiceError, LedgerError, *READING_FAILURES) as error:
            why = str(error).partition("\n")[0] or type(error).__name__
            unread = f"What is in doubt could not be read back: {why}"
            if self.wanted:
                self.warn(unread)
            return {name: ReadAgain(evidence=() if self.wanted else (unread,)) for name in names}
        found = {}
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
        found = self.ledger.find(names) if names else {}
        return [
            name
            for name, each in found.items()
            if each.outcome.contract_id or (each.status == "in_doubt" and each.request and each.request.evidence)
        ]


def _found_by(reconciler: Reconciler, orders: Mapping[int, Order]) -> dict[int, ExistingContracts]:
    """Return what the service has already of these orders, by their index."""
    return {index: reconciler.existing(order) for index, order in orders.items()}
