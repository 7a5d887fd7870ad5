# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans a run: which orders are to be sent, are recorded, differ, are in doubt or are refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from .._checks.nameservers import nameserver_violations
from .._core.errors import (
    ConfigurationError,
    ResellerError,
    UnknownProductError,
    ViolationsError,
    message_of,
)
from .._core.text import is_uuid, same_id
from .._ledger.identity import NAMELESS, folded_name, other_kind_error, similar_name_error
from .._ledger.order_records import RELEASED, Identity, Record, Request
from .._ledger.store import Ledger
from .._product_types.dialect import require_jsonschema
from .._product_types.registry import PRODUCT_TYPES
from .._secrets.masker import kept_elements, kept_settings
from .already_there import duplicate_error, duplicate_text, in_doubt_error
from .drift import DriftedValue, drift_error, drift_message, drift_of, incomplete_error, missing_options
from .order import EXISTING_L2VPN, Order, RequestedOrder
from .preparing import SUBJECT, checked_request, ordered_product, prepare
from .service import KINDS, Service

#: What is wrong with one order, and stops no other.
_REFUSALS = (ConfigurationError, ViolationsError, UnknownProductError)

#: ``order``: to be sent; ``none``: recorded; ``pending``: claimed by another run, which is waited for; the others stand
#: in the way of sending.
Action = Literal["order", "none", "pending", "in_doubt", "differs", "refused"]


