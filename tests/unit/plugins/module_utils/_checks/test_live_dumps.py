# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options entries as frameworks dump their own rules, and in styles that nobody fitted the reader to.

One question for all: is an order that the API specification allows refused?
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.option_reader import read_options
from ansible_collections.hosting.reseller.plugins.module_utils._checks.documented import check_documented
from ansible_collections.hosting.reseller.plugins.module_utils._checks.live import check_live, org_max_ram
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

#: Product type and entry. Rules that bind are as wide as the API specification's.
DUMPS: dict[str, tuple[str, Any]] = {
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
    "Symfony form fields": (
        "configurable_vps",
        {
            "fields": [
                {
                    "name": "cpu_cores",
                    "type": "IntegerType",
                    "attr": {"min": 1, "max": 10, "step": 1},
                    "constraints": [{"class": "Range", "minMessage": "{{ limit }}", "min": 2, "groups": ["ha"]}],
                },
                {
                    "name": "template_name",
                    "type": "ChoiceType",
                    "expanded": False,
                    "choices": {"Debian 12 (Bookworm)": "debian-12", "Rocky Linux 9": "rocky-9"},
                    "constraints": [{"class": "Choice", "choices": ["debian-12", "rocky-9"], "strict": True}],
                },
                {"name": "ha_upgrade", "type": "CheckboxType", "required": False, "value": "1"},
            ]
        },
    ),
    "Symfony form view": (
        "configurable_vps",
        {
            "vars": {"name": "contract", "full_name": "contract", "compound": True},
            "children": {
                "template_name": {
                    "vars": {
                        "name": "template_name",
                        "full_name": "contract[template_name]",
                        "choices": [
                            {"label": "Debian 12", "value": "debian-12", "data": "debian-12", "attr": []},
                            {"label": "Rocky 9", "value": "rocky-9", "data": "rocky-9", "attr": []},
                        ],
                    }
                },
                "disk_size": {"vars": {"name": "disk_size", "attr": {"min": 10, "max": 1000, "step": 10}}},
            },
        },
    ),
    "Laravel form request": (
        "configurable_vps",
        {
            "end_user": ["required", "string"],
            "settings": ["required", "array"],
            "settings.cpu_cores": ["bail", "required", "integer", "between:1,10"],
            "settings.ram": ["required", "integer", "min:1024", "max:65536", "multiple_of:1024"],
            "settings.username": "required|string|min:3|max:32|regex:/^[a-z|A-Z0-9]+$/",
            "settings.template_name": ["required", 'in:"debian-12","rocky-9"'],
            "settings.hostname": ["required", "string", "max:253", "unique:contracts,hostname"],
        },
    ),
    "zod 4": (
        "configurable_vps",
        {
            "def": {
                "type": "object",
                "shape": {
                    "cpu_cores": {"def": {"checks": [{}]}, "minValue": 1, "maxValue": 10, "format": "safeint"},
                    "ram": {"type": "number", "minValue": None, "maxValue": None, "isInt": False},
                    "template_name": {"enum": {"DEBIAN_12": "debian-12"}, "options": ["debian-12", "rocky-9"]},
                },
            }
        },
    ),
    "react-jsonschema-form": (
        "configurable_vps",
        {
            "schema": {
                "required": ["cpu_cores"],
                "properties": {
                    "cpu_cores": {"type": "integer", "title": "Cores", "minimum": 1, "maximum": 10},
                    "template_name": {"enum": ["debian-12", "rocky-9"], "enumNames": ["Debian 12", "Rocky 9"]},
                    "ipv4_addresses": {"oneOf": [{"const": n, "title": f"{n} addresses"} for n in range(10, 0, -1)]},
                },
            },
            "uiSchema": {"ui:order": ["ram", "cpu_cores"], "cpu_cores": {"ui:widget": "range"}},
            "formData": {"cpu_cores": 1, "ram": 1024, "template_name": "debian-12"},
        },
    ),
    "DRF OPTIONS": (
        "configurable_vps",
        {
            "name": "Contract List",
            "actions": {
                "POST": {
                    "product": {"type": "field", "required": True, "read_only": False, "label": "Product"},
                    "settings": {
                        "type": "nested object",
                        "children": {
                            "cpu_cores": {"type": "integer", "read_only": False, "min_value": 1, "max_value": 10},
                            "username": {"type": "string", "required": True, "min_length": 3, "max_length": 32},
                            "template_name": {
                                "type": "choice",
                                "choices": [
                                    {"value": "debian-12", "display_name": "Debian 12"},
                                    {"value": "rocky-9", "display_name": "Rocky 9"},
                                ],
                            },
                            "monthly_total": {"type": "decimal", "required": True, "read_only": True},
                        },
                    },
                }
            },
        },
    ),
    "Yii rules": (
        "configurable_vps",
        [
            [["cpu_cores", "ram", "template_name", "username"], "required"],
            {"0": ["cpu_cores"], "1": "integer", "min": 1, "max": 8},
            {"0": ["template_name"], "1": "in", "range": ["debian-12"]},
            {"0": "ipv4_addresses", "1": "required", "on": "public"},
            ["hostname", "safe"],
        ],
    ),
    "Rails validators": (
        "configurable_vps",
        {
            "cpu_cores": [{"kind": "numericality", "options": {"greater_than_or_equal_to": 1, "only_integer": True}}],
            "template_name": [{"kind": "exclusion", "options": {"in": ["debian-12", "rocky-9"]}}],
            "username": [{"kind": "format", "options": {"with": "(?-mix:\\A[a-z]+\\z)"}}],
        },
    ),
    "mongoose": (
        "configurable_vps",
        {
            "cpu_cores": {"type": "Number", "required": [True, "Cores?"], "min": [1, "Too few"], "max": 10},
            "template_name": {"type": "String", "enum": {"values": ["debian-12", "rocky-9"], "message": "x"}},
            "username": {"type": "String", "minlength": 3, "maxlength": 32, "lowercase": True},
        },
    ),
    "Angular formly": (
        "configurable_vps",
        [
            {"fieldGroup": [{"key": "cpu_cores", "props": {"type": "number", "min": 1, "max": 10, "required": True}}]},
            {"fieldGroup": [{"key": "username", "hideExpression": "!model.x", "props": {"minLength": 3}}]},
        ],
    ),
    "a schema of the whole order": (
        "dedicated_server",
        {
            "required": ["customer", "settings"],
            "properties": {"customer": {"type": "string"}, "settings": {"$ref": "#/$defs/ServerSettings"}},
            "$defs": {
                "DomainSettings": {"properties": {key: {} for key in ("domain", "action", "authcode")}},
                "ServerSettings": {
                    "properties": {
                        "hostname": {"type": "string"},
                        "template": {"enum": ["debian-12", "rocky-9"]},
                        "ip4_count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                    }
                },
            },
        },
    ),
    "Cerberus": (
        "configurable_vps",
        {
            "cpu_cores": {"type": "integer", "min": 1, "max": 10, "required": True, "coerce": "int"},
            "template_name": {"type": "string", "allowed": ["debian-12", "rocky-9"]},
            "username": {"type": "string", "minlength": 3, "maxlength": 32, "empty": False, "regex": "^[A-Za-z0-9]+$"},
            "disk_size": {"type": "integer", "dependencies": ["ram"], "max": 100},
        },
    ),
}
#: Values that do not keep what a dump plainly says.
PLAIN = [
    *(
        (dump, name, value)
        for dump in (
            *("Laravel form request", "react-jsonschema-form", "DRF OPTIONS"),
            *("Cerberus", "Symfony form fields", "mongoose"),
        )
        for name, value in (("cpu_cores", 11), ("template_name", "debian-13"))
    ),
    *((dump, "username", "a" * 33) for dump in ("Laravel form request", "DRF OPTIONS", "Cerberus")),
    ("Symfony form view", "template_name", "debian-13"),
    ("react-jsonschema-form", "ipv4_addresses", 11),
    ("a schema of the whole order", "template", "debian-13"),
]
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


@pytest.mark.parametrize("dump", DUMPS)
def test_no_valid_order_is_refused(dump: str) -> None:
    kind, entry = DUMPS[dump]
    refused = [(settings, rules) for settings in ORDERS[kind] if (rules := told(entry, kind, settings))]
    assert refused == []
    options = read_options(entry) or ()
    most = org_max_ram(options)
    assert most is None or most >= 65536
    # The settings' names are read, and are no other type's.
    names = {option.name for option in options}
    assert names & PRODUCT_TYPES[kind].settings.keys()
    inferred = infer(names)
    assert inferred is None or inferred.name == kind


@pytest.mark.parametrize(("dump", "name", "value"), PLAIN)
def test_value_that_breaks_a_plain_rule_is_refused_with_its_path(dump: str, name: str, value: Any) -> None:
    kind, entry = DUMPS[dump]
    assert list(told(entry, kind, {**ORDERS[kind][0], name: value})) == [f"settings.{name}"]


@pytest.mark.parametrize("entry", NO_SETTINGS, ids=str)
def test_entry_without_settings_lists_none(entry: Any) -> None:
    assert read_options(entry) == []
    assert told(entry, "webhosting", {}) == {}
