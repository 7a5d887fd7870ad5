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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .._core.text import fold, is_uuid, words
from .._product_types.registry import DOCUMENTED_PRODUCTS, SELF
from .._secrets.recognition import words_of
from .schemas import Element

UUID_LENGTH = 36
#: Formats that neither a UUID nor ``__self__`` has.
OTHER_FORMATS = words(
    "date date-time time duration email idn-email hostname idn-hostname ipv4 ipv6 binary byte password regex "
    "json-pointer int32 int64 float double"
)
#: What may stand before and after the noun in a name.
_BEFORE_USER = "id|for|to|the|my|target|onbehalfof|contract|organi[sz]ation"
_BEFORE_PRODUCT = "id|the|my|target|contract|ordered|order|new|selected|reseller"
_AFTER = "uuid|guid|id|iri|uri|ref|identifier"
#: Words for a UUID that a client makes for its request.
_OF_REQUEST = words("request idempotency correlation trace transaction key nonce")


@dataclass(frozen=True)
class Role:
    """A role that an element may have.

    ``literals`` are values of the API specification, ``own`` names with its word for the role, ``similar`` with others.
    """

    option: str
    literals: tuple[str, ...]
    own: re.Pattern[str]
    similar: re.Pattern[str]

    def in_text(self, text: object) -> bool:
        """Return whether a text holds a value of the API specification."""
        return isinstance(text, str) and any(literal in text.lower() for literal in self.literals)

    def is_own(self, element: Element) -> bool:
        """Return whether the name is the specification's word: a product note is no product."""
        return self.own.fullmatch(fold(element.name)) is not None

    def is_plain(self, element: Element) -> bool:
        return self.is_own(element) or self.similar.fullmatch(fold(element.name)) is not None

    def is_shown(self, element: Element) -> bool:
        """Return whether a value, or the pattern of the values, is one of the API specification."""
        return any(map(self.in_text, (*element.values, element.described.text("pattern"))))

    def is_mentioned(self, element: Element, elements: Sequence[Element]) -> bool:
        """Return whether a description holds a value, but not of another element: "only if end_user is __self__"."""
        others = [each.name for each in elements if self.is_own(each) and each is not element]
        texts = [text for text in element.texts if not any(name in text for name in others)]
        return any(map(self.in_text, texts))


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
    """The elements that may carry a role: none, the one that is clear, or several that are equally likely.

    Elements whose type, format or allowed values rule out the API specification's values are left out.
    """
    able = [element for element in elements if _can_carry(element)]
    found = [each for each in able if role.is_shown(each)]
    found = found or [each for each in able if role.is_own(each) or role.is_mentioned(each, able)]
    if not found:
        similar = [each for each in able if role.is_plain(each)]
        return similar + (_rivals(role, able, similar) if similar else [])
    # The only one with a plain name, else the only UUID, else the required one.
    for test in (role.is_plain, _is_uuid, lambda each: each.required):
        if len(left := [*filter(test, found)]) == 1:
            return left
    return found


def likely_names(elements: Sequence[Element], given: Mapping[Role, str | None]) -> dict[Role, list[str]]:
    """The names of the elements that may carry each role: the given one, otherwise see fitting().

    What one clear role leaves may tell the other.
    """
    free = [each for each in elements if each.name not in given.values()]
    found = {role: [name] if name else [each.name for each in fitting(role, free)] for role, name in given.items()}
    required = [each.name for each in free if each.required]
    uuids = [
        each.name
        for each in free
        if each.required and _can_carry(each) and _is_uuid(each) and _OF_REQUEST.isdisjoint(words_of(each.name))
    ]
    for role, other in ((END_USER, PRODUCT), (PRODUCT, END_USER)):
        left = [name for name in uuids if name not in found[role]]
        likely = [name for name in found[other] if name in required]
        is_open = len(found[role]) == 1 and len(found[other]) != 1
        if is_open and len(left) == 1 and (likely == left or not found[other]):
            found[other] = left
    return found


def _rivals(role: Role, able: Sequence[Element], similar: Sequence[Element]) -> list[Element]:
    """The elements that say that they are ids, beside those that have a synonym for a role.

    The API specification requires both roles' elements: beside a required one, an optional one carries neither.
    """
    other = PRODUCT if role is END_USER else END_USER
    return [
        each
        for each in able
        if each not in similar
        and (each.required or not all(one.required for one in similar))
        and (_is_uuid(each) or any(re.fullmatch(_AFTER, word) for word in words_of(each.name)[-1:]))
        and not (other.is_plain(each) or any(map(other.in_text, each.texts)))
    ]


def _can_carry(element: Element) -> bool:
    described, longest = element.described, element.described.every("maxLength")
    form, allowed = described.text("format"), described.allowed
    return (
        (not described.types or "string" in described.types)
        and form not in OTHER_FORMATS
        and (not allowed or form == "uuid" or any(value == SELF or is_uuid(value) for value in allowed))
        and not any(isinstance(length, int) and length < UUID_LENGTH for length in longest)
    )


def _is_uuid(element: Element) -> bool:
    return element.described.text("format") == "uuid" or any(map(is_uuid, element.values))
