# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The site of trials, and the scene of one: who orders there, and what it comes to."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import psycopg

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Record
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import open_ledger
from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.faults.forked_task import Fork
from tests.faults.wire import Wire
from tests.support.described import service_file
from tests.support.ledgers import let_time_pass
from tests.support.lives import Life
from tests.support.nursery import Nursery

Store = Literal["sqlite", "postgresql"]
Kind = Literal["none", "kill", "term", "int", "drop"]
SIGNALS = {"kill": "SIGKILL", "term": "SIGTERM", "int": "SIGINT"}


@dataclass
class Site:
    """All that the trials of one process use."""

    simulator: Simulator
    wire: Wire
    nursery: Nursery
    new_database: Callable[[], str]

    def statuses(self, ledger: str) -> dict[str, Record]:
        with open_ledger(location_of(ledger, os.environ), "read") as opened:
            return {record.name: record for record in opened.select(Filter())}

    def pending(self, ledger: str) -> set[tuple[str, str | None]]:
        """What is pending, and the runs that have claimed it."""
        with open_ledger(location_of(ledger, os.environ), "read") as opened:
            return {(each.name, each.run_id) for each in opened.select(Filter(statuses=["pending"], kind=None))}

    def let_time_pass(self, ledger: str, *names: str) -> None:
        """Let the time pass until which these requests may be under way: all, if none are named."""
        with open_ledger(location_of(ledger, os.environ), "write") as opened:
            if opened.exists:
                let_time_pass(opened, *(names or (name for name, _run in self.pending(ledger))))

    def ordered(self) -> dict[str, list[str]]:
        """What the service holds: the ids of the contracts of each host name."""
        contracts: dict[str, list[str]] = {}
        for order in self.simulator.orders():
            settings = order["settings"]
            contracts.setdefault(settings.get("hostname") or settings["domain"], []).append(order["id"])
        return contracts


def untrue(results: Sequence[Mapping[str, Any]], contracts: Mapping[str, Sequence[str]]) -> list[Any]:
    """What results report as ordered though the service does not hold it: orders, and counts that are too high."""
    ids = {contract_id for contract_ids in contracts.values() for contract_id in contract_ids}
    wrong: list[Any] = []
    for result in results:
        for each in result.get("results") or [result]:
            order = each.get("order") or {}
            claims = order and (each.get("changed") or order.get("status") == "ordered")
            if claims and order.get("contract_id") not in ids and order.get("name") not in contracts:
                wrong.append(each)
        counted = (result.get("counts") or {}).get("ordered", 0)
        if counted > len(ids):
            wrong.append(f"{counted} ordered")
    return wrong


HOSTNAME = "web01.example.org"
EARLY = "early.example.org"
#: Where runs are killed, in one trial after another.
POINTS = ("sent", "after_claim", "received", "before_record")
#: Statuses in which the ledger owns up to an order that the service may hold.
OWNED = ("ordered", "pending", "in_doubt")
#: What must not happen: ``untrue`` is what is reported as ordered, and not in the service's own list; ``secrets`` are
#: secrets in anything that was written or returned, and contact values in what is kept.
HARMS = ("duplicates", "lost", "untrue", "secrets")
#: A run that lacks a protection and has not ended after so many seconds hangs.
UNPROTECTED = 6.0
VPS = {"product": data.VPS_M, "product_type": "vps", "validation": "specification"}


