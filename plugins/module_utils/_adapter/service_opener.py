# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the service in a task's options. What needs a ledger alone does not import what talks to a service."""

from __future__ import annotations

from .._core.files import Cache
from .._http.config import ServiceConfig
from .._ledger.locations import cache_folder
from .._order.service import Service
from .context import Context


def service_of(context: Context, *, anew: bool = False) -> Service:
    """The service in the options; with ``anew``, nothing is taken from the cache. Nothing is sent yet.

    Raises ConfigurationError.
    """
    params = context.params
    elements = params.get("end_user_element") or None, params.get("product_element") or None
    config, folder = ServiceConfig.from_options(params), cache_folder(context.environ)

    def make() -> Service:
        return Service(config, Cache(folder), *elements, anew=anew, since=context.shared.since)

    # Proxies and certificates are taken from the environment.
    return context.shared.opened((config, elements, anew, frozenset(context.environ.items())), make)
