# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads one contract of a stack with its defaults."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .._checks.coercion import kind_of
from .._core.errors import ConfigurationError
from .._order.order import EXISTING_L2VPN, check_name
from .._product_types.domain import DOMAIN
from .._product_types.product_type import ProductType
from .._secrets.names import is_secret_name
from .stack_contracts import StackContract, known_keys
from .stack_problems import (
    GIVEN_DEFAULTS,
    Document,
    Path,
    did_you_mean,
    kind_in_words,
    shown_name,
)

#: What names a contact, and the settings that it stands for.
_CONTACTS = {"owner": ("ownercData", "ownercRef"), "admin": ("admincData", "admincRef")}
#: Of each group, what a contract says stands instead of what its defaults say of the others.
_GROUPS = (
    ("ip4_count", "ip4_subnet_size"),
    ("l2vpn_of", EXISTING_L2VPN),
    *((role, *settings) for role, settings in _CONTACTS.items()),
)
_INSTEAD = {name: {*group} - {name} for group in _GROUPS for name in group}
_INSTEAD["contact"] = {name for role in _CONTACTS for name in (role, *_INSTEAD[role])}
#: What holds members of its own, which defaults and contracts add to.
_PARTS = ("settings", "additional_elements")
_BEYOND = " (a setting that only the catalogue lists goes below settings)"


#: What a contract has, by itself or by defaults: each value with its place, in the parts that of each member.
Said: TypeAlias = "dict[str, tuple[Any, Path]]"


