# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What all trials of one process share: a service, the way to it, and where runs come from."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import psycopg

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Record
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import open_ledger
from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.faults.wire import Wire
from tests.support.nursery import Nursery

Store = Literal["sqlite", "postgresql"]
PATIENCE = 60.0


@dataclass
class Site:
    """All that the trials of one process use."""

    simulator: Simulator
    wire: Wire
    nursery: Nursery
    new_database: Callable[[], str]

    def options(self, module: str, ledger: str) -> dict[str, Any]:
        """Common options, with the names of the elements for a module that orders."""
        simulator = self.simulator
        elements = {"end_user_element": simulator.end_user_element, "product_element": simulator.product_element}
        return {
            **(elements if module in ("reseller_contract", "reseller_contracts") else {}),
            "base_url": self.wire.url,
            "api_key": data.API_KEY,
            "organization_id": data.ORGANIZATION_ID,
            "ledger": ledger,
        }

    def statuses(self, ledger: str) -> dict[str, Record]:
        with open_ledger(location_of(ledger, os.environ), "read") as opened:
            return {record.name: record for record in opened.select(Filter())}

    def let_time_pass(self, ledger: str) -> bool:
        """Let the time pass until which a request of a killed run may be under way; whether no order is pending."""
        found = self.statuses(ledger).values()
        if unseen := [record.name for record in found if record.unseen]:
            with psycopg.connect(ledger) as connection:
                connection.execute("UPDATE hosting_reseller_orders SET deadline = '' WHERE name = ANY(%s)", [unseen])
        return not any(record.status == "pending" for record in found)

    def await_doubt(self, ledger: str) -> None:
        """Wait until no order is pending, though their runs were killed. Raises TimeoutError."""
        deadline = time.monotonic() + PATIENCE
        # A database server needs a moment to see that a session is gone.
        while not self.let_time_pass(ledger):
            if time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(0.01)

    def ordered(self) -> dict[str, list[str]]:
        """What the service holds: the ids of the contracts of each host name."""
        contracts: dict[str, list[str]] = {}
        for order in self.simulator.orders():
            settings = order["settings"]
            contracts.setdefault(settings.get("hostname") or settings["domain"], []).append(order["id"])
        return contracts


def untrue(results: Sequence[Mapping[str, Any]], contracts: Mapping[str, Sequence[str]]) -> list[Any]:
    """What results report as ordered though the service does not hold it: orders, and counts that are too high."""
    ids = {contract_id for contract_ids in contracts.values() for contract_id in contract_ids}
    wrong: list[Any] = []
    for result in results:
        for each in result.get("results") or [result]:
            order = each.get("order") or {}
            claims = order and (each.get("changed") or order.get("status") == "ordered")
            if claims and order.get("contract_id") not in ids and order.get("name") not in contracts:
                wrong.append(each)
        counted = (result.get("counts") or {}).get("ordered", 0)
        if counted > len(ids):
            wrong.append(f"{counted} ordered")
    return wrong
