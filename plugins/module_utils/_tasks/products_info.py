# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_products_info: lists products, and the rules for their settings."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.service_opener import service_of
from .._catalogue.catalogue import Product, catalogue_of
from .._core.text import LINE_WIDTH, one_line


def run(context: Context) -> Result:
    """Read the catalogue."""
    catalogue = catalogue_of(service_of(context))
    for warning in catalogue.warnings:
        context.warn(warning)
    wanted, wanted_type = context.params.get("product"), context.params.get("product_type")
    products = [catalogue.find(wanted)] if wanted else catalogue.products
    shown = [_described(product) for product in products]
    listed = [one for one in shown if wanted_type in (None, one["product_type"])]
    return {
        "changed": False,
        "products": listed,
        "os_templates": catalogue.os_templates(),
        "lines": product_lines(listed),
    }


def _described(product: Product) -> dict[str, Any]:
    """The entry of one product."""
    options = product.options()
    return {
        "id": product.id,
        "name": product.name,
        "product_type": product.product_type.name if product.product_type else None,
        "options": None if options is None else [option.as_dict() for option in options],
        "price": product.prices or None,
        "raw": product.raw,
    }


def product_lines(products: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each product with its ID, followed by its settings with type, range and choices."""
    lines: list[str] = []
    for product in products:
        lines.append(f"{product['name']}  {product['product_type'] or 'of an unknown type'}  {product['id']}")
        lines += [f"  {line}" for option in product["options"] or () for line in _option_lines(option)]
    return lines


def _option_lines(option: Mapping[str, Any]) -> Iterator[str]:
    named = [name for name in ("minimum", "maximum", "step", "default") if option.get(name) is not None]
    parts = [str(option["type"] or "any"), *(["required"] if option["required"] else [])]
    parts += [f"{name} {one_line(str(option[name]))}" for name in named]
    yield f"{one_line(option['name'])}  {', '.join(parts)}"
    choices = ", ".join(one_line(str(choice["value"])) for choice in option.get("choices") or ())
    lines = textwrap.wrap(choices, LINE_WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    yield from (f"  {line}" for line in lines)


TASK = Task(run, describes=True)
