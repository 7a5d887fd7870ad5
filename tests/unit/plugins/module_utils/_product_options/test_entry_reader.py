# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._product_options.option import Option
from ansible_collections.hosting.reseller.plugins.module_utils._product_options.reader import read_options


def said(raw: Any) -> Any:
    """What each option tells, without what it does not."""
    options = read_options(raw)
    if options is None:
        return None
    return {
        option.name: {
            name: value
            for name, value in {
                **option.as_dict(),
                "choices": [(each.value, each.label) for each in option.choices],
                "secret": option.secret,
            }.items()
            if name != "name" and (name == "required" or value is not False) and value not in (None, (), [])
        }
        for option in options
    }


CPU = {"type": "integer", "required": True, "minimum": 1, "maximum": 10}
LINUX = [("debian-12", "Debian 12"), ("ubuntu-24", "Ubuntu 24")]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param(
            [{"name": "cpu_cores", "type": "integer", "required": True, "min": 1, "max": 10}], CPU, id="object"
        ),
        pytest.param([{"key": "cpu_cores", "datatype": "int", "mandatory": "yes", "range": [1, 10]}], CPU, id="words"),
        pytest.param(
            {"cpu_cores": {"type": "integer", "required": True, "minimum": "1", "maximum": "10"}}, CPU, id="map"
        ),
        pytest.param({"cpu_cores": "required|integer|between:1,10"}, CPU, id="pipes"),
        pytest.param({"cpu_cores": "bail|required|integer|min:1|max:10"}, CPU, id="pipes, min and max"),
        pytest.param({"cpu_cores": ["required", "integer", "between:1,10"]}, CPU, id="list of pipe rules"),
        pytest.param(
            [{"field": "cpu_cores", "rules": "required|integer|between:1,10", "type": "text"}], CPU, id="rules"
        ),
        pytest.param(
            {"cpu_cores": {"NotBlank": {}, "Type": "integer", "Range": {"min": 1, "max": 10, "minMessage": "few"}}},
            CPU,
            id="constraints",
        ),
        pytest.param(
            {
                "cpu_cores": [
                    {"constraint": "NotNull"},
                    {"constraint": "Type", "type": "int"},
                    {"constraint": "GreaterThanOrEqual", "options": {"value": 1}},
                    {"constraint": "LessThan", "value": 11},
                ]
            },
            CPU,
            id="list of constraints",
        ),
        pytest.param(
            [
                {
                    "name": "cpu_cores",
                    "constraints": [
                        "NotBlank",
                        {"Symfony\\Component\\Validator\\Constraints\\Type": {"type": "integer"}},
                        {"Assert\\Range": {"min": 1, "max": 10}},
                    ],
                }
            ],
            CPU,
            id="constraints with namespaces",
        ),
        pytest.param(
            {"properties": {"cpu_cores": {"type": "integer", "minimum": 1, "maximum": 10}}, "required": ["cpu_cores"]},
            CPU,
            id="JSON Schema",
        ),
        pytest.param(
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "additionalProperties": False,
                "required": ["cpu_cores"],
                "properties": {"cpu_cores": {"allOf": [{"type": "integer"}, {"exclusiveMinimum": 0}, {"maximum": 10}]}},
            },
            CPU,
            id="JSON Schema with allOf and exclusive bounds",
        ),
        pytest.param(
            [
                {
                    "name": "cpu_cores",
                    "schema": {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "maximum": 10},
                    "required": 1,
                }
            ],
            CPU,
            id="JSON Schema draft 4 for one option",
        ),
        pytest.param(
            {
                "fields": [
                    {
                        "id": "cpu_cores",
                        "label": "Cores",
                        "type": "integer",
                        "required": True,
                        "attr": {"min": "1", "max": "10", "size": 4, "placeholder": "1"},
                    }
                ]
            },
            CPU,
            id="form fields in a wrapper",
        ),
        pytest.param(
            [
                {
                    "key": "cpu_cores",
                    "name": "Number of cores",
                    "type": "IntegerType",
                    "options": {"required": True, "constraints": [{"Range": {"min": 1, "max": 10}}]},
                }
            ],
            CPU,
            id="Symfony form",
        ),
        pytest.param({"settings": {"cpu_cores": "required|integer|between:1,10"}}, CPU, id="settings wrapper"),
        pytest.param(
            {"total": 1, "items": [{"name": "cpu_cores", "rule": "required|integer|between:1,10"}]}, CPU, id="items"
        ),
        pytest.param([{"option": {"name": "cpu_cores", "rule": "required|integer|between:1,10"}}], CPU, id="boxed"),
        pytest.param(
            [
                {
                    "id": "7",
                    "type": "options",
                    "attributes": {"name": "cpu_cores", "rule": "required|integer|between:1,10"},
                }
            ],
            CPU,
            id="JSON:API",
        ),
        pytest.param(
            {"4": {"name": "cpu_cores", "rule": "required|integer|between:1,10"}}, CPU, id="PHP list with gaps"
        ),
        pytest.param([{"cpu_cores": "required|integer|between:1,10"}], CPU, id="list of single mappings"),
        pytest.param(
            [{"group": "CPU", "fields": [{"name": "cpu_cores", "rule": "required|integer|between:1,10"}]}],
            CPU,
            id="groups of fields",
        ),
        pytest.param(
            {"rules": {"cpu_cores": "required|integer"}, "constraints": {"cpu_cores": {"min": 1, "max": 10}}},
            CPU,
            id="aspects",
        ),
        pytest.param('{"cpu_cores": "required|integer|between:1,10"}', CPU, id="JSON in a string"),
    ],
)
def test_the_same_option_in_every_kind(raw: Any, expected: dict[str, Any]) -> None:
    assert said(raw) == {"cpu_cores": expected}


