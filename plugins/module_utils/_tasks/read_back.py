# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads contracts back around a run that orders: what exists before it, and what settles orders in doubt after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .._adapter.context import Context
from .._core.advice import Advice
from .._core.errors import ConfigurationError, LedgerError, ResellerError, ServiceError
from .._core.text import clean, nearest
from .._http.config import ServiceConfig, checked_organizations
from .._ledger.order_records import RELEASED, Filter, Outcome, Record, Settlement
from .._ledger.settling import offer_settling
from .._ledger.store import Ledger
from .._order.order import Order
from .._order.planner import Step
from .._order.service import Service
from .._placing.outcomes import READING_FAILURES
from .._records.contract_ids import l2vpn_id
from .._secrets.masker import Masker

if TYPE_CHECKING:
    from .._contracts.judgments import Judgment
    from .._contracts.reader import ContractReader
    from .._contracts.reconciling import ExistingContracts, Reconciler

#: Of contracts that look like an order, no more are listed.
_MOST_LISTED = 5
_LEDGER_ALONE = "The ledger alone was asked: it is not known what the service has already."


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


def reconciler_of(context: Context, service: Service, records: Sequence[Record]) -> Reconciler:
    """A reconciler for these records and the options of the task. It sends nothing yet. Raises ConfigurationError."""
    # Measured: 20 ms of a start, which only runs that read back need. They come here before they claim anything.
    from .._contracts.reconciling import Reconciler

    def products() -> dict[str, str | None]:
        try:
            return {each.id: each.name for each in service.catalogue().products}
        except ServiceError:
            return {}

    return Reconciler(reader_of(context, service, records, products=products))


def check_recorded(names: Sequence[str] | None, records: Sequence[Record]) -> None:
    """Raise ConfigurationError unless orders of these names are recorded."""
    known = {record.name for record in records}
    for name in names or ():
        if name not in known:
            near = ", ".join(nearest(name, known))
            meant = f"The nearest names are {near}. " if near else ""
            raise ConfigurationError(
                f"No order named {clean(name, 60)} is in the ledger. Nothing was sent or written.",
                Advice("look", f"{meant}reseller_ledger_info lists all."),
            )


def settlements_of(config: ServiceConfig, records: Sequence[Record], judgments: Sequence[Judgment]) -> list[Settlement]:
    """The settlements of orders with a contract, without secrets in the contract."""
    before = {record.name: record for record in records}
    masker = Masker({config.api_key})
    settlements = []
    for each in judgments:
        if each.contract is not None:
            raw = dict(each.contract.raw)
            l2vpn = l2vpn_id(raw) or before[each.name].outcome.l2vpn_id
            outcome = Outcome("ordered", " ".join(each.evidence), each.contract.id, raw, l2vpn)
            settlements.append(Settlement(each.name, outcome.masked(masker), None, before[each.name]))
    return settlements


def evidence_of(judgment: Judgment, place: str) -> list[str]:
    """The evidence, and what settles the order in the ledger at ``place`` if a candidate is its contract."""
    if judgment.contract is not None or not judgment.candidates:
        return [*judgment.evidence]
    likeliest = judgment.candidates[0]
    by_hand = offer_settling(judgment.name, place, state="ordered", contract_id=likeliest)
    advice = Advice("settle_as", f"If it is, run this {by_hand.form}:\n{by_hand}")
    return [*judgment.evidence, f"{clean(likeliest, 100)} may be its contract. {advice}"]


