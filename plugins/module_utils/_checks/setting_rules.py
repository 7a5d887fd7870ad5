# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges the settings of an order by the rules of the specification (API specification 2.4, 4.3, 7, 8). Pure.

In three steps: the settings are *read* for the schema, *judged* by the product type's
JSON Schema, and written in the form that the specification asks for. All its rules are in the schemas, none is here.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._core.errors import Violation
from .._core.text import (
    kind_of,
    nearest,
    unseen_character,
)
from .._product_types.dialect import validator
from .._product_types.product_type import ProductType
from .._product_types.registry import CONTACT_SETTINGS, PRODUCT_TYPES, SECRET_SETTINGS
from .._secrets.recognition import MASK, is_secret_name, may_be_secret_name
from .coercion import Path, ReadSettings, Unfit, is_json
from .hints import amount_hint, hint

_NOT_YET = "settings.{} is null or empty. Outside check mode, the order is refused unless it is a value by then."
_UNSEEN = "settings.{} contains {}, which is not seen: it is sent as written."
#: Of a contact, what is not personal.
_SHOWN_FIELD = "country"
_LONGEST_NAME = 60
_LONGEST_VALUE = 200


class Finding(NamedTuple):
    """A broken rule and its place. ``missing`` are the places of which one may be meant by a misspelled name.

    ``fix`` is what is wrong with the value, or what to write.
    """

    path: Path
    rule: str
    missing: frozenset[Path] = frozenset()
    fix: str = ""


@dataclass(frozen=True)
class Checked:
    """The settings of an order, judged by the rules of the specification.

    ``settings`` are in the form in which they are sent: the documented ones first, in the order of the specification,
    then those that only the catalogue may know. ``not_known`` are settings whose value only the real run will know.
    """

    product_type: ProductType
    settings: Mapping[str, Any]
    warnings: tuple[str, ...]
    not_known: tuple[str, ...]
    _reading: ReadSettings
    _findings: tuple[Finding, ...]

    @property
    def violations(self) -> tuple[Violation, ...]:
        """All violations, in the order of the specification, if the catalogue knows what the specification does not."""
        return self.violations_among(self._reading.undocumented)

    def violations_of(self, given: Mapping[str, Any]) -> list[Violation]:
        """All violations of a part of an order's settings: what is not given breaks no rule."""
        return [violation for violation in self.violations if given.get(violation.path.split(".")[1]) is not None]

    def violations_among(self, listed: Collection[str]) -> tuple[Violation, ...]:
        """All violations if the settings that the catalogue knows are these."""
        wrong, meant = list[Finding](), set[Path]()
        for path in self._reading.unknown:
            wrong.append(self._unknown(path, listed, meant))
        for name, value in self._reading.undocumented.items():
            if name not in listed:
                wrong.append(self._unknown((name,), listed, meant))
            elif not is_json(value):
                rule = f"a value that JSON can carry; YAML has read it as {kind_of(value)}"
                wrong.append(Finding((name,), rule))
        places = {name: place for place, name in enumerate(self.product_type.settings)}
        findings = [*wrong, *(finding for finding in self._findings if not finding.missing & meant)]
        findings.sort(key=lambda finding: places.get(str(finding.path[0]), len(places)))
        return tuple(self._violation(finding) for finding in findings)

    def _unknown(self, path: Path, listed: Collection[str], meant: set[Path]) -> Finding:
        """The finding of a name that nobody knows. Adds to ``meant`` what it is likely to stand for."""
        *parents, name = path
        product_type = self.product_type
        owners = [kind.name for kind in PRODUCT_TYPES.values() if not parents and name in kind.settings]
        if parents:
            what, known = "field of the contact payload", [*product_type.settings[str(parents[0])]["properties"]]
        else:
            what = f"setting of the product type {product_type}"
            known = list(dict.fromkeys([*product_type.settings, *sorted(listed)]))
        if near := nearest(str(name), known, 1) if len(str(name)) <= _LONGEST_NAME else []:
            meant.add((*parents, near[0]))
            return Finding(path, f"unknown {what}: did you mean {near[0]}?")
        if owners:
            return Finding(path, f"{name} belongs to {' and '.join(owners)}, not to {product_type.name}")
        return Finding(path, f"unknown {what}" + (f"; allowed: {', '.join(known)}" if known else ", which needs none"))

    def _violation(self, finding: Finding) -> Violation:
        path, rule, _missing, fix = finding
        written = ".".join(["settings", *(_short(part) for part in path if isinstance(part, str))])
        value = self._reading.given.get(path)
        # Contacts are personal data, and messages are kept by whatever runs the task.
        hidden = (CONTACT_SETTINGS if path[-1] != _SHOWN_FIELD else frozenset()) | self.product_type.secrets
        name = str(path[-1])
        # Also one for which a secret's name may be meant.
        is_secret = is_secret_name(name) or may_be_secret_name(name) or bool(nearest(name, SECRET_SETTINGS, 1))
        is_hidden = value is not None and (path[0] in hidden or is_secret)
        return Violation(written, MASK if is_hidden else shown_value(value), rule, "specification", fix)


