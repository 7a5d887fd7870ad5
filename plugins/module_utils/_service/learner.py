# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Learns from the OpenAPI document what the file of a service leaves out. What lists show, they tell. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .._core.errors import PublishedReferenceError
from .description import Field
from .order_shape import END_USER, PRODUCT, SETTINGS, likely_names, order_body
from .reference import Reference


def learn(reference: Reference) -> Mapping[str, Field]:
    """Return the fields that the document tells clearly: the elements of an order, and the path of the list."""
    return {name: Field(value, "openapi") for name, value in _clear_fields(reference)}


def _clear_fields(reference: Reference) -> Iterator[tuple[str, str]]:
    try:
        _media_type, elements = order_body(reference)
    except PublishedReferenceError:
        elements = []
    names = likely_names([each for each in elements if each.name != SETTINGS], {END_USER: None, PRODUCT: None})
    clear = {role: found[0] for role, found in names.items() if len(found) == 1}
    if len({*clear.values()}) == len(clear):
        yield from ((f"order.{role.name}", name) for role, name in clear.items())
    if reference.contracts_path is not None:
        yield "contracts.path", reference.contracts_path
