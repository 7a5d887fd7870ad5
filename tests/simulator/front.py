# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The application that meets every request: latency, faults, the interface, and everything else behind it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from .faults import Armory, Fault
from .service import Call, Service
from .shapes.base import Answer, Refusal
from .state import Request
from .wire import Receive, Scope, Send, cut, read_body, send_answer, wire_bytes

PAGE = "<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>\n"
NO_CONTENT_TYPE = "text/plain; charset=utf-8"


class Front:
    """An ASGI application: the interface at ``/api/``, *behind* for all other paths.

    The interface is answered here, not by routes of FastAPI, since benches count each microsecond of it.
    """

    def __init__(self, service: Service, behind: Any) -> None:
        self.service = service
        self.behind = behind
        self.armory = Armory()
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
        generation = state.generation
        if self.service.settings.latency:
            await asyncio.sleep(self.service.settings.latency)
        if state.generation != generation:
            await cut(scope, receive)
            return
        fault = self.armory.take(path, self.elements(body)) if self.armory.faults else None
        if fault is None:
            answer = self.service.answer(call, body)
            request.status = answer.status
            await send_answer(answer, send, self.service.contracts.date())
        else:
            await Faulty(self.service, fault, call, body, request).play(scope, receive, send)

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
        self.armory.faults.clear()
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
            await cut(scope, receive, reset=fault.reset)
            return
        changed = self.changed(answer)
        changed.headers += list(fault.headers.items())
        if fault.retry_after is not None:
            changed.headers.append(("retry-after", str(fault.retry_after)))
        self.request.status = changed.status
        if fault.kind == "half_answer":
            head, body = wire_bytes(changed)
            halves = {
                "status": head[: len("HTTP/1.1 2")],
                "headers": head[: len(head) // 2],
                "body": head + body[: len(body) // 2],
            }
            await cut(scope, receive, halves[fault.part])
        elif fault.kind == "truncated":
            head, body = wire_bytes(changed, declared_length=len(changed.body) + 1000)
            await cut(scope, receive, head + body)
        else:
            await send_answer(changed, send, self.service.contracts.date())

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
        status = fault.status or plain.status
        content_type = fault.content_type
        if fault.kind == "html":
            return Answer(status, PAGE.format(title=fault.title).encode(), content_type or "text/html; charset=utf-8")
        if fault.kind == "says_no" and fault.body is None:
            fault.body = {"success": False, "message": "This product is sold out."}
        if fault.kind == "not_json":
            return Answer(status, b"Thank you for your order!", content_type or "application/json")
        if fault.kind == "empty":
            return Answer(status, b"", content_type or "application/json")
        if fault.kind == "big":
            return Answer(status, b'{"filler":"' + b"x" * fault.size + b'"}', content_type or "application/json")
        if fault.kind == "redirect":
            return Answer(status, b"", content_type or NO_CONTENT_TYPE, [("location", fault.location)])
        if fault.kind == "error_after":
            plain = self.service.shape.refusal(Refusal(status, "An internal error occurred."))
        if fault.kind == "too_many" and fault.retry_after is None:
            fault.retry_after = 1
        if fault.body is not None:
            body = fault.body if isinstance(fault.body, str) else json.dumps(fault.body)
            is_text = isinstance(fault.body, str)
            return Answer(status, body.encode(), content_type or (NO_CONTENT_TYPE if is_text else "application/json"))
        return Answer(status, plain.body, content_type or plain.content_type, list(plain.headers))
