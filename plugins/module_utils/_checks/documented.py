# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documented rules, applied to the settings of one order (document sections 2.4, 4.3, 7 and 8).

Pure. Three steps: the settings are *read* into what a schema can judge, *judged* by the product type's JSON Schema,
and written in the form that the document asks for. All rules are in the schemas, none is here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from .._core.errors import MissingLibraryError, Violation
from .._core.text import nearest
from .._product_types.fragments import hint
from .._product_types.product_type import ProductType
from .._product_types.registry import PRODUCT_TYPES, SECRET_SETTINGS, is_secret_name, types_that_fit
from .coercion import Unfit, as_sent, is_json, json_object, kind_of, scalar, types_of, word_list
from .secrets import MASK

try:
    import jsonschema
except ImportError as error:
    JSONSCHEMA_ERROR: ImportError | None = error
else:
    JSONSCHEMA_ERROR = None


Path: TypeAlias = "tuple[str | int, ...]"

# Looking for similar names takes time, and nobody reads the hundredth suggestion.
_MOST_SUGGESTIONS = 50
_LONGEST_NAME = 60
_LONGEST_VALUE = 200


@dataclass(frozen=True)
class Checked:
    """What became of an order's settings.

    ``settings`` are in the form in which they are sent: the documented ones first, in the document's order, then those
    that only the live rules know. A setting with a violation is there as it was given. ``violations`` are all that
    were found, in the document's order.
    """

    settings: dict[str, Any]
    violations: tuple[Violation, ...]
    warnings: tuple[str, ...]


def check_documented(
    product_type: ProductType,
    settings: Mapping[str, Any] | None,
    *,
    org_max_ram: int | None = None,
    also_known: Collection[str] = (),
) -> Checked:
    """Check the settings of one order against the documented rules of its product type.

    ``org_max_ram`` is ORG_MAX_RAM in MB, where it is known. ``also_known`` names settings that only the live rules
    list: they are passed on untouched. Raises MissingLibraryError when jsonschema is not installed, and nothing else,
    whatever the settings are.
    """
    if settings is None:
        settings = {}
    if not isinstance(settings, Mapping):
        rule = f"a mapping of the settings' names to their values, not {kind_of(settings)}"
        return Checked({}, (Violation("settings", None, rule, "documented"),), ())
    work = _Check(product_type, frozenset(also_known))
    work.read(settings)
    work.judge()
    if org_max_ram is not None:
        work.judge_org_maximum(org_max_ram)
    sent = work.settings_as_sent()
    return Checked(sent, work.violations(), tuple(product_type.advise(sent)))


def preload() -> None:
    """Build what the first check would build, for the processes that are forked from this one."""
    if JSONSCHEMA_ERROR is None:
        for product_type in PRODUCT_TYPES.values():
            check_documented(product_type, {})
            for pattern in _patterns(product_type.schema):
                re.compile(pattern)


