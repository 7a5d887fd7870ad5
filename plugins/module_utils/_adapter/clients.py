# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the client for the service in a task's options, for tasks that need nothing else of the service."""

from __future__ import annotations

from .._http.client import Client
from .._http.config import ServiceConfig
from .context import Context


def client_of(context: Context) -> Client:
    """The client for the service in the options. It sends nothing yet. Raises ConfigurationError."""
    config = ServiceConfig.from_options(context.params)
    return context.open_service((Client, config), lambda: Client(config))
