# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.option import Choice, Option
from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.option_reader import read_options
from ansible_collections.hosting.reseller.plugins.module_utils._checks.catalogue_rules import check_catalogue_rules
from tests.support.json_values import json_values


def checked(
    settings: dict[str, Any], *options: Option, documented: tuple[str, ...] = ()
) -> tuple[dict[str, str], dict[str, Any]]:
    """Path to rule, settings to send."""
    violations, sent = check_catalogue_rules(settings, options, documented=documented)
    assert all(violation.source == "catalogue" for violation in violations)
    return {violation.path: violation.rule for violation in violations}, sent


RAM = Option("ram", {"type": "integer", "minimum": 1024, "maximum": 8192, "multipleOf": 1024})
NAME = Option("username", {"type": "string", "minLength": 3, "maxLength": 5})
#: Texts that hold a value and its label.
TEXTS = {
    "debian-12|Debian 12 (Bookworm)": ["debian-12", "Debian 12 (Bookworm)"],
    "debian-12:Debian 12": ["debian-12", "Debian 12"],
    "debian-12 - Debian 12 - Bookworm": ["debian-12", "Debian 12"],
    "Debian 12 (debian-12)": ["debian-12", "Debian 12"],
}
WRONG_PARTS = ["debian", "Debian", "12", "debian-1", "debian-12|Debian", "", "-"]


@pytest.mark.parametrize(
    ("option", "accepted", "refused"),
    [
        (RAM, [1024, 8192], [0, 1023, 1025, 9216]),
        (Option("x", {"type": "integer", "maximum": 10**401, "multipleOf": 1}), [1, -1, 10**400], [1.5, True, [], {}]),
        (Option("x", {"type": "number", "multipleOf": 1}), [1], [float("inf"), float("nan")]),
        (Option("x", choices=(Choice("a", "A", ("A",)),)), ["a", "A"], ["b"]),
        (Option("x", {"type": "number", "minimum": 0.1, "multipleOf": 0.1}), [0.1, 0.3, 0.7, 1], [0.05, 0.15, True]),
        (NAME, ["abc", "abcde"], ["ab", "abcdef", 123, True, ["abc"]]),
        # Without a type, only a number can break a bound.
        (Option("x", {"minimum": 3, "maximum": 5}), ["ab", "abcdef", 3, 5], [2, 6]),
        (Option("x", choices=(Choice("a", "A"), Choice("b", "B"))), ["a", ["a", "b"]], ["A", ["a", "c"], 1, {}]),
        (Option("x", choices=(Choice(4, "four"),)), [4, "4", 4.0], [5, "four", True]),
        (Option("x", choices=(Choice("4", "four"),)), [4, "4"], [5, True]),
        (Option("x", choices=(Choice(1, "on"), Choice(0, "off"))), [True, False, 1, 0], [2]),
        (Option("x", choices=(Choice("yes", "Y"),)), [True, "yes"], [False, "no"]),
        # A part of a text, which may be the value or its label.
        *((Option("x", choices=(Choice(text, ""),)), [text, *parts], WRONG_PARTS) for text, parts in TEXTS.items()),
        (Option("x"), ["anything", 1, None, [], {}], []),
    ],
)
def test_rules_at_their_bounds(option: Option, accepted: list[Any], refused: list[Any]) -> None:
    assert [value for value in accepted if checked({option.name: value}, option)[0]] == []
    assert [value for value in refused if not checked({option.name: value}, option)[0]] == []


@pytest.mark.parametrize(
    ("option", "value", "rule"),
    [
        (RAM, 9216, "at most 8192"),
        (Option("x", {"minimum": 5}), 4, "at least 5"),
        (Option("x", {"type": "string"}), 4, "of the type string"),
        (Option("x", {"type": "number", "exclusiveMinimum": 0.5}), 0.5, "more than 0.5"),
        (
            Option("template", choices=(Choice("debian-12", "Debian 12"), Choice("ubuntu-24", "Ubuntu 24"))),
            "debian-11",
            "the name of an OS template that the catalogue lists: debian-12, ubuntu-24; did you mean",
        ),
        (
            Option("x", choices=tuple(Choice(f"value-{number}", "") for number in range(500))),
            "valu-77",
            "one of the values (500 in all, such as value-0, value-1, value-2, value-3, value-4); did you mean",
        ),
    ],
)
def test_violations_say_what_is_accepted(option: Option, value: Any, rule: str) -> None:
    ((path, told),) = checked({option.name: value}, option)[0].items()
    assert path == f"settings.{option.name}"
    assert told.startswith(rule)


