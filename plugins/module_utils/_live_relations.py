# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Live rules about several settings at once: what one needs or forbids beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._errors import Violation
from ansible_collections.hosting.reseller.plugins.module_utils._live_draft import Draft, NotUnderstoodError
from ansible_collections.hosting.reseller.plugins.module_utils._product import Option, Relation, RelationKind
from ansible_collections.hosting.reseller.plugins.module_utils._text import clean

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
_PREFIX = "settings."


def related(kind: RelationKind) -> Callable[[Draft, Any], None]:
    """The rule that adds a relation of this kind to a draft."""

    def rule(draft: Draft, value: Any) -> None:
        listed = value.split(",") if isinstance(value, str) else value
        if not isinstance(listed, list) or not listed:
            raise NotUnderstoodError
        names = [name.strip() if isinstance(name, str) else "" for name in listed]
        if not all(map(_NAME.fullmatch, names)):
            raise NotUnderstoodError
        draft.relations.append(Relation(kind, tuple(name.removeprefix(_PREFIX) for name in names)))

    return rule


def check_relations(
    settings: Mapping[str, Any], options: Sequence[Option], hidden: Collection[str]
) -> tuple[list[Violation], list[str]]:
    """What breaks the relations between settings, and warnings about relations with what is no setting.

    ``hidden`` names the settings whose values are not shown. Of settings that name each other, the first is told.
    """
    given = {name for name, value in settings.items() if value is not None}
    known = {option.name for option in options}
    violations: list[Violation] = []
    warnings: list[str] = []
    told: set[frozenset[str]] = set()
    for option, relation in _pairs(options):
        if not known.issuperset(relation.others):
            others = clean(", ".join(relation.others), 200)
            warnings.append(
                f"The live rules of the setting {clean(option.name, 100)} depend on {others}, which is no setting, and "
                "were not checked in this; the service may refuse the order because of it."
            )
            continue
        rule = _broken(option.name, relation, given)
        all_of_them = frozenset({option.name, *relation.others})
        if rule is not None and all_of_them not in told:
            told.add(all_of_them)
            value = None if option.name in hidden else settings.get(option.name)
            violations.append(Violation(f"settings.{option.name}", value, rule, "live"))
    return violations, warnings


def _pairs(options: Sequence[Option]) -> Iterator[tuple[Option, Relation]]:
    return ((option, relation) for option in options for relation in option.relations)


def _broken(name: str, relation: Relation, given: Collection[str]) -> str | None:
    there = [other for other in relation.others if other in given]
    absent = [other for other in relation.others if other not in given]
    if relation.kind == "prohibits":
        return f"must not be given together with {' or '.join(there)}" if name in given and there else None
    if name in given:
        return None
    return {
        "required_without": f"is required, since {' and '.join(absent)} is not given" if absent else None,
        "required_without_all": f"is required if none of {', '.join(absent)} is given" if not there else None,
        "required_with": f"is required beside {' and '.join(there)}" if there else None,
        "required_with_all": f"is required beside {' and '.join(there)}" if not absent else None,
    }[relation.kind]


__all__ = ["check_relations", "related"]
