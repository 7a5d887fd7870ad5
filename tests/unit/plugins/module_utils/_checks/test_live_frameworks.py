# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options entries as real frameworks dump their own rules: valid orders pass, plainly wrong values are told."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.option_reader import read_options
from ansible_collections.hosting.reseller.plugins.module_utils._checks.documented import check_documented
from ansible_collections.hosting.reseller.plugins.module_utils._checks.live import check_live
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES, infer

CONFIGURABLE = {
    "cpu_cores": 4,
    "ram": 4096,
    "disk_size": 100,
    "username": "admin1",
    "password": "S3cret pass|word",
    "template_name": "debian-12",
    "hostname": "vps01",
    "ipv4_addresses": 1,
    "traffic_display": 1280,
    "backup_count": 5,
    "snapshot_count": 2,
    "ha_upgrade": False,
    "10g_upgrade": True,
}
DOMAIN = {
    "domain": "example.com",
    "action": "register",
    "ownercRef": "OC-1",
    "admincData": {
        "label": "x1",
        "first_name": "Zoë",
        "last_name": "O'Neil",
        "company_name": "",
        "street": "1 Main St",
        "postal_code": "1",
        "city": "Y",
        "country": "DE",
        "telephone": "+49.1",
        "email": "a@example.com",
    },
}
SERVER = {"hostname": "srv01.example.com", "template": "debian-12", "ip4_subnet_size": 29}
BASES = {"configurable_vps": CONFIGURABLE, "domain": DOMAIN, "dedicated_server": SERVER}

#: Unusual orders that the document allows, and that a rule read wrongly would refuse.
UNUSUAL: dict[str, list[dict[str, Any]]] = {
    "configurable_vps": [
        {},
        {"cpu_cores": "10", "ram": "1024", "disk_size": 10},
        {"cpu_cores": 1, "disk_size": 1000},
        {"username": "abc"},
        {"username": "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"},
        {"hostname": "a.b-c.example"},
        {"hostname": "1"},
        {"password": "'\"<>&äß€  x"},
        {"traffic_display": 128, "backup_count": 5000},
        {"traffic_display": 128000, "snapshot_count": 2},
        {"ha_upgrade": "yes", "10g_upgrade": "false"},
        {"ram": 32768},
    ],
    "domain": [
        {},
        {"action": "transfer", "authcode": "x,y|z"},
        {"nameservers": "ns1.example.net ns2.example.net"},
        {"nameservers": ["ns1.example.net"]},
        {"domain": "xn--mller-kva.example"},
    ],
    "dedicated_server": [
        {},
        {"ip4_subnet_size": "25"},
        {"ip4_subnet_size": None, "ip4_count": 10},
        {"ip6_subnet_size": 48},
        {"existing_l2vpn": "f74f643b-5b63-4de7-a83f-fc842d43a998"},
    ],
}


def told(raw: Any, kind: str, settings: dict[str, Any]) -> dict[str, str]:
    """Path to rule of the live rules that the settings of a valid order break."""
    options = read_options(raw)
    assert options is not None
    product_type = PRODUCT_TYPES[kind]
    checked = check_documented(product_type, settings, also_known=[option.name for option in options])
    violations, _sent = check_live(
        checked.settings, options, documented=product_type.settings, secrets=product_type.secrets
    )
    assert "S3cret" not in str(violations)
    return {violation.path: violation.rule for violation in violations}


def order(kind: str, **settings: Any) -> dict[str, Any]:
    return {**BASES[kind], **settings}


CORES, RAM = {"min": 1, "max": 10}, {"min": 1024, "max": 65536}
SYMFONY = "Symfony\\Component\\Validator\\Constraints\\"


def symfony_constraint(name: str, **options: Any) -> dict[str, Any]:
    """A constraint as a serialiser writes it, with all its properties."""
    usual = {"message": f"This value is no {name}.", "payload": None, "groups": ["Default", "ConfigurableVps"]}
    return {"class": SYMFONY + name, **usual, **options}


