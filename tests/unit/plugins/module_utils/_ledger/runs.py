# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A ledger's user as a process of its own, which a test tells what to do, and can kill.

As a program: ``runs.py <address>`` opens the ledger and answers one JSON line for each JSON line that it reads.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import ledger_tables as tables
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.identity import identity
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Claim,
    Filter,
    Outcome,
    Record,
    Settlement,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import open_ledger
from tests.support.ledgers import claim, record


def request(name: str, **changes: Any) -> StoredRequest:
    values: dict[str, Any] = {
        "service": "https://service.example",
        "organization_id": "org-1",
        "end_user": "__self__",
        "product": "0d6d810e-dec2-4a06-8fe5-7d7698d97ae6",
        "product_name": "A product",
        "product_type": "vps",
        "settings": {"hostname": name, "contact": "keyed:00", "nothing": None},
        "additional_elements": {"note": ["ü", 1]},
        "awx_job_id": "17",
        "awx_workflow_job_id": None,
    }
    return StoredRequest(name, **(values | changes))


def settle(ledger: Ledger, name: str, outcome: Outcome, wanted: StoredRequest | None = None) -> Record | None:
    """Settle the order as it is recorded now; what stands in the way of that."""
    before = ledger.find([name]).get(name)
    return ledger.settle([Settlement(name, outcome, wanted, before)])[0]


def in_the_way(ledger: Ledger, *requests: Claim) -> list[str | None]:
    """Claim these, and return the names of the records that prevent it."""
    return [each and each.name for each in claim(ledger, requests)]


def names_in(ledger: Ledger) -> list[str]:
    """The names of all orders."""
    return [record.name for record in ledger.select(Filter())]


def execute(address: str, *statements: str) -> list[Any]:
    """The rows that the last of these statements returns, which a PostgreSQL server executes."""
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def die_at(work: Callable[[], object]) -> None:
    """A process is killed at the end of this work, or in it."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def die_while_writing(path: Path) -> None:
    """A process is killed in a transaction that has written pages of the ledger's file already."""

    def write() -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"DELETE FROM {tables.ORDERS}")
        connection.executemany(f"INSERT INTO {tables.META} VALUES (?, ?)", ((f"x{at}", "x" * 999) for at in range(99)))

    die_at(write)


class Run:
    """A process with the ledger at this address open for writing."""

    def __init__(self, address: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # A program that is killed leaves no half-written modules for others.
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def tell(self, what: str, *values: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([what, *values]) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline() or '"died"')

    def ask(self, what: str, *values: Any) -> Any:
        self.tell(what, *values)
        return self.answer()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def obey(ledger: Ledger, what: str, *values: Any) -> Any:
    if what == "claim":
        return [record and record.status for record in claim(ledger, [*map(request, values)])]
    if what == "claim same":  # of one identity, each under its own name
        return in_the_way(ledger, *(request(name, identity=identity("domain", values[0])) for name in values[1:]))
    if what == "record":
        return record(ledger, values[0], Outcome(**values[1])).status
    return [record.status for record in ledger.find(values).values()]


def main() -> None:
    sys.stdin.readline()  # all start at once
    with open_ledger(location_of(sys.argv[1], os.environ), "write") as ledger:
        ledger.make()
        print(json.dumps("open"), flush=True)
        for line in sys.stdin:
            if json.loads(line) == ["end"]:
                break
            try:
                answer = obey(ledger, *json.loads(line))
            except ResellerError as error:
                answer = {"error": type(error).__name__, "message": error.message}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
