# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The application that meets every request: latency, faults, the interface, and everything else behind it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from .faults import SIZE, Fault
from .service import Call, Service
from .shapes.base import Answer, Refusal
from .state import Request
from .wire import Receive, Scope, Send, cut, read_body, send_answer, wire_bytes

PAGE = "<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>\n"
JSON = "application/json"


class Front:
    """An ASGI application: the interface at ``/api/``, *behind* for all other paths.

    The interface is answered here, not by routes of FastAPI: paths, headers and faults are the shapes' own.
    """

    def __init__(self, service: Service, behind: Any) -> None:
        self.service = service
        self.behind = behind
        #: In the order in which they were armed; the first that hits a request is used up.
        self.faults: list[Fault] = []
        self.prefix = service.settings.prefix
        self.api = f"{self.prefix}/api/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not scope["path"].startswith(self.api):
            await self.behind(scope, receive, send)
            return
        path = scope["path"][len(self.prefix) :]
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
        answer = self.service.answer(self.call, self.body) if fault.process else None
        if fault.when == "after":
            await self.pause()
        if fault.kind in ("drop_before", "drop_after"):
            await cut(scope, receive, reset=True)
            return
        changed = self.changed(answer)
        self.request.status = changed.status
        if fault.kind == "truncated":
            await cut(scope, receive, wire_bytes(changed, len(changed.body) + 1000))
        else:
            await send_answer(changed, send)

    async def pause(self) -> None:
        """Wait as the fault says: for some time, or for a release."""
        if self.fault.kind == "hold":
            await self.service.state.hold()
        elif self.fault.seconds:
            await asyncio.sleep(self.fault.seconds)

    def changed(self, processed: Answer | None) -> Answer:
        """The answer that goes out instead of the one that was *processed*."""
        fault = self.fault
        plain = processed or self.service.shape.refusal(Refusal(fault.status or 503, "The service has a problem."))
        status, kind = fault.status or plain.status, fault.kind
        if kind == "html":
            return Answer(status, PAGE.format(title=fault.title).encode(), "text/html; charset=utf-8")
        if kind in ("empty", "big"):
            return Answer(status, b'{"filler":"' + b"x" * SIZE + b'"}' if kind == "big" else b"", JSON)
        if kind == "redirect":
            return Answer(status, b"", "text/plain; charset=utf-8", [("location", fault.location)])
        if kind == "error_after":
            return self.service.shape.refusal(Refusal(status, "An internal error occurred."))
        body = fault.body
        if kind == "says_no" and body is None:
            body = {"success": False, "message": "This product is sold out."}
        if body is not None:
            return Answer(status, json.dumps(body).encode(), JSON)
        headers = [*plain.headers, ("retry-after", "1")] if kind == "too_many" else list(plain.headers)
        return Answer(status, plain.body, plain.content_type, headers)
