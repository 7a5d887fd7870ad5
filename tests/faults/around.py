# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is around the protocol: users, hosts, roles, other ledgers, odd answers. Each surrounding is one row.

A row orders in its surrounding, and orders again as a user would who knows nothing of it. Then the service's own list
is held against what the runs reported, and against their ledger.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.faults.trial import OWNED, PATIENCE, Site, Store, Tally, untrue
from tests.simulator import data
from tests.support import playbooks
from tests.support import postgresql as servers

HOSTNAME = "web01.example.org"
#: Where runs are killed, in one trial after another.
POINTS = ("sent", "after_claim", "received", "before_record")
TABLES = ("hosting_reseller_meta", "hosting_reseller_orders")
VPS = {"end_user": "__self__", "product": data.VPS_M, "product_type": "vps", "validation": "documented"}
BECOME = {"become": True, "become_method": "same_user"}
LOCAL_HOSTS = "one ansible_connection=local\ntwo ansible_connection=local\n"


@dataclass
class Scene:
    """One trial: its ledger, all results that its runs gave, and what it came to; ``number`` makes it differ."""

    site: Site
    store: Store
    ledger: str
    folder: Path
    number: int = 0
    results: list[dict[str, Any]] = field(default_factory=list)
    settled: int = 0

    def order(
        self, hostname: str = HOSTNAME, *, environ: Mapping[str, str] | None = None, **more: Any
    ) -> dict[str, Any]:
        """Order once, in a process of its own."""
        fault = more.pop("fault", None)
        settings = {"hostname": hostname, "template": "debian-12"}
        options = {**self.site.options(self.ledger, **VPS, settings=settings), **more}
        result = self.site.start("fork", "reseller_contract", options, fault, environ).result()
        return self._told(result or {"killed": True})

    def order_by_playbook(
        self, tasks: Sequence[Mapping[str, Any]], environ: Mapping[str, str], *arguments: str, **play: Any
    ) -> list[dict[str, Any]]:
        """Order in a real playbook, whose environment names the service."""
        env = {
            "RESELLER_BASE_URL": self.site.wire.url,
            "RESELLER_API_KEY": data.API_KEY,
            "RESELLER_ORGANIZATION_ID": data.ORGANIZATION_ID,
            "RESELLER_END_USER_ELEMENT": self.site.simulator.end_user_element,
            "RESELLER_PRODUCT_ELEMENT": self.site.simulator.product_element,
            "RESELLER_LEDGER": self.ledger,
            "ANSIBLE_BECOME_PLUGINS": str(playbooks.ROOT / "tests/support/become_plugins"),
            **environ,
        }
        done = playbooks.run(self.folder, list(tasks), env, *arguments, **play)
        return [self._told(result) for result in done.results]

    def settle(self) -> None:
        """Write into the ledger what the service says of the order, as a person would."""
        held = self.site.ordered().get(HOSTNAME)
        told = {"state": "ordered", "contract_id": held[0]} if held else {"state": "absent"}
        options = {"ledger": self.ledger, "name": HOSTNAME, **told}
        result = self.site.start("fork", "reseller_ledger", options).result()
        assert result is not None
        assert result["changed"], result
        self.settled += 1

    def kill(self) -> None:
        """Order in a run that is killed on the way."""
        token = self.folder / "token"
        token.touch()
        fault = {"point": POINTS[self.number % len(POINTS)], "name": HOSTNAME, "token": str(token), "deed": "SIGKILL"}
        assert "killed" in self.order(fault=fault)
        self.site.wire.wait_until_idle()

    def _told(self, result: dict[str, Any]) -> dict[str, Any]:
        assert "Traceback" not in str(result.get("msg")), result
        self.results.append(result)
        return result

    def tally(self) -> Tally:
        """The service's list against what was reported, and against the ledger unless the last run refused that."""
        held = self.site.ordered()
        lost: set[str] = set()
        if not self.results[-1].get("failed"):
            recorded = self.site.statuses(self.ledger)
            lost = held.keys() - {name for name, record in recorded.items() if record.status in OWNED}
        return Tally(
            trials=1,
            duplicates=sum(len(ids) > 1 for ids in held.values()),
            lost=len(lost),
            in_doubt=self.settled,
            untrue=len(untrue(self.results, held)),
        )


# The rows. Each orders HOSTNAME, and again in its surrounding.


def become_on_two_hosts(scene: Scene) -> None:
    """Two hosts in one play, both with ``become``: the default ledger is refused, and one that is named is shared."""
    (scene.folder / "hosts").write_text(LOCAL_HOSTS)
    wanted: dict[str, Any] = {**VPS, "settings": {"hostname": HOSTNAME, "template": "debian-12"}}
    tasks = [{**playbooks.order(**wanted, **ledger), **BECOME} for ledger in ({}, {"ledger": scene.ledger})]
    told = scene.order_by_playbook(tasks, {"RESELLER_LEDGER": ""}, "-i", "hosts", hosts="all")
    assert [result["changed"] for result in told[:2]] == [False, False], told
    assert all("default ledger is for the user who runs Ansible" in result["msg"] for result in told[:2])
    assert sorted(result["changed"] for result in told[2:]) == [False, True], told
    assert not scene.order()["changed"]


