# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documented settings of every product type (API specification 2.4, 4.3 and 8).

A new product type is one new file here, and one line in ``PRODUCT_TYPES``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from .configurable_vps import CONFIGURABLE_VPS
from .dedicated_server import DEDICATED_SERVER
from .domain import DOMAIN
from .product_type import OS_TEMPLATE, ProductType
from .vps import VPS
from .webhosting import WEBHOSTING

PRODUCT_TYPES: Mapping[str, ProductType] = {
    product_type.name: product_type
    for product_type in (
        VPS,
        CONFIGURABLE_VPS,
        DEDICATED_SERVER,
        WEBHOSTING,
        DOMAIN,
    )
}

#: In place of an end user's UUID: the reseller's own organization (API specification 2.3).
SELF = "__self__"
#: The UUIDs of the products that the API specification names (2.2).
DOCUMENTED_PRODUCTS: tuple[str, ...] = tuple(kind.product_id for kind in PRODUCT_TYPES.values() if kind.product_id)

#: The settings that name what is ordered, each once.
IDENTITIES = tuple(dict.fromkeys(kind.identity for kind in PRODUCT_TYPES.values() if kind.identity))
#: Settings whose values are shown nowhere, of whatever type the order is.
SECRET_SETTINGS: frozenset[str] = frozenset().union(*(kind.secrets for kind in PRODUCT_TYPES.values()))
#: Settings that hold personal data.
CONTACT_SETTINGS: frozenset[str] = frozenset().union(*(kind.contacts for kind in PRODUCT_TYPES.values()))

#: The settings that take the name of an OS template (API specification 4.3).
TEMPLATE_SETTINGS: frozenset[str] = frozenset(
    name for kind in PRODUCT_TYPES.values() for name, rule in kind.settings.items() if rule is OS_TEMPLATE
)

#: The settings of all product types.
DOCUMENTED_SETTINGS: frozenset[str] = frozenset().union(*(kind.settings for kind in PRODUCT_TYPES.values()))


def contact_text(contact: Mapping[str, Any]) -> str:
    """A contact as the service takes it: a string of compact JSON (API specification 4.3.5)."""
    return json.dumps(contact, ensure_ascii=False, separators=(",", ":"))


def product_type_of_id(product_id: str) -> ProductType | None:
    """The product type whose only product has this UUID (API specification 2.2), written in any case."""
    wanted = product_id.lower()
    return next((kind for kind in PRODUCT_TYPES.values() if kind.product_id == wanted), None)


def infer(option_names: Collection[str]) -> ProductType | None:
    """The product type that the names of a product's options tell, or None when they are not clear.

    No options at all are webhosting's. A name that is no documented setting says nothing.
    """
    names = frozenset(option_names)
    if not names:
        return WEBHOSTING
    documented = names & DOCUMENTED_SETTINGS
    fitting = [
        kind
        for kind in PRODUCT_TYPES.values()
        if documented <= kind.settings.keys() and any(signature <= names for signature in kind.signatures)
    ]
    return fitting[0] if len(fitting) == 1 else None
