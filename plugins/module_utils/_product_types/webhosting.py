# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Webhosting, which needs no settings (API specification 4.3.4)."""

from __future__ import annotations

from .product_type import ProductType, settings_object

WEBHOSTING = ProductType(
    name="webhosting",
    title="webhosting",
    section="4.3.4",
    schema=settings_object("Settings of webhosting", {}),
)
