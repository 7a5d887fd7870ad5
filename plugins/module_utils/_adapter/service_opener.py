# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the service in a task's options. What needs a ledger alone does not import what talks to a service."""

from __future__ import annotations

from .._http.config import ServiceConfig
from .._service.description import Description
from .._service.service import Service
from .._service.service_file import read_service_file
from .context import Context


def service_of(context: Context) -> Service:
    """The service in the options, with what its file says. Nothing is sent yet. Raises ConfigurationError."""
    config, path = ServiceConfig.from_options(context.params), context.params.get("service") or None
    # Proxies and certificates are taken from the environment.
    key, kept = (config, path, frozenset(context.environ.items())), context.shared.kept

    def opened() -> Service:
        # An item of a loop that fails closes the connections. What was read stays.
        if key not in kept:
            kept[key] = Service(config, description_of(context, config.base_url), context.clocks)
        service: Service = kept[key]
        return service

    return context.shared.opened(key, opened)


def description_of(context: Context, base_url: str) -> Description:
    """What the file of the service at this address says. Nothing is sent. Raises ConfigurationError."""
    path, own = context.params.get("service") or None, str(context.params.get("organization_id") or "")
    return read_service_file(path, base_url, own, context.environ, context.read_text)
