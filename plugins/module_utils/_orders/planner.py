# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans a run: which orders are to be sent, are recorded, differ, are in doubt or are refused.

What is to be sent is made from what is requested (API specification 4.1, 4.3 and 8): its product is found, its settings
are checked and serialized.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .._catalogue.catalogue import Product, catalogue_of
from .._catalogue.option import Option
from .._checks.coercion import is_json
from .._checks.nameservers import nameserver_violations
from .._checks.setting_rules import check_catalogue_rules
from .._core.errors import Advice, ConfigurationError, UnknownProductError, Violation, ViolationsError, message_of
from .._core.text import clean, folded_text, is_uuid, nearest, same_id
from .._http.config import ServiceConfig
from .._ledger.identity import NAMELESS, folded_name, taken_name_error
from .._ledger.ledger_errors import pending_error
from .._ledger.order_records import Identity, Record, Request
from .._ledger.store import Ledger
from .._product_types.dialect import require_jsonschema
from .._product_types.product_type import ProductType
from .._product_types.registry import DOCUMENTED_SETTINGS, IDENTITIES, PRODUCT_TYPES, product_type_of_id
from .._product_types.webhosting import WEBHOSTING
from .._secrets.masker import kept_elements, kept_settings, secret_values
from .._service.order_shape import OrderShape, own_elements
from .._service.service import Service
from .adopting import incomplete_error, missing_options
from .drift import drift_error, drift_message, drift_of
from .order import EXISTING_L2VPN, Order, RequestedOrder, Step, check_end_user, check_name, identity_of, l2vpn_of
from .order_errors import duplicate_error, duplicate_text, in_doubt_error

#: What breaks a rule, in messages.
SUBJECT = "The order"
#: What is wrong with one order, and stops no other.
_REFUSALS = (ConfigurationError, ViolationsError, UnknownProductError)


