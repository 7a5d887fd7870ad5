# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the order elements for the end user and the product (API specification 4.1 names neither).

The first of these that any element has decides: a literal value of the API specification (``__self__``, the UUID of a
documented product) as an example or allowed value; such a value in a description, or the specification's own word (end
user, product) as the name; a synonym as the name, which counts only if no other element may be an id, too. Beside one
clear role, the only other required element that says that it is a UUID has the other role. A free text never has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .._core.text import fold, is_uuid, words
from .._product_types.registry import DOCUMENTED_PRODUCTS, SELF
from .._secrets.names import words_of
from .schemas import Element

UUID_LENGTH = 36
#: Formats that neither a UUID nor ``__self__`` has.
OTHER_FORMATS = words(
    "date date-time time duration email idn-email hostname idn-hostname ipv4 ipv6 binary byte password regex "
    "json-pointer int32 int64 float double"
)
IRI_FORMATS = words("iri iri-reference uri uri-reference uri-template url")
#: What may stand before and after the noun in a name.
_BEFORE_USER = "id|for|to|the|my|target|onbehalfof|contract|organi[sz]ation"
_BEFORE_PRODUCT = "id|the|my|target|contract|ordered|order|new|selected|reseller"
_AFTER = "uuid|guid|id|iri|uri|ref|identifier"
#: Words for a UUID that a client makes for its request.
_OF_REQUEST = words("request idempotency correlation trace transaction key nonce")


@dataclass(frozen=True)
class Role:
    """What an element may be for.

    ``literals`` are values of the API specification, ``own`` names with its word for the role, ``similar`` with others.
    """

    option: str
    literals: tuple[str, ...]
    own: re.Pattern[str]
    similar: re.Pattern[str]

    def in_text(self, text: object) -> bool:
        """Whether a text holds a value of the API specification."""
        return isinstance(text, str) and any(literal in text.lower() for literal in self.literals)

    def is_own(self, element: Element) -> bool:
        """Whether the name is the specification's word: a product note is no product."""
        return self.own.fullmatch(fold(element.name)) is not None

    def is_plain(self, element: Element) -> bool:
        return self.is_own(element) or self.similar.fullmatch(fold(element.name)) is not None

    def is_shown(self, element: Element) -> bool:
        """Whether a value, or the pattern of the values, is one of the API specification."""
        return any(map(self.in_text, (*element.values, element.described.text("pattern"))))


def _names(before: str, nouns: str) -> re.Pattern[str]:
    return re.compile(f"(?:{before})*(?:{nouns})(?:{_AFTER})?")


END_USER = Role(
    "end_user_element",
    (SELF,),
    _names(f"{_BEFORE_USER}|reseller", "end(?:user|customer|client|kunde|nutzer)(?:target)?"),
    _names(
        _BEFORE_USER,
        "user|customer|client|owner|account|organi[sz]ation|org|target|recipient|beneficiary|tenant|holder|subscriber|"
        "member|buyer|kunde|nutzer|mandant|for|onbehalfof",
    ),
)
PRODUCT = Role(
    "product_element",
    (*DOCUMENTED_PRODUCTS, "vps-konfigurator", "domain-default"),
    _names(_BEFORE_PRODUCT, "produ[ck]t"),
    _names(_BEFORE_PRODUCT, "item|offer|article|artikel|plan|sku|package|paket|tariff?|angebot|service"),
)


def fitting(role: Role, elements: Sequence[Element]) -> list[Element]:
    """The elements that may carry a role: none, the one that is clear, or several that are alike.

    Elements whose type, format or allowed values rule out the API specification's values are left out. It has no IRI
    there, so an element of that format counts if no other one does.
    """
    able = [element for element in elements if _can_carry(element)]
    shown = [element for element in able if role.is_shown(element)]
    if shown:
        return _narrowed(role, shown)
    for candidates in ([each for each in able if each.described.text("format") not in IRI_FORMATS], able):
        mentioned = _mentioned(role, candidates)
        likely = [each for each in candidates if role.is_own(each) or each.name in mentioned]
        if likely:
            return _narrowed(role, likely)
        similar = [each for each in candidates if role.is_plain(each)]
        if similar:
            return similar + _others(role, candidates, similar)
    return []


def likely_names(elements: Sequence[Element], given: Mapping[Role, str | None]) -> dict[Role, list[str]]:
    """The names of the elements that may carry each role: the given one, otherwise see fitting().

    What one clear role leaves may tell the other.
    """
    free = [each for each in elements if each.name not in given.values()]
    found = {role: [name] if name else [each.name for each in fitting(role, free)] for role, name in given.items()}
    uuids = [each for each in free if each.required and _can_carry(each) and _is_uuid(each)]
    for role, other in ((END_USER, PRODUCT), (PRODUCT, END_USER)):
        left = [each.name for each in uuids if each.name not in found[role] and not _is_of_request(each)]
        rivals = [each.name for each in free if each.required and each.name in found[other] and each.name not in left]
        if len(found[role]) == 1 and len(found[other]) != 1 and len(left) == 1 and not rivals:
            found[other] = left
    return found


def _is_of_request(element: Element) -> bool:
    """Whether the name is that of a UUID that a client makes for each request."""
    return not _OF_REQUEST.isdisjoint(words_of(element.name))


def _narrowed(role: Role, found: list[Element]) -> list[Element]:
    """The only one with a plain name, else the only product with the documented format, else the required one."""
    tests: list[Callable[[Element], bool]] = [role.is_plain, lambda element: element.required]
    if role is PRODUCT:
        tests.insert(1, _is_uuid)
    return next((left for test in tests if len(left := [*filter(test, found)]) == 1), found)


def _others(role: Role, able: Sequence[Element], found: list[Element]) -> list[Element]:
    """The elements that could carry a role as well as those that have a synonym for it: what may be an id.

    The API specification requires both roles' elements: beside a required one, an optional one carries neither, and
    beside an optional one, any required one may.
    """
    others = [each for each in able if each not in found and not _is_for_the_other(role, each)]
    if all(one.required for one in found):
        return [each for each in others if each.required and _may_be_id(each)]
    return [each for each in others if each.required or _may_be_id(each)]


def _may_be_id(element: Element) -> bool:
    """Whether an element says that it is a UUID, or its name says that it is the id of something."""
    return _is_uuid(element) or any(re.fullmatch(_AFTER, word) for word in words_of(element.name)[-1:])


def _is_for_the_other(role: Role, element: Element) -> bool:
    other = PRODUCT if role is END_USER else END_USER
    return other.is_plain(element) or any(map(other.in_text, element.texts))


def _mentioned(role: Role, candidates: Sequence[Element]) -> list[str]:
    """The elements that a value is mentioned of: not of another one, as in "not needed when end_user is __self__"."""
    plain = [each.name for each in candidates if role.is_own(each)]
    return [
        each.name
        for each in candidates
        if any(role.in_text(text) for text in each.texts)
        and not any(name in text for name in plain if name != each.name for text in each.texts)
    ]


def _can_carry(element: Element) -> bool:
    found, longest = element.described, element.described.first("maxLength")
    usable = any(value == SELF or is_uuid(value) for value in found.enum)
    return (
        (not found.types or "string" in found.types)
        and found.text("format") not in OTHER_FORMATS
        and (not found.closed or usable)
        and (not isinstance(longest, int) or longest >= UUID_LENGTH)
    )


def _is_uuid(element: Element) -> bool:
    return element.described.text("format") == "uuid" or any(map(is_uuid, element.values))