class ReadBack(NamedTuple):
    """Implements the option ``read_back``. ``wanted``: it is set."""

    context: Context
    service: Service
    ledger: Ledger
    wanted: bool

    # Before

    def examined(self, steps: Sequence[Step]) -> list[Step]:
        """The steps with the existing contracts like them. Steps that the service may already have are refused."""
        offline = self.context.check_mode
        asked = {
            index: step.order
            for index, step in enumerate(steps)
            if step.order
            and (step.action == "order" or step.in_flight)
            and not (offline and step.requested.validation == "documented")
        }
        if not asked or not self.wanted:
            return list(steps)
        existing = self._existing(asked)
        if any(found.unread for found in existing.values()) and self.service.renew():
            existing = self._existing(asked)
        examined = list(steps)
        for index, found in existing.items():
            examined[index] = self._judged(steps[index], asked[index], found)
        return examined

    def _existing(self, asked: Mapping[int, Order]) -> dict[int, ExistingContracts]:
        """What the service has already of these orders, by their index."""
        from .._contracts.values import OrderedValues

        reconciler = reconciler_of(self.context, self.service, self.ledger.select(Filter()))
        found = {}
        for index, order in asked.items():
            request = replace(order.request, settings=order.settings)
            found[index] = reconciler.existing(OrderedValues(request))
        return found

    def _judged(self, step: Step, order: Order, found: ExistingContracts) -> Step:
        listed = "; ".join(found.unrecorded[:_MOST_LISTED])
        # What another run is placing may be listed before it is recorded.
        refusing = step.action == "order" and not (found.unrecorded and self._is_claimed(order.name))
        if refusing and found.unrecorded and not order.may_repeat:
            another = (
                "A domain is never bought twice: order it without read_back only if that contract has ended."
                if order.kind.unique
                else "To buy another one, or if that contract has ended, set on_duplicate to warn."
            )
            return step.refused(
                ResellerError(
                    f"Order {order.name} was not sent: the service has a contract like it that the ledger lacks.\n"
                    f"The service shows {listed}.",
                    Advice("adopt", f"If it is this order's, adopt it with reseller_ledger, state: ordered. {another}"),
                    kind="duplicate",
                )
            )
        if refusing and found.unread:
            return step.refused(
                ConfigurationError(
                    f"Order {order.name} was not sent: it is not known whether the service has it already.",
                    found.unclear,
                    Advice("read_back", "Correct that, or set read_back to false to order nevertheless."),
                )
            )
        warnings = step.warnings
        if found.unclear:
            warnings = (*warnings, f"{_LEDGER_ALONE} {found.unclear}")
        if found.unrecorded and order.requested.on_duplicate == "warn":
            warnings = (*warnings, f"The service has a contract like this order that the ledger lacks: {listed}.")
        return step._replace(order=replace(order, evidence=found.evidence), warnings=warnings)

    def _is_claimed(self, name: str) -> bool:
        """Whether another run has claimed the order since it was planned: what is listed is that run's then."""
        if not self.context.check_mode:
            # A ledger that was missing is read as empty until this run makes it, whoever did so meanwhile.
            self.ledger.make()
        record = self.ledger.find([name]).get(name)
        return record is not None and record.status not in RELEASED

    # After

    def settled(self, names: Sequence[str]) -> tuple[Mapping[str, Record], Mapping[str, Sequence[str]]]:
        """The records of orders that the service's list settles, which is read once, and what it shows, in sentences.

        The orders are in doubt, or their contract id is not known. What another run settled first is settled, too.
        """
        if not self.wanted or not names:
            return {}, {}
        try:
            records = self.ledger.select(Filter())
            reconciler = reconciler_of(self.context, self.service, records)
            judgments = {each.name: each for each in reconciler.judgments(names)}
            settlements = settlements_of(self.service.config, records, list(judgments.values()))
            written = self.ledger.settle(settlements) if settlements else []
            done = {each.name for each, in_the_way in zip(settlements, written, strict=True) if in_the_way is None}
            found = self.ledger.find(list(names))
        except (ServiceError, LedgerError, *READING_FAILURES) as error:
            why = str(error).partition("\n")[0] or type(error).__name__
            self.context.warn(f"What is in doubt could not be read back: {why}")
            return {}, {}
        settled = {
            name: record
            for name, record in found.items()
            if record.status == "ordered" and (name in done or record.outcome.contract_id is not None)
        }
        # What another run settled is told by its record alone.
        shown = {
            name: evidence_of(each, self.ledger.place)
            for name, each in judgments.items()
            if name in done or name not in settled
        }
        return settled, shown