class Step(NamedTuple):
    """One order of a plan.

    ``order`` is set when it could be prepared, ``record`` when the ledger has one of this name, ``error`` when it
    stands in the way of sending.
    """

    requested: RequestedOrder
    action: Action
    order: Order | None = None
    record: Record | None = None
    differences: tuple[DriftedValue, ...] = ()
    error: ResellerError | None = None
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the order, empty if it has none."""
        return self.requested.name or ""

    def joining(self, l2vpn_id: str) -> Step:
        """Return this step with the UUID of the L2VPN that its order joins."""
        settings = {**self.requested.settings, EXISTING_L2VPN: l2vpn_id}
        requested = replace(self.requested, settings=settings, l2vpn_of=None)
        order = self.order and replace(self.order, settings={**self.order.settings, EXISTING_L2VPN: l2vpn_id})
        return self._replace(requested=requested, order=order)

    def refused(self, error: ResellerError) -> Step:
        """This step, refused for this reason."""
        return self._replace(action="refused", error=error)


class Planner(NamedTuple):
    """Plans orders against one ledger and one service.

    ``offline``: check mode, in which no request is made for documented validation. ``resolvers`` are queried for a
    domain's nameservers.
    """

    service: Service
    ledger: Ledger
    offline: bool = False
    resolvers: Sequence[str] | None = None

    def plan(self, requested_orders: Sequence[RequestedOrder]) -> list[Step]:
        """One step for each requested order. What is wrong with it is in its step; a service that cannot be read raises
        ServiceError, a ledger that cannot be read LedgerError, a missing jsonschema MissingLibraryError.
        """
        require_jsonschema()
        checked = [_checked(requested) for requested in requested_orders]
        return self.service.with_fresh(
            lambda: self._planned(checked),
            # What is cached may be why a step is refused.
            lambda steps: (
                KINDS if any(each.error and not self._without_request(each.requested) for each in steps) else ()
            ),
        )

    def _planned(self, checked: Sequence[Step]) -> list[Step]:
        names = sorted({step.name for step in checked if step.name and step.error is None})
        records, similar = self.ledger.look_up(names)
        steps = [
            step if step.error else self._step(step.requested, records.get(step.name), similar.get(step.name))
            for step in checked
        ]
        return self._with_nameservers(self._without_duplicates(steps))

    def _with_nameservers(self, steps: list[Step]) -> list[Step]:
        """The steps, with those domains refused whose nameservers are not ready."""
        domains = {
            index: order
            for index, order in orders_to_send(steps).items()
            if steps[index].requested.verify_nameservers and not self._without_request(steps[index].requested)
        }
        found = nameserver_violations([order.settings for order in domains.values()], resolvers=self.resolvers)
        for index, violations in zip(domains, found, strict=True):
            if violations:
                steps[index] = steps[index].refused(ViolationsError(violations, SUBJECT))
        return steps

    def _without_request(self, requested: RequestedOrder) -> bool:
        return self.offline and requested.validation == "specification"

    def _without_duplicates(self, steps: list[Step]) -> list[Step]:
        """The steps, with those refused that would order what is recorded or requested under another name."""
        wanted = orders_to_send(steps)
        recorded = self.ledger.duplicates([*wanted.values()]) if wanted else {}
        first: dict[Identity | None, Request] = {}
        for index, request in wanted.items():
            step = steps[index]
            may_recur = request.identity is None or request.identity.setting == NAMELESS
            earlier = request if may_recur else first.setdefault(request.identity, request)
            # One name twice is reported as that.
            in_task = None if folded_name(earlier.name) == folded_name(request.name) else earlier
            other = recorded.get(request.name) or in_task
            if other is not None and not request.again:
                steps[index] = step.refused(duplicate_error(request, other, "This order was not sent."))
            elif other is not None and step.requested.on_duplicate == "warn":
                warning = duplicate_text(request, other, "It is ordered as well, because on_duplicate is warn.")
                steps[index] = step._replace(warnings=(*step.warnings, warning))
        return steps

    def _step(self, requested: RequestedOrder, record: Record | None, similar: str | None) -> Step:
        try:
            if record is not None and record.kind != "order" and record.status not in RELEASED:
                raise other_kind_error(record, "This order was not sent")
            if record is None or record.status in RELEASED:
                if similar is not None:
                    raise similar_name_error("order", requested.name or "", similar, "This order was not sent")
                return self._new(requested, record)
            if record.status == "in_doubt":
                return Step(requested, "in_doubt", record=record, error=in_doubt_error(record))
            if record.status == "pending":
                return self._new(requested, record)._replace(action="pending")
            return self._recorded(requested, record)
        except _REFUSALS as refusal:
            return Step(requested, "refused", record=record, error=refusal)

    def _recorded(self, requested: RequestedOrder, record: Record) -> Step:
        known = record.request
        if known is None or missing_options(known):
            raise incomplete_error(record)
        kind = requested.kind()
        if kind is None and known.product:
            kind = PRODUCT_TYPES.get(known.product_type)
        if kind is None:
            # Nothing recorded tells that the product is of the recorded type, or another release knows that.
            _product, kind = ordered_product(requested, self.service, offline=self._without_request(requested))
        checked = requested.checked(kind, check_mode=self.offline)
        if checked.violations:
            raise ViolationsError(checked.violations, SUBJECT)
        open_yet = {f"settings.{setting}" for setting in checked.not_known}
        wanted = requested.order(
            self.service.config,
            kind,
            self._product(requested, known) or kind.product_id or "",
            settings=kept_settings(checked.settings, self.ledger.digest_key),
            additional_elements=kept_elements(requested.additional_elements, self.ledger.digest_key),
        )
        found = tuple(each for each in drift_of(known, wanted, kind) if each.path not in open_yet)
        step = Step(requested, "differs" if found else "none", record=record, differences=found)
        if found and (requested.on_drift == "fail" or not all(each.of_settings for each in found)):
            return step._replace(error=drift_error(record, found))
        if found and requested.on_drift == "warn":
            return step._replace(warnings=(message_of(drift_message(step.name, found)),))
        return step

    def _product(self, requested: RequestedOrder, recorded: Request) -> str | None:
        """The product of a requested order; the recorded one if that is meant by a name, of which the recorded name
        needs no request.
        """
        wanted = requested.product
        if not wanted or is_uuid(wanted):
            return wanted
        if wanted == recorded.product_name:
            return recorded.product
        if self._without_request(requested):
            ordered_product(requested, self.service, offline=True)
        try:
            is_recorded = same_id(self.service.catalogue().find(wanted).id, recorded.product)
        except UnknownProductError:
            return wanted
        return recorded.product if is_recorded else wanted

    def _new(self, requested: RequestedOrder, record: Record | None) -> Step:
        offline = self._without_request(requested)
        if requested.product and not is_uuid(requested.product) and not offline:
            # The name may have moved to another product since the catalogue was cached.
            self.service.confirm_catalogue()
        product, kind = ordered_product(requested, self.service, offline=offline)
        shape, config = self.service.shape(offline=offline), self.service.config
        order, warnings = prepare(requested, product, kind, shape, config, check_mode=self.offline)
        return Step(requested, "order", order=order, record=record, warnings=tuple(warnings))


def _checked(requested: RequestedOrder) -> Step:
    """The step of an order with its name, or why it can have no place in the ledger."""
    try:
        return Step(checked_request(requested), "order")
    except _REFUSALS as error:
        return Step(requested, "refused", error=error)


def orders_to_send(steps: Sequence[Step]) -> dict[int, Order]:
    """The orders of a plan that are to be sent, by their index in it."""
    return {index: step.order for index, step in enumerate(steps) if step.action == "order" and step.order}
