# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The request body of an order and the answer to it, which API specification 4.1 and 4.2 leave open.

They are given by options, or read from an OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from .._core.errors import Advice, ConfigurationError, PublishedReferenceError
from .._core.text import clean
from .element_roles import END_USER, PRODUCT, Role, likely_names
from .published_operation import JSON, json_rank
from .reference import ORDER_PATH, Reference
from .schemas import Element

SETTINGS = "settings"
MOST_LISTED = 25
ADVICE = Advice("Set the options end_user_element and product_element to the names that the service expects.")


def own_elements(end_user_element: str | None, product_element: str | None) -> dict[str, str]:
    """The option that sets each element, by the element's name; ``None``: that name is not known yet.

    Raises ConfigurationError if one element would carry two of them, however the names were given or learned.
    """
    if end_user_element and end_user_element == product_element:
        raise ConfigurationError(
            f"end_user_element and product_element are both {end_user_element!r}. Nothing was sent.\n"
            "They name two different elements of the request body. Correct one of them."
        )
    if SETTINGS in (end_user_element, product_element):
        option = "end_user_element" if end_user_element == SETTINGS else "product_element"
        raise ConfigurationError(
            f"{option} cannot be settings. Nothing was sent.\n"
            "That element holds the product's settings. Give the name of another one."
        )
    known = {end_user_element: "end_user", product_element: "product", SETTINGS: SETTINGS}
    return {name: option for name, option in known.items() if name}


def check_free(names: Iterable[str], own: dict[str, str]) -> None:
    """Raise ConfigurationError if additional elements have a name that an option sets."""
    for name in names:
        if name in own:
            raise ConfigurationError(
                f"additional_elements.{name} is what the option {own[name]} sets. Nothing was sent.\n"
                "Leave it out of additional_elements."
            )


@dataclass(frozen=True)
class OrderAnswers:
    """The published 2xx answers of POST /api/reseller/contracts.

    ``media_types`` are those of all of them that are JSON. ``only_success`` is the status if the reference lists
    exactly one; then ``empty`` says that it has no body, and ``elements`` are those that an object in it may have.
    ``id_parameter`` is that of the path that reads one contract, which names the element of its id.
    """

    media_types: tuple[str, ...] = ()
    only_success: int | None = None
    empty: bool = False
    elements: tuple[str, ...] = ()
    id_parameter: str = ""

    def confirm(self, status: int, body: Any) -> bool:
        """Return whether an answer with a whole JSON body is the published one to an order that was placed."""
        if status != self.only_success or self.empty:
            return False
        return not self.elements or (isinstance(body, dict) and not body.keys().isdisjoint(self.elements))


@dataclass(frozen=True)
class OrderShape:
    """The form of the body of an order beyond what the API specification shows.

    ``required`` names further elements that the user has to give; ``elements`` all elements that the reference names
    (empty when it names none); ``settings_required`` whether ``settings`` is sent even when there are none; ``answers``
    what the reference says of the answer to an accepted order; ``lists_contracts`` whether it has a list of contracts.
    """

    end_user_element: str
    product_element: str
    media_type: str = JSON
    required: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    settings_required: bool = False
    warnings: tuple[str, ...] = field(default=(), compare=False)
    # It changes nothing about what is sent.
    answers: OrderAnswers = field(default=OrderAnswers(), compare=False)
    lists_contracts: bool = field(default=False, compare=False)

    def to_cache(self) -> dict[str, Any]:
        """A JSON value that from_cache reads."""
        return asdict(self)

    @classmethod
    def from_cache(cls, value: Any) -> OrderShape | None:
        """The shape that was kept, or ``None`` for what another version kept."""
        try:
            return cls(**_tuples({**value, "answers": OrderAnswers(**_tuples(value["answers"]))}))
        except (TypeError, KeyError, AttributeError):
            return None


def _tuples(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The lists of JSON as tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()}


# Reading the document


