# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options entries in styles that nobody fitted the reader to: is an order at the documented bounds refused?"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._checks.live import org_max_ram
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES

from .test_live_frameworks import CONFIGURABLE, DOMAIN, SERVER, read_options, told

CONTACT = DOMAIN["admincData"]
#: Orders at the bounds of the API specification's section 8, and with any form that it allows.
ORDERS: dict[str, list[dict[str, Any]]] = {
    "vps": [{"hostname": "vps01", "template": "debian-12"}, {"hostname": "a" * 63 + ".example", "template": "rocky-9"}],
    "configurable_vps": [
        {**CONFIGURABLE, **change}
        for change in (
            *({"cpu_cores": cores} for cores in (1, 2, 3, 7, 10, "10")),
            *({"ram": ram} for ram in (1024, 2048, 3072, 65536)),
            *({"disk_size": size} for size in (10, 20, 50, 110, 1000)),
            *({"username": name} for name in ("abc", "Z9z", "123", "ROOT", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6")),
            *({"password": word} for word in ("Tr0ub4dor&3 x", "aB3$aB3$aB3$", "Ünïcödé-12 Passwort")),
            *({"ipv4_addresses": count} for count in (1, 2, 4, 9, 10)),
            *({"traffic_display": size} for size in (128, 256, 1280, 12800)),
            *({"backup_count": count} for count in (5, 6, 11, 30)),
            *({"snapshot_count": count} for count in (2, 3, 30)),
            *({"hostname": name} for name in ("1", "WEB-01.Example.com", "a.b.c.d.example")),
            *({"ha_upgrade": word, "10g_upgrade": word} for word in (True, False, "yes")),
            {"template_name": "rocky-9"},
        )
    ],
    "dedicated_server": [
        SERVER,
        {**SERVER, "template": "rocky-9", "ip4_subnet_size": 25},
        {**SERVER, "ip6_subnet_size": 48},
        {**SERVER, "ip6_subnet_size": 64, "existing_l2vpn": "f74f643b-5b63-4de7-a83f-fc842d43a998"},
        *({"hostname": "srv", "template": "debian-12", "ip4_count": count} for count in (1, 4, 10)),
        {**SERVER, "ip4_count": None},
    ],
    "webhosting": [{}],
    "domain": [
        DOMAIN,
        {**DOMAIN, "action": "transfer", "authcode": "x,y|z"},
        {
            "domain": "a-very-long-name-of-a-domain.co.example",
            "action": "register",
            "ownercData": CONTACT,
            "admincRef": "7",
        },
        {**DOMAIN, "nameservers": ["ns1.example.net", "ns2.example.net"]},
    ],
}

STYLES: dict[str, tuple[str, Any]] = {
    "TypeBox": (
        "configurable_vps",
        {
            "type": "object",
            "properties": {
                "cpu_cores": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 11},
                "template_name": {
                    "anyOf": [{"const": "debian-12", "type": "string"}, {"const": "rocky-9", "type": "string"}]
                },
                "ha_upgrade": {"anyOf": [{"type": "boolean"}, {"const": "yes", "type": "string"}]},
                "username": {"allOf": [{"type": "string", "minLength": 3}, {"not": {"enum": ["root", "123"]}}]},
                "backup_count": {"type": "integer", "minimum": 5, "multipleOf": 1},
            },
            "required": ["cpu_cores", "template_name", "datacenter", "authcode"],
        },
    ),
    "Joi describe with links": (
        "configurable_vps",
        {
            "type": "object",
            "keys": {
                "cpu_cores": {
                    "type": "number",
                    "flags": {"unit": "cores"},
                    "rules": [{"name": "min", "args": {"limit": 1}}, {"name": "greater", "args": {"limit": 0}}],
                    "whens": [
                        {"ref": {"path": ["ha_upgrade"]}, "is": {"type": "any"}, "then": {"rules": [{"min": 4}]}}
                    ],
                },
                "username": {"type": "string", "invalid": ["root"], "rules": [{"name": "alphanum"}]},
                "template_name": {"type": "string", "allow": ["", None], "examples": ["debian-12"]},
                "ram": {"type": "alternatives", "matches": [{"schema": {"type": "number", "allow": [1024]}}]},
            },
        },
    ),
    "Yup describe with lazies": (
        "dedicated_server",
        {
            "type": "object",
            "fields": {
                "hostname": {
                    "type": "string",
                    "tests": [{"name": "required"}, {"name": "max", "params": {"max": 253}}],
                },
                "template": {"type": "string", "oneOf": [], "notOneOf": ["debian-12"]},
                "ip4_count": {"type": "number", "nullable": True, "tests": [{"name": "min", "params": {"min": 1}}]},
                "ip4_subnet_size": {"type": "lazy"},
                "ip6_subnet_size": {"type": "number", "oneOf": [{"type": "ref", "key": "ip4_subnet_size"}]},
            },
        },
    ),
    "Zod 4 toJSONSchema": (
        "configurable_vps",
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "cpu_cores": {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
                "template_name": {"type": "string", "enum": ["debian-12", "rocky-9"]},
                "username": {"type": "string", "minLength": 3, "maxLength": 32, "pattern": "^[a-zA-Z0-9]+$"},
                "hostname": {"type": "string", "format": "hostname", "pattern": "^[^]+$"},
                "ha_upgrade": {"default": False, "type": "boolean"},
                "password": {"allOf": [{"pattern": "[A-Z]"}, {"pattern": "(?=.*[0-9]).{8,}"}], "type": "string"},
            },
            "required": ["cpu_cores", "template_name"],
            "additionalProperties": False,
        },
    ),
    "marshmallow fields with metadata": (
        "configurable_vps",
        {
            "fields": {
                "cpu_cores": {
                    "_type": "Integer",
                    "validate": {"min": 0, "max": 10, "min_inclusive": False, "max_inclusive": True},
                },
                "ipv4_addresses": {"validators": [{"Range": {"min": 1, "max": 11, "inclusive": [True, False]}}]},
                "disk_size": {"metadata": {"min": 500, "max": 600}, "validate": "Range(min=10, max=1000)"},
                "template_name": {"validate": "OneOf(debian-12, rocky-9)", "metadata": {"choices": 4}},
            }
        },
    ),
    "pydantic 1": (
        "configurable_vps",
        {
            "title": "Settings",
            "properties": {
                "cpu_cores": {"title": "Cpu Cores", "gt": 0, "le": 10, "env_names": ["cpu_cores"], "type": "integer"},
                "template_name": {"$ref": "#/definitions/Template"},
                "ram": {"title": "Ram", "exclusiveMinimum": 1023, "multipleOf": 1024, "type": "integer"},
                "password": {"type": "string", "writeOnly": True, "format": "password", "minLength": 0},
            },
            "definitions": {"Template": {"enum": ["debian-12", "rocky-9"]}},
        },
    ),
    "pydantic 2 field infos": (
        "configurable_vps",
        {
            "cpu_cores": {"annotation": "int", "required": True, "metadata": [{"gt": 0}, {"lt": 11}], "strict": True},
            "ram": {"annotation": "Annotated[int, Ge(1024)]", "metadata": [{"ge": 1024}, {"multiple_of": 1024}]},
            "username": {
                "annotation": "str",
                "metadata": [{"min_length": 3}, {"pattern": "^[a-z0-9]+$", "flags": "i"}],
            },
        },
    ),
    "dry-schema": (
        "configurable_vps",
        [
            ["key", ["cpu_cores", ["and", [["predicate", ["int?", []]], ["predicate", ["gteq?", [["num", 1]]]]]]]],
            ["key", ["template_name", ["predicate", ["included_in?", [["list", ["debian-12", "rocky-9"]]]]]]],
            ["key", ["username", ["predicate", ["size?", [["size", 3]]]]]],
        ],
    ),
    "Rails attributes": (
        "configurable_vps",
        {
            "cpu_cores": {
                "numericality": {"greater_than": 0, "less_than_or_equal_to": 10, "only_integer": True, "odd": False},
                "inclusion": {"in": "1..10"},
            },
            "username": {"length": {"in": "3..32", "maximum": 32}, "exclusion": {"in": ["abc", "ROOT"]}},
            "password": {"length": {"minimum": 64, "if": "admin?"}, "confirmation": True},
            "template_name": {"inclusion": {"within": ["debian-12"], "unless": "custom?"}},
        },
    ),
    "Hibernate": (
        "configurable_vps",
        {
            "constrainedProperties": {
                "cpu_cores": [
                    {"type": "DecimalMin", "value": "0", "inclusive": False},
                    {"type": "DecimalMax", "value": "10", "inclusive": True},
                    {"type": "Digits", "integer": 2, "fraction": 0},
                ],
                "username": [
                    {"type": "Size", "min": 3, "max": 32},
                    {"type": "Pattern", "regexp": "^[a-z0-9]+$", "flags": ["CASE_INSENSITIVE"]},
                ],
                "disk_size": [{"type": "Max", "value": 100, "groups": ["Trial"]}, {"type": "Max", "value": 1000}],
                "ram": [{"type": "Range", "min": 1024, "max": 9223372036854775807}],
            }
        },
    ),
    "Go validator tags": (
        "configurable_vps",
        [
            {"Name": "CPUCores", "json": "cpu_cores,omitempty", "type": "int", "validate": "required,gte=1,lt=11"},
            {"Name": "RAM", "json": "ram", "type": "int64", "validate": "required,min=1024"},
            {"Name": "Username", "json": "username", "type": "string", "validate": "required,alphanum,min=3,max=32"},
        ],
    ),
    "Go validator tags by name": (
        "configurable_vps",
        {
            "cpu_cores": "required,gt=0,lte=10",
            "username": "required,alphanum,min=3,max=32,excludes=admin",
            "template_name": "required,oneof=debian-12 rocky-9",
            "hostname": "required,hostname_rfc1123|fqdn",
            "password": "required_without=key,min=8",
            "backup_count": "omitempty,min=5",
        },
    ),
    "Ecto changeset": (
        "configurable_vps",
        {
            "types": {"cpu_cores": "integer", "ram": "integer", "username": "string"},
            "required": ["cpu_cores", "ram", "username"],
            "validations": [
                ["cpu_cores", ["number", {"greater_than": 0, "less_than": 11}]],
                ["username", ["length", {"min": 3, "max": 32, "count": "graphemes"}]],
                ["username", ["format", "~r/^[a-z]+$/i"]],
                ["template_name", ["inclusion", ["debian-12", "rocky-9"]]],
            ],
        },
    ),
    "DataAnnotations": (
        "configurable_vps",
        {
            "cpu_cores": {
                "DataType": "Int32",
                "IsRequired": True,
                "Attributes": [
                    {"TypeId": "RangeAttribute", "Minimum": 0, "Maximum": 11, "MinimumIsExclusive": True}
                    | {"MaximumIsExclusive": True, "ConvertValueInInvariantCulture": False}
                ],
            },
            "username": {
                "DataType": "Text",
                "Attributes": [{"TypeId": "StringLengthAttribute", "MaximumLength": 32, "MinimumLength": 3}],
            },
        },
    ),
    "data-val of an HTML form": (
        "configurable_vps",
        [
            {
                "name": "cpu_cores",
                "type": "text",
                "data-val": "true",
                "data-val-range": "The field must be between 1 and 10.",
                "data-val-range-min": "1",
                "data-val-range-max": "10",
                "maxlength": "2",
                "size": 2,
                "value": "4",
            },
            {"name": "ha_upgrade", "type": "checkbox", "value": "1", "checked": False},
            {"name": "10g_upgrade", "type": "radio", "options": ["1"]},
            {"name": "username", "type": "text", "maxlength": -1, "pattern": "[A-Za-z0-9]{3,32}", "list": "names"},
            {"name": "backup_count", "type": "number", "min": 5, "step": 1},
            {"name": "snapshot_count", "type": "range", "min": 2, "max": 100, "step": "any"},
            {"name": "disk_size", "type": "number", "min": 0, "max": 0, "step": 0},
        ],
    ),
    "Angular controls": (
        "configurable_vps",
        {
            "controls": {
                "cpu_cores": {"validators": ["required", {"min": 1}, {"max": 10}], "value": 4, "disabled": False},
                "username": {
                    "validators": [{"minlength": {"requiredLength": 3}}, {"pattern": {"requiredPattern": "x"}}]
                },
                "template_name": {
                    "controlType": "dropdown",
                    "options": [{"key": "debian-12", "value": "D"}, {"key": "rocky-9", "value": "R"}],
                },
            }
        },
    ),
    "WHMCS configurable options": (
        "configurable_vps",
        {
            "configoptions": {
                "configoption": [
                    {
                        "id": "4",
                        "name": "ipv4_addresses",
                        "type": "4",
                        "qtyminimum": "1",
                        "qtymaximum": "0",
                        "options": {"option": [{"id": "4", "name": "IPv4 addresses", "rawName": "4", "pricing": {}}]},
                    },
                    {
                        "id": "5",
                        "name": "cpu_cores",
                        "type": "1",
                        "options": {
                            "option": [{"id": number, "name": f"{2 * number} Cores"} for number in (1, 2, 3, 4, 5)]
                        },
                    },
                    {
                        "id": "6",
                        "name": "template_name",
                        "options": {"option": [{"id": 1, "name": "debian-12"}, {"id": 2, "name": "rocky-9"}]},
                    },
                ]
            }
        },
    ),
    "labels with digits": (
        "configurable_vps",
        [
            {"name": "ipv4_addresses", "options": [{"id": 4, "label": "IPv4"}]},
            {"name": "cpu_cores", "options": {"1": "2 cores", "2": "4 cores", "3": "8 cores"}},
            {"name": "ram", "options": [{"value": 1024, "price": 4}], "values": [1024, 65536, 1024]},
            {"name": "disk_size", "values": [10, 1000]},
            {"name": "traffic_display", "options": [{"id": 128, "price": 1}, {"id": 256, "price": 2}]},
            {"name": "template_name", "options": [{"value": "", "label": "Choose"}, {"price": 3.5}]},
            {"name": "backup_count", "values": {"5": 9.99}, "unit": "piece"},
            {"name": "snapshot_count", "select": "2"},
            {"name": "hostname", "options": ["web", "db"]},
            {"name": "username", "values": "admin,user", "default": "admin"},
        ],
    ),
    "groups of templates": (
        "vps",
        {
            "hostname": {"type": "string"},
            "template": {
                "type": "select",
                "optgroups": [],
                "options": {"Linux": {"debian-12": "Debian 12", "rocky-9": "Rocky 9"}, "Other": {"empty": "No OS"}},
            },
        },
    ),
    "Symfony constraints with groups and negation": (
        "configurable_vps",
        {
            "cpu_cores": [{"Range": {"min": 2, "groups": ["ha"]}}, {"Range": {"min": 1, "max": 10}}, {"NotEqualTo": 3}],
            "username": [{"Regex": {"pattern": "/^[0-9]/", "match": False}}, {"Length": {"max": 32, "min": 3}}],
            "password": [{"NotCompromisedPassword": {"threshold": 1}}, {"PasswordStrength": {"minScore": 4}}],
            "template_name": {"Choice": {"callback": ["App\\Templates", "names"], "choices": None, "min": 1, "max": 1}},
            "ha_upgrade": {"IsTrue": {"groups": ["x"]}, "Type": "bool", "Choice": [True]},
            "disk_size": {"When": {"expression": "this.ha_upgrade", "constraints": [{"Range": {"max": 100}}]}},
        },
    ),
    "Drupal form API with states": (
        "dedicated_server",
        {
            "ip4_count": {
                "#type": "number",
                "#min": 1,
                "#max": 10,
                "#required": True,
                "#states": {"visible": [{":input[name=mode]": {"value": "count"}}]},
            },
            "ip4_subnet_size": {"#type": "select", "#required": True, "#options": {"25": "/25", "29": "/29 (8)"}},
            "ip6_subnet_size": {
                "#type": "number",
                "#element_validate": ["::check"],
                "#min": 48,
                "#max": 64,
                "#step": 4,
            },
            "existing_l2vpn": {"#type": "entity_autocomplete", "#required": False, "#options": {"1": "vlan"}},
            "template": {"#type": "select", "#options": {"_none": "- Select -", "debian-12": "D", "rocky-9": "R"}},
        },
    ),
    "JSON Forms": (
        "domain",
        {
            "schema": {
                "type": "object",
                "properties": {
                    "domain": {"type": "string", "minLength": 4, "pattern": "\\.(de|example)$"},
                    "action": {"type": "string", "enum": ["register", "transfer"]},
                    "authcode": {"type": "string"},
                    "ownercRef": {"type": "string", "enum": ["OC-1"]},
                    "nameservers": {"type": "array", "items": {"type": "string"}, "minItems": 2},
                    "admincData": {"type": "object", "properties": {"label": {"type": "string", "maxLength": 1}}},
                },
                "if": {"properties": {"action": {"const": "transfer"}}},
                "then": {"required": ["authcode"]},
                "required": ["domain", "action", "authcode", "ownercRef", "ownercData", "nameservers"],
            },
            "uischema": {"type": "VerticalLayout", "elements": [{"type": "Control", "scope": "#/properties/authcode"}]},
            "data": {"domain": "x.example", "action": "register"},
        },
    ),
    "one text for each setting": (
        "configurable_vps",
        {
            "cpu_cores": "integer, 1 to 10, step 1",
            "ram": "min=1024",
            "username": "3-32 chars [A-Za-z0-9]",
            "template_name": "one of: debian-12 | rocky-9",
            "ha_upgrade": "bool|in:1",
            "disk_size": "int|min:10|max:1000|step:10|not_in:20",
        },
    ),
    "GraphQL input object": (
        "configurable_vps",
        {
            "__type": {
                "name": "ConfigurableVpsSettings",
                "inputFields": [
                    {"name": "cpu_cores", "type": {"kind": "NON_NULL", "ofType": {"name": "Int"}}, "defaultValue": "1"},
                    {"name": "template_name", "type": {"kind": "ENUM", "enumValues": [{"name": "DEBIAN_12"}]}},
                ],
            }
        },
    ),
    "bounds in other units": (
        "configurable_vps",
        [
            {"name": "ram", "type": "integer", "min": 1, "max": 64, "step": 1, "unit": "GB"},
            {"name": "disk_size", "type": "integer", "min": 10240, "max": 1024000, "unit": "MB"},
            {"name": "traffic_display", "max": 100, "unit": "TB"},
            {"name": "username", "min": 3000, "max": 0},
            {"name": "cpu_cores", "max": 1, "maxItems": 1, "min_length": 2},
        ],
    ),
}
NO_SETTINGS = [
    {"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {}},
    {"rules": {}, "mappings": {}, "values": {}},
    {"type": "object", "title": "Webhosting", "properties": {}, "required": [], "additionalProperties": False},
    {"_def": {"typeName": "ZodObject"}, "shape": {}},
    {"settings": [], "total": 0},
    {"data": {"fields": None}, "message": "No settings are needed."},
    "none",
    None,
    {},
    [],
    [{}],
]


@pytest.mark.parametrize("style", STYLES)
def test_no_valid_order_is_refused(style: str) -> None:
    kind, entry = STYLES[style]
    refused = [(settings, rules) for settings in ORDERS[kind] if (rules := told(entry, kind, settings))]
    assert refused == []
    most = org_max_ram(read_options(entry) or ())
    assert most is None or most >= 65536


@pytest.mark.parametrize("style", STYLES)
def test_names_of_the_settings_are_read(style: str) -> None:
    kind, entry = STYLES[style]
    names = {option.name for option in read_options(entry) or ()}
    assert names & PRODUCT_TYPES[kind].settings.keys()


@pytest.mark.parametrize("entry", NO_SETTINGS, ids=str)
def test_entry_without_settings_lists_none(entry: Any) -> None:
    assert read_options(entry) == []
    assert told(entry, "webhosting", {}) == {}
