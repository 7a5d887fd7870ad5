# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is around the protocol: other names, people, other places. Each surrounding is one row.

A row orders in its surrounding, and orders again as a user would who knows nothing of it. Then the service's own list
is held against what the runs reported, and against their ledger.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Any

import psycopg

from tests.faults.echoes import ANSWERS
from tests.faults.lapses import LAPSES
from tests.faults.scene import DATABASE, EARLY, FILE, HOSTNAME, Backup, Scene, Surrounding, wait_until

# The rows. Each orders HOSTNAME, and again in its surrounding.


#: The sessions that hold the locks of runs with claims in the ledger.
_HOLDERS = (
    "hosting_reseller_orders JOIN pg_locks ON locktype = 'advisory' AND (classid::bigint << 32 | objid::bigint) = "
    "('x' || encode(substring(sha256(convert_to(run_id, 'UTF8')) FOR 8), 'hex'))::bit(64)::bigint"
)


def _count(connection: psycopg.Connection[Any], table: str, condition: str) -> int:
    (found,) = connection.execute(f"SELECT 1 FROM {table} WHERE {condition}".encode()).fetchall() or [()]
    return len(found)


def renamed_in_doubt(scene: Scene) -> None:
    """The same host under another name while its order is in doubt."""
    scene.kill()
    assert scene.order(name="shop")["failed"]
    scene.settle()
    scene.order()
    assert not scene.order()["changed"]


def under_way(scene: Scene) -> None:
    """A person removes an order in doubt whose run may still be sending, and the run goes on."""
    scene.order(EARLY)
    scene.site.simulator.arm("hold", when="after")
    run = scene.start()
    scene.site.simulator.wait(held=1)
    with psycopg.connect(scene.ledger, autocommit=True) as connection:
        # The server ends its session, and the run does not know it yet.
        connection.execute(f"SELECT pg_terminate_backend(pid) FROM {_HOLDERS}".encode())
        wait_until(lambda: not _count(connection, _HOLDERS, "true"))
    removed = scene.tell(name=HOSTNAME, state="absent")
    scene.expect("A request of it may be under way until" in removed["msg"], removed)
    scene.site.simulator.release()
    scene.expect(scene.ended(run)["changed"])
    scene.known()


def moved(scene: Scene) -> None:
    """A ledger is moved, cut off, finished, and found again in an old place, from a backup and as a copy."""
    scene.order(EARLY)
    old, new, backup = scene.ledger, str(scene.folder / "new" / "ledger.db"), Backup(scene)
    scene.expect(scene.order()["changed"])
    for absent in ("missing.db", "checked.db"):
        scene.ledger = str(scene.folder / absent)
        scene.expect(not scene.tell(state="accepted")["changed"])
        scene.expect("There is no ledger" in scene.tell(name=HOSTNAME, state="absent")["msg"])
        scene.expect(not scene.path.exists())
    scene.ledger = old
    scene.expect(scene.tell(state="retired", moved_to=new)["changed"])
    scene.expect(not scene.tell(state="retired", moved_to=new)["changed"])
    scene.refused("was moved to")
    backup.restore()
    scene.refused("went back in time")
    scene.ledger = new
    scene.known()
    copy = scene.folder / "copy.db"
    shutil.copy(new, copy)
    scene.expect(scene.order("later.example.org")["changed"])
    scene.ledger = str(copy)
    scene.refused("It lacks what this user has seen at", hostname="later.example.org")
    scene.ledger = new
    scene.known("later.example.org")


SURROUNDINGS: Mapping[str, Surrounding] = {
    "renamed in doubt": Surrounding(renamed_in_doubt),
    "under way": Surrounding(under_way, DATABASE),
    "moved": Surrounding(moved, FILE, without=("sight",)),
    **LAPSES,
    **ANSWERS,
}