@pytest.mark.parametrize(
    "closed", [{"disabled": True}, {"enabled": False}, {"available": False}, {"Selectable": False}]
)
def test_a_choice_that_cannot_be_chosen_is_none(closed: dict[str, bool]) -> None:
    listed = [
        {"value": "a", "disabled": False, "selected": False},
        {"value": "b", "enabled": True},
        {"value": "c", **closed},
    ]
    for choices in (listed, {each["value"]: {"label": "x", **each} for each in listed}):
        (option,) = read_options([{"name": "size", "choices": choices}])
        assert [choice.value for choice in option.choices] == ["a", "b"]


@pytest.mark.parametrize(
    "listed",
    [
        {"values": {"debian-12": "Debian 12", "ubuntu-24": "Ubuntu 24"}},
        {"choices": [{"value": "debian-12", "label": "Debian 12"}, {"value": "ubuntu-24", "label": "Ubuntu 24"}]},
        {"options": [{"name": "debian-12", "label": "Debian 12"}, {"name": "ubuntu-24", "label": "Ubuntu 24"}]},
        {"options": {"debian-12": {"label": "Debian 12", "price": 0}, "ubuntu-24": {"label": "Ubuntu 24"}}},
        {"options": {"Debian": {"debian-12": "Debian 12"}, "Ubuntu": {"ubuntu-24": "Ubuntu 24"}}},
        {
            "options": [
                {
                    "label": "All",
                    "options": [
                        {"value": "debian-12", "text": "Debian 12"},
                        {"value": "ubuntu-24", "text": "Ubuntu 24"},
                    ],
                }
            ]
        },
        {
            "options": {
                "0": {"value": "debian-12", "title": "Debian 12"},
                "1": {"value": "ubuntu-24", "title": "Ubuntu 24"},
            }
        },
        {"values": ["debian-12", "ubuntu-24"], "mapping": {"debian-12": "Debian 12", "ubuntu-24": "Ubuntu 24"}},
        {"values": ["debian-12", "ubuntu-24"], "mapping": {"Debian 12": "debian-12", "Ubuntu 24": "ubuntu-24"}},
        {"values": ["debian-12", "ubuntu-24"], "labels": ["Debian 12", "Ubuntu 24"]},
        {"mapping": {"debian-12": "Debian 12", "ubuntu-24": "Ubuntu 24"}},
        {"oneOf": [{"const": "debian-12", "title": "Debian 12"}, {"const": "ubuntu-24", "title": "Ubuntu 24"}]},
        {"Choice": {"choices": {"debian-12": "Debian 12", "ubuntu-24": "Ubuntu 24"}, "message": "no"}},
        {
            "choices": [
                {"value": "", "label": "Please choose"},
                {"value": "debian-12", "label": "Debian 12"},
                {"value": "ubuntu-24", "label": "Ubuntu 24"},
            ]
        },
    ],
)
def test_choices_of_every_kind(listed: dict[str, Any]) -> None:
    assert said([{"name": "template", "type": "select", "required": True, **listed}]) == {
        "template": {"required": True, "choices": LINUX}
    }


