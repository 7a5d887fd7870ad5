# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run does with a ledger around each order that it sends, in the way of the product."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from ansible_collections.hosting.reseller.plugins.module_utils._core.clocks import Clocks
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.ledger_tables import ORDERS
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Claim, Outcome, Record
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import open_ledger


def opened(path: Path | str, mode: Literal["read", "write"] = "write", clocks: Clocks | None = None) -> Ledger:
    """The ledger in a file or at an address, as one more run opens it."""
    return open_ledger(location_of(str(path), {}), mode, clocks=clocks)


def claim(ledger: Ledger, requests: Sequence[Claim], *, longest: float = 60.0) -> list[Record | None]:
    """What stands in the way of each of these claims."""
    return ledger.exchange({}, requests, longest=longest)[1]


def record(ledger: Ledger, name: str, outcome: Outcome) -> Record:
    """The record with this outcome of the run's order."""
    return ledger.exchange({name: outcome}, [], longest=0.0)[0][name]


def remove(ledger: Ledger, name: str) -> Record | None:
    """What stands in the way of removing a record as it is now."""
    return ledger.remove(ledger.find([name])[name])


def let_time_pass(ledger: Any, *names: str) -> None:
    """Let the time pass until which a request of these orders may be under way."""
    passed = f"UPDATE {ORDERS} SET deadline = claimed_at WHERE status = 'pending' AND name = ?"
    ledger.run(lambda transaction: transaction.many(passed, [[name] for name in names]), writing=True)


def await_doubt(ledger: Any, *names: str) -> None:
    """Let the time pass until which a request of these orders may be under way: they are in doubt then."""
    let_time_pass(ledger, *names)
    assert {record.status for record in ledger.find(names).values()} == {"in_doubt"}


def await_that(condition: Callable[[], bool]) -> None:
    """Wait until this is so. Raises TimeoutError."""
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("what was waited for did not happen")
        time.sleep(0.01)
