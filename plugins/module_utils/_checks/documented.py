# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the settings of one order against the rules of the specification (API specification 2.4, 4.3, 7 and 8).

Pure. Three steps: the settings are *read* into what a schema can judge, *judged* by the product type's JSON Schema,
and written in the form that the document asks for. All rules are in the schemas, none is here.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from .._core.errors import Violation
from .._core.text import nearest
from .._product_types.dialect import validator
from .._product_types.fragments import amount_hint, hint
from .._product_types.product_type import ProductType
from .._product_types.registry import CONTACT_SETTINGS, PRODUCT_TYPES, SECRET_SETTINGS
from .._secrets.names import is_secret_name, may_be_secret_name
from .._secrets.needles import MASK
from .coercion import Path, ReadSettings, Unfit, as_sent, is_json, kind_of, read_settings

#: Where something is wrong, and the rule that is broken there.
Finding: TypeAlias = tuple[Path, str]

_NOT_YET = "settings.{} is null or empty. Outside check mode, the order is refused unless it is a value by then."
_LONGEST_NAME = 60
_LONGEST_VALUE = 200


class Checked(NamedTuple):
    """An order's settings after the check.

    ``settings`` are in the form in which they are sent: the documented ones first, in the document's order, then those
    that only the rules of the catalogue know. A setting with a violation is there as it was given. ``violations`` are
    all that were found, in the document's order. ``not_known`` are settings whose value only the real run will know.
    """

    settings: dict[str, Any]
    violations: tuple[Violation, ...]
    warnings: tuple[str, ...]
    not_known: tuple[str, ...] = ()


def check_documented(
    product_type: ProductType,
    settings: Mapping[str, Any] | None,
    *,
    org_max_ram: int | None = None,
    also_known: Collection[str] = (),
    check_mode: bool = False,
) -> Checked:
    """Check the settings of one order against the rules of the specification of its product type.

    ``org_max_ram`` is ORG_MAX_RAM in MB, where it is known. ``also_known`` names settings that only the rules of the
    catalogue list: they are passed on untouched. In ``check_mode`` a null that is meant to be a value may become one in
    the real run. Raises MissingLibraryError when jsonschema is not installed, and nothing else, whatever the settings
    are.
    """
    if settings is None:
        settings = {}
    if not isinstance(settings, Mapping):
        rule = f"a mapping of the settings' names to their values, not {kind_of(settings)}"
        return Checked({}, (Violation("settings", None, rule, "specification"),), ())
    nulls = [name for name in product_type.never_null if name in settings and _is_empty(settings[name])]
    filled = {name: value for name, value in settings.items() if name not in nulls}
    reading = read_settings(product_type, filled, frozenset(also_known))
    findings = _findings(product_type, reading)
    if not check_mode:
        findings += [((name,), _never_null(product_type, name)) for name in nulls]
    if org_max_ram is not None:
        findings += _over_org_maximum(product_type, reading, org_max_ram, findings)
    sent = _as_sent(product_type, reading, findings)
    told = _contacts_once(product_type, settings, findings)
    warnings = (*product_type.advise(sent), *(_NOT_YET.format(name) for name in nulls if check_mode))
    return Checked(sent, _violations(product_type, reading, told), warnings, tuple(nulls))


def _is_empty(value: Any) -> bool:
    """Whether a template made nothing of what it was to look up: null, or with older ansible-core an empty string."""
    return value is None or (isinstance(value, str) and not value.strip())


def _never_null(product_type: ProductType, name: str) -> str:
    rule = product_type.settings[name]["description"]
    return f"{rule}; it is given as null or empty, so a value seems to be missing: {product_type.never_null[name]}"


# What is wrong


def _findings(product_type: ProductType, reading: ReadSettings) -> list[Finding]:
    findings: list[Finding] = [
        ((name,), f"a value that JSON can carry; YAML has read it as {kind_of(value)}")
        for name, value in reading.undocumented.items()
        if not is_json(value)
    ]
    unknown, meant = _unknown_names(product_type, reading)
    return [*findings, *unknown, *_broken_rules(product_type, reading, meant)]


def _unknown_names(product_type: ProductType, reading: ReadSettings) -> tuple[list[Finding], set[Path]]:
    """What is wrong with names that nobody knows, and where those belong that are likely to be meant."""
    findings, meant = list[Finding](), set[Path]()
    for path in reading.unknown:
        *parents, name = path
        owners = [each.name for each in PRODUCT_TYPES.values() if not parents and name in each.settings]
        if parents:
            what, known = "field of the contact payload", [*product_type.settings[str(parents[0])]["properties"]]
        else:
            what = f"setting of the product type {product_type}"
            known = list(dict.fromkeys([*product_type.settings, *sorted(reading.also_known)]))
        near = nearest(str(name), known, 1) if len(str(name)) <= _LONGEST_NAME else []
        if near:
            meant.add((*parents, near[0]))
            rule = f"unknown {what}: did you mean {near[0]}?"
        elif owners:
            rule = f"{name} belongs to {' and '.join(owners)}, not to {product_type.name}"
        else:
            rule = f"unknown {what}" + (f"; allowed: {', '.join(known)}" if known else ", which needs none")
        findings.append((path, rule))
    return findings, meant


