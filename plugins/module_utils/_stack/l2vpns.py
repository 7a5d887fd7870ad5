# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The L2VPNs of a stack: which are known, which server joins which, and which servers wait for a new one.

Pure. The document names no way to read an L2VPN (section 4.3.3 has ``existing_l2vpn`` only), so what is known of one
comes from the user and from recorded orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._core.text import is_uuid
from .._ledger.order_records import RELEASED, Record
from .._order.order import EXISTING_L2VPN
from .stack_contracts import L2vpns, Stack, StackContract
from .stack_problems import Document, did_you_mean, shown_name


def l2vpns_of(
    stack: Stack, records: Mapping[str, Record], given: Mapping[str, Any], document: Document, option: str
) -> L2vpns:
    """The L2VPNs of a stack's dedicated servers, and contradictions between their sources.

    ``given`` holds UUIDs by contract, as the user sets them in the option that he knows as ``option``. A first server
    that is not recorded joins an L2VPN that its cluster has already: another one would be bought by mistake.
    """
    found = L2vpns()
    servers = {contract.name: contract for contract in stack.contracts if contract.kind.name == "dedicated_server"}
    for name in given:
        if name not in servers:
            near = did_you_mean(str(name), servers)
            told = f"{option} holds an L2VPN for {shown_name(str(name))}, which is not a dedicated server here{near}"
            found.problems.append(document.problem((), told))
    for root in dict.fromkeys([*stack.roots.values(), *(name for name in given if name in servers)]):
        others = [servers[name] for name, other in stack.roots.items() if other == root]
        own = {"given": given[root]} if root in given else {}
        _Cluster(servers[root], others, records, own, option).read(found, document)
    return found


class _Cluster:
    """The servers on one L2VPN: the one that it comes from, and those that join."""

    def __init__(
        self,
        root: StackContract,
        others: Sequence[StackContract],
        records: Mapping[str, Record],
        given: Mapping[str, Any],
        option: str,
    ) -> None:
        self._root = root
        self._others = others
        self._given = given
        self._option = option
        self._records = {
            contract.name: record
            for contract in (root, *others)
            if (record := records.get(contract.name)) is not None and record.status not in RELEASED
        }

    def read(self, found: L2vpns, document: Document) -> None:
        root = self._root
        told = self._told()
        wrong = [one for one in told.values() if not is_uuid(one)]
        if wrong:
            found.problems.append(document.problem(root.path, f"the id of its L2VPN is a UUID (given: {wrong[0]!r})"))
            return
        if len({one.lower() for one in told.values()}) > 1:
            listed = ", ".join(f"{one} ({where})" for where, one in told.items())
            found.problems.append(document.problem(root.path, f"it is not clear which L2VPN it has: {listed}"))
            return
        known = next(iter(told.values()), None)
        if known is not None:
            found.ids[root.name] = known
        new_root = root.name not in self._records
        if new_root and known is not None and not root.settings.get(EXISTING_L2VPN):
            found.joins[root.name] = known
        for contract in self._others:
            wrong_with = self._wrong_with(contract, known, new_root=new_root)
            if wrong_with:
                found.problems.append(document.problem(contract.l2vpn_at, wrong_with))
            elif self._has_its_own(contract) and (new_root or self._answer(contract.name) == known):
                continue
            elif known is None:
                found.waiting[contract.name] = root.name
            else:
                found.joins[contract.name] = known

    def _wrong_with(self, contract: StackContract, known: str | None, *, new_root: bool) -> str | None:
        """Why a server that is recorded with an L2VPN of its own cannot be on this one."""
        if not self._has_its_own(contract):
            return None
        if new_root:
            return None if self._given or self._answer(contract.name) else self._unsure(contract)
        return self._apart(contract) if known is None else None

    def _told(self) -> dict[str, str]:
        """What is said of the L2VPN, by who says it."""
        told: dict[str, Any] = {"in the stack": self._root.settings.get(EXISTING_L2VPN)}
        makers = self._records if self._root.name not in self._records else [self._root.name]
        for name in self._records:
            told[f"in the answer to the order {name}"] = self._answer(name) if name in makers else None
            told[f"in the recorded order {name}"] = self._recorded(name)
        known = {where: one for where, one in told.items() if one}
        # One that was given and is empty was meant to be a value.
        return {where: str(one) for where, one in {**self._given, **known}.items()}

    def _answer(self, name: str) -> str | None:
        record = self._records[name]
        return record.outcome.l2vpn_id if record.status == "ordered" else None

    def _recorded(self, name: str) -> Any:
        request = self._records[name].request
        return request.settings.get(EXISTING_L2VPN) if request else None

    def _has_its_own(self, contract: StackContract) -> bool:
        """Whether a server that is to join is recorded as ordered with a new L2VPN."""
        record = self._records.get(contract.name)
        if record is None or record.request is None or record.status != "ordered":
            return False
        return not self._recorded(contract.name)

    def _apart(self, contract: StackContract) -> str:
        return (
            f"{shown_name(contract.name)} is recorded with an L2VPN of its own, and cannot join that of "
            f"{shown_name(self._root.name)}: restore what was ordered, or order another server"
        )

    def _unsure(self, contract: StackContract) -> str:
        return (
            f"{shown_name(contract.name)} is recorded with an L2VPN whose UUID is not known, and "
            f"{shown_name(self._root.name)} would get another one: put {shown_name(contract.name)} first again, or set "
            f"{self._option} to the UUID (for {shown_name(self._root.name)})"
        )
