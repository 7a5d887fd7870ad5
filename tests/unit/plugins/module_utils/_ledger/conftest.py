# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two ledgers, as one fixture: what is tested with it holds for both."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger import ledger_tables as tables
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import Actor
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.transaction import Transaction
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import open_ledger
from tests.support import postgresql as servers
from tests.support.clocks import HurriedClocks
from tests.unit.plugins.module_utils._ledger.runs import Run


@dataclass
class Store:
    """A place for a ledger that does not exist yet, and all that was opened or started there."""

    address: str
    _closing: list[Callable[[], None]] = field(default_factory=list)
    #: Those of the runs that open it here.
    clocks: HurriedClocks = field(default_factory=HurriedClocks)

    def open(self, *, writing: bool = True, actor: Actor = Actor()) -> Ledger:  # noqa: B008 - it never changes
        ledger = open_ledger(location_of(self.address, os.environ), "write" if writing else "read", actor, self.clocks)
        self._closing.append(ledger.close)
        if writing:
            ledger.make()
        return ledger

    def starting(self) -> Run:
        """A run that waits for a first line before it opens the ledger."""
        run = Run(self.address)
        self._closing.append(run.kill)
        return run

    def run(self) -> Run:
        run = self.starting()
        assert run.ask("open") == "open"
        return run

    def state(self) -> Any:
        """All that the ledger holds, as it is now."""
        ledger: Any = self.open(writing=False)
        return ledger.run(Transaction.tables, writing=False)

    def restore(self, state: Any) -> None:
        """Make the ledger what it was at a time, as a backup or a failover does."""
        ledger: Any = self.open()

        def write(transaction: Any) -> None:
            for table in (tables.ORDERS, tables.RUNS, tables.LISTS, tables.CLAIMS, tables.EVENTS):
                transaction.query(f"DELETE FROM {table}")
            transaction.write_tables(state)

        ledger.run(write, writing=True)

    def close(self) -> None:
        for close in reversed(self._closing):
            close()


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[Store]:
    store = Store(str(tmp_path / "state" / "ledger.db"))
    yield store
    store.close()


@pytest.fixture
def postgresql_store(postgresql_dsn: str) -> Iterator[Store]:
    store = Store(postgresql_dsn)
    yield store
    store.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> Store:
    found: Store = request.getfixturevalue(f"{request.param}_store")
    return found


@pytest.fixture(scope="session")
def server() -> Iterator[servers.Server]:
    """A server that these tests may stop, and have to start again."""
    with servers.start() as own:
        yield own