def another_home(scene: Scene) -> None:
    """A ledger below a home that changes: a job that demands its ledger orders nothing."""
    homes = [scene.folder / name for name in ("one", "two")]
    for home in homes:
        home.mkdir()
    environ = [{"HOME": str(home)} for home in homes]
    assert scene.order(ledger="~/ledger.db", environ=environ[0])["changed"]
    refused = scene.order(ledger="~/ledger.db", new_ledger="refuse", environ=environ[1])
    assert "There is no ledger at" in refused["msg"]
    scene.ledger = str(homes[0] / "ledger.db")
    assert not scene.order(environ=environ[1])["changed"]


def two_roles(scene: Scene) -> None:
    """Two roles of one database, each with a schema of its own that comes first for it."""
    scene.ledger = servers.create_database(scene.ledger.partition("?")[0])
    url = urlsplit(scene.ledger)
    roles = [f"{name}_{url.path[1:]}" for name in ("one", "two")]
    addresses = [scene.ledger.replace(f"{url.username}:{url.password}@", f"{role}:p@") for role in roles]
    with psycopg.connect(scene.ledger, autocommit=True) as admin:
        for role in roles:
            admin.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'p'".encode())
            admin.execute(f"CREATE SCHEMA {role} AUTHORIZATION {role}".encode())
        assert scene.order(ledger=addresses[0])["changed"]
        refused = scene.order(ledger=addresses[1])
        assert refused["failed"], refused
        admin.execute(f"GRANT USAGE ON SCHEMA {roles[0]} TO {roles[1]}".encode())
        admin.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA {roles[0]} TO {roles[1]}".encode())
        assert not scene.order(ledger=addresses[1])["changed"]
    scene.ledger = addresses[0]


def failover(scene: Scene) -> None:
    """The primary server is lost with its last order, and its asynchronous standby takes over."""
    with servers.start(scene.folder / "primary") as primary, primary.start_standby() as standby:
        several = primary.dsn.replace(f":{primary.port}", f":{primary.port},127.0.0.1:{standby.port}")
        scene.ledger = f"{several}?target_session_attrs=read-write"
        scene.order("early.example.org")
        with psycopg.connect(standby.dsn, autocommit=True) as connection:
            wait_until(lambda: _count(connection, "pg_class", "relname = 'hosting_reseller_orders'") == 1)
            wait_until(lambda: _count(connection, "hosting_reseller_orders", "status = 'ordered'") == 1)
        standby.stop()
        assert scene.order()["changed"]
        primary.stop("immediate")
        standby.start()
        standby.promote()
        _refused_as_gone_back(scene)


def _count(connection: psycopg.Connection[Any], table: str, condition: str) -> int:
    (found,) = connection.execute(f"SELECT 1 FROM {table} WHERE {condition}".encode()).fetchall() or [()]
    return len(found)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def restored(scene: Scene) -> None:
    """A backup of the ledger that is older than its last order is restored."""
    scene.order("early.example.org")
    backup = Backup(scene)
    assert scene.order()["changed"]
    backup.restore()
    _refused_as_gone_back(scene)


def _refused_as_gone_back(scene: Scene) -> None:
    refused = scene.order(new_ledger="allow")
    assert "went back in time" in refused["msg"], refused


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
        if self._scene.store == "sqlite":
            shutil.copy(self._copy, self._scene.ledger)
            return
        with psycopg.connect(self._scene.ledger) as connection:
            for table, rows in self._rows.items():
                connection.execute(f"DELETE FROM {table}".encode())
                for row in rows:
                    marks = ", ".join(["%s"] * len(row))
                    connection.execute(f"INSERT INTO {table} VALUES ({marks})".encode(), row)


def answer(kind: str, *, process: bool, **fault: Any) -> Callable[[Scene], None]:
    """An answer that does not say how the order ended: it is in doubt until a person looks."""

    def ordering(scene: Scene) -> None:
        scene.site.simulator.arm(kind, process=process, **fault)
        doubtful = scene.order()
        assert doubtful["order"]["status"] == "in_doubt", doubtful
        assert "in doubt" in scene.order()["msg"]
        scene.settle()
        assert scene.order()["changed"] is not process
        assert not scene.order()["changed"]

    return ordering


def renamed(scene: Scene) -> None:
    """The same host under another name, also in other capitals."""
    assert scene.order()["changed"]
    assert "is for the same hostname" in scene.order(name="shop")["msg"]
    assert "is for the same hostname" in scene.order(HOSTNAME.upper(), name="shop")["msg"]
    assert not scene.order()["changed"]