def check_specification_rules(
    product_type: ProductType,
    settings: Mapping[str, Any],
    *,
    org_max_ram: int | None = None,
    check_mode: bool = False,
) -> Checked:
    """Judge the settings of one order by the rules of the specification of its product type.

    ``org_max_ram`` is ORG_MAX_RAM in MB, where it is known. In ``check_mode`` a null that is meant to be a value may
    become one in the real run. Raises MissingLibraryError when jsonschema is not installed, and nothing else, whatever
    the settings are.
    """
    nulls = tuple(name for name in product_type.never_null if name in settings and _is_empty(settings[name]))
    reading = ReadSettings()
    values = {name: value for name, value in settings.items() if name not in nulls}
    reading.members = reading.read(product_type.schema, values)
    findings = [*_broken_rules(product_type, reading, org_max_ram)]
    for name in nulls if not check_mode else ():
        fix = f"it is given as null or empty, so a value seems to be missing: {product_type.never_null[name]}"
        findings.append(Finding((name,), product_type.settings[name]["description"], fix=fix))
    sent = _as_sent(product_type, reading, findings)
    broken = {finding.path for finding in findings}
    fields = ((path, said) for path, said in _unseen(product_type, reading) if path not in broken)
    unseen = [_UNSEEN.format(".".join(map(str, path)), said) for path, said in fields]
    warnings = (*product_type.advise(sent), *unseen, *(_NOT_YET.format(name) for name in nulls if check_mode))
    return Checked(product_type, sent, warnings, nulls, reading, tuple(findings))


def _unseen(product_type: ProductType, reading: ReadSettings) -> Iterator[tuple[Path, str]]:
    """Yield each secret or contact field with its first character that people do not see: a soft hyphen, say."""
    for path, value in reading.given.items():
        is_field, is_secret = len(path) > 1, path[0] in product_type.secrets or is_secret_name(str(path[0]))
        if (is_field or is_secret) and isinstance(value, str) and (character := unseen_character(value)):
            yield path, character


def _is_empty(value: Any) -> bool:
    """Return whether a template made nothing of what it was to look up: null, or an empty string."""
    return value is None or (isinstance(value, str) and not value.strip())


def _broken_rules(product_type: ProductType, reading: ReadSettings, org_max_ram: int | None) -> Iterator[Finding]:
    broken: set[Path] = set()
    for error in validator(product_type.schema).iter_errors(reading.members):
        path: Path = tuple(error.absolute_path)
        if error.validator == "required":
            rule = f"required: {error.schema['properties'][path[-1]]['description']}"
            yield Finding(path, rule, frozenset({path}))
        elif error.validator == "oneOf":
            alternatives = [(*path, schema["required"][0]) for schema in error.validator_value]
            # One alternative is valid without the others, so these are all given, or none is.
            given = any(error.instance.get(alternative[-1]) is not None for alternative in alternatives)
            rule = f"{error.schema['description']}; here {'both are' if given else 'neither is'} given"
            yield Finding(alternatives[0], rule, frozenset(alternatives))
        elif path not in broken:
            broken.add(path)
            rule = str(error.schema.get("description", "another value"))
            fix = _fix(error.schema, error.instance, reading.given.get(path))
            yield Finding(path, rule, fix=fix or "")
    name = product_type.org_maximum
    value = reading.members.get(name) if name else None
    if name and org_max_ram is not None and (name,) not in broken and isinstance(value, int) and value > org_max_ram:
        fix = f"ORG_MAX_RAM is {org_max_ram}"
        yield Finding((name,), product_type.settings[name]["description"], fix=fix)


def _as_sent(product_type: ProductType, reading: ReadSettings, findings: list[Finding]) -> dict[str, Any]:
    """The settings in the form that the API specification requires: an array becomes a string.

    A contact becomes one in the request alone; here its fields get the documented order.
    """
    wrong, sent = {finding.path[0] for finding in findings}, dict[str, Any]()
    for name, schema in product_type.settings.items():
        if name in reading.members:
            value = reading.given[(name,)] if name in wrong else reading.members[name]
            if name not in wrong and isinstance(value, dict):
                value = {field: value[field] for field in schema["properties"] if field in value}
            sent[name] = " ".join(value) if name not in wrong and isinstance(value, list) else value
    return {**sent, **reading.undocumented}


def _fix(schema: Mapping[str, Any], value: Any, given: Any) -> str | None:
    """Return the mistake in a value that was ``given`` so, or what to write, if that is known."""
    note = value.note if isinstance(value, Unfit) else None
    if isinstance(value, str):
        note = hint(value, schema.get("format"))
    return amount_hint(given, schema) or note


def _short(text: str, longest: int = _LONGEST_NAME) -> str:
    printable = text[:longest].encode(errors="backslashreplace").decode()
    return printable if len(text) <= longest else f"{printable}…"


def shown_value(value: Any) -> Any:
    """A value for a message: bounded, and of a container only what it is."""
    if value is None:
        return None
    if isinstance(value, str):
        return _short(value, _LONGEST_VALUE)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int) and value.bit_length() <= _LONGEST_VALUE:
        return value
    return kind_of(value)
