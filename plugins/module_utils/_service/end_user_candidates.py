# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds end users with their organizations in a list that a service publishes: candidates for its file. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._core.text import fold, is_uuid
from .description import END_USER_LISTS, END_USER_NAMES, EndUser, named_places
from .openapi_document import OpenApiDocument
from .places import at, leaves

_UNFIT = re.compile(r"[^\w.-]+")


def end_user_lists(document: OpenApiDocument) -> list[str]:
    """Return the published paths of lists of end users."""
    paths = [
        operation.path for operation in document.operations if operation.method == "GET" and "{" not in operation.path
    ]
    return [path for path in paths if fold(path.rstrip("/").rpartition("/")[2]) in END_USER_LISTS]


def end_users_in(records: Iterable[Any], known: Iterable[str] = ()) -> list[EndUser]:
    """Return those whose record shows a UUID beside an organization's ID, but for the ``known`` UUIDs, each once."""
    end_users: dict[str, EndUser] = {}
    known_ids = {uuid.lower() for uuid in known}
    for user in _shown(records):
        if user.id not in known_ids:
            name = user.name if all(other.name != user.name for other in end_users.values()) else user.id[:8]
            end_users.setdefault(user.id, user._replace(name=name))
    return [*end_users.values()]


def _shown(records: Iterable[Any]) -> Iterator[EndUser]:
    rows = [record for record in records if isinstance(record, Mapping)]
    places = named_places((place for row in rows for place, _value in leaves(row, nulls=True)), END_USER_NAMES)
    for row in rows:
        values = {name: [value for place in here for value in at(row, place)] for name, here in places.items()}
        user = next(filter(is_uuid, values["id"]), None)
        organization = next(filter(_is_id, values["organization_id"]), None)
        if user is not None and organization is not None:
            plain = _UNFIT.sub("-", next((str(value) for value in values["name"] if _is_id(value)), "")).strip("-")[:60]
            name = plain if plain and not is_uuid(plain) else f"customer-{user[:8]}"
            yield EndUser(name, user.lower(), str(organization))


def _is_id(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and value not in ("", 0)