@dataclass
class StackContractReader:
    """Reads the contracts of one stack, one by one, with the ``contacts`` and ``products`` that they may name.

    ``secrets`` holds settings by contract. ``defaults`` are those of each kind, the last ones first in rank, each with
    its place and what unknown names in it may mean. ``readable`` collects where secrets stand in the file itself.
    """

    document: Document
    contacts: Mapping[str, Any]
    products: Mapping[str, Any]
    secrets: Mapping[str, Any]
    defaults: dict[str, list[tuple[Mapping[str, Any], Path, Set[str]]]] = field(default_factory=dict)
    readable: dict[Path, None] = field(default_factory=dict)

    def read(self, kind: ProductType, path: Path, entry: Any) -> StackContract | None:
        """The contract, without a name if that is missing; ``None`` if it is no mapping."""
        if not isinstance(entry, Mapping):
            self.document.add(path, f"a mapping of what the contract says, not {kind_of(entry)}")
            return None
        known, defaults = known_keys(kind), self.defaults.get(kind.name, ())
        meant = self.document.unknown(path, entry, known, _BEYOND).union(*(each for _given, _at, each in defaults))
        said: Said = {part: ({}, path) for part in _PARTS}
        for given, place, _meant in (*defaults, (entry, path, set[str]())):
            self._add(said, known, given, place)
        # What an unknown name may mean is not reported as missing, too.
        meant = {each for name in meant for each in (name, *_INSTEAD.get(name, ()))} - said.keys()
        contract = StackContract("", kind, path, reported={*meant})
        for name, (value, place) in said.items():
            if name in kind.settings:
                contract.settings[name], contract.origins[name] = value, place
        # Settings that only the rules of the catalogue of the product know.
        for name, (value, place) in said["settings"][0].items():
            if name in contract.settings:
                self.document.add(place, "this is given twice, also outside of settings")
            contract.settings[name], contract.origins[name] = value, place
        contract.additional_elements = {name: value for name, (value, _at) in said["additional_elements"][0].items()}
        self.readable.update(
            (place, None)
            for name, place in contract.origins.items()
            if contract.settings[name] and is_secret_name(name) and place[0] != GIVEN_DEFAULTS
        )
        if "product" not in meant:
            self._read_product(contract, said)
        self._read_l2vpn(contract, said)
        self._read_contacts(contract, said)
        if "name" not in meant:
            self._read_name(contract, said)
        secrets = self._add_secrets(contract)
        if kind is DOMAIN and entry.get("action") is None and (entry.get("authcode") or secrets.get("authcode")):
            # A code is for the transfer of one domain, whatever holds for all of them by default.
            contract.settings["action"] = "transfer"
        return contract

    def _add(self, said: Said, known: Collection[str], given: Mapping[str, Any], path: Path) -> None:
        """Add values that take precedence. ``null`` unsets an earlier value, except an L2VPN."""
        instead = {each for name in given if given[name] is not None for each in _INSTEAD.get(str(name), ())}
        for name in instead - given.keys():
            said.pop(name, None)
        for name in (name for name in given if name in known):
            value, place = given[name], (*path, name)
            if name in _PARTS and value is not None and not isinstance(value, Mapping):
                self.document.add(place, f"a mapping, not {kind_of(value)}")
            elif name in _PARTS:
                members = {str(member): (item, (*place, str(member))) for member, item in (value or {}).items()}
                said[name] = {} if value is None else {**said[name][0], **members}, place
            elif value is None and name != EXISTING_L2VPN:
                said.pop(name, None)
            else:
                said[name] = value, place

    def _read_product(self, contract: StackContract, said: Said) -> None:
        products, (value, contract.product_at) = self.products, said.get("product", (None, contract.path))
        if value is None:
            if contract.kind.product_id is None:
                self.document.add((*contract.path, "product"), f"required: {_which_product(products)}")
        elif not isinstance(value, str) or not value.strip():
            self.document.add(contract.product_at, f"{_which_product(products)}, not {kind_in_words(value)}")
        elif value in products:
            contract.product = products[value] if isinstance(products[value], str) else None
            contract.product_at = ("products", value)
        else:
            contract.product = value

    def _read_l2vpn(self, contract: StackContract, said: Said) -> None:
        if "l2vpn_of" not in said:
            return
        if contract.settings.get(EXISTING_L2VPN) is None:
            contract.settings.pop(EXISTING_L2VPN, None)
        value, contract.l2vpn_at = said["l2vpn_of"]
        if not isinstance(value, str) or not value:
            what = f"the name of the dedicated server whose L2VPN is to be joined, not {kind_in_words(value)}"
            self.document.add(contract.l2vpn_at, what)
        elif contract.settings.get(EXISTING_L2VPN) is not None:
            both = "l2vpn_of and existing_l2vpn both name an L2VPN: leave one of them out"
            self.document.add(contract.l2vpn_at, both)
        else:
            contract.l2vpn_of = value

    def _read_contacts(self, contract: StackContract, said: Said) -> None:
        """Put the contacts into the settings."""
        for role, alternatives in _CONTACTS.items() if contract.kind is DOMAIN else ():
            word = role if role in said else "contact"
            beside = [each for each in alternatives if contract.settings.get(each) is not None]
            if word not in said or (beside and word == "contact"):
                continue
            name, place = said[word]
            if not beside and isinstance(name, str) and name in self.contacts:
                contract.settings[alternatives[0]] = self.contacts[name]
                contract.origins[alternatives[0]] = ("contacts", name)
                continue
            contract.reported.update(alternatives)
            if beside:
                what = f"{role} and {' and '.join(beside)} say the same: leave one of them out"
            elif not isinstance(name, str):
                what = f"the name of one of contacts, not {kind_of(name)}"
            else:
                what = f"contacts has no {shown_name(name)}{did_you_mean(name, self.contacts)}"
            self.document.add(place, what)

    def _read_name(self, contract: StackContract, said: Said) -> None:
        identity, (value, place) = contract.kind.identity, said.get("name", (None, contract.path))
        if value is not None and not isinstance(value, str):
            self.document.add(place, f"a text, not {kind_of(value)}: quote it")
        elif value:
            contract.named_at = place
            try:
                check_name(value)
                contract.name = value
            except ConfigurationError as error:
                self.document.add(contract.named_at, error.message)
        elif identity is None:
            what = "required: by its name a second run knows that this is the same order"
            self.document.add((*contract.path, "name"), what)
        else:
            # A missing one, or one of another type, is told by the rules of the specification.
            known = contract.settings.get(identity)
            contract.named_at = contract.origins.get(identity, contract.path)
            contract.name = known if isinstance(known, str) else ""

    def _add_secrets(self, contract: StackContract) -> Mapping[str, Any]:
        given = self.secrets.get(contract.name) if contract.name else None
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            what = f"the secrets of {shown_name(contract.name)} are a mapping of settings, not {kind_of(given)}"
            self.document.add(contract.path, what)
            return {}
        named = {str(name): value for name, value in given.items()}
        contract.settings.update(named)
        for name in named:
            contract.origins.pop(name, None)
        return named


def _which_product(products: Mapping[str, Any]) -> str:
    aliases = f" ({', '.join(shown_name(name) for name in list(products)[:8])})" if products else ""
    return f"one of products{aliases}, or the name or UUID of a product in the catalogue"