def _broken_rules(product_type: ProductType, reading: ReadSettings, misspelt: Collection[Path]) -> Iterator[Finding]:
    """The rules that values break. What is ``misspelt`` is not missing, nor is a group with it as an alternative."""
    broken: set[Path] = set()
    for error in validator(product_type.schema).iter_errors(reading.members):
        path: Path = tuple(error.absolute_path)
        if error.validator == "required":
            if path not in misspelt:
                yield path, f"required: {error.schema['properties'][path[-1]]['description']}"
        elif error.validator == "oneOf":
            alternatives = [(*path, each["required"][0]) for each in error.validator_value]
            if not any(each in misspelt for each in alternatives):
                # One alternative is valid without the others, so these are all given, or none is.
                given = any(error.instance.get(each[-1]) is not None for each in alternatives)
                yield (
                    alternatives[0],
                    f"{error.schema['description']}; here {'both are' if given else 'neither is'} given",
                )
        elif error.validator == "dependentRequired":
            needed = [name for name in error.validator_value[path[-1]] if error.instance.get(name) is None]
            if missing := [name for name in needed if (*path[:-1], name) not in misspelt]:
                yield path, f"{error.schema['description']}; missing: {', '.join(missing)}"
        elif path not in broken:
            broken.add(path)
            yield path, _rule(error.schema, error.instance, reading.given.get(path))


def _contacts_once(
    product_type: ProductType, settings: Mapping[str, Any], findings: Sequence[Finding]
) -> Iterator[Finding]:
    """The findings, with those of two contacts that are the same mapping in the first one alone."""
    first, *others = [name for name in product_type.settings if name in product_type.contacts] or [""]
    same = [name for name in others if settings.get(first) is not None and settings.get(name) == settings[first]]
    for path, rule in findings:
        if path[:1] == (first,) and same:
            yield path, f"{rule}; {' and '.join(same)} is the same contact"
        elif not (path[0] in same and ((first, *path[1:]), rule) in findings):
            yield path, rule


def _over_org_maximum(
    product_type: ProductType, reading: ReadSettings, org_max_ram: int, findings: Sequence[Finding]
) -> list[Finding]:
    name = product_type.org_maximum
    value = reading.members.get(name) if name else None
    if name is None or not isinstance(value, int) or value <= org_max_ram or (name,) in dict(findings):
        return []
    return [((name,), f"{product_type.settings[name]['description']}; ORG_MAX_RAM is {org_max_ram}")]


# Results


def _as_sent(product_type: ProductType, reading: ReadSettings, findings: Sequence[Finding]) -> dict[str, Any]:
    wrong = {path[0] for path, _rule in findings}
    documented = {
        name: reading.given[(name,)] if name in wrong else as_sent(schema, reading.members[name])
        for name, schema in product_type.settings.items()
        if name in reading.members
    }
    return {**documented, **reading.undocumented}


def _violations(product_type: ProductType, reading: ReadSettings, findings: Iterable[Finding]) -> tuple[Violation, ...]:
    """The findings as they are told, in the document's order."""
    places = {name: place for place, name in enumerate(product_type.settings)}
    # Contacts are personal data, and messages are kept by whatever runs the task.
    hidden = CONTACT_SETTINGS | product_type.secrets
    violations = []
    for path, rule in sorted(findings, key=lambda finding: places.get(str(finding[0][0]), len(places))):
        written = ".".join(["settings", *(_short(part) for part in path if isinstance(part, str))])
        value = reading.given.get(path)
        is_hidden = value is not None and (path[0] in hidden or _may_be_secret(str(path[-1])))
        shown = None if value is None else MASK if is_hidden else _shown(value)
        violations.append(Violation(written, shown, rule, "specification"))
    return tuple(violations)


def _rule(schema: Mapping[str, Any], value: Any, given: Any) -> str:
    """The rule that the value breaks, and what to do about this value, which was ``given`` as it is there."""
    rule = str(schema.get("description", "another value"))
    note = value.note if isinstance(value, Unfit) else None
    if isinstance(value, str):
        note = hint(value, schema.get("format"))
    note = amount_hint(given, schema) or note
    return f"{rule}; {note}" if note else rule


def _may_be_secret(name: str) -> bool:
    """Whether this is a secret's name, or one for which a secret's may be meant."""
    return is_secret_name(name) or may_be_secret_name(name) or bool(nearest(name, SECRET_SETTINGS, 1))


def _short(text: str, longest: int = _LONGEST_NAME) -> str:
    printable = text[:longest].encode(errors="backslashreplace").decode()
    return printable if len(text) <= longest else f"{printable}…"


def _shown(value: Any) -> Any:
    """A value for a message: bounded, and of a container only what it is."""
    if isinstance(value, str):
        return _short(value, _LONGEST_VALUE)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bool) or (isinstance(value, int) and value.bit_length() <= _LONGEST_VALUE):
        return value
    return kind_of(value)
