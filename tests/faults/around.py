# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is around the protocol: other names, people, backups, full disks. Each surrounding is one row.

A row orders in its surrounding, and orders again as a user would who knows nothing of it. Then the service's own list
is held against what the runs reported, and against their ledger.
"""

from __future__ import annotations

import contextlib
import random
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from playbooks.files.simulator import data
from tests.faults.echoes import FORMS, echo
from tests.faults.scene import EARLY, FILE, HOSTNAME, Row, Scene


def domain_elsewhere(scene: Scene) -> None:
    """A domain is ordered at two addresses of its service, under two names, also while it is in doubt."""
    contacts = {"ownercRef": data.OWNER_CONTACT, "admincRef": data.ADMIN_CONTACT}
    settings = {"domain": HOSTNAME, "action": "register", **contacts}
    wanted: dict[str, Any] = {
        "product": None,
        "product_type": "domain",
        "settings": settings,
        "verify_nameservers": False,
    }
    local = scene.site.wire.url.replace("127.0.0.1", "localhost")
    scene.kill(**wanted)
    scene.refused("is for the same domain", name="b", base_url=local, **wanted)
    scene.settle()
    scene.order(**wanted)
    scene.refused("A service for tests needs a ledger of its own", name="b", base_url=local, **wanted)
    scene.known(**wanted)


def restored(scene: Scene) -> None:
    """A backup of the ledger from before an order is restored, once its run was killed or while that goes on."""
    scene.order(EARLY)
    restore = scene.backup()
    if scene.number % 2:
        run = scene.held()
        restore()
        scene.released(run)
    else:
        scene.kill()
        restore()
    scene.refused(GONE_BACK)
    scene.refused(GONE_BACK, new_ledger="allow")
    if HOSTNAME not in scene.site.statuses(scene.ledger) and HOSTNAME in scene.site.ordered():
        # The backup lacks all of it.
        scene.settle(end_user="__self__", product_type="vps", base_url=scene.site.wire.url)
    scene.expect(scene.tell("reseller_ledger", state="accepted")["changed"])
    scene.order()
    scene.known()


def damaged(scene: Scene) -> None:
    """Bits of the ledger's file are changed, anywhere and in what names an order.

    An order is found by its name and by what it is for, in indexes of their own: one that is damaged does not harm.
    """
    scene.order(EARLY)
    scene.expect(scene.order()["changed"])
    path, chance = Path(scene.ledger), random.Random(scene.number)
    whole = path.read_bytes()
    named = [at for at in range(len(whole)) if whole.startswith(HOSTNAME.encode(), at)]
    for place in (chance.randrange(len(whole)), chance.choice(named), named[scene.number % len(named)]):
        content = bytearray(whole)
        content[place] ^= 1 << chance.randrange(7)
        path.write_bytes(content)
        scene.expect(not scene.order()["changed"])
    path.write_bytes(whole)
    scene.known()


def taken_away(scene: Scene) -> None:
    """The ledger is moved away while an order is pending. When it is back, what its run offered is pasted."""
    run = scene.held()
    here = Path(scene.ledger).parent
    away = here.rename(here.with_name("away"))
    result = scene.released(run)
    scene.expect(f"The service accepted the order {HOSTNAME}, but this could not be recorded." in result["msg"])
    scene.expect(result["changed"] and result["order"]["status"] == "in_doubt")
    scene.refused("where this user has seen one. Nothing was sent.")
    away.rename(here)
    scene.refused("is in doubt: the service may have accepted it. It is not sent again.", read_back=False)
    (pasted,) = yaml.safe_load(result["settle_with"])
    scene.expect(scene.tell(**pasted["hosting.reseller.reseller_record"])["changed"])
    scene.known()


def asked_differently(scene: Scene) -> None:
    """Two runs at once ask for different things under one name."""
    first = scene.held()
    second = scene.start(settings={"hostname": HOSTNAME, "template": "debian-13"})
    scene.expect(scene.released(first)["changed"])
    told = scene.ended(second)
    scene.expect("settings.template: recorded 'debian-12', requested 'debian-13'" in told.get("msg", ""))
    scene.known()


@contextlib.contextmanager
def _small_disk(disk: Path) -> Iterator[None]:
    """A file system of its own, of one megabyte."""
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("a file system can only be mounted by root")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


def _fill(disk: Path) -> Path:
    filler = disk / "filler"
    with filler.open("ab", buffering=0) as file:
        for size in (65536, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)
    return filler


def full_disk(scene: Scene) -> None:
    """A disk is full before the first order, and during one, whose claim has taken the room that its outcome needs."""
    disk = scene.folder / "disk"
    scene.ledger = str(disk / "ledger.db")
    with _small_disk(disk):
        filler = _fill(disk)
        scene.refused("disk is full")
        filler.unlink()
        run = scene.held()
        _fill(disk)
        scene.expect(scene.released(run)["changed"])
        scene.known()
        scene.audit()
        Path(f"{scene.ledger}-journal").unlink()
        _fill(disk)
        scene.refused("cannot be written: ", hostname=EARLY)


GONE_BACK = "went back in time"
SURROUNDINGS: Mapping[str, Row] = {
    "domain elsewhere": Row(domain_elsewhere),
    "restored": Row(restored, without=("sight",)),
    "damaged bits": Row(damaged, FILE, trials=40),
    "taken away": Row(taken_away, FILE, trials=1),
    "asked differently": Row(asked_differently, FILE, trials=1),
    "full disk": Row(full_disk, FILE, trials=1),
    "echo": Row(echo, short=FILE, without=("masking",), trials=len(FORMS)),
}
