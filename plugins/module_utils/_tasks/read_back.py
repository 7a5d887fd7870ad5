# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads contracts back around a run that orders: what exists before it, and what settles orders in doubt after it.

Unless an option requires that, it is done where the service publishes a list that can be read with few requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from .._adapter.context import Context
from .._core.advice import Advice, told
from .._core.errors import ConfigurationError, LedgerError, ResellerError, ServiceError
from .._core.text import clean, nearest
from .._http.config import ServiceConfig, checked_organizations
from .._ledger.order_records import RELEASED, Filter, Outcome, Record, Settlement
from .._ledger.settling import offer_settling
from .._ledger.store import Ledger
from .._order.order import Order
from .._order.planner import Step
from .._order.service import KINDS, MAX_AGE, Service
from .._placing.outcomes import READING_FAILURES
from .._records.contract_ids import l2vpn_id
from .._secrets.masker import Masker

if TYPE_CHECKING:
    from .._contracts.contract_presence import Presence
    from .._contracts.judgments import Judgment
    from .._contracts.reader import ContractReader
    from .._contracts.reconciling import ExistingContracts, Reconciler

#: Of contracts that look like an order, no more are listed.
_MOST_LISTED = 5
_LEDGER_ALONE = "The ledger alone was asked: it is not known what the service has already."
#: What no option requires is read with at most so many requests, and with fewer pages: some are not for the list.
_MOST_REQUESTS, _MOST_PAGES = 20, 16
#: Seconds that a process believes such a list. What the ledger has since is in the ledger.
_KEPT_SECONDS = 60.0
#: Seconds after which it is not tried again for a while what did not bring a whole list.
_SLOW = 5.0


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
    advice = Advice(f"If it is, run this {by_hand.form}:\n{by_hand}")
    return [*judgment.evidence, f"{clean(likeliest, 100)} may be its contract. {advice}"]


