# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the application on a socket of its own, says where, and ends quickly when told to."""

from __future__ import annotations

import errno
import gc
import os
import shutil
import socket
import sys
import tempfile
import threading
from types import FrameType

import uvicorn

from . import data
from .app import build
from .front import Front
from .shapes.base import Shape

BACKLOG = 2048


class AnnouncingServer(uvicorn.Server):
    """Prints its address once connections are accepted, in a terminal also what to export; ends with 0 by a signal."""

    def __init__(self, config: uvicorn.Config, front: Front, address: str) -> None:
        super().__init__(config)
        self.front = front
        self.address = address
        self.folder = ""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections, then say so."""
        await super().startup(sockets)
        if not self.should_exit:
            print(f"simulator listening on {self.address}", flush=True)
            if sys.stdout.isatty():
                self.say_how()

    def say_how(self) -> None:
        """Print what a playbook needs, with a ledger that is removed with the orders: real ones stay out of it."""
        self.folder = tempfile.mkdtemp(prefix="reseller-simulator-")
        print("\nPaste this into another terminal:")
        print(f"export RESELLER_BASE_URL={self.address}")
        print(f"export RESELLER_API_KEY={data.API_KEY}")
        print(f"export RESELLER_ORGANIZATION_ID={data.ORGANIZATION_ID}")
        print(f"export RESELLER_LEDGER={self.folder}/ledger.db")
        print(f"\nAn end user is {data.END_USER}, a product VPS M, an OS template {data.OS_TEMPLATE}.")
        print("Nothing is bought. When this ends (Ctrl-C), the orders and this ledger are gone.", flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the held requests, which would never be answered, and then everything else."""
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.front.reset()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End; at the second signal without waiting for open requests."""
        if self.should_exit:
            self.force_exit = True
        self.should_exit = True

    def end_with_stdin(self) -> None:
        """End when the process that holds the other end of standard input is gone."""

        def watch() -> None:
            # Not by sys.stdin, whose lock would hold up the interpreter at its end.
            while os.read(0, 1024):
                pass
            self.should_exit = True

        threading.Thread(target=watch, daemon=True, name="stdin").start()


def advice(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "End what listens there, or choose another port with --port; --port 0 takes a free one."
    return "Choose another address with --host, or another port with --port."


def serve(shape: Shape, host: str, port: int, *, end_with_stdin: bool = False) -> None:
    """Serve until a signal comes."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends without delay (TCP_NODELAY) only where the protocol is named.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as exc:
        listener.close()
        sys.exit(f"The simulator cannot listen on {host}, port {port}: {exc.strerror}. {advice(exc)}")
    listener.listen(BACKLOG)
    shown = f"[{host}]" if family == socket.AF_INET6 else host
    front = build(shape)
    config = uvicorn.Config(
        front,
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="error",
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=1,
    )
    server = AnnouncingServer(config, front, f"http://{shown}:{listener.getsockname()[1]}")
    if end_with_stdin:
        server.end_with_stdin()
    # What was built so far lives until the end: the collector need not look at it again.
    gc.freeze()
    server.run(sockets=[listener])