def _patterns(schema: Any) -> Iterator[str]:
    """The patterns anywhere in a schema."""
    if isinstance(schema, Mapping):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        for inner in schema.values():
            yield from _patterns(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _patterns(inner)


class _Check:
    """The check of one order: ``read``, then ``judge``, then ask for the results."""

    def __init__(self, product_type: ProductType, also_known: Collection[str]) -> None:
        self._type = product_type
        self._also_known = also_known
        self._instance: dict[str, Any] = {}
        self._undocumented: dict[str, Any] = {}
        self._given: dict[Path, Any] = {}
        self._unknown: dict[Path, None] = {}
        self._meant: set[Path] = set()
        self._found: list[tuple[Path, Violation]] = []

    # Reading

    def read(self, settings: Mapping[Any, Any]) -> None:
        self._instance = self._read_object(self._type.schema, settings, ())

    def _read_object(self, schema: Mapping[str, Any], given: Mapping[Any, Any], path: Path) -> dict[str, Any]:
        """The documented members. One that is null counts as not given, unless its schema allows null."""
        members: dict[str, Any] = {}
        for name, value in given.items():
            if not isinstance(name, str):
                rule = f"a name is a string, and YAML has read it as {kind_of(name)}: quote it"
                self._add((*path, str(_shown(name))), rule)
            elif name in schema["properties"]:
                member = schema["properties"][name]
                if value is not None or "null" in types_of(member):
                    members[name] = self._read_value(member, value, (*path, name))
            elif value is not None:
                place = (*path, name)
                self._given[place] = value
                if not path and name in self._also_known:
                    self._undocumented[name] = value
                else:
                    self._unknown[place] = None
        return members

    def _read_value(self, schema: Mapping[str, Any], value: Any, path: Path) -> Any:
        self._given[path] = value
        types = types_of(schema)
        if "object" in types:
            members = json_object(value)
            return members if isinstance(members, Unfit) else self._read_object(schema, members, path)
        if "array" in types:
            items = word_list(value)
            if isinstance(items, Unfit):
                return items
            return [self._read_value(schema["items"], item, (*path, place)) for place, item in enumerate(items)]
        return scalar(types, value)

    # Judging

    def judge(self) -> None:
        for name, value in self._undocumented.items():
            if not is_json(value):
                self._add((name,), f"a value that JSON can carry; YAML has read it as {kind_of(value)}")
        of_another_type = self._judge_type()
        if not of_another_type:
            self._judge_unknown()
            self._judge_missing(self._type.schema, self._instance, ())
        self._judge_values(with_groups=not of_another_type)

    def _judge_type(self) -> bool:
        """Whether the settings are another product type's. Then it matters little what is unknown or missing here."""
        unknown = [str(path[0]) for path in self._unknown if len(path) == 1]
        likely = types_that_fit([*self._instance, *unknown]) if unknown else []
        # A type that does not know the unknown ones either would be no better: they are misspelt.
        fitting = [name for name in likely if not PRODUCT_TYPES[name].settings.keys().isdisjoint(unknown)]
        if not fitting or self._type.name in likely:
            return False
        titles = " or ".join(str(PRODUCT_TYPES[name]) for name in fitting)
        names = ", ".join(_short(name) for name in unknown[:_MOST_SUGGESTIONS])
        self._add(
            (),
            f"the product type {self._type} has no settings named {names}. What is given fits the product type "
            f"{titles}: order such a product, or correct product_type",
        )
        return True

    def _judge_unknown(self) -> None:
        for count, path in enumerate(self._unknown):
            *parents, name = path
            schema: Mapping[str, Any] = self._type.settings[str(parents[0])] if parents else self._type.schema
            known = list(dict.fromkeys([*schema["properties"], *(() if parents else sorted(self._also_known))]))
            look = count < _MOST_SUGGESTIONS and len(str(name)) <= _LONGEST_NAME
            meant = next(iter(nearest(str(name), known, 1)), None) if look else None
            owners = [str(each) for each in PRODUCT_TYPES.values() if not parents and name in each.settings]
            if meant:
                self._meant.add((*parents, meant))
                help_text = f": did you mean {meant}?"
            elif owners:
                help_text = f", but of {' and '.join(owners)}"
            else:
                help_text = f"; known are {', '.join(known)}" if known else ", which needs none"
            whose = "the contact payload" if parents else f"the product type {self._type}"
            self._add(path, f"this is no {'field' if parents else 'setting'} of {whose}{help_text}")

    def _judge_missing(self, schema: Mapping[str, Any], members: Mapping[str, Any], path: Path) -> None:
        for name, member in schema["properties"].items():
            if name in members:
                if isinstance(members[name], dict):
                    self._judge_missing(member, members[name], (*path, name))
            elif name in schema["required"] and (*path, name) not in self._meant:
                self._add((*path, name), f"required: {member['description']}")

    def _judge_values(self, *, with_groups: bool) -> None:
        judged: set[Path] = set()
        for error in _validator(self._type).iter_errors(self._instance):
            path: Path = tuple(error.absolute_path)
            if error.validator == "required":
                continue  # see _judge_missing, which knows what was meant
            if error.validator == "oneOf":
                alternatives = [(*path, each["required"][0]) for each in error.validator_value]
                if with_groups and self._meant.isdisjoint(alternatives):
                    self._add(alternatives[0], error.schema["description"])
            elif path not in judged:
                judged.add(path)
                self._add(path, _rule(error.schema, error.instance))

    def judge_org_maximum(self, org_max_ram: int) -> None:
        name = self._type.org_maximum
        if name is None:
            return
        value = self._instance.get(name)
        if isinstance(value, int) and value > org_max_ram and all(path != (name,) for path, _violation in self._found):
            self._add((name,), f"{self._type.settings[name]['description']}; ORG_MAX_RAM is {org_max_ram}")

    # Results

    def settings_as_sent(self) -> dict[str, Any]:
        wrong = {path[0] for path, _violation in self._found if path}
        documented = {
            name: self._given[(name,)] if name in wrong else as_sent(schema, self._instance[name])
            for name, schema in self._type.settings.items()
            if name in self._instance
        }
        return {**documented, **self._undocumented}

    def violations(self) -> tuple[Violation, ...]:
        places = {name: place for place, name in enumerate(self._type.settings)}

        def place(found: tuple[Path, Violation]) -> int:
            path = found[0]
            return places.get(str(path[0]), len(places)) if path else -1

        return tuple(violation for _path, violation in sorted(self._found, key=place))

    def _add(self, path: Path, rule: str) -> None:
        written = ".".join(["settings", *(_short(part) for part in path if isinstance(part, str))])
        self._found.append((path, Violation(written, self._value_shown(path), rule, "documented")))

    def _value_shown(self, path: Path) -> Any:
        value = self._given.get(path)
        if value is None:
            return None
        if path in self._unknown or path[0] in self._undocumented:
            return MASK if len(self._found) > _MOST_SUGGESTIONS or _may_be_secret(str(path[-1])) else _shown(value)
        return MASK if path[0] in self._type.secrets else _shown(value)


def _rule(schema: Mapping[str, Any], value: Any) -> str:
    """The rule that the value breaks, and what to do about this value."""
    rule: str = schema["description"]
    note = value.note if isinstance(value, Unfit) else None
    if isinstance(value, str):
        note = hint(value, schema.get("format"))
    return f"{rule}; {note}" if note else rule


def _may_be_secret(name: str) -> bool:
    """Whether this is a secret's name, or one for which a secret's may be meant."""
    return is_secret_name(name) or bool(nearest(name, SECRET_SETTINGS, 1))


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


@cache
def _validator(product_type: ProductType) -> Any:
    """The validator of a product type, built once."""
    if JSONSCHEMA_ERROR is not None:
        raise MissingLibraryError("jsonschema", "to check the settings of an order", str(JSONSCHEMA_ERROR))
    extend: Any = jsonschema.validators.extend
    return extend(jsonschema.Draft202012Validator, {"pattern": _pattern})(product_type.schema)


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    # The schemas' patterns span the whole text. In them $ is the very end; re.search would let a last newline pass.
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield jsonschema.ValidationError("does not match")


__all__ = ["Checked", "check_documented", "preload"]
