# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A customer's stack: all that one customer gets, in one file, made into orders. Pure functions, no input or output.

The documented rules are applied here (document sections 2.4, 4.3 and 8); what only the running service knows is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._documented import check
from ansible_collections.hosting.reseller.plugins.module_utils._errors import ConfigurationError, Violation
from ansible_collections.hosting.reseller.plugins.module_utils._order import SELF, Wish, is_uuid, order_name
from ansible_collections.hosting.reseller.plugins.module_utils._settings import PRODUCT_TYPES, ProductType
from ansible_collections.hosting.reseller.plugins.module_utils._settings.coercion import kind_of
from ansible_collections.hosting.reseller.plugins.module_utils._settings.domain import DOMAIN
from ansible_collections.hosting.reseller.plugins.module_utils._stack_yaml import Document, Path, StackProblem, dotted
from ansible_collections.hosting.reseller.plugins.module_utils._text import nearest

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
#: What names a contact, and the settings that it stands for.
_CONTACTS = {"owner": ("ownercData", "ownercRef"), "admin": ("admincData", "admincRef")}


@dataclass
class StackContract:
    """One contract of a stack. ``origins`` tells where each of its ``settings`` was written."""

    name: str
    kind: ProductType
    path: Path
    product: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    additional_elements: Mapping[str, Any] = field(default_factory=dict)
    l2vpn_of: str | None = None
    origins: dict[str, Path] = field(default_factory=dict)


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


def read_stack(
    document: Document,
    *,
    defaults: Mapping[str, Any] | None = None,
    secrets: Mapping[str, Any] | None = None,
) -> Stack:
    """The stack that a document describes. With any problem, nothing of it may be ordered.

    ``defaults`` holds, by kind, what contracts say that do not say it themselves, after the document's own; null and
    an empty text count as not given. ``secrets`` holds, by contract, settings that are kept out of the file.
    """
    reading = _Reading(document, defaults or {}, secrets or {})
    if not (document.problems and document.data is None):
        reading.read()
    return reading.stack


