# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The description of a service: how it names and shows things, as its file says, and as it was learned. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from .._core.text import same_id

#: The origin of a field: the file of the service, its OpenAPI document, or a usual name in its answers.
Source = Literal["file", "openapi", "name"]


class EndUser(NamedTuple):
    """An end user of the file: its UUID, and its organization where that is given."""

    name: str
    id: str
    organization_id: str | None = None
    org_max_ram: int | None = None


class Field(NamedTuple):
    """A field of a description. ``value`` is ``None`` where the file says that there is none."""

    value: Any
    source: Source
    line: int | None = None


@dataclass(frozen=True)
class Description:
    """What is known of a service."""

    #: Its file, ``None`` without one.
    path: str | None = None
    #: By their dotted names: ``order.end_user``, ``contracts.hostname``, ``openapi_url``.
    fields: Mapping[str, Field] = field(default_factory=dict)
    #: By their names.
    end_users: Mapping[str, EndUser] = field(default_factory=dict)

    def get(self, name: str) -> Any:
        """Return the value of a field, ``None`` where it is not known, or the file says that there is none."""
        found = self.fields.get(name)
        return None if found is None else found.value

    def source(self, name: str) -> Source | None:
        """Return where a value is from, ``None`` for a field that is not known at all."""
        found = self.fields.get(name)
        return None if found is None else found.source

    @property
    def organizations(self) -> Mapping[str, str]:
        """The IDs of the organizations that are given, by the UUID of the end user."""
        return {each.id: each.organization_id for each in self.end_users.values() if each.organization_id}

    def end_user(self, given: str) -> EndUser | None:
        """Return the end user with this name or UUID, ``None`` if the file has none."""
        found = (each for each in self.end_users.values() if same_id(each.id, given))
        return self.end_users.get(given) or next(found, None)

    def id_of(self, given: str) -> str:
        """Return the UUID of the end user with this name, otherwise what is given."""
        known = self.end_users.get(given)
        return known.id if known else given

    def name_of(self, end_user: str | None) -> str | None:
        """Return the name of the end user with this UUID, ``None`` if the file has none."""
        known = self.end_user(end_user) if end_user else None
        return known.name if known else None

    def most_ram(self, end_user: str) -> int | None:
        """ORG_MAX_RAM in MB for an end user's UUID, or ``__self__``; ``None`` where it is not given."""
        own = (each.org_max_ram for each in self.end_users.values() if same_id(each.id, end_user))
        return next(own, None) or self.get("org_max_ram")

    def with_learned(self, learned: Mapping[str, Field]) -> Description:
        """Return this description with what its file leaves out as it was learned."""
        return replace(self, fields={**learned, **self.fields})
