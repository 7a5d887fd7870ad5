# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans a run: which orders are to be sent, are recorded, differ, are in doubt or are refused.

What is to be sent is made from what is requested (API specification 4.1, 4.3 and 8): its product is found, its settings
are checked and serialized.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from .._catalogue.catalogue import Product, catalogue_of
from .._checks.nameservers import nameserver_violations
from .._core.errors import ConfigurationError, UnknownProductError, ViolationsError, message_of
from .._core.text import clean, folded_text, is_uuid, same_id
from .._ledger.identity import NAMELESS, folded_name, taken_name_error
from .._ledger.ledger_errors import pending_error
from .._ledger.order_records import Identity, Record, Request
from .._ledger.store import Ledger
from .._product_types.dialect import require_jsonschema
from .._product_types.product_type import ProductType
from .._product_types.registry import PRODUCT_TYPES
from .._service.service import Service
from .drift import drift_of, missing_options, of_settings
from .order import Order, RequestedOrder
from .order_errors import (
    drift_error,
    drift_message,
    duplicate_error,
    duplicate_text,
    in_doubt_error,
    incomplete_error,
    left_error,
)
from .placed_order import PlacedOrder
from .preparing import SUBJECT, checked_request, checked_settings, prepare

#: What is wrong with one order, and stops no other.
_REFUSALS = (ConfigurationError, ViolationsError, UnknownProductError)


