# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A stack: all contracts of one end user as orders, and the place of each part in the file.

Pure. ``stack_reader`` makes it of a document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._core.errors import Violation
from .._order.order import EXISTING_L2VPN, RequestedOrder
from .._product_types.product_type import ProductType
from .._product_types.registry import SELF
from .stack_document import Document, Path

#: The parts of a stack file; what begins with ``x-`` is free, for YAML anchors.
PARTS = ("end_user", "contacts", "products", "defaults", "contracts")
FREE = "x-"
#: What contracts of single kinds may say beside the settings of their product type, and beside what all may say.
_SPECIAL: Mapping[str, tuple[str, ...]] = {
    "domain": ("contact", "owner", "admin"),
    "dedicated_server": ("l2vpn_of",),
}


@dataclass
class StackContract:
    """One contract of a stack, without ``name`` or ``product`` if these are missing.

    ``origins`` tells where each of its ``settings`` was written, but for those in secrets; ``named_at``, ``product_at``
    and ``l2vpn_at`` tell the same of what they are named for. ``reported`` are settings of which a problem tells all.
    """

    name: str
    kind: ProductType
    path: Path
    product: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    additional_elements: Mapping[str, Any] = field(default_factory=dict)
    l2vpn_of: str | None = None
    origins: dict[str, Path] = field(default_factory=dict)
    reported: set[str] = field(default_factory=set)
    named_at: Path = ()
    product_at: Path = ()
    l2vpn_at: Path = ()


@dataclass
class L2vpns:
    """``ids`` holds the known UUIDs by the contract that each comes from, ``joins`` by each contract that is to send
    one as ``existing_l2vpn``; ``waiting`` holds, by contract, the one whose L2VPN is not known yet.
    """

    ids: dict[str, str] = field(default_factory=dict)
    joins: dict[str, str] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)


@dataclass
class Stack:
    """The contracts of one end user in the order of the ``document``.

    ``roots`` tells for each contract that joins another's L2VPN which contract that L2VPN comes from in the end.
    """

    document: Document
    end_user: str = ""
    products: Mapping[str, Any] = field(default_factory=dict)
    contracts: list[StackContract] = field(default_factory=list)
    roots: dict[str, str] = field(default_factory=dict)

    def requested(self, contract: StackContract, l2vpns: L2vpns, options: Mapping[str, Any]) -> RequestedOrder:
        """Return a contract as an order with these further options. It names the server of an unknown L2VPN."""
        settings = dict(contract.settings)
        if contract.name in l2vpns.joins:
            settings[EXISTING_L2VPN] = l2vpns.joins[contract.name]
        return RequestedOrder(
            end_user=self.end_user or SELF,
            name=contract.name,
            product=contract.product,
            product_type=contract.kind.name,
            settings=settings,
            additional_elements=contract.additional_elements,
            l2vpn_of=l2vpns.waiting.get(contract.name),
            **options,
        )

    def report(self, contract: StackContract, violations: Iterable[Violation]) -> None:
        """Report what is wrong with a contract, each where it was written."""
        for each in violations:
            part, _dot, name = each.path.partition(".")
            setting = name.partition(".")[0] if part == "settings" else None
            if setting in contract.reported:
                continue
            is_private = self.document.is_private or (setting is not None and setting not in contract.origins)
            message = str(each._replace(value=None) if is_private else each).partition(": ")[2]
            if each.value is None and setting in contract.kind.secrets:
                message += "; it may also be given in secrets"
            self.document.add(violation_place(contract, each.path), message)


def known_keys(kind: ProductType) -> list[str]:
    """Return all keys of a contract of this product type, in their usual order."""
    return ["name", "product", *kind.settings, *_SPECIAL.get(kind.name, ()), "settings", "additional_elements"]


def violation_place(contract: StackContract, violation_path: str) -> Path:
    """Return the place of a violation, whose path is that of an order, such as ``settings.ram``."""
    first, *rest = violation_path.split(".")
    if first != "settings":
        return (*contract.path, first, *rest)
    # The longest known beginning, since names may hold dots.
    for end in range(len(rest), 0, -1):
        written = contract.origins.get(".".join(rest[:end]))
        if written:
            return (*written, *rest[end:])
    return (*contract.path, *rest)
