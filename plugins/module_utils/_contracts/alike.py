# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds contracts of the service that look like an order that is about to be sent. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from .._core.text import clean, same_id
from .._product_types.registry import SELF
from .contract import Listing, ShownContract
from .controls import key_of
from .likeness import Asked, holds, likeness, same_end_user


@dataclass(frozen=True)
class Look:
    """What the service's list shows about one order.

    ``seen`` are the ids of all contracts like it. ``unrecorded`` describes those that the ledger lacks and that may
    be this order's. ``unclear`` says why the list does not tell whether there are others; it is empty if it does.
    """

    seen: tuple[str, ...]
    unrecorded: tuple[str, ...]
    unclear: str = ""


def look(
    asked: Asked, listing: Listing, recorded: Collection[str], read_in: str, by_name: Collection[str] = ()
) -> Look:
    """Look for contracts like an order. ``recorded`` are IDs in the ledger, ``read_in`` is the organization.

    ``by_name`` are those of them that it has without knowing of which hostname or domain they are. A domain exists
    once, so whose it is makes no difference.
    """
    known = {key_of(id_) for id_ in recorded}
    if asked.key:
        known -= {key_of(id_) for id_ in by_name}
    alike = [shown for shown in listing.contracts if _alike(asked, shown, listing, read_in)]
    unrecorded = [
        _described(shown)
        for shown in alike
        if key_of(shown.id) not in known and (asked.key == "domain" or _may_be_theirs(asked, shown, read_in))
    ]
    return Look(tuple(shown.id for shown in alike), tuple(unrecorded), _unclear(asked, listing, read_in))


def _alike(asked: Asked, shown: ShownContract, listing: Listing, read_in: str) -> bool:
    if asked.key:
        return likeness(asked, shown, listing, read_in).key_agrees
    if shown.product is not None:
        return same_id(shown.product, asked.product) or shown.product == asked.product_name
    return any(text is not None and holds(shown.raw, text) for text in (asked.product, asked.product_name))


def _may_be_theirs(asked: Asked, shown: ShownContract, read_in: str) -> bool:
    if same_end_user(asked, shown, read_in) is False:
        return False
    return not (asked.organization and shown.organization) or same_id(asked.organization, shown.organization)


def _described(shown: ShownContract) -> str:
    told = [shown.hostname or shown.domain, shown.product, shown.status]
    more = ", ".join(clean(each, 100) for each in told if each)
    return f"contract {clean(shown.id, 100)}" + (f" ({more})" if more else "")


def _unclear(asked: Asked, listing: Listing, read_in: str) -> str:
    """Why a contract like the order could be there without having been found; empty: it would have been."""
    if not listing.complete:
        return f"The list of contracts is not complete: {listing.why_incomplete}."
    if asked.organization is None or not same_id(asked.organization, read_in):
        others = any(shown.end_user not in (None, SELF) for shown in listing.contracts)
        if not others:
            return (
                f"The list of organization {read_in} shows no contracts of end users, so those of {asked.end_user} may "
                "be elsewhere: set organizations."
            )
    role = asked.key or "product"
    if listing.contracts and role not in listing.learned:
        return f"Which element of a contract holds the {role} is not known: {listing.unclear.get(role, 'not learned')}."
    return ""
