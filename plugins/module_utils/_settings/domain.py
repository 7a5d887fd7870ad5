# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Domain, "domain-default" (document sections 1, 2.2, 2.4 and 4.3.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._settings.contact import CONTACT
from ansible_collections.hosting.reseller.plugins.module_utils._settings.fragments import (
    DOMAIN_NAME,
    HOSTNAME,
    settings_object,
    titled,
    trimmed,
)
from ansible_collections.hosting.reseller.plugins.module_utils._settings.product_type import ProductType


def _reference(contact: str) -> dict[str, Any]:
    return titled(f"Existing {contact} contact", trimmed(f"a string: the ID of an existing {contact} contact"))


def _one_of(reference: str, data: str, contact: str) -> dict[str, Any]:
    return {
        "description": f"exactly one of {reference} (the ID of an existing {contact} contact) and {data} "
        "(the contact's data) is given",
        "oneOf": [{"required": [reference]}, {"required": [data]}],
    }


def _advise(settings: Mapping[str, Any]) -> Sequence[str]:
    if "authcode" in settings and settings.get("action") == "register":
        return ("settings.authcode is of use only with action: transfer; it is sent as written.",)
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
                trimmed("a string that is not empty; leave it out if there is none"),
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
    secrets=frozenset({"authcode"}),
    contacts=frozenset({"ownercData", "admincData"}),
    signatures=(frozenset({"domain", "action"}),),
    billing="yearly",
    advise=_advise,
)

__all__ = ["DOMAIN"]
