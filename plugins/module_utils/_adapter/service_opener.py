# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the service in a task's options. What needs a ledger alone does not import what talks to a service."""

from __future__ import annotations

from .._http.config import ServiceConfig
from .._order.service import Service
from .context import Context


def service_of(context: Context) -> Service:
    """The service in the options. Nothing is sent yet. Raises ConfigurationError."""
    params = context.params
    elements = params.get("end_user_element") or None, params.get("product_element") or None
    config = ServiceConfig.from_options(params)
    # Proxies and certificates are taken from the environment.
    return context.shared.opened(
        (config, elements, frozenset(context.environ.items())), lambda: Service(config, *elements)
    )
