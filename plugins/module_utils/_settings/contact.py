# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The contact payload of ownercData and admincData (document section 2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._settings.fragments import EMAIL, matching, words

_ANY_TEXT: Mapping[str, Any] = {"description": "a string, which may be empty", "type": "string"}

#: Also allows a string, which is how the document wants the payload to be sent: the same object as JSON.
CONTACT: Mapping[str, Any] = {
    "description": "the contact's data, as a mapping or as a string that holds it as a JSON object",
    "type": ["object", "string"],
    "contentMediaType": "application/json",
    "properties": {
        "label": words("a string that is not blank, and should be unique: for example your own system's contact ID"),
        "first_name": words(),
        "last_name": words(),
        # A natural person has none.
        "company_name": _ANY_TEXT,
        "street": words(),
        "postal_code": words(),
        "city": words(),
        "country": matching("a two-letter country code (A-Z a-z), for example DE", "[A-Za-z]{2}"),
        "telephone": matching(
            "a telephone number in international format: a plus sign, a country code of 1 to 3 digits, a dot, "
            "a number of 1 to 14 digits; for example +49.301234567",
            r"\+[0-9]{1,3}\.[0-9]{1,14}",
        ),
        "email": EMAIL,
        "fax": _ANY_TEXT,
    },
    "required": [
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
    ],
    "additionalProperties": False,
}

__all__ = ["CONTACT"]
