# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the product of an order and its type: by a documented UUID, by the user's value, or by its options."""

from __future__ import annotations

from .._catalogue.product import Product
from .._core.errors import ConfigurationError, Violation
from .._core.text import clean, is_uuid
from .._product_types.product_type import ProductType
from .._product_types.registry import PRODUCT_TYPES, foreign_settings, product_type_of_id
from .order import RequestedOrder, Target
from .service import Service


def target_of(requested: RequestedOrder, service: Service, *, offline: bool) -> tuple[Target, Product | None]:
    """The product of a requested order, and its data in the catalogue if that was read.

    A documented UUID alone decides on the type, also if the product was asked for by name. Raises ConfigurationError,
    UnknownProductError and ServiceError.
    """
    kind = requested.kind()
    wanted = requested.product or (kind.product_id if kind else None) or ""
    if requested.validation == "documented" and is_uuid(wanted) and kind is not None:
        return Target(wanted, None, kind), None
    if offline:
        raise ConfigurationError(
            f"Product {clean(wanted, 40)!r} is given by name, or its type is not known. This order was not sent.\n"
            "With validation: documented, check mode makes no request, so neither can be looked up.\n"
            "Give the product's UUID and product_type, or use validation: live."
        )
    product = service.catalogue().find(wanted)
    kind = requested.kind(product.id) or _inferred(product, wanted)
    return Target(product.id, product.name, kind, product.prices), product


def type_violation(product: Product, kind: ProductType) -> Violation | None:
    """The violation of a product type whose product has documented settings of other types only.

    Options that are missing contradict nothing, and a documented UUID is right whatever the options are.
    """
    foreign = foreign_settings(kind, [option.name for option in product.options_as(kind) or ()])
    if not foreign or product_type_of_id(product.id) is not None:
        return None
    owners = [each.name for each in PRODUCT_TYPES.values() if each.settings.keys() >= set(foreign)]
    of_others = f"settings of the product type {' or '.join(owners)}" if owners else "settings of other product types"
    return Violation(
        "product_type",
        kind.name,
        f"the catalogue lists {', '.join(foreign)} for {product.name or product.id}, {of_others}: correct product or "
        "product_type, or set validation to documented if the catalogue is wrong",
        "live",
    )


def _inferred(product: Product, wanted: str) -> ProductType:
    kind = product.product_type
    if kind is None:
        options = product.options
        shown = "no options that can be read" if options is None else f"the options {[o.name for o in options]}"
        raise ConfigurationError(
            f"The type of product {clean(wanted, 40)!r} cannot be inferred. This order was not sent.\n"
            f"The catalogue lists {shown} for it.\nSet product_type to one of {', '.join(PRODUCT_TYPES)}."
        )
    return kind