class _Reading:
    """Reads one document."""

    def __init__(self, document: Document, defaults: Mapping[str, Any], secrets: Mapping[str, Any]) -> None:
        self.stack = Stack(problems=list(document.problems))
        self._document = document
        self._defaults = defaults
        self._secrets = secrets
        self._contacts: dict[str, Any] = {}
        self._products: dict[str, str] = {}
        self._file_defaults: dict[str, Mapping[str, Any]] = {}

    def read(self) -> None:
        data = self._document.data
        if not isinstance(data, Mapping):
            self._add((), f"a stack file is a mapping of {', '.join(PARTS)}, not {kind_of(data)}")
            return
        self._unknown((), (key for key in data if not str(key).startswith(FREE)), PARTS)
        self._read_end_user(data.get("end_user"))
        self._contacts = self._named("contacts", data.get("contacts"))
        for name, contact in self._contacts.items():
            self._check_contact(name, contact)
        self._products = self._named("products", data.get("products"))
        for name, product in self._products.items():
            if not isinstance(product, str) or not product.strip():
                self._add(("products", name), f"the name or UUID of a product, not {kind_of(product)}")
        self._read_defaults(data.get("defaults"))
        self._read_contracts(data.get("contracts"))
        self._check_names()
        self._check_secrets()
        self._follow_l2vpns()

    # Parts

    def _read_end_user(self, value: Any) -> None:
        if isinstance(value, str) and (value == SELF or is_uuid(value)):
            self.stack.end_user = value
        else:
            given = f" (given: {value!r})" if isinstance(value, str) else ""
            self._add(("end_user",), f"required: the UUID of the end-user, or {SELF} for your own organization{given}")

    def _named(self, part: str, value: Any) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self._add((part,), f"a mapping from names to {part}, not {kind_of(value)}")
            return {}
        return {str(name): item for name, item in value.items()}

    def _check_contact(self, name: str, contact: Any) -> None:
        path: Path = ("contacts", name)
        if not isinstance(contact, Mapping):
            what = f"a mapping with the contact's data, not {kind_of(contact)}"
            self._add(path, f"{what}; for an existing contact, give its ID to a domain as ownercRef or admincRef")
            return
        probe = {"domain": "example.com", "action": "register", "ownercData": contact, "admincRef": "-"}
        for violation in check(DOMAIN, probe).violations:
            field_path = violation.path.split(".")[2:]
            self._add((*path, *field_path), _said(violation))

    def _read_defaults(self, value: Any) -> None:
        for kind_name, given in self._named("defaults", value).items():
            path: Path = ("defaults", kind_name)
            kind = self._kind(path, kind_name)
            if kind is None:
                continue
            if not isinstance(given, Mapping):
                self._add(path, f"a mapping of what all contracts of the kind {kind_name} say, not {kind_of(given)}")
                continue
            self._unknown(path, given, known_keys(kind))
            self._file_defaults[kind_name] = given

    def _kind(self, path: Path, name: str) -> ProductType | None:
        if name not in PRODUCT_TYPES:
            self._add(path, f"this is no kind of contract{_meant(name, PRODUCT_TYPES)}")
        return PRODUCT_TYPES.get(name)

    def _read_contracts(self, value: Any) -> None:
        if value is None or value == {}:
            self._add(("contracts",), f"required: the contracts, by kind ({', '.join(PRODUCT_TYPES)})")
            return
        for kind_name, entries in self._named("contracts", value).items():
            path: Path = ("contracts", kind_name)
            kind = self._kind(path, kind_name)
            if kind is None or entries is None:
                continue
            if not isinstance(entries, (list, tuple)):
                self._add(path, f"a list of contracts, not {kind_of(entries)}")
                continue
            for index, entry in enumerate(entries):
                self._read_contract(kind, (*path, index), entry)

    # One contract

    def _read_contract(self, kind: ProductType, path: Path, entry: Any) -> None:
        if not isinstance(entry, Mapping):
            self._add(path, f"a mapping of what the contract says, not {kind_of(entry)}")
            return
        self._unknown(path, entry, known_keys(kind))
        said, origins = self._with_defaults(kind, path, entry)
        contract = StackContract("", kind, path)
        contract.origins = {name: origins[name] for name in said if name in kind.settings}
        contract.settings = {name: said[name] for name in contract.origins}
        self._read_more(contract, said, origins)
        self._read_product(contract, said.get("product"), origins.get("product", path))
        if kind is DOMAIN:
            self._read_contacts(contract, said, origins)
        elif "l2vpn_of" in said:
            self._read_l2vpn(contract, said["l2vpn_of"], origins["l2vpn_of"])
        self._read_name(contract, said.get("name"), origins.get("name", path))
        if contract.name:
            self._add_secrets(contract)
            self.stack.contracts.append(contract)
        self._check_settings(contract)

    def _with_defaults(
        self, kind: ProductType, path: Path, entry: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Path]]:
        said: dict[str, Any] = {}
        origins: dict[str, Path] = {}
        for given, place in (
            (_given(self._defaults.get(kind.name)), path),
            (self._file_defaults.get(kind.name, {}), ("defaults", kind.name)),
            (entry, path),
        ):
            for name, value in given.items():
                if name not in known_keys(kind):
                    continue
                if isinstance(value, Mapping) and isinstance(said.get(name), Mapping):
                    value = {**said[name], **value}
                if value is None:
                    # A contract can unset a default by null.
                    said.pop(name, None)
                else:
                    said[name], origins[name] = value, (*place, name)
        _keep_alternatives(said, entry)
        return said, origins

    def _read_more(self, contract: StackContract, said: Mapping[str, Any], origins: Mapping[str, Path]) -> None:
        """Settings that only the live rules of the product know, and further elements of the request."""
        for part in ("settings", "additional_elements"):
            value = said.get(part)
            if value is None:
                continue
            if not isinstance(value, Mapping):
                self._add(origins[part], f"a mapping, not {kind_of(value)}")
            elif part == "additional_elements":
                contract.additional_elements = value
            else:
                for name, item in value.items():
                    twice = name in contract.settings
                    if twice:
                        self._add((*origins[part], name), "this is given twice, also outside of settings")
                    contract.settings[name] = item
                    contract.origins[name] = (*origins[part], name)

    def _read_product(self, contract: StackContract, value: Any, path: Path) -> None:
        kind = contract.kind
        if value is None:
            if kind.product_id is None:
                self._add((*contract.path, "product"), f"required: {_which_product(self._products)}")
        elif not isinstance(value, str) or not value.strip():
            self._add(path, f"{_which_product(self._products)}, not {kind_of(value)}")
        else:
            named = self._products.get(value, value)
            contract.product = named if isinstance(named, str) else None
            contract.origins[""] = ("products", value) if value in self._products else path

    def _read_contacts(self, contract: StackContract, said: Mapping[str, Any], origins: Mapping[str, Path]) -> None:
        for role, alternatives in _CONTACTS.items():
            word = role if role in said else "contact"
            if word not in said:
                continue
            beside = [name for name in alternatives if name in said]
            if beside and word == "contact":
                continue
            if beside:
                self._add(origins[word], f"{role} and {' and '.join(beside)} say the same: leave one of them out")
            named = said[word]
            if not isinstance(named, str) or named not in self._contacts:
                missing = f"contacts holds no {named}" if isinstance(named, str) else "the name of one of contacts"
                meant = _meant(named, self._contacts) if isinstance(named, str) else ""
                problem = self._document.problem(origins[word], f"{missing}{meant}")
                if problem not in self.stack.problems:
                    self.stack.problems.append(problem)
            contract.settings[alternatives[0]] = self._contacts.get(named) if isinstance(named, str) else None
            # Checked on its own, once.
            contract.origins.update(dict.fromkeys(alternatives, ()))

    def _read_l2vpn(self, contract: StackContract, value: Any, path: Path) -> None:
        if not isinstance(value, str):
            self._add(path, f"the name of the dedicated server whose L2VPN is to be joined, not {kind_of(value)}")
        elif "existing_l2vpn" in contract.settings:
            self._add(path, "l2vpn_of and existing_l2vpn both name an L2VPN: leave one of them out")
        else:
            contract.l2vpn_of = value

    def _read_name(self, contract: StackContract, value: Any, path: Path) -> None:
        kind = contract.kind
        identity = contract.settings.get(kind.identity) if kind.identity else None
        if value is not None and not isinstance(value, str):
            self._add(path, f"a text, not {kind_of(value)}: quote it")
        elif value is None and kind.identity is None:
            self._add((*contract.path, "name"), "required: by its name a second run knows that this is the same order")
        else:
            try:
                known = identity if isinstance(identity, str) else None
                settings = {kind.identity: known} if kind.identity else {}
                contract.name = order_name(Wish(self.stack.end_user, name=value, settings=settings)) or ""
            except ConfigurationError as error:
                self._add(path, error.message)

    def _add_secrets(self, contract: StackContract) -> None:
        given = self._secrets.get(contract.name)
        if given is None:
            return
        if not isinstance(given, Mapping):
            self._add(contract.path, f"the secrets of {contract.name} are a mapping of settings, not {kind_of(given)}")
            return
        contract.settings.update(given)

    def _check_settings(self, contract: StackContract) -> None:
        extra = [name for name in contract.settings if name not in contract.kind.settings]
        reported = {name for name, place in contract.origins.items() if place == ()}
        for violation in check(contract.kind, contract.settings, also_known=extra).violations:
            setting = violation.path.split(".")[1] if "." in violation.path else ""
            if setting in reported:
                continue
            self._add(place_of(contract, violation.path), _said(violation, contract.kind))

    # The whole

    def _check_names(self) -> None:
        first: dict[str, StackContract] = {}
        for contract in self.stack.contracts:
            other = first.setdefault(contract.name, contract)
            if other is not contract:
                line = self._document.problem(other.path, "").line
                where = f"{dotted(other.path)}{f', line {line}' if line else ''}"
                path = contract.origins.get(contract.kind.identity or "", contract.path)
                self._add(path, f"two contracts have the name {contract.name} (the other: {where}); name is to differ")

    def _check_secrets(self) -> None:
        names = [contract.name for contract in self.stack.contracts]
        for name in self._secrets:
            if name not in names:
                message = f"secrets are given for {name}, which is no contract here{_meant(str(name), names)}"
                self._add((), message)

    def _follow_l2vpns(self) -> None:
        servers = {each.name: each for each in self.stack.contracts if each.kind.name == "dedicated_server"}
        for contract in servers.values():
            if contract.l2vpn_of is None:
                continue
            path = (*contract.path, "l2vpn_of")
            if contract.l2vpn_of not in servers:
                missing = f"there is no dedicated server {contract.l2vpn_of} here"
                self._add(path, missing + _meant(contract.l2vpn_of, servers))
                continue
            chain = [contract.name]
            current: StackContract | None = contract
            while current and current.l2vpn_of and current.l2vpn_of not in chain:
                chain.append(current.l2vpn_of)
                current = servers.get(current.l2vpn_of)
            if current is None:
                continue  # told where that one stands
            if current.l2vpn_of:
                if current.l2vpn_of == contract.name:
                    turn = " -> ".join([*chain, contract.name])
                    self._add(path, f"a cycle, {turn}: one of them must get the new L2VPN that the others join")
                continue
            self.stack.roots[contract.name] = current.name

    def _unknown(self, path: Path, keys: Iterable[Any], known: Iterable[str]) -> None:
        known = list(known)
        for key in keys:
            if key in known:
                continue
            advice = _meant(str(key), known) or f"; known are {', '.join(known)}"
            beyond = " (a setting that only the catalogue lists goes below settings)" if len(path) == 3 else ""
            self._add((*path, key), f"this is not known here{advice}{beyond}")

    def _add(self, path: Path, message: str) -> None:
        self.stack.problems.append(self._document.problem(path, message))


