# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contracts: plans many orders as a whole before it sends the first one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._adapter.context import Context, Result, Task
from .._core.errors import ConfigurationError
from .._core.text import clean
from .._ledger.identity import folded_name
from .._orders.placed_order import PlacedOrder
from .._runs.many_orders import ManyOrders
from .._runs.order_run import requested_order


def run(context: Context) -> Result:
    """Plan all orders, and place them unless something prevents it."""
    params = context.params
    orders, defaults = ManyOrders(context), params["defaults"] or {}
    wanted = [requested_order(merge_options(defaults, contract)) for contract in params["contracts"]]
    orders.orders = planned = refuse_repeated_names(orders.plan(wanted))
    # Of an empty list, the defaults say whose it is.
    default = orders.service.described.id_of(str(defaults.get("end_user")))
    users = {one.requested.end_user for one in planned} or {default}
    return orders.order_all(users)


def merge_options(defaults: Mapping[str, Any], contract: Mapping[str, Any]) -> dict[str, Any]:
    """The options of one order: its own, or the defaults of the task. Mappings are merged."""
    # Most are not given, and looking at a value's type takes longer than that.
    options = {name: value for name, value in defaults.items() if value is not None}
    for name, value in contract.items():
        if value is not None:
            both = isinstance(value, Mapping) and isinstance(options.get(name), Mapping)
            options[name] = {**options[name], **value} if both else value
    return options


def refuse_repeated_names(planned: list[PlacedOrder]) -> list[PlacedOrder]:
    """The orders, with those refused that repeat the name of an earlier one: one name is one order."""
    first: dict[str, int] = {}
    checked = []
    for index, one in enumerate(planned):
        earlier = first.setdefault(folded_name(one.name), index) if one.name else index
        if earlier != index and one.state != "refused":
            how = "also" if planned[earlier].name == one.name else "like"
            one = one.refused(
                ConfigurationError(
                    f"The name {clean(one.name, 40)!r} is {how} that of contracts[{earlier}], "
                    f"{clean(planned[earlier].name, 40)!r}. This order was not sent.\n"
                    "One name is one order, and so are names that look alike. Give one of them another name, or remove "
                    "it."
                )
            )
        checked.append(one)
    return checked


TASK = Task(run)
