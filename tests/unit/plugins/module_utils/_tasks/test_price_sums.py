# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sums of listed prices."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._tasks.ledger_info import price_lines, price_sums


def order(name: str, listed: Any, status: str = "ordered") -> dict[str, Any]:
    return {"name": name, "status": status, "listed_prices": listed}


EUR = {"price": 9.9, "currency": "EUR"}


@pytest.mark.parametrize(
    ("listed", "sums"),
    [
        # Of one unit and period, however the number is written.
        ([EUR, {"price": "9,90", "currency": "EUR"}], [("product price", "currency EUR", "19.80", 2)]),
        ([{"price": "9.90 EUR / month"}, {"price": "1 EUR / month"}], [("product price", "EUR / month", "10.90", 2)]),
        ([{"price": 0.1}, {"price": 0.2}], [("product price", "", "0.3", 2)]),
        # Others stay apart.
        (
            [EUR, {"price": 9.9, "currency": "USD"}],
            [("product price", "currency EUR", "9.9", 1), ("product price", "currency USD", "9.9", 1)],
        ),
        (
            [{"monthlyPrice": 2, "setup_fee": 5}, {"monthlyPrice": 3}],
            [("product monthlyPrice", "", "5", 2), ("product setup_fee", "", "5", 1)],
        ),
        (
            [{"prices": [{"amount": 3, "period": "month", "months": 1}, {"amount": 30, "period": "year"}]}],
            [
                ("product prices amount", "period month, months 1", "3", 1),
                ("product prices amount", "period year", "30", 1),
            ],
        ),
    ],
)
def test_prices_are_summed_where_unit_and_period_are_the_same(listed: list[Any], sums: list[Any]) -> None:
    found = price_sums([order(f"o{number}", {"product": each}) for number, each in enumerate(listed)])
    assert [tuple(each.values()) for each in found["sums"]] == sums
    assert found["without"] == []


def test_a_setting_is_not_summed_with_the_product() -> None:
    found = price_sums([order("a", {"product": EUR, "settings.ram": {"price": 1, "currency": "EUR"}})])
    assert [each["price"] for each in found["sums"]] == ["product price", "settings.ram price"]


@pytest.mark.parametrize("listed", [None, {}, {"product": {"price": "on request"}}, {"product": {"price": "1.234"}}])
def test_orders_without_a_price_are_named(listed: Any) -> None:
    found = price_sums([order("a", {"product": EUR}), order("b", listed), order("c", {"product": EUR}, "rejected")])
    assert (found["sums"][0]["orders"], found["without"]) == (1, ["b"])
    assert price_lines(found)[1:] == ["product price (currency EUR): 9.9 for 1 order", "no listed price: b"]


def test_without_orders_there_are_no_lines() -> None:
    assert price_lines(price_sums([])) == []
