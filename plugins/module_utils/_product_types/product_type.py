# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A product type as the rest of the collection knows it, and the parts of its schema (API specification 4.3).

Patterns are written in JSON Schema's dialect, where ``$`` is the very end of the text, so that any validator and any
editor can use them. Python's own ``$`` would let a last newline pass: match them with ``re.fullmatch``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .._core.addresses import DOMAIN_PATTERN, HOSTNAME_PATTERN, LONGEST_NAME, punycode
from .._core.text import UUID_PATTERN, character_name, odd_character


@dataclass(frozen=True, eq=False)
class ProductType:
    """One product type: its settings as a JSON Schema, and what no schema can say.

    ``schema`` is a JSON Schema (draft 2020-12) of the settings object, complete in itself. Its properties are in the
    order of the API specification; the ``description`` of each part is its rule in words. A property that may be an
    object or a string is sent as JSON in a string. One that may be an array or a string is sent as host names separated
    by spaces, each once: the API specification requires strings, and a playbook may give either. Whatever is true of
    exactly one of several settings is an element of ``allOf`` with a ``description`` and a ``oneOf`` whose
    alternatives say ``required``.

    ``title`` names the type in messages; ``section`` is that of the API specification. ``product_id`` is the documented
    UUID of its only product. ``identity`` is the setting that names an order by default; an order with the same value
    for the same end user is a duplicate, and if the value is ``unique`` in the world, one for anybody. ``secrets`` and
    ``contacts`` are the settings that may not be shown, and those that hold personal data. ``signatures``: if the
    options of a product hold all the names of one of these sets, and no setting that is only another type's, it is of
    this type. ``never_null`` are settings without which something else is bought, with the advice for one that is given
    as null or empty: it was meant to be a value. ``org_maximum`` is the setting with the upper bound ORG_MAX_RAM.
    ``advise`` returns warnings about settings.
    """

    name: str
    title: str
    section: str
    schema: Mapping[str, Any]
    product_id: str | None = None
    identity: str | None = None
    unique: bool = False
    secrets: frozenset[str] = frozenset()
    contacts: frozenset[str] = frozenset()
    signatures: tuple[frozenset[str], ...] = ()
    billing: Literal["yearly"] | None = None
    never_null: Mapping[str, str] = field(default_factory=dict)
    org_maximum: str | None = None
    advise: Callable[[Mapping[str, Any]], Sequence[str]] = lambda _settings: ()

    @property
    def settings(self) -> Mapping[str, Mapping[str, Any]]:
        """The documented settings: name to JSON Schema, in the order of the API specification."""
        properties: Mapping[str, Mapping[str, Any]] = self.schema["properties"]
        return properties

    def __str__(self) -> str:
        return f"{self.name} ({self.title})" if self.name != self.title else self.name


# Parts of schemas

#: A number, perhaps with a unit of memory, of which the first letter counts.
_AMOUNT = re.compile(r"\s*([0-9]{1,9})\s*([MG]?)(?:i?B?)?\s*", re.IGNORECASE)
_MOST_GB = 512
_CONTROL = r"\u0000-\u001f\u007f-\u009f"
#: One line that neither begins nor ends with whitespace.
_TRIMMED = rf"[^\s{_CONTROL}](?:[^{_CONTROL}]*[^\s{_CONTROL}])?"
_EDGES = "without whitespace at its ends and without control characters"
_LONGEST_NUMBER = 14
#: A number that tells its country code by what separates it, perhaps with the zero of calls within the country.
_TELEPHONE = re.compile(r"\(?(?:\+|00)[\s(]*(\d{1,3})[^\w+]+(?:\(?0\)[^\w+]*)?((?:\d[^\w+]*)+)", re.ASCII)

_ATOM = r'[^\s@."(),:;<>\[\\\]\u0000-\u001f\u007f]+'
_NAME_RULE = (
    "labels of 1 to 63 letters (A-Z a-z), digits and inner hyphens, joined by dots, at most 253 characters in all"
)

HOSTNAME: Mapping[str, Any] = {
    "description": f"a valid host name: {_NAME_RULE}",
    "type": "string",
    "format": "hostname",
    "maxLength": LONGEST_NAME,
    "pattern": f"^{HOSTNAME_PATTERN}$",
}
DOMAIN_NAME: Mapping[str, Any] = {
    "description": f"a valid domain name: two or more {_NAME_RULE}",
    "type": "string",
    "format": "hostname",
    "maxLength": LONGEST_NAME,
    "pattern": f"^{DOMAIN_PATTERN}$",
}
EMAIL: Mapping[str, Any] = {
    "description": "an e-mail address, for example hostmaster@example.com",
    "type": "string",
    "format": "email",
    "maxLength": 254,
    "pattern": rf"^(?=[^@]{{1,64}}@){_ATOM}(?:\.{_ATOM})*@{DOMAIN_PATTERN}$",
}
UUID: Mapping[str, Any] = {
    "description": "a UUID: 8, 4, 4, 4 and 12 hexadecimal digits, joined by hyphens",
    "type": "string",
    "format": "uuid",
    "pattern": f"^{UUID_PATTERN}$",
}
BOOLEAN: Mapping[str, Any] = {"description": "a boolean, true or false", "type": "boolean"}
OS_TEMPLATE: Mapping[str, Any] = {
    "title": "OS template",
    "description": "a string that is not blank: the name of an OS template in the catalogue",
    "type": "string",
    "pattern": r"^[\s\S]*\S[\s\S]*$",
}


