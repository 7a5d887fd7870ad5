# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Identifies what an order is for, so that the same thing is found under another name. Pure.

An identity is a text of three parts: the setting that names the thing, the end user whose it is, and the thing's name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from .._core.addresses import same_service
from .._core.text import caseless, same_id
from .order_records import RELEASED, Record, Request

#: Stands for the setting where only a name is known.
_NAME = "name"


def identity(setting: str, value: str, end_user: str | None = None) -> str:
    """A text that identifies one thing, such as a domain. With ``end_user``, each end user may have its own.

    ``setting`` is the setting that names the thing, ``value`` its value, compared without case, as DNS does. Without
    ``end_user`` there is one such thing, or it is not known whose it is.
    """
    parts = (setting, None if end_user is None else caseless(end_user), caseless(value))
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))


def identity_of_name(name: str) -> str:
    """The identity of a contract of which only a name is known: it may be any thing of that name."""
    return identity(_NAME, name)


def subject_of(about: str) -> str:
    """The name of the thing in an identity, by which records are looked up."""
    return str(json.loads(about)[2])


def recorded_identity(record: Record) -> str | None:
    """The identity of what is recorded, ``None`` if there are no duplicates of it."""
    return identity_of_name(record.name) if record.request is None else record.request.identity


def by_subject(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The records that are not released, by the name of their thing, in the order of their creation."""
    found: dict[str, list[Record]] = {}
    for record in sorted(records, key=lambda record: (record.claimed_at or record.updated_at, record.name)):
        about = recorded_identity(record)
        if about is not None and record.status not in RELEASED:
            found.setdefault(subject_of(about), []).append(record)
    return found


def duplicate(request: Request, found: Mapping[str, Iterable[Record]]) -> Record | None:
    """The first record for the same thing as the request under another name, among those found by_subject()."""
    if not request.identity:
        return None
    records = found.get(subject_of(request.identity), ())
    return next((record for record in records if record.name != request.name and _same(record, request)), None)


def is_of_contract(other: Record, contract_id: str | None, request: Request | None) -> bool:
    """Whether a record is of this contract, as far as it is known whose services they are."""
    services = [known.service for known in (other.request, request) if known is not None and known.service]
    return (
        contract_id is not None
        and same_id(other.outcome.contract_id or "", contract_id)
        and (len(services) < 2 or same_service(*services))
    )


def _same(record: Record, wanted: Request) -> bool:
    """Whether two things of one name are the same. What is not known of one of them may be as it is of the other."""
    recorded = record.request
    setting, end_user, _subject = json.loads(recorded_identity(record) or "[null, null, null]")
    other_setting, other_end_user, _subject = json.loads(wanted.identity or "[null, null, null]")
    if setting != other_setting and _NAME not in (setting, other_setting):
        return False
    if recorded is None:
        return True
    if recorded.service and wanted.service and not same_service(recorded.service, wanted.service):
        return False
    organizations = {recorded.organization_id, wanted.organization_id} - {""}
    return not (end_user and other_end_user) or (end_user == other_end_user and len(organizations) < 2)
