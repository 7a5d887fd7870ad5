# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The published responses to an order, which API specification 4.1 and 4.2 leave open. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._core.errors import PublishedReferenceError
from .published import PublishedOperations
from .request_parts import UNUSABLE, preference
from .schemas import Schemas

_JSON_TYPES: Mapping[type, frozenset[str]] = {
    dict: frozenset({"object"}),
    list: frozenset({"array"}),
    str: frozenset({"string"}),
    bool: frozenset({"boolean"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"number"}),
    type(None): frozenset({"null"}),
}


@dataclass(frozen=True)
class AnswerBody:
    """A published body: its JSON types (empty: any), and for an object its elements and those that it requires."""

    types: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    required: tuple[str, ...] = ()

    def fits(self, value: Any) -> bool:
        """Whether a JSON value is of this kind; an object has at least one of the elements, and all required ones."""
        if self.types and not _JSON_TYPES.get(type(value), frozenset()).intersection(self.types):
            return False
        if not isinstance(value, dict) or not self.elements:
            return True
        return any(name in value for name in self.elements) and all(name in value for name in self.required)


@dataclass(frozen=True)
class OrderAnswers:
    """The published 2xx answers of POST /api/reseller/contracts.

    ``media_types`` are those of all of them that are JSON. ``only_success`` is the status if the reference lists
    exactly one; then ``empty`` says that it has no body, and ``bodies`` are the forms that its body may have.
    """

    media_types: tuple[str, ...] = ()
    only_success: int | None = None
    empty: bool = False
    bodies: tuple[AnswerBody, ...] = ()

    @classmethod
    def from_cache(cls, value: object) -> OrderAnswers | None:
        """What ``dataclasses.asdict`` made of answers, or ``None`` for any other value."""
        if not isinstance(value, Mapping):
            return None
        media_types, status, bodies = (value.get(name) for name in ("media_types", "only_success", "bodies"))
        types = _texts(media_types)
        if types is None or not isinstance(bodies, (list, tuple)) or not isinstance(status, int | None):
            return None
        known = tuple(body for each in bodies if (body := _cached_body(each)) is not None)
        return cls(types, status, value.get("empty") is True, known) if len(known) == len(bodies) else None


def order_answers(published: PublishedOperations) -> OrderAnswers:
    """The published answers to an order; empty ones if the document describes none that can be followed."""
    operation = published.order
    if operation is None:
        return OrderAnswers()
    found, media_types = operation.successes, operation.answer_types
    only = next(iter(found)) if len(found) == 1 else ""
    if not only.isdigit():
        return OrderAnswers(media_types)
    contents = found[only]
    try:
        bodies = tuple(
            _body(published.schemas, schema) for name, schema in contents or () if preference(name) != UNUSABLE
        )
    except PublishedReferenceError:
        return OrderAnswers(media_types)
    return OrderAnswers(media_types, int(only), contents == [], bodies)


def _body(schemas: Schemas, schema: object) -> AnswerBody:
    elements = schemas.object_shape(schema).elements
    return AnswerBody(
        tuple(sorted(schemas.described([schema]).types)),
        tuple(element.name for element in elements),
        tuple(element.name for element in elements if element.required),
    )


def _cached_body(value: object) -> AnswerBody | None:
    if not isinstance(value, Mapping):
        return None
    types, elements, required = (_texts(value.get(name)) for name in ("types", "elements", "required"))
    return None if types is None or elements is None or required is None else AnswerBody(types, elements, required)


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, (list, tuple)) and all(isinstance(text, str) for text in value):
        return tuple(value)
    return None
