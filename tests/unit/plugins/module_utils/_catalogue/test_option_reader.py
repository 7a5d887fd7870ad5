# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.option import Choice, Option
from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.option_reader import read_options
from ansible_collections.hosting.reseller.plugins.module_utils._checks.catalogue_rules import check_catalogue_rules
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.configurable_vps import CONFIGURABLE_VPS
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.product_type import (
    ProductType,
    integer,
    trimmed,
)
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.vps import VPS
from tests.support.cases import cases


def one(raw: Any, name: str = "setting_x") -> Option:
    """The only option of an entry."""
    (option,) = read_options({name: raw})[1] or ()
    return option


CPU = {"type": "integer", "minimum": 1, "maximum": 10}
FOUND = ["ram", "disk_size", "username"]
BOUNDS, PIPES = {"min": 1, "max": 10}, "required|integer|between:1,10"


@pytest.mark.parametrize(
    "raw",
    [
        {"cpu_cores": ["required", "integer", "min:1", "max:10"]},
        {"cpu_cores": {"required": True, "Type": "integer", "Range": BOUNDS}},
        {"required": ["cpu_cores"], "properties": {"cpu_cores": CPU}},
        [{"id": "cpu_cores", "type": "integer", "required": True, "attr": {"min": "1", "max": "10", "size": 4}}],
        {"form": {"settings": {"cpu_cores": PIPES}}},
        # A list with gaps, as PHP writes it.
        {"4": {"name": "cpu_cores", "rule": PIPES}},
        json.dumps({"cpu_cores": PIPES}),
        {"form": {"cpu_cores": PIPES}, "messages": {"cpu_cores": "required|min:2", "ram": "required"}},
    ],
)
def test_plain_rules_are_read_in_every_style(raw: Any) -> None:
    (option,) = read_options(raw)[1] or ()
    assert (option.name, option.schema, option.required) == ("cpu_cores", CPU, True)


def test_rule_is_compared_with_the_documented_one_of_the_product_type() -> None:
    other = ProductType(
        "archive", "archive", "9", {"properties": {"disk_size": integer(1, 50), "region": trimmed("a region")}}
    )
    entry = {"disk_size": {"min": 2, "max": 5}}
    options = {kind.name: read_options(entry, kind)[1] or [] for kind in (CONFIGURABLE_VPS, other)}
    assert {name: option.schema for name, (option,) in options.items()} == {
        "configurable_vps": {"minimum": 2},
        "archive": {"minimum": 2, "maximum": 5},
    }


@pytest.mark.parametrize(
    ("rules", "schema"),
    [
        ("nullable|integer|between:1,10", CPU),
        ("integer|multiple_of:1024|min:2048", {"type": "integer", "minimum": 2048, "multipleOf": 1024}),
        ("string|min:3|max:32", {"type": "string", "minLength": 3, "maxLength": 32}),
        ("required|string|regex:/^ab$/i", {"type": "string"}),
        ({"type": "text", "minlength": "3", "maxlength": 32}, {"type": "string", "minLength": 3, "maxLength": 32}),
        ({"type": ["integer", "null"], "minimum": 1}, {"type": "integer", "minimum": 1}),
        ({"type": "integer", "range": "1,10"}, CPU),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": False, "maximum": 10}, CPU),
        ({"type": "integer", "rules": "integer", "label": "L", "order": 1, "@id": "/x"}, {"type": "integer"}),
    ],
)
def test_words_for_rules(rules: Any, schema: dict[str, Any]) -> None:
    assert one(rules).schema == schema


