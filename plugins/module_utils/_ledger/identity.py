# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Identifies what an order is for, so that the ledger finds the same thing under another name. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from .._core.addresses import same_service
from .._core.text import caseless
from .order_records import RELEASED, Record, Request

_NAME = "name"


def identity(setting: str, value: str, end_user: str | None = None) -> str:
    """A text that identifies one thing, such as a domain. With ``end_user``, each end user may have its own.

    ``setting`` is the setting that names the thing, ``value`` its value, compared without case, as DNS does.
    """
    return _text(setting, None if end_user is None else caseless(end_user), caseless(value))


def identity_of_name(name: str) -> str:
    """The identity of a contract of which only the order's name is known."""
    return _text(_NAME, None, caseless(name))


def sought(wanted: str) -> tuple[str, str]:
    """The identities of records that may be the same as what is ``wanted``."""
    _setting, _end_user, value = json.loads(wanted)
    return wanted, identity_of_name(value)


def duplicate(request: Request, records: Iterable[Record]) -> Record | None:
    """The first of these records that is for the same thing as the request, under another name.

    A record without a service, an organization or anything but its name may be of the same one, and counts.
    """
    return next((record for record in records if record.name != request.name and _same(record, request)), None)


def by_identity(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The records that are not released, by identity, in the order of their creation."""
    found: dict[str, list[Record]] = {}
    for record in sorted(records, key=lambda record: (record.claimed_at or record.updated_at, record.name)):
        about = identity_of_name(record.name) if record.request is None else record.request.identity
        if about is not None and record.status not in RELEASED:
            found.setdefault(about, []).append(record)
    return found


def _same(record: Record, wanted: Request) -> bool:
    held = record.request
    if held is None:
        return True
    if held.service and wanted.service and not same_service(held.service, wanted.service):
        return False
    _setting, end_user, _value = json.loads(wanted.identity or "[null, null, null]")
    organizations = {held.organization_id, wanted.organization_id} - {""}
    return end_user is None or len(organizations) < 2


def _text(*parts: str | None) -> str:
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
