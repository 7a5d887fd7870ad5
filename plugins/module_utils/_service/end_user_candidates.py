# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds end users with their organizations in a list that a service publishes: candidates for its file. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._core.text import by_folded_name, fold, is_uuid, words
from .description import EndUser
from .reference import Reference

#: The last step of the path of a list of end users.
_LISTS = words("endusers customers clients organizations organisations accounts subaccounts users")
_IDS = ("enduseruuid", "enduserid", "customeruuid", "customerid", "uuid", "id")
_ORGANIZATIONS = ("organizationid", "organisationid", "orgid", "organizationnumber")
_NESTED = ("organization", "organisation", "org")
_NAMES = ("customernumber", "number", "reference", "name", "company")
_UNFIT = re.compile(r"[^\w.-]+")


def end_user_lists(reference: Reference) -> list[str]:
    """Return the published paths of lists of end users."""
    found = [each.path for each in reference.operations if each.method == "GET" and "{" not in each.path]
    return [path for path in found if fold(path.rstrip("/").rpartition("/")[2]) in _LISTS]


def end_users_in(records: Iterable[Any], known: Iterable[str] = ()) -> list[EndUser]:
    """Return those whose record shows a UUID beside an organization's ID, but for the ``known`` UUIDs, each once."""
    found: dict[str, EndUser] = {}
    taken = {each.lower() for each in known}
    for each in _shown(records):
        if each.id not in taken:
            name = each.name if all(one.name != each.name for one in found.values()) else each.id[:8]
            found.setdefault(each.id, each._replace(name=name))
    return [*found.values()]


def _shown(records: Iterable[Any]) -> Iterator[EndUser]:
    for record in records:
        members = by_folded_name(record) if isinstance(record, Mapping) else {}
        user = next((members[name] for name in _IDS if is_uuid(members.get(name))), None)
        nested = [members[name] for name in _NESTED if isinstance(members.get(name), Mapping)]
        shown = [members.get(name) for name in _ORGANIZATIONS] + [by_folded_name(each).get("id") for each in nested]
        organization = next((each for each in shown if _is_id(each)), None)
        if user is not None and organization is not None:
            named = next((str(members[name]) for name in _NAMES if _is_id(members.get(name))), "")
            plain = _UNFIT.sub("-", named).strip("-")[:60]
            name = plain if plain and not is_uuid(plain) else f"customer-{str(user)[:8]}"
            yield EndUser(name, str(user).lower(), str(organization))


def _is_id(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and value not in ("", 0)