SYMFONY_RANGE = {
    "notInRangeMessage": "This value should be between {{ min }} and {{ max }}.",
    "minMessage": "This value should be {{ limit }} or more.",
    "maxMessage": "This value should be {{ limit }} or less.",
    "invalidMessage": "This value should be a valid number.",
    "invalidDateTimeMessage": "This value should be a valid datetime.",
    "minPropertyPath": None,
    "maxPropertyPath": None,
    "deprecatedMinMessageSet": False,
}

#: Product type and entry of the frameworks. Some of the services offer fewer cores and shorter names than documented.
DUMPS: dict[str, tuple[str, Any]] = {
    "Symfony form fields": (
        "configurable_vps",
        {
            "name": "settings",
            "method": "POST",
            "fields": [
                {
                    "name": "cpu_cores",
                    "type": "Symfony\\Component\\Form\\Extension\\Core\\Type\\IntegerType",
                    "required": True,
                    "disabled": False,
                    "label": "CPU cores",
                    "help": "How many",
                    "attr": {"min": 1, "max": 8, "step": 1},
                    "constraints": [symfony_constraint("Range", **SYMFONY_RANGE, min=1, max=8)],
                },
                {
                    "name": "template_name",
                    "type": "Symfony\\Component\\Form\\Extension\\Core\\Type\\ChoiceType",
                    "required": True,
                    "expanded": False,
                    "multiple": False,
                    "placeholder": "Choose …",
                    "choices": {"Debian 12 (Bookworm)": "debian-12", "Rocky Linux 9": "rocky-9"},
                    "constraints": [
                        symfony_constraint("Choice", choices=["debian-12", "rocky-9"], multiple=False, strict=True)
                    ],
                },
                {"name": "hostname", "type": "TextType", "required": True, "attr": {"maxlength": 253}},
                {"name": "ha_upgrade", "type": "CheckboxType", "required": False, "value": "1"},
            ],
        },
    ),
    "Symfony form view": (
        "configurable_vps",
        {
            "vars": {"name": "contract", "full_name": "contract", "method": "POST", "compound": True},
            "children": {
                "settings": {
                    "vars": {"name": "settings", "full_name": "contract[settings]", "compound": True, "required": True},
                    "children": {
                        "template_name": {
                            "vars": {
                                "name": "template_name",
                                "full_name": "contract[settings][template_name]",
                                "required": True,
                                "choices": [
                                    {"label": "Debian 12", "value": "debian-12", "data": "debian-12", "attr": []},
                                    {"label": "Rocky 9", "value": "rocky-9", "data": "rocky-9", "attr": []},
                                ],
                            }
                        },
                        "disk_size": {
                            "vars": {
                                "name": "disk_size",
                                "full_name": "contract[settings][disk_size]",
                                "required": True,
                                "disabled": False,
                                "attr": {"min": 10, "max": 1000, "step": 10},
                            }
                        },
                    },
                }
            },
        },
    ),
    "Symfony validator": (
        "configurable_vps",
        {
            "class": "App\\Dto\\ConfigurableVps",
            "groupSequence": [],
            "properties": {
                "cpu_cores": {
                    "constraints": [symfony_constraint("NotBlank"), symfony_constraint("Range", min=1, max=8)]
                },
                "ram": {
                    "constraints": [
                        symfony_constraint("GreaterThanOrEqual", value=1024, propertyPath=None),
                        symfony_constraint("DivisibleBy", value=1024),
                        {"class": f"{SYMFONY}LessThan", "value": 4096, "groups": ["trial"]},
                    ]
                },
                "username": {
                    "constraints": [
                        symfony_constraint("Length", min=3, max=16, exactMessage="x", charset="UTF-8", normalizer=None),
                        symfony_constraint("Regex", pattern="/^[a-z0-9]+$/i", match=True, htmlPattern=None),
                    ]
                },
                "template_name": {
                    "constraints": [
                        symfony_constraint(
                            "Choice", choices={"Debian": "debian-12", "Rocky": "rocky-9"}, callback=None, multiple=False
                        )
                    ]
                },
                "definitions": {"constraints": [symfony_constraint("NotNull"), symfony_constraint("Valid")]},
            },
        },
    ),
    "Laravel form request": (
        "configurable_vps",
        {
            "end_user": ["required", "string"],
            "settings": ["required", "array"],
            "settings.cpu_cores": ["bail", "required", "integer", "between:1,8"],
            "settings.ram": ["required", "integer", "min:1024", "max:65536", "multiple_of:1024"],
            "settings.username": "required|string|min:3|max:16|regex:/^[a-z|A-Z0-9]+$/",
            "settings.template_name": ["required", 'in:"debian-12","rocky-9"'],
            "settings.ha_upgrade": ["required", "boolean"],
            "settings.hostname": ["required", "string", "max:253", "unique:contracts,hostname"],
        },
    ),
    "Scribe body parameters": (
        "configurable_vps",
        {
            "cpu_cores": {
                "name": "cpu_cores",
                "description": "Must be at least 1. Must not be greater than 10.",
                "required": True,
                "example": 2,
                "type": "integer",
                "enumValues": [],
                "exampleWasSpecified": False,
                "nullable": False,
                "custom": [],
            },
            "template_name": {
                "name": "template_name",
                "description": "",
                "required": True,
                "example": "rocky-9",
                "type": "string",
                "enumValues": ["debian-12", "rocky-9"],
                "custom": [],
            },
        },
    ),
    "zod 3": (
        "configurable_vps",
        {
            "_def": {"unknownKeys": "strip", "catchall": {"_def": {"typeName": "ZodNever"}}, "typeName": "ZodObject"},
            "shape": {
                "cpu_cores": {
                    "_def": {
                        "checks": [
                            {"kind": "int"},
                            {"kind": "min", "value": 1, "inclusive": True},
                            {"kind": "max", "value": 9, "inclusive": False},
                        ],
                        "typeName": "ZodNumber",
                        "coerce": False,
                    },
                    "_cached": None,
                },
                "template_name": {"_def": {"values": ["debian-12", "rocky-9"], "typeName": "ZodEnum"}, "_cached": None},
                "username": {
                    "_def": {
                        "checks": [
                            {"kind": "min", "value": 3},
                            {"kind": "max", "value": 16},
                            {"kind": "regex", "regex": {}},
                        ],
                        "typeName": "ZodString",
                        "coerce": False,
                    }
                },
                "ha_upgrade": {
                    "_def": {
                        "innerType": {"_def": {"typeName": "ZodBoolean", "coerce": False}},
                        "typeName": "ZodOptional",
                    }
                },
                "hostname": {"_def": {"checks": [{"kind": "min", "value": 1}], "typeName": "ZodString"}},
            },
        },
    ),
    "zod 4": (
        "configurable_vps",
        {
            "def": {
                "type": "object",
                "shape": {
                    "cpu_cores": {
                        "def": {
                            "type": "number",
                            "checks": [{}, {"def": {"check": "greater_than", "inclusive": True}}],
                        },
                        "type": "number",
                        "minValue": 1,
                        "maxValue": 8,
                        "isInt": True,
                        "isFinite": True,
                        "format": "safeint",
                    },
                    "ram": {
                        "def": {"type": "number"},
                        "type": "number",
                        "minValue": None,
                        "maxValue": None,
                        "isInt": False,
                    },
                    "template_name": {
                        "def": {"type": "enum", "entries": {"DEBIAN_12": "debian-12", "ROCKY": "rocky-9"}},
                        "type": "enum",
                        "enum": {"DEBIAN_12": "debian-12", "ROCKY": "rocky-9"},
                        "options": ["debian-12", "rocky-9"],
                    },
                    "username": {
                        "def": {"type": "string"},
                        "type": "string",
                        "minLength": 3,
                        "maxLength": 16,
                        "format": None,
                    },
                },
            },
            "type": "object",
        },
    ),
    "Joi describe": (
        "configurable_vps",
        {
            "type": "object",
            "flags": {"unknown": False},
            "keys": {
                "cpu_cores": {
                    "type": "number",
                    "flags": {"presence": "required"},
                    "rules": [
                        {"name": "integer"},
                        {"name": "min", "args": {"limit": 1}},
                        {"name": "max", "args": {"limit": 8}},
                        {"name": "multiple", "args": {"base": 1}},
                    ],
                },
                "username": {
                    "type": "string",
                    "flags": {"presence": "required"},
                    "rules": [
                        {"name": "alphanum"},
                        {"name": "min", "args": {"limit": 3}},
                        {"name": "max", "args": {"limit": 16}},
                        {"name": "pattern", "args": {"regex": "/^[a-z0-9]+$/i"}},
                    ],
                },
                "template_name": {
                    "type": "string",
                    "flags": {"only": True, "presence": "required"},
                    "allow": ["debian-12", "rocky-9"],
                },
                "password": {"type": "string", "flags": {"presence": "required"}, "allow": [""]},
                "ha_upgrade": {"type": "boolean", "flags": {"default": False}},
            },
            "dependencies": [{"rel": "with", "key": "username", "peers": ["password"]}],
        },
    ),
    "hapi, older Joi": (
        "dedicated_server",
        {
            "payload": {
                "type": "object",
                "children": {
                    "hostname": {"type": "string", "invalids": [""], "rules": [{"name": "hostname"}]},
                    "template": {
                        "type": "string",
                        "flags": {"allowOnly": True},
                        "valids": ["debian-12"],
                        "invalids": [""],
                    },
                    "ip4_count": {
                        "type": "number",
                        "valids": [None],
                        "rules": [{"name": "integer"}, {"name": "min", "arg": 1}, {"name": "max", "arg": 10}],
                    },
                    "ip6_subnet_size": {
                        "type": "number",
                        "rules": [{"name": "min", "arg": 48}, {"name": "max", "arg": 56}],
                    },
                },
            }
        },
    ),
    "JSON Schema 7 with definitions": (
        "configurable_vps",
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$ref": "#/definitions/Settings",
            "definitions": {
                "OsTemplate": {"type": "string", "enum": ["debian-12", "rocky-9"]},
                "Count": {"type": "integer", "minimum": 1, "maximum": 8},
                "Settings": {
                    "type": "object",
                    "required": ["cpu_cores", "template_name", "hostname"],
                    "additionalProperties": False,
                    "properties": {
                        "cpu_cores": {"$ref": "#/definitions/Count"},
                        "template_name": {"allOf": [{"$ref": "#/definitions/OsTemplate"}], "description": "OS"},
                        "hostname": {"type": "string", "format": "hostname"},
                        "ram": {"type": "integer", "minimum": 1024, "multipleOf": 1024},
                        "username": {"$ref": "#/definitions/Nowhere"},
                    },
                },
            },
        },
    ),
    "pydantic": (
        "dedicated_server",
        {
            "$defs": {"OsTemplate": {"enum": ["debian-12", "rocky-9"], "title": "OsTemplate", "type": "string"}},
            "additionalProperties": False,
            "properties": {
                "hostname": {"maxLength": 253, "minLength": 1, "title": "Hostname", "type": "string"},
                "template": {"$ref": "#/$defs/OsTemplate"},
                "ip4_subnet_size": {
                    "anyOf": [{"maximum": 29, "minimum": 25, "type": "integer"}, {"type": "null"}],
                    "default": None,
                    "title": "Ip4 Subnet Size",
                },
                "ip4_count": {
                    "anyOf": [{"maximum": 10, "minimum": 1, "type": "integer"}, {"type": "null"}],
                    "title": "Ip4 Count",
                },
                "ip6_subnet_size": {
                    "anyOf": [{"const": 48, "type": "integer"}, {"minimum": 56, "maximum": 64, "type": "integer"}],
                    "default": 64,
                },
                "existing_l2vpn": {"anyOf": [{"format": "uuid", "type": "string"}, {"type": "null"}], "default": None},
            },
            "required": ["hostname", "template", "ip4_count"],
            "title": "DedicatedServerSettings",
            "type": "object",
        },
    ),
    "react-jsonschema-form": (
        "configurable_vps",
        {
            "schema": {
                "type": "object",
                "required": ["cpu_cores"],
                "properties": {
                    "cpu_cores": {"type": "integer", "title": "Cores", "minimum": 1, "maximum": 8},
                    "template_name": {
                        "type": "string",
                        "enum": ["debian-12", "rocky-9"],
                        "enumNames": ["Debian 12", "Rocky 9"],
                    },
                    "ram": {
                        "type": "integer",
                        "oneOf": [
                            {"const": 4096, "title": "4 GB"},
                            {"const": 1024, "title": "1 GB"},
                            {"const": 32768, "title": "32 GB"},
                        ],
                    },
                },
            },
            "uiSchema": {"ui:order": ["ram", "cpu_cores", "template_name"], "cpu_cores": {"ui:widget": "range"}},
            "formData": {"cpu_cores": 1, "ram": 1024, "template_name": "debian-12"},
        },
    ),
    "DRF OPTIONS": (
        "configurable_vps",
        {
            "name": "Contract List",
            "description": "",
            "renders": ["application/json", "text/html"],
            "parses": ["application/json"],
            "actions": {
                "POST": {
                    "id": {"type": "integer", "required": False, "read_only": True, "label": "ID"},
                    "product": {"type": "field", "required": True, "read_only": False, "label": "Product"},
                    "settings": {
                        "type": "nested object",
                        "required": True,
                        "read_only": False,
                        "label": "Settings",
                        "children": {
                            "cpu_cores": {
                                "type": "integer",
                                "required": True,
                                "read_only": False,
                                "label": "Cpu cores",
                                "min_value": 1,
                                "max_value": 8,
                            },
                            "username": {
                                "type": "string",
                                "required": True,
                                "read_only": False,
                                "label": "Username",
                                "min_length": 3,
                                "max_length": 16,
                            },
                            "template_name": {
                                "type": "choice",
                                "required": True,
                                "read_only": False,
                                "label": "Template",
                                "choices": [
                                    {"value": "debian-12", "display_name": "Debian 12"},
                                    {"value": "rocky-9", "display_name": "Rocky 9"},
                                ],
                            },
                            "monthly_total": {"type": "decimal", "required": True, "read_only": True, "label": "Total"},
                        },
                    },
                }
            },
        },
    ),
    "marshmallow fields": (
        "configurable_vps",
        {
            "cpu_cores": {
                "type": "Integer",
                "required": True,
                "allow_none": False,
                "load_default": None,
                "validate": [{"validator": "Range", "min": 1, "max": 9, "min_inclusive": True, "max_inclusive": False}],
            },
            "username": {
                "type": "String",
                "required": True,
                "validate": {"Length": {"min": 3, "max": 16, "equal": None}},
            },
            "template_name": {
                "type": "String",
                "required": True,
                "validate": [{"validator": "OneOf", "choices": ["debian-12", "rocky-9"], "labels": [], "error": "no"}],
            },
            "created_at": {"type": "DateTime", "required": True, "dump_only": True},
            "password": {"type": "String", "load_only": True},
        },
    ),
    "class-validator metadata": (
        "configurable_vps",
        [
            {
                "type": "customValidation",
                "name": name,
                "propertyName": setting,
                "constraints": constraints,
                "groups": [],
                "always": False,
                "each": False,
            }
            for setting, name, constraints in (
                ("cpu_cores", "isInt", []),
                ("cpu_cores", "min", [1]),
                ("cpu_cores", "max", [8]),
                ("username", "isLength", [3, 16]),
                ("username", "isAlphanumeric", [None]),
                ("username", "matches", [{}, None]),
                ("template_name", "isIn", [["debian-12", "rocky-9"]]),
                ("ha_upgrade", "isBoolean", []),
                ("hostname", "isFQDN", [{"require_tld": False}]),
                ("ram", "isDivisibleBy", [1024]),
                ("snapshot_count", "isPositive", []),
            )
        ],
    ),
    "Yii rules": (
        "configurable_vps",
        [
            [["cpu_cores", "ram", "template_name", "username"], "required"],
            {"0": ["cpu_cores"], "1": "integer", "min": 1, "max": 8},
            {"0": "ram", "1": "number", "min": 1024, "integerOnly": True},
            {"0": "username", "1": "string", "min": 3, "max": 16},
            {"0": "username", "1": "match", "pattern": "/^[a-z0-9]+$/i"},
            {"0": ["template_name"], "1": "in", "range": ["debian-12", "rocky-9"]},
            {"0": ["disk_size"], "1": "compare", "compareAttribute": "ram", "operator": "<"},
            {"0": "ipv4_addresses", "1": "required", "on": "public"},
            ["ha_upgrade", "boolean"],
            ["hostname", "safe"],
        ],
    ),
    "yup describe": (
        "configurable_vps",
        {
            "type": "object",
            "meta": None,
            "oneOf": [],
            "notOneOf": [],
            "fields": {
                "cpu_cores": {
                    "type": "number",
                    "optional": False,
                    "nullable": False,
                    "oneOf": [],
                    "notOneOf": [],
                    "tests": [
                        {"name": "integer"},
                        {"name": "min", "params": {"min": 1}},
                        {"name": "max", "params": {"max": 8}},
                    ],
                },
                "template_name": {"type": "string", "oneOf": ["debian-12", "rocky-9"], "notOneOf": [], "tests": []},
                "username": {"type": "string", "oneOf": [], "tests": [{"name": "max", "params": {"max": 16}}]},
            },
        },
    ),
    "express-validator": (
        "configurable_vps",
        {
            "cpu_cores": {
                "in": ["body"],
                "isInt": {"options": {"min": 1, "max": 8}, "errorMessage": "Too many"},
                "toInt": True,
            },
            "template_name": {"in": ["body"], "isIn": {"options": [["debian-12", "rocky-9"]]}},
            "username": {"in": "body", "isLength": {"options": {"min": 3, "max": 16}}, "trim": True},
        },
    ),
    "Rails validators": (
        "configurable_vps",
        {
            "cpu_cores": [
                {"kind": "presence", "options": {}},
                {
                    "kind": "numericality",
                    "options": {"only_integer": True, "greater_than_or_equal_to": 1, "less_than_or_equal_to": 8},
                },
            ],
            "template_name": [{"kind": "inclusion", "options": {"in": ["debian-12", "rocky-9"], "allow_nil": True}}],
            "username": [
                {"kind": "length", "options": {"minimum": 3, "maximum": 16}},
                {"kind": "exclusion", "options": {"in": ["admin1", "root"]}},
                {"kind": "format", "options": {"with": "(?-mix:\\A[a-z]+\\z)"}},
            ],
            "password": [{"kind": "presence", "options": {"if": "new_record?"}}],
        },
    ),
    "mongoose": (
        "configurable_vps",
        {
            "cpu_cores": {"type": "Number", "required": [True, "Cores?"], "min": [1, "Too few"], "max": 8},
            "template_name": {
                "type": "String",
                "required": True,
                "enum": {"values": ["debian-12", "rocky-9"], "message": "x"},
            },
            "username": {"type": "String", "minlength": 3, "maxlength": 16, "trim": True, "lowercase": True},
        },
    ),
    "Angular formly": (
        "configurable_vps",
        [
            {
                "fieldGroupClassName": "row",
                "fieldGroup": [
                    {
                        "key": "cpu_cores",
                        "type": "input",
                        "props": {"type": "number", "label": "Cores", "min": 1, "max": 8, "required": True},
                    },
                    {
                        "key": "template_name",
                        "type": "select",
                        "props": {
                            "options": [
                                {"value": "debian-12", "label": "Debian"},
                                {"value": "rocky-9", "label": "Rocky"},
                            ]
                        },
                    },
                ],
            },
            {
                "fieldGroup": [
                    {"key": "username", "type": "input", "props": {"minLength": 3, "maxLength": 16, "required": True}},
                    {
                        "key": "password",
                        "type": "input",
                        "hideExpression": "!model.username",
                        "props": {"type": "password"},
                    },
                ]
            },
        ],
    ),
    "OpenAPI 3.0 component": (
        "domain",
        {
            "components": {
                "schemas": {
                    "Contact": {"type": "object", "required": ["label"], "properties": {"label": {"type": "string"}}},
                    "DomainSettings": {
                        "type": "object",
                        "required": ["domain", "action"],
                        "properties": {
                            "domain": {"type": "string", "maxLength": 253, "example": "example.com"},
                            "action": {"type": "string", "enum": ["register", "transfer"]},
                            "authcode": {"type": "string", "nullable": True, "minLength": 1},
                            "nameservers": {"type": "array", "items": {"type": "string"}, "minItems": 2},
                            "ownercData": {"$ref": "#/components/schemas/Contact"},
                            "admincData": {"$ref": "#/components/schemas/Contact"},
                        },
                    },
                }
            }
        },
    ),
    "django-ninja, a schema of the whole order": (
        "dedicated_server",
        {
            "title": "ContractIn",
            "type": "object",
            "required": ["customer", "settings"],
            "properties": {
                "customer": {"type": "string"},
                "settings": {"$ref": "#/$defs/ServerSettings"},
            },
            "$defs": {
                "Template": {"enum": ["debian-12"], "title": "Template", "type": "string"},
                "DomainSettings": {
                    "type": "object",
                    "required": ["domain", "action", "authcode", "nameservers"],
                    "properties": {
                        name: {"type": "string"} for name in ("domain", "action", "authcode", "nameservers")
                    },
                },
                "ServerSettings": {
                    "type": "object",
                    "required": ["hostname", "template"],
                    "properties": {
                        "hostname": {"type": "string"},
                        "template": {"$ref": "#/$defs/Template"},
                        "ip4_count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                    },
                },
            },
        },
    ),
    "Django form": (
        "configurable_vps",
        {
            "fields": {
                "cpu_cores": {"field": "IntegerField", "widget": "NumberInput", "required": True, "max_value": 8},
                "template_name": {
                    "field": "ChoiceField",
                    "widget": "Select",
                    "required": True,
                    "choices": [["debian-12", "Debian 12"], ["rocky-9", "Rocky 9"]],
                },
                "username": {"field": "CharField", "min_length": 3, "max_length": 16, "strip": True, "initial": None},
            }
        },
    ),
    "Bean Validation": (
        "configurable_vps",
        {
            "cpu_cores": [
                {"annotation": "jakarta.validation.constraints.Min", "attributes": {"value": 1, "groups": []}},
                {"annotation": "jakarta.validation.constraints.Max", "attributes": {"value": 8, "message": "{max}"}},
            ],
            "username": [
                {"annotation": "jakarta.validation.constraints.NotBlank", "attributes": {}},
                {"annotation": "jakarta.validation.constraints.Size", "attributes": {"min": 3, "max": 16}},
                {"annotation": "jakarta.validation.constraints.Pattern", "attributes": {"regexp": "[a-zA-Z0-9]+"}},
            ],
        },
    ),
    "Form.io": (
        "configurable_vps",
        {
            "display": "form",
            "components": [
                {
                    "type": "number",
                    "key": "cpu_cores",
                    "input": True,
                    "validate": {"required": True, "min": 1, "max": 8, "custom": "", "customPrivate": False},
                    "conditional": {"show": None, "when": None, "eq": ""},
                },
                {
                    "type": "select",
                    "key": "template_name",
                    "data": {"values": [{"label": "Debian", "value": "debian-12"}, {"label": "R", "value": "rocky-9"}]},
                    "validate": {"required": True},
                },
                {"type": "textfield", "key": "password", "validate": {"required": True}, "conditional": {"when": "x"}},
            ],
        },
    ),
    "Drupal form API": (
        "configurable_vps",
        {
            "settings": {
                "#type": "fieldset",
                "cpu_cores": {"#type": "number", "#title": "Cores", "#min": 1, "#max": 8, "#required": True},
                "template_name": {"#type": "select", "#options": {"debian-12": "Debian 12", "rocky-9": "Rocky 9"}},
                "username": {"#type": "textfield", "#maxlength": 16, "#states": {"visible": {":input": "x"}}},
            }
        },
    ),
    "WTForms": (
        "configurable_vps",
        [
            {"name": "template_name", "type": "SelectField", "choices": [["debian-12", "D"], ["rocky-9", "R"]]},
            {"name": "cpu_cores", "type": "IntegerField", "validators": [{"NumberRange": {"min": 1, "max": 8}}]},
            {
                "name": "username",
                "type": "StringField",
                "validators": ["DataRequired", {"Length": {"min": 3, "max": 16}}],
            },
        ],
    ),
    "Cerberus": (
        "configurable_vps",
        {
            "cpu_cores": {"type": "integer", "min": 1, "max": 8, "required": True, "coerce": "int"},
            "template_name": {"type": "string", "allowed": ["debian-12", "rocky-9"]},
            "username": {"type": "string", "minlength": 3, "maxlength": 16, "empty": False, "regex": "^[A-Za-z0-9]+$"},
            "disk_size": {"type": "integer", "dependencies": ["ram"], "required": True},
        },
    ),
    "jQuery validate": (
        "domain",
        {
            "messages": {"domain": {"required": "Which?", "maxlength": "Too long"}, "action": {"required": "What?"}},
            "rules": {"domain": {"required": True, "maxlength": 30}, "action": {"required": True}},
        },
    ),
}


