# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tasks to paste, none of which can be sent as it stands."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._core.text import is_legible
from ansible_collections.hosting.reseller.plugins.module_utils._operations.ready_task import (
    description_of,
    task_of,
)
from ansible_collections.hosting.reseller.plugins.module_utils._reference.published import Operation
from ansible_collections.hosting.reseller.plugins.module_utils._reference.published_operations import (
    PublishedOperations,
)
from tests.support import pasting

STRING = {"type": "string"}


def published(method: str, **described: Any) -> tuple[Operation, PublishedOperations]:
    """The only operation of a reference."""
    paths = {"/api/reseller/x": {method.lower(): {"operationId": "x", **described}}}
    lookup = PublishedOperations({"openapi": "3.1.0", "paths": paths}, "https://h/api/docs", "https://h")
    return lookup.find("x"), lookup


def ready(method: str, schema: Any = None, media_type: str = "application/json", **described: Any) -> str:
    if schema is not None:
        described["requestBody"] = {"required": True, "content": {media_type: {"schema": schema}}}
    return task_of(*published(method, **described))


def options(task: str) -> dict[str, Any]:
    (held,) = yaml.safe_load(task)
    found: dict[str, Any] = next(value for name, value in held.items() if name != "name")
    return found


#: A required element, and what stands for it in a task: a placeholder, or what alone is allowed.
REQUIRED: list[tuple[dict[str, Any], Any]] = [
    ({**STRING, "default": "x", "enum": ["x", "y"], "example": "x"}, "…"),
    ({**STRING, "enum": ["x"]}, "x"),
    ({"const": True}, True),
    ({"type": "array", "items": {"enum": [5]}}, [5]),
    ({"type": "object"}, {}),
    ({"type": "array", "items": STRING, "minItems": 2}, ["…", "…"]),
    ({"type": "array", "items": {"required": ["b"], "properties": {"b": STRING}}}, [{"b": "…"}]),
]


@pytest.mark.parametrize(
    ("schema", "body"),
    [
        *(({"required": ["a"], "properties": {"a": element}}, {"a": value}) for element, value in REQUIRED),
        ({"type": "object", "properties": {"a": STRING}}, {}),
        ({"required": ["a"], "properties": {"a": {**STRING, "readOnly": True}}}, {}),
        ({"oneOf": [{"type": "null"}, {"required": ["a"], "properties": {"a": STRING}}, {}]}, {"a": "…"}),
        ({"allOf": [{"required": ["a"]}, {"properties": {"a": STRING}}]}, {"a": "…"}),
        ({"type": "array", "items": STRING}, ["…"]),
    ],
)
def test_body_has_what_is_required(schema: dict[str, Any], body: Any) -> None:
    assert options(ready("POST", schema)) == {"operation": "POST /api/reseller/x", "name": "…", "body": body}


def test_optional_parts_are_comments_with_type_and_bounds() -> None:
    schema = {"type": "object", "properties": {"a": {**STRING, "maxLength": 5}, "b": {"properties": {"c": STRING}}}}
    query = {"name": "q", "in": "query", "schema": {"type": "integer", "minimum": 1}}
    ours = {"name": "X-Organization-ID", "in": "header", "required": True, "schema": STRING}
    task = ready("POST", schema, parameters=[query, ours], responses={"202": {}})
    for line in (
        "      # a: …  # string, at most 5 characters",
        "      # b: …  # object\n    name: …",
        "    # query:",
        "    #   q: …  # integer, at least 1",
        "    # organization_id: …",
    ):
        assert f"\n{line}" in task, (line, task)
    assert "X-Organization-ID" not in task


MODULES = {"hosting.reseller.reseller_operation", "hosting.reseller.reseller_operation_info"}


def hostile_schema(text: str) -> dict[str, Any]:
    """A schema with the text in every place where a string may stand."""
    words = dict.fromkeys(("title", "description", "format", "pattern", "default", "example", "$comment", "x-y"), text)
    scalar = {**words, "type": text, "enum": [text]}
    inner = {**words, "type": [text, "object"], "required": [text], "properties": {text: scalar}}
    return {**inner, "required": [text, "in"], "properties": {text: scalar, "in": inner, f"no {text}": scalar}}


def test_task_says_nothing_that_a_reference_says() -> None:
    for text in pasting.HOSTILE:
        schema = hostile_schema(text)
        where = [{"name": text, "in": place, "required": True} for place in ("query", "header")]
        parameters = [{**each, "description": text, "schema": schema} for each in where]
        described = {
            **dict.fromkeys(("summary", "description", "operationId"), text),
            "tags": [text],
            "responses": {"202": {"description": text}, text: {"description": text}},
            "requestBody": {"required": True, "content": {"application/json": {"schema": schema, "example": text}}},
        }
        styled = {"name": text, "in": "query", "required": True, "style": text}
        unsupported = {**described, "requestBody": {"required": True, "content": {text: {"schema": schema}}}}
        for method, told in (
            ("post", {**described, "parameters": parameters}),
            ("put", {**described, "parameters": [{**each, "required": False} for each in parameters]}),
            ("get", described),
            ("post", {**described, "parameters": [styled]}),
            ("post", unsupported),
            (text, described),
        ):
            paths = {f"/api/reseller/{text}": {method: told}}
            document = {"openapi": "3.1.0", "info": {"title": text, "version": text}, "paths": paths}
            lookup = PublishedOperations(document, "https://h/api/docs", "https://h")
            for operation in lookup.all:
                assert_one_task(description_of(operation, lookup), text)


def assert_one_task(shown: dict[str, Any], text: str) -> None:
    """What is to be pasted is one task with the values of the reference, or a comment."""
    written = shown["task"]
    assert all(map(is_legible, written.removesuffix("\n").split("\n")))
    if all(line.startswith("#") for line in written.splitlines()):
        assert pasting.tasks_of(written) == []
        return
    (task,) = pasting.tasks_of(written)
    assert task.keys() - MODULES == {"name"}
    (given,) = (task[each] for each in MODULES & task.keys())
    assert task["name"] == given["operation"] == shown["name"]
    expected = {text: text, "in": {text: text}}
    assert given.get("body", expected) == expected
    assert all(given.get(option, {text: expected}) == {text: expected} for option in ("query", "headers"))
    assert {"…"} >= {given[option] for option in ("name", "organization_id") if option in given}
    assert given.keys() <= {
        "operation",
        "organization_id",
        "path_parameters",
        "query",
        "headers",
        "body",
        "name",
        "compare",
    }


def test_merge_patch_requires_nothing() -> None:
    schema = {"required": ["a"], "properties": {"a": STRING}}
    held = options(ready("PATCH", schema, "application/merge-patch+json"))
    # Without a GET of the path, it is sent without comparing. What has nothing to fill in is not ready as it stands.
    assert held["organization_id"] == options(ready("DELETE"))["organization_id"] == "…"
    assert (held["body"], held["compare"]) == ({}, "none")


def test_file_of_a_form_is_not_in_the_body() -> None:
    file = {**STRING, "format": "binary"}
    several = {"type": "array", "items": {**STRING, "contentMediaType": "application/octet-stream"}}
    schema = {"required": ["f", "g", "t"], "properties": {"f": file, "g": several, "h": file, "t": STRING}}
    task = ready("POST", schema, "multipart/form-data")
    assert (options(task)["files"], options(task)["body"]) == ({"f": "…", "g": "…"}, {"t": "…"})
    assert "      # h: …  # path of a file\n" in task