@pytest.mark.parametrize(
    ("rule", "values"),
    [
        ("in:register,transfer", ["register", "transfer"]),
        ('in:"register","trans,fer"', ["register", "trans,fer"]),
        (["register", "transfer"], ["register", "transfer"]),
        ({"enum": [1, 2, 4]}, [1, 2, 4]),
        ({"values": "register, transfer"}, ["register", "transfer"]),
        ({"values": "register|transfer"}, ["register", "transfer"]),
        ({"const": "register"}, ["register"]),
        ({"anyOf": [{"enum": ["register"]}, {"enum": ["transfer"]}]}, ["register", "transfer"]),
        ({"enum": ["a", "b", "c"], "rules": "in:b,c,d"}, ["b", "c"]),
        ({"type": "integer", "enum": [1, None]}, [1]),
    ],
)
def test_values_alone(rule: Any, values: list[Any]) -> None:
    options = read_options({"mode": rule})
    assert options is not None
    assert [choice.value for choice in options[0].choices] == values
    assert options[0].unclear == ()


@pytest.mark.parametrize(
    "choices",
    [
        [{"id": 17, "name": "Debian 12"}],
        {"17": "Debian 12"},
        [{"value": "2f0c9a4e-6f0b-4a56-9d55-2f0c9a4e6f0b", "label": "Debian 12"}],
    ],
)
def test_os_templates_are_identified_by_name(choices: Any) -> None:
    options = read_options([{"name": "template_name", "choices": choices}, {"name": "other", "choices": choices}])
    assert options is not None
    assert [choice.value for choice in options[0].choices] == ["Debian 12"]
    assert [choice.value for choice in options[1].choices] != ["Debian 12"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            "required|string|min:3|max:32|alpha_num",
            {"type": "string", "required": True, "minimum": 3, "maximum": 32, "pattern": r"[^\W_]+"},
        ),
        ("required|string|regex:/^(a|b)$/i", {"type": "string", "required": True, "pattern": "(?i:^(a|b)$)"}),
        (["required", "regex:/^(a|b)$/"], {"required": True, "pattern": "^(a|b)$"}),
        ("nullable|integer|between:1,10", {"type": "integer", "minimum": 1, "maximum": 10}),
        ("required|nullable|integer", {"type": "integer", "required": False}),
        ("sometimes|required|boolean", {"type": "boolean", "required": False}),
        ("integer|multiple_of:1024|min:1000", {"type": "integer", "minimum": 1000, "step": 1024}),
        ("string|size:4", {"type": "string", "minimum": 4, "maximum": 4}),
        ("integer|gt:0|lt:11", {"type": "integer", "minimum": 1, "maximum": 10}),
        ("numeric|gte:0.5", {"type": "number", "minimum": 0.5}),
        ("filled|string", {"type": "string"}),
        ({"type": "password"}, {"type": "string", "secret": True}),
        ({"type": "text", "minlength": "3", "maxlength": 32}, {"type": "string", "minimum": 3, "maximum": 32}),
        ({"Length": {"min": 3, "max": 32}}, {"type": "string", "minimum": 3, "maximum": 32}),
        ({"Length": {"exactly": 3}}, {"type": "string", "minimum": 3, "maximum": 3}),
        ({"Regex": {"pattern": "/^a$/", "message": "no"}}, {"pattern": "^a$"}),
        ({"Regex": "/^a$/"}, {"pattern": "^a$"}),
        ({"Positive": None, "Type": "integer"}, {"type": "integer", "minimum": 1}),
        ({"DivisibleBy": 128, "PositiveOrZero": {}}, {"minimum": 0, "step": 128}),
        (
            {"type": ["integer", "null"], "minimum": 1, "required": True},
            {"type": "integer", "required": False, "minimum": 1},
        ),
        ({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}, {"type": "integer", "minimum": 1}),
        ({"type": "number", "step": "any"}, {"type": "number"}),
        (
            {"type": "range", "min": 0, "max": 1, "step": 0.25},
            {"type": "number", "minimum": 0, "maximum": 1, "step": 0.25},
        ),
        ({"type": "checkbox", "default": True}, {"type": "boolean", "default": True}),
        (
            {"type": "text", "value": "x", "label": "L", "help": "H", "order": 3, "price": {"monthly": 3}, "@id": "/x"},
            {"type": "string", "default": "x", "price": {"price": {"monthly": 3}}},
        ),
        ({"type": "integer", "minimum": None, "pattern": None, "unique": False}, {"type": "integer"}),
        # Letters of other scripts are left to the service.
        ("alpha:ascii", {"type": "string", "pattern": r"[^\W\d_]+"}),
        ({"min": [2], "max": {"value": 4}}, {"minimum": 2, "maximum": 4}),
        ({"range": {"from": 2, "to": 9, "step": 2, "minMessage": "m"}}, {"minimum": 2, "maximum": 9, "step": 2}),
        ({"range": "1-9"}, {"minimum": 1, "maximum": 9}),
        ({"range": {"min": 1}}, {"minimum": 1}),
        ({"type": "string", "format": "password"}, {"type": "string", "secret": True}),
        ({"type": "integer", "format": "int64"}, {"type": "integer"}),
        ({"type": "integer", "rules": "numeric"}, {"type": "integer"}),
        ({"type": ["integer", None]}, {"type": "integer"}),
        ({"optional": True, "type": "string"}, {"type": "string", "required": False}),
        ({"optional": False, "type": "string"}, {"type": "string", "required": True}),
        ({"optional": {"constraints": ["NotBlank"]}}, {"required": False}),
        ({"required": [{"Length": {"max": 3}}]}, {"type": "string", "required": True, "maximum": 3}),
        ({"nullable": "yes", "required": True}, {"required": False}),
        ({"type": "select", "multiple": True, "options": ["a"]}, {"type": "array", "choices": [("a", "a")]}),
        ({"Choice": {"choices": ["a"], "multiple": True}}, {"type": "array", "choices": [("a", "a")]}),
        (
            {"type": "integer", "minimum": 0, "exclusiveMinimum": False, "maximum": 9, "exclusiveMaximum": True},
            {"type": "integer", "minimum": 0, "maximum": 8},
        ),
        ({"uuid": "2f0c9a4e-6f0b-4a56-9d55-2f0c9a4e6f0b", "url": "/options/3", "type": "string"}, {"type": "string"}),
        ({"step": 128, "multipleOf": 128}, {"step": 128}),
        (None, {}),
        ({}, {}),
    ],
)
def test_rules(rule: Any, expected: dict[str, Any]) -> None:
    assert said({"setting_x": rule}) == {"setting_x": expected}


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("required|exists:templates,name", ["exists:templates,name"]),
        ("integer|required_if:action,transfer|prohibits:", ["required_if:action,transfer", "prohibits:"]),
        ("integer|gte:other_field", ["gte:other_field"]),
        ("string|regex:/(a+)+$/", ["regex:/(a+)+$/"]),
        ({"type": "integer", "max": "ORG_MAX_RAM"}, ['max: "ORG_MAX_RAM"']),
        ({"type": "hologram", "required": True}, ['type: "hologram"']),
        ({"type": "integer", "dependsOn": {"field": "x"}}, ['dependsOn: {"field": "x"}']),
        ({"type": "string", "$ref": "#/x"}, ['$ref: "#/x"']),
        # From the minimum or from zero? It says neither.
        ({"min": 1, "max": 9, "step": 2}, ["step: 2"]),
        ("required|starts_with:+49,+41|ends_with:5", ["starts_with:+49,+41", "ends_with:5"]),
        ({"type": "string", "Callback": {"callback": "check"}}, ['Callback: {"callback": "check"}']),
        ({"type": "integer", "maxLength": 3}, ["maximum length: 3"]),
        ({"type": "integer", "rules": "required|string"}, ["type: integer and string"]),
        ({"required": True, "choices": "/api/os-templates"}, ['choices: "/api/os-templates"']),
        ({"required": True, "choices": [[["x"]], 1]}, ['choices: [[["x"]], 1]']),
        ({"required": {"if": {"mode": "transfer"}}, "type": "string"}, ['if: {"mode": "transfer"}']),
        ({"required": True, "step": 0}, ["step: 0"]),
        ({"required": True, "step": 3, "multipleOf": 2}, ["step: 3"]),
        ({"required": True, "multipleOf": -1}, ["multipleOf: -1"]),
        ({"type": "string", "required": "perhaps"}, ['required: "perhaps"']),
        ({"required": True, "type": ["integer", "string"]}, ['type: ["integer", "string"]']),
        ({"required": True, "type": {"type": 3}}, ['type: {"type": 3}']),
        ({"required": True, "format": "date"}, ['format: "date"']),
        ({"required": True, "Range": {"min": 1, "maxPropertyPath": "x"}}, ['maxPropertyPath: "x"']),
        ({"required": True, "Length": {"max": 9, "charset": "ASCII"}}, ['charset: "ASCII"']),
        ({"required": True, "range": {}}, ["range: {}"]),
        ({"required": True, "range": [1, 2, 3]}, ["range: [1, 2, 3]"]),
        ({"required": True, "min": 1e300}, ["min: 1e+300"]),
        ("required|digits:4|not_in:root,admin", ["digits:4", "not_in:root,admin"]),
        ("required|required_without:b|prohibits:b", ["required_without:b", "prohibits:b"]),
        (
            {"required": True, "Regex": {"pattern": "/a/", "match": False}},
            ['Regex: {"pattern": "/a/", "match": false}'],
        ),
        ({"required": True, "const": None, "not_in": ["a"]}, ['not_in: ["a"]']),
        ({"required": True, "mapping": "x"}, ['mapping: "x"']),
        ({"required": True, "mapping": {"a": [[{}]]}}, ['mapping: {"a": [[{}]]}']),
        ({"required": True, "values": "https://x.example/list"}, ['choices: "https://x.example/list"']),
        ({"required": True, "rules": {"foo": "bar"}}, ['foo: "bar"']),
        ({"required": True, "rules": ["foo", "bar"]}, ["foo", "bar"]),
        ({"required": True, "rules": False}, ["false"]),
        ({"required": True, "size": 3}, ["size: 3"]),
        ("filled:0|string", ["filled:0"]),
        ({"required": True, "enum": ["a"], "rules": "in:b"}, ['choices: ["a", "b"]']),
    ],
)
def test_rules_that_are_unclear_are_kept_in_the_services_words(rule: Any, words: list[str]) -> None:
    options = read_options({"setting_x": rule})
    assert options is not None
    assert list(options[0].unclear) == words


