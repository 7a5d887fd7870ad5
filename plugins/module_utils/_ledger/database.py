# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The database that holds a ledger: transactions, and locks of directories and runs, which a crash releases."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypeVar

from .._core.errors import LedgerError
from .rows import now
from .transaction import Transaction

#: Nobody waits longer for a lock, in seconds.
PATIENCE = 30.0
_PAUSE = 0.01


@contextmanager
def folder_lock(folder: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold a directory's lock. Raises LedgerError when others hold it for too long."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    deadline = time.monotonic() + patience
    try:
        while not _locked(descriptor, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                raise LedgerError(
                    f"Other processes have locked {folder} for more than {patience:.0f} seconds.\n"
                    f"Look for one that hangs: fuser -v {folder}"
                )
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int, how: int) -> bool:
    """Lock a file or directory, unless another process holds it."""
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class RunLock:
    """The lock that shows that a run is alive: its own file in a directory, locked until the process ends.

    The file is named by the run. Only the run locks it exclusively. All others ask for a shared lock, so that they
    never disturb each other. A run is gone if its file is not locked. Of one whose file is missing, nothing is
    known: it removes the file only if it left no claim.
    """

    def __init__(self, folder: Path, run_id: str) -> None:
        self._folder = folder
        self._path = folder / run_id
        self._descriptor: int | None = None

    def take(self) -> None:
        """Take the lock."""
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        # Nobody looks at the file of a run that has claimed nothing yet.
        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def is_held(self, run_id: str) -> bool | None:
        """Return whether another run holds its lock; ``None`` if that cannot be seen. It never blocks."""
        try:
            descriptor = os.open(self._folder / run_id, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None
        try:
            return not _locked(descriptor, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)

    def release(self, *, keep: bool) -> None:
        """End the lock. ``keep`` the file, by which others see that it has ended."""
        if self._descriptor is not None:
            if not keep:
                with suppress(OSError):
                    self._path.unlink()
            os.close(self._descriptor)
            self._descriptor = None


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
