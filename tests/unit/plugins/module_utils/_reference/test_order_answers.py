# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The published answers to an order, from OpenAPI 2.0 and 3."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._reference.order_answers import (
    AnswerBody,
    OrderAnswers,
    order_answers,
)
from ansible_collections.hosting.reseller.plugins.module_utils._reference.published import PublishedOperations

JSON = "application/json"
LD = "application/ld+json"
CONTRACT = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "note": {}}}
OBJECT = AnswerBody(("object",), ("id", "note"), ("id",))


def content(schema: Any, *media_types: str) -> dict[str, Any]:
    return {"content": {name: {"schema": schema} for name in media_types or (JSON,)}}


def openapi(responses: Any, **more: Any) -> dict[str, Any]:
    paths = {"/api/reseller/contracts": {"post": {"responses": responses}}}
    return {"openapi": "3.1.0", "paths": paths, **more}


@pytest.mark.parametrize(
    ("responses", "expected"),
    [
        ({"200": content(CONTRACT)}, OrderAnswers((JSON,), 200, False, (OBJECT,))),
        ({200: content(CONTRACT), "422": {}, "default": {}}, OrderAnswers((JSON,), 200, False, (OBJECT,))),
        ({"201": content(CONTRACT, LD, "text/html", JSON)}, OrderAnswers((LD, JSON), 201, False, (OBJECT, OBJECT))),
        ({"200": content({})}, OrderAnswers((JSON,), 200, False, (AnswerBody(),))),
        ({"200": content({"type": "array"})}, OrderAnswers((JSON,), 200, False, (AnswerBody(("array",)),))),
        (
            {"200": content({"type": ["object", "null"]})},
            OrderAnswers((JSON,), 200, False, (AnswerBody(("null", "object")),)),
        ),
        ({"200": {"description": "Done"}}, OrderAnswers((), 200, True)),
        ({"200": content({}, "text/html")}, OrderAnswers((), 200, False)),
        ({"200": content(CONTRACT), "202": content(CONTRACT, LD)}, OrderAnswers((JSON, LD))),
        ({"2XX": content(CONTRACT)}, OrderAnswers((JSON,))),
        ({"default": content(CONTRACT)}, OrderAnswers()),
        ({}, OrderAnswers()),
        ([], OrderAnswers()),
        ({"200": {"$ref": "#/components/responses/Made"}}, OrderAnswers((JSON,), 200, False, (OBJECT,))),
        ({"200": {"$ref": "#/nowhere"}}, OrderAnswers((), 200, False)),
    ],
)
def test_answers_in_openapi_3(responses: Any, expected: OrderAnswers) -> None:
    components = {"responses": {"Made": content({"$ref": "#/components/schemas/Contract"})}}
    document = openapi(responses, components={**components, "schemas": {"Contract": CONTRACT}})
    assert order_answers(PublishedOperations(document)) == expected


@pytest.mark.parametrize(
    ("response", "produces", "expected"),
    [
        ({"schema": CONTRACT}, None, OrderAnswers((JSON,), 200, False, (OBJECT,))),
        ({"schema": CONTRACT}, [LD, "text/csv"], OrderAnswers((LD,), 200, False, (OBJECT,))),
        ({"description": "Done"}, [JSON], OrderAnswers((), 200, True)),
    ],
)
def test_answers_in_swagger_2(response: Any, produces: Any, expected: OrderAnswers) -> None:
    operation = {"responses": {"200": response}}
    document = {"swagger": "2.0", "basePath": "/api", "paths": {"/reseller/contracts": {"post": operation}}}
    assert order_answers(PublishedOperations({**document, **({"produces": produces} if produces else {})})) == expected


def test_no_answers_without_the_operation() -> None:
    assert order_answers(PublishedOperations({"openapi": "3.1.0", "paths": {}})) == OrderAnswers()


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"id": "1"}, True),
        ({"id": "1", "more": 2}, True),
        ({"note": "1"}, False),
        ({}, False),
        ([], False),
        (None, False),
    ],
)
def test_value_of_a_published_kind(value: Any, fits: bool) -> None:
    assert OBJECT.fits(value) is fits


@pytest.mark.parametrize(
    ("kind", "value", "fits"),
    [
        ("number", 1, True),
        ("integer", 1, True),
        ("integer", 1.5, False),
        ("integer", True, False),
        ("boolean", True, True),
        ("string", "x", True),
        ("null", None, True),
        ("array", [], True),
    ],
)
def test_value_of_a_published_type(kind: str, value: Any, fits: bool) -> None:
    assert AnswerBody((kind,)).fits(value) is fits


ANSWERS = OrderAnswers((JSON, LD), 200, False, (OBJECT,))


def test_answers_are_kept_as_json() -> None:
    assert OrderAnswers.from_cache(json.loads(json.dumps(asdict(ANSWERS)))) == ANSWERS


@pytest.mark.parametrize(
    "change",
    [{"media_types": "a"}, {"only_success": "200"}, {"bodies": None}, {"bodies": [{}]}, {"bodies": [1]}],
)
def test_spoilt_answers_are_none(change: dict[str, Any]) -> None:
    assert OrderAnswers.from_cache({**asdict(ANSWERS), **change}) is None
