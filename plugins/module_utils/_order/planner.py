# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans a run: which orders are to be sent, are recorded, have drifted, are in doubt or are refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .._checks.documented import Checked, check_documented
from .._checks.nameservers import nameserver_violations
from .._core.advice import told
from .._core.errors import (
    ConfigurationError,
    ResellerError,
    ServiceError,
    UnknownProductError,
    ViolationsError,
)
from .._core.text import is_uuid, same_id
from .._ledger.identity import other_case_error
from .._ledger.order_records import RELEASED, Record, Request
from .._ledger.store import Ledger
from .._product_types.product_type import ProductType
from .._product_types.registry import PRODUCT_TYPES
from .._secrets.ledger_values import kept_elements, kept_settings
from .drift import DriftedValue, drift_error, drift_message, drift_of
from .duplicates import duplicate_error, duplicates, same_thing
from .filling import incomplete_error, missing_options
from .order import Order, RequestedOrder, check_requested, order_name, prepare
from .service import Service
from .targets import target_of, type_violation
from .unsettled import in_doubt_error

#: What breaks a rule, in messages.
_ORDER = "The order"
#: What is wrong with one order, and stops no other.
_REFUSALS = (ConfigurationError, ViolationsError, UnknownProductError)

#: ``order``: to be sent; ``none``: recorded, or being placed by another run; the others stand in the way of sending.
Action = Literal["order", "none", "in_doubt", "drift", "refused"]


@dataclass(frozen=True)
class Step:
    """One order of a plan.

    ``order`` is set when it could be prepared, ``record`` when the ledger has one of this name, ``error`` when it
    stands in the way of sending.
    """

    name: str
    requested: RequestedOrder
    action: Action
    order: Order | None = None
    record: Record | None = None
    differences: tuple[DriftedValue, ...] = ()
    error: ResellerError | None = None
    warnings: tuple[str, ...] = ()

    @property
    def in_flight(self) -> bool:
        """Whether another run is placing this order now."""
        return self.record is not None and self.record.status == "pending"

    def refused(self, error: ResellerError) -> Step:
        """This step, refused for this reason."""
        return replace(self, action="refused", error=error)


