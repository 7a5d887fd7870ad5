# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger_info: lists the records of the ledger."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._catalogue.option import is_price
from .._core.errors import ConfigurationError
from .._core.text import clean, counted
from .._ledger.order_records import Filter, Record
from .._ledger.store import Ledger
from .._order.order import check_end_user

#: What is left of 80 columns where ansible.builtin.debug shows a list.
WIDTH = 69
#: They make up WIDTH. A longer name or product moves the rest of its line.
_COLUMNS = "{:28}  {:8}  {:17}  {:10}"
_HEADINGS = ("NAME", "STATUS", "PRODUCT", "SINCE")
#: A price as a number or a text, such as ``9.90 EUR / month``. With more decimals, a text may mean thousands.
_PRICE = re.compile(r"(\D*)(\d+(?:[.,]\d{1,2})?)(\D*)")
#: What holds the number where a price is an object, beside the names of prices.
_AMOUNTS = frozenset({"amount", "value", "net", "gross"})


def run(context: Context) -> Result:
    """List the orders that match."""
    params = context.params
    if params["end_user"]:
        check_end_user(params["end_user"], "Nothing was listed")
    wanted = Filter(
        names=params["name"],
        statuses=params["status"],
        end_user=params["end_user"] or None,
        product_type=params["product_type"],
        since=_utc(params["since"]) if params["since"] else None,
    )
    ledger = ledger_of(context, "read")
    orders = [record.as_dict() for record in ledger.select(wanted)]
    shown = [record.as_dict() for record in _operations(ledger, wanted)]
    prices = price_sums(orders)
    return {
        "changed": False,
        "orders": orders,
        "operations": shown,
        "lines": order_lines(orders),
        "listed_prices": prices,
        "price_lines": price_lines(prices),
    }


def _operations(ledger: Ledger, wanted: Filter) -> list[Record]:
    """The named operations that match. They have neither an end user nor a product type."""
    if wanted.end_user or wanted.product_type:
        return []
    # An operation that was accepted is done, and not ordered.
    known = wanted.statuses and [each for each in wanted.statuses if each != "ordered"]
    statuses = known and ["ordered" if each == "done" else each for each in known]
    return ledger.select(wanted._replace(statuses=statuses, kind="operation"))


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
    return [_COLUMNS.format(*row).rstrip() for row in (_HEADINGS, *rows)] if rows else []


def _utc(text: str) -> str:
    """A date or a time, as the ledger writes times. One without a zone is UTC."""
    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        raise ConfigurationError(
            f"since is a date or a time in ISO 8601, as 2026-11-21 or 2026-11-21T08:00:00Z (given: {text!r})."
        ) from None


# Prices


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


TASK = Task(run)