@pytest.mark.parametrize(
    ("name", "rules", "schema"),
    [
        # Not one reading.
        ("setting_x", {"type": "integer", "max": 8, "attr": {"max": 10}}, {"type": "integer"}),
        ("setting_x", {"type": "integer", "rules": "numeric"}, {}),
        ("setting_x", {"min": 1, "max": 9, "step": 2}, {"minimum": 1, "maximum": 9}),
        ("setting_x", {"step": 3, "multipleOf": 2}, {}),
        ("setting_x", {"min": 1, "inclusive": "left"}, {}),
        ("setting_x", {"minimum": 0, "exclusiveMinimum": True}, {"minimum": 0}),
        ("setting_x", {"range": "1-9"}, {}),
        # Alternatives and references, but for what stands beside them.
        ("setting_x", {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}, {}),
        ("setting_x", {"allOf": [{"type": "integer"}, {"minimum": 1}]}, {}),
        ("setting_x", "required|string|min:3|regex:/^(a|b)$/i", {}),
        ("template", 'in:"a,b",c', {}),
        ("setting_x", {"type": ["integer", "string"], "minimum": 3}, {"minimum": 3}),
        ("setting_x", {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "string", "minLength": 3}]}, {}),
        ("setting_x", {"oneOf": [{"type": "integer", "maximum": 4}, {"type": "integer", "minimum": 6}]}, {}),
        ("setting_x", {"oneOf": [{"enum": ["a"]}, {"enum": ["b", "c"]}]}, {}),
        ("setting_x", {"oneOf": [{"enum": ["a"]}, {"type": "string", "pattern": "^x"}]}, {}),
        # Only sometimes.
        ("setting_x", {"minimum": 8, "if": {"x": 1}}, {}),
        ("setting_x", {"Range": {"min": 8, "groups": ["trial"]}}, {}),
        ("setting_x", {"type": "string", "not": {"enum": ["a"]}}, {}),
        ("setting_x", "integer|required_if:action,transfer", {"type": "integer"}),
        ("cpu_cores", {"gt": 1}, {}),
        ("ip4_count", {"enum": [1, 2, 4]}, {}),
        ("template", {"oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]}, {}),
        # No rules.
        ("setting_x", {"max": {"value": 9, "message": "odd"}}, {}),
        ("setting_x", {"type": {"name": "integer"}, "isInt": True}, {}),
        ("setting_x", {"max": "ORG_MAX_RAM"}, {}),
        ("setting_x", {"multipleOf": 0}, {}),
        ("setting_x", {"Length": {"min": 3, "max": 32}}, {}),
        ("setting_x", {"minimum": float("nan")}, {}),
        ("ram", {"enum": ["unlimited", 1024, 2048]}, {}),
        ("setting_x", {"$ref": "#/nowhere", "min": 1}, {"minimum": 1}),
        ("disk_size", {"rules": [{"name": "min", "args": {"limit": 60}}], "allow": [10, 20], "whens": [{"is": 1}]}, {}),
        # No room for what the API specification allows.
        ("cpu_cores", {"type": "string", "max": 1}, {}),
        ("ram", {"max": 64}, {}),
        ("disk_size", {"min": 10240}, {}),
        ("template_name", "one of: debian-12 | rocky-9", {}),
        ("ram", {"step": 0.5}, {}),
        ("cpu_cores", {"length": {"options": {"max": 2}}}, {}),
        ("username", {"min": 8}, {}),
        ("nameservers", {"type": "array"}, {}),
        ("password", {"max": 0}, {}),
        # Of a text that the API specification documents, the service decides.
        ("password", {"type": "string", "min": 12, "max": 64}, {"type": "string"}),
        ("ha_upgrade", {"type": "integer", "values": [1]}, {}),
    ],
)
def test_rules_with_doubts_are_not_enforced(name: str, rules: Any, schema: dict[str, Any]) -> None:
    option = one(rules, name)
    assert (option.schema, option.choices) == (schema, ())


@pytest.mark.parametrize(
    "listed",
    [
        {"choices": [{"value": "debian-12", "label": "Debian 12"}, {"value": "ubuntu-24", "label": "Ubuntu 24"}]},
        {"options": {"debian-12": {"label": "Debian 12", "price": 0}, "ubuntu-24": {"label": "Ubuntu 24"}}},
        {"options": {"0": {"value": "debian-12", "title": "D"}, "1": {"value": "ubuntu-24", "title": "U"}}},
        {"options": [{"id": 7, "name": "debian-12"}, {"id": 9, "name": "ubuntu-24"}]},
        {"options": {"7": "debian-12", "9": "ubuntu-24"}},
        {"values": ["debian-12", "ubuntu-24"], "mapping": {"Debian 12": "debian-12", "Ubuntu 24": "ubuntu-24"}},
        {"Choice": {"choices": {"debian-12": "Debian 12", "ubuntu-24": "Ubuntu 24"}, "message": "no"}},
        {"choices": [{"value": "", "label": "Please choose"}, {"value": "debian-12"}, {"value": "ubuntu-24"}]},
    ],
)
def test_os_templates_are_read_from_every_kind_of_choices(listed: dict[str, Any]) -> None:
    (option,) = read_options([{"name": "template", "type": "select", **listed}])[1] or ()
    assert [choice.value for choice in option.choices] == ["debian-12", "ubuntu-24"]


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("template", "/api/os-templates"),
        ("template", [{"price": 3.5}]),
        ("template", [{"some_key": "debian-12", "any": "Debian 12"}]),
        ("template", {"Debian": {"debian-12": "Debian 12"}, "Ubuntu": {"ubuntu-24": "Ubuntu 24"}}),
        ("ipv4_addresses", [{"id": 4, "label": "IPv4"}]),
        ("ipv4_addresses", {"4": "IPv4 addresses"}),
        ("cpu_cores", [{"id": number, "name": f"{2 * number} cores"} for number in range(1, 6)]),
        ("cpu_cores", [1, 10]),
        ("cpu_cores", [5, 10, 15]),
        ("ram", [1024, 65536, 1024]),
        ("ha_upgrade", ["1"]),
        ("hostname", ["web", "db"]),
    ],
)
def test_choices_without_plain_values_are_not_enforced(name: str, listed: Any) -> None:
    assert one({"options": listed, "type": "select"}, name).choices == ()


