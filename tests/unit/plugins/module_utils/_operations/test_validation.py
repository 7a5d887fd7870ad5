# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values against published schemas of OpenAPI 3.0 and 3.1: the verdict, and messages that name the mistake."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._operations.schema_elements import Walk
from ansible_collections.hosting.reseller.plugins.module_utils._operations.validation import published_violations
from ansible_collections.hosting.reseller.plugins.module_utils._reference.schemas import Schemas

INTEGER = {"type": "integer"}
TREE_REFERENCE = "#/components/schemas/Tree"
#: A schema, values that fit, and values that do not.
ROWS: list[tuple[dict[str, Any], list[Any], list[Any]]] = [
    ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "abc"], ["a", "abcd", 1, None, {}]),
    ({"type": "integer", "minimum": 1, "maximum": 3}, [1, 3], [0, 4, 1.5, "two", True]),
    ({"type": "number", "multipleOf": 0.5}, [1, 1.5], [1.3, "one", False]),
    ({"enum": ["a", 1, None]}, ["a", 1, None], ["b", "1", False]),
    ({"type": "array", "items": INTEGER, "minItems": 1, "uniqueItems": True}, [[1]], [[], [1, 1], ["one"], {}]),
    ({"type": "object", "required": ["a"], "properties": {"a": INTEGER}}, [{"a": 1}], [{}, {"a": "x"}, []]),
    ({"additionalProperties": INTEGER}, [{"other": 1}], [{"other": "x"}]),
    ({"allOf": [{"required": ["a"], "properties": {"a": {}}}, {"properties": {"b": INTEGER}}]}, [{"a": 1}], [{"b": 1}]),
    ({"oneOf": [{"type": "string", "maxLength": 1}, {"type": "integer"}]}, ["a", 1], [None, "ab"]),
    ({"$ref": TREE_REFERENCE}, [{"children": [{"name": "b"}]}], [{"name": 1}, {"children": [1]}]),
    ({"type": "string", "nullable": True, "enum": ["a", None]}, ["a", None], ["b", 1]),
    ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, [2], [1]),
    ({"type": "integer", "maximum": 9, "exclusiveMaximum": True}, [8], [9]),
    ({"type": ["string", "null"]}, ["a", None], [1]),
    ({"type": "integer", "exclusiveMinimum": 1}, [2], [1]),
    ({"const": "a"}, ["a"], ["b", None]),
    ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}, [["a", 1]], [[1, "a"]]),
]
READ_ONLY = {"type": "object", "required": ["id", "a"], "properties": {"id": {"readOnly": True}, "a": {}}}
CHILDREN = {"type": "array", "items": {"$ref": TREE_REFERENCE}}
TREE = {"type": "object", "properties": {"name": {"type": "string"}, "children": CHILDREN}}
DOCUMENT: dict[str, Any] = {"components": {"schemas": {"Tree": TREE}}}

MISSING = "required, and not given (published reference)"


def checked(schema: Any, value: Any, document: dict[str, Any] = DOCUMENT) -> list[str]:
    request = {"properties": {"body": schema}}
    read = Walk(Schemas(document), [request], {"body": value})
    return [str(violation) for violation in published_violations(request, read)]


@pytest.mark.parametrize(("schema", "good", "bad"), ROWS)
def test_values_that_fit_and_values_that_do_not(schema: Any, good: list[Any], bad: list[Any]) -> None:
    assert [value for value in good if checked(schema, value)] == []
    assert [value for value in bad if not checked(schema, value)] == []


def test_what_a_schema_means_counts() -> None:
    assert checked(READ_ONLY, {"a": 1}) == []
    assert checked(READ_ONLY, {}) == ["body.a: required, and not given (published reference)"]
    # Strictly, null fits no composition; what says nullable beside one means that it may be null.
    assert checked({"nullable": True, "allOf": [{"$ref": TREE_REFERENCE}]}, None) == []
    assert checked({"properties": {"it": {"anyOf": [READ_ONLY, {"type": "null"}]}}}, {"it": {"a": 1}}) == []
    apart = {"allOf": [{"required": ["id"]}, {"properties": READ_ONLY["properties"]}]}
    assert checked(apart, {}) == []


