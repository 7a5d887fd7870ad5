# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tells whose a contract is, if its record says so plainly. Pure.

An end user's UUID anywhere else is not the owner: the end user may have created the contract, or pay for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from .._core.text import clean, fold, is_uuid
from .._product_types.registry import SELF
from .._records.contract_ids import identifier
from .learned_places import Places
from .values import Place, Raw, comparable, leaves, place_of

#: Elements for the end user: the API specification's word, and those that mean nothing else in a contract.
_OWNER = re.compile("(contract)?(end(user|customer|client)|customer|client|owner)(uuid|guid|id|iri|ref)?")
_ORGANIZATION = re.compile(".*organi[sz]ation(uuid|guid|id|iri|ref)?|orgid")


def owner_of(raw: Raw, places: Places, own: str, *, said: str | None, others: Collection[str]) -> str | None:
    """The end user of a contract, ``__self__``, or ``None`` if the record does not say.

    ``own`` is the ID of the own organization. ``said`` is whose contracts are in this list according to the user, which
    counts if the record shows no owner. ``others`` are ids in the record that are known to be those of something else.
    """
    shown = [(place_of(steps), value) for steps, value in leaves(raw)]
    at = places.owner or {place for place, _value in shown if any(map(_OWNER.fullmatch, map(fold, place)))}
    told = {place: {_form(value) for where, value in shown if where == place} for place in at}
    every = set().union(*told.values())
    users = {value for value in every - {_form(own)} if is_uuid(value)}
    if users:
        # Where recorded contracts show their owner at several places, this one does so, too, or it is another's.
        plain = len(users) == 1 and not (places.owner and any(values != users for values in told.values()))
        return users.pop() if plain else None
    if every & {SELF, _form(own)}:
        return SELF
    if said is not None and not (every and said == SELF):
        return said
    # The record may show that it belongs to the own organization.
    ours = any(
        identifier(value) == own and any(map(_ORGANIZATION.fullmatch, map(fold, place))) for place, value in shown
    )
    return SELF if ours and not every and not strangers(raw, places, SELF, {*others, _form(own)}) else None


def _form(value: object) -> str:
    """A value in the form in which values are compared; of an IRI the id at its end."""
    return comparable(identifier(value) or value)


def strangers(raw: Raw, places: Places, owner: str, others: Collection[str]) -> set[str]:
    """UUIDs that may be that of an end user whom the ledger lacks, in the record of a contract of a supposed owner.

    They stand where recorded contracts show none: those of the own organization, or any for an end user's.
    """
    known = [each for user, each in places.uuids.items() if owner != SELF or user == SELF]
    found = {_form(value) for steps, value in leaves(raw) if not any(place_of(steps) in each for each in known)}
    return {value for value in found if is_uuid(value)} - set(others)


def other_identifier(raw: Raw, places: Places, owner: str, ordered: Collection[str]) -> str | None:
    """What tells a record from the recorded contracts of its supposed owner, in words; ``None`` if nothing does.

    These show one same identifier at a place, and the record another one or none. ``ordered`` are values that the order
    asked for, which may well differ.
    """
    shown: dict[Place, set[str]] = {}
    for steps, value in leaves(raw):
        shown.setdefault(place_of(steps), set()).add(_form(value))
    for place, theirs in places.identifiers.get(comparable(owner), {}).items():
        values = shown.get(place, set())
        if theirs not in values and values.isdisjoint(ordered):
            found, at = clean(min(values, default="nothing"), 60), clean("/".join(place), 60)
            return f"{found} at {at}, where recorded ones show {clean(theirs, 60)}"
    return None