PRICED = [{"value": "a", "label": "A", "price": 1}, {"value": "b", "label": "B"}]
A, B = Choice("a", "A", price={"price": 1}), Choice("b", "B")


@pytest.mark.parametrize(
    ("raw", "choices"),
    [
        # Of a key and a label, an order may say either.
        ({"choices": {"debian-12": "Debian 12"}}, (Choice("debian-12", "Debian 12", ("Debian 12",)),)),
        ({"enum": ["a", "b"], "options": PRICED}, (A, B)),
        ({"options": PRICED, "in": ["a", "b"]}, (A, B)),
        ({"enum": ["a", "b"], "rules": "in:b,c"}, tuple(Choice(value, value) for value in "abc")),
    ],
)
def test_choices_are_those_of_any_list(raw: Any, choices: tuple[Choice, ...]) -> None:
    assert one(raw, "template").choices == choices


#: Entries that list no settings.
EMPTY: list[Any] = [
    {"rules": {}, "mappings": {}, "values": {}},
    {"type": "object", "title": "Webhosting", "properties": {}, "required": [], "additionalProperties": False},
    {"type": "object", "additionalProperties": False},
    {"properties": {}, "~standard": {"vendor": "zod", "version": 1, "jsonSchema": {}}},
    *(None, [{}]),
]


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        # Of an unknown kind.
        *((raw, None) for raw in (17, [1, 2], {"a": 1, "b": 2}, {"a": "A server"}, "text")),
        *((raw, []) for raw in EMPTY),
        (["hostname", "template"], ["hostname", "template"]),
        ([{"id": "hostname", "name": "Hostname"}, {"id": "template", "name": "OS"}], ["hostname", "template"]),
        ([{"name": "hostname", "field": "text"}, {"name": "domain", "field": "text"}], ["hostname", "domain"]),
        ([{"name": "10g_upgrade", "id": 4}], ["10g_upgrade"]),
        ({"required": ["domain"], "optional": ["authcode"]}, ["domain", "authcode"]),
        ({"hostname": {"name": "Host name", "type": "text"}}, ["hostname"]),
        ({"url": "required|url", "email": "email"}, ["url", "email"]),
        ([{"name": ["settings", "ram"], "min": 1024}, {"name": ["disk_size"]}], ["ram", "disk_size"]),
        ([{"props": {"name": "ram", "min": 1024}}, {"props": {"name": "disk_size"}}], ["ram", "disk_size"]),
        # Dumps of Joi and of a Laravel form request.
        ({"type": "object", "keys": {"ram": {"type": "number"}, "username": {}}}, ["ram", "username"]),
        ({"settings.ram": ["min:1024"], "settings.username": "required"}, ["ram", "username"]),
        ([["presence", ["cpu_cores"]], ["number", ["ram", {"min": 1}]]], ["cpu_cores", "ram"]),
        # Beside those of the best group, what others hold of the same product type.
        (
            [{"fields": [{"name": "ram"}, {"name": "disk_size"}]}, {"fields": [{"name": "username"}, {"name": "x"}]}],
            FOUND,
        ),
        # A setting beside the documented ones has rules, wherever they stand among the rest.
        ({"hostname": {"type": "string"}, "plan": {"title": "Plan", "type": "string"}}, ["hostname", "plan"]),
        ([{"name": "hostname"}, {"name": "plan", "label": "Plan", "values": ["a"]}], ["hostname", "plan"]),
        ({"hostname": {"type": "string"}, "plan": {"title": "Plan", "text": "…"}}, ["hostname"]),
    ],
)
def test_names_are_read_even_where_rules_are_not(raw: Any, names: list[str] | None) -> None:
    options = read_options(raw)[1]
    assert (None if options is None else [option.name for option in options]) == names


@cases("catalogues")
def test_options_of_services_are_read_where_they_are_plain(case: dict[str, Any]) -> None:
    options = read_options(case["options"])[1] or []
    assert [option.name for option in options] == case["names"]
    templates = [choice.value for option in options if option.name == "template" for choice in option.choices]
    assert templates == case["templates"]
    for given, sent in {**case.get("given", {}), **{text: text for text in templates}}.items():
        assert check_catalogue_rules({"template": given}, options, documented=VPS.settings) == ([], {"template": sent})
    for given, words in case.get("refused", {}).items():
        (violation,), _sent = check_catalogue_rules({"template": given}, options, documented=VPS.settings)
        assert words in f"{violation.rule}; {violation.fix}"


