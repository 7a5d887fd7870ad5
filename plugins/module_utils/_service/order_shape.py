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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .._core.errors import JSON_API, NOT_IN_JSON_API, Advice, PublishedReferenceError
from .._core.text import clean, fold, is_uuid, words
from .._product_types.registry import DOCUMENTED_PRODUCTS, SELF
from .._secrets.recognition import words_of
from .description import END_USERS, PRODUCTS
from .openapi_document import JSON, OpenApiDocument
from .schemas import Element, elements_of

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

_UUID_LENGTH = 36
#: Formats that neither a UUID nor ``__self__`` has.
_OTHER_FORMATS = words(
    "date date-time time duration email idn-email hostname idn-hostname ipv4 ipv6 binary byte password regex "
    "json-pointer int32 int64 float double"
)
#: What may stand before and after the noun in a name.
_BEFORE_USER = "id|for|to|the|my|target|onbehalfof|contract|organi[sz]ation"
_BEFORE_PRODUCT = "id|the|my|target|contract|ordered|order|new|selected|reseller"
_AFTER = "uuid|guid|id|iri|uri|ref|identifier"


class Role(NamedTuple):
    """A role that an element may have."""

    name: str
    #: Values of the API specification.
    literals: tuple[str, ...]
    #: Names with its word for the role, and with others: a product note is no product.
    own: re.Pattern[str]
    similar: re.Pattern[str]

    def is_shown(self, values: Iterable[object]) -> bool:
        """Return whether a value of the API specification is, or is in, one of these."""
        texts = [value.lower() for value in values if isinstance(value, str)]
        return any(literal in text for text in texts for literal in self.literals)


def _names(before: str, *nouns: str) -> re.Pattern[str]:
    return re.compile(f"(?:{before})*(?:{'|'.join(nouns)})(?:{_AFTER})?")


_FURTHER_END_USERS = "organi[sz]ation|org|recipient|beneficiary|subscriber|member|buyer|nutzer|mandant|for|onbehalfof"
END_USER = Role(
    "end_user",
    (SELF,),
    _names(f"{_BEFORE_USER}|reseller", "enduser|endusertarget|endcustomer|endclient|endkunde|endnutzer"),
    _names(_BEFORE_USER, *END_USERS, _FURTHER_END_USERS),
)
PRODUCT = Role(
    "product",
    (*DOCUMENTED_PRODUCTS, "vps-konfigurator", "domain-default"),
    _names(_BEFORE_PRODUCT, "product|produkt"),
    _names(_BEFORE_PRODUCT, *PRODUCTS, "item|artikel|sku|paket|tarif|angebot|service"),
)


def fitting(role: Role, elements: Sequence[Element]) -> list[Element]:
    """The elements that may carry a role: none, the one that is clear, or several that are equally likely.

    Elements whose type, format or allowed values rule out the API specification's values are left out.
    """
    able = [*filter(_can_carry, elements)]
    likely = [element for element in able if role.is_shown((*element.values, element.pattern))] or _named(role, able)
    if likely:
        # The API specification requires both elements.
        required = [element for element in likely if element.required]
        return required if len(required) == 1 else likely
    similar = [element for element in able if role.similar.fullmatch(fold(element.name))]
    return similar + (_rivals(role, able, similar) if similar else [])


def _can_carry(element: Element) -> bool:
    allowed = element.allowed
    return (
        (not element.types or "string" in element.types)
        and element.format not in _OTHER_FORMATS
        and (not allowed or element.format == "uuid" or any(value == SELF or is_uuid(value) for value in allowed))
        and not any(isinstance(length, int) and length < _UUID_LENGTH for length in element.longest)
    )


def _named(role: Role, able: Sequence[Element]) -> list[Element]:
    """The elements with the specification's word for a role as their name, or a value of it in a description.

    That of another element may be meant there: "only if end_user is __self__".
    """
    own = {element.name for element in able if role.own.fullmatch(fold(element.name))}
    named = []
    for element in able:
        others = own - {element.name}
        texts = (text for text in element.texts if not any(name in text for name in others))
        if element.name in own or role.is_shown(texts):
            named.append(element)
    return named


def _rivals(role: Role, able: Sequence[Element], similar: Sequence[Element]) -> list[Element]:
    """The elements that say that they are ids, beside those that have a synonym for a role.

    The API specification requires both roles' elements: beside a required one, an optional one carries neither.
    """
    other = PRODUCT if role is END_USER else END_USER
    is_required = all(element.required for element in similar)
    rivals = []
    for element in able:
        is_uuids = element.format == "uuid" or any(map(is_uuid, element.values))
        is_id = is_uuids or re.fullmatch(_AFTER, "".join(words_of(element.name)[-1:]))
        name = fold(element.name)
        is_other = other.own.fullmatch(name) or other.similar.fullmatch(name) or other.is_shown(element.texts)
        if is_id and not is_other and element not in similar and (element.required or not is_required):
            rivals.append(element)
    return rivals