class Planner:
    """Plans orders against one ledger and one service.

    ``offline``: check mode, in which no request is made for documented validation. ``resolvers`` are asked for a
    domain's nameservers. ``marker_element`` is where claims are marked, if anywhere.
    """

    def __init__(
        self,
        service: Service,
        ledger: Ledger,
        *,
        offline: bool = False,
        resolvers: Sequence[str] | None = None,
        marker_element: str | None = None,
    ) -> None:
        self._service = service
        self._ledger = ledger
        self._offline = offline
        self._resolvers = resolvers
        self._marker_element = marker_element

    def plan(self, requested_orders: Sequence[RequestedOrder]) -> list[Step]:
        """One step for each requested order. What is wrong with it is in its step; a service that cannot be read raises
        ServiceError, a ledger that cannot be read LedgerError.
        """
        steps = self._planned(requested_orders)
        if any(map(self._may_be_outdated, steps)) and self._service.renew():
            steps = self._planned(requested_orders)
        return steps

    def _may_be_outdated(self, step: Step) -> bool:
        """Whether a step may be refused because of a kept catalogue or reference."""
        requested, error = step.requested, step.error
        if error is None or self._without_request(requested):
            return False
        if step.action == "drift":
            return any(each.path == "product" for each in step.differences)
        if isinstance(error, ViolationsError) and requested.kind() is not None:
            return any(violation.source != "documented" for violation in error.violations)
        return isinstance(error, _REFUSALS)

    def _planned(self, requested_orders: Sequence[RequestedOrder]) -> list[Step]:
        names = [_name(requested) for requested in requested_orders]
        records, in_other_case = self._ledger.look_up(
            sorted({name for name in names if name and isinstance(name, str)})
        )
        steps = [
            self._step(name, requested, records.get(name), in_other_case.get(name))
            if isinstance(name, str)
            else Step(requested.name or "", requested, "refused", error=name)
            for name, requested in zip(names, requested_orders, strict=True)
        ]
        return self._with_nameservers(self._without_duplicates(steps))

    def _with_nameservers(self, steps: list[Step]) -> list[Step]:
        """The steps, with those domains refused whose nameservers are not ready."""
        asked = {
            index: order
            for index, order in orders_to_send(steps).items()
            if steps[index].requested.verify_nameservers and not self._without_request(steps[index].requested)
        }
        found = nameserver_violations([order.settings for order in asked.values()], resolvers=self._resolvers)
        for index, violations in zip(asked, found, strict=True):
            if violations:
                steps[index] = replace(steps[index], order=None).refused(ViolationsError(violations, _ORDER))
        return steps

    def _without_request(self, requested: RequestedOrder) -> bool:
        return self._offline and requested.validation == "documented"

    def _without_duplicates(self, steps: list[Step]) -> list[Step]:
        """The steps, with those refused that would order what is recorded or asked for under another name."""
        asked = orders_to_send(steps)
        found = duplicates([*asked.values()], self._ledger, self._service.config) if asked else []
        for (index, order), other in zip(asked.items(), found, strict=True):
            step = steps[index]
            if other is not None and not order.may_repeat:
                steps[index] = step.refused(duplicate_error(order, other, self._service.config, self._ledger))
            elif other is not None and order.on_duplicate == "warn":
                warning = same_thing(order, other, "It is ordered as well, because on_duplicate is warn.")
                steps[index] = replace(step, warnings=(*step.warnings, warning))
        return steps

    def _step(self, name: str, requested: RequestedOrder, record: Record | None, in_other_case: str | None) -> Step:
        try:
            if record is None or record.status in RELEASED:
                if in_other_case is not None:
                    raise other_case_error("order", name, in_other_case, "This order was not sent")
                return self._new(name, requested, record)
            if record.status == "in_doubt":
                error = in_doubt_error(record, self._ledger.place, lists_contracts=self._service.lists_contracts())
                return Step(name, requested, "in_doubt", record=record, error=error)
            if record.status == "pending":
                return replace(self._new(name, requested, record), action="none")
            return self._recorded(name, requested, record)
        except _REFUSALS as refusal:
            return Step(name, requested, "refused", record=record, error=refusal)
        except ServiceError:
            # What is wrong in the playbook itself is worth more to the reader than a service that does not answer.
            kind = requested.kind()
            checked = kind and self._checked(kind, requested)
            if not (checked and checked.violations):
                raise
            return Step(name, requested, "refused", record=record, error=ViolationsError(checked.violations, _ORDER))

    def _recorded(self, name: str, requested: RequestedOrder, record: Record) -> Step:
        as_it_is, known = Step(name, requested, "none", record=record), record.request
        if known is None or missing_options(known):
            raise incomplete_error(record, self._ledger.place)
        asked = requested.kind()
        if asked is None and not (known.product and known.product_type in PRODUCT_TYPES):
            # Nothing recorded tells that the product is of the recorded type, or another release knows that.
            asked = target_of(requested, self._service, offline=self._without_request(requested))[0].product_type
        kind = asked or PRODUCT_TYPES[known.product_type]
        checked = self._checked(kind, requested)
        if checked.violations:
            raise ViolationsError(checked.violations, _ORDER)
        open_yet = {f"settings.{setting}" for setting in checked.not_known}
        config, key = self._service.config, self._ledger.digest_key
        now = Request(
            name,
            config.base_url,
            config.organization_id,
            requested.end_user,
            self._product(requested, known) or kind.product_id or "",
            None,
            kind.name,
            settings=kept_settings(checked.settings, key),
            additional_elements=kept_elements(requested.additional_elements, key),
        )
        differing = drift_of(known, now, kind)
        found = tuple(difference for difference in differing if difference.path not in open_yet)
        if found and (requested.on_drift == "fail" or not all(difference.of_settings for difference in found)):
            error = drift_error(record, found, self._ledger.place)
            return replace(as_it_is, action="drift", differences=found, error=error)
        warnings = (told(drift_message(name, found)),) if found and requested.on_drift == "warn" else ()
        return replace(as_it_is, differences=found, warnings=warnings)

    def _checked(self, kind: ProductType, requested: RequestedOrder) -> Checked:
        """The settings by the documented rules alone. What only live rules may know counts as known."""
        names = [name for name in requested.settings if isinstance(name, str)]
        return check_documented(
            kind,
            requested.settings,
            org_max_ram=requested.org_max_ram,
            also_known=names,
            check_mode=self._offline,
        )

    def _product(self, requested: RequestedOrder, recorded: Request) -> str | None:
        """The product of a requested order; the recorded UUID if that is meant by another of its names.

        The recorded name needs no request: it stands for the recorded product.
        """
        wanted = requested.product
        if not wanted or is_uuid(wanted) or wanted == recorded.product_name:
            return wanted
        if self._without_request(requested):
            target_of(requested, self._service, offline=True)
        try:
            found = self._service.catalogue().find(wanted).id
        except UnknownProductError:
            return wanted
        return found if same_id(found, recorded.product) else wanted

    def _new(self, name: str, requested: RequestedOrder, record: Record | None) -> Step:
        offline = self._without_request(requested)
        target, product = target_of(requested, self._service, offline=offline)
        live = requested.validation == "live"
        options = product.options_as(target.product_type) if product and live else None
        if offline:
            shape = self._service.known_shape()
        else:
            shape = self._service.shape_with_elements() if self._marker_element else self._service.shape()
        order, violations = prepare(
            requested,
            target,
            options,
            shape,
            self._service.own_elements(),
            marker_element=self._marker_element,
            check_mode=self._offline,
        )
        wrong_type = type_violation(product, target.product_type) if product and live else None
        if wrong_type:
            raise ViolationsError([wrong_type, *violations], _ORDER)
        if violations:
            raise ViolationsError(violations, _ORDER)
        if not name:
            raise ConfigurationError(
                "The order has no name. This order was not sent.\n"
                "A second run finds the order in the ledger by its name. "
                f"A {target.product_type.title} order needs name."
            )
        warnings = (*order.warnings, *(shape.warnings if shape else ()))
        if product and options is None and live:
            wanted = requested.product or target.product
            warnings += (f"The options of product {wanted} are missing or unreadable; only the documented rules hold.",)
        return Step(name, requested, "order", order=order, record=record, warnings=warnings)


def _name(requested: RequestedOrder) -> str | ResellerError:
    """The name of an order, empty if it has none, or why it can have no place in the ledger."""
    try:
        check_requested(requested)
        return order_name(requested) or ""
    except _REFUSALS as error:
        return error


def orders_to_send(steps: Sequence[Step]) -> dict[int, Order]:
    """The orders of a plan that are to be sent, by their index in it."""
    return {index: step.order for index, step in enumerate(steps) if step.action == "order" and step.order}
