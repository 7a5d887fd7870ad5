# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._checks.live import check_live
from ansible_collections.hosting.reseller.plugins.module_utils._product_options.entry_reader import read_options
from ansible_collections.hosting.reseller.plugins.module_utils._product_options.option import Relation

PAIR = {
    "size": "sometimes|integer|required_without:count|prohibits:count",
    "count": "nullable|integer|required_without:size|prohibits:size",
}


def broken(rules: dict[str, object], *given: str) -> dict[str, str]:
    """Path to rule, with a value of 1 for each setting that is given."""
    options = read_options(rules)
    assert options is not None
    violations, _sent = check_live(dict.fromkeys(given, 1), options, documented=(), secrets=("password",))
    return {violation.path: violation.rule for violation in violations}


def test_relations_are_read_from_pipe_rules_and_from_lists() -> None:
    options = read_options(
        {"a": "required_with:b, settings.c", "b": {"rules": ["string", "prohibits:a"]}, "c": {"requiredWithout": ["a"]}}
    )
    assert options is not None
    assert [option.relations for option in options] == [
        (Relation("required_with", ("b", "c")),),
        (Relation("prohibits", ("a",)),),
        (Relation("required_without", ("a",)),),
    ]
    assert not any(option.unclear for option in options)


@pytest.mark.parametrize(
    ("rule", "accepted", "refused"),
    [
        ("required_with:b,c", ["", "x", "x b", "x b c"], ["b", "c", "b c"]),
        ("required_with_all:b,c", ["", "b", "c", "x b c"], ["b c"]),
        ("required_without:b,c", ["b c", "x", "x b"], ["", "b", "c"]),
        ("required_without_all:b,c", ["b", "c", "b c", "x"], [""]),
        ("prohibits:b,c", ["", "x", "b c"], ["x b", "x c", "x b c"]),
    ],
)
def test_each_relation(rule: str, accepted: list[str], refused: list[str]) -> None:
    rules: dict[str, object] = {"x": rule, "b": "integer", "c": "integer"}
    for given in accepted:
        assert broken(rules, *given.split()) == {}, given
    for given in refused:
        assert list(broken(rules, *given.split())) == ["settings.x"], given


def test_settings_that_name_each_other_are_one_mistake() -> None:
    assert broken(PAIR, "size") == broken(PAIR, "count") == {}
    assert broken(PAIR) == {"settings.size": "is required, since count is not given"}
    assert broken(PAIR, "size", "count") == {"settings.size": "must not be given together with count"}


def test_a_relation_with_what_is_no_setting_is_left_to_the_service() -> None:
    assert broken({"a": "required_without:enduser_id", "b": "integer"}) == {}


def test_the_value_of_a_secret_is_not_shown() -> None:
    options = read_options({"password": "prohibits:key", "key": "string"})
    violations, _sent = check_live(
        {"password": "Se-cret", "key": "k"}, options or (), documented=(), secrets=("password",)
    )
    assert [violation.value for violation in violations] == [None]
