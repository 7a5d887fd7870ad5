# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which keywords of JSON Schema the schema of a product type may have where.

Others may be valid, but settings are also converted, explained, documented and offered by editors by their schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

SETTINGS = frozenset({"$schema", "title", "type", "properties", "required", "additionalProperties", "allOf"})
#: What a rule of one setting has, and what it may have beside it.
EACH_RULE = frozenset({"description", "type"})
RULE = EACH_RULE | {
    *("title", "enum", "minimum", "maximum", "multipleOf", "minLength", "maxLength", "pattern", "format"),
    *("items", "minItems", "contentMediaType", "properties", "required", "additionalProperties"),
}
#: A rule over several settings, and each of its alternatives.
GROUP = frozenset({"description", "oneOf"})
ALTERNATIVE = frozenset({"required", "properties"})
ONE_SETTING = frozenset({"required"})


def mistakes(name: str, schema: Mapping[str, Any]) -> list[str]:
    """What the schema of a product type has that is not understood, in one sentence for each place."""
    return [
        f"{name}: {each} A new kind of rule is code: see Add a product type in CONTRIBUTING.md." for each in _of(schema)
    ]


def _of(schema: Mapping[str, Any]) -> Iterator[str]:
    yield from _wrong("the schema", schema, SETTINGS, frozenset(), "The schema of settings")
    for name, rule in schema["properties"].items():
        yield from _of_rule(name, rule)
    for number, group in enumerate(schema.get("allOf", ()), start=1):
        where = f"rule {number} over several settings"
        yield from _wrong(where, group, GROUP, GROUP, "Such a rule")
        for alternative in group.get("oneOf", ()):
            yield from _wrong(f"an alternative of {where}", alternative, ALTERNATIVE, ONE_SETTING, "An alternative")
            if len(alternative.get("required", ["one"])) != 1:
                yield f"an alternative of {where} does not require one setting."


def _of_rule(name: str, rule: Mapping[str, Any]) -> Iterator[str]:
    yield from _wrong(name, rule, RULE, EACH_RULE, "The rule of a setting")
    for inner, member in rule.get("properties", {}).items():
        yield from _of_rule(f"{name}.{inner}", member)
    if "items" in rule:
        yield from _of_rule(f"an entry of {name}", rule["items"])


def _wrong(
    where: str, schema: Mapping[str, Any], known: frozenset[str], needed: frozenset[str], what: str
) -> Iterator[str]:
    """What is wrong with the keywords at one place."""
    has = [repr(keyword) for keyword in schema if keyword not in known]
    lacks = [f"no {keyword!r}" for keyword in sorted(needed) if not schema.get(keyword)]
    if has or lacks:
        others = f", and may have {_listed(known - needed)}" if known - needed else ""
        rule = f"{what} has {_listed(needed)}{others}" if needed else f"{what} has only {_listed(known)}"
        yield f"{where} has {' and '.join([*has, *lacks])}. {rule}."


def _listed(keywords: frozenset[str]) -> str:
    *most, last = sorted(keywords)
    return f"{', '.join(most)} and {last}" if most else last
