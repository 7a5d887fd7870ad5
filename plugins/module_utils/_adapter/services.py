# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the service in a task's options."""

from __future__ import annotations

from .._core.cache import Cache
from .._http.config import ServiceConfig
from .._ledger.locations import cache_folder
from .._order.service import Knowledge, Service
from .context import Context


def service_of(context: Context, pool_size: int = 1) -> Service:
    """The service in the options. Nothing is sent yet. Raises ConfigurationError."""
    params = context.params
    knowledge = Knowledge(
        end_user_element=params.get("end_user_element") or None,
        product_element=params.get("product_element") or None,
        catalogue_max_age=float(params.get("catalogue_max_age", 0)),
        refresh=params.get("refresh", True),
    )
    config, folder = ServiceConfig.from_options(params), cache_folder(context.environ)

    def make() -> Service:
        return Service(config, Cache(folder), knowledge, pool_size=pool_size)

    return context.open_service((config, knowledge, folder, pool_size), make)
