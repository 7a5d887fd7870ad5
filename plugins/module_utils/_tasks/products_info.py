# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_products_info: what can be ordered, and the rules that each product's settings keep."""

from __future__ import annotations

from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils import _argspec
from ansible_collections.hosting.reseller.plugins.module_utils._product import Product
from ansible_collections.hosting.reseller.plugins.module_utils._settings import (
    PRODUCT_TYPES,
    infer,
    product_type_of_id,
)
from ansible_collections.hosting.reseller.plugins.module_utils._task import Context, Result, Task


def run(context: Context) -> Result:
    """Read the catalogue."""
    catalogue = context.service().catalogue()
    for warning in catalogue.warnings:
        context.warn(warning)
    wanted, wanted_type = context.params.get("product"), context.params.get("product_type")
    products = [catalogue.find(wanted)] if wanted else catalogue.products
    shown = [_shown(product) for product in products]
    return {
        "changed": False,
        "products": [one for one in shown if wanted_type in (None, one["product_type"])],
        "os_templates": catalogue.os_templates(),
    }


def type_of(product: Product) -> str | None:
    """The product type, by the documented UUID or inferred from the options; ``None`` when neither tells."""
    kind = product_type_of_id(product.id)
    if kind is None and product.options is not None:
        kind = infer([option.name for option in product.options])
    return kind.name if kind else None


def _shown(product: Product) -> dict[str, Any]:
    return {
        "id": product.id,
        "name": product.name,
        "product_type": type_of(product),
        "options": None if product.options is None else [option.as_dict() for option in product.options],
        "raw": product.raw,
    }


ARGUMENTS: _argspec.ArgumentSpec = {
    **_argspec.common(),
    **_argspec.learning(),
    "product": {"type": "str"},
    "product_type": {"type": "str", "choices": list(PRODUCT_TYPES)},
}

TASK = Task(ARGUMENTS, run)

__all__ = ["TASK", "type_of"]
