# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The request body of an order and the answer to it, which API specification 4.1 and 4.2 leave open.

They are given by the file of the service, or read from an OpenAPI document. Of the body's elements, the first of these
that any has decides which carries the end user, and which the product: a literal value of the API specification
(``__self__``, the UUID of a documented product) as an example or allowed value; such a value in a description, or the
specification's own word (end user, product) as the name; a synonym as the name, which counts only if no other element
may be an id, too. What merely remains is never taken: it is for the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .._core.errors import JSON_API, NOT_IN_JSON_API, Advice, PublishedReferenceError
from .._core.text import clean, fold, is_uuid, words
from .._product_types.registry import DOCUMENTED_PRODUCTS, SELF
from .._secrets.recognition import words_of
from .names import END_USERS, ORDERED, ORDERED_FOR, OWN_END_USERS, OWN_PRODUCTS, PRODUCTS
from .published_operation import JSON, json_rank
from .reference import ORDER_PATH, Reference
from .schemas import Element

SETTINGS = "settings"
MOST_LISTED = 25
ADVICE = Advice("Set order.end_user and order.product in the service's file to the names that the service expects.")


def own_elements(end_user_element: str, product_element: str) -> dict[str, str]:
    """The option that sets each element, by the element's name."""
    return {end_user_element: "end_user", product_element: "product", SETTINGS: SETTINGS}


@dataclass(frozen=True)
class OrderShape:
    """The form of the body of an order beyond what the API specification shows."""

    end_user_element: str
    product_element: str
    media_type: str = JSON
    #: Further elements that the user has to give.
    required: tuple[str, ...] = ()
    #: All elements that the document names; none if it names none.
    elements: tuple[str, ...] = ()
    #: Whether ``settings`` is sent even when there are none.
    settings_required: bool = False
    # What follows changes nothing about what is sent.
    #: The parameter of the path that reads one contract, which names the element of its id.
    id_parameter: str = field(default="", compare=False)
    #: Whether there is a list of contracts.
    lists_contracts: bool = field(default=False, compare=False)
    #: What is odd about the elements.
    warnings: tuple[str, ...] = field(default=(), compare=False)


# Roles of elements

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


@dataclass(frozen=True)
class Role:
    """A role that an element may have.

    ``literals`` are values of the API specification, ``own`` names with its word for the role, ``similar`` with others.
    """

    name: str
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


def _names(before: str, nouns: Sequence[str]) -> re.Pattern[str]:
    return re.compile(f"(?:{before})*(?:{'|'.join(nouns)})(?:{_AFTER})?")


END_USER = Role(
    "end_user",
    (SELF,),
    _names(f"{_BEFORE_USER}|reseller", OWN_END_USERS),
    _names(_BEFORE_USER, [*END_USERS, *ORDERED_FOR]),
)
PRODUCT = Role(
    "product",
    (*DOCUMENTED_PRODUCTS, "vps-konfigurator", "domain-default"),
    _names(_BEFORE_PRODUCT, OWN_PRODUCTS),
    _names(_BEFORE_PRODUCT, [*PRODUCTS, *ORDERED]),
)


def fitting(role: Role, elements: Sequence[Element]) -> list[Element]:
    """The elements that may carry a role: none, the one that is clear, or several that are equally likely.

    Elements whose type, format or allowed values rule out the API specification's values are left out.
    """
    able = [*filter(_can_carry, elements)]
    found = [*filter(role.is_shown, able)]
    found = found or [each for each in able if role.is_own(each) or role.is_mentioned(each, able)]
    if found:
        # The API specification requires both elements.
        required = [each for each in found if each.required]
        return required if len(required) == 1 else found
    similar = [*filter(role.is_plain, able)]
    return similar + (_rivals(role, able, similar) if similar else [])


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


# Reading the document


