# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the service in a task's options, and says what the files of services say for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .._ledger.order_records import Record
from .._service.description import Description
from .._service.service_file import described_services, read_service_file
from .context import Context

if TYPE_CHECKING:
    from .._service.service import Service


def service_of(context: Context) -> Service:
    """The service in the options, with what its file says. Nothing is sent yet. Raises ConfigurationError."""
    # Imported here: what needs a ledger alone does not import what talks to a service.
    from .._http.config import ServiceConfig
    from .._service.service import Service

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


def descriptions_of(context: Context, base_urls: Iterable[str]) -> dict[str, Description]:
    """What the files of these services say, for people. A task without the option takes that of the environment."""
    path = context.params.get("service") or context.environ.get("RESELLER_SERVICE") or None
    return described_services(path, base_urls, context.environ, context.read_text, context.warn)


def named_record(record: Record, described: Mapping[str, Description]) -> dict[str, Any]:
    """The return value ``record``, with the name that the file of its service has for its end user."""
    request = record.request
    known = described.get(request.service) if request else None
    return {**record.as_dict(), "end_user_name": known.name_of(request.end_user) if known and request else None}
