# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Learns the request body of an order from an OpenAPI document (API specification 4.1 leaves it open). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._core.errors import PublishedReferenceError
from .._core.text import clean
from .element_names import SETTINGS, own_elements
from .element_roles import END_USER, PRODUCT, Role, fitting
from .order_answers import order_answers
from .order_shape import OrderShape
from .published import PublishedOperations
from .request_parts import JSON, UNUSABLE, Body, preference
from .schemas import Element, ObjectShape

MOST_LISTED = 25
_TEXT_LENGTH = 10_000
ADVICE = "Set the options end_user_element and product_element to the names that the service expects."


@dataclass(frozen=True)
class OrderBody:
    """The request body of the order operation, as the document describes it."""

    media_type: str = JSON
    shape: ObjectShape = field(default_factory=ObjectShape)
    not_followed: tuple[str, ...] = ()
    #: What describes the operation.
    texts: tuple[str, ...] = ()


def order_shape(
    document: Mapping[str, Any],
    end_user_element: str | None = None,
    product_element: str | None = None,
    *,
    place: str = "The published reference",
) -> OrderShape:
    """The names of the order's elements, its media type and what else it needs. Names that are given win.

    Raises PublishedReferenceError that lists the elements and names the two options when the document does not tell
    the two elements clearly, and ConfigurationError when the names that are given cannot be meant.
    """
    given = {END_USER: end_user_element, PRODUCT: product_element}
    own_elements(end_user_element, product_element)
    published = PublishedOperations(document)
    try:
        body = _order_body(published)
    except PublishedReferenceError as error:
        if not (end_user_element and product_element):
            raise PublishedReferenceError(
                f"{place} does not tell how an order is written.\nReason: {error.message}.\n{ADVICE}"
            ) from error
        body = OrderBody()
    writable = [element for element in body.shape.elements if not element.read_only]
    names = _names(writable, given, place, body)
    required = tuple(
        element.name
        for element in writable
        if element.required and not element.has_default and element.name not in (*names.values(), SETTINGS)
    )
    return OrderShape(
        names[END_USER],
        names[PRODUCT],
        body.media_type,
        required,
        tuple(element.name for element in writable),
        any(element.required and element.name == SETTINGS for element in writable),
        tuple(_warnings(writable, body.shape.open, given)),
        order_answers(published),
    )


def _names(writable: list[Element], given: Mapping[Role, str | None], place: str, body: OrderBody) -> dict[Role, str]:
    free = [element for element in writable if element.name != SETTINGS and element.name not in given.values()]
    found = {
        role: [name] if name else [element.name for element in fitting(role, free, body.texts)]
        for role, name in given.items()
    }
    unclear = [role for role, names in found.items() if len(names) != 1]
    if not unclear and found[END_USER] != found[PRODUCT]:
        return {role: names[0] for role, names in found.items()}
    said = [
        f"{role.title} may be carried by {' or '.join(names)}"
        if names
        else f"no element was identified for {role.title}"
        for role, names in found.items()
        if role in unclear
    ] or [f"both the end user and the product may be carried by {found[PRODUCT][0]}"]
    said += [f"{role.title} is carried by {found[role][0]}" for role in found if unclear and role not in unclear]
    listed = "".join(f"\n  - {element}" for element in writable[:MOST_LISTED])
    if len(writable) > MOST_LISTED:
        listed += f"\n  - … and {len(writable) - MOST_LISTED} more"
    seen = f"The elements that it names:{listed}" if writable else "It names no elements of the request body."
    if body.not_followed:
        seen += f"\nReferences that were not followed: {', '.join(body.not_followed)}"
    paste = "".join(f"\n  {role.option}: {_suggested(found[role])}" for role in found)
    raise PublishedReferenceError(
        "The published reference does not tell how orders name the end user and the product.\n"
        f"{place}, POST /api/reseller/contracts: {'; '.join(said)}.\n"
        f"{ADVICE} Nothing was sent.\nSet, if these are right:{paste}\n{seen}"
    )


def _suggested(names: Sequence[str]) -> str:
    """What to set, with the other possibilities in a comment."""
    if not names:
        return "NAME"
    return f"{names[0]}  # or {', '.join(names[1:6])}" if len(names) > 1 else names[0]


def _warnings(writable: list[Element], is_open: bool, given: Mapping[Role, str | None]) -> Iterator[str]:
    known = {element.name for element in writable}
    for role, name in given.items():
        if name and known and name not in known:
            yield f"The published reference names no element {name}; {role.option} still sends it."
    if known and SETTINGS not in known and not is_open:
        yield (
            "The published reference names no element settings and allows no elements that it does not name; "
            "settings are sent nevertheless, as the document describes them."
        )


def _order_body(published: PublishedOperations) -> OrderBody:
    """The body of POST /api/reseller/contracts.

    Raises PublishedReferenceError when the document does not describe it, or its schemas are too many or too deep.
    """
    operation, schemas = published.order, published.schemas
    if operation is None:
        posts = [each.path for each in published.all if each.method == "POST"]
        seen = ", ".join(clean(path, 100) for path in posts[:MOST_LISTED]) or "none"
        raise PublishedReferenceError(
            f"it does not describe POST /api/reseller/contracts (POST operations that it describes: {seen})"
        )
    body = operation.body or Body({})
    contents = [
        (name, schemas.object_shape(schema, body.examples.get(name, ()))) for name, schema in body.contents.items()
    ]
    # One without elements, such as a free-form object, tells less than one in another media type.
    media_type, shape = min(
        [content for content in contents if content[1].elements] or contents,
        key=lambda content: preference(content[0]),
        default=(JSON, ObjectShape()),
    )
    if preference(media_type) == UNUSABLE:
        media_type = JSON
    holders = (operation.source, schemas.resolve(operation.source.get("requestBody")))
    texts = [
        text for holder in holders for key in ("summary", "description") if isinstance(text := holder.get(key), str)
    ]
    return OrderBody(media_type, shape, tuple(schemas.not_followed), tuple(text[:_TEXT_LENGTH] for text in texts))
