# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Contracts as the service shows them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .places import Places
from .values import Raw, id_key, values_in


@dataclass(frozen=True)
class ShownContract:
    """One contract as the service shows it; ``None`` for what no value of the record tells.

    ``ids`` are all of its ids by place, ``id`` is the one to use.
    """

    id: str
    raw: Raw = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    product: str | None = None
    end_user: str | None = None
    hostname: str | None = None
    domain: str | None = None

    @cached_property
    def values(self) -> frozenset[str]:
        """All values of the record; of an IRI also the id at its end."""
        return values_in(self.raw)

    @cached_property
    def id_keys(self) -> frozenset[str]:
        """All of its ids, in the form in which ids are compared."""
        return frozenset(id_key(each) for each in (self.id, *self.ids.values()))

    def has_id(self, ids: Collection[str]) -> bool:
        """Whether one of its ids is among these, which are in the form in which ids are compared."""
        return not self.id_keys.isdisjoint(ids)


@dataclass(frozen=True)
class ContractList:
    """All contracts that one read of an organization returned. ``why_incomplete`` is empty if none can be missing.

    ``places`` are where its recorded contracts show what was ordered. ``proven``: one of them shows its id beside it.
    """

    contracts: tuple[ShownContract, ...]
    organization_id: str
    why_incomplete: str = ""
    places: Places = field(default_factory=Places)
    proven: bool = False

    @property
    def complete(self) -> bool:
        return not self.why_incomplete

    def find(self, contract_id: str) -> ShownContract | None:
        """The contract with this id, preferably as the one to use."""
        wanted = {id_key(contract_id)}
        found = [each for each in self.contracts if each.has_id(wanted)]
        return min(found, key=lambda each: id_key(each.id) not in wanted, default=None)
