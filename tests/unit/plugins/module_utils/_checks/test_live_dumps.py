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
from ansible_collections.hosting.reseller.plugins.module_utils._checks.live import check_live
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES, infer
from tests.simulator.examples import CONTACT

DOMAIN = {
    "domain": "example.com",
    "action": "register",
    "ownercRef": "OC-1",
    "admincData": CONTACT,
}
#: A setting's values: the bounds, and what a narrower reading of a rule would refuse.
CONFIGURABLE: dict[str, list[Any]] = {
    "cpu_cores": [1, 2, 3, 7, 10, "10"],
    "ram": [1024, 2048, 3072, 65536],
    "disk_size": [10, 20, 50, 110, 1000],
    "username": ["abc", "Z9z", "123", "ROOT", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"],
    "password": ["S3cret pass|word", "Tr0ub4dor&3 x", "aB3$aB3$aB3$", "Ünïcödé-12 Passwort"],
    "template_name": ["debian-12", "rocky-9"],
    "hostname": ["1", "WEB-01.Example.com", "a.b.c.d.example"],
    "ipv4_addresses": [1, 2, 4, 9, 10],
    "traffic_display": [128, 256, 1280, 12800],
    "backup_count": [5, 6, 11, 30],
    "snapshot_count": [2, 3, 30],
    "ha_upgrade": [True, False, "yes"],
    "10g_upgrade": [True, False, "yes"],
}
#: Orders at the bounds of the API specification's section 8, and with any form that it allows.
ORDERS: dict[str, list[dict[str, Any]]] = {
    "configurable_vps": [
        {name: values[number % len(values)] for name, values in CONFIGURABLE.items()} for number in range(6)
    ],
    "domain": [
        DOMAIN,
        {**DOMAIN, "domain": "a-very-long-name-of-a-domain.co.example", "action": "transfer", "authcode": "x,y|z"},
        {"domain": "x.example", "action": "register", "ownercData": CONTACT, "admincRef": "7"},
        {**DOMAIN, "nameservers": ["ns1.example.net", "ns2.example.net"]},
    ],
}

#: Product type and entry. Rules that bind are as wide as the API specification's.
DUMPS: dict[str, tuple[str, Any]] = {
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
    "Joi": (
        "configurable_vps",
        {
            "type": "object",
            "keys": {
                "cpu_cores": {"type": "number", "flags": {"only": True}, "allow": [1, 2, 3, 7, 10, {"ref": "most"}]},
                "ram": {
                    "type": "number",
                    "flags": {"presence": "required"},
                    "rules": [
                        {"name": "integer"},
                        {"name": "min", "args": {"limit": 1024}},
                        {"name": "max", "args": {"limit": 65536}},
                        {"name": "multiple", "args": {"base": 1024, "baseDecimalPlace": 0, "pfactor": 1}},
                    ],
                },
                "disk_size": {
                    "type": "number",
                    "rules": [{"name": "min", "args": {"limit": 60}}],
                    "allow": [10, 20, 50],
                },
                "username": {"type": "string", "rules": [{"name": "alphanum"}, {"name": "min", "args": {"limit": 3}}]},
                "password": {"type": "string", "whens": [{"is": {"type": "any"}, "then": {"type": "number"}}]},
                "template_name": {
                    "type": "string",
                    "flags": {"only": True, "presence": "required"},
                    "allow": ["debian-12", "rocky-9"],
                },
                "hostname": {"type": "string", "flags": {"presence": "forbidden"}, "rules": [{"name": "uri"}]},
                "backup_count": {"type": "number", "rules": [{"name": "less", "args": {"limit": 6}}]},
                "ha_upgrade": {"type": "boolean", "flags": {"default": False}, "allow": [None]},
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
}
#: Values that do not keep what a dump plainly says.
PLAIN = [
    ("Laravel form request", "cpu_cores", 11),
    ("Laravel form request", "template_name", "debian-13"),
    ("Laravel form request", "ram", 2**20),
    ("Joi", "template_name", "debian-13"),
    ("Joi", "ram", 2**20),
]
#: What another form of a list of choices may hold, and what of it an order may say.
TEXTS = [
    ("debian-12|Debian 12 (Bookworm)", "debian-12", "Debian 12 (Bookworm)"),
    ("debian-12:Debian 12", "debian-12", "Debian 12"),
    ("debian-12 - Debian 12 - Bookworm", "debian-12", "Debian 12"),
    ("Debian 12 (debian-12)", "debian-12", "Debian 12"),
    ("debian-12", "debian-12", "debian-12"),
]
NO_SETTINGS = [
    {"rules": {}, "mappings": {}, "values": {}},
    {"type": "object", "title": "Webhosting", "properties": {}, "required": [], "additionalProperties": False},
    {"settings": [], "total": 0},
    {"type": "object", "properties": {}, "additionalProperties": False},
    {"type": "object", "additionalProperties": False},
    {
        "$schema": "x",
        "type": "object",
        "properties": {},
        "~standard": {"vendor": "zod", "version": 1, "jsonSchema": {}},
    },
    {"$$strict": True},
    {"type": "object", "keys": {}},
    {"data": {"fields": None}, "message": "No settings are needed."},
    "none",
    None,
    [{}],
]


def told(raw: Any, kind: str, settings: dict[str, Any]) -> dict[str, str]:
    """Path to rule of the live rules that the settings of a valid order break."""
    options = read_options(raw)
    assert options is not None
    product_type = PRODUCT_TYPES[kind]
    checked = check_documented(product_type, settings, also_known=[option.name for option in options])
    violations, _sent = check_live(checked.settings, options, documented=product_type.settings)
    assert "S3cret" not in str(violations)
    return {violation.path: violation.rule for violation in violations}


@pytest.mark.parametrize("dump", DUMPS)
def test_no_valid_order_is_refused(dump: str) -> None:
    kind, entry = DUMPS[dump]
    refused = [(settings, rules) for settings in ORDERS[kind] if (rules := told(entry, kind, settings))]
    assert refused == []
    options = read_options(entry) or ()
    # The settings' names are read, and are no other type's.
    names = {option.name for option in options}
    assert names & PRODUCT_TYPES[kind].settings.keys()
    inferred = infer(names)
    assert inferred is None or inferred.name == kind


@pytest.mark.parametrize(("dump", "name", "value"), PLAIN)
def test_value_that_breaks_a_plain_rule_is_refused_with_its_path(dump: str, name: str, value: Any) -> None:
    kind, entry = DUMPS[dump]
    assert list(told(entry, kind, {**ORDERS[kind][0], name: value})) == [f"settings.{name}"]


@pytest.mark.parametrize(("text", "value", "label"), TEXTS)
def test_part_of_a_choice_is_accepted_and_sent_as_written(text: str, value: str, label: str) -> None:
    options = read_options({"template": {"values": [text, "rocky-9|Rocky 9"]}}) or []
    for written in (text, value, label, "rocky-9"):
        checked = check_live({"template": written}, options, documented=("template",))
        assert checked == ([], {"template": written})
    for wrong in ("debian", "Debian", "12", "debian-1", "debian-12|Debian"):
        assert check_live({"template": wrong}, options, documented=("template",))[0]


@pytest.mark.parametrize("entry", NO_SETTINGS, ids=str)
def test_entry_without_settings_lists_none(entry: Any) -> None:
    assert read_options(entry) == []
    assert told(entry, "webhosting", {}) == {}