def order_shape(
    reference: Reference,
    end_user_element: str | None = None,
    product_element: str | None = None,
) -> OrderShape:
    """The names of the order's elements, its media type and what else it needs. Names that are given win.

    Raises PublishedReferenceError that lists the elements and names the two fields of the file when the document does
    not tell the two elements clearly.
    """
    given = {END_USER: end_user_element, PRODUCT: product_element}
    media_type, elements = _body_or_nothing(reference, is_needed=None in given.values())
    found = _likely_names(elements, given)
    if any(len(names) != 1 for names in found.values()) or found[END_USER] == found[PRODUCT]:
        raise _unclear(found, elements, reference)
    (end_user,), (product,) = found[END_USER], found[PRODUCT]
    required = [each for each in elements if each.required and each.name not in (end_user, product)]
    return OrderShape(
        end_user,
        product,
        media_type,
        tuple(each.name for each in required if each.name != SETTINGS and not each.described.every("default")),
        tuple(each.name for each in elements),
        settings_required=any(each.name == SETTINGS for each in required),
        id_parameter=reference.contract_parameter,
        lists_contracts=reference.at("GET", ORDER_PATH) is not None,
        warnings=tuple(
            f"The OpenAPI document names no element {name}; order.{role.name} in the service's file still sends it."
            for role, name in given.items()
            if name and elements and all(each.name != name for each in elements)
        ),
    )


def _likely_names(elements: Sequence[Element], given: Mapping[Role, str | None]) -> dict[Role, list[str]]:
    """The names of the elements that may carry each role: the given one, otherwise see fitting()."""
    free = [each for each in elements if each.name not in (SETTINGS, *given.values())]
    return {role: [name] if name else [each.name for each in fitting(role, free)] for role, name in given.items()}


def _body_or_nothing(reference: Reference, *, is_needed: bool) -> tuple[str, list[Element]]:
    """What order_body() returns; what it raises only where the elements are needed."""
    accepted = reference.order.body if reference.order else {}
    if [*accepted] == [JSON_API] and is_needed:
        raise PublishedReferenceError(f"The service takes orders in JSON:API alone ({JSON_API}). {NOT_IN_JSON_API}")
    try:
        return order_body(reference)
    except PublishedReferenceError as error:
        if not is_needed:
            return JSON, []
        place = f"The OpenAPI document at {reference.url}"
        raise PublishedReferenceError(
            f"{place} does not tell how an order is written.\nReason: {error.message}.", ADVICE
        ) from error


def _unclear(
    found: Mapping[Role, Sequence[str]], elements: Sequence[Element], reference: Reference
) -> PublishedReferenceError:
    """The error that shows all elements, and what to set."""
    both = found[END_USER] == found[PRODUCT]
    paste = "\n  order:" + "".join(
        f"\n    {role.name}: {_suggested(() if both else names)}" for role, names in found.items()
    )
    listed = "".join(f"\n  - {each}" for each in elements[:MOST_LISTED])
    if len(elements) > MOST_LISTED:
        listed += f"\n  - … and {len(elements) - MOST_LISTED} more"
    seen = f"The elements that it names:{listed}" if elements else "It names no elements of the request body."
    return PublishedReferenceError(
        "The OpenAPI document does not tell how orders name the end user and the product.\n"
        f"The OpenAPI document at {reference.url}, POST /api/reseller/contracts. Nothing was sent.",
        ADVICE,
        f"These may be right:{paste}\n{seen}",
    )


def _suggested(names: Sequence[str]) -> str:
    """The value to set, with the other possibilities in a comment."""
    if not names:
        return "NAME  # no element was identified"
    return f"{names[0]}  # or {', '.join(names[1:6])}" if len(names) > 1 else names[0]


def order_body(reference: Reference) -> tuple[str, list[Element]]:
    """The media type of POST /api/reseller/contracts, and the elements of its body that a request may have.

    Raises PublishedReferenceError when the document does not describe it, or its schemas are too many or too deep.
    """
    operation = reference.order
    if operation is None:
        posts = [each.path for each in reference.operations if each.method == "POST"]
        seen = ", ".join(clean(path, 100) for path in posts[:MOST_LISTED]) or "none"
        raise PublishedReferenceError(
            f"it does not describe POST /api/reseller/contracts (POST operations that it describes: {seen})"
        )
    media_type = min(filter(json_rank, operation.body), key=json_rank, default=JSON)
    media = operation.body.get(media_type, {})
    named = media.get("examples")
    shown = named.values() if isinstance(named, Mapping) else ()
    several = [reference.schemas.resolve(each).get("value") for each in shown]
    elements = reference.schemas.elements(media.get("schema"), [media.get("example"), *several])
    writable = [each for each in elements if True not in each.described.every("readOnly")]
    return media_type, writable
