# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The faults that tests can arm: which request they hit, and what the client then sees."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .http_server import Received, Reply
from .shapes.base import ORDERS, Refusal, Shape


@dataclass(slots=True)
class Fault:
    """One armed fault. ``times`` counts down; -1 stays armed for ever.

    It hits requests with this ``method`` whose target, path and query, begins with ``on``: by default, orders.
    ``match`` compares elements of an order's body, wherever they stand: any setting, any element, or ``product`` and
    ``end_user``, whatever they are called. ``process``: whether the request is processed, which for an order means that
    a contract exists afterwards; by default, unless the fault itself answers.
    ``status``, ``body`` and ``headers`` are those of ``answer``: a text is a page, anything else is sent as JSON.
    """

    kind: Literal["drop_after", "answer", "hold"]
    times: int = 1
    method: str = "POST"
    on: str = ORDERS
    match: Mapping[str, Any] = field(default_factory=dict)
    process: bool | None = None
    status: int = 500
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def processes(self) -> bool:
        return self.kind != "answer" if self.process is None else self.process

    def hits(self, request: Received, shape: Shape) -> bool:
        """Tell whether a request is meant."""
        if self.times == 0 or request.method != self.method or not request.target.startswith(self.on):
            return False
        elements = elements_of(request, shape) if self.match else {}
        return all(name in elements and elements[name] == value for name, value in self.match.items())

    def reply(self, shape: Shape) -> Reply:
        """The answer of the fault itself."""
        if self.body is None:
            return shape.refusal(Refusal(self.status, "The service has a problem."))
        if isinstance(self.body, str):
            return Reply(self.body.encode(), self.status, {"Content-Type": "text/html; charset=utf-8", **self.headers})
        return Reply(self.body, self.status, self.headers)


def elements_of(request: Received, shape: Shape) -> dict[str, Any]:
    """What faults may match on: all elements of a body, all settings, and the two renamed elements."""
    try:
        given = json.loads(request.body)
    except ValueError:
        return {}
    if not isinstance(given, dict):
        return {}
    settings = given.get("settings")
    found = {**(settings if isinstance(settings, dict) else {}), **given}
    found.setdefault("end_user", given.get(shape.end_user_element))
    found["product"] = given.get(shape.product_element)
    return found
