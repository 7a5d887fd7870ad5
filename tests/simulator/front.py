# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The application that meets every request: latency, faults, the interface, and everything else behind it."""

from __future__ import annotations

import json
from typing import Any

from .faults import Fault
from .service import Call, Service
from .shapes.base import Answer, Refusal
from .state import Request
from .wire import Receive, Scope, Send, cut, read_body, send_answer, wire_bytes


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
        state = self.service.state
        query = f"?{call.query.decode('latin-1')}" if call.query else ""
        request = state.note_request(call.method, path + query, call.headers)
        body = await read_body(receive)
        if body is None:
            return
        fault = self.fault_for(path, self.elements(body)) if self.faults else None
        if fault is None:
            answer = self.service.answer(call, body)
            request.status = answer.status
            await send_answer(answer, send)
        else:
            await Faulty(self.service, fault, call, body, request).play(scope, receive, send)

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

    def reset(self) -> None:
        """Forget everything: faults, held requests (their connections end unanswered), orders, requests."""
        self.faults.clear()
        self.service.state.reset()
        self.service.contracts.reset()
        self.service.operations.reset()


class Faulty:
    """One request that a fault hits."""

    def __init__(self, service: Service, fault: Fault, call: Call, body: bytes, request: Request) -> None:
        self.service = service
        self.fault = fault
        self.call = call
        self.body = body
        self.request = request

    async def play(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Process the request or not, and let the client see the fault."""
        fault = self.fault
        generation = self.service.state.generation
        if fault.when == "before":
            await self.pause()
        if self.service.state.generation != generation:
            await cut(scope, receive)
            return
        processed = self.service.answer(self.call, self.body) if fault.process else None
        if fault.when == "after":
            await self.pause()
        if fault.kind in ("drop_before", "drop_after"):
            await cut(scope, receive, reset=True)
            return
        answer = self.instead() if fault.kind == "answer" or processed is None else processed
        self.request.status = answer.status
        if fault.kind == "truncated":
            await cut(scope, receive, wire_bytes(answer, len(answer.body) + 1000))
        else:
            await send_answer(answer, send)

    async def pause(self) -> None:
        """Wait for a release, if the fault says so."""
        if self.fault.kind == "hold":
            await self.service.state.hold()

    def instead(self) -> Answer:
        """The answer of the fault itself."""
        fault, headers = self.fault, [*self.fault.headers.items()]
        if fault.body is None:
            refused = self.service.shape.refusal(Refusal(fault.status, "The service has a problem."))
            refused.headers += headers
            return refused
        if isinstance(fault.body, str):
            return Answer(fault.status, fault.body.encode(), "text/html; charset=utf-8", headers)
        return Answer(fault.status, json.dumps(fault.body).encode(), "application/json", headers)