def order_shape(
    reference: Reference,
    end_user_element: str | None = None,
    product_element: str | None = None,
) -> OrderShape:
    """The names of the order's elements, its media type and what else it needs. Names that are given win.

    Raises PublishedReferenceError that lists the elements and names the two options when the document does not tell
    the two elements clearly.
    """
    given, place = {END_USER: end_user_element, PRODUCT: product_element}, f"The OpenAPI document at {reference.url}"
    media_type, elements = JSON, list[Element]()
    try:
        media_type, elements = _order_body(reference)
    except PublishedReferenceError as error:
        if not (end_user_element and product_element):
            raise PublishedReferenceError(
                f"{place} does not tell how an order is written.\nReason: {error.message}.", ADVICE
            ) from error
    found = likely_names([each for each in elements if each.name != SETTINGS], given)
    if any(len(names) != 1 for names in found.values()) or found[END_USER] == found[PRODUCT]:
        raise _unclear(found, elements, place)
    end_user, product = found[END_USER][0], found[PRODUCT][0]
    return OrderShape(
        end_user,
        product,
        media_type,
        required=tuple(
            each.name
            for each in elements
            if each.required and not each.described.every("default") and each.name not in (end_user, product, SETTINGS)
        ),
        elements=tuple(each.name for each in elements),
        settings_required=any(each.required and each.name == SETTINGS for each in elements),
        warnings=tuple(
            f"The OpenAPI document names no element {name}; {role.option} still sends it."
            for role, name in given.items()
            if name and elements and all(each.name != name for each in elements)
        ),
        answers=replace(order_answers(reference), id_parameter=reference.reading_contracts().id_parameter),
        lists_contracts=reference.at("GET", ORDER_PATH) is not None,
    )


def _unclear(found: Mapping[Role, Sequence[str]], elements: Sequence[Element], place: str) -> PublishedReferenceError:
    """The error that shows all elements, and what to set."""
    both = found[END_USER] == found[PRODUCT]
    paste = "".join(f"\n  {role.option}: {_suggested(() if both else names)}" for role, names in found.items())
    listed = "".join(f"\n  - {each}" for each in elements[:MOST_LISTED])
    if len(elements) > MOST_LISTED:
        listed += f"\n  - … and {len(elements) - MOST_LISTED} more"
    seen = f"The elements that it names:{listed}" if elements else "It names no elements of the request body."
    return PublishedReferenceError(
        "The OpenAPI document does not tell how orders name the end user and the product.\n"
        f"{place}, POST /api/reseller/contracts. Nothing was sent.",
        ADVICE,
        f"These may be right:{paste}\n{seen}",
    )


def _suggested(names: Sequence[str]) -> str:
    """The value to set, with the other possibilities in a comment."""
    if not names:
        return "NAME  # no element was identified"
    return f"{names[0]}  # or {', '.join(names[1:6])}" if len(names) > 1 else names[0]


def _order_body(reference: Reference) -> tuple[str, list[Element]]:
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
    contents = []
    for name, media in operation.body.items():
        named = media.get("examples")
        shown = named.values() if isinstance(named, Mapping) else ()
        several = [reference.schemas.resolve(each).get("value") for each in shown]
        elements = reference.schemas.elements(media.get("schema"), [media.get("example"), *several])
        # One without elements, such as a free-form object, tells less than one in another media type.
        contents.append((not elements, json_rank(name), name, elements))
    contents = [content for content in contents if content[1]]
    _empty, _rank, media_type, elements = min(contents, key=lambda content: content[:2], default=(0, 0, JSON, []))
    writable = [each for each in elements if True not in each.described.every("readOnly")]
    return media_type, writable


def order_answers(reference: Reference) -> OrderAnswers:
    """The published answers to an order; empty ones if the document describes none that can be followed."""
    found = reference.order.successes if reference.order else {}
    contents = [(name, media) for answer in found.values() for name, media in answer.items() if json_rank(name)]
    media_types = tuple(dict.fromkeys(name for name, _media in contents))
    only = next(iter(found)) if len(found) == 1 else ""
    if not only.isdigit() or (found[only] and not contents):
        # There are several, or it is not JSON.
        return OrderAnswers(media_types)
    try:
        forms = [reference.schemas.elements(media.get("schema")) for _name, media in contents]
    except PublishedReferenceError:
        return OrderAnswers(media_types)
    names = dict.fromkeys(each.name for elements in forms for each in elements)
    # A form that names no elements may have any.
    return OrderAnswers(media_types, int(only), not forms, tuple(names) if all(forms) else ())
