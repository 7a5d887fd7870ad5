# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes a ledger of many orders, of which one in a thousand is in doubt, through the code that keeps ledgers.

PYTHONPATH=.cache python -m bench.ledger PATH ORDERS
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.identity import identity
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Outcome,
    Record,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.transaction import Transaction
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import Kept
from playbooks.files.simulator.data import END_USER
from playbooks.files.simulator.data import VPS_M as VPS

TIME = "2026-01-02T03:04:05Z"
IN_DOUBT_EVERY = 1000


def records(orders: int) -> Iterator[Record]:
    for number in range(orders):
        name = f"host{number}.example.com"
        request = StoredRequest(
            name=name,
            service="http://127.0.0.1",
            organization_id="4711",
            end_user=END_USER,
            product=VPS,
            product_name="VPS M",
            product_type="vps",
            settings=Kept({"hostname": name, "template": "debian-12"}),
            identity=identity("hostname", name, END_USER),
        )
        contract_id = str(uuid.UUID(int=number))
        outcome = Outcome("ordered", contract_id=contract_id, contract={"id": contract_id})
        if number % IN_DOUBT_EVERY == 0:
            outcome = Outcome("in_doubt", reason="The connection was lost after the request had begun.")
        yield Record(name, outcome, request, None, TIME, TIME, TIME)


def main() -> None:
    path, orders = sys.argv[1:]

    def write(transaction: Transaction) -> None:
        transaction.write(records(int(orders)))

    with open_ledger(location_of(path, {}), "write") as ledger:
        assert isinstance(ledger, Ledger)
        ledger.change(write)


if __name__ == "__main__":
    main()
