# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The elements of an object, read from the schemas of an OpenAPI document: references and compositions are merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._core.errors import PublishedReferenceError
from .._core.text import clean
from .openapi_document import TEXT_LENGTH, OpenApiDocument, as_list

#: What a schema without entries costs of a document's work, and how deep schemas may be composed.
_SCHEMA, _DEPTH = 10, 60
#: How many of anything are kept to be shown or compared, and how long names may be.
_KEPT, _NAME_LENGTH = 20, 100


class Element(NamedTuple):
    """One element of an object: what its schemas say together, and what examples of the object show of it."""

    name: str
    required: bool
    #: The types that any schema names, but for null.
    types: list[str]
    #: The first format and pattern; empty without one.
    format: str
    pattern: str
    #: The values of ``enum`` and ``const``, and these with examples and defaults.
    allowed: list[Any]
    values: list[Any]
    #: The descriptions, or titles.
    texts: list[str]
    longest: list[Any]
    has_default: bool
    is_read_only: bool

    def __str__(self) -> str:
        facts = [" or ".join(sorted(self.types)), self.format, "required" if self.required else ""]
        listed, text = ", ".join(filter(None, facts)), " ".join(self.texts)
        return clean(self.name + (f" ({listed})" if listed else "") + (f": {text}" if text else ""), TEXT_LENGTH)


def elements_of(document: OpenApiDocument, schema: object, examples: Iterable[object] = ()) -> list[Element]:
    """The elements of the object that a schema describes, with what further examples of the object add.

    Raises PublishedReferenceError when the schemas are too large or too deep.
    """
    properties: dict[str, list[Any]] = {}
    schemas: list[Mapping[str, Any]] = []
    required = _collect(document, schema, properties, schemas)
    shown = [each for each in (*examples, *_examples(schemas)) if isinstance(each, Mapping)][:_KEPT]
    elements = []
    for name in dict.fromkeys([*properties, *(name for example in shown for name in example)]):
        if isinstance(name, str) and name and name.isprintable() and len(name) <= _NAME_LENGTH:
            own: list[Mapping[str, Any]] = []
            _collect(document, {"allOf": properties.get(name, [])}, {}, own)
            samples = [example[name] for example in shown if name in example]
            elements.append(_element(name, name in required, own, samples))
    return elements


def _collect(
    document: OpenApiDocument,
    schema: object,
    properties: dict[str, list[Any]],
    schemas: list[Mapping[str, Any]],
    above: frozenset[int] = frozenset(),
) -> set[str]:
    """Add a schema and all that it is composed of to ``schemas``, and the schemas of each property to ``properties``.

    Returns the names of the required properties. ``above`` holds the schemas that this one is a part of: a schema
    within itself adds nothing.
    """
    if not isinstance(schema, Mapping) or id(schema) in above:
        return set()
    document.work -= _SCHEMA + sum(len(part) for part in schema.values() if isinstance(part, (list, Mapping)))
    if document.work < 0 or len(above) > _DEPTH:
        raise PublishedReferenceError("its schemas are too many or too deeply composed to be followed")
    above |= {id(schema)}
    schemas.append(schema)
    own = schema.get("properties")
    for name, part in own.items() if isinstance(own, Mapping) else ():
        properties.setdefault(str(name), []).append(part)
    required = {name for name in as_list(schema.get("required")) if isinstance(name, str)}
    for part in (document.target(schema.get("$ref")), *as_list(schema.get("allOf"))):
        required |= _collect(document, part, properties, schemas, above)
    for forms in map(as_list, map(schema.get, ("oneOf", "anyOf"))):
        # A value has one of these forms: what all of them require is required.
        by_form = [_collect(document, form, properties, schemas, above) for form in forms]
        required |= set.intersection(*by_form) if by_form else set()
    return required


def _element(name: str, is_required: bool, schemas: Sequence[Mapping[str, Any]], samples: Iterable[Any]) -> Element:
    """What these schemas, of which all describe the element, and samples of it say together."""

    def texts(values: Iterable[Any]) -> list[str]:
        return list(dict.fromkeys(clean(text, TEXT_LENGTH) for text in values if isinstance(text, str) and text))

    types = [*_values(schemas, "type"), *_members(schemas, "type")]
    allowed, defaults = [*_members(schemas, "enum"), *_values(schemas, "const")], _values(schemas, "default")
    return Element(
        name,
        is_required,
        types=list(dict.fromkeys(each for each in types if isinstance(each, str) and each != "null")),
        format="".join(texts(_values(schemas, "format"))[:1]),
        pattern="".join(texts(_values(schemas, "pattern"))[:1]),
        allowed=allowed,
        values=[*allowed, *_examples(schemas), *samples, *defaults],
        texts=texts(schema.get("description") or schema.get("title") for schema in schemas),
        longest=_values(schemas, "maxLength"),
        has_default=bool(defaults),
        is_read_only=True in _values(schemas, "readOnly"),
    )


def _examples(schemas: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [*_values(schemas, "example", "x-example"), *_members(schemas, "examples")][:_KEPT]


def _values(schemas: Sequence[Mapping[str, Any]], *keys: str) -> list[Any]:
    """The values of all schemas with one of these keys."""
    return [schema[key] for schema in schemas for key in keys if key in schema][:_KEPT]


def _members(schemas: Sequence[Mapping[str, Any]], key: str) -> list[Any]:
    """The members of all lists under this key."""
    return [member for values in _values(schemas, key) for member in as_list(values)[:_KEPT]]
