# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A product type as the rest of the collection knows it, and the parts of its schema (API specification 4.3).

Patterns are written in JSON Schema's dialect, where ``$`` is the very end of the text, so that any validator and any
editor can use them. Python's own ``$`` would let a last newline pass: match them with ``re.fullmatch``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .._core.addresses import DOMAIN_PATTERN, HOSTNAME_PATTERN, LONGEST_NAME
from .._core.text import UUID_PATTERN


@dataclass(frozen=True, eq=False)
class ProductType:
    """One product type: its settings as a JSON Schema, and what no schema can say.

    A property that may be an object or a string is sent as JSON in a string. One that may be an array or a string is
    sent as host names separated by spaces, each once: the API specification requires strings, and a playbook may give
    either. Whatever is true of exactly one of several settings is an element of ``allOf`` with a ``description`` and a
    ``oneOf`` whose alternatives say ``required``.
    """

    name: str
    #: Its name in messages.
    title: str
    #: That of the API specification.
    section: str
    #: JSON Schema (draft 2020-12) of the settings object, complete in itself. Its properties are in the order of the
    #: API specification; the ``description`` of each part is its rule in words.
    schema: Mapping[str, Any]
    #: The documented UUID of its only product.
    product_id: str | None = None
    #: The setting that names an order by default: an order with the same value for the same end user is a duplicate.
    identity: str | None = None
    #: Whether there is one such value in the world: then it is a duplicate for anybody.
    unique: bool = False
    #: Settings that may not be shown.
    secrets: frozenset[str] = frozenset()
    #: Settings that hold personal data.
    contacts: frozenset[str] = frozenset()
    #: A product is of this type if its options hold all names of one of these, and none that is only another type's.
    signatures: tuple[frozenset[str], ...] = ()
    billing: Literal["yearly"] | None = None
    #: Settings without which something else is bought, with the advice for one that is given as null or empty.
    never_null: Mapping[str, str] = field(default_factory=dict)
    #: The setting with the upper bound ORG_MAX_RAM.
    org_maximum: str | None = None
    #: Returns warnings about settings.
    advise: Callable[[Mapping[str, Any]], Sequence[str]] = lambda _settings: ()

    @property
    def settings(self) -> Mapping[str, Mapping[str, Any]]:
        """The documented settings: name to JSON Schema, in the order of the API specification."""
        properties: Mapping[str, Mapping[str, Any]] = self.schema["properties"]
        return properties

    def __str__(self) -> str:
        return f"{self.name} ({self.title})" if self.name != self.title else self.name


# Parts of schemas

_CONTROL = r"\u0000-\u001f\u007f-\u009f"
#: One line that neither begins nor ends with whitespace.
_TRIMMED = rf"[^\s{_CONTROL}](?:[^{_CONTROL}]*[^\s{_CONTROL}])?"
_EDGES = "without whitespace at its ends and without control characters"
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
