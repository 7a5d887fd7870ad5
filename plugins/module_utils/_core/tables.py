# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Formats what playbooks show: orders and products as lines that fit a terminal, and diffs as YAML. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .errors import MissingLibraryError

try:
    import yaml
except ImportError as error:
    _MISSING: ImportError | None = error
else:
    _MISSING = None

#: What is left of 80 columns where ansible.builtin.debug shows a list.
WIDTH = 69
_WIDEST_NAME = 28
_ORDERS = ("NAME", "STATUS", "PRODUCT", "SINCE")


def order_lines(orders: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table of the entries of ``orders``: name, status, product, and the date of the last change."""
    rows = [
        (
            str(each["name"]),
            str(each["status"]),
            str(each.get("product_name") or each.get("product_type") or each.get("product") or "?"),
            str(each.get("ordered_at") or each.get("claimed_at") or "")[:10],
        )
        for each in orders
    ]
    return _table([_ORDERS, *rows]) if rows else []


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their longest cell, within WIDTH; a longer name or product runs over."""
    name, status, product, since = (max(map(len, column)) for column in zip(*rows, strict=True))
    name = min(name, _WIDEST_NAME)
    widths = (name, status, min(product, WIDTH - name - status - since - 6))
    lines = []
    for row in rows:
        *cells, last = row
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=False)]
        lines.append("  ".join([*padded, last]).rstrip())
    return lines


def product_lines(products: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each product with its ID, followed by its settings with type, range and choices."""
    lines: list[str] = []
    for product in products:
        lines.append(f"{product['name']}  {product['product_type'] or 'of an unknown type'}  {product['id']}")
        lines += [f"  {line}" for option in product["options"] or () for line in _option_lines(option)]
    return lines


def _option_lines(option: Mapping[str, Any]) -> Iterator[str]:
    parts = [str(option["type"] or "any"), *_range(option)]
    if option["required"]:
        parts.append("required")
    if option.get("default") is not None:
        parts.append(f"default {option['default']}")
    yield f"{option['name']}  {', '.join(parts)}"
    choices = ", ".join(str(choice["value"]) for choice in option.get("choices") or ())
    lines = textwrap.wrap(choices, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    yield from (f"  {line}" for line in lines)


def _range(option: Mapping[str, Any]) -> Iterator[str]:
    least, most, step = (option.get(name) for name in ("minimum", "maximum", "step"))
    unit = " characters" if option["type"] == "string" else ""
    if least is not None and most is not None:
        yield f"{least} to {most}{unit}"
    elif least is not None:
        yield f"{least} or more{unit}"
    elif most is not None:
        yield f"up to {most}{unit}"
    if step is not None:
        yield f"step {step}"


def as_yaml(value: Mapping[str, Any] | None) -> str:
    """A mapping as YAML, or an empty string without one. Raises MissingLibraryError without PyYAML."""
    if value is None:
        return ""
    if _MISSING is not None:
        raise MissingLibraryError("PyYAML", "to show a diff", str(_MISSING)) from _MISSING
    return str(yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True, width=1000))
