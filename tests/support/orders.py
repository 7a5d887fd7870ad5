# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An order as the planner prepares it, without a catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._order.order import Order, RequestedOrder, identity_of
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES

CONFIG = ServiceConfig("https://portal.example.org", "key-0123456789", "4200")
PRODUCT = "43444cec-30eb-4f99-a44d-4e7c1373723d"


def order_of(
    name: str, settings: Mapping[str, Any], kind: str = "vps", *, config: ServiceConfig = CONFIG, **options: Any
) -> Order:
    """An order with these settings, whatever their rules say, for the reseller itself. ``options`` are its others."""
    requested, product_type = RequestedOrder("__self__", name, **options), PRODUCT_TYPES[kind]
    return requested.order(
        config,
        product_type,
        PRODUCT,
        "VPS M",
        settings=settings,
        additional_elements=requested.additional_elements,
        identity=identity_of(product_type, settings, requested.end_user),
    )
