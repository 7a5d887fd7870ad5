# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Learns what the file of a service leaves out: from the OpenAPI document, and by the names in the list of contracts.

One candidate or none. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import product

from .._core.errors import PublishedReferenceError
from .._core.text import fold
from .._product_types.registry import SELF
from .description import Description, Field
from .names import NAMES
from .order_shape import order_shape
from .places import ANY, Raw, leaves
from .reference import Reference

#: What may hold the fields of a record, and what may hold the value of a field.
_RECORDS = ("", "attributes", "contract", "node", "item", "resource")
_HOLDERS = (*_RECORDS, "settings", "config", "configuration", "server")
_INNER = {
    "product": ("", "uuid", "id", "@id", "name"),
    "end_user": ("", "uuid", "id", "@id"),
    "organization_id": ("", "id"),
    "state": ("", "name"),
}


def learn(
    known: Description, reference: Reference | None = None, records: Sequence[Raw] = (), organization_id: str = ""
) -> Description:
    """Return a description with what it leaves out, as the document tells it clearly, or names in ``records`` do.

    ``organization_id`` is the own one: with it, ``own`` is the specification's word for it.
    """
    found: dict[str, Field] = {}
    if reference is not None:
        with suppress(PublishedReferenceError):
            shape = order_shape(reference, known.get("order.end_user"), known.get("order.product"))
            found["order.end_user"] = Field(shape.end_user_element, "openapi")
            found["order.product"] = Field(shape.product_element, "openapi")
        if reference.contracts_path is not None:
            found["contracts.path"] = Field(reference.contracts_path, "openapi")
    for name, places in named_places(records).items():
        if places:
            found[f"contracts.{name}"] = Field(places[0], "name")
    if organization_id:
        found["contracts.own"] = Field([SELF, organization_id], "name")
    return known.with_learned(found)


def named_places(records: Iterable[Raw], names_of: Mapping[str, Sequence[str]] = NAMES) -> dict[str, list[str]]:
    """Return the places with a usual name of each field of these records, the most telling first."""
    shown = _places_by_folded_steps(records)
    found: dict[str, list[str]] = {}
    for field, names in names_of.items():
        # An id nested elsewhere is that of another thing.
        holders, inner = _RECORDS if field == "id" else _HOLDERS, _INNER.get(field, ("",))
        paths = (tuple(filter(None, path)) for name in names for path in product(holders, (name,), inner))
        places = dict.fromkeys(shown[path] for path in paths if path in shown)
        found[field] = [each for each in places if field == "address" or ANY not in each]
    return found


def _places_by_folded_steps(records: Iterable[Raw]) -> dict[tuple[str, ...], str]:
    """Return all places of single values, and of lists of them."""
    shown: dict[tuple[str, ...], str] = {}
    for record in records:
        for place, _value in leaves(record, nulls=True):
            if ANY not in place.split(".")[:-1]:
                shown.setdefault(tuple(fold(step) for step in place.split(".") if step != ANY), place)
    return shown
