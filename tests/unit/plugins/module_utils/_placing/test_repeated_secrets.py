# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service that repeats what it was sent, in each answer to each kind of request: no byte that is written has it.

One secret of each kind goes with each request, and the contact data of an order.
"""

from __future__ import annotations

import html
import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import SELF
from playbooks.files.simulator import data
from playbooks.files.simulator.http_server import Peer, Received, Reply, SocketServer
from tests.support.described import service_file
from tests.support.order_examples import CONTACT, settings
from tests.support.tasks import runner_for

#: Each part alone would be a leak.
PARTS = {
    "key": ("KyBegin7xQ", "KyEnd3kZ"),
    "password": ("PwBegin2mN", "PwEnd6pH"),
    "authcode": ("AcBegin5wB", "AcEnd8cR"),
    "token": ("TkBegin1jF", "TkEnd0gL"),
    "note": ("NtBegin4vT", "NtEnd9sD"),
}
SECRETS = {name: f"{begin}/'\"é&{end}" for name, (begin, end) in PARTS.items()}
CONTACT_PARTS = ("Zenobia", "Quuxington", "Heidekrautweg", "Entenhausen", "quux.example", "4711223344")
PERSON = {
    **CONTACT,
    "first_name": "Zenobia",
    "last_name": "Quuxington",
    "street": "Heidekrautweg 17",
    "city": "Entenhausen",
    "email": "zenobia@quux.example",
    "telephone": "+49.4711223344",
}
PRODUCT = "6cf8b5b2-2d11-4f7a-9b7e-6f3f0d5f7f11"
SHARED = {"end_user": SELF, "product": PRODUCT, "validation": "specification", "read_back": False}
EXTRA = {"accessToken": SECRETS["token"]}


def domain_order(**more: Any) -> dict[str, Any]:
    asked = settings(data.DOMAIN, action="transfer", authcode=SECRETS["authcode"], ownercData=PERSON, **more)
    return {**SHARED, "product_type": "domain", "settings": asked, "additional_elements": EXTRA}


#: The module and the options of each kind of request.
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "domain": ("reseller_contract", domain_order()),
    "server": (
        "reseller_contract",
        {
            **SHARED,
            "product_type": "configurable_vps",
            "settings": settings(data.CONFIGURABLE_VPS, password=SECRETS["password"]),
            "additional_elements": EXTRA,
        },
    ),
    "operation": (
        "reseller_operation",
        {
            "method": "POST",
            "name": "pay",
            "path": "/api/invoices",
            "query": {"authcode": SECRETS["authcode"]},
            "body": {"note": SECRETS["note"], "password": SECRETS["password"]},
            "secrets": ["note"],
        },
    ),
    "change": (
        "reseller_operation",
        {"method": "PUT", "path": "/api/invoices/7", "body": {"note": SECRETS["note"]}, "secrets": ["note"]},
    ),
    "read": ("reseller_operation_info", {"path": "/api/invoices", "query": {"token": SECRETS["token"]}}),
    "pages": ("reseller_operation_info", {"path": "/api/invoices", "all_pages": True}),
    "products": ("reseller_products_info", {}),
}


def sent(request: Received) -> str:
    """All that a request says, the API key first."""
    body = json.loads(request.body) if request.body else {}
    headers = dict(request.headers)
    return f"{headers['X-API-Key']} {request.target} {headers} {json.dumps(body, ensure_ascii=False)} {texts(body)}"


def texts(value: Any) -> str:
    """The texts in a value, as they are."""
    if isinstance(value, Mapping):
        return " ".join(map(texts, value.values()))
    if isinstance(value, str) and value.startswith("{"):
        return f"{value} {texts(json.loads(value))}"
    return str(value)


def latin(text: str) -> str:
    return text.encode("latin-1", "replace").decode("latin-1").replace("\r", "").replace("\n", " ")


#: What a service answers, of what was sent.
ANSWERS: dict[str, Callable[[str], Reply]] = {
    "rejected": lambda said: Reply({"message": f"Cannot take {said}"}, 422),
    "rejected by field": lambda said: Reply({"errors": {"settings.hostname": [f"bad: {said}"], said: ["is bad"]}}, 400),
    "rejected in JSON": lambda said: Reply({"error": json.dumps({"detail": f"No: {said}"})}, 403),
    "rejected in HTML": lambda said: Reply(f"<html><title>{html.escape(said)}</title></html>".encode(), 404),
    "rejected as text": lambda said: Reply(f"Notice: no index {said}".encode(), 409),
    "in doubt": lambda said: Reply({"error": said, "sent": {"password": said}}, 500),
    "in doubt and cut": lambda said: Reply(json.dumps({"error": said})[:-2].encode(), 500),
    "accepted": lambda said: Reply({"id": "4711", "status": "pending", "sent": said}, 201),
    "accepted with a notice": lambda said: Reply(f"Notice: {said}\n{{}}".encode(), 201),
    "accepted and failed": lambda said: Reply({"success": False, "message": f"Failed: {said}"}, 200),
    "accepted as text": lambda said: Reply(said.encode(), 202, {"Content-Type": "text/plain"}),
    "accepted elsewhere": lambda said: Reply({}, 201, {"Location": f"/api/{quote(said)}", "X-Request-Id": latin(said)}),
    "redirected": lambda said: Reply({}, 307, {"Location": f"https://other.example/{quote(said)}"}),
    "rejected with an id": lambda said: Reply({}, 422, {"X-Request-Id": latin(said), "X-Trace-Id": quote(said)}),
    "a list": lambda said: Reply(
        [{"id": said, "name": said}], 200, {"Link": f'<https://a.example/{quote(said)}>; rel="next"'}
    ),
    "a number": lambda said: Reply(f'{{"total": {"9" * 5000}, "a": {json.dumps(said)}}}'.encode(), 200),
}
#: Characters to which texts are shortened.
LIMITS = (80, 200, 300, 400, 500, 1000, 2000, 16000)
for limit in LIMITS:
    begun = "x" * (limit - 14)
    ANSWERS |= {
        f"notice cut at {limit}": lambda said, begun=begun: Reply(f"{begun}{said}".encode(), 201),
        f"rejected and cut at {limit}": lambda said, begun=begun: Reply({"message": f"{begun} {said}"}, 422),
        f"page cut at {limit}": lambda said, begun=begun: Reply(f"<p>{begun}{said}".encode(), 500),
        f"text cut at {limit}": lambda said, begun=begun: Reply(
            f"{begun}{said}".encode(), 400, {"Content-Type": "text/plain"}
        ),
    }
#: As what a service cannot be read at all.
GARBAGE: dict[str, Callable[[str], bytes]] = {
    "no status": lambda said: f"HTTP/1.1 {latin(said)}\r\n\r\n".encode("latin-1"),
    "no header": lambda said: f"HTTP/1.1 201 Created\r\n{latin(said)}\r\n\r\n{{}}".encode("latin-1"),
    "no length": lambda said: f"HTTP/1.1 201 Created\r\nContent-Length: {latin(said)}\r\n\r\n".encode("latin-1"),
    "no chunk": lambda said: f"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n{latin(said)}\r\n".encode(
        "latin-1"
    ),
    "no coding": lambda said: f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n{latin(said)}".encode("latin-1"),
}


def folded(text: str) -> str:
    """A text in which each part of a secret is found, however it is written."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return plain.casefold()


