# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is known of an order's body and of the answer to it, and how it is kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._order.service import ServiceOptions
from ansible_collections.hosting.reseller.plugins.module_utils._reference.order_shape import (
    AnswerBody,
    OrderAnswers,
    OrderShape,
)
from ansible_collections.hosting.reseller.plugins.module_utils._reference.published import PublishedOperations
from ansible_collections.hosting.reseller.plugins.module_utils._reference.shape_reader import order_answers, order_shape

JSON = "application/json"
LD = "application/ld+json"
CONTRACT = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "note": {}}}
OBJECT = AnswerBody(("object",), ("id", "note"), ("id",))


def content(schema: Any, *media_types: str) -> dict[str, Any]:
    return {"content": {name: {"schema": schema} for name in media_types or (JSON,)}}


@pytest.mark.parametrize(
    ("responses", "expected"),
    [
        ({200: content(CONTRACT), "422": {}, "default": {}}, OrderAnswers((JSON,), 200, False, (OBJECT,))),
        ({"201": content(CONTRACT, LD, "text/html", JSON)}, OrderAnswers((LD, JSON), 201, False, (OBJECT, OBJECT))),
        ({"200": content({})}, OrderAnswers((JSON,), 200, False, (AnswerBody(),))),
        ({"200": {"description": "Done"}}, OrderAnswers((), 200, True)),
        ({"200": content({}, "text/html")}, OrderAnswers((), 200, False)),
        ({"200": content(CONTRACT), "202": content(CONTRACT, LD)}, OrderAnswers((JSON, LD))),
        ({"2XX": content(CONTRACT)}, OrderAnswers((JSON,))),
        ({"default": content(CONTRACT)}, OrderAnswers()),
        ([], OrderAnswers()),
        ({"200": {"$ref": "#/components/responses/Made"}}, OrderAnswers((JSON,), 200, False, (OBJECT,))),
        ({"200": {"$ref": "#/nowhere"}}, OrderAnswers((), 200, False)),
    ],
)
def test_answers_in_openapi_3(responses: Any, expected: OrderAnswers) -> None:
    components = {"responses": {"Made": content({"$ref": "#/components/schemas/Contract"})}}
    document = {
        "paths": {"/api/reseller/contracts": {"post": {"responses": responses}}},
        "components": {**components, "schemas": {"Contract": CONTRACT}},
    }
    assert order_answers(PublishedOperations(document)) == expected
    assert order_answers(PublishedOperations({"paths": {}})) == OrderAnswers()


@pytest.mark.parametrize(("produces", "media_type"), [({}, JSON), ({"produces": [LD, "text/csv"]}, LD)])
def test_answers_in_swagger_2(produces: dict[str, Any], media_type: str) -> None:
    operation = {"responses": {"200": {"schema": CONTRACT}}}
    document = {"swagger": "2.0", "basePath": "/api", "paths": {"/reseller/contracts": {"post": operation}}, **produces}
    assert order_answers(PublishedOperations(document)) == OrderAnswers((media_type,), 200, False, (OBJECT,))


def test_body_is_of_a_published_kind() -> None:
    values: list[Any] = [1, 1.5, True, "x", None, [], {}]
    kinds = ("integer", "number", "boolean", "string", "null", "array", "object")
    assert [[value for value in values if AnswerBody((kind,)).fits(value)] for kind in kinds] == [
        *([1], [1, 1.5], [True], ["x"], [None], [[]], [{}])
    ]
    bodies: list[Any] = [{"id": "1"}, {"id": "1", "more": 2}, {"note": "1"}, {}, []]
    assert [body for body in bodies if OBJECT.fits(body)] == bodies[:2]


def test_shape_is_kept_as_json() -> None:
    answers = OrderAnswers((JSON, LD), 200, False, (OBJECT,))
    shape = OrderShape("a", "b", LD, ("c",), ("a", "b", "c"), True, ("mind",), answers, True)
    kept = OrderShape.from_cache(json.loads(json.dumps(shape.to_cache())))
    assert kept == shape
    assert kept is not None
    assert (kept.answers, kept.warnings, kept.lists_contracts) == (answers, ("mind",), True)


KEPT = OrderShape("a", "b").to_cache()


@pytest.mark.parametrize(
    "value",
    [
        None,
        {**KEPT, "answers": None},
        {**KEPT, "more": 1},
        {**KEPT, "answers": {"bodies": [{"kind": "object"}]}},
        {**KEPT, "product_element": "a"},
    ],
)
def test_what_another_version_kept_is_none(value: Any) -> None:
    assert OrderShape.from_cache(value) is None


@pytest.mark.parametrize(("end_user", "product"), [("a", "a"), ("settings", None), (None, "settings")])
def test_options_that_cannot_be_meant_are_refused(end_user: str | None, product: str | None) -> None:
    """However they reach an order: with a reference, by the options alone, or as a shape."""
    words = "are both 'a'" if end_user == product else "cannot be settings"
    with pytest.raises(ConfigurationError, match=words):
        order_shape({}, end_user, product)
    with pytest.raises(ConfigurationError, match=words):
        ServiceOptions(end_user, product)
    with pytest.raises(ConfigurationError, match=words):
        OrderShape(end_user or "b", product or "b")
