# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is around the protocol: other names, people, backups, full disks. Each surrounding is one row.

A row orders in its surrounding, and orders again as a user would who knows nothing of it. Then the service's own list
is held against what the runs reported, and against their ledger.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import string
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
import yaml

from playbooks.files.simulator import data
from playbooks.files.simulator.shapes.base import PRODUCTS
from tests.faults.scene import EARLY, FILE, HOSTNAME, Row, Scene
from tests.support.ledgers import await_that


def domain_elsewhere(scene: Scene) -> None:
    """A domain is ordered at two addresses of its service, under two names, also while it is in doubt."""
    settings = {"domain": HOSTNAME, "action": "register", "ownercData": CONTACT, "admincData": CONTACT}
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
        scene.settle(**scene.whose, product_type="vps", base_url=scene.site.wire.url)
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
    # Its run could not end the claim.
    scene.site.let_time_pass(scene.ledger)
    scene.refused("is in doubt: the service may have accepted it. It is not sent again.", read_back=False)
    (pasted,) = yaml.safe_load(result["settle_with"])
    scene.expect(scene.tell(**pasted["hosting.reseller.reseller_record"])["changed"])
    scene.known()


def stopped(scene: Scene) -> None:
    """A run is stopped until its claim is certain, and goes on when a person has settled it and another run ordered."""
    point = ("connected", "after_claim", "sent")[scene.number % 3]
    run = scene.start(fault=scene.fault(point, "SIGSTOP", HOSTNAME))
    try:
        await_that(lambda: not scene.token.exists() and run.is_stopped)
        if point == "sent":
            await_that(lambda: HOSTNAME in scene.site.ordered())
        early = scene.tell(name=HOSTNAME, state="absent")
        scene.expect(not early["changed"] and "Until it is certain, it cannot be settled." in early["msg"])
        scene.site.let_time_pass(scene.ledger)
        scene.clock.write_text("200")
        scene.settle()
        scene.expect(scene.order()["changed"] is (point != "sent"))
    finally:
        os.kill(run.pid, signal.SIGCONT)
    scene.expect(scene.ended(run)["changed"] is (point == "sent"))
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
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", disk], capture_output=True, check=False
    )
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


# What a service says: it repeats secrets and contact values in every form, wherever an answer has texts

FORMS: Mapping[str, Callable[[str], str]] = {
    "raw": str,
    "json": lambda text: json.dumps(text)[1:-1],
    "slashes": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "url": lambda text: quote(text, safe=""),
    "url-small": lambda text: quote(text, safe="").lower() if text.islower() else quote_plus(text),
    "wrapped": lambda text: text.replace(" ", "\n  "),
}
CONTACT = {
    "label": "c-4711",
    "first_name": "Zebulonia",
    "last_name": "Quendelmann",
    "company_name": 'Quokka/Sons & "Söhne"',
    "street": "Xylophonweg 17",
    "postal_code": "89073",
    "city": "Yggdrasilheim",
    "country": "DE",
    "telephone": "+49.7319987654",
    "email": "zebulonia@quendelmann.example",
}
#: Parts of the contact that no form changes, so that they can be looked for.
PERSONAL = ("Zebulonia", "Quendelmann", "Quokka", "Xylophonweg", "Yggdrasilheim", "7319987654", "quendelmann")


def secret(chance: random.Random) -> tuple[str, list[str]]:
    """A password, and the parts of it that show it in any form."""
    parts = ["".join(chance.choices(string.ascii_letters + string.digits, k=9)) for _each in range(3)]
    between = ["".join(chance.choices(" /\"'\\%&<>+=?#@:;ü€{}", k=3)) for _each in range(2)]
    return f"{parts[0]}{between[0]}{parts[1]}{between[1]}{parts[2]}", parts


