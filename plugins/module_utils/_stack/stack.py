# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A customer's stack: all that one customer gets, made into orders, and where each part of it was written.

Pure. ``_stack_reading`` makes it of a document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._product_types.product_type import ProductType
from .problems import Path, StackProblem

#: The parts of a stack file; what begins with ``x-`` is free, for YAML anchors.
PARTS = ("end_user", "contacts", "products", "defaults", "contracts")
FREE = "x-"
#: What every contract may say beside the settings of its product type.
COMMON = ("name", "product", "settings", "additional_elements")
#: What the contracts of single kinds may say beside.
SPECIAL: Mapping[str, tuple[str, ...]] = {
    "domain": ("contact", "owner", "admin"),
    "dedicated_server": ("l2vpn_of",),
}


@dataclass
class StackContract:
    """One contract of a stack.

    ``origins`` tells where each of its ``settings`` was written, and the members of one that is a mapping (by
    ``setting.member``); ``named_at``, ``product_at`` and ``l2vpn_at`` tell the same of what they are named for.
    """

    name: str
    kind: ProductType
    path: Path
    product: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    additional_elements: Mapping[str, Any] = field(default_factory=dict)
    l2vpn_of: str | None = None
    origins: dict[str, Path] = field(default_factory=dict)
    named_at: Path = ()
    product_at: Path = ()
    l2vpn_at: Path = ()


@dataclass
class Stack:
    """The contracts of one customer in the order of the file, and all that is wrong with it.

    ``roots`` tells for each contract that joins another's L2VPN which contract that L2VPN comes from in the end.
    """

    end_user: str = ""
    contracts: list[StackContract] = field(default_factory=list)
    roots: dict[str, str] = field(default_factory=dict)
    problems: list[StackProblem] = field(default_factory=list)

    def orders(self, l2vpn_ids: Mapping[str, str]) -> list[dict[str, Any]]:
        """The contracts as reseller_contracts takes them; ``l2vpn_ids`` holds those that are known, by root."""
        return [self._order(contract, l2vpn_ids) for contract in self.contracts]

    def _order(self, contract: StackContract, l2vpn_ids: Mapping[str, str]) -> dict[str, Any]:
        settings = dict(contract.settings)
        joined = l2vpn_ids.get(self.roots.get(contract.name, ""))
        if joined:
            settings["existing_l2vpn"] = joined
        order: dict[str, Any] = {
            "name": contract.name,
            "end_user": self.end_user,
            "product_type": contract.kind.name,
            "settings": settings,
        }
        if contract.product:
            order["product"] = contract.product
        if contract.additional_elements:
            order["additional_elements"] = dict(contract.additional_elements)
        return order

    def given_l2vpns(self) -> dict[str, str]:
        """The L2VPNs that the stack itself names: those of roots that are to use an existing one."""
        return {
            contract.name: str(contract.settings["existing_l2vpn"])
            for contract in self.contracts
            if contract.settings.get("existing_l2vpn")
        }


def known_keys(kind: ProductType) -> list[str]:
    """All that a contract of this kind may say, in the order in which a person would."""
    return [*COMMON[:2], *kind.settings, *SPECIAL.get(kind.name, ()), *COMMON[2:]]


def place_of(contract: StackContract, violation_path: str) -> Path:
    """Where that stands which a violation is about; its path is that of an order, such as ``settings.ram``."""
    first, *rest = violation_path.split(".")
    if first != "settings":
        return (*contract.path, first, *rest)
    # The longest known beginning: a member may be written elsewhere than its setting, and names may hold dots.
    for end in range(len(rest), 0, -1):
        written = contract.origins.get(".".join(rest[:end]))
        if written:
            return (*written, *rest[end:])
    return (*contract.path, *rest)


__all__ = ["COMMON", "FREE", "PARTS", "SPECIAL", "Stack", "StackContract", "known_keys", "place_of"]
