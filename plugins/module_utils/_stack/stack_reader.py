# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a stack: all contracts of one end user, in one document. Pure.

The rules of its contracts are not judged here: they are those of any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .._checks.coercion import Unfit, json_object
from .._core.text import is_uuid, kind_of, nearest, shown_name
from .._core.yaml_reader import NOWHERE, Document, Path, did_you_mean
from .._ledger.identity import folded_name
from .._orders.order import EXISTING_L2VPN
from .._product_types.product_type import ProductType
from .._product_types.registry import CONTACT_SETTINGS, PRODUCT_TYPES, SELF
from .stack_contract_reader import GIVEN_DEFAULTS, StackContractReader, kind_in_words
from .stack_contracts import FREE, PARTS, Stack, StackContract, known_keys, l2vpn_roots


def read_stack(
    document: Document,
    *,
    end_users: Mapping[str, str] = MappingProxyType({}),
    defaults: Mapping[str, Any] | None = None,
    secrets: Mapping[str, Any] | None = None,
    may_hold_secrets: bool = True,
) -> Stack:
    """Return the stack that a document describes. With any problem, nothing of it may be ordered.

    ``end_users`` are the UUIDs of end users by their names in the service's file.
    ``defaults`` holds, by kind, what contracts say that do not say it themselves, after the document's own; null and
    an empty text count as not given, but for ``existing_l2vpn``. ``secrets`` holds, by contract, settings that are kept
    out of the file; unless the file ``may_hold_secrets``, one that stands in it is a problem. Raises nothing, whatever
    the document holds.
    """
    stack, data, secrets = Stack(document), document.data, secrets or {}
    document.places[(GIVEN_DEFAULTS,)] = NOWHERE
    if data is None and document.problems:
        return stack
    if not isinstance(data, Mapping):
        document.add((), f"a stack file is a mapping of {', '.join(PARTS)}, not {kind_of(data)}")
        return stack
    meant = _misplaced(document, data)
    if "end_user" not in meant:
        stack.end_user = _end_user(document, data.get("end_user"), end_users)
    contacts = _named(document, "contacts", data.get("contacts"), "a mapping from names to contacts")
    stack.products = _named(document, "products", data.get("products"), "a mapping from names to products")
    _check_products(stack.products, document)
    reader = StackContractReader(document, contacts, stack.products, secrets)
    _add_defaults(reader, defaults or {}, GIVEN_DEFAULTS)
    own = _named(document, "defaults", data.get("defaults"), "a mapping from kinds to what all contracts say")
    _add_defaults(reader, own, "defaults")
    listed = () if "contracts" in meant else _entries(document, data.get("contracts"))
    contracts = (reader.read(kind, path, entry) for kind, path, entry in listed)
    stack.contracts = [contract for contract in contracts if contract is not None]
    _check_names(stack.contracts, secrets, document)
    _check_labels(stack.contracts, document)
    stack.roots = l2vpn_roots(stack.contracts, document)
    if reader.readable and not may_hold_secrets:
        _report_readable(document, [*reader.readable])
    return stack


def _misplaced(document: Document, data: Mapping[Any, Any]) -> set[str]:
    """Report unknown parts. Return what may be meant by them: that is not reported as missing, too."""
    for key in (key for key in data if key in PRODUCT_TYPES):
        document.add((key,), f"contracts of this kind belong below contracts, as contracts.{key}")
    others = (key for key in data if not str(key).startswith(FREE) and key not in PRODUCT_TYPES)
    return document.unknown((), others, PARTS) - data.keys()


def _report_readable(document: Document, places: Sequence[Path]) -> None:
    number = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
    document.add(
        places[0],
        f"a secret{number} in a file that is not encrypted: move it to secrets, or encrypt the file with "
        "ansible-vault and give its text as content",
    )


def _check_products(products: Mapping[str, Any], document: Document) -> None:
    for name, product in products.items():
        if not isinstance(product, str) or not product.strip():
            document.add(("products", name), f"the name or UUID of a product, not {kind_in_words(product)}")


def _end_user(document: Document, value: Any, known: Mapping[str, str]) -> str:
    if isinstance(value, str) and (value == SELF or is_uuid(value)):
        return value
    if isinstance(value, str) and value in known:
        return known[value]
    given = f" (given: {shown_name(value)!r})" if isinstance(value, str) and not document.is_private else ""
    near = "".join(f"; did you mean {meant}?" for meant in nearest(str(value), known, 1))
    rule = f"required: the end user's UUID, {SELF} for your own organization, or a name in the service's file"
    document.add(("end_user",), f"{rule}{given}{near}")
    return ""


