# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is around the protocol: users, hosts, roles, other ledgers, odd answers. Each surrounding is one row.

A row orders in its surrounding, and orders again as a user would who knows nothing of it. Then the service's own list
is held against what the runs reported, and against their ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.faults.echoes import ANSWERS
from tests.faults.lapses import LAPSES
from tests.faults.scene import DATABASE, FILE, HOSTNAME, VPS, Scene, Surrounding, wait_until
from tests.simulator import data
from tests.support import playbooks
from tests.support import postgresql as servers

BECOME = {"become": True, "become_user": "nobody", "vars": {"ansible_become_exe": "/nonexistent/sudo"}}
UNREACHABLE = "one ansible_host=192.0.2.1\ntwo ansible_host=192.0.2.2\n"


# The rows. Each orders HOSTNAME, and again in its surrounding.


def become_on_two_hosts(scene: Scene) -> None:
    """Two hosts in one play that nobody can reach, both with ``become``: they share the ledger of this user."""
    (scene.folder / "hosts").write_text(UNREACHABLE)
    wanted: dict[str, Any] = {**VPS, "settings": {"hostname": HOSTNAME, "template": "debian-12"}}
    told = scene.order_by_playbook([{**playbooks.order(**wanted), **BECOME}], {}, "-i", "hosts", hosts="all")
    assert sorted(result["changed"] for result in told) == [False, True], told
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
        scene.refused("went back in time")
        scene.look()


def _count(connection: psycopg.Connection[Any], table: str, condition: str) -> int:
    (found,) = connection.execute(f"SELECT 1 FROM {table} WHERE {condition}".encode()).fetchall() or [()]
    return len(found)


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
        "vps_contracts": [{"hostname": HOSTNAME, "product": data.VPS_M, "template": "debian-12"}],
    }
    task = {"name": "Order", "ansible.builtin.include_role": {"name": "hosting.reseller.vps"}, "vars": given}
    told = scene.order_by_playbook([task, task], {})
    assert sum("results" in result for result in told) >= 2, told
    assert not scene.order()["changed"]


SURROUNDINGS: Mapping[str, Surrounding] = {
    "become on two hosts": Surrounding(become_on_two_hosts, FILE),
    "another home": Surrounding(another_home, FILE),
    "two roles": Surrounding(two_roles, DATABASE),
    "failover": Surrounding(failover, DATABASE, full=DATABASE),
    "408": Surrounding(answer("status", process=True, status=408)),
    "408 unprocessed": Surrounding(answer("status", process=False, status=408), FILE),
    "page under 200": Surrounding(answer("html", process=True, status=200)),
    "page unprocessed": Surrounding(answer("html", process=False, status=200), FILE),
    "no success under 200": Surrounding(answer("says_no", process=True)),
    "no success unprocessed": Surrounding(answer("says_no", process=False), FILE),
    "renamed": Surrounding(renamed),
    "renamed in doubt": Surrounding(renamed_in_doubt),
    "role twice": Surrounding(role_twice, FILE),
    **LAPSES,
    **ANSWERS,
}

__all__ = ["SURROUNDINGS"]