def test_rules_about_all_settings_together_are_kept() -> None:
    options = read_options(
        {"properties": {"a": {"type": "string"}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}], "title": "T"}
    )
    assert options is not None
    assert options[0].unclear == ('for all settings together, oneOf: [{"required": ["a"]}, {"required": ["b"]}]',)


def test_required_names_without_a_schema_are_required() -> None:
    assert said({"properties": {"a": {"type": "string"}}, "required": ["b"]})["b"] == {"required": True}


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        {},
        {"properties": {}, "title": "WebhostingSettings", "type": "object"},
        {"_def": {"typeName": "ZodObject"}, "shape": {}},
        {"type": "object", "keys": {}},
        {"name": "settings", "fields": []},
        {"name": "Contract", "description": "", "parses": ["application/json"], "actions": {"POST": {}}},
    ],
)
def test_nothing_listed(raw: Any) -> None:
    assert read_options(raw) == []


@pytest.mark.parametrize(
    "raw",
    [
        "text",
        17,
        True,
        [1, 2],
        [[1]],
        [None],
        {"a": 1, "b": 2},
        {"a": "The name of the server"},
        "{broken",
        '"x"',
    ],
)
def test_a_kind_never_seen_is_none(raw: Any) -> None:
    assert read_options(raw) is None


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        (["hostname", "template"], ["hostname", "template"]),
        (["hostname:required"], ["hostname"]),
        ([{"id": "hostname", "name": "Hostname"}, {"id": "template", "name": "OS"}], ["hostname", "template"]),
        ([{"key": "cpu_cores", "name": "cores"}, {"key": "ram", "name": "memory"}], ["cpu_cores", "ram"]),
        ([{"name": "hostname", "field": "text"}, {"name": "domain", "field": "text"}], ["hostname", "domain"]),
        ([{"name": "10g_upgrade", "id": 4}], ["10g_upgrade"]),
        ([{"uuid": "2f0c9a4e-6f0b-4a56-9d55-2f0c9a4e6f0b", "code": "x_y", "title": "X"}], ["x_y"]),
        ({"required": ["domain"], "optional": ["authcode"]}, ["domain", "authcode"]),
        ({"hostname": {"name": "Host name", "type": "text"}}, ["hostname"]),
        ({"options": {"type": "string"}, "hostname": {"type": "string"}}, ["options", "hostname"]),
        ({"url": "required|url", "email": "email"}, ["url", "email"]),
    ],
)
def test_names(raw: Any, names: list[str]) -> None:
    assert [option.name for option in read_options(raw) or ()] == names


