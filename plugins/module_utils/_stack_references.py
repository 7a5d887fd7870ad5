# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the contracts of a stack say of each other: names that differ, and L2VPNs that are joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._stack import StackContract
from ansible_collections.hosting.reseller.plugins.module_utils._stack_findings import Findings, meant, named
from ansible_collections.hosting.reseller.plugins.module_utils._stack_yaml import dotted

_MOST_SHOWN = 8


def check_names(contracts: Sequence[StackContract], findings: Findings) -> None:
    """No two contracts may have one name: the second would never be ordered."""
    first: dict[str, StackContract] = {}
    for contract in contracts:
        other = first.setdefault(contract.name.lower(), contract)
        if other is not contract:
            line = findings.line(other.path)
            where = f"{dotted(other.path)}{f', line {line}' if line else ''}"
            alike = "" if other.name == contract.name else ", but for capital letters"
            twins = f"two contracts have the name {named(contract.name)}{alike} (the other: {where}); name is to differ"
            findings.add(contract.named_at, twins)


def check_secrets(contracts: Sequence[StackContract], secrets: Mapping[Any, Any], findings: Findings) -> None:
    """Secrets of no contract are a misspelt name."""
    names = dict.fromkeys(contract.name for contract in contracts)
    for name in secrets:
        if name not in names:
            what = f"secrets are given for {named(str(name))}, which is no contract here{meant(str(name), names)}"
            findings.add((), what)


def l2vpn_roots(contracts: Sequence[StackContract], findings: Findings) -> dict[str, str]:
    """Which dedicated server the L2VPN comes from in the end, for each that joins another's, in the order of the file.

    What joins one that joins none, or goes in a circle, has no root.
    """
    servers: dict[str, StackContract] = {}
    for contract in contracts:
        if contract.kind.name == "dedicated_server":
            servers.setdefault(contract.name, contract)
    joining = [contract for contract in contracts if contract.l2vpn_of is not None]
    roots: dict[str, str | None] = {}
    for contract in joining:
        joined = contract.l2vpn_of or ""
        if joined not in servers:
            missing = f"there is no dedicated server {named(joined)} here{meant(joined, servers)}"
            findings.add(contract.l2vpn_at, missing)
        _follow(contract.name, servers, roots, findings)
    return {each.name: root for each in joining if (root := roots.get(each.name)) is not None}


def _follow(name: str, servers: Mapping[str, StackContract], roots: dict[str, str | None], findings: Findings) -> None:
    """Write down the root of this server and of all that it comes through; ``None`` for those without."""
    chain: dict[str, None] = {}
    root: str | None = None
    while name not in chain:
        if name in roots:
            root = roots[name]
            break
        if name not in servers:
            break  # told where it is named
        joined = servers[name].l2vpn_of
        if joined is None:
            root = name
            break
        chain[name] = None
        name = joined
    else:
        _tell_cycle(list(chain)[list(chain).index(name) :], servers, findings)
    roots.update(dict.fromkeys(chain, root))


def _tell_cycle(cycle: list[str], servers: Mapping[str, StackContract], findings: Findings) -> None:
    for at, name in enumerate(cycle):
        turn = [*cycle[at:], *cycle[:at], name]
        if len(turn) > _MOST_SHOWN:
            turn = [*turn[: _MOST_SHOWN - 2], "…", name]
        shown = " -> ".join(named(each) for each in turn)
        what = f"a cycle, {shown}: one of them must get the new L2VPN that the others join"
        findings.add(servers[name].l2vpn_at, what)


__all__ = ["check_names", "check_secrets", "l2vpn_roots"]
