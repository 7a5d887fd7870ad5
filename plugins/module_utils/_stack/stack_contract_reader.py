# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads one contract of a stack: its own values, and what defaults say of it. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .._core.errors import ConfigurationError
from .._core.text import kind_of, shown_name
from .._core.yaml_reader import Document, Path, did_you_mean
from .._orders.order import EXISTING_L2VPN, check_name
from .._product_types.domain import DOMAIN
from .._product_types.product_type import ProductType
from .._secrets.recognition import is_secret_name
from .stack_contracts import StackContract, known_keys

#: The first part of the path of what defaults from outside of the document say.
GIVEN_DEFAULTS = "option defaults"
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
_BEYOND = " (a setting that only the catalogue lists goes below settings)"

#: What a contract has, by itself or by defaults: each value with its place.
Values: TypeAlias = "dict[str, tuple[Any, Path]]"


@dataclass
class StackContractReader:
    """Reads the contracts of one stack, one by one."""

    document: Document
    #: The contacts and products that contracts may name.
    contacts: Mapping[str, Any]
    products: Mapping[str, Any]
    #: Settings by contract.
    secrets: Mapping[str, Any]
    #: Those of each kind with their places, the last ones first in rank.
    defaults: dict[str, list[tuple[Mapping[str, Any], Path]]] = field(default_factory=dict)
    #: What unknown names in the defaults of each kind may mean.
    meant: dict[str, set[str]] = field(default_factory=dict)
    #: Where secrets stand in the file.
    readable: dict[Path, None] = field(default_factory=dict)

    def read(self, kind: ProductType, path: Path, entry: Any) -> StackContract | None:
        """Return the contract, without a name if that is missing; ``None`` if it is no mapping."""
        if not isinstance(entry, Mapping):
            self.document.add(path, f"a mapping of what the contract says, not {kind_of(entry)}")
            return None
        meant = self.document.unknown(path, entry, known_keys(kind), _BEYOND) | self.meant.get(kind.name, set())
        values, further, elements = self._merged(kind, path, entry)
        # What an unknown name may mean is not reported as missing, too.
        meant = {key for name in meant for key in (name, *_INSTEAD.get(name, ()))} - values.keys()
        contract = StackContract("", kind, path, reported={*meant})
        for name in further.keys() & values.keys() & kind.settings.keys():
            self.document.add(further[name][1], "this is given twice, also outside of settings")
        settings = {**{name: values[name] for name in values if name in kind.settings}, **further}
        contract.settings = {name: value for name, (value, _at) in settings.items()}
        contract.origins = {name: place for name, (_value, place) in settings.items()}
        contract.additional_elements = {name: value for name, (value, _at) in elements.items()}
        self._note_readable(settings)
        if "product" not in meant:
            self._read_product(contract, *values.get("product", (None, (*path, "product"))))
        self._read_l2vpn(contract, *values.get("l2vpn_of", (None, path)))
        self._read_contacts(contract, values)
        if "name" not in meant:
            self._read_name(contract, *values.get("name", (None, (*path, "name"))))
        self._add_secrets(contract)
        if kind is DOMAIN and entry.get("action") is None and _has_own_code(contract, entry):
            # A code is for the transfer of one domain, whatever holds for all of them by default.
            contract.settings["action"] = "transfer"
        return contract

    def _note_readable(self, settings: Values) -> None:
        for name, (value, place) in settings.items():
            if value and is_secret_name(name) and place[0] != GIVEN_DEFAULTS:
                self.readable[place] = None

    def _merged(self, kind: ProductType, path: Path, entry: Mapping[Any, Any]) -> tuple[Values, Values, Values]:
        """Return what a contract and its defaults say, the members of ``settings``, and the additional elements.

        What is nearer to the contract takes precedence. ``null`` unsets an earlier value, except an L2VPN.
        """
        values: Values = {}
        parts: dict[str, Values] = {"settings": {}, "additional_elements": {}}
        for given, at in (*self.defaults.get(kind.name, ()), (entry, path)):
            for name in _set_aside(given) - given.keys():
                values.pop(name, None)
            for name in (name for name in known_keys(kind) if name in given):
                value, place = given[name], (*at, name)
                if value is None and name != EXISTING_L2VPN:
                    parts.get(name, {}).clear()
                    values.pop(name, None)
                elif name not in parts:
                    values[name] = value, place
                elif isinstance(value, Mapping):
                    parts[name].update({str(key): (item, (*place, str(key))) for key, item in value.items()})
                else:
                    self.document.add(place, f"a mapping, not {kind_of(value)}")
        return values, parts["settings"], parts["additional_elements"]

    def _read_product(self, contract: StackContract, value: Any, place: Path) -> None:
        contract.product_at = place
        aliases = f" ({', '.join(map(shown_name, [*self.products][:8]))})" if self.products else ""
        which = f"one of products{aliases}, or the name or UUID of a product in the catalogue"
        if value is None:
            if contract.kind.product_id is None:
                self.document.add(place, f"required: {which}")
        elif not isinstance(value, str) or not value.strip():
            self.document.add(place, f"{which}, not {kind_in_words(value)}")
        elif value in self.products:
            contract.product = self.products[value] if isinstance(self.products[value], str) else None
            contract.product_at = ("products", value)
        else:
            contract.product = value

    def _read_l2vpn(self, contract: StackContract, value: Any, place: Path) -> None:
        contract.l2vpn_at = place
        if value is None:
            return
        if contract.settings.get(EXISTING_L2VPN) is not None:
            self.document.add(place, "l2vpn_of and existing_l2vpn both name an L2VPN: leave one of them out")
            return
        contract.settings.pop(EXISTING_L2VPN, None)
        if isinstance(value, str) and value:
            contract.l2vpn_of = value
            return
        what = f"the name of the dedicated server whose L2VPN is to be joined, not {kind_in_words(value)}"
        self.document.add(place, what)

    def _read_contacts(self, contract: StackContract, values: Values) -> None:
        """Put the contacts into the settings of a domain. ``owner`` and ``admin`` are nearer than ``contact``."""
        for role, alternatives in _CONTACTS.items() if contract.kind is DOMAIN else ():
            word = role if role in values else "contact"
            beside = [setting for setting in alternatives if contract.settings.get(setting) is not None]
            if word not in values or (beside and word == "contact"):
                continue
            name, place = values[word]
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

    def _read_name(self, contract: StackContract, value: Any, place: Path) -> None:
        identity = contract.kind.identity or ""
        if not value and identity:
            # A missing one, or one of another type, is reported by the rules of the specification.
            known = contract.settings.get(identity)
            contract.named_at = contract.origins.get(identity, contract.path)
            contract.name = known if isinstance(known, str) else ""
            return
        contract.named_at = place
        if not value:
            self.document.add(place, "required: by its name a second run knows that this is the same order")
        elif not isinstance(value, str):
            self.document.add(place, f"a text, not {kind_of(value)}: quote it")
        else:
            try:
                # A Mac decomposes what it copies.
                composed = unicodedata.normalize("NFC", value)
                check_name(composed)
                contract.name = composed
            except ConfigurationError as error:
                self.document.add(place, error.message)

    def _add_secrets(self, contract: StackContract) -> None:
        given = self.secrets.get(contract.name) if contract.name else None
        if isinstance(given, Mapping):
            for name, value in given.items():
                contract.settings[str(name)] = value
                contract.origins.pop(str(name), None)
        elif given is not None:
            what = f"the secrets of {shown_name(contract.name)} are a mapping of settings, not {kind_of(given)}"
            self.document.add(contract.path, what)


def _set_aside(given: Mapping[Any, Any]) -> set[str]:
    """Return what does not stand any more beside what is given."""
    return {key for name in given if given[name] is not None for key in _INSTEAD.get(str(name), ())}


def _has_own_code(contract: StackContract, entry: Mapping[Any, Any]) -> bool:
    """Return whether a domain has a code for itself, in its entry or in secrets, and not by default."""
    by_secret = "authcode" not in contract.origins and contract.settings.get("authcode")
    return bool(entry.get("authcode") or by_secret)


def kind_in_words(value: Any) -> str:
    """A description of the given value where a meaningful string is required."""
    return "an empty text" if isinstance(value, str) else kind_of(value)
