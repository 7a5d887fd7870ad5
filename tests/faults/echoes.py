# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a service says and how slowly: it repeats secrets and contact values in every form, and it drips its answers."""

from __future__ import annotations

import json
import random
import re
import string
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from http import HTTPStatus
from itertools import cycle
from typing import Any
from urllib.parse import quote, quote_plus

from tests.faults.scene import DATABASE, FILE, Scene, Surrounding
from tests.faults.wire import Scripted
from tests.simulator import data
from tests.support.http_server import Reply

PAGES = 33

CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
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


#: The kinds of replies() after which the service holds the contract.
PLACED = ("created", "silent", "page", "torn")


def replies(text: str, form: str) -> dict[str, Reply]:
    """Answers that repeat a text in every place that an answer has; by the form and the kind of the answer."""
    long = "x" * (1990 - len(text)) + " " + text
    headers = {"X-Request-Id": quote(text, safe=" "), "Location": f"https://elsewhere.example/?x={quote(text)}"}
    return {
        f"{form}-created": Reply(
            {"id": CONTRACT, "status": "new", "echo": text, "list": [text], text: 1, "state": text}, 201
        ),
        f"{form}-refused": Reply({"message": text, "errors": {"settings.x": [text], text: ["no"]}}, 422, headers),
        f"{form}-cut": Reply({"message": long, "violations": [{"propertyPath": text, "message": long}]}, 400),
        f"{form}-silent": Reply({"sent": {"y": text}, "requestId": text}, 500, headers),
        f"{form}-moved": Reply({"message": text}, 301, headers),
        f"{form}-page": Reply(f"<html><title>{text}</title><body>{text}</body></html>".encode(), 502),
        f"{form}-text": Reply(text.encode(), 503),
        f"{form}-torn": Reply(f'{{"message": "{text}'.encode(), 201),
    }