class Planner(NamedTuple):
    """Plans orders against one ledger and one service."""

    service: Service
    ledger: Ledger
    #: In check mode, ``validation: specification`` makes no request.
    check_mode: bool = False

    def plan(self, requested_orders: Sequence[RequestedOrder]) -> list[PlacedOrder]:
        """The requested orders as they are planned. What is wrong with one is its error; a service that cannot be read
        raises ServiceError, a ledger that cannot be read LedgerError, a missing jsonschema MissingLibraryError.
        """
        require_jsonschema()
        end_users = self.service.described.end_users
        checked = [_checked(requested, end_users) for requested in requested_orders]
        names = sorted({one.name for one in checked if one.name and one.error is None})
        _of_these_names, holders = self.ledger.look_up(names)
        ordered = [record for record in holders.values() if record.status == "ordered" and record.kind == "order"]
        cancellations = self.ledger.open_cancellations(ordered) if ordered else {}
        planned = [
            one if one.error else self._planned(one.requested, holders.get(one.name), cancellations.get(one.name))
            for one in checked
        ]
        return self._with_nameservers(self._without_duplicates(planned))

    def ended_elsewhere(self, orders: Sequence[PlacedOrder]) -> list[PlacedOrder]:
        """Orders that other runs were placing, as the ledger has them now: they may differ from what is requested."""
        records, holders = self.ledger.look_up([one.name for one in orders])
        ended = []
        for one in orders:
            record, holder = records.get(one.name), holders.get(one.name)
            if holder is None or holder.cancelled:
                ended.append(one.to("rejected", record=record, error=left_error(one.name, record)))
            elif holder.status == "pending":
                ended.append(one.to("elsewhere", record=holder, error=pending_error(holder)))
            else:
                ended.append(one.to(**self._planned(one.requested, holder, None)._asdict()))
        return ended

    def _planned(self, requested: RequestedOrder, holder: Record | None, cancellation: Record | None) -> PlacedOrder:
        """One order beside the record that holds its name, and the open request that cancels its contract."""
        if cancellation is not None:
            is_pending = cancellation.status == "pending"
            error = pending_error(cancellation) if is_pending else in_doubt_error(cancellation)
            return PlacedOrder(requested, "refused", error=error)
        record = None
        try:
            if holder is None:
                return self._new(requested)
            if other := taken_name_error("order", requested.name or "", holder, "This order was not sent"):
                raise other
            record = holder
            if record.status == "pending":
                return self._new(requested).to("elsewhere", record=record)
            if record.cancelled:
                one = self._new(requested)
                return one._replace(order=one.order and replace(one.order, over=record.outcome.contract_id))
            if record.status == "in_doubt":
                return PlacedOrder(requested, "in_doubt", record=record, error=in_doubt_error(record))
            return self._recorded(requested, record)
        except _REFUSALS as refusal:
            return PlacedOrder(requested, "refused", record=record, error=refusal)

    def _recorded(self, requested: RequestedOrder, record: Record) -> PlacedOrder:
        """An order that is recorded: as it is requested, or otherwise."""
        known = record.request
        if known is None or missing_options(known):
            raise incomplete_error(record)
        # It may be that nothing recorded tells that the product is of the recorded type, or another release knows that.
        kind = requested.kind() or (PRODUCT_TYPES.get(known.product_type) if known.product else None)
        kind = kind or self._ordered_product(requested)[1]
        checked = checked_settings(requested, kind, check_mode=self.check_mode)
        if checked.violations:
            raise ViolationsError(checked.violations, SUBJECT)
        product = self._requested_product(requested, known) or kind.product_id or ""
        order = requested.order(self.service.config, kind, product, settings=checked.settings)
        not_known = {f"settings.{setting}" for setting in checked.not_known}
        drift = drift_of(known, order.stored(self.ledger.digest_key))
        differences = tuple(difference for difference in drift if difference.path not in not_known)
        if not differences:
            return PlacedOrder(requested, "recorded", record=record)
        one = PlacedOrder(requested, "differs", record=record, differences=differences)
        if requested.on_drift == "fail" or not of_settings(differences):
            return one._replace(error=drift_error(record, differences))
        return one._replace(warnings=(message_of(drift_message(one.name, differences)),))

    def _requested_product(self, requested: RequestedOrder, recorded: Request) -> str | None:
        """The product of a requested order: the recorded one if its name means that. The recorded name needs no
        request.
        """
        wanted = requested.product
        if not wanted or is_uuid(wanted):
            return wanted
        if folded_text(wanted) == folded_text(recorded.product_name or ""):
            return recorded.product
        try:
            is_recorded = same_id(self._listed_product(requested, wanted).id, recorded.product)
        except UnknownProductError:
            return wanted
        return recorded.product if is_recorded else wanted

    def _listed_product(self, requested: RequestedOrder, wanted: str) -> Product:
        """The product in the catalogue. Raises ConfigurationError where no request is made."""
        if self._without_request(requested):
            raise ConfigurationError(
                f"Product {clean(wanted, 40)!r} is given by name, or its type is not known. This order was not sent.\n"
                "With validation: specification, check mode makes no request, so neither can be looked up.\n"
                "Give the product's UUID and product_type, or use validation: catalogue."
            )
        return catalogue_of(self.service).find(wanted)

    def _ordered_product(self, requested: RequestedOrder) -> tuple[Product, ProductType]:
        """The product of a requested order, of which only the UUID is known if that is enough, and its type.

        A documented UUID alone decides on the type, also if the product was requested by name.
        """
        kind = requested.kind()
        wanted = requested.product or (kind.product_id if kind else None) or ""
        if requested.validation == "specification" and is_uuid(wanted) and kind is not None:
            return Product(wanted, (), {}), kind
        product = self._listed_product(requested, wanted)
        kind = requested.kind(product.id) or product.product_type
        if kind is None:
            options = product.options()
            shown = "no options that can be read" if options is None else f"the options {[o.name for o in options]}"
            raise ConfigurationError(
                f"The type of product {clean(wanted, 40)!r} cannot be inferred. This order was not sent.\n"
                f"The catalogue lists {shown} for it.\nGive product_type, one of {', '.join(PRODUCT_TYPES)}."
            )
        return product, kind

    def _new(self, requested: RequestedOrder) -> PlacedOrder:
        """An order that is to be sent."""
        product, kind = self._ordered_product(requested)
        shape, config = self.service.shape(offline=self._without_request(requested)), self.service.config
        order, warnings = prepare(requested, product, kind, shape, config, check_mode=self.check_mode)
        return PlacedOrder(requested, "planned", order=order, warnings=tuple(warnings))

    # Beside each other

    def _without_duplicates(self, planned: list[PlacedOrder]) -> list[PlacedOrder]:
        """The orders, with those refused that would order what is recorded or requested under another name."""
        wanted = orders_to_send(planned)
        recorded = self.ledger.duplicates([*wanted.values()]) if wanted else {}
        first: dict[Identity | None, Request] = {}
        for index, request in wanted.items():
            one = planned[index]
            may_recur = request.identity is None or request.identity.setting == NAMELESS
            earlier = request if may_recur else first.setdefault(request.identity, request)
            # One name twice is reported as that.
            in_task = None if folded_name(earlier.name) == folded_name(request.name) else earlier
            other = recorded.get(request.name) or in_task
            if other is not None and not request.may_be_second:
                planned[index] = one.refused(duplicate_error(request, other, "This order was not sent."))
            elif other is not None:
                warning = duplicate_text(request, other, "It is ordered as well, because allow_second is true.")
                planned[index] = one._replace(warnings=(*one.warnings, warning))
        return planned

    def _with_nameservers(self, planned: list[PlacedOrder]) -> list[PlacedOrder]:
        """The orders, with those domains refused whose nameservers are not ready."""
        domains = {
            index: order
            for index, order in orders_to_send(planned).items()
            if planned[index].requested.verify_nameservers and not self._without_request(planned[index].requested)
        }
        resolvers = self.service.described.get("nameserver_resolvers")
        broken = nameserver_violations([order.settings for order in domains.values()], resolvers=resolvers)
        for index, violations in zip(domains, broken, strict=True):
            if violations:
                planned[index] = planned[index].refused(ViolationsError(violations, SUBJECT))
        return planned

    def _without_request(self, requested: RequestedOrder) -> bool:
        """Return whether check mode makes no request for this order."""
        return self.check_mode and requested.validation == "specification"


def _checked(requested: RequestedOrder, end_users: Collection[str]) -> PlacedOrder:
    """An order with its name, or why it can have no place in the ledger."""
    try:
        return PlacedOrder(checked_request(requested, end_users), "planned")
    except _REFUSALS as error:
        return PlacedOrder(requested, "refused", error=error)


def orders_to_send(planned: Sequence[PlacedOrder]) -> dict[int, Order]:
    """The orders of a plan that are to be sent, by their index in it."""
    return {index: one.order for index, one in enumerate(planned) if one.state == "planned" and one.order}
