# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The faults that tests can arm: which request they hit, and what the client then sees."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from .shapes.base import DOCS, ORDERS, PRODUCTS

# Whether the request is processed, which for an order means that a contract exists afterwards.
PROCESSED = {
    "drop_before": False,
    "drop_after": True,
    "half_answer": True,
    "truncated": True,
    "error_after": True,
    "status": False,
    "too_many": False,
    "slow": True,
    "hold": True,
    "not_json": True,
    "html": False,
    "says_no": False,
    "empty": True,
    "big": True,
    "redirect": False,
}
TARGETS = {"orders": (ORDERS,), "products": (PRODUCTS,), "docs": (DOCS, "/api/reference"), "any": ("/",)}
DEFAULT_STATUS = {"error_after": 500, "status": 500, "too_many": 429, "html": 502, "says_no": 200, "redirect": 307}
PARTS = ("status", "headers", "body")


@dataclass(slots=True)
class Fault:
    """One armed fault. ``times`` counts down; -1 stays armed for ever.

    ``on`` names what it hits: ``orders`` (default), ``products``, ``docs`` or ``any``. ``skip`` lets so many matching
    requests pass first. ``match`` compares elements of an order's body, wherever they stand: ``hostname``,
    ``domain``, ``product``, ``end_user``, any setting, or any element.
    """

    kind: str
    times: int = 1
    on: str = "orders"
    skip: int = 0
    match: dict[str, Any] = field(default_factory=dict)
    process: bool | None = None
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    content_type: str | None = None
    retry_after: str | int | None = None
    location: str = ""
    seconds: float = 0.0
    when: str = "before"
    reset: bool = True
    part: str = "headers"
    size: int = 2 * 1024 * 1024
    title: str = "502 Bad Gateway"

    def __post_init__(self) -> None:
        """Fill in what the kind implies.

        Raises:
            ValueError: a value makes no sense
        """
        for name, value, allowed in (
            ("kind", self.kind, PROCESSED),
            ("on", self.on, TARGETS),
            ("when", self.when, ("before", "after")),
            ("part", self.part, PARTS),
        ):
            if value not in allowed:
                raise ValueError(f"{name} is one of {', '.join(allowed)}, not {value!r}")
        if self.process is None:
            self.process = PROCESSED[self.kind]
        if self.status is None:
            self.status = DEFAULT_STATUS.get(self.kind)

    def hits(self, path: str, elements: dict[str, Any]) -> bool:
        """Tell whether a request to *path* with these *elements* is meant."""
        if self.times == 0 or not path.startswith(TARGETS[self.on]):
            return False
        return all(name in elements and elements[name] == value for name, value in self.match.items())

    def public(self) -> dict[str, Any]:
        """The fault as the admin interface shows it."""
        return {found.name: getattr(self, found.name) for found in fields(self)}


class Armory:
    """The armed faults, in the order in which they were armed. The first that hits a request is used up."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def take(self, path: str, elements: dict[str, Any]) -> Fault | None:
        """The fault for a request, or None."""
        for fault in self.faults:
            if not fault.hits(path, elements):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            if fault.times > 0:
                fault.times -= 1
            if fault.times == 0:
                self.faults.remove(fault)
            return fault
        return None