# Reading the document


def order_shape(
    document: OpenApiDocument,
    end_user_element: str | None = None,
    product_element: str | None = None,
) -> OrderShape:
    """The names of the order's elements, its media type and what else it needs. Names that are given win.

    Raises PublishedReferenceError that lists the elements and names the two fields of the file when the document does
    not tell the two elements clearly.
    """
    given = {END_USER: end_user_element, PRODUCT: product_element}
    try:
        media_type, elements = _body(document)
    except PublishedReferenceError:
        if None in given.values():
            raise
        media_type, elements = JSON, []
    end_user, product = _clear_names(given, elements, document)
    names = tuple(element.name for element in elements)
    further = [element for element in elements if element.required and element.name not in (end_user, product)]
    return OrderShape(
        end_user,
        product,
        media_type,
        tuple(element.name for element in further if element.name != SETTINGS and not element.has_default),
        names,
        settings_required=any(element.name == SETTINGS for element in further),
        id_parameter=document.contract_parameter,
        lists_contracts=document.contracts_path is not None,
        warnings=tuple(
            f"The OpenAPI document names no element {name}; order.{role.name} in the service's file still sends it."
            for role, name in given.items()
            if name and names and name not in names
        ),
    )


def _body(document: OpenApiDocument) -> tuple[str, list[Element]]:
    """The media type of POST /api/reseller/contracts, and the elements of its body that a request may have.

    Raises PublishedReferenceError when the document does not describe it, or its schemas are too many or too deep.
    """
    unknown = f"The OpenAPI document at {document.url} does not tell how an order is written."
    if document.order is None:
        posts = [operation.path for operation in document.operations if operation.method == "POST"]
        listed = ", ".join(clean(path, 100) for path in posts[:MOST_LISTED]) or "none"
        raise PublishedReferenceError(
            f"{unknown}\nReason: it does not describe POST /api/reseller/contracts (POST operations that it describes: "
            f"{listed}).",
            ADVICE,
        )
    body = document.order.body
    if [*body] == [JSON_API]:
        raise PublishedReferenceError(f"The service takes orders in JSON:API alone ({JSON_API}). {NOT_IN_JSON_API}")
    # JSON, JSON-LD, then other JSON; none in the form of JSON:API.
    usable = [name for name in body if name.endswith("json") and name != JSON_API]
    media_type = min(usable, key=lambda name: (name != JSON, name != "application/ld+json"), default=JSON)
    media = body.get(media_type, {})
    named = media.get("examples")
    published = named.values() if isinstance(named, Mapping) else ()
    examples = [media.get("example"), *(document.resolve(example).get("value") for example in published)]
    try:
        elements = elements_of(document, media.get("schema"), examples)
    except PublishedReferenceError as error:
        raise PublishedReferenceError(f"{unknown}\nReason: {error.message}.", ADVICE) from error
    return media_type, [element for element in elements if not element.is_read_only]


def _clear_names(
    given: Mapping[Role, str | None], elements: Sequence[Element], document: OpenApiDocument
) -> tuple[str, str]:
    """The names of the two elements: those that are given, otherwise see fitting().

    Raises PublishedReferenceError, with all elements and what to set, where a role has none or several.
    """
    free = [element for element in elements if element.name not in (SETTINGS, *given.values())]
    names = {role: [name] if name else [one.name for one in fitting(role, free)] for role, name in given.items()}
    is_one_for_both = names[END_USER] == names[PRODUCT]
    if not is_one_for_both and all(len(likely) == 1 for likely in names.values()):
        return names[END_USER][0], names[PRODUCT][0]
    paste = "\n  order:"
    for role, likely in names.items():
        name, *others = (not is_one_for_both and likely) or ["NAME  # no element was identified"]
        paste += f"\n    {role.name}: {name}" + (f"  # or {', '.join(others[:5])}" if others else "")
    rows = [*map(str, elements[:MOST_LISTED]), f"… and {len(elements) - MOST_LISTED} more"]
    listed = "".join(f"\n  - {row}" for row in rows[: len(elements)])
    shown = f"The elements that it names:{listed}" if elements else "It names no elements of the request body."
    raise PublishedReferenceError(
        "The OpenAPI document does not tell how orders name the end user and the product.\n"
        f"The OpenAPI document at {document.url}, POST /api/reseller/contracts. Nothing was sent.",
        ADVICE,
        f"These may be right:{paste}\n{shown}",
    )
