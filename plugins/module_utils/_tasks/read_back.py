# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads contracts back around a run that orders: what exists before it, and what settles orders in doubt after it.

Unless an option requires that, it is done where the service publishes a list that a few requests read to its end.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._adapter.context import Context
from .._core.errors import (
    READING_FAILURES,
    Advice,
    ConfigurationError,
    LedgerError,
    NotPublishedError,
    ServiceError,
    message_of,
)
from .._core.text import clean, nearest
from .._http.config import checked_organizations
from .._ledger.order_records import RELEASED, Filter, Record
from .._ledger.store import Ledger
from .._order.order import Order, Step
from .._order.service import MAX_AGE, Service
from .._placing.listed_contracts import MOST_LISTED, ReadAgain, read_again, with_evidence, with_existing

if TYPE_CHECKING:
    from .._contracts.reader import ContractReader
    from .._contracts.reconciling import ExistingContracts, Reconciler

#: What a read before orders takes at most, in requests, pages and seconds, where no option requires it.
_MOST_REQUESTS, _MOST_SECONDS = 10, 10.0
#: Seconds for which one such list serves the orders of a loop.
_KEPT_SECONDS = 10.0


def reader_of(context: Context, service: Service, records: Sequence[Record], **more: Any) -> ContractReader:
    """A reader of contracts for these records and the options of the task. Raises ConfigurationError."""
    from .._contracts.reader import ContractReader

    params = context.params
    return ContractReader(
        service.client,
        service.reference,
        records,
        organizations=checked_organizations(params["organizations"]),
        contracts_path=params["contracts_path"],
        **more,
    )


def reconciler_of(context: Context, service: Service, records: Sequence[Record], **more: Any) -> Reconciler:
    """A reconciler for these records and the options of the task. It sends nothing yet. Raises ConfigurationError."""
    # Measured: 20 ms of a start, which only runs that read back need. They come here before they claim anything.
    from .._contracts.reconciling import Reconciler

    def products() -> dict[str, str | None]:
        try:
            return {each.id: each.name for each in service.catalogue().products}
        except ServiceError:
            return {}

    return Reconciler(reader_of(context, service, records, products=products, **more))


def check_recorded(names: Sequence[str] | None, records: Sequence[Record]) -> None:
    """Raise ConfigurationError unless orders of these names are recorded."""
    known = {record.name for record in records}
    for name in names or ():
        if name not in known:
            near = ", ".join(nearest(name, known))
            meant = f"The nearest names are {near}. " if near else ""
            raise ConfigurationError(
                f"No order named {clean(name, 60)} is in the ledger. Nothing was sent or written.",
                Advice(f"{meant}reseller_ledger_info lists all."),
            )


