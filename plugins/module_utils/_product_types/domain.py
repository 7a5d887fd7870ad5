# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Domain, "domain-default" (API specification 1, 2.2, 2.4 and 4.3.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .product_type import (
    DOMAIN_NAME,
    EMAIL,
    HOSTNAME,
    ProductType,
    contact_field,
    matching,
    settings_object,
    titled,
    trimmed,
)

_ANY_TEXT: Mapping[str, Any] = contact_field("a string, which may be empty", may_be_empty=True)

_FIELDS: Mapping[str, Any] = {
    "label": contact_field(
        "a string that is not blank, and should be unique, for example your own system's contact ID"
    ),
    "first_name": contact_field(),
    "last_name": contact_field(),
    # A natural person has none.
    "company_name": _ANY_TEXT,
    "street": contact_field(),
    "postal_code": contact_field(),
    "city": contact_field(),
    "country": matching("a country code of two letters, such as DE", "[A-Za-z]{2}"),
    "telephone": {
        **matching(
            "a telephone number in international format: a plus sign, a country code of 1 to 3 digits, a dot, "
            "a number of 1 to 14 digits; for example +49.301234567",
            r"\+[0-9]{1,3}\.[0-9]{1,14}",
        ),
        "format": "telephone",
    },
    "email": EMAIL,
    "fax": _ANY_TEXT,
}

#: Also allows a string, which is how the API specification wants the payload: the same object as JSON.
CONTACT: Mapping[str, Any] = {
    "description": "the contact's data, as a mapping or as a string that holds it as a JSON object",
    "type": ["object", "string"],
    "contentMediaType": "application/json",
    # What is missing is reported before what is wrong.
    "required": [name for name in _FIELDS if name != "fax"],
    "properties": _FIELDS,
    "additionalProperties": False,
}


def _reference(contact: str) -> dict[str, Any]:
    return titled(f"Existing {contact} contact", trimmed(f"a string: the ID of an existing {contact} contact"))


def _one_of(reference: str, data: str, contact: str) -> dict[str, Any]:
    return {
        "description": f"give either {reference} (the ID of an existing {contact} contact) or {data} "
        "(the contact's data)",
        "oneOf": [{"required": [reference]}, {"required": [data]}],
    }


def _advise(settings: Mapping[str, Any]) -> Sequence[str]:
    if "authcode" in settings and settings.get("action") == "register":
        return ("settings.authcode is of use only with action: transfer; it is sent as written.",)
    if not settings.get("authcode") and settings.get("action") == "transfer":
        return ("settings.authcode is missing: the registry may refuse the transfer without it.",)
    return ()


DOMAIN = ProductType(
    name="domain",
    title="domain",
    section="4.3.5",
    schema=settings_object(
        "Settings of a domain",
        {
            "domain": titled("Domain name", DOMAIN_NAME),
            "action": {
                "title": "What to do with the domain",
                "description": "register or transfer",
                "type": "string",
                "enum": ["register", "transfer"],
            },
            "authcode": titled(
                "Code to transfer an existing domain",
                trimmed("leave it out if there is none; else a string that is not empty"),
            ),
            "nameservers": {
                "title": "Nameservers",
                "description": "one or more host names, as a list or separated by spaces; "
                "leave it out to use the service's own nameservers",
                "type": ["array", "string"],
                "items": {
                    **HOSTNAME,
                    "description": f"nameservers, separated by spaces, each of them {HOSTNAME['description']}",
                },
                "minItems": 1,
                "minLength": 1,
            },
            "ownercRef": _reference("OwnerC"),
            "ownercData": titled("Data of the OwnerC contact", CONTACT),
            "admincRef": _reference("AdminC"),
            "admincData": titled("Data of the AdminC contact", CONTACT),
        },
        required=["domain", "action"],
        groups=[_one_of("ownercRef", "ownercData", "OwnerC"), _one_of("admincRef", "admincData", "AdminC")],
    ),
    product_id="0d6d810e-dec2-4a06-8fe5-7d7698d97ae6",
    identity="domain",
    unique=True,
    secrets=frozenset({"authcode"}),
    contacts=frozenset({"ownercData", "admincData"}),
    signatures=(frozenset({"domain", "action"}),),
    billing="yearly",
    advise=_advise,
)
