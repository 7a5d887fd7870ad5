# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules on a domain contact given as data (sections 2.4 and 4.3.5)."""

from __future__ import annotations

import json
from typing import Any

from .names import is_country, is_email, is_telephone

REQUIRED = (
    "label",
    "first_name",
    "last_name",
    "company_name",
    "street",
    "postal_code",
    "city",
    "country",
    "telephone",
    "email",
)
# A natural person has no company, and section 2.4 lets fax be empty.
MAY_BE_EMPTY = frozenset({"company_name", "fax"})
FORMATS = (
    ("country", is_country, "should be a two-letter country code"),
    ("telephone", is_telephone, "should be a plus sign, the country code, a dot and the number"),
    ("email", is_email, "is not an e-mail address"),
)


def contact_problems(value: Any) -> list[str]:
    """What is wrong with *value*, the contact payload of the owner or of the administrative contact."""
    if not isinstance(value, str):
        return ["A contact should be a JSON object serialized as a string."]
    try:
        contact = json.loads(value, object_pairs_hook=unique_pairs)
    except ValueError as error:
        return [f"A contact should be a JSON object serialized as a string: {error}"]
    if not isinstance(contact, dict):
        return ["A contact should be a JSON object serialized as a string."]
    problems = [f"{name}: this field is required." for name in REQUIRED if name not in contact]
    problems += [f"{name}: there is no such field." for name in contact if name not in REQUIRED and name != "fax"]
    texts: dict[str, str] = {}
    for name, text in contact.items():
        if not isinstance(text, str):
            problems.append(f"{name}: this field should be a string.")
        elif not text.strip() and name not in MAY_BE_EMPTY:
            problems.append(f"{name}: this field should not be empty.")
        else:
            texts[name] = text
    return problems + [
        f"{name}: this field {wish}." for name, test, wish in FORMATS if name in texts and not test(texts[name])
    ]


def unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of *pairs*.

    Raises:
        ValueError: a name occurs twice
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice in an object")
    return found
