# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The elements of an object, read from the schemas of an OpenAPI document: references and compositions are merged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from .._core.errors import PublishedReferenceError
from .._core.text import clean
from .openapi_document import TEXT_LENGTH, OpenApiDocument, as_list

#: What a schema without entries costs of a document's work, and how deep schemas may be composed.
_SCHEMA, _DEPTH = 10, 60
#: How many of anything are kept to be shown or compared, and how long names may be.
_KEPT, _NAME_LENGTH = 20, 100
#: By its name, what the schemas of one value have under a keyword.
Keywords: TypeAlias = "defaultdict[str, list[Any]]"


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
    #: The greatest lengths.
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
    keywords: Keywords = defaultdict(list)
    required = _collect(document, schema, keywords)
    properties: Keywords = defaultdict(list)
    for published in keywords["properties"]:
        for name, own in published.items() if isinstance(published, Mapping) else ():
            properties[str(name)].append(own)
    objects = [example for example in (*examples, *_examples(keywords)) if isinstance(example, Mapping)][:_KEPT]
    elements = []
    for name in dict.fromkeys([*properties, *(name for example in objects for name in example)]):
        if isinstance(name, str) and name and name.isprintable() and len(name) <= _NAME_LENGTH:
            keywords = defaultdict(list)
            _collect(document, {"allOf": properties.get(name, [])}, keywords)
            samples = [example[name] for example in objects if name in example]
            elements.append(_element(name, name in required, keywords, samples))
    return elements


def _collect(
    document: OpenApiDocument, schema: object, keywords: Keywords, above: frozenset[int] = frozenset()
) -> set[str]:
    """Add the keywords of a schema, and of all that it is composed of. Returns the names that it requires.

    ``above`` holds the schemas that this one is a part of: a schema within itself adds nothing.
    """
    if not isinstance(schema, Mapping) or id(schema) in above:
        return set()
    document.work -= _SCHEMA + sum(len(part) for part in schema.values() if isinstance(part, (list, Mapping)))
    if document.work < 0 or len(above) > _DEPTH:
        raise PublishedReferenceError("its schemas are too many or too deeply composed to be followed")
    above |= {id(schema)}
    for keyword, value in schema.items():
        keywords[keyword].append(value)
    required = {name for name in as_list(schema.get("required")) if isinstance(name, str)}
    for part in (document.target(schema.get("$ref")), *as_list(schema.get("allOf"))):
        required |= _collect(document, part, keywords, above)
    for forms in map(as_list, map(schema.get, ("oneOf", "anyOf"))):
        # A value has one of these forms: what all of them require is required.
        by_form = [_collect(document, form, keywords, above) for form in forms]
        required |= set.intersection(*by_form) if by_form else set()
    return required


def _element(name: str, is_required: bool, keywords: Keywords, samples: Iterable[object]) -> Element:
    keywords = defaultdict(list, {keyword: values[:_KEPT] for keyword, values in keywords.items()})

    def texts(keyword: str) -> list[str]:
        texts = [text for text in keywords[keyword] if isinstance(text, str) and text]
        return list(dict.fromkeys(clean(text, TEXT_LENGTH) for text in texts))

    types, allowed = [*keywords["type"], *_members(keywords, "type")], [*_members(keywords, "enum"), *keywords["const"]]
    return Element(
        name,
        is_required,
        types=list(dict.fromkeys(name for name in types if isinstance(name, str) and name != "null")),
        format="".join(texts("format")[:1]),
        pattern="".join(texts("pattern")[:1]),
        allowed=allowed,
        values=[*allowed, *_examples(keywords), *samples, *keywords["default"]],
        texts=texts("description") or texts("title"),
        longest=keywords["maxLength"],
        has_default=bool(keywords["default"]),
        is_read_only=True in keywords["readOnly"],
    )


def _examples(keywords: Keywords) -> list[Any]:
    return [*keywords["example"], *keywords["x-example"], *_members(keywords, "examples")][:_KEPT]


def _members(keywords: Keywords, keyword: str) -> list[Any]:
    """The members of all lists under a keyword."""
    return [member for values in keywords[keyword] for member in as_list(values)[:_KEPT]]
