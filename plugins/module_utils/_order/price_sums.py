# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sums the prices that the catalogue listed for recorded orders, where unit and period are the same. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from .._catalogue.option import is_price
from .._core.text import clean, counted

#: A price in a text, such as ``9.90 EUR / month``. With more decimals, it may be a number of thousands.
_IN_TEXT = re.compile(r"(\D*)(\d+(?:[.,]\d{1,2})?)(\D*)")
#: What holds the number where a price is an object, beside the names of prices.
_AMOUNTS = frozenset({"amount", "value", "net", "gross"})
_DEEPEST, _MOST_LISTED = 4, 20


def price_sums(orders: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return ``sums`` and ``without`` of these entries of ``orders``, of which those count that are ordered.

    Each of ``sums`` has ``price`` (what is listed, such as ``product price``), ``unit`` (what stands beside it, such as
    currency and period), ``sum``, a decimal number as text, and ``orders``, the number of orders. ``without`` are the
    names of orders without a price that can be summed.
    """
    sums: dict[tuple[str, str], list[Decimal]] = {}
    counts: dict[tuple[str, str], set[str]] = {}
    without = []
    for each in orders:
        if each["status"] != "ordered":
            continue
        found = [*_amounts(each["listed_prices"] or {})]
        for price, unit, amount in found:
            sums.setdefault((price, unit), []).append(amount)
            counts.setdefault((price, unit), set()).add(each["name"])
        if not found:
            without.append(each["name"])
    return {
        "sums": [
            {"price": price, "unit": unit, "sum": f"{sum(amounts):f}", "orders": len(counts[price, unit])}
            for (price, unit), amounts in sorted(sums.items())
        ],
        "without": without,
    }


def price_lines(sums: Mapping[str, Any]) -> list[str]:
    """Return what price_sums() returned, in lines for people; none without orders."""
    lines = []
    for each in sums["sums"]:
        unit = f" ({each['unit']})" if each["unit"] else ""
        lines.append(f"{each['price']}{unit}: {each['sum']} for {counted(each['orders'], 'order')}")
    if sums["without"]:
        more = len(sums["without"]) - _MOST_LISTED
        named = ", ".join(sums["without"][:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
        lines.append(f"no listed price: {named}")
    return ["Prices as the catalogue listed them when the orders were sent:", *lines] if lines else []


def _amounts(listed: Mapping[str, Any]) -> Iterator[tuple[str, str, Decimal]]:
    """Yield what is listed of an order: what it is the price of, its unit, and the amount."""
    for what, prices in listed.items():
        for names, unit, amount in _found(prices, (), (), _DEEPEST):
            yield " ".join((what, *names)), unit, amount


def _found(
    value: Any, names: tuple[str, ...], beside: tuple[str, ...], depth: int
) -> Iterator[tuple[tuple[str, ...], str, Decimal]]:
    """The amounts in a value, each with the names of its elements and the texts that stand beside it."""
    if isinstance(value, Mapping) and depth:
        of_prices = {name: item for name, item in value.items() if is_price(name) or name.lower() in _AMOUNTS}
        others = ((name, item) for name, item in value.items() if name not in of_prices)
        texts = [f"{name} {clean(str(item), 40)}" for name, item in others if isinstance(item, (str, int, float))]
        for name, item in of_prices.items():
            yield from _found(item, (*names, name), (*beside, *texts), depth - 1)
    elif isinstance(value, Sequence) and not isinstance(value, str) and depth:
        for item in value:
            yield from _found(item, names, beside, depth - 1)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield names, ", ".join(beside), Decimal(str(value))
    elif isinstance(value, str) and (found := _IN_TEXT.fullmatch(value.strip())):
        unit = " ".join(part.strip() for part in (found[1], found[3]) if part.strip())
        yield names, ", ".join((*beside, unit) if unit else beside), Decimal(found[2].replace(",", "."))