@dataclass
class ReadBack:
    """Implements the option ``read_back``. With ``planning``, nothing is to be sent.

    ``wanted`` is the option: whether it is required; ``None``: done where it takes little.
    ``result`` has the return value of this name, where an order was to be sent: whether the list was read to its end,
    and why not or what it lacks.
    """

    context: Context
    service: Service
    ledger: Ledger
    planning: bool
    wanted: bool | None
    result: dict[str, Any] = field(default_factory=dict)
    _required: Reconciler | None = None

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
        shape, path = self.service.shape(offline=True), self.context.params["contracts_path"]
        if self.wanted is None and shape.elements and not (shape.lists_contracts or path):
            why = "The OpenAPI document has no operation that lists contracts."
            self.result = {"read_back": {"read": False, "why": why}}
            return list(steps)
        existing = self._required_lists(orders) if self.wanted else self._readable_lists(orders)
        unclear = dict.fromkeys(found.unclear.replace("\n", " ") for found in existing.values() if found.unclear)
        # A list that does not show a contract like the order is not the one to compare it with.
        self.result = {"read_back": {"read": not unclear, "why": " ".join([*unclear][:MOST_LISTED]) or None}}
        examined = list(steps)
        for index, found in existing.items():
            examined[index] = with_existing(
                steps[index], orders[index], found, self.ledger, required=bool(self.wanted), planning=self.planning
            )
        return examined

    def _without_request(self, step: Step) -> bool:
        return self.planning and step.requested.validation == "specification"

    def _required_lists(self, orders: Mapping[int, Order]) -> dict[int, ExistingContracts]:
        """Return what the service has already of these orders, by their index: in lists that this task alone reads."""

        def read() -> dict[int, ExistingContracts]:
            self._required = reconciler_of(self.context, self.service, self.ledger.select(Filter()))
            return _found_by(self._required, orders)

        return self.service.with_fresh(read, lambda found: any(each.unread for each in found.values()))

    def _readable_lists(self, orders: Mapping[int, Order]) -> dict[int, ExistingContracts]:
        """The same, as far as the bound allows. A list that was not read to its end tells nothing.

        One list serves the orders of a loop, and is read anew before anything is refused because of it. A list that
        could not be read is not tried again in the same run of Ansible.
        """
        shared, key = self.context.shared, self._which
        kept = shared.kept(key, _KEPT_SECONDS)
        found = _found_by(kept, orders) if kept else {}
        if found and not any(each.unrecorded for each in found.values()):
            return found
        unread = self._unread()
        with self.service.client.reading(_MOST_SECONDS, _MOST_REQUESTS):
            records = self.ledger.select(Filter())
            kept = reconciler_of(self.context, self.service, records, most_pages=_MOST_REQUESTS, unread=unread)
            found = _found_by(kept, orders)
        if kept.reader.lists and "contracts" not in self.context.params:
            shared.keep(key, kept)
        if kept.reader.unread.keys() != unread.keys():
            self._note_unread(kept.reader.unread)
        return found

    @property
    def _which(self) -> tuple[str, ...]:
        """The key of lists, and of the ledger that they are compared with."""
        config, options = self.service.config, self.context.params
        lists = repr((options["organizations"], options["contracts_path"]))
        return (config.base_url, config.organization_id, config.api_key, lists, self.ledger.place)

    def _unread(self) -> Mapping[str, ServiceError]:
        """The errors of lists that could not be read in this run of Ansible, which forks a process for each task."""
        (run, messages), _written = self.service.cache.read("unread", self._which, MAX_AGE) or ((None, {}), 0.0)
        return {at: ServiceError(message) for at, message in messages.items()} if run == os.getppid() else {}

    def _note_unread(self, unread: Mapping[str, ServiceError]) -> None:
        """Have lists not tried again. Warn of the first if the ledger may lack what they show."""
        exist = {at: error.message for at, error in unread.items() if not isinstance(error, NotPublishedError)}
        self.service.cache.write("unread", self._which, [os.getppid(), exist])
        if exist and self.ledger.is_new_here:
            why = next(iter(exist.values())).splitlines()[0]
            new = "This ledger is new here. Orders that it lacks would be placed again."
            advice = Advice("To send nothing without a complete list, set read_back to true.")
            cut = f"The service's list of contracts was not read to its end. {why}"
            self.context.warn(message_of((cut, new, advice)))

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
        reconciler = self._required or reconciler_of(self.context, self.service, [*recorded.values()])
        found = {}
        for index, record in recorded.items():
            seen = reconciler.reader.presence_of(record)
            shown = dict(seen.contract.raw) if seen.contract else None
            found[index] = {"presence": seen.presence, "why": seen.why or None, "contract": shown}
            if seen.why:
                ended = "has ended" if seen.contract else "is not seen any more"
                lost = f"{record.name} is recorded, and its contract {record.outcome.contract_id} {ended}."
                advice = Advice("To order it again, remove the record with reseller_record (state: absent).")
                self.context.warn(message_of((lost, seen.why, advice)))
        return found

    # After

    def ended(self, record: Record) -> None:
        """Add what this run ordered to the list that is kept. If its contract is not known, none is kept any more."""
        kept: Reconciler | None = self.context.shared.kept(self._which, _KEPT_SECONDS)
        if kept is not None and record.status not in RELEASED and not kept.add(record):
            self.context.shared.keep(self._which, None)

    def settled(self, names: Sequence[str]) -> dict[str, ReadAgain]:
        """Return what the service's list shows of orders in doubt, or without a contract ID. It is always read anew."""
        if self.wanted is None:
            names = with_evidence(self.ledger, names)
        if not names or self.wanted is False:
            return {}
        try:
            reconciler = reconciler_of(self.context, self.service, self.ledger.select(Filter()))
            return read_again(self.service.config, self.ledger, names, reconciler.judgments(names))
        except (ServiceError, LedgerError, *READING_FAILURES) as error:
            why = str(error).partition("\n")[0] or type(error).__name__
            unread = f"What is in doubt could not be read back: {why}"
            if self.wanted:
                self.context.warn(unread)
            return {name: ReadAgain(evidence=() if self.wanted else (unread,)) for name in names}


def _found_by(reconciler: Reconciler, orders: Mapping[int, Order]) -> dict[int, ExistingContracts]:
    """Return what the service has already of these orders, by their index."""
    return {index: reconciler.existing(order) for index, order in orders.items()}