def test_what_is_beside_the_settings_is_none() -> None:
    options = read_options([{"name": "hostname", "type": "string"}, 17, {"total": {"required": True}}])
    assert [option.name for option in options or ()] == ["hostname"]


def test_secrets_are_known_by_type_or_name() -> None:
    options = read_options(
        [
            {"name": "password"},
            {"name": "root_password"},
            {"name": "x", "type": "password"},
            {"name": "y", "secret": True},
        ]
    )
    assert [option.secret for option in options or ()] == [True] * 4


def test_deep_and_large_entries_are_survived() -> None:
    deep: Any = "x"
    for number in range(20_000):
        deep = {"rules": deep} if number % 2 else [deep]
    assert read_options(deep) is None
    options = read_options([{"name": "template", "values": [f"t-{number}" for number in range(50_000)], "rules": deep}])
    assert options is not None
    assert len(options[0].choices) == 50_000


WORDS = st.sampled_from(
    [
        "name",
        "key",
        "type",
        "required",
        "min",
        "max",
        "range",
        "between",
        "pattern",
        "regex",
        "values",
        "options",
        "rules",
        "constraints",
        "NotBlank",
        "Range",
        "Choice",
        "choices",
        "properties",
        "oneOf",
        "allOf",
        "enum",
        "const",
        "label",
        "value",
        "multipleOf",
        "exclusiveMinimum",
        "length",
        "size",
        "mapping",
        "default",
        "settings",
        "fields",
        "schema",
        "hostname",
        "template",
        "ram",
        "optional",
        "digits",
        "items",
        "data",
        "attributes",
    ]
)
TEXTS = st.sampled_from(
    [
        "required|integer|between:1,10",
        "integer",
        "string",
        "select",
        "in:a,b",
        "regex:/^(a|b)$/",
        "min:3",
        "hostname",
        "template",
        "1,10",
        "/^a+$/",
        "1e9",
        "-1",
        "",
        "true",
        '{"a": 1}',
        "digits:99999999",
        "between:a,b",
        "size:",
    ]
)
OPTIONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=5),
    max_leaves=30,
)


@given(OPTIONS)
def test_any_entry_gives_a_value(raw: Any) -> None:
    options = read_options(raw)
    assert options is None or all(isinstance(option, Option) and isinstance(option.name, str) for option in options)
    json.dumps([option.as_dict() for option in options or ()])