def renamed_in_doubt(scene: Scene) -> None:
    """The same host under another name while its order is in doubt."""
    scene.kill()
    assert scene.order(name="shop")["failed"]
    scene.settle()
    scene.order()
    assert not scene.order()["changed"]


def role_twice(scene: Scene) -> None:
    """A role that is included twice in a play."""
    given = {
        "vps_end_user": "__self__",
        "vps_contracts": [{"hostname": HOSTNAME}],
        "vps_product": data.VPS_M,
        "vps_template": "debian-12",
    }
    task = {"name": "Order", "ansible.builtin.include_role": {"name": "hosting.reseller.vps"}, "vars": given}
    told = scene.order_by_playbook([task, task], {})
    assert sum("results" in result for result in told) >= 2, told
    assert not scene.order()["changed"]


def hard_link(scene: Scene) -> None:
    """A second name of the ledger's file."""
    scene.order("early.example.org")
    other = scene.folder / "link.db"
    os.link(scene.ledger, other)
    for ledger in (str(other), scene.ledger):
        assert scene.order(ledger=ledger)["failed"]
    other.unlink()
    assert scene.order()["changed"]
    assert not scene.order()["changed"]


def lost_log(scene: Scene) -> None:
    """The log of the ledger is lost after a run was killed."""
    _with_log(scene, lambda log: log.unlink(missing_ok=True))


def cut_log(scene: Scene) -> None:
    """The log of the ledger is cut in the middle after a run was killed."""
    _with_log(scene, lambda log: log.write_bytes(log.read_bytes()[: log.stat().st_size // 2]))


def _with_log(scene: Scene, harm: Callable[[Path], object]) -> None:
    scene.kill()
    log = Path(f"{scene.ledger}-wal")
    if log.exists():
        harm(log)
    Path(f"{scene.ledger}-shm").unlink(missing_ok=True)
    assert scene.order()["failed"]
    assert scene.order()["failed"]


def damaged(scene: Scene) -> None:
    """Bits of the ledger's file are changed, each time in another place."""
    scene.order("early.example.org")
    assert scene.order()["changed"]
    path = Path(scene.ledger)
    whole, chance = path.read_bytes(), random.Random(scene.number)
    for _damage in range(8):
        content = bytearray(whole)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        assert not scene.order()["changed"]
    path.write_bytes(whole)
    assert not scene.order()["changed"]


def writable_by_all(scene: Scene) -> None:
    """A ledger that everybody can change."""
    scene.order("early.example.org")
    path = Path(scene.ledger)
    path.chmod(0o666)
    assert scene.order()["failed"]
    path.chmod(0o600)
    assert scene.order()["changed"]
    assert not scene.order()["changed"]


def no_file(scene: Scene) -> None:
    """A named pipe where the ledger was to be, which nobody writes to."""
    path = Path(scene.ledger)
    path.parent.mkdir(mode=0o700)
    os.mkfifo(path)
    assert scene.order()["failed"]
    path.unlink()
    assert scene.order()["changed"]
    assert not scene.order()["changed"]


@dataclass(frozen=True)
class Surrounding:
    """A row: on which ledgers it is tried, and whether with ``--full`` only."""

    order: Callable[[Scene], None]
    stores: tuple[Store, ...] = ("sqlite", "postgresql")
    full: bool = False


FILE: tuple[Store, ...] = ("sqlite",)
DATABASE: tuple[Store, ...] = ("postgresql",)
SURROUNDINGS: Mapping[str, Surrounding] = {
    "become on two hosts": Surrounding(become_on_two_hosts, FILE),
    "another home": Surrounding(another_home, FILE),
    "two roles": Surrounding(two_roles, DATABASE),
    "failover": Surrounding(failover, DATABASE, full=True),
    "restored backup": Surrounding(restored),
    "408": Surrounding(answer("status", process=True, status=408)),
    "408 unprocessed": Surrounding(answer("status", process=False, status=408), FILE),
    "page under 200": Surrounding(answer("html", process=True, status=200)),
    "page unprocessed": Surrounding(answer("html", process=False, status=200), FILE),
    "no success under 200": Surrounding(answer("says_no", process=True)),
    "no success unprocessed": Surrounding(answer("says_no", process=False), FILE),
    "renamed": Surrounding(renamed),
    "renamed in doubt": Surrounding(renamed_in_doubt),
    "role twice": Surrounding(role_twice, FILE),
    "hard link": Surrounding(hard_link, FILE),
    "lost log": Surrounding(lost_log, FILE),
    "cut log": Surrounding(cut_log, FILE),
    "damaged bits": Surrounding(damaged, FILE),
    "writable by all": Surrounding(writable_by_all, FILE),
    "named pipe": Surrounding(no_file, FILE),
}

__all__ = ["POINTS", "SURROUNDINGS", "Scene"]
