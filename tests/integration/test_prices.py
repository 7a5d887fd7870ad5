# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prices as the catalogue lists them: shown untouched wherever a person decides about an order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.support import playbooks
from tests.support.playbooks import order

TOLD = "as the catalogue lists it: price 4.90 | month, currency EUR"


def run(folder: Path, env: dict[str, str], task: dict[str, Any], *arguments: str) -> playbooks.Play:
    return playbooks.run(folder, [task], env, *arguments)


@pytest.mark.full
def test_products_and_plans_show_them_untouched(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    simulator = start_simulator("laravel", prices=True)
    listed = run(tmp_path, simulator.env, {"hosting.reseller.reseller_products_info": {"product": "VPS M"}})
    assert listed.result["products"][0]["price"] == data.PRICES
    assert listed.result["products"][0]["unclear"] == []

    wanted = {"product": "VPS M", "settings": {"hostname": "web01", "template": "debian-12"}}
    one = run(tmp_path, simulator.env, order(end_user=data.SELF, **wanted), "--check", "--diff")
    assert one.result["changed"], one.output
    assert "prices as the catalogue lists them" in one.output
    assert "4.90 | month" in one.output

    many = {"contracts": [{"end_user": data.SELF, **wanted}]}
    plan = run(tmp_path, simulator.env, {"hosting.reseller.reseller_contracts": many}, "--check", "--diff")
    assert plan.result["plan"][0]["listed_prices"] == {"product": data.PRICES}
    assert f"price of product, {TOLD}" in plan.output
    assert simulator.orders() == []