def leaks(text: str, parts: tuple[str, ...]) -> list[str]:
    shown = folded(text)
    return [part for part in parts if folded(part) in shown]


def pairs() -> Iterator[Any]:
    """All kinds of requests with all answers. The short form has each answer twice."""
    for at, answer in enumerate((*ANSWERS, *GARBAGE)):
        for number, kind in enumerate(REQUESTS):
            is_short = number in (at % 3, 3 + at % 4)
            yield pytest.param(kind, answer, marks=() if is_short else pytest.mark.full)


@pytest.mark.parametrize(("kind", "answer"), [*pairs()])
def test_no_byte_that_is_written_has_a_secret(
    kind: str, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    module, options = REQUESTS[kind]
    repeated = []

    def script(peer: Peer) -> None:
        while content := peer.read_request():
            said = sent(Received.of(content))
            repeated.append(said)
            if answer in GARBAGE:
                peer.send(GARBAGE[answer](said))
                return
            peer.send(ANSWERS[answer](said).answer_to("GET"))

    with SocketServer(script) as server:
        described = service_file(tmp_path, server.url, order={"end_user": "endUser", "product": "product"})
        ledger = tmp_path / "ledger.db"
        runner = runner_for(server.url, str(ledger), api_key=SECRETS["key"], service=described, timeout=2)
        result = runner.run(module, options)
        again = runner_for(server.url, str(ledger)).run("reseller_ledger_info", {})
    assert any(repeated)
    secrets = tuple(part for parts in PARTS.values() for part in parts)
    shown = {"result": json.dumps(result, ensure_ascii=False), "warnings": "\n".join(runner.warnings)}
    files = {path.name: path.read_bytes().decode(errors="replace") for path in tmp_path.rglob("*") if path.is_file()}
    written = {**shown, **files, "ledger_info": json.dumps(again, ensure_ascii=False)}
    assert {name: found for name, text in written.items() if (found := leaks(text, secrets))} == {}
    # Contact data are in the result alone: in the request, and in the contract as the service shows it.
    own = dict.fromkeys(("request", "contract", "diff"))
    shown["result"] = json.dumps({**result, **own}, ensure_ascii=False)
    written |= shown
    assert {name: found for name, text in written.items() if (found := leaks(text, CONTACT_PARTS))} == {}
