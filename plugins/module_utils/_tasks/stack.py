# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_stack: reads all contracts of one end user once, plans them as a whole, and orders them."""

from __future__ import annotations

from .._adapter.context import Context, Result, Task
from .._core.errors import ResellerError
from .._order.order import EXISTING_L2VPN
from .._order.plan import IN_FILE
from .._product_types.registry import SELF
from .contracts import order_all
from .stack_info import CONSTRAINTS, PlannedStack


def run(context: Context) -> Result:
    """Order what is not in the ledger yet, unless the stack has problems or something prevents ordering."""
    reading = PlannedStack(context, "order")
    reading.refuse_problems(context.params)
    try:
        result = order_all(context, reading.orders, {reading.stack.end_user or SELF}, IN_FILE)
    except ResellerError as error:
        error.results = _with_l2vpns(reading, error.results)
        raise
    return _with_l2vpns(reading, result)


def _with_l2vpns(reading: PlannedStack, result: Result) -> Result:
    """The result with the L2VPN of each server, from wherever it is known."""
    l2vpn_ids: dict[str, str] = {}
    for step, one in zip(reading.orders.steps, result.get("results", ()), strict=False):
        known = one.get("l2vpn_id") or step.requested.settings.get(EXISTING_L2VPN) or reading.l2vpns.ids.get(step.name)
        if known:
            l2vpn_ids[step.name] = one["l2vpn_id"] = str(known)
    return {**result, "end_user": reading.stack.end_user, "l2vpn_ids": l2vpn_ids}


TASK = Task(run, CONSTRAINTS)
