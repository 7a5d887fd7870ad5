# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes what is to be sent of what is requested (API specification 4.1, 4.3 and 8): its settings are checked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._catalogue.catalogue import Product
from .._catalogue.option import Option
from .._checks.catalogue_rules import check_catalogue_rules
from .._checks.coercion import is_json
from .._checks.setting_rules import Checked, check_specification_rules
from .._core.errors import Advice, ConfigurationError, Violation, ViolationsError
from .._core.text import nearest
from .._http.config import ServiceConfig
from .._product_types.product_type import ProductType
from .._product_types.registry import DOCUMENTED_SETTINGS, IDENTITIES, PRODUCT_TYPES, product_type_of_id
from .._product_types.webhosting import WEBHOSTING
from .._secrets.masker import secret_values
from .._service.order_shape import OrderShape, own_elements
from .order import EXISTING_L2VPN, Order, RequestedOrder, check_end_user, check_name, identity_of, l2vpn_of

#: What breaks a rule, in messages.
SUBJECT = "The order"
#: Settings that may be asked for with any server, so that they tell nothing of its type.
_LOGIN = frozenset({"username", "password"})


def checked_request(requested: RequestedOrder, end_users: Collection[str] = ()) -> RequestedOrder:
    """A requested order with its name, by default the hostname or domain as written, if it has one.

    ``end_users`` are the names of end users in the service's file.
    Raises ConfigurationError for what is wrong in any catalogue.
    """
    check_end_user(requested.end_user, known=end_users)
    _ = requested.second  # Raises.
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


def checked_settings(requested: RequestedOrder, kind: ProductType, *, check_mode: bool) -> Checked:
    """Return the settings of a requested order by the rules of the specification."""
    return check_specification_rules(kind, requested.settings, org_max_ram=requested.org_max_ram, check_mode=check_mode)


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
    listed = product.options(kind) if live else None
    options = listed or ()
    checked = checked_settings(requested, kind, check_mode=check_mode)
    # A setting in a form that is not read is the service's to judge.
    mentioned = product.mentioned(checked.settings.keys() - kind.settings.keys()) if live else []
    breaking = checked.violations_among([*(option.name for option in options), *mentioned])
    broken, settings = check_catalogue_rules(checked.settings, options, documented=kind.settings)
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
        identity=identity_of(kind, settings, requested.end_user),
        listed_prices=_listed_prices(product, settings, options) or None,
        secret_names=frozenset(option.name for option in options if option.secret),
    )
    violations = [
        *_contradictions(product, kind, options),
        *breaking,
        *(violation for violation in broken if violation.path not in already),
        *_wrong_elements(order, shape),
    ]
    if violations:
        raise ViolationsError(violations, SUBJECT)
    if not order.name:
        raise ConfigurationError(
            "The order has no name. This order was not sent.\n"
            f"A second run finds the order in the ledger by its name. A {kind.title} order needs name."
        )
    product_warnings = _product_warnings(requested, product, kind, is_listed=listed is not None) if live else ()
    return order, [*checked.warnings, *shape.warnings, *product_warnings]


def _product_warnings(
    requested: RequestedOrder, product: Product, kind: ProductType, *, is_listed: bool
) -> Iterator[str]:
    """Yield warnings of a product whose options are not listed, or of another type."""
    if not is_listed and kind.settings:
        wanted = requested.product or product.id
        yield f"The options of product {wanted} are missing or unreadable; only the rules of the specification hold."
    if product.product_type is WEBHOSTING and kind is not WEBHOSTING:
        yield (
            f"{product.name or product.id} is webhosting: the catalogue lists no options for it. The service may "
            f"reject it as {kind.name}. Check product and product_type."
        )


def _contradictions(product: Product, kind: ProductType, options: Sequence[Option]) -> Iterator[Violation]:
    """The violation of a product type whose product has documented settings of other types only.

    Options that are missing contradict nothing, and a documented UUID is right whatever the options are.
    """
    of_others = DOCUMENTED_SETTINGS - _LOGIN
    foreign = [option.name for option in options if option.name in of_others and option.name not in kind.settings]
    if not foreign or product_type_of_id(product.id) is not None:
        return
    owners = [owner.name for owner in PRODUCT_TYPES.values() if owner.settings.keys() >= set(foreign)]
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
        chosen = [choice.price for choice in option.choices if value is not None and value in choice.accepted]
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
            near = "".join(f"; did you mean {element}?" for element in nearest(name, shape.elements, 1))
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
