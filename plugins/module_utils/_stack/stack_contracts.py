# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A stack: all contracts of one end user as orders, the L2VPNs of its servers, and the place of each part in the file.

Pure. ``stack_reader`` makes it of a document. The API specification has no way to read an L2VPN (4.3.3 has
``existing_l2vpn`` only), so what is known of one comes from the user and from recorded orders.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._core.errors import Violation
from .._core.text import is_uuid, shown_name
from .._core.yaml_reader import Document, Path, did_you_mean
from .._ledger.order_records import RELEASED, Record
from .._orders.order import EXISTING_L2VPN, RequestedOrder
from .._product_types.product_type import ProductType
from .._product_types.registry import SELF

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
    """One contract of a stack."""

    #: Empty if it is missing.
    name: str
    kind: ProductType
    #: The place of its entry in the file.
    path: Path
    product: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    additional_elements: Mapping[str, Any] = field(default_factory=dict)
    #: The name of the server whose L2VPN it joins.
    l2vpn_of: str | None = None
    #: Where each of its settings was written, but for those in secrets.
    origins: dict[str, Path] = field(default_factory=dict)
    #: Settings of which a problem tells all.
    reported: set[str] = field(default_factory=set)
    #: Where its name, its product and ``l2vpn_of`` were written.
    named_at: Path = ()
    product_at: Path = ()
    l2vpn_at: Path = ()


@dataclass
class L2vpns:
    """The L2VPNs of a stack's servers, by the names of contracts."""

    #: The known UUIDs, by the contract that each comes from.
    ids: dict[str, str] = field(default_factory=dict)
    #: The known UUIDs, by each contract that is to send one as ``existing_l2vpn``.
    joins: dict[str, str] = field(default_factory=dict)
    #: The contract whose L2VPN is not known yet, by each that joins it.
    waiting: dict[str, str] = field(default_factory=dict)


@dataclass
class Stack:
    """The contracts of one end user in the order of the document."""

    document: Document
    #: A UUID or ``__self__``; empty if it is missing or wrong.
    end_user: str = ""
    #: Products of the catalogue by their names in this stack.
    products: Mapping[str, Any] = field(default_factory=dict)
    contracts: list[StackContract] = field(default_factory=list)
    #: By each contract that joins another's L2VPN, the contract that this L2VPN comes from in the end.
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
        for violation in violations:
            part, _dot, name = violation.path.partition(".")
            setting = name.partition(".")[0] if part == "settings" else None
            if setting in contract.reported:
                continue
            is_private = self.document.is_private or (setting is not None and setting not in contract.origins)
            message = str(violation._replace(value=None) if is_private else violation).partition(": ")[2]
            if violation.value is None and setting in contract.kind.secrets:
                message += "; it may also be given in secrets"
            self.document.add(violation_place(contract, violation.path), message)


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


# L2VPNs


def l2vpn_roots(contracts: Sequence[StackContract], document: Document) -> dict[str, str]:
    """Return for each server that joins another's L2VPN the server that this comes from in the end.

    One that joins a server that is not there, or itself by others, has no root and is reported.
    """
    servers = {contract.name: contract for contract in reversed(contracts) if contract.kind.name == "dedicated_server"}
    roots: dict[str, str] = {}
    for contract in (contract for contract in contracts if contract.l2vpn_of is not None):
        chain, name = {contract.name: None}, contract.l2vpn_of
        if name not in servers:
            missing = f"there is no dedicated server {shown_name(name or '')} here{did_you_mean(name or '', servers)}"
            document.add(contract.l2vpn_at, missing)
        while name in servers and name not in chain and servers[name].l2vpn_of is not None:
            chain[name] = None
            name = servers[name].l2vpn_of
        if name == contract.name:
            what = "a cycle, in which this server joins itself: one of them must get the new L2VPN that the others join"
            document.add(contract.l2vpn_at, what)
        elif name in servers and name not in chain:
            roots[contract.name] = name
    return roots


