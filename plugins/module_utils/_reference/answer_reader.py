# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads from the published reference what API specification 4.1 and 4.2 leave open about responses. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from .._core.errors import PublishedReferenceError
from .operations import UNUSABLE, media_type_of, order_operation, preference, products_operation
from .order_answers import AnswerBody, OrderAnswers
from .schemas import KEPT, Schemas

_SUCCESS = re.compile(r"2[0-9Xx]{2}")


def order_answers(document: Mapping[str, Any]) -> OrderAnswers:
    """The published answers to an order; empty ones if the document describes none that can be followed."""
    schemas = Schemas(document)
    found = _successes(document, schemas, order_operation(document))
    media_types = _json_types(found)
    only = next(iter(found)) if len(found) == 1 else ""
    if not only.isdigit():
        return OrderAnswers(media_types)
    contents = found[only]
    try:
        bodies = tuple(_body(schemas, schema) for name, schema in contents or () if _is_json(name))
    except PublishedReferenceError:
        return OrderAnswers(media_types)
    return OrderAnswers(media_types, int(only), contents == [], bodies)


def catalogue_types(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The media types of JSON in which the products are published, in the document's order."""
    return _json_types(_successes(document, Schemas(document), products_operation(document)))


def published_answers(
    document: Mapping[str, Any], found: tuple[Mapping[str, Any], Mapping[str, Any]] | None
) -> list[tuple[str, object]]:
    """The media types of JSON of an operation's 2xx answers, each with its schema."""
    successes = _successes(document, Schemas(document), found)
    return [(name, schema) for contents in successes.values() for name, schema in contents or () if _is_json(name)]


#: The media types and schemas of each 2xx answer; ``None`` for one that is not described.
_Successes = Mapping[str, "list[tuple[str, object]] | None"]


def _successes(
    document: Mapping[str, Any], schemas: Schemas, found: tuple[Mapping[str, Any], Mapping[str, Any]] | None
) -> _Successes:
    responses = found[1].get("responses") if found else None
    if found is None or not isinstance(responses, Mapping):
        return {}
    listed = {str(name): schemas.resolve(each) for name, each in responses.items() if _SUCCESS.fullmatch(str(name))}
    return {
        name: [*islice(_contents(document, schemas, found[1], response), KEPT)] if response else None
        for name, response in listed.items()
    }


def _json_types(successes: _Successes) -> tuple[str, ...]:
    names = (name for contents in successes.values() for name, _schema in contents or () if _is_json(name))
    return tuple(dict.fromkeys(names))[:KEPT]


def _contents(
    document: Mapping[str, Any], schemas: Schemas, operation: Mapping[str, Any], response: Mapping[str, Any]
) -> Iterator[tuple[str, object]]:
    """Each media type of a response, with its schema."""
    content = response.get("content")
    for name, media in content.items() if isinstance(content, Mapping) else ():
        yield media_type_of(name), schemas.resolve(media).get("schema")
    if "swagger" in document and "schema" in response:
        produced = operation.get("produces", document.get("produces"))
        for name in produced if isinstance(produced, list) and produced else ["application/json"]:
            yield media_type_of(name), response["schema"]


def _is_json(media_type: str) -> bool:
    return preference(media_type) != UNUSABLE


def _body(schemas: Schemas, schema: object) -> AnswerBody:
    elements = schemas.object_shape(schema).elements
    return AnswerBody(
        tuple(sorted(schemas.described([schema]).types)),
        tuple(element.name for element in elements),
        tuple(element.name for element in elements if element.required),
    )
