# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real PgBouncer in front of a PostgreSQL server, where it is installed (Debian's package pgbouncer)."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg

from tests.support.postgresql import READY_WITHIN, Account, Unavailable, free_port

SYSTEM_PROGRAM = "/usr/sbin/pgbouncer"


@contextlib.contextmanager
def pgbouncer(dsn: str, mode: str, **settings: object) -> Iterator[str]:
    """Run PgBouncer with this pool_mode and these settings before the server at dsn; yield the address through it.

    Raises:
        Unavailable: it is not installed.
    """
    program = shutil.which("pgbouncer") or SYSTEM_PROGRAM
    if not os.access(program, os.X_OK):
        raise Unavailable("no pgbouncer on PATH or in /usr/sbin: install Debian's pgbouncer")
    account, port, server = Account.choose(), free_port(), urlsplit(dsn)
    folder = Path(tempfile.mkdtemp(prefix="reseller-pgbouncer-"))
    users, configuration, log = folder / "users.txt", folder / "pgbouncer.ini", folder / "log"
    users.write_text(f'"{server.username}" "{unquote(server.password or "")}"\n')
    lines = {
        "listen_addr": "127.0.0.1",
        "listen_port": port,
        "unix_socket_dir": "",
        "auth_type": "plain",
        "auth_file": users,
        "pool_mode": mode,
        **settings,
    }
    configuration.write_text(
        f"[databases]\n* = host=127.0.0.1 port={server.port}\n[pgbouncer]\n"
        + "".join(f"{name} = {value}\n" for name, value in lines.items())
    )
    for path in (folder, users, configuration):
        account.own(path)
    address = dsn.replace(f":{server.port}/", f":{port}/")
    try:
        with (
            log.open("wb") as output,
            subprocess.Popen(
                [program, str(configuration)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=folder,
                start_new_session=True,
                **account.popen_arguments(),
            ) as process,
        ):
            try:
                deadline = time.monotonic() + READY_WITHIN
                while True:
                    try:
                        psycopg.connect(address).close()
                        break
                    except psycopg.OperationalError as error:
                        if process.poll() is not None or time.monotonic() > deadline:
                            raise Unavailable(f"PgBouncer did not start: {log.read_text()}") from error
                        time.sleep(0.02)
                yield address
            finally:
                process.kill()
    finally:
        shutil.rmtree(folder)
