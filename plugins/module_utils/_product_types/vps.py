# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Regular VPS: VPS, HA VPS, VDS, Storage VPS (API specification 4.3.1)."""

from __future__ import annotations

from .product_type import HOSTNAME, OS_TEMPLATE, ProductType, settings_object, titled

VPS = ProductType(
    name="vps",
    title="regular VPS",
    section="4.3.1",
    schema=settings_object(
        "Settings of a regular VPS",
        {"hostname": titled("Hostname", HOSTNAME), "template": OS_TEMPLATE},
        required=["hostname", "template"],
    ),
    identity="hostname",
    signatures=(frozenset({"hostname", "template"}),),
)
