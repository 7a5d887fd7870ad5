# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The scene of one trial in a surrounding: who orders there, and what the trial comes to."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from tests.faults.forked_task import Fork
from tests.faults.site import PATIENCE, Site, Store, Tally, untrue
from tests.faults.traces import parts_of, traces, written
from tests.simulator import data

HOSTNAME = "web01.example.org"
EARLY = "early.example.org"
#: Where runs are killed, in one trial after another.
POINTS = ("sent", "after_claim", "received", "before_record")
#: Statuses in which the ledger owns up to an order that the service may hold.
OWNED = ("ordered", "pending", "in_doubt")
TABLES = ("hosting_reseller_meta", "hosting_reseller_orders", "hosting_reseller_runs")
#: A run that lacks a protection and has not ended after so many seconds hangs.
UNPROTECTED = 6.0
VPS = {"end_user": "__self__", "product": data.VPS_M, "product_type": "vps", "validation": "documented"}


@dataclass
class Scene:
    """One trial: its ledger, all results that its runs gave, and what it came to; ``number`` makes it differ.

    ``without`` names the protections that its runs do without. ``complaints`` are what was not as it should be.
    """

    site: Site
    store: Store
    ledger: str
    folder: Path
    number: int = 0
    without: Sequence[str] = ()
    results: list[dict[str, Any]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    settled: int = 0
    #: What nobody may find again: secrets anywhere, and contact values in what is kept.
    secrets: Sequence[str] = (data.API_KEY,)
    contacts: Sequence[str] = ()

    @property
    def path(self) -> Path:
        """The ledger's file."""
        return Path(self.ledger)

    @property
    def kept(self) -> dict[str, str]:
        """Where this scene's user keeps things."""
        return {f"XDG_{name}_HOME": str(self.folder / name.lower()) for name in ("STATE", "CACHE")}

    @property
    def token(self) -> Path:
        """The file that a run removes when it is struck."""
        return self.folder / "token"

    def beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    def start(
        self,
        hostname: str = HOSTNAME,
        *,
        environ: Mapping[str, str] | None = None,
        fault: Mapping[str, Any] | None = None,
        user: int | None = None,
        group: int | None = None,
        **more: Any,
    ) -> Fork:
        """Begin to order, in a process of its own; ``user``, ``group``: as this user of this group."""
        settings = {"hostname": hostname, "template": "debian-12"}
        environ = {**self.kept, **(environ or {})}
        options = {**VPS, "settings": settings, **more}
        return self.fork("reseller_contract", options, fault=fault, environ=environ, user=user, group=group)

    def order(self, hostname: str = HOSTNAME, **more: Any) -> dict[str, Any]:
        """Order once."""
        return self.ended(self.start(hostname, **more))

    def order_many(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Order several contracts in one task."""
        return self.ended(self.fork("reseller_contracts", options))

    def fork(self, module: str, options: Mapping[str, Any], **more: Any) -> Fork:
        """Begin a task that asks the service, in a process of its own."""
        return self._fork(module, {**self.site.options(self.ledger), **options}, **more)

    def _fork(self, module: str, options: Mapping[str, Any], **more: Any) -> Fork:
        return self.site.tasks.fork(module, options, **{"environ": self.kept, "without": [*self.without], **more})

    def ended(self, run: Fork) -> dict[str, Any]:
        """What a run returned that was begun. One that lacks a protection may never end."""
        try:
            return self.noted(run.result(*[UNPROTECTED] * bool(self.without)) or {"killed": True})
        except TimeoutError:
            run.kill()
            self.complaints.append("A run did not end.")
            return self.noted({"changed": False, "failed": True, "msg": "It did not end."})

    def expect(self, condition: object, result: object = "") -> None:
        """Complain if this is not so."""
        if not condition:
            self.complaints.append(f"Not as expected: {result or self.results[-1]}")

    def refused(self, words: str = "", **more: Any) -> None:
        """Order, which is to be refused with these words."""
        result = self.order(**more)
        self.expect(result.get("failed") and words in result["msg"], f"not refused with {words!r}: {result}")

    def known(self, hostname: str = HOSTNAME, **more: Any) -> None:
        """Order what the ledger knows to be ordered."""
        result = self.order(hostname, **more)
        self.expect(not result["changed"] and not result.get("failed"))

    def settle(self, name: str = HOSTNAME, **more: Any) -> None:
        """Write into the ledger what the service says of the order, as a person would; ``more`` if it was placed."""
        contracts = self.site.ordered().get(name)
        outcome = {"state": "ordered", "contract_id": contracts[0], **more} if contracts else {"state": "absent"}
        result = self.tell(name=name, **outcome)
        self.expect(result["changed"], result)
        self.settled += 1

    def tell(self, **options: Any) -> dict[str, Any]:
        """Tell the ledger something, as a person would."""
        return self.noted(self._fork("reseller_ledger", {"ledger": self.ledger, **options}).result() or {})

    def fault(self, point: str, deed: str, name: str) -> dict[str, Any]:
        """What strikes, once, the first run that comes to a point with the order of this name."""
        self.token.touch()
        return {"point": point, "name": name, "token": str(self.token), "deed": deed}

    def struck(self, point: str, deed: str, hostname: str = HOSTNAME, **more: Any) -> dict[str, Any]:
        """Order in a run that is struck at a point."""
        result = self.order(hostname, fault=self.fault(point, deed, hostname), **more)
        assert not self.token.exists()
        return result

    def kill(self, hostname: str = HOSTNAME, **more: Any) -> None:
        """Order in a run that is killed on the way."""
        assert "killed" in self.struck(POINTS[self.number % len(POINTS)], "SIGKILL", hostname, **more)
        self.site.wire.wait_until_idle()
        self.site.await_doubt(self.ledger)

    def noted(self, result: dict[str, Any]) -> dict[str, Any]:
        assert "Traceback" not in str(result), result
        self.results.append(result)
        return result

    def tally(self, *, all_known: bool = False) -> Tally:
        """The service's list against what was reported, and against the ledger unless the last run refused that."""
        contracts = self.site.ordered()
        lost: set[str] = set()
        if all_known or not self.results[-1].get("failed"):
            recorded = self.site.statuses(self.ledger)
            lost = contracts.keys() - {name for name, record in recorded.items() if record.status in OWNED}
        return Tally(
            trials=1,
            duplicates=sum(len(ids) > 1 for ids in contracts.values()),
            lost=len(lost),
            in_doubt=self.settled,
            untrue=len(untrue(self.results, contracts)),
            secrets=len(self.traces()),
        )

    def traces(self) -> list[str]:
        """Where secrets and contact values were found that should be nowhere."""
        kept = dict(written(self.ledger, self.folder))
        shown = {f"result {at}": repr(result).encode() for at, result in enumerate(self.results)}
        return traces(parts_of(*self.secrets), {**kept, **shown}) + traces(parts_of(*self.contacts), kept)


class Backup:
    """What a ledger holds at this moment."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._rows: dict[str, list[Any]] = {}
        self._copy = scene.folder / "backup.db"
        if scene.store == "sqlite":
            with closing(sqlite3.connect(scene.ledger)) as here, closing(sqlite3.connect(self._copy)) as there:
                here.backup(there)
            return
        with psycopg.connect(scene.ledger) as connection:
            for table in TABLES:
                self._rows[table] = connection.execute(f"SELECT * FROM {table}".encode()).fetchall()

    def restore(self) -> None:
        """Put it back."""
        if self._scene.store == "sqlite":
            shutil.copy(self._copy, self._scene.ledger)
            return
        with psycopg.connect(self._scene.ledger) as connection:
            for table, rows in self._rows.items():
                connection.execute(f"DELETE FROM {table}".encode())
                for row in rows:
                    marks = ", ".join(["%s"] * len(row))
                    connection.execute(f"INSERT INTO {table} VALUES ({marks})".encode(), row)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@dataclass(frozen=True)
class Surrounding:
    """A row: on which ledgers it is tried, and on which of them with ``--full`` only.

    ``without`` are protections that it would complain of if they were missing. ``trials`` are those with ``--full``.
    """

    order: Callable[[Scene], None]
    stores: tuple[Store, ...] = ("sqlite", "postgresql")
    full: tuple[Store, ...] = ()
    without: tuple[str, ...] = ()
    trials: int = len(POINTS)


FILE: tuple[Store, ...] = ("sqlite",)
DATABASE: tuple[Store, ...] = ("postgresql",)