@dataclass
class ReadBack:
    """Implements the option ``read_back``. ``wanted``: whether it is required; ``None``: if the list is readable.

    ``told`` is the return value of this name: whether the list was read, and why not.
    """

    context: Context
    service: Service
    ledger: Ledger
    wanted: bool | None
    told: dict[str, Any] = field(default_factory=dict)
    _required: Reconciler | None = None

    # Before

    def examined(self, steps: Sequence[Step]) -> list[Step]:
        """The steps with the existing contracts like them. Steps that the service may already have are refused."""
        asked = {
            index: step.order
            for index, step in enumerate(steps)
            if step.order and step.action in ("order", "pending") and not self._without_request(step)
        }
        if not asked or self.wanted is False:
            return list(steps)
        existing = self._existing(asked) if self.wanted else self._existing_if_readable(asked)
        unclear = dict.fromkeys(found.unclear.replace("\n", " ") for found in existing.values() if found.unclear)
        if existing:
            read = all(found.evidence is not None for found in existing.values())
            self.told = {"read": read, "why": " ".join([*unclear][:_MOST_LISTED]) or None}
        examined = list(steps)
        for index, found in existing.items():
            examined[index] = self._judged(steps[index], asked[index], found)
        return examined

    def _without_request(self, step: Step) -> bool:
        return self.context.check_mode and step.requested.validation == "documented"

    def _existing(self, asked: Mapping[int, Order]) -> dict[int, ExistingContracts]:
        """What the service has already of these orders, by their index."""

        def read() -> dict[int, ExistingContracts]:
            self._required = reconciler_of(self.context, self.service, self.ledger.select(Filter()))
            return _found_by(self._required, asked)

        return self.service.with_fresh(read, lambda found: KINDS if any(each.unread for each in found.values()) else ())

    def _existing_if_readable(self, asked: Mapping[int, Order]) -> dict[int, ExistingContracts]:
        """The same where the list can be read within the bound. Whatever prevents that is told, and refuses nothing.

        A list is read once for all items of a loop, and once more before anything is refused because of it. What cannot
        be read is not tried again for a while.
        """
        service, options, shared = self.service, self.context.params, self.context.shared
        if options["contracts_path"] is None and service.publishes_list is False:
            self.told = {"read": False, "why": "The published reference has no operation that lists contracts."}
            return {}
        where = repr((options["organizations"], options["contracts_path"]))
        which = (service.config.base_url, service.config.organization_id, service.config.api_key, where)
        key, why = (service.config, *which, self.ledger.place), None
        kept: Reconciler | None = shared.kept(key, _KEPT_SECONDS)
        if kept is None:
            unread = service.cache.read("unread", which, MAX_AGE)
            why = shared.kept(("unread", *which), MAX_AGE) or (unread and str(unread[0]))
        if why:
            self.told = {"read": False, "why": why}
            return {}
        found, started = _found_by(kept, asked) if kept else {}, monotonic()
        if found and not _refused(found, asked):
            return found
        try:
            with service.client.reading(requests=_MOST_REQUESTS):
                kept = reconciler_of(self.context, service, self.ledger.select(Filter()), most_pages=_MOST_PAGES)
                found, why = _found_by(kept, asked), None
        except (ServiceError, *READING_FAILURES) as error:
            why = str(error).partition("\n")[0] or type(error).__name__
            self.told, found = {"read": False, "why": why}, {}
        if kept is not None and kept.reader.lists:
            shared.keep(key, kept)
        why = why or next((each.unclear for each in found.values() if each.evidence is None), None)
        # What is listed in part may refuse something in part, unless that takes long.
        is_slow = monotonic() - started > _SLOW
        if why and not _refused(found, asked) and (is_slow or kept is None or not kept.reader.lists):
            shared.keep(("unread", *which), why)
            service.cache.write("unread", which, why)
        return found

    def _judged(self, step: Step, order: Order, found: ExistingContracts) -> Step:
        listed = "; ".join(found.unrecorded[:_MOST_LISTED])
        # What another run is placing may be listed before it is recorded.
        refusing = step.action == "order" and not (found.unrecorded and self._is_claimed(order.name))
        if refusing and found.unrecorded and not order.may_repeat:
            another = (
                "A domain is never bought twice: set read_back to false only if that contract has ended."
                if order.kind.unique
                else "To buy another one, or if that contract has ended, set on_duplicate to warn."
            )
            return step.refused(
                ResellerError(
                    f"Order {order.name} was not sent: the service has a contract like it that the ledger lacks.\n"
                    f"The service shows {listed}.",
                    Advice(f"If it is this order's, adopt it with reseller_ledger, state: ordered. {another}"),
                    kind="duplicate",
                )
            )
        if refusing and found.unread and self.wanted:
            return step.refused(
                ConfigurationError(
                    f"Order {order.name} was not sent: it is not known whether the service has it already.",
                    found.unclear,
                    Advice("Correct that, or leave out read_back to order nevertheless."),
                )
            )
        warnings = step.warnings
        if found.unclear and self.wanted:
            warnings = (*warnings, f"{_LEDGER_ALONE} {found.unclear}")
        if found.unrecorded and order.requested.on_duplicate == "warn":
            warnings = (*warnings, f"The service has a contract like this order that the ledger lacks: {listed}.")
        if found.over and order.requested.on_duplicate != "ignore":
            over = "; ".join(found.over[:_MOST_LISTED])
            warnings = (*warnings, f"The service has a contract like this order that is over: {over}. It is ordered.")
        return step._replace(order=replace(order, evidence=found.evidence), warnings=warnings)

    def _is_claimed(self, name: str) -> bool:
        """Whether another run has claimed the order since it was planned: what is listed is that run's then."""
        if not self.context.check_mode:
            # A ledger that was missing is read as empty until this run makes it, whoever did so meanwhile.
            self.ledger.make()
        record = self.ledger.find([name]).get(name)
        return record is not None and record.status not in RELEASED

    # Recorded contracts

    def presences(self, steps: Sequence[Step]) -> dict[int, Presence]:
        """The presence of recorded contracts, where it is required. Warns of those that the service does not show."""
        if not self.wanted:
            return {}
        recorded = {
            index: (step.record, step.record.request)
            for index, step in enumerate(steps)
            if step.action == "none"
            and step.record is not None
            and step.record.status == "ordered"
            and not self._without_request(step)
        }
        if not recorded:
            return {}
        from .._contracts.contract_presence import Presence, presence_of

        records = [record for record, _request in recorded.values()]
        reconciler = self._required or reconciler_of(self.context, self.service, records)
        reader, found = reconciler.reader, {}
        for index, (record, request) in recorded.items():
            contract_id = record.outcome.contract_id
            if contract_id is None or request is None:
                found[index] = Presence("unseen", "The ledger has no ID of its contract.")
                continue
            organization = reader.organization_of(request.end_user)
            try:
                listed = reader.listing(organization).find(contract_id)
            except ServiceError:
                listed = None
            try:
                found[index] = (
                    Presence("present", contract=listed) if listed else presence_of(reader, contract_id, organization)
                )
            except ServiceError as error:
                found[index] = Presence("unseen", error.message.partition("\n")[0])
            if found[index].presence == "unseen":
                advice = Advice("To order it again, remove the record with reseller_ledger (state: absent).")
                unseen = f"{record.name} is recorded, and its contract {contract_id} is not seen any more."
                self.context.warn(told((unseen, found[index].why, advice)))
        return found

    # After

    def settled(self, names: Sequence[str]) -> tuple[Mapping[str, Record], Mapping[str, Sequence[str]]]:
        """The records of orders that the service's list settles, which is read once, and what it shows, in sentences.

        The orders are in doubt, or their contract id is not known. What another run settled first is settled, too.
        A list that was kept settles nothing: it is read anew.
        """
        if not names or self.wanted is False:
            return {}, {}
        try:
            if self.wanted is None:
                names = self._with_evidence(names)
            if not names:
                return {}, {}
            with self.service.client.reading(requests=None if self.wanted else _MOST_REQUESTS):
                records = self.ledger.select(Filter())
                bound = {} if self.wanted else {"most_pages": _MOST_PAGES}
                reconciler = reconciler_of(self.context, self.service, records, **bound)
                judgments = {each.name: each for each in reconciler.judgments(names)}
            settlements = settlements_of(self.service.config, records, list(judgments.values()))
            written = self.ledger.settle(settlements) if settlements else []
            done = {each.name for each, in_the_way in zip(settlements, written, strict=True) if in_the_way is None}
            found = self.ledger.find(list(names))
        except (ServiceError, LedgerError, *READING_FAILURES) as error:
            why = str(error).partition("\n")[0] or type(error).__name__
            unread = f"What is in doubt could not be read back: {why}"
            if self.wanted:
                self.context.warn(unread)
                return {}, {}
            return {}, {name: [unread] for name in names}
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

    def _with_evidence(self, names: Sequence[str]) -> list[str]:
        """Those in doubt of which a list was read before. Nothing else can settle, and nothing requires a look."""
        found = self.ledger.find(list(names))
        requests = {name: found[name].request for name in names if name in found and found[name].status != "pending"}
        return [
            name
            for name, request in requests.items()
            if request and request.evidence and (found[name].status == "in_doubt" or found[name].outcome.contract_id)
        ]


def _refused(found: Mapping[int, ExistingContracts], asked: Mapping[int, Order]) -> bool:
    """Whether an order is to be refused because of what was found."""
    return any(each.unrecorded and not asked[index].may_repeat for index, each in found.items())


def _found_by(reconciler: Reconciler, asked: Mapping[int, Order]) -> dict[int, ExistingContracts]:
    """What the service has already of these orders, by their index."""
    from .._contracts.values import OrderedValues

    requests = {index: replace(order.request, settings=order.settings) for index, order in asked.items()}
    return {index: reconciler.existing(OrderedValues(request)) for index, request in requests.items()}
