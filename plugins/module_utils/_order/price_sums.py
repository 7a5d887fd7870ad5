# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sums the prices that the catalogue listed for recorded orders, where unit and period are the same. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from .._catalogue.option import is_price
from .._core.text import clean, counted

#: A price as a number or a text, such as ``9.90 EUR / month``. With more decimals, a text may mean thousands.
_PRICE = re.compile(r"(\D*)(\d+(?:[.,]\d{1,2})?)(\D*)")
#: What holds the number where a price is an object, beside the names of prices.
_AMOUNTS = frozenset({"amount", "value", "net", "gross"})


def price_sums(orders: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return ``sums`` and ``without`` of these entries of ``orders``, of which those count that are ordered.

    Each of ``sums`` has ``price`` (what is listed, such as ``product price``), ``unit`` (what stands beside it, such as
    currency and period), ``sum``, a decimal number as text, and ``orders``, the number of orders. ``without`` are the
    names of orders without a price that can be summed.
    """
    amounts = defaultdict[tuple[str, str], list[tuple[str, Decimal]]](list)
    without = []
    for each in orders:
        if each["status"] != "ordered":
            continue
        listed = each["listed_prices"] or {}
        found = [one for what, prices in listed.items() for one in _prices(prices, what, ())]
        for price, unit, amount in found:
            amounts[price, unit].append((each["name"], amount))
        if not found:
            without.append(each["name"])
    return {
        "sums": [
            {
                "price": price,
                "unit": unit,
                "sum": f"{sum(amount for _name, amount in listed):f}",
                "orders": len({name for name, _amount in listed}),
            }
            for (price, unit), listed in sorted(amounts.items())
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
        lines.append(f"no listed price: {', '.join(sums['without'])}")
    return ["Prices as the catalogue listed them when the orders were sent:", *lines] if lines else []


def _prices(value: Any, what: str, beside: tuple[str, ...]) -> Iterator[tuple[str, str, Decimal]]:
    """Yield what is listed: the names of the elements around it, the texts that stand beside it, and the amount."""
    if isinstance(value, Mapping):
        names = [name for name in value if is_price(name) or name.lower() in _AMOUNTS]
        others = [(name, value[name]) for name in value if name not in names]
        texts = [f"{name} {clean(str(item), 40)}" for name, item in others if isinstance(item, (str, int, float))]
        for name in names:
            yield from _prices(value[name], f"{what} {name}", (*beside, *texts))
    elif isinstance(value, list):
        for item in value:
            yield from _prices(item, what, beside)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield what, ", ".join(beside), Decimal(str(value))
    elif isinstance(value, str) and (found := _PRICE.fullmatch(value.strip())):
        unit = " ".join(part.strip() for part in (found[1], found[3]) if part.strip())
        yield what, ", ".join((*beside, unit) if unit else beside), Decimal(found[2].replace(",", "."))
