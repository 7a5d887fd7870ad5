# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One acceptable order of each product type, as it goes over the wire, and any order as the planner prepares it."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import Order, RequestedOrder, identity_of
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from playbooks.files.simulator import data

CONTACT = {
    "label": "customer-1001",
    "first_name": "Erika",
    "last_name": "Mustermann",
    "company_name": "Muster GmbH",
    "street": "Heidestraße 17",
    "postal_code": "51147",
    "city": "Köln",
    "country": "DE",
    "telephone": "+49.22112345678",
    "email": "erika@muster.example",
    "fax": "",
}
CONTACT_DATA = json.dumps(CONTACT, ensure_ascii=False, separators=(",", ":"))

PRODUCTS = {
    data.VPS: data.VPS_M,
    data.CONFIGURABLE_VPS: data.VPS_KONFIGURATOR,
    data.DEDICATED_SERVER: data.DEDICATED_FRANKFURT,
    data.WEBHOSTING: data.WEBHOSTING_START,
    data.DOMAIN: data.DOMAIN_DEFAULT,
}
SETTINGS: dict[str, dict[str, Any]] = {
    data.VPS: {"hostname": "web01.customer.example", "template": "debian-12"},
    data.CONFIGURABLE_VPS: {
        "cpu_cores": 2,
        "ram": 4096,
        "disk_size": 80,
        "username": "deploy",
        "password": "Quite-Secret-1",
        "template_name": "debian-12",
        "hostname": "app01.customer.example",
        "ipv4_addresses": 1,
        "traffic_display": 1024,
        "backup_count": 5,
        "snapshot_count": 2,
        "ha_upgrade": False,
        "10g_upgrade": False,
    },
    data.DEDICATED_SERVER: {
        "hostname": "db01.customer.example",
        "template": "debian-12",
        "ip4_count": 1,
        "ip6_subnet_size": 64,
    },
    data.WEBHOSTING: {},
    data.DOMAIN: {
        "domain": "customer.example",
        "action": "register",
        "ownercData": CONTACT_DATA,
        "admincRef": data.ADMIN_CONTACT,
    },
}


def with_changes(values: Mapping[Any, Any], changes: Mapping[Any, Any]) -> dict[Any, Any]:
    """These with *changes*; a change to ``...`` leaves one out."""
    return {name: value for name, value in {**values, **changes}.items() if value is not ...}


def settings(product_type: str, **changes: Any) -> dict[str, Any]:
    """The example of *product_type* with *changes*."""
    return with_changes(copy.deepcopy(SETTINGS[product_type]), changes)


def contact_data(**changes: Any) -> str:
    """The example contact as a string with *changes*."""
    return json.dumps(with_changes(CONTACT, changes))


CONFIG = ServiceConfig("https://portal.example.org", "key-0123456789", "4200")
PRODUCT = "43444cec-30eb-4f99-a44d-4e7c1373723d"


def order_of(
    name: str, settings: Mapping[str, Any], kind: str = "vps", *, config: ServiceConfig = CONFIG, **options: Any
) -> Order:
    """An order without a catalogue for the reseller itself, with any settings. ``options`` are its others."""
    requested, product_type = RequestedOrder("__self__", name, **options), PRODUCT_TYPES[kind]
    return requested.order(
        config,
        product_type,
        PRODUCT,
        "VPS M",
        settings=settings,
        identity=identity_of(product_type, settings, requested.end_user),
    )
