# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges whether a contract can be what an order bought: what agrees, and what contradicts. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._core.text import caseless, clean, same_id
from .._ledger.ledger import Request
from .._product_types.registry import PRODUCT_TYPES
from .contract import Listing, ShownContract, organization_of

#: Of a record, no more texts than this are searched for a value: it may be of any size.
MOST_TEXTS = 2000


@dataclass(frozen=True)
class Asked:
    """What an order asks for, as far as a contract can show it.

    ``product_name`` is the name in the catalogue, if it is known. ``key`` is the role of the natural key (``hostname``
    or ``domain``), ``None`` for a product that has none, and ``value`` its value. ``organization`` is the id of the
    organization in which the contract must lie, ``None`` if that is not known.
    """

    name: str
    end_user: str
    product: str
    product_name: str | None = None
    key: str | None = None
    value: str | None = None
    organization: str | None = None

    @classmethod
    def of(cls, request: Request, organizations: Mapping[str, str] | None = None) -> Asked:
        """What a recorded order asked for. ``organizations`` are the organizations' IDs by end user."""
        kind = PRODUCT_TYPES.get(request.product_type)
        key = kind.identity if kind else None
        value = request.settings.get(key) if key else None
        return cls(
            request.name,
            request.end_user,
            request.product,
            request.product_name,
            key if isinstance(value, str) and value else None,
            value if isinstance(value, str) and value else None,
            organization_of(request.end_user, request.organization_id, organizations or {}),
        )


@dataclass(frozen=True)
class Likeness:
    """How a contract compares with an order. Each entry is a clause for users.

    ``agrees``: what is the same. ``differs``: what speaks against it. ``unknown``: what could not be compared.
    ``key_agrees``: whether the natural key is the same, also where its element was not learned.
    """

    agrees: tuple[str, ...]
    differs: tuple[str, ...]
    unknown: tuple[str, ...]
    key_agrees: bool


def likeness(asked: Asked, shown: ShownContract, listing: Listing, read_in: str | None = None) -> Likeness:
    """Compare a contract with an order. ``read_in`` is the organization in whose context it was read."""
    agrees, differs, unknown = [], [], []

    def compared(role: str, same: bool | None, what: str, found: Any) -> None:
        if same is None:
            why = listing.unclear.get(role) or "the contract does not show it"
            unknown.append(f"{role.replace('_', ' ')} ({clean(why, 200)})")
        elif same:
            agrees.append(what)
        else:
            differs.append(f"another {role.replace('_', ' ')} ({clean(str(found), 100)})")

    compared("product", _same_product(asked, shown), f"product {asked.product_name or asked.product}", shown.product)
    compared("end_user", same_end_user(asked, shown, read_in), f"end user {asked.end_user}", shown.end_user)
    if asked.organization and shown.organization and not same_id(asked.organization, shown.organization):
        differs.append(f"another organization ({clean(shown.organization, 100)})")
    key_agrees = False
    if asked.key and asked.value:
        shown_key = shown.hostname if asked.key == "hostname" else shown.domain
        same = None if shown_key is None else caseless(shown_key).rstrip(".") == caseless(asked.value).rstrip(".")
        compared(asked.key, same, f"{asked.key} {asked.value}", shown_key)
        key_agrees = bool(same) if same is not None else holds(shown.raw, asked.value)
    return Likeness(tuple(agrees), tuple(differs), tuple(unknown), key_agrees)


def _same_product(asked: Asked, shown: ShownContract) -> bool | None:
    if shown.product is None:
        return None
    return same_id(shown.product, asked.product) or shown.product == asked.product_name


def same_end_user(asked: Asked, shown: ShownContract, read_in: str | None) -> bool | None:
    """Whether a contract belongs to an order's end user, or ``None`` if that is not known."""
    if shown.end_user is not None:
        return same_id(shown.end_user, asked.end_user)
    # In the context of an organization the service shows what is that organization's.
    scoped = asked.organization is not None and read_in is not None and same_id(asked.organization, read_in)
    return True if scoped else None


def holds(raw: Any, text: str) -> bool:
    """Whether a string is a value anywhere in a record, ignoring case."""
    wanted = caseless(text).rstrip(".")
    return any(caseless(each).rstrip(".") == wanted for each in texts(raw))


def texts(raw: Any) -> Iterator[str]:
    """The strings in a JSON record, without the names of its elements. Only the first ones of a huge record."""
    waiting, left = [raw], MOST_TEXTS
    while waiting and left:
        value = waiting.pop()
        if isinstance(value, str):
            left -= 1
            yield value
        elif isinstance(value, Mapping):
            waiting += list(value.values())[:MOST_TEXTS]
        elif isinstance(value, Sequence):
            waiting += list(value)[:MOST_TEXTS]


def could_be(asked: Asked, shown: ShownContract, listing: Listing, read_in: str | None = None) -> Likeness | None:
    """How a contract is like an order if it may be its contract, whenever it was created. Otherwise ``None``.

    With a natural key that must be the same; without one, nothing may differ, and the product must be the same.
    """
    found = likeness(asked, shown, listing, read_in)
    if found.differs or (asked.key and not found.key_agrees):
        return None
    if not asked.key and not any(each.startswith("product ") for each in found.agrees):
        return None
    return found