class Planner(NamedTuple):
    """Plans orders against one ledger and one service.

    In ``check_mode``, no request is made for ``validation: specification``. ``resolvers`` are queried for a domain's
    nameservers.
    """

    service: Service
    ledger: Ledger
    check_mode: bool = False
    resolvers: Sequence[str] | None = None

    def plan(self, requested_orders: Sequence[RequestedOrder]) -> list[Step]:
        """One step for each requested order. What is wrong with it is in its step; a service that cannot be read raises
        ServiceError, a ledger that cannot be read LedgerError, a missing jsonschema MissingLibraryError.
        """
        require_jsonschema()
        known = self.service.described.end_users
        checked = [_checked(requested, known) for requested in requested_orders]
        names = sorted({step.name for step in checked if step.name and step.error is None})
        records, taken = self.ledger.look_up(names)
        ordered = [each for each in taken.values() if each.status == "ordered" and each.kind == "order"]
        canceling = self.ledger.open_cancellations(ordered) if ordered else {}
        steps = [
            step
            if step.error
            else canceling_step(step, canceling[step.name])
            if step.name in canceling
            else self._step(step.requested, records.get(step.name), taken.get(step.name))
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
        return self.check_mode and requested.validation == "specification"

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
            if other is not None and not request.may_be_second:
                steps[index] = step.refused(duplicate_error(request, other, "This order was not sent."))
            elif other is not None:
                warning = duplicate_text(request, other, "It is ordered as well, because allow_second is true.")
                steps[index] = step._replace(warnings=(*step.warnings, warning))
        return steps

    def _step(self, requested: RequestedOrder, record: Record | None, taken: Record | None) -> Step:
        try:
            if error := taken_name_error("order", requested.name or "", taken, "This order was not sent"):
                raise error
            if taken is None:
                return self._new(requested, record)
            if taken.status == "in_doubt":
                return Step(requested, "in_doubt", record=taken, error=in_doubt_error(taken))
            if taken.status == "pending":
                return self._new(requested, taken)._replace(action="pending")
            if taken.cancelled:
                step = self._new(requested, None)
                return step._replace(order=step.order and replace(step.order, over=taken.outcome.contract_id))
            return self._recorded(requested, taken)
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
            _product, kind = self._ordered_product(requested)
        checked = requested.checked(kind, check_mode=self.check_mode)
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
        found = tuple(each for each in drift_of(known, wanted) if each.path not in open_yet)
        step = Step(requested, "differs" if found else "none", record=record, differences=found)
        if found and (requested.on_drift == "fail" or not all(each.of_settings for each in found)):
            return step._replace(error=drift_error(record, found))
        if found:
            return step._replace(warnings=(message_of(drift_message(step.name, found)),))
        return step

    def _product(self, requested: RequestedOrder, recorded: Request) -> str | None:
        """The product of a requested order; the recorded one if that is meant by a name, of which the recorded name
        needs no request.
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

    def _new(self, requested: RequestedOrder, record: Record | None) -> Step:
        product, kind = self._ordered_product(requested)
        shape, config = self.service.shape(offline=self._without_request(requested)), self.service.config
        order, warnings = prepare(requested, product, kind, shape, config, check_mode=self.check_mode)
        return Step(requested, "order", order=order, record=record, warnings=tuple(warnings))


def canceling_step(step: Step, cancellation: Record) -> Step:
    """The step of an order whose contract is being canceled, or may be."""
    is_pending = cancellation.status == "pending"
    return step.refused(pending_error(cancellation) if is_pending else in_doubt_error(cancellation))


def _checked(requested: RequestedOrder, end_users: Collection[str]) -> Step:
    """The step of an order with its name, or why it can have no place in the ledger."""
    try:
        return Step(checked_request(requested, end_users), "order")
    except _REFUSALS as error:
        return Step(requested, "refused", error=error)


def orders_to_send(steps: Sequence[Step]) -> dict[int, Order]:
    """The orders of a plan that are to be sent, by their index in it."""
    return {index: step.order for index, step in enumerate(steps) if step.action == "order" and step.order}


# One order


def checked_request(requested: RequestedOrder, end_users: Collection[str] = ()) -> RequestedOrder:
    """A requested order with its name, by default the hostname or domain as written, if it has one.

    ``end_users`` are the names of end users in the service's file.
    Raises ConfigurationError for what is wrong in any catalogue.
    """
    check_end_user(requested.end_user, known=end_users)
    _ = requested.second
    if requested.name:
        check_name(requested.name)
    given = (requested.name, *map(requested.settings.get, IDENTITIES))
    name = next((str(value) for value in given if value not in (None, "")), None)
    if name in secret_values([requested.settings, requested.additional_elements]):
        # Its value is not shown: whoever reads it would know the secret.
        raise ConfigurationError(
            "The name of this order equals one of its secrets. This order was not sent.\n"
            "A name is shown and recorded. Give the order another name, or change the secret."
        )
    kind = requested.kind()
    if not requested.product and not (kind and kind.product_id):
        with_default = " and ".join(kind.name for kind in PRODUCT_TYPES.values() if kind.product_id)
        raise ConfigurationError(
            "product is missing. This order was not sent.\n"
            f"Give the UUID or the name of a product. Only the product types {with_default} have a documented one.",
            Advice("reseller_products_info lists what can be ordered."),
        )
    return requested if requested.name else replace(requested, name=name)


def prepare(
    requested: RequestedOrder,
    product: Product,
    kind: ProductType,
    shape: OrderShape,
    config: ServiceConfig,
    *,
    check_mode: bool = False,
) -> tuple[Order, list[str]]:
    """The order of a checked_request(), and warnings about it.

    ``shape`` is what is known of the request body. Raises ViolationsError for everything that is wrong, and
    ConfigurationError for an order without a name.
    """
    live = requested.validation == "catalogue"
    options = product.options(kind) if live else None
    checked = requested.checked(kind, check_mode=check_mode)
    # A setting in a form that is not read is the service's to judge.
    mentioned = product.mentioned(checked.settings.keys() - kind.settings.keys()) if live else []
    breaking = checked.violations_among([*(option.name for option in options or ()), *mentioned])
    broken, settings = check_catalogue_rules(checked.settings, options or (), documented=kind.settings)
    already = {violation.path for violation in breaking}
    not_yet = dict.fromkeys(checked.not_known, "(not known yet)")
    if requested.l2vpn_of is not None:
        not_yet[EXISTING_L2VPN] = l2vpn_of(requested.l2vpn_of)
    order = requested.order(
        config,
        kind,
        product.id,
        product.name,
        settings={**settings, **not_yet},
        additional_elements=requested.additional_elements,
        identity=identity_of(kind, settings, requested.end_user),
        listed_prices=_listed_prices(product, settings, options or ()) or None,
        secret_names=frozenset(option.name for option in options or () if option.secret),
    )
    violations = [
        *_contradictions(product, kind, options or ()),
        *breaking,
        *(each for each in broken if each.path not in already),
        *_wrong_elements(order, shape),
    ]
    if violations:
        raise ViolationsError(violations, SUBJECT)
    if not order.name:
        raise ConfigurationError(
            "The order has no name. This order was not sent.\n"
            f"A second run finds the order in the ledger by its name. A {kind.title} order needs name."
        )
    warnings = [*checked.warnings, *shape.warnings]
    if live and options is None and kind.settings:
        wanted = requested.product or product.id
        warnings.append(
            f"The options of product {wanted} are missing or unreadable; only the rules of the specification hold."
        )
    if live and product.product_type is WEBHOSTING and kind is not WEBHOSTING:
        warnings.append(
            f"{product.name or product.id} is webhosting: the catalogue lists no options for it. The service may "
            f"reject it as {kind.name}. Check product and product_type."
        )
    return order, warnings


def _contradictions(product: Product, kind: ProductType, options: Sequence[Option]) -> Iterator[Violation]:
    """The violation of a product type whose product has documented settings of other types only.

    Options that are missing contradict nothing, and a documented UUID is right whatever the options are.
    """
    # A login may be asked for with any server, so its settings tell nothing.
    of_others = DOCUMENTED_SETTINGS - kind.settings.keys() - {"username", "password"}
    foreign = [option.name for option in options if option.name in of_others]
    if not foreign or product_type_of_id(product.id) is not None:
        return
    owners = [each.name for each in PRODUCT_TYPES.values() if each.settings.keys() >= set(foreign)]
    whose = f"the product type {' or '.join(owners)}" if owners else "other product types"
    yield Violation(
        "product_type",
        kind.name,
        f"the catalogue lists {', '.join(foreign)} for {product.name or product.id}, settings of {whose}: correct "
        "product or product_type, or set validation to specification if the catalogue is wrong",
        "catalogue",
    )


def _listed_prices(product: Product, settings: Mapping[str, Any], options: Sequence[Option]) -> dict[str, Any]:
    """Return what the catalogue lists as prices: of the product, of each setting given, and of the choices made."""
    prices = {"product": product.prices} if product.prices else {}
    for option in options:
        value = settings.get(option.name)
        chosen = [each.price for each in option.choices if value is not None and value in each.accepted]
        listed = {**option.price, **(chosen[0] if chosen else {})}
        if listed and value is not None:
            prices[f"settings.{option.name}"] = listed
    return prices


def _wrong_elements(order: Order, shape: OrderShape) -> Iterator[Violation]:
    """Yield what is wrong with further elements of the request."""
    own = own_elements(shape.end_user_element, shape.product_element)
    given = order.additional_elements
    for name, value in given.items():
        if name in own:
            rule = f"is what the option {own[name]} sets; leave it out here"
        elif shape.elements and name not in shape.elements:
            near = "".join(f"; did you mean {each}?" for each in nearest(name, shape.elements, 1))
            rule = f"the OpenAPI document names no such element of an order{near}"
        elif not is_json(value):
            rule = "holds what JSON cannot carry (a number that is not finite, or a character that is not Unicode)"
        else:
            continue
        (shown,) = order.masker.value({name: value}).values()
        yield Violation(f"additional_elements.{name}", shown, rule, "openapi")
    for name in shape.required:
        if name not in given:
            yield Violation(
                f"additional_elements.{name}", None, "the OpenAPI document requires this element", "openapi"
            )
