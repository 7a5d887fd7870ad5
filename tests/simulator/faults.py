# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The faults that tests can arm: which request they hit, and what the client then sees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from .shapes.base import DOCS, ORDERS, PRODUCTS

TARGETS = {"orders": ORDERS, "products": PRODUCTS, "docs": DOCS}


@dataclass(slots=True)
class Fault:
    """One armed fault. ``times`` counts down; -1 stays armed for ever.

    ``on`` names what it hits. ``match`` compares elements of an order's body, wherever they stand: ``hostname``,
    ``domain``, ``product``, ``end_user``, any setting, or any element. ``process``: whether the request is processed,
    which for an order means that a contract exists afterwards; by default, unless the fault itself answers. ``status``,
    ``body`` and ``headers`` are those of ``answer``: a text is a page, anything else is sent as JSON.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    kind: Literal["drop_after", "answer", "hold"]
    times: int = 1
    on: Literal["orders", "products", "docs"] = "orders"
    match: dict[str, Any] = field(default_factory=dict)
    process: bool | None = None
    status: int = 500
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    when: Literal["before", "after"] = "before"

    @property
    def processes(self) -> bool:
        return self.kind != "answer" if self.process is None else self.process

    def hits(self, path: str, elements: dict[str, Any]) -> bool:
        """Tell whether a request to *path* with these *elements* is meant."""
        if self.times == 0 or not path.startswith(TARGETS[self.on]):
            return False
        return all(name in elements and elements[name] == value for name, value in self.match.items())
