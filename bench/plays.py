# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the benchmark works with: plays and scripts that are timed, and the services and ledgers that they use."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import trustme

from tests.support import postgresql

ROOT = Path(__file__).resolve().parents[1]
#: How many orders the large ledger holds, and how many hosts the ledger of the inventory.
MANY_ORDERS, MANY_HOSTS = 1_000_000, 100_000
#: How many orders two ledgers hold in which a task finds what it asks for.
FEW_RECORDED, MANY_RECORDED = 200, 200_000


@dataclass(frozen=True)
class Spent:
    """What a process and those that it started took: seconds, and the largest of them in megabytes."""

    seconds: float
    megabytes: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.seconds + other.seconds, self.megabytes)

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.seconds - other.seconds, self.megabytes)


class Bench:
    """A folder to work in, and what is started or made there when a row first needs it.

    ``cpu``: seconds are those of the processors, which other programs that run at the same time hardly change.
    """

    def __init__(self, folder: Path, started: ExitStack, *, cpu: bool) -> None:
        self.folder = folder
        self._started = started
        self._cpu = cpu
        self._files: dict[str, Path] = {}
        self._numbers = iter(range(sys.maxsize))

    @cached_property
    def at_once(self) -> str:
        """The address of a service that answers at once."""
        return self._service()

    @cached_property
    def late(self) -> str:
        """The address of a service that answers an order after 50 ms."""
        return self._service("--latency", "50")

    @cached_property
    def catalogue(self) -> str:
        """The address of a service with 200 products."""
        return self._service("--products", "200")

    @cached_property
    def listing(self) -> str:
        """The address of a service that lists 500 contracts."""
        return self._service("--contracts", "500")

    @cached_property
    def private_ca(self) -> Path:
        """The certificate of an authority that signed that of the service at ``tls``."""
        authority, path = trustme.CA(), self.folder / "ca.pem"
        authority.cert_pem.write_to_path(str(path))
        authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(self.folder / "server.pem"))
        return path

    @cached_property
    def tls(self) -> str:
        """The address of a service that answers at once, over TLS."""
        return self._service("--certificate", str(self.private_ca.with_name("server.pem")))

    @cached_property
    def _postgresql(self) -> postgresql.Server:
        return self._started.enter_context(postgresql.start(durable=True))

    def new_database(self) -> str:
        """The address of an empty database in a PostgreSQL that keeps what it confirms, as a real one does."""
        return self._postgresql.create_database()

    def new_name(self) -> str:
        """The beginning of host names that no order had before."""
        return f"n{next(self._numbers)}-web"

    def file(self, name: str, content: Any) -> Path:
        """A file with this content, made once. JSON is YAML, too."""
        text = json.dumps(content)
        if text not in self._files:
            self._files[text] = self.folder / f"{len(self._files)}-{name}"
            self._files[text].write_text(text)
        return self._files[text]

    def playbook(self, *tasks: dict[str, Any], **variables: Any) -> Path:
        """A file with a play of these tasks; variables are in a file beside it."""
        files = [str(self.file("variables.json", variables))] if variables else []
        play = {"hosts": "localhost", "gather_facts": False, "vars_files": files, "tasks": list(tasks)}
        return self.file("playbook.yml", [play])

    def play(
        self, playbook: Path, service: str, *arguments: str, ledger: str | None = None, keep: bool = False
    ) -> Spent:
        """Run a playbook, with an empty ledger unless another is named or what is there is to be kept."""
        own = self.folder / "ledger"
        if not keep:
            for folder in (own, self.folder / "state", self.folder / "cache"):
                shutil.rmtree(folder, ignore_errors=True)
        program = Path(sys.executable).with_name("ansible-playbook")
        environment = {
            "RESELLER_BASE_URL": service,
            "RESELLER_API_KEY": "bench-key",
            "RESELLER_ORGANIZATION_ID": "4711",
            "RESELLER_NEW_LEDGER": "allow",
            "RESELLER_LEDGER": ledger or str(own / "ledger.db"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "ANSIBLE_CONFIG": str(ROOT / "tests/ansible.cfg"),
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".cache"),
            "ANSIBLE_ACTION_PLUGINS": str(ROOT / "bench" / "action"),
        }
        return self._spent([str(program), *arguments, str(playbook)], environment)

    def nothing(self) -> Spent:
        """ansible-playbook that does nothing."""
        return self.play(self.playbook(), "http://127.0.0.1")

    def script(self, *arguments: str) -> Spent:
        return self._spent([sys.executable, str(ROOT / "bench" / "script.py"), *arguments], {})

    def _spent(self, command: Sequence[str], environment: Mapping[str, str]) -> Spent:
        """Run a command to its end. It has to succeed."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("RESELLER_", "ANSIBLE_", "PYTHON"))
        }
        with tempfile.TemporaryFile("w+") as output:
            began = time.monotonic()
            process = subprocess.Popen(command, env={**kept, **environment}, stdout=output, stderr=output)
            _pid, status, usage = os.wait4(process.pid, 0)
            seconds = usage.ru_utime + usage.ru_stime if self._cpu else time.monotonic() - began
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                output.seek(0)
                sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{output.read()[-3000:]}")
        return Spent(seconds, usage.ru_maxrss / 1024)

    def _service(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "bench.server", *arguments]
        process = self._started.enter_context(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        self._started.callback(process.terminate)
        return (process.stdout.readline() if process.stdout else "").strip()

    def filled_ledger(self, orders: int) -> Path:
        """The path of a ledger with so many orders, made once."""
        path = self.folder / f"ledger-{orders}" / "ledger.db"
        if path.exists():
            return path
        print(f"making a ledger of {orders:,} orders", file=sys.stderr)
        environment = {**os.environ, "PYTHONPATH": str(ROOT / ".cache")}
        subprocess.run([sys.executable, "-m", "bench.ledger", path, str(orders)], cwd=ROOT, env=environment, check=True)
        return path


def marginal(play: Callable[[int], Spent], few: int, many: int) -> Spent:
    """What one more costs, from a play with few and one with many."""
    return Spent((play(many).seconds - play(few).seconds) / (many - few))


def counts(service: str) -> dict[str, int]:
    """How many requests of which kind a service was sent."""
    with urllib.request.urlopen(f"{service}/counts", timeout=10) as answer:
        found: dict[str, int] = json.load(answer)
    return found
