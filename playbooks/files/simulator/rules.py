# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules on an order (sections 2.4, 4.3, 7 and 8 of the interface's description), in code of their own.

A service enforces the options that it publishes, and what no list of options can say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any

from . import data
from .options import Option, options_of


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that an order breaks: the path to the value, and what is wrong with it."""

    path: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Context:
    """What the rules need to know about the caller, the contract's organization and the product."""

    product: data.Product
    organization: str
    org_max_ram: int
    l2vpns: Mapping[str, data.L2vpn]
    owner_contacts: Set[str]
    admin_contacts: Set[str]


LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
#: At most 253 characters, of which the last label of a domain name is no number.
HOSTNAME = rf"(?=.{{1,253}}\Z){LABEL}(?:\.{LABEL})*"
DOMAIN = rf"(?=.{{1,253}}\Z)(?:{LABEL}\.)+(?![0-9]+\Z){LABEL}"
UUID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"


def matches(pattern: str, value: object) -> bool:
    """Tell whether *value* is a string, all of which *pattern* describes."""
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def are_nameservers(value: str) -> bool:
    """Tell whether *value* is host names with one space between them."""
    return all(matches(DOMAIN, name) for name in value.split(" "))


#: By the format of an option: what a string has to be, and what it is called.
FORMATS: dict[str, tuple[Callable[[str], bool], str]] = {
    "hostname": (lambda value: matches(HOSTNAME, value), "a valid hostname"),
    "domain": (lambda value: matches(DOMAIN, value), "a valid domain name"),
    "uuid": (lambda value: matches(UUID, value), "a valid UUID"),
    "nameservers": (are_nameservers, "a list of host names with one space between them"),
    "country": (lambda value: matches("[A-Za-z]{2}", value), "a two-letter country code"),
    "telephone": (
        lambda value: matches(r"\+[0-9]{1,3}\.[0-9]{1,14}", value),
        "a plus sign, the country code, a dot and the number",
    ),
    "email": (lambda value: matches(rf"[^@\s]+@{DOMAIN}", value), "an e-mail address"),
}


def integer_problem(option: Option, value: object) -> str | None:
    """Why *value* is no integer from the option's least to its most, in its steps. 4.0 is none, nor is a boolean."""
    if not isinstance(value, int) or isinstance(value, bool):
        return "This value should be an integer."
    if option.minimum is not None and value < option.minimum:
        return f"This value should be at least {option.minimum}."
    if option.maximum is not None and value > option.maximum:
        return f"This value should be at most {option.maximum}."
    if value % (option.step or 1):
        return f"This value should be a multiple of {option.step}."
    return None


def problem(option: Option, value: Any) -> str | None:
    """Why *value* cannot be that of an option, as far as the option itself tells."""
    if value is None and option.nullable:
        return None
    if option.type == "integer":
        return integer_problem(option, value)
    if option.type == "boolean":
        return None if isinstance(value, bool) else "This value should be a boolean."
    if not isinstance(value, str):
        return "This value should be a string."
    if not value:
        return None if option.may_be_empty else "This value should not be empty."
    if option.choices is not None and value not in option.choices:
        return "The value you selected is not a valid choice."
    if option.length and not option.length[0] <= len(value) <= option.length[1]:
        return f"This value should have {option.length[0]} to {option.length[1]} characters."
    if option.pattern and not matches(option.pattern, value):
        return "This value is not valid."
    test, wish = FORMATS.get(option.format or "", (None, ""))
    return None if test is None or test(value) else f"This value is not {wish}."


def l2vpn_problem(value: str, context: Context) -> str | None:
    """Section 4.3.3, rule 2: access to the L2VPN, and the same location as the server."""
    l2vpn = context.l2vpns.get(value.lower())
    if l2vpn is None or l2vpn.organization != context.organization:
        return "The end-user has no access to this L2VPN."
    if l2vpn.location != context.product.location:
        return f"This L2VPN is at {l2vpn.location}, the server is at {context.product.location}."
    return None


#: The fields of a contact. A natural person has no company, and section 2.4 lets fax be empty.
CONTACT = {
    **{
        name: Option(name, name, pattern=r"(?s).*\S.*")
        for name in ("label", "first_name", "last_name", "street", "postal_code", "city")
    },
    **{name: Option(name, name, format=name) for name in ("country", "telephone", "email")},
    "company_name": Option("company_name", "company_name", may_be_empty=True),
    "fax": Option("fax", "fax", required=False, may_be_empty=True),
}


def contact_problems(value: str) -> list[str]:
    """What is wrong with *value*, the contact payload of the owner or of the administrative contact."""
    try:
        contact = json.loads(value, object_pairs_hook=unique_pairs)
    except ValueError as error:
        return [f"A contact should be a JSON object serialized as a string: {error}"]
    if not isinstance(contact, dict):
        return ["A contact should be a JSON object serialized as a string."]
    return [f"{name}: {told}" for name, told in problems(CONTACT, contact)]


def problems(options: Mapping[str, Option], given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """All that is unknown, missing or not as the options say, by name."""
    found = [(name, "There is no such name here.") for name in given if name not in options]
    found += [
        (name, "This value is required.") for name, option in options.items() if option.required and name not in given
    ]
    return found + [
        (name, told) for name, value in given.items() if name in options and (told := problem(options[name], value))
    ]


def settings_violations(given: Any, context: Context) -> list[Violation]:
    """All rules that the ``settings`` element *given* breaks. ``None`` stands for an element that is absent."""
    if given is None:
        given = {}
    if not isinstance(given, dict):
        return [Violation(("settings",), "This value should be an object.")]
    options = {option.name: option for option in options_of(context.product.type, context.org_max_ram)}
    found = problems(options, given)
    there = {name for name in options if name in given and not (given[name] is None and options[name].nullable)}
    for name, option in options.items():
        if option.instead_of and (name in there) == (option.instead_of in there):
            found.append((name, f"Exactly one of {name} and {option.instead_of} is needed."))
    wrong = {name for name, _told in found}
    contacts = {"ownercRef": context.owner_contacts, "admincRef": context.admin_contacts}
    for name in there - wrong:
        value = given[name]
        if name in contacts and value not in contacts[name]:
            found.append((name, "There is no such contact."))
        elif name.endswith("Data"):
            found += [(name, message) for message in contact_problems(value)]
        elif name == "existing_l2vpn" and (told := l2vpn_problem(value, context)):
            found.append((name, told))
    return [Violation(("settings", name), told) for name, told in found]


def unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of *pairs*.

    Raises:
        ValueError: a name occurs twice
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice in an object")
    return found
