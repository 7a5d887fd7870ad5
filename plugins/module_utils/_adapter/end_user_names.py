# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Shows the names of end users in records, by the files of services alone: nothing here talks to one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._ledger.order_records import Record
from .._service.description import Description
from .._service.service_file import described_services
from .context import Context


def descriptions_of(context: Context, base_urls: Iterable[str]) -> dict[str, Description]:
    """What the files of these services say, for people. A task without the option takes that of the environment."""
    path = context.params.get("service") or context.environ.get("RESELLER_SERVICE") or None
    return described_services(path, base_urls, context.environ, context.read_text, context.warn)


def named_record(record: Record, described: Mapping[str, Description]) -> dict[str, Any]:
    """The return value ``record``, with the name that the file of its service has for its end user."""
    request = record.request
    known = described.get(request.service) if request else None
    return {**record.as_dict(), "end_user_name": known.name_of(request.end_user) if known and request else None}