def test_all_violations_are_reported_at_once() -> None:
    # What is required, and how a contact is written, is left to the rules of the specification.
    left = (
        Option("ownercData", {"type": "object"}, required=True),
        Option("authcode", {"type": "string"}, required=True),
    )
    rules, _sent = checked({"ram": 1, "username": "x", "ownercData": "{}"}, RAM, NAME, *left)
    assert [*rules] == ["settings.ram", "settings.username"]


@pytest.mark.parametrize(
    ("option", "given_value", "sent"),
    [
        (Option("x", {"type": "integer"}), " -4 ", -4),
        (Option("x", {"type": "number"}), "4", 4),
        (Option("x", {"type": "boolean"}), "yes", True),
        (Option("x", choices=(Choice(4, ""),)), "4", 4),
        (Option("x", choices=(Choice("4", ""),)), 4, 4),
        (Option("x", choices=(Choice("yes", ""), Choice("no", ""))), True, "yes"),
    ],
)
def test_settings_beyond_the_document_get_the_type_of_the_live_rule(
    option: Option, given_value: Any, sent: Any
) -> None:
    rules, settings_sent = checked({"x": given_value}, option)
    assert rules == {}
    assert settings_sent == {"x": sent}
    assert type(settings_sent["x"]) is type(sent)


def test_documented_settings_keep_their_documented_type() -> None:
    option = Option("ha_upgrade", choices=(Choice("yes", ""), Choice("no", "")))
    assert checked({"ha_upgrade": True}, option, documented=("ha_upgrade",)) == ({}, {"ha_upgrade": True})


@pytest.mark.parametrize(
    "option",
    [
        Option("password", {"type": "string", "minLength": 20}),
        Option("authcode", choices=(Choice("hunter3", "hunter2"),)),
        Option("pin", {"type": "string", "maxLength": 4}, secret=True),
    ],
)
def test_secrets_are_masked(option: Option) -> None:
    (violation,) = check_catalogue_rules({option.name: "hunter2"}, [option], documented=())[0]
    assert "hunter" not in str(violation)


RULES: tuple[Any, ...] = (
    *("required|integer|between:1,10", "integer", "in:a,b", "regex:/^(a|b)$/", "min=3,max=4", "hostname", "ram"),
    *("1,10", "/^a+$/", "1e9", "-1", "", "true", '{"a": 1}', "between:a,b", "#", "#/properties", 'in:"a,b'),
    *({"type": "number", "min": 0.1, "step": 0.1}, {"enum": [1, "a", None]}, {"type": "array", "min": 1}),
)
ENTRIES = json_values(
    "name key type required min max range pattern regex values options rules constraints NotBlank Range Choice choices "
    "properties oneOf allOf $ref enum const label value multipleOf exclusiveMinimum length inclusive mapping default "
    "settings fields schema hostname template ram cpu_cores optional items data attributes if",
    *RULES,
)


@given(ENTRIES | st.fixed_dictionaries({"x": st.sampled_from(RULES), "ram": ENTRIES}), json_values(), st.booleans())
def test_any_entry_is_read_and_any_value_is_judged(entry: Any, value: Any, documented: bool) -> None:
    options = read_options(entry) or ()
    json.dumps([option.as_dict() for option in options])
    given_settings = {option.name: value for option in options}
    violations, sent = check_catalogue_rules(given_settings, options, documented=given_settings if documented else ())
    json.dumps([violation.as_dict() for violation in violations])
    assert sent.keys() == given_settings.keys()