@dataclass
class Scene:
    """One trial: who orders, all results that the runs gave, and what it came to; ``number`` makes it differ.

    ``without`` names the protection that its runs do without. ``harm`` is what must not happen, and ``complaints`` are
    what else was not as it should be.
    """

    site: Site
    life: Life
    folder: Path
    number: int = 0
    without: str = ""
    results: list[dict[str, Any]] = field(default_factory=list)
    harm: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    complaints: list[str] = field(default_factory=list)
    #: How many orders were in doubt and settled.
    settled: int = 0
    #: What nobody may find again: secrets anywhere, and contact values in what is kept.
    secrets: Sequence[str] = ()
    contacts: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.ledger = self.life.ledger

    @property
    def token(self) -> Path:
        """The file that a run removes when it is struck."""
        return self.folder / "token"

    @property
    def clock(self) -> Path:
        """The file with the seconds that have passed for a run that was stopped."""
        return self.folder / "clock"

    @property
    def whose(self) -> dict[str, Any]:
        """The option that says for whom an order is."""
        return {"end_user": self.life.end_user}

    def start(self, hostname: str = HOSTNAME, *, fault: Mapping[str, Any] | None = None, **more: Any) -> Fork:
        """Begin to order, in a process of its own."""
        settings = {"hostname": hostname, "template": "debian-12"}
        return self.fork("reseller_contract", {**VPS, **self.whose, "settings": settings, **more}, fault)

    def order(self, hostname: str = HOSTNAME, **more: Any) -> dict[str, Any]:
        """Order once."""
        return self.ended(self.start(hostname, **more))

    def fork(self, module: str, options: Mapping[str, Any], fault: Mapping[str, Any] | None = None) -> Fork:
        """Begin a task that asks the service, in a process of its own."""
        url, simulator = options.get("base_url", self.site.wire.url), self.site.simulator
        own = self.folder / str(urlsplit(url).hostname)
        # Other runs may be reading it.
        if not own.exists():
            names = {"end_user": simulator.end_user_element, "product": simulator.product_element}
            # The simulator has one page.
            service_file(own, url, **self.life.described(order=names, contracts={"next": None}))
        shared = {"base_url": url, "service": str(own / "service.yml"), **self.life.account, "ledger": self.ledger}
        return self._fork(module, {**shared, **options}, fault)

    def _fork(self, module: str, options: Mapping[str, Any], fault: Mapping[str, Any] | None = None) -> Fork:
        environ = {"XDG_STATE_HOME": str(self.folder / "state")}
        how = {"environ": environ, "fault": fault, "without": self.without}
        return Fork(self.site.nursery.fork({"module": module, "options": options, **how}))

    def held(self) -> Fork:
        """A run whose order has arrived, and that waits for its answer."""
        self.site.simulator.arm("hold")
        run = self.start()
        self.site.simulator.wait(held=1)
        return run

    def released(self, run: Fork) -> dict[str, Any]:
        """What a run that was held returned."""
        self.site.simulator.release()
        return self.ended(run)

    def ended(self, run: Fork) -> dict[str, Any]:
        """What a run returned that was begun. One that lacks a protection may never end."""
        try:
            return self.noted(run.result(*[UNPROTECTED] * bool(self.without)) or {"killed": True})
        except TimeoutError:
            run.kill()
            self.complaints.append("A run did not end.")
            return self.noted({"changed": False, "failed": True, "msg": "It did not end."})

    def all_ended(self, started: Sequence[Fork], kind: Kind) -> list[dict[str, Any]]:
        """The results of runs, of which some wait for what a killed one has claimed."""
        with ThreadPoolExecutor(len(started)) as pool:
            runs = [pool.submit(self.ended, run) for run in started]
            before = set[tuple[str, str | None]]()
            while wait(runs, timeout=0.5 if kind == "kill" else None).not_done:
                pending = set() if self.token.exists() else self.site.pending(self.ledger)
                # What stays pending is claimed by the killed run.
                if stuck := [name for name, _run in pending & before]:
                    self.site.let_time_pass(self.ledger, *stuck)
                before = pending
            return [run.result() for run in runs]

    def noted(self, result: dict[str, Any]) -> dict[str, Any]:
        assert "Traceback" not in str(result), result
        self.results.append(result)
        return result

    def expect(self, condition: object, complaint: object = "") -> None:
        """Complain if this is not so: by default, of the last result."""
        if not condition:
            self.complaints.append(str(complaint) or f"Not as expected: {self.results[-1]}")

    def refused(self, words: str = "", **more: Any) -> None:
        """Order, which is to be refused with these words."""
        result = self.order(**more)
        self.expect(result.get("failed") and words in result["msg"], f"not refused with {words!r}: {result}")

    def known(self, hostname: str = HOSTNAME, **more: Any) -> None:
        """Order what the ledger knows to be ordered."""
        result = self.order(hostname, **more)
        self.expect(not result["changed"] and not result.get("failed"))

    def in_doubt(self) -> list[str]:
        """The names of the orders in doubt."""
        return [name for name, record in self.site.statuses(self.ledger).items() if record.status == "in_doubt"]

    def settle(self, name: str = HOSTNAME, **more: Any) -> None:
        """Write into the ledger what the service says of the order, as a person would; ``more`` if it was placed."""
        contracts = self.site.ordered().get(name)
        outcome = {"state": "present", "contract_id": contracts[0], **more} if contracts else {"state": "absent"}
        result = self.tell(name=name, **outcome)
        self.expect(result["changed"], result)
        self.settled += 1

    def tell(self, module: str = "reseller_record", **options: Any) -> dict[str, Any]:
        """Tell the ledger something, as a person would."""
        return self.noted(self._fork(module, {"ledger": self.ledger, **options}).result() or {})

    def fault(self, point: str, deed: str, name: str, sends: str = "") -> dict[str, Any]:
        """What strikes, once, the first run that comes to a point with this name. Its request contains ``sends``."""
        self.token.touch()
        struck = {"point": point, "name": name, "sends": sends or name, "deed": deed}
        return {**struck, "token": str(self.token), "clock": str(self.clock)}

    def kill(self, hostname: str = HOSTNAME, **more: Any) -> None:
        """Order in a run that is killed on the way."""
        fault = self.fault(POINTS[self.number % len(POINTS)], "SIGKILL", hostname)
        assert "killed" in self.order(hostname, fault=fault, **more)
        self.site.wire.wait_until_idle()
        self.site.let_time_pass(self.ledger)

    def backup(self) -> Callable[[], object]:
        """What puts the ledger back to what it is now."""
        if not self.life.database:
            copy = self.folder / "backup.db"
            shutil.copy(self.ledger, copy)
            # Over the file, or as another one.
            return lambda: copy.replace(self.ledger) if self.number % 4 == 2 else shutil.copy(copy, self.ledger)
        with psycopg.connect(self.ledger) as connection:
            found = tables(connection)
            for table in found:
                connection.execute(f"CREATE TABLE backup_{table} AS TABLE {table}".encode())

        def restore() -> None:
            with psycopg.connect(self.ledger) as connection:
                for table in found:
                    connection.execute(f"DELETE FROM {table}".encode())
                    connection.execute(f"INSERT INTO {table} TABLE backup_{table}".encode())

        return restore

    def audit(self, *, all_known: bool = False) -> None:
        """Hold the service's list against what was reported, and against the ledger unless the last run refused it."""
        contracts = self.site.ordered()
        self.harm["duplicates"] |= {f"{name}: {ids}" for name, ids in contracts.items() if len(ids) > 1}
        if all_known or not self.results[-1].get("failed"):
            recorded = self.site.statuses(self.ledger)
            owned = {name for name, record in recorded.items() if record.status in OWNED}
            self.harm["lost"] |= contracts.keys() - owned
        self.harm["untrue"] |= {repr(each) for each in untrue(self.results, contracts)}
        kept = dict(written(self.ledger, self.folder))
        shown = {f"result {at}": repr(result).encode() for at, result in enumerate(self.results)}
        self.harm["secrets"].update(traces(parts_of(self.life.api_key, *self.secrets), kept | shown))
        self.harm["secrets"].update(traces(parts_of(*self.contacts), kept))

    @property
    def wrong(self) -> list[str]:
        """All harm and complaints."""
        return [f"{what}: {each}" for what in HARMS for each in sorted(self.harm[what])] + self.complaints