def test_required_is_told_as_the_entry_says_it() -> None:
    raw = {
        "a": "required|integer",
        "b": "sometimes|required|integer",
        "c": "integer",
        "d": {"required": False, "min": 1},
    }
    assert [option.required for option in read_options(raw)[1] or ()] == [True, False, None, False]


def test_form_that_products_info_returns() -> None:
    raw = {"rules": "required|string|min:3|max:32|regex:/^[a-z]+$/", "default": "web", "price": 2, "currency": "EUR"}
    bounds = {"type": "string", "required": True, "minimum": 3, "maximum": 32, "step": None, "pattern": "/^[a-z]+$/"}
    price = {"price": 2, "currency": "EUR"}
    assert one(raw).as_dict() == {"name": "setting_x", **bounds, "default": "web", "choices": [], "price": price}
    assert one({"type": "string", "pattern": "None"}).as_dict()["pattern"] is None
    listed = one({"values": [{"value": "a", "label": "A", "price": 1}, {"value": "b", "label": "B"}]}).as_dict()
    assert listed["choices"] == [{"value": "a", "label": "A", "price": {"price": 1}}, {"value": "b", "label": "B"}]


def test_secrets_are_known_by_type_or_name() -> None:
    raw = [{"name": "password"}, {"name": "root_password"}, {"name": "x", "type": "password"}]
    assert [option.secret for option in read_options(raw)[1] or ()] == [True, True, True]
    assert one({"type": "string", "secret": True}).secret


def test_deep_and_large_entries_are_survived() -> None:
    deep: Any = "x"
    for number in range(400):
        deep = {"rules": deep} if number % 2 else [deep]
    assert read_options(deep)[1] is None
    options = read_options(
        [{"name": "template", "values": [f"t-{number}" for number in range(50_000)], "rules": deep}]
    )[1]
    assert options is not None
    assert len(options[0].choices) == 50_000


@pytest.mark.parametrize("count", [900, 1001])
def test_part_with_more_than_1000_settings_is_not_read(count: int) -> None:
    rules = {f"setting_{number}": {"type": "integer", "minimum": 1} for number in range(count)}
    for entry in ([{"name": name, **rule} for name, rule in rules.items()], {"properties": rules}):
        options = read_options(entry)[1]
        assert options is None if count > 1000 else options is not None and len(options) == count


# Alternatives

TEXT = {"type": "string"}
REGISTER = {"domain": TEXT, "action": {"const": "register"}, "years": {"type": "integer", "minimum": 1, "maximum": 10}}
TRANSFER = {
    "domain": TEXT,
    "action": {"const": "transfer"},
    "years": {"type": "integer", "minimum": 1, "maximum": 2},
    "authcode": {"type": "string", "minLength": 8},
}


def form(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), **more}


FORMS = [form(REGISTER, "domain", "action"), form(TRANSFER, "domain", "action", "authcode")]
#: Ways to write that there are two forms, each with the same settings.
TWO_FORMS: dict[str, Any] = {
    "oneOf": {"oneOf": FORMS},
    "anyOf below settings": {"type": "object", "properties": {"settings": {"anyOf": [*FORMS, {"type": "null"}]}}},
    "then and else": {"if": {"properties": {"action": {"const": "register"}}}, "then": FORMS[0], "else": FORMS[1]},
    "by kind": {"settings": {"register": REGISTER, "transfer": TRANSFER}},
    "list of schemas": FORMS,
}


def read(entry: Any, kind: str = "domain") -> dict[str, Option]:
    return {option.name: option for option in read_options(entry, PRODUCT_TYPES[kind])[1] or ()}


@pytest.mark.parametrize("way", TWO_FORMS)
def test_of_alternatives_the_names_are_known_and_nothing_is_a_rule(way: str) -> None:
    options = read(TWO_FORMS[way])
    assert {*options} == {"domain", "action", "years", "authcode"}
    for name in ("action", "years", "authcode"):
        assert (options[name].schema, options[name].choices, options[name].required) == ({}, (), None)


def test_rule_beside_forms_holds() -> None:
    forms = [form({"cpu_cores": {"minimum": 2}, "ram": {}}), form({"cpu_cores": {"minimum": 4}})]
    entry = form({"hostname": TEXT, "cpu_cores": {"maximum": 8}}, "hostname", allOf=[{"anyOf": forms}])
    options = read(entry, "configurable_vps")
    assert (options["cpu_cores"].schema, options["hostname"].required) == ({"maximum": 8}, True)


def test_form_of_another_product_type_tells_nothing_of_this_one() -> None:
    entry = {"oneOf": [form({"hostname": TEXT, "template": {"enum": ["a"]}, "extra": TEXT}), form(TRANSFER)]}
    assert {*read(entry, "vps")} == {"hostname", "template", "extra"}
    assert {*read(entry)} == {"domain", "action", "years", "authcode"}
