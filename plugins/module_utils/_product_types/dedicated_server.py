# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Dedicated server (API specification 4.3.3 and 8)."""

from __future__ import annotations

from .product_type import HOSTNAME, OS_TEMPLATE, UUID, ProductType, integer, settings_object, titled

# An ip4_count of null counts as not given, and is sent as written.
_ONE_OF_IP4 = {
    "description": "give either ip4_subnet_size or ip4_count (an ip4_count of null is not given)",
    "oneOf": [
        {"required": ["ip4_subnet_size"], "properties": {"ip4_count": {"type": "null"}}},
        {
            "required": ["ip4_count"],
            "properties": {"ip4_count": {"not": {"type": "null"}}, "ip4_subnet_size": False},
        },
    ],
}

DEDICATED_SERVER = ProductType(
    name="dedicated_server",
    title="dedicated server",
    section="4.3.3",
    schema=settings_object(
        "Settings of a dedicated server",
        {
            "hostname": titled("Hostname", HOSTNAME),
            "template": OS_TEMPLATE,
            "ip4_subnet_size": titled("Size of the IPv4 subnet to allocate", integer(25, 29)),
            "ip4_count": titled("Number of IPv4 addresses to allocate", integer(1, 10, nullable=True)),
            "ip6_subnet_size": titled("Size of the IPv6 subnet to allocate", integer(48, 64)),
            "existing_l2vpn": titled("Existing L2VPN to use as the public VLAN (by default, a new one)", UUID),
        },
        required=["hostname", "template"],
        groups=[_ONE_OF_IP4],
    ),
    identity="hostname",
    never_null={"existing_l2vpn": "leave it out if a new L2VPN is wanted"},
    signatures=(frozenset({"ip4_subnet_size"}), frozenset({"ip4_count"})),
)
