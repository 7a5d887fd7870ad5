# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges whether a contract is over, or says in any form that it may not stand (no state is documented). Pure.

Where it is doubtful whether a contract is over, it stands when an order is refused, and is over when one is settled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime

from .._core.text import clean, words
from .._secrets.recognition import words_of
from .._service.places import Raw, at, comparable, leaves, only_at
from .._service.proofs import ListFields

#: States that say that a contract is over: alone, and only beside a day that has passed.
_OVER, _WITH_DATE = words("deleted ended closed"), words("cancelled canceled terminated")
#: Words that say of a contract that it does not stand, or may not.
_ENDED_OR_FAILED = (
    _OVER | _WITH_DATE | words("failed rejected declined error expired draft quote quotation offer angebot")
)
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)([T ].*)?")
_LONGEST_STATE, _OTHER_TEXT = 40, re.compile(r"\S[./@]\S")


def state_of(raw: Raw, fields: ListFields) -> tuple[str | None, str]:
    """Return the state of a contract, ``None`` for one that shows none, and the same with its place for a sentence."""
    place, state = fields.get("state"), only_at(raw, fields.get("state"))
    return state, f"{clean(str(place), 60)}: {clean(str(state), 60)}"


def is_one_of(state: str | None, states: Iterable[str] | None) -> bool:
    """Return whether a state is one of those that the file lists."""
    return state is not None and comparable(state) in map(comparable, states or ())


def over(raw: Raw, fields: ListFields, *, is_domain: bool) -> str | None:
    """Return what says that a contract is over, for a sentence; ``None`` for one that stands or may stand."""
    state, shown = state_of(raw, fields)
    if state is None or any(day >= _today() for day in days_in(value for _place, value in leaves(raw))):
        return None
    if fields.get("ended") is not None:
        return shown if is_one_of(state, fields.get("ended")) else None
    said = words_of(state)
    has_passed = any(day < _today() for day in days_in(at(raw, fields.get("ends_at"))))
    is_over = len(said) == 1 and (
        said[0] in _OVER or (said[0] in _WITH_DATE and has_passed) or (said[0] == "expired" and not is_domain)
    )
    return shown if is_over else None


def ended_or_failed(raw: Raw, fields: ListFields) -> str | None:
    """Return what says in any form that a contract failed, was rejected, cancelled or ended, for a sentence."""
    state, shown = state_of(raw, fields)
    if is_one_of(state, fields.get("failed")) or is_one_of(state, fields.get("ended")):
        return shown
    for place, value in leaves(raw):
        # A flag or a day at such a name says it as well as the name in a text. Long texts and addresses say nothing.
        is_flag = value is True or any(days_in([value]))
        text = (place.rpartition(".")[2] if is_flag else value if isinstance(value, str) else "").strip()
        is_word = len(text) <= _LONGEST_STATE and not _OTHER_TEXT.search(text)
        if place.count(".") <= 1 and is_word and _ENDED_OR_FAILED.intersection(words_of(text)):
            return f"{clean(place, 60)}: {clean(str(value), 60)}"
    return None


def days_in(values: Iterable[object]) -> Iterator[date]:
    """The days that these values say as ISO 8601 writes them."""
    for value in values:
        written = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
        if written:
            with suppress(ValueError):
                yield date.fromisoformat(written[1])


def _today() -> date:
    return datetime.now(UTC).date()
