# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What kills, backups, damage and other users do to a ledger. Each row orders before it, in it and after it.

A row that finds no protection would see a second order: each is tried without its protection, too.
"""

from __future__ import annotations

import os
import random
import shutil

import pytest

from tests.faults.scene import EARLY, FILE, HOSTNAME, Backup, Scene, Surrounding

GONE_BACK = "went back in time"
ANOTHER_USER = 54321
TEAM = 54400


def file_alone(scene: Scene) -> None:
    """A copy of the ledger's file alone is put back after a run was killed, in place or as another file."""
    scene.order(EARLY)
    backup = scene.folder / "backup.db"
    shutil.copy(scene.ledger, backup)
    scene.kill()
    if scene.number % 2:
        shutil.copy(backup, scene.ledger)
    else:
        backup.replace(scene.ledger)
    scene.refused(GONE_BACK)
    scene.refused(GONE_BACK, new_ledger="allow")


def restored(scene: Scene) -> None:
    """A backup of the ledger that is older than its last order is restored, and accepted once that is repaired."""
    scene.order(EARLY)
    backup = Backup(scene)
    scene.expect(scene.order()["changed"])
    backup.restore()
    scene.refused(GONE_BACK, new_ledger="allow")
    if not scene.without:
        # The backup lacks all of it.
        scene.settle(end_user="__self__", product_type="vps", base_url=scene.site.wire.url)
        scene.expect(scene.tell(state="accepted")["changed"])
        scene.known()


def restored_under_a_run(scene: Scene) -> None:
    """An older state is copied over the ledger while a run has it open, and that run goes on."""
    scene.order(EARLY)
    backup = scene.folder / "copy.db"
    shutil.copy(scene.ledger, backup)
    scene.expect(scene.order("between.example.org")["changed"])
    scene.site.simulator.arm("hold")
    run = scene.start()
    scene.site.simulator.wait(held=1)
    shutil.copy(backup, scene.ledger)
    scene.site.simulator.release()
    scene.ended(run)
    scene.refused(hostname="between.example.org")


def damaged(scene: Scene) -> None:
    """Bits of the ledger's file are changed, anywhere and in what names an order."""
    scene.order(EARLY)
    scene.expect(scene.order()["changed"])
    whole, chance = scene.path.read_bytes(), random.Random(scene.number)
    named = [at for at in range(len(whole)) if whole.startswith(HOSTNAME.encode(), at)]
    for place in (chance.randrange(len(whole)), chance.choice(named), named[scene.number % len(named)]):
        content = bytearray(whole)
        content[place] ^= 1 << chance.randrange(7)
        scene.path.write_bytes(content)
        scene.expect(not scene.order()["changed"])
    scene.path.write_bytes(whole)
    scene.known()


def _make_passable(scene: Scene) -> None:
    """Let another user come to the ledger's directory, and have it and the scene's folder."""
    scene.path.parent.mkdir(mode=0o700)
    for folder in (scene.folder, scene.path.parent):
        os.chown(folder, ANOTHER_USER, ANOTHER_USER)
        for above in folder.parents:
            # Left so: another process may use it, too.
            if not above.stat().st_mode & 0o001:
                above.chmod(above.stat().st_mode | 0o001)


def run_of_root(scene: Scene) -> None:
    """A run of root dies with the ledger of another user, who goes on."""
    if os.geteuid() != 0:
        pytest.skip("only root can order as two users")
    _make_passable(scene)
    scene.path.parent.mkdir(exist_ok=True)
    for folder in (scene.path.parent, *(scene.folder / name for name in ("state", "cache"))):
        folder.mkdir(exist_ok=True)
        os.chown(folder, ANOTHER_USER, ANOTHER_USER)
    scene.expect(scene.order(EARLY, user=ANOTHER_USER)["changed"])
    shutil.rmtree(scene.beside(".runs"), ignore_errors=True)
    scene.kill()
    scene.expect(not scene.order(EARLY, user=ANOTHER_USER).get("failed"))
    scene.order(user=ANOTHER_USER)
    scene.expect({path.stat().st_uid for path in scene.path.parent.glob("ledger.db*")} == {ANOTHER_USER})
    scene.order(EARLY)


def of_a_group(scene: Scene) -> None:
    """Two users of a group order with one ledger, of which each dies once."""
    if os.geteuid() != 0:
        pytest.skip("only root can order as two users")
    _make_passable(scene)
    os.chown(scene.path.parent, 0, TEAM)
    scene.path.parent.chmod(0o2770)
    scene.ledger = str(scene.path.parent / "made" / "ledger.db")
    kept = [{"XDG_STATE_HOME": f"/nowhere/{user}", "XDG_CACHE_HOME": "/nowhere"} for user in (1, 2)]
    shared = {"ledger_shared": True, "group": TEAM}
    first = {**shared, "user": ANOTHER_USER, "environ": kept[0]}
    second = {**shared, "user": ANOTHER_USER + 1, "environ": kept[1]}
    scene.expect(scene.order(EARLY, **first)["changed"])
    scene.known(EARLY, **second)
    scene.kill(**first)
    result = scene.order(**second)
    scene.expect("in doubt" in result.get("msg", "") or "order" in result, result)
    scene.known(EARLY, **first)
    scene.expect({path.stat().st_gid for path in scene.path.parent.rglob("*")} == {TEAM})
    scene.known(EARLY, ledger_shared=True)


LAPSES = {
    "file alone": Surrounding(file_alone, FILE, without=("sight",)),
    "restored backup": Surrounding(restored, without=("sight",)),
    "restored under a run": Surrounding(restored_under_a_run, FILE, without=("sight", "integrity")),
    "run of root": Surrounding(run_of_root, FILE, without=("followed",)),
    "of a group": Surrounding(of_a_group, FILE),
    # An order is found by its name and by what it is for, in indexes of their own: one that is damaged does not harm.
    "damaged bits": Surrounding(damaged, FILE, trials=40),
}
