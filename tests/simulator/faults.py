# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The faults that tests can arm: which request they hit, and what the client then sees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .shapes.base import ORDERS, PRODUCTS

# Whether the request is processed, which for an order means that a contract exists afterwards.
PROCESSED = {
    "drop_before": False,
    "drop_after": True,
    "truncated": True,
    "error_after": True,
    "status": False,
    "too_many": False,
    "slow": True,
    "hold": True,
    "html": False,
    "says_no": False,
    "empty": True,
    "big": True,
    "redirect": False,
}
TARGETS = {"orders": ORDERS, "products": PRODUCTS}
DEFAULT_STATUS = {"error_after": 500, "status": 500, "too_many": 429, "html": 502, "says_no": 200, "redirect": 307}
#: How large the answer of ``big`` is.
SIZE = 2 * 1024 * 1024


@dataclass(slots=True)
class Fault:
    """One armed fault. ``times`` counts down; -1 stays armed for ever.

    ``on`` names what it hits: ``orders`` (default) or ``products``. ``match`` compares elements of an order's body,
    wherever they stand: ``hostname``, ``domain``, ``product``, ``end_user``, any setting, or any element.
    """

    kind: str
    times: int = 1
    on: str = "orders"
    match: dict[str, Any] = field(default_factory=dict)
    process: bool | None = None
    status: int | None = None
    body: Any = None
    location: str = ""
    seconds: float = 0.0
    when: str = "before"
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
