# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A product type as the rest of the collection knows it (API specification 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, eq=False)
class ProductType:
    """One product type: its settings as a JSON Schema, and what no schema can say.

    ``schema`` is a JSON Schema (draft 2020-12) of the settings object, complete in itself. Its properties are in the
    order of the API specification; the ``description`` of each part is its rule in words. A property that may be an
    object or a string is sent as JSON in a string. One that may be an array or a string is sent as host names separated
    by spaces, each once: the API specification requires strings, and a playbook may give either. Whatever is true of
    exactly one of several settings is an element of ``allOf`` with a ``description`` and a ``oneOf`` whose
    alternatives say ``required``. So is a setting that needs others, with ``dependentRequired``.

    ``title`` names the type in messages; ``section`` is that of the API specification. ``product_id`` is the documented
    UUID of its only product. ``identity`` is the setting that names an order by default; an order with the same value
    for the same end user is a duplicate, and if the value is ``unique`` in the world, one for anybody. ``secrets`` and
    ``contacts`` are the settings that may not be shown, and those that hold personal data. ``signatures``: if the
    options of a product hold all the names of one of these sets, and no setting that is only another type's, it is of
    this type. ``never_null`` are settings without which something else is bought, with the advice for one that is given
    as null or empty: it was meant to be a value. ``org_maximum`` is the setting with the upper bound ORG_MAX_RAM.
    ``advise`` returns warnings about settings.
    """

    name: str
    title: str
    section: str
    schema: Mapping[str, Any]
    product_id: str | None = None
    identity: str | None = None
    unique: bool = False
    secrets: frozenset[str] = frozenset()
    contacts: frozenset[str] = frozenset()
    signatures: tuple[frozenset[str], ...] = ()
    billing: Literal["yearly"] | None = None
    never_null: Mapping[str, str] = field(default_factory=dict)
    org_maximum: str | None = None
    advise: Callable[[Mapping[str, Any]], Sequence[str]] = lambda _settings: ()

    @property
    def settings(self) -> Mapping[str, Mapping[str, Any]]:
        """The documented settings: name to JSON Schema, in the order of the API specification."""
        properties: Mapping[str, Mapping[str, Any]] = self.schema["properties"]
        return properties

    def __str__(self) -> str:
        return f"{self.name} ({self.title})" if self.name != self.title else self.name