def _named(document: Document, part: str, value: Any, what: str) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {str(name): item for name, item in value.items()}
    if value is not None:
        document.add((part,), f"{what}, not {kind_of(value)}")
    return {}


def _add_defaults(reader: StackContractReader, given: Mapping[Any, Any], place: str) -> None:
    """Add the defaults of the file, or (``GIVEN_DEFAULTS``) those of the option, where empty is not given."""
    for name, values in given.items():
        path: Path = (place, str(name))
        kind = _kind(reader.document, path, str(name))
        if kind is None or (place == GIVEN_DEFAULTS and values in (None, "")):
            continue
        if not isinstance(values, Mapping):
            reader.document.add(path, f"a mapping of what all contracts of the kind {name} say, not {kind_of(values)}")
            continue
        if place == GIVEN_DEFAULTS:
            # An L2VPN that is empty was meant to be one: without it, a new one would be bought.
            values = {key: value for key, value in values.items() if value not in (None, "") or key == EXISTING_L2VPN}
        reader.meant.setdefault(kind.name, set()).update(reader.document.unknown(path, values, known_keys(kind)))
        reader.defaults.setdefault(kind.name, []).append((values, path))


def _kind(document: Document, path: Path, name: str) -> ProductType | None:
    if name not in PRODUCT_TYPES:
        advice = did_you_mean(name, PRODUCT_TYPES) or f"; the kinds are {', '.join(PRODUCT_TYPES)}"
        document.add(path, f"unknown kind of contract{advice}")
    return PRODUCT_TYPES.get(name)


def _entries(document: Document, value: Any) -> Iterator[tuple[ProductType, Path, Any]]:
    by_kind = f"the contracts, by kind ({', '.join(PRODUCT_TYPES)})"
    if value is None or value == {}:
        document.add(("contracts",), f"required: {by_kind}")
    for name, entries in _named(document, "contracts", value, by_kind).items():
        path: Path = ("contracts", name)
        kind = _kind(document, path, name)
        if kind is None or entries is None:
            continue
        if not isinstance(entries, (list, tuple)) or not entries:
            dash = ": begin each contract with a dash" if isinstance(entries, Mapping) else f", or leave {name} out"
            document.add(
                path, f"a list of contracts, not {'an empty one' if entries == [] else kind_of(entries)}{dash}"
            )
            continue
        for index, entry in enumerate(entries):
            yield kind, (*path, index), entry


def _check_names(contracts: Sequence[StackContract], secrets: Mapping[Any, Any], document: Document) -> None:
    """Report contracts with one name, or with names that look alike, and secrets without a contract."""
    first: dict[str, StackContract] = {}
    for contract in (contract for contract in contracts if contract.name):
        other = first.setdefault(folded_name(contract.name), contract)
        if other is not contract:
            twice = f"two contracts have the name {shown_name(contract.name)}"
            if other.name != contract.name:
                twice = f"the names {shown_name(other.name)!r} and {shown_name(contract.name)!r} look alike"
            document.add(
                contract.named_at, f"{twice} (the other: {document.place(other.path)}): give one of them another name"
            )
    names = {contract.name: None for contract in contracts}
    for name in (str(name) for name in secrets if name not in names):
        hint = did_you_mean(name, names)
        document.add((), f"secrets are given for {shown_name(name)}, which is not a contract here{hint}")


def _check_labels(contracts: Sequence[StackContract], document: Document) -> None:
    """Report a label with different data: one contact would be registered in place of the other."""
    first: dict[str, tuple[Any, Path]] = {}
    for contract in contracts:
        # The owner before the admin, in every run.
        for setting in sorted(CONTACT_SETTINGS & contract.settings.keys(), reverse=True):
            contact = json_object(contract.settings[setting])
            data = {} if isinstance(contact, Unfit) else {str(name): item for name, item in contact.items() if item}
            label = data.pop("label", None)
            if not isinstance(label, str):
                continue
            place = contract.origins.get(setting, contract.path)
            known, other = first.setdefault(label.strip(), (data, place))
            if known != data:
                differing = [name for name in {**known, **data} if known.get(name) != data.get(name)]
                document.add(
                    (*place, "label"),
                    f"two contacts have the label {shown_name(label)} and differ in {', '.join(differing)} (the other: "
                    f"{document.place(other)}): give each contact a label of its own",
                )