def known_keys(kind: ProductType) -> list[str]:
    """All that a contract of this kind may say, in the order in which a person would."""
    return [*COMMON[:2], *kind.settings, *SPECIAL.get(kind.name, ()), *COMMON[2:]]


def place_of(contract: StackContract, violation_path: str) -> Path:
    """Where that stands which a violation is about; its path is that of an order, such as ``settings.ram``."""
    first, *rest = violation_path.split(".")
    if first == "settings" and rest:
        return (*(contract.origins.get(rest[0]) or (*contract.path, rest[0])), *rest[1:])
    return (*contract.path, *rest) if first == "settings" else (*contract.path, first, *rest)


def product_place(contract: StackContract) -> Path:
    """Where the product of a contract is named: the alias that it uses, or the contract."""
    return contract.origins.get("", contract.path)


def _keep_alternatives(said: dict[str, Any], entry: Mapping[str, Any]) -> None:
    """A default gives way to what the contract says instead of it."""
    for one, other in (
        ("ip4_count", "ip4_subnet_size"),
        ("l2vpn_of", "existing_l2vpn"),
        ("ownercRef", "ownercData"),
        ("admincRef", "admincData"),
        *((role, setting) for role, settings in _CONTACTS.items() for setting in settings),
    ):
        for default, own in ((one, other), (other, one)):
            if entry.get(own) is not None and default not in entry:
                said.pop(default, None)


def _given(values: Any) -> Mapping[str, Any]:
    if not isinstance(values, Mapping):
        return {}
    return {name: value for name, value in values.items() if value not in (None, "")}


def _said(violation: Violation, kind: ProductType | None = None) -> str:
    given = "" if violation.value is None else f" (given: {violation.value!r})"
    secret = kind is not None and violation.value is None and violation.path.partition(".")[2] in kind.secrets
    advice = "; it may also be given by the role's variable for secrets" if secret else ""
    return f"{violation.rule}{advice}{given}"


def _meant(name: str, known: Iterable[str]) -> str:
    near = nearest(name, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def _which_product(products: Mapping[str, Any]) -> str:
    aliases = f" ({', '.join(list(products)[:8])})" if products else ""
    return f"one of products{aliases}, or the name or UUID of a product in the catalogue"


__all__ = [
    "COMMON",
    "FREE",
    "PARTS",
    "SPECIAL",
    "Stack",
    "StackContract",
    "known_keys",
    "place_of",
    "product_place",
    "read_stack",
]