#: What is plainly said there, and what does not keep it.
PLAIN = {
    "Symfony form fields": {"cpu_cores": 9, "template_name": "debian-13"},
    "Symfony form view": {"template_name": "debian-13"},
    "Laravel form request": {"cpu_cores": 9, "template_name": "debian-13", "username": "a" * 17},
    "JSON Schema 7 with definitions": {"cpu_cores": 9, "template_name": "debian-13"},
    "react-jsonschema-form": {"cpu_cores": 9, "template_name": "debian-13", "ram": 2048},
    "DRF OPTIONS": {"cpu_cores": 9, "template_name": "debian-13", "username": "a" * 17},
    "django-ninja, a schema of the whole order": {"template": "debian-13"},
    "Cerberus": {"cpu_cores": 9, "template_name": "debian-13", "username": "a" * 17},
}


@pytest.mark.parametrize("framework", DUMPS)
def test_valid_orders_are_accepted(framework: str) -> None:
    kind, entry = DUMPS[framework]
    refused = {}
    for change in UNUSUAL[kind]:
        if len(str(change.get("username", ""))) > 16:
            continue
        settings = order(kind, **{name: value for name, value in change.items() if value is not None})
        if change.get("cpu_cores") == "10":
            settings["cpu_cores"] = "8"
        settings = {name: value for name, value in settings.items() if change.get(name, value) is not None}
        rules = told(entry, kind, settings)
        if rules:
            refused[str(change)] = rules
    assert refused == {}


@pytest.mark.parametrize(
    ("framework", "name"), [(framework, name) for framework, wrong in PLAIN.items() for name in wrong]
)
def test_values_that_break_a_plain_rule_are_refused_with_their_path(framework: str, name: str) -> None:
    kind, entry = DUMPS[framework]
    assert list(told(entry, kind, order(kind, **{name: PLAIN[framework][name]}))) == [f"settings.{name}"]


@pytest.mark.parametrize("framework", DUMPS)
def test_product_type_is_inferred_or_left_open(framework: str) -> None:
    kind, entry = DUMPS[framework]
    found = infer([option.name for option in read_options(entry) or ()])
    assert found is None or found.name == kind