def titled(title: str, fragment: Mapping[str, Any]) -> dict[str, Any]:
    """The fragment under a title, which says what the setting is."""
    return {"title": title, **fragment}


def trimmed(rule: str) -> dict[str, Any]:
    """A string that is not empty, without whitespace around it and control characters in it."""
    return {"description": f"{rule}, {_EDGES}", "type": "string", "pattern": f"^{_TRIMMED}$"}


TEXT = trimmed("a string that is not empty")


def contact_field(rule: str = "a string that is not blank", *, may_be_empty: bool = False) -> dict[str, Any]:
    """A string of at most 255 characters without control characters, and without whitespace around it."""
    return {
        "description": f"{rule}, with at most 255 characters, {_EDGES}",
        "type": "string",
        "maxLength": 255,
        "pattern": f"^(?:{_TRIMMED})?$" if may_be_empty else f"^{_TRIMMED}$",
    }


def matching(rule: str, pattern: str) -> dict[str, Any]:
    """A string that matches the pattern as a whole."""
    return {"description": rule, "type": "string", "pattern": f"^{pattern}$"}


def integer(
    minimum: int,
    maximum: int | None = None,
    *,
    step: int | None = None,
    nullable: bool = False,
    open_end: str | None = None,
    unit: str | None = None,
) -> dict[str, Any]:
    """An integer within bounds, whose rule names them. ``open_end`` names an upper bound known only later."""
    fragment: dict[str, Any] = {"type": ["integer", "null"] if nullable else "integer", "minimum": minimum}
    rule = f"{'null, or ' if nullable else ''}an integer{f' in {unit}' if unit else ''}, {minimum}"
    if maximum is not None:
        fragment["maximum"] = maximum
        rule += f" to {maximum}"
    else:
        rule += f" up to {open_end}" if open_end else " or more"
    if step is not None:
        fragment["multipleOf"] = step
        rule += f", step {step}"
    return {"description": rule, **fragment}


def settings_object(
    title: str, properties: Mapping[str, Any], required: Sequence[str] = (), groups: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The schema of a settings object; ``groups`` are its rules about several settings at once."""
    schema: dict[str, Any] = {
        "title": title,
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
    if groups:
        schema["allOf"] = list(groups)
    return schema


def hint(value: str, text_format: str | None) -> str | None:
    """Return what to do about a text that breaks its rule, or ``None`` when there is nothing to add."""
    if value.strip() not in ("", value):
        return "it begins or ends with whitespace or a newline: remove it, in a template with the trim filter"
    if odd := odd_character(value):
        return f"it contains {odd}: type it again"
    if text_format == "telephone":
        return _telephone_hint(value)
    if text_format not in ("hostname", "email"):
        return None
    name = value.rpartition("@")[2] if text_format == "email" else value
    if scheme := re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/+", name):
        return f"remove {scheme[0]}"
    if name.endswith("."):
        return "write it without the dot at its end"
    if ipv4 := re.fullmatch(r"[0-9]+(?:\.[0-9]+){3}", name):
        return f"{ipv4[0]} is an IP address"
    foreign = next((each for each in name if not each.isascii() and unicodedata.category(each)[0] not in "LMN"), None)
    if foreign:
        return f"{character_name(foreign)} is not allowed in it"
    if not name.isascii():
        ascii_name = punycode(name)
        return f"write it in its punycode form, {ascii_name}" if ascii_name else "write it in its punycode form"
    wrong = re.search(r"[^A-Za-z0-9.-]", name)
    return f"{'a blank' if wrong[0] == ' ' else repr(wrong[0])} is not allowed in it" if wrong else None


def _telephone_hint(value: str) -> str | None:
    """The number in the form of the specification, where its country code is told apart."""
    found = _TELEPHONE.fullmatch(value.strip())
    number = re.sub(r"\D", "", found[2], flags=re.ASCII) if found else ""
    if number.startswith("0"):
        return "put a dot behind the country code, and leave out a 0 that is dialed within the country alone"
    if found and len(number) <= _LONGEST_NUMBER:
        return f"write it as +{found[1]}.{number}, if {found[1]} is the country code"
    return "put a dot behind the country code" if re.match(r"\+|00", value) else "begin with + and the country code"


def amount_hint(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Return the number that was meant by an amount in GB, or with its unit, such as ``8 GB``."""
    unit = re.search(r"\bin ([MG])B\b", str(schema.get("description")))
    # Python does not write a number of thousands of digits.
    text = str(value) if isinstance(value, int) and value.bit_length() < 64 else value
    given = _AMOUNT.fullmatch(text) if isinstance(text, str) else None
    if unit is None or given is None:
        return None
    number, prefix = int(given[1]), given[2].upper()
    # Nobody has so many GB of RAM, and nobody wants so few MB of it.
    if unit[1] == "M" and (prefix == "G" or (not prefix and 0 < number <= _MOST_GB)):
        return f"{schema['title']} is in MB: {number} GB is {number * 1024}"
    return f"write {number}" if prefix == unit[1] else None
