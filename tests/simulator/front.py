# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The application that meets every request: faults, the interface, and everything else behind it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from .faults import Fault
from .service import Call, Service
from .shapes.base import Answer, Refusal

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


async def read_body(receive: Receive) -> bytes | None:
    """The whole body of a request; None when the client went away before it was complete."""
    body = b""
    while (message := await receive())["type"] == "http.request":
        body += message["body"]
        if not message.get("more_body"):
            return body
    return None


async def send_answer(answer: Answer, send: Send) -> None:
    """Answer as HTTP wants it."""
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.raw_headers()})
    await send({"type": "http.response.body", "body": answer.body})


async def drop(receive: Receive) -> None:
    """End the connection without an answer, for which ASGI has no word: this is uvicorn's own cycle of a request."""
    receive.__self__.transport.abort()  # type: ignore[attr-defined]
    while (await receive())["type"] != "http.disconnect":
        pass


class Front:
    """An ASGI application: the interface at ``/api/``, *behind* for all other paths.

    The interface is answered here, not by routes of FastAPI: paths, headers and faults are the shapes' own.
    """

    def __init__(self, service: Service, behind: Any) -> None:
        self.service = service
        self.behind = behind
        #: In the order in which they were armed; the first that hits a request is used up.
        self.faults: list[Fault] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not scope["path"].startswith("/api/"):
            await self.behind(scope, receive, send)
            return
        path = scope["path"]
        call = Call(scope["method"], path, scope["query_string"], scope["headers"])
        query = f"?{call.query.decode('latin-1')}" if call.query else ""
        request = self.service.state.note_request(call.method, path + query, call.headers)
        body = await read_body(receive)
        if body is None:
            return
        fault = self.fault_for(path, self.elements(body)) if self.faults else None
        answer = self.service.answer(call, body) if fault is None else await self.faulty(fault, call, body)
        if answer is None:
            await drop(receive)
        else:
            request.status = answer.status
            await send_answer(answer, send)

    def fault_for(self, path: str, elements: dict[str, Any]) -> Fault | None:
        """The fault that hits a request."""
        fault = next((each for each in self.faults if each.hits(path, elements)), None)
        if fault is not None and fault.times > 0:
            fault.times -= 1
            if fault.times == 0:
                self.faults.remove(fault)
        return fault

    def elements(self, body: bytes) -> dict[str, Any]:
        """What faults may match on: all elements of the body, all settings, and the two renamed elements."""
        try:
            given = json.loads(body) if body else {}
        except ValueError:
            return {}
        if not isinstance(given, dict):
            return {}
        shape = self.service.shape
        settings = given.get("settings")
        found = {**(settings if isinstance(settings, dict) else {}), **given}
        found.setdefault("end_user", given.get(shape.end_user_element))
        found["product"] = given.get(shape.product_element)
        return found

    async def faulty(self, fault: Fault, call: Call, body: bytes) -> Answer | None:
        """Process a request that a fault hits, or not, and find what the client sees; None: the connection ends."""
        state = self.service.state
        generation = state.generation
        if fault.kind == "hold" and fault.when == "before":
            await state.hold()
        if state.generation != generation:
            return None
        processed = self.service.answer(call, body) if fault.processes else None
        if fault.kind == "hold" and fault.when == "after":
            await state.hold()
        if fault.kind == "drop_after":
            return None
        return self.instead(fault) if fault.kind == "answer" or processed is None else processed

    def instead(self, fault: Fault) -> Answer:
        """The answer of the fault itself."""
        headers = [*fault.headers.items()]
        if fault.body is None:
            refused = self.service.shape.refusal(Refusal(fault.status, "The service has a problem."))
            refused.headers += headers
            return refused
        if isinstance(fault.body, str):
            return Answer(fault.status, fault.body.encode(), "text/html; charset=utf-8", headers)
        return Answer(fault.status, json.dumps(fault.body).encode(), "application/json", headers)

    def reset(self) -> None:
        """Forget everything: faults, held requests (their connections end unanswered), orders, requests."""
        self.faults.clear()
        self.service.state.reset()
        self.service.contracts.reset()
        self.service.operations.reset()
