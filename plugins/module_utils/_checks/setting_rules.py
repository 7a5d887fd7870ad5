# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges the settings of an order by the rules of the specification (API specification 2.4, 4.3, 7, 8), and by those
of the catalogue beside them (2.1 and 4.2). Pure.

In three steps by the specification: the settings are *read* for the schema, *judged* by the product type's
JSON Schema, and written in the form that the specification asks for. All its rules are in the schemas, none is here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._catalogue.option import Choice, Option
from .._core.errors import Violation
from .._core.text import (
    character_name,
    clean,
    difference,
    folded_text,
    kind_of,
    nearest,
    odd_character,
    truth,
    unseen_character,
)
from .._product_types.dialect import validator
from .._product_types.product_type import ProductType, amount_hint, hint
from .._product_types.registry import CONTACT_SETTINGS, PRODUCT_TYPES, SECRET_SETTINGS, TEMPLATE_SETTINGS
from .._secrets.recognition import MASK, is_secret_name, may_be_secret_name
from .coercion import Path, ReadSettings, Unfit, is_json, scalar

_NOT_YET = "settings.{} is null or empty. Outside check mode, the order is refused unless it is a value by then."
_UNSEEN = "settings.{} contains {}, which is not seen: it is sent as written."
#: Of a contact, what is not personal.
_SHOWN_FIELD = "country"
_LONGEST_NAME = 60
_LONGEST_VALUE = 200
_MOST_CHOICES_SHOWN = 20
#: The rules that the catalogue's schemas are made of, in words.
_RULES = {
    "type": "of the type {}",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "multipleOf": "a multiple of {}",
}
#: What stands around the value in a text such as ``debian-12|Debian 12``, ``debian-12 - Debian 12``,
#: ``Debian 12 (debian-12)``.
_BEFORE_PART, _AFTER_PART = r"(?:\A|[|:]\s*|\s-\s+|\s\()", r"(?:\Z|\s*[|:]|\s+-\s|\s\(|\)\Z)"


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
        return [each for each in self.violations if given.get(each.path.split(".")[1]) is not None]

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
        found = [*wrong, *(each for each in self._findings if not each.missing & meant)]
        found.sort(key=lambda each: places.get(str(each.path[0]), len(places)))
        return tuple(self._violation(each) for each in found)

    def _unknown(self, path: Path, listed: Collection[str], meant: set[Path]) -> Finding:
        """The finding of a name that nobody knows. Adds to ``meant`` what it is likely to stand for."""
        *parents, name = path
        product_type = self.product_type
        owners = [each.name for each in PRODUCT_TYPES.values() if not parents and name in each.settings]
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
        return Violation(written, MASK if is_hidden else _shown(value), rule, "specification", fix)


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
    broken = {each.path for each in findings}
    found = ((path, said) for path, said in _unseen(product_type, reading) if path not in broken)
    unseen = [_UNSEEN.format(".".join(map(str, path)), said) for path, said in found]
    warnings = (*product_type.advise(sent), *unseen, *(_NOT_YET.format(name) for name in nulls if check_mode))
    return Checked(product_type, sent, warnings, nulls, reading, tuple(findings))


def _unseen(product_type: ProductType, reading: ReadSettings) -> Iterator[tuple[Path, str]]:
    """Yield each secret or contact field with its first character that people do not see: a soft hyphen, say."""
    for path, value in reading.given.items():
        is_field, is_secret = len(path) > 1, path[0] in product_type.secrets or is_secret_name(str(path[0]))
        if (is_field or is_secret) and isinstance(value, str) and (found := unseen_character(value)):
            yield path, found


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
            alternatives = [(*path, each["required"][0]) for each in error.validator_value]
            # One alternative is valid without the others, so these are all given, or none is.
            given = any(error.instance.get(each[-1]) is not None for each in alternatives)
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
    wrong, sent = {each.path[0] for each in findings}, dict[str, Any]()
    for name, schema in product_type.settings.items():
        if name in reading.members:
            value = reading.given[(name,)] if name in wrong else reading.members[name]
            if name not in wrong and isinstance(value, dict):
                value = {each: value[each] for each in schema["properties"] if each in value}
            sent[name] = " ".join(value) if name not in wrong and isinstance(value, list) else value
    return {**sent, **reading.undocumented}


def _fix(schema: Mapping[str, Any], value: Any, given: Any) -> str | None:
    """What is wrong with a value that was ``given`` so, or what to write, if that is known."""
    note = value.note if isinstance(value, Unfit) else None
    if isinstance(value, str):
        note = hint(value, schema.get("format"))
    return amount_hint(given, schema) or note


def _short(text: str, longest: int = _LONGEST_NAME) -> str:
    printable = text[:longest].encode(errors="backslashreplace").decode()
    return printable if len(text) <= longest else f"{printable}…"


def _shown(value: Any) -> Any:
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


# The catalogue