@dataclass(frozen=True)
class Row:
    """What is tried: ``order`` it in a scene, on which ledgers, and on which of them in the short form.

    Each of ``without`` is a protection that the row would complain of if it were missing. ``trials`` are those with
    ``--full``. ``kind`` is how the row is counted, and ``wanted`` what is so of whoever orders.
    """

    order: Callable[[Scene], None]
    stores: tuple[Store, ...] = ("sqlite", "postgresql")
    short: tuple[Store, ...] = ("sqlite", "postgresql")
    without: tuple[str, ...] = ()
    trials: int = len(POINTS)
    kind: str = "surroundings"
    wanted: Mapping[str, bool] = field(default_factory=dict)


FILE: tuple[Store, ...] = ("sqlite",)


# Secrets and contact values in every byte that runs have written: ledgers, caches, outputs

#: What is left of a word that was cut off is looked for, too, if it is not shorter.
_SHORTEST = 6


def parts_of(*secrets: str) -> list[str]:
    """Parts of secrets that every form of them has, also one that was cut off: the ends of their words."""
    words = [word for secret in secrets for word in re.findall(r"[A-Za-z0-9]+", secret) if len(word) >= _SHORTEST]
    return sorted({end for word in words for end in (word[:_SHORTEST], word[-_SHORTEST:])})


def tables(connection: psycopg.Connection[Any]) -> list[str]:
    """The tables of the ledger in a database."""
    found = connection.execute(
        "SELECT c.oid::regclass::text FROM pg_class c WHERE c.relname LIKE 'hosting\\_reseller\\_%' "
        "AND c.relkind = 'r' AND pg_table_is_visible(c.oid)"
    )
    return [table for (table,) in found]


def written(ledger: str, folder: Path) -> Iterator[tuple[str, bytes]]:
    """All that a ledger and this folder hold, by place."""
    if "://" in ledger:
        with psycopg.connect(ledger, autocommit=True) as connection:
            for table in tables(connection):
                with connection.cursor().copy(f"COPY {table} TO STDOUT".encode()) as rows:
                    yield table, b"".join(map(bytes, rows))
    for path in folder.rglob("*"):
        if stat.S_ISREG(path.lstat().st_mode):
            yield str(path), path.read_bytes()


def traces(parts: Iterable[str], places: Mapping[str, bytes]) -> list[str]:
    """Where any of the parts stands, with what is around it."""
    return [
        f"{part} in {place}: …{content[max(0, content.find(part.encode()) - 80) :][:200]!r}…"
        for place, content in places.items()
        for part in parts
        if part.encode() in content
    ]