def answers(text: str) -> dict[str, dict[str, Any]]:
    """Answers of the simulator that repeat a text in every place that an answer has."""
    long = "x" * (1990 - len(text)) + " " + text
    headers = {"X-Request-Id": quote(text, safe=" "), "Location": f"https://elsewhere.example/?x={quote(text)}"}
    created = {"id": "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c", "echo": text, "list": [text], text: 1, "state": text}
    refused = {"message": text, "errors": {"settings.x": [text], text: ["no"]}}
    cut = {"message": long, "violations": [{"propertyPath": text, "message": long}]}
    page = f"<html><title>{text}</title><body>{text}</body></html>"
    return {
        "created": {"status": 201, "process": True, "body": created},
        "refused": {"status": 422, "headers": headers, "body": refused},
        "cut": {"status": 400, "body": cut},
        "silent": {"status": 500, "process": True, "headers": headers, "body": {"sent": {"y": text}}},
        "moved": {"status": 301, "headers": headers, "body": {"message": text}},
        "page": {"status": 502, "process": True, "body": page},
        "torn": {"status": 201, "process": True, "body": f'{{"message": "{text}'},
    }


def echo(scene: Scene) -> None:
    """The service repeats an order's secret, the API key and the contact, in a form for each kind of answer in turn."""
    simulator, chance, forms = scene.site.simulator, random.Random(scene.number), [*FORMS.values()]
    scene.contacts = PERSONAL
    contracts: dict[str, str] = {}
    for at, kind in enumerate(answers("")):
        domain = f"{kind}.example"
        contracts[domain], parts = secret(chance)
        scene.secrets = [*scene.secrets, *parts]
        text = forms[(at + scene.number) % len(forms)](
            " ".join([contracts[domain], scene.life.api_key, *CONTACT.values()])
        )
        simulator.arm("answer", match={"domain": domain}, **answers(text)[kind])
    simulator.arm("answer", method="GET", on=PRODUCTS, status=404, body={"message": scene.life.api_key})
    scene.refused(validation="catalogue")
    # What is in doubt stays so, and repeats what the service said.
    first = scene.ended(_order(scene, contracts, read_back=False))
    statuses = {each["order"]["status"] for each in first["results"]}
    scene.expect(statuses == {"ordered", "rejected", "in_doubt"}, statuses)
    scene.expect("********" in json.dumps(first))
    for name in scene.in_doubt():
        scene.settle(name)
    # All of it again, from a service that repeats nothing.
    for _time in range(2):
        last = scene.ended(_order(scene, contracts))
    scene.expect(not last["changed"] and not last.get("failed"))
    scene.expect(scene.site.ordered().keys() == contracts.keys())


def _order(scene: Scene, contracts: Mapping[str, str], **more: Any) -> Any:
    """Begin to transfer domains, with an authcode each."""
    settings = {"action": "transfer", "ownercData": CONTACT, "admincData": CONTACT}
    shared = {**scene.whose, "product": data.DOMAIN_DEFAULT, "product_type": "domain", "settings": settings}
    orders = [{"settings": {"domain": domain, "authcode": authcode}} for domain, authcode in contracts.items()]
    options = {
        "defaults": {**shared, "validation": "specification", "verify_nameservers": False},
        "contracts": orders,
        "on_error": "continue",
        **more,
    }
    return scene.fork("reseller_contracts", options)


GONE_BACK = "went back in time"
SURROUNDINGS: Mapping[str, Row] = {
    "domain elsewhere": Row(domain_elsewhere, short=FILE),
    "restored": Row(restored, without=("sight",)),
    "damaged bits": Row(damaged, FILE, trials=40),
    "taken away": Row(taken_away, FILE, trials=1),
    "stopped": Row(stopped, short=("postgresql",), trials=6),
    "asked differently": Row(asked_differently, FILE, trials=1),
    "full disk": Row(full_disk, FILE, trials=1),
    "echo": Row(echo, short=FILE, without=("masking",), trials=len(FORMS)),
}