def check_catalogue_rules(
    settings: Mapping[str, Any], options: Sequence[Option], *, documented: Collection[str]
) -> tuple[list[Violation], dict[str, Any]]:
    """Return the first rule of the catalogue that each setting breaks, and the settings to send.

    ``documented`` names the settings whose type the document tells: their values stay as they are, but for texts, which
    are sent as they are listed. Others are made what the rule of the catalogue says (``"4"`` an integer, ``"yes"`` a
    boolean, a value that stands for a choice that choice). The values of secrets are masked. ``null`` counts as not
    given. What no rule holds is still one text: see ``_broken_text_rule``.
    """
    violations: list[Violation] = []
    typed = dict(settings)
    for option in options:
        value = typed.get(option.name)
        # What is required, and how a contact is written, the rules of the specification tell.
        if value is None or option.name in CONTACT_SETTINGS:
            continue
        value = typed[option.name] = _as_listed(option, value)
        if option.name not in documented:
            value = typed[option.name] = _typed(option, value)
        is_hidden = option.secret or option.name in SECRET_SETTINGS
        if broken := _broken_listed_rule(option, value, is_hidden=is_hidden):
            shown = MASK if is_hidden else value
            violations.append(Violation(f"settings.{option.name}", shown, broken[0], "catalogue", broken[1]))
    listed = {option.name for option in options if option.choices}
    secrets = {option.name for option in options if option.secret}
    for name, value in typed.items():
        is_open = name in TEMPLATE_SETTINGS or name not in documented
        if name not in listed and is_open and isinstance(value, str) and (rule := _broken_text_rule(name, value)):
            shown = MASK if name in secrets or is_secret_name(name) else _shown(value)
            violations.append(Violation(f"settings.{name}", shown, rule, "specification"))
    return violations, typed


def _broken_text_rule(name: str, value: str) -> str | None:
    """The rule that a text breaks of which the specification and the catalogue say nothing more.

    Several lines, such as those of a key or a script, may end in a newline.
    """
    is_one_line = len(value.splitlines()) < 2
    if is_one_line and value != value.strip():
        return f"a string without whitespace at its ends; {hint(value, None)}"
    odd = odd_character(value) if name in TEMPLATE_SETTINGS else None
    if control := re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", value):
        odd = character_name(control[0])
    return f"a string without such characters; it contains {odd}: type it again" if odd else None


def _as_listed(option: Option, value: Any) -> Any:
    """A text as the catalogue lists it, if it is the same but for its Unicode form, blanks or HTML entities."""
    if not isinstance(value, str) or any(value in choice.accepted for choice in option.choices):
        return value
    matching, folded = _same_folded(option, value), folded_text(value)
    is_part = not matching and any(_means(choice, folded) for choice in option.choices)
    return matching[0] if len(matching) == 1 else folded if is_part else value


def _same_folded(option: Option, value: str) -> list[str]:
    """The texts that the catalogue lists, and that are the same as a value once both are folded."""
    wanted = folded_text(value)
    texts = (face for choice in option.choices for face in choice.accepted if isinstance(face, str))
    return [face for face in dict.fromkeys(texts) if folded_text(face) == wanted]


def _typed(option: Option, value: Any) -> Any:
    """A value made what the rule says, where nothing is lost by it."""
    choice = next((choice for choice in option.choices if _same(choice.value, value)), None)
    if choice is not None:
        # A mapping's keys are text in JSON whatever they are in the service: they tell no type.
        return choice.value if isinstance(value, (str, bool)) and not choice.synonyms else value
    kind = option.schema.get("type")
    if not isinstance(value, str) or kind not in ("integer", "number", "boolean"):
        return value
    made = scalar("integer" if kind == "number" else kind, value.strip())
    return value if isinstance(made, Unfit) else made


def _broken_listed_rule(option: Option, value: Any, *, is_hidden: bool) -> tuple[str, str] | None:
    """The rule that a value breaks, in words, and what to write, empty if that is not known."""
    if option.choices:
        values = value if isinstance(value, (list, tuple)) else [value]
        # Most are a choice as it is listed, which is found faster so.
        listed = {choice.value for choice in option.choices if isinstance(choice.value, str)}
        others = [each for each in values if not (isinstance(each, str) and each in listed)]
        wrong = [each for each in others if not any(_means(choice, each) for choice in option.choices)]
        return _not_a_choice(option, wrong[0], is_hidden=is_hidden) if wrong else None
    error = next(validator(option.schema).iter_errors(list(value) if isinstance(value, tuple) else value), None)
    return None if error is None else (_RULES[error.validator].format(error.validator_value), "")


def _same(choice: Any, given: Any) -> bool:
    """Return whether a value stands for a choice: numbers also as text, booleans also as the usual words and 1 or 0."""
    if isinstance(choice, bool) or isinstance(given, bool):
        return truth(choice) is not None and truth(choice) == truth(given)
    if isinstance(given, (list, tuple, Mapping)):
        return False
    numbers = (int, float)
    return choice == given if isinstance(choice, numbers) and isinstance(given, numbers) else str(choice) == str(given)


def _means(choice: Choice, given: Any) -> bool:
    """Return whether a value stands for a choice. A part of a text may be the value, and another one the label."""
    if any(_same(value, given) for value in choice.accepted):
        return True
    if choice.synonyms or not isinstance(choice.value, str) or not isinstance(given, str) or given.strip() in ("", "-"):
        return False
    # Most values do not hold the text at all, which is found faster without a pattern.
    return given in choice.value and bool(re.search(rf"{_BEFORE_PART}{re.escape(given)}{_AFTER_PART}", choice.value))


def _not_a_choice(option: Option, wrong: Any, *, is_hidden: bool) -> tuple[str, str]:
    if is_hidden:
        return "one of the values that the service lists", ""
    if isinstance(wrong, str) and (matching := _same_folded(option, wrong)):
        return f"exactly one of the values that look alike, {' and '.join(map(ascii, matching))}", ""
    what = (
        "the name of an OS template that the catalogue lists"
        if option.name in TEMPLATE_SETTINGS
        else "one of the values"
    )
    values = [clean(str(choice.value), 100) for choice in option.choices]
    if len(values) <= _MOST_CHOICES_SHOWN:
        listed = f": {', '.join(values)}"
    else:
        listed = f" ({len(values)} in all, such as {', '.join(values[:5])})"
    near = nearest(str(wrong), values)
    meant = f"did you mean {' or '.join(near)}?" if near else ""
    return f"{what}{listed}", f"{meant}{difference(str(wrong), ''.join(near or values))}".removeprefix("; ")
