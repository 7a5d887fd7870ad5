# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The database that holds a ledger: transactions, and a lock that shows that a run is alive."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Literal, TypeVar

from .rows import now
from .transaction import Transaction

_T = TypeVar("_T")

#: How a ledger is opened. ``check``: only read, and refused where it would be for ``write``, as far as that shows.
Mode = Literal["read", "check", "write"]


class Database(ABC):
    """The database of a ledger as one run has it open. Every method but release() raises LedgerError.

    ``place`` is the location for messages: a path, or a PostgreSQL address without its password. ``address`` is the
    unique location: a path without links, or host, port, database and search path. ``id`` is the unique ID of the
    ledger, and ``digest_key`` 32 random bytes, which are the key of its digests of contact data. ``run_id`` is that of
    the run.
    """

    #: Whether there is a ledger. One that is missing reads as empty.
    exists = True

    def __init__(self, place: str, address: str, run_id: str) -> None:
        self.place = place
        self.address = address
        self.run_id = run_id
        self.id, self.digest_key = "", b""

    @abstractmethod
    def run(self, work: Callable[[Transaction], _T], *, writing: bool) -> _T:
        """Do the work in one transaction. The work may be done again from its start.

        When writing, durably, and while no other run writes: what the work reads stays true until it ends.
        """

    @abstractmethod
    def living(self, transaction: Transaction, run_ids: Collection[str]) -> tuple[set[str], set[str]]:
        """Return those of these runs of others that hold their lock, and those of which that cannot be seen."""

    @abstractmethod
    def take_lock(self) -> None:
        """Take this run's lock, for as long as the process lives and the ledger is open."""

    @abstractmethod
    def release(self, *, with_claims: bool = False) -> None:
        """Release this run's lock and the connection. ``with_claims``: claims without an outcome are left behind."""

    def ready(self) -> Database:
        """The database to write to: this one, or that of the ledger that was missing and is made now.

        Before the first change of a run, the whole ledger is checked where the database does not do so itself.
        """
        return self


class SqliteTransaction(Transaction):
    def __init__(self, database: Database, connection: sqlite3.Connection) -> None:
        super().__init__(database)
        self._connection = connection

    def query(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        return self._connection.execute(statement, values).fetchall()

    def many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        self._connection.executemany(statement, rows)

    def now(self) -> str:
        return now()


class MissingDatabase(Database):
    """A missing ledger, which reads as an empty one in memory. ``making`` makes it."""

    exists = False

    def __init__(self, place: str, address: str, run_id: str, making: Callable[[], Database]) -> None:
        super().__init__(place, address, run_id)
        self._making = making
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.run(Transaction.make_tables, writing=True)
        self.id, self.digest_key = self.run(Transaction.meta, writing=False)

    def run(self, work: Callable[[Transaction], _T], *, writing: bool) -> _T:
        return work(SqliteTransaction(self, self._connection))

    def living(self, transaction: Transaction, run_ids: Collection[str]) -> tuple[set[str], set[str]]:
        return set(), set()

    def take_lock(self) -> None:
        """Nothing is claimed."""

    def release(self, *, with_claims: bool = False) -> None:
        self._connection.close()

    def ready(self) -> Database:
        database = self._making()
        self.release()
        return database