def _head(reply: Reply) -> bytes:
    headers = {"Content-Type": "application/json", "Content-Length": str(len(reply.content)), **reply.headers}
    lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}", "Connection: close"]
    lines += [f"{name}: {content}" for name, content in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


# Echoes


def echo(scene: Scene) -> None:
    """The service repeats an order's secret, the API key and the contact in each form, wherever an answer has texts."""
    answers, contracts = _echoed(scene, FORMS)
    first = scene.order_many(contracts)
    statuses = {each["order"]["status"] for each in first["results"]}
    scene.expect(statuses == {"ordered", "rejected", "in_doubt"}, statuses)
    scene.expect("********" in json.dumps(first))
    _settle(scene, answers, contracts)


def _echoed(scene: Scene, forms: Iterable[str]) -> tuple[dict[str, Reply], dict[str, Any]]:
    """Have the service repeat what it is sent; the answers by domain, and the orders that get them."""
    chance = random.Random(scene.number)
    answers: dict[str, Reply] = {}
    contracts = []
    scene.contacts = PERSONAL
    for form in forms:
        password, parts = secret(chance)
        scene.secrets = [*scene.secrets, *parts]
        text = FORMS[form](" ".join([password, data.API_KEY, *CONTACT.values()]))
        for name, reply in replies(text, form).items():
            domain = f"{name}.example"
            answers[domain] = reply
            contracts.append({"settings": {"domain": domain, "authcode": password}})
    shared = {"end_user": "__self__", "product": data.DOMAIN_DEFAULT, "product_type": "domain"}
    settings = {"action": "transfer", "ownercData": CONTACT, "admincRef": data.ADMIN_CONTACT}
    options = {
        "defaults": {**shared, "validation": "documented", "settings": settings, "verify_nameservers": False},
        "contracts": contracts,
        "on_error": "continue",
    }

    def script(head: bytes, body: bytes) -> Scripted | None:
        if not head.startswith(b"POST "):
            refusal = Reply({"message": text}, 404)
            return Scripted([_head(refusal), refusal.content])
        reply = answers[json.loads(body)["settings"]["domain"]]
        kind = next(name for name, each in answers.items() if each is reply).removesuffix(".example").split("-")[-1]
        return Scripted([_head(reply), reply.content], process=kind in PLACED)

    scene.site.wire.arm(None, script)
    return answers, options


def _settle(scene: Scene, answers: Mapping[str, Reply], contracts: Mapping[str, Any]) -> None:
    """Settle what is in doubt, and order all of it again from a service that repeats nothing."""
    scene.site.wire.arm(None)
    for name, record in scene.site.statuses(scene.ledger).items():
        if record.status == "in_doubt":
            scene.settle(name)
    for _time in range(2):
        last = scene.order_many(contracts)
    scene.expect(not last["changed"] and not last.get("failed"))
    scene.expect(scene.site.ordered().keys() == answers.keys())


def echo_in_reads(scene: Scene) -> None:
    """The service repeats the API key in this form when it is asked for products, and then in products, too."""
    live = {"validation": "live"}
    for form, kind in zip(FORMS, cycle(("refused", "cut", "moved", "torn")), strict=False):
        reply = replies(FORMS[form](data.API_KEY), form)[f"{form}-{kind}"]
        scene.site.wire.arm(None, lambda _head_of_request, _body, reply=reply: Scripted([_head(reply), reply.content]))
        scene.refused(**live)
    scene.site.wire.arm(None, partial(_product, scene))
    scene.order(**live)
    scene.known(**live)
    scene.expect(any((scene.folder / "cache").rglob("*.json")))


def _product(scene: Scene, head: bytes, _body: bytes) -> Scripted | None:
    if not head.startswith(b"GET ") or b"/products" not in head:
        return None
    options = [{"name": name, "type": "string", "required": True} for name in ("hostname", "template")]
    reply = Reply([{"id": data.VPS_M, "title": "VPS M", "summary": f"for {data.API_KEY}", "options": options}])
    return Scripted([_head(reply), reply.content])


# Drips


def _dripped(content: bytes, pieces: int = 60) -> Iterator[bytes]:
    size = len(content) // pieces + 1
    for at in range(0, len(content), size):
        yield content[at : at + size]
        time.sleep(0.03)


def dripping_answer(scene: Scene) -> None:
    """The answer to an order drips, faster than any time-out for a single wait."""
    reply = Reply({"id": "c-1", "filler": "x" * 500})

    def script(_head_of_request: bytes, _body: bytes) -> Scripted:
        return Scripted(_dripped(_head(reply) + reply.content), process=True)

    scene.site.wire.arm(None, script)
    result = scene.order(order_timeout=0.3)
    scene.expect(result.get("failed") and "order_timeout" in result["msg"])
    scene.expect(result["order"]["status"] == "in_doubt")
    scene.site.wire.arm(None)
    if not scene.without:
        scene.settle()
    scene.known()


def dripping_pages(scene: Scene) -> None:
    """The catalogue comes in so many pages, none of which is late, that it takes too long."""

    def script(head: bytes, _body: bytes) -> Scripted | None:
        found = re.match(rb"GET \S*/products\S*?(?:[?&]page=(\d+))?[ &]", head)
        if found is None:
            return None
        reply = _page(int(found[1] or 1))
        return Scripted(_dripped(_head(reply) + reply.content, pieces=3))

    live = {"validation": "live"}
    scene.site.wire.arm(None, script)
    # At ten times the time-out, in the middle of a page or between two.
    scene.refused("timeout", timeout=0.2, **live)
    scene.expect(scene.site.wire.orders == 0)
    scene.site.wire.arm(None)
    scene.order(**live)
    scene.known(**live)


def _page(number: int) -> Reply:
    products = [{"id": data.VPS_M if number == 1 else f"p-{number}", "title": f"P {number}", "options": []}]
    following = {"Link": f'<?page={number + 1}>; rel="next"'} if number < PAGES else {}
    return Reply(products, headers=following)


ANSWERS = {
    "echo": Surrounding(echo, full=DATABASE, without=("masking",)),
    "echo in reads": Surrounding(echo_in_reads, FILE, without=("masking",)),
    "dripping answer": Surrounding(dripping_answer, without=("deadlines",)),
    "dripping pages": Surrounding(dripping_pages, FILE, without=("deadlines",)),
}
