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
from tests.simulator import data

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


def settled_by_hand(scene: Scene) -> None:
    """An order in doubt is settled with an environment that says otherwise, and with more than is to be said."""
    scene.kill()
    elsewhere = {"base_url": "https://test.example.org", "organization_id": "4201"}
    for wrong in ({"end_user": data.END_USER}, {"settings": {"hostname": EARLY}}, {"product_type": "webhosting"}):
        told = scene.tell(name=HOSTNAME, state="ordered", **elsewhere, **wrong)
        scene.expect("What the ledger knows of an order never changes" in told["msg"], told)
    scene.expect("Nothing was removed" in scene.tell(name=f"{HOSTNAME}.", state="absent")["msg"])
    for contract_id in scene.site.ordered().get(HOSTNAME, ()):
        scene.expect(scene.tell(name=HOSTNAME, state="ordered", contract_id=f" {contract_id.upper()}", **elsewhere))
        scene.expect("settles one order" in scene.tell(name="b", state="ordered", contract_id=contract_id)["msg"])
        scene.refused("is for the same hostname", name="b")
    if HOSTNAME not in scene.site.ordered():
        scene.settle()
    scene.order()
    scene.known()


def under_way(scene: Scene) -> None:
    """A person removes an order in doubt whose run may still be sending, and the run goes on."""
    scene.order(EARLY)
    scene.site.simulator.arm("hold")
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


def adopted_by_hand(scene: Scene) -> None:
    """A contract of an unknown owner is adopted, and ordered for one end user and another."""
    settings = {"hostname": HOSTNAME, "template": data.OS_TEMPLATE}
    scene.site.simulator.order(data.VPS_M, settings, end_user=data.END_USER)
    (bought,) = scene.site.ordered()[HOSTNAME]
    known = {"contract_id": bought, "product_type": "vps", "base_url": scene.site.wire.url}
    scene.expect(scene.tell(name=HOSTNAME, state="ordered", settings={"hostname": HOSTNAME}, **known)["changed"])
    for end_user in ("__self__", data.END_USER):
        scene.refused("Not known of it: end_user.", end_user=end_user)
        scene.refused("is for the same hostname", end_user=end_user, name="b")
    scene.expect(scene.tell(name=HOSTNAME, state="ordered", end_user=data.END_USER)["changed"])
    scene.known(end_user=data.END_USER)
    scene.refused("end_user: recorded")


def domain_elsewhere(scene: Scene) -> None:
    """A domain is ordered at two addresses of its service, under two names, also while it is in doubt."""
    contacts = {"ownercRef": data.OWNER_CONTACT, "admincRef": data.ADMIN_CONTACT}
    settings = {"domain": HOSTNAME, "action": "register", **contacts}
    wanted = {"product": None, "product_type": "domain", "settings": settings, "verify_nameservers": False}
    local = scene.site.wire.url.replace("127.0.0.1", "localhost")
    scene.kill(**wanted)
    scene.refused("is for the same domain", name="b", base_url=local, **wanted)
    scene.settle()
    scene.order(**wanted)
    scene.refused("A service for tests needs a ledger of its own", name="b", base_url=local, **wanted)
    scene.known(**wanted)


SURROUNDINGS: Mapping[str, Surrounding] = {
    "renamed in doubt": Surrounding(renamed_in_doubt),
    "settled by hand": Surrounding(settled_by_hand),
    "adopted by hand": Surrounding(adopted_by_hand, FILE),
    "domain elsewhere": Surrounding(domain_elsewhere),
    "under way": Surrounding(under_way, DATABASE),
    "moved": Surrounding(moved, FILE, without=("sight",)),
    **LAPSES,
    **ANSWERS,
}