def l2vpns_of(stack: Stack, records: Mapping[str, Record], given: Mapping[str, Any]) -> L2vpns:
    """The L2VPNs of a stack's dedicated servers. Reports contradictions between their sources.

    ``given`` holds UUIDs by contract, as in the option ``l2vpn_ids``. A first server that is not recorded joins an
    L2VPN that its cluster has already: another one would be bought by mistake.
    """
    l2vpns = L2vpns()
    servers = {contract.name: contract for contract in stack.contracts if contract.kind.name == "dedicated_server"}
    for name in given:
        if name not in servers:
            near = did_you_mean(str(name), servers)
            what = f"l2vpn_ids holds an L2VPN for {shown_name(str(name))}, which is not a dedicated server here{near}"
            stack.document.add((), what)
    for root in dict.fromkeys([*stack.roots.values(), *(name for name in given if name in servers)]):
        others = [servers[name] for name, other in stack.roots.items() if other == root]
        own = {"given": given[root]} if root in given else {}
        _add_cluster(l2vpns, servers[root], others, records, own, stack.document)
    return l2vpns


def _add_cluster(
    l2vpns: L2vpns,
    root: StackContract,
    others: Sequence[StackContract],
    records: Mapping[str, Record],
    given: Mapping[str, Any],
    document: Document,
) -> None:
    """Add the L2VPN of ``root`` and of those that join it, or what is wrong with them."""
    recorded = _recorded((root, *others), records)
    is_new = root.name not in recorded
    sources = _sources(root, recorded, given, made_by=recorded if is_new else (root.name,))
    if why := _why_unclear(sources):
        document.add(root.path, why)
        return
    known = next(iter(sources.values()), None)
    if known is not None:
        l2vpns.ids[root.name] = known
        if is_new and not root.settings.get(EXISTING_L2VPN):
            l2vpns.joins[root.name] = known
    for contract in others:
        record = recorded.get(contract.name)
        # Recorded as ordered with a new L2VPN, whose UUID the service may have returned.
        if record is None or record.status != "ordered" or _joined(record) != "":
            (l2vpns.waiting if known is None else l2vpns.joins)[contract.name] = known or root.name
        elif known is None:
            name, first = shown_name(contract.name), shown_name(root.name)
            document.add(
                contract.l2vpn_at,
                f"{name} is recorded with an L2VPN of its own, whose UUID is not known, so it would not be that of "
                f"{first}: set l2vpn_ids to the UUID (for {first}), restore what was ordered, or order another server",
            )
        elif not is_new and record.outcome.l2vpn_id != known:
            l2vpns.joins[contract.name] = known


def _recorded(contracts: Iterable[StackContract], records: Mapping[str, Record]) -> dict[str, Record]:
    """Return the records of contracts that were ordered, or may be."""
    recorded = {contract.name: records[contract.name] for contract in contracts if contract.name in records}
    return {name: record for name, record in recorded.items() if record.status not in RELEASED}


def _why_unclear(sources: Mapping[str, str]) -> str:
    """Return what is wrong with the UUIDs that these sources tell of one L2VPN; empty if nothing is."""
    wrong = [l2vpn_id for l2vpn_id in sources.values() if not is_uuid(l2vpn_id)]
    if wrong:
        return f"the id of its L2VPN is a UUID (given: {wrong[0]!r})"
    if len({l2vpn_id.lower() for l2vpn_id in sources.values()}) > 1:
        listed = ", ".join(f"{l2vpn_id} ({where})" for where, l2vpn_id in sources.items())
        return f"it is not clear which L2VPN it has: {listed}"
    return ""


def _sources(
    root: StackContract, recorded: Mapping[str, Record], given: Mapping[str, Any], made_by: Collection[str]
) -> dict[str, str]:
    """The UUIDs of an L2VPN by what tells them. One that was ``given`` and is empty was meant to be a value."""
    sources: dict[str, Any] = {"in the stack": root.settings.get(EXISTING_L2VPN)}
    for name, record in recorded.items():
        sources[f"in the answer to the order {name}"] = record.outcome.l2vpn_id if name in made_by else None
        sources[f"in the recorded order {name}"] = _joined(record)
    return {where: str(value) for where, value in {**given, **{k: v for k, v in sources.items() if v}}.items()}


def _joined(record: Record) -> str | None:
    """The L2VPN that a server was ordered to join; empty if none, ``None`` if that is not known."""
    return str(record.request.settings.get(EXISTING_L2VPN) or "") if record.request else None
