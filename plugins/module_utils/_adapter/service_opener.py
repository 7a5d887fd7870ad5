# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the service in a task's options. What needs a ledger alone does not import what talks to a service."""

from __future__ import annotations

from .._http.config import ServiceConfig
from .._service.service import Service
from .._service.service_file import read_service_file
from .context import Context


def service_of(context: Context) -> Service:
    """The service in the options, with what its file says. Nothing is sent yet. Raises ConfigurationError."""
    params = context.params
    config, path = ServiceConfig.from_options(params), params.get("service") or None

    def opened() -> Service:
        account = config.base_url, config.organization_id
        return Service(config, read_service_file(path, *account, context.environ, context.read_text))

    # Proxies and certificates are taken from the environment.
    return context.shared.opened((config, path, frozenset(context.environ.items())), opened)