def test_element_that_nothing_names_is_told_with_the_nearest() -> None:
    schema = {"type": "object", "properties": {"label": {"type": "string"}}}
    assert checked(schema, {"lable": "x"}) == [
        "body.lable: the reference has no such element; did you mean label? (published reference)"
    ]
    assert checked({**schema, "additionalProperties": True}, {"lable": "x"}) == []
    assert checked({"type": "object"}, {"anything": 1}) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/components/schemas/Self"},
        {"$ref": "https://elsewhere.example/schema.json"},
        {"type": "nonsense"},
        {"minLength": "two"},
        {"not": {"type": "string"}},
        {"multipleOf": 0},
        {"items": 5},
        {"pattern": "(a+)+$"},
        True,
    ],
)
def test_schema_that_cannot_be_used_is_left_to_the_service(schema: Any) -> None:
    document = {"components": {"schemas": {"Self": {"$ref": "#/components/schemas/Self"}}}}
    assert [checked(schema, value, document) for value in ("a" * 60 + "!", 5, {"a": 1}, [1], None)] == [[]] * 5


def test_message_is_about_the_form_that_fits_best() -> None:
    host = {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}}
    forms = {"oneOf": [host, {"type": "string"}]}
    assert checked(forms, {"size": 1}) == []
    assert checked(forms, {}) == [f"body.size: {MISSING}"]
    network = {"required": ["vpc_uuid"], "properties": {"vpc_uuid": {"type": "string", "format": "uuid"}}}
    tagged = {"required": ["tag"], "properties": {"tag": {"type": "string"}}}
    for both in ([tagged, network], [network, tagged]):
        found = checked({"oneOf": [{"allOf": [{"type": "object"}, form]} for form in both]}, {"vpc_uuid": "x"})
        assert found == ["body.vpc_uuid: a UUID (given: 'x') (published reference)"]
    assert "body: one of the published forms" in checked({"oneOf": [{"minLength": 3}, {"minLength": 2}]}, "x")[0]


@pytest.mark.parametrize(
    ("schema", "rules"),
    [
        ({"type": "string"}, ["a string, not null"]),
        ({"allOf": [{"type": "array", "items": {}}, {"type": "array"}]}, ["a list, not null"]),
        ({"type": "object", "nullable": True}, []),
        ({"type": ["object", "null"], "properties": {"b": {}}}, []),
        ({"anyOf": [{"properties": {"b": {}}}, {"type": "null"}]}, []),
    ],
)
def test_null_is_told_once_where_it_is_not_allowed(schema: Any, rules: list[str]) -> None:
    found = checked({"properties": {"a": schema}}, {"a": None})
    assert found == [f"body.a: {rule} (published reference)" for rule in rules]


def test_rule_is_told_as_published() -> None:
    schema = {"properties": {"a": {"type": "string", "pattern": "^[a-z]+$"}, "b": {"multipleOf": 0.1}, "c": False}}
    schema["properties"] |= {"d": {"type": "string", "format": "uuid"}, "e": {"type": "string", "format": "iri"}}
    for value, expected in (
        ({"a": "A", "b": 0.3, "c": 1}, ["body.c: not given"]),
        ({"d": "None", "e": "x"}, ["body.d: a UUID"]),
        ({"a": 5, "b": 0.35}, ["body.a: a string, not an integer; quote it", "body.b: a multiple of 0.1"]),
    ):
        found = checked(schema, value)
        assert [told.partition(" (given")[0] for told in found] == expected


def test_schemas_that_grow_without_end_are_left_to_the_service() -> None:
    parts = {f"S{n}": {"allOf": [{"$ref": f"#/components/schemas/S{n + 1}"}] * 2} for n in range(28)}
    document = {"components": {"schemas": {**parts, "S28": {"type": "string"}}}}
    assert checked({"$ref": "#/components/schemas/S25"}, 5, document) != []
    assert checked({"$ref": "#/components/schemas/S0"}, 5, document) == []


def test_secret_is_not_in_a_violation() -> None:
    schema = {
        "type": "object",
        "properties": {"password": {"maxLength": 3}, "word": {"format": "password", "type": "string", "maxLength": 3}},
    }
    told = checked(schema, {"password": "hush-hush", "word": "hush-hush"})
    assert len(told) == 2
    assert not [each for each in told if "hush" in each]
