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


def mistakes(name: str, schema: Mapping[str, Any]) -> list[str]:
    """What the schema of a product type has that is not understood, in one sentence each."""
    return [
        f"{name}: {where} {what}. {rule} A new kind of rule is code: see *Add a product type* in CONTRIBUTING.md."
        for where, what, rule in _found(schema)
    ]


def _found(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    known = f"The schema of settings has only {_listed(SETTINGS)}."
    yield from (("the schema", f"has {key!r}", known) for key in schema if key not in SETTINGS)
    for name, rule in schema["properties"].items():
        yield from _of_rule(name, rule)
    known = f"A rule over several settings has {_listed(GROUP)}, and its alternatives have {_listed(ALTERNATIVE)}."
    for number, group in enumerate(schema.get("allOf", ())):
        where = f"rule {number + 1} over several settings"
        yield from ((where, f"has {key!r}", known) for key in group if key not in GROUP)
        yield from ((where, f"has no {key!r}", known) for key in GROUP if key not in group)
        for alternative in group.get("oneOf", ()):
            yield from (
                (where, f"has {key!r} in an alternative", known) for key in alternative if key not in ALTERNATIVE
            )
            if len(alternative.get("required", ())) != 1:
                yield where, "has an alternative that does not require one setting", known


def _of_rule(name: str, rule: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    known = f"The rule of a setting has {_listed(EACH_RULE)}, and may have {_listed(RULE - EACH_RULE)}."
    yield from ((name, f"has no {key!r}", known) for key in sorted(EACH_RULE) if not rule.get(key))
    yield from ((name, f"has {key!r}", known) for key in rule if key not in RULE)
    for inner, member in rule.get("properties", {}).items():
        yield from _of_rule(f"{name}.{inner}", member)
    if "items" in rule:
        yield from _of_rule(f"an entry of {name}", rule["items"])


def _listed(keywords: frozenset[str]) -> str:
    *most, last = sorted(keywords)
    return f"{', '.join(most)} and {last}"
