# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configurable VPS, "VPS-Konfigurator" (API specification 2.2, 4.3.2 and 8)."""

from __future__ import annotations

from .product_type import BOOLEAN, HOSTNAME, OS_TEMPLATE, TEXT, ProductType, integer, matching, settings_object, titled

_PROPERTIES = {
    "cpu_cores": titled("Number of CPU cores", integer(1, 10, step=1)),
    "ram": titled("RAM", integer(1024, step=1024, open_end="ORG_MAX_RAM", unit="MB")),
    "disk_size": titled("Disk size", integer(10, 1000, step=10, unit="GB")),
    "username": titled(
        "Username for the VPS",
        matching("a string of 3 to 32 characters, letters A-Z a-z and digits 0-9 only", "[A-Za-z0-9]{3,32}"),
    ),
    "password": titled("Password for the VPS", TEXT),
    "template_name": OS_TEMPLATE,
    "hostname": titled("Hostname for the VPS", HOSTNAME),
    "ipv4_addresses": titled("Number of IPv4 addresses", integer(1, 10, step=1)),
    "traffic_display": titled("Traffic", integer(128, step=128, unit="GB")),
    "backup_count": titled("Number of backups allowed", integer(5, step=1)),
    "snapshot_count": titled("Number of snapshots allowed", integer(2, step=1)),
    "ha_upgrade": titled("Upgrade to HA VPS", BOOLEAN),
    "10g_upgrade": titled("Upgrade to 10G uplink", BOOLEAN),
}


CONFIGURABLE_VPS = ProductType(
    name="configurable_vps",
    title="configurable VPS",
    section="4.3.2",
    schema=settings_object("Settings of a configurable VPS", _PROPERTIES, required=list(_PROPERTIES)),
    product_id="fb8663c7-70b6-4d81-9750-c0d2b5697107",
    identity="hostname",
    secrets=frozenset({"password"}),
    signatures=(frozenset({"cpu_cores", "ram", "disk_size"}),),
    org_maximum="ram",
)
