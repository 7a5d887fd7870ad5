# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an object's elements from the schemas of an OpenAPI document. Merges references and compositions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from .._core.errors import PublishedReferenceError
from .._core.text import clean

#: Schemas and entries of them looked at for one document, and how deep schemas may be composed.
WORK = 200_000
DEPTH = 60
REFERENCE_LENGTH = 1000
#: How many of anything are kept to be shown or compared, and how long texts may be.
KEPT = 20
NAME_LENGTH = 100
TOO_MUCH = "its schemas are too many or too deeply composed to be followed"
TEXT_LENGTH = 400


@dataclass(frozen=True)
class Element:
    """One element of an object, as its schemas describe it.

    ``types`` is empty when they tell none. ``texts`` are its descriptions (or titles), ``values`` what its schemas
    give as example, enum, const or default. ``enum`` is bounded; ``closed`` is true when it lists all values.
    """

    name: str
    texts: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    format: str | None = None
    pattern: str | None = None
    required: bool = False
    example: Any = None
    enum: tuple[Any, ...] = ()
    closed: bool = False
    values: tuple[Any, ...] = ()
    read_only: bool = False
    has_default: bool = False
    max_length: int | None = None

    @property
    def type(self) -> str | None:
        return " or ".join(self.types) or None

    @property
    def description(self) -> str | None:
        return " ".join(self.texts) or None

    def __str__(self) -> str:
        facts = [fact for fact in (self.type, self.format, "required" if self.required else None) if fact]
        told = f"{self.name} ({', '.join(facts)})" if facts else self.name
        return clean(f"{told}: {self.description}" if self.texts else told, TEXT_LENGTH)


@dataclass(frozen=True)
class ObjectShape:
    """The elements of an object; ``open`` is false when its schemas allow no others."""

    elements: tuple[Element, ...] = ()
    open: bool = True


@dataclass
class _Merged:
    """What a schema and all that it is composed of say."""

    types: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    format: str | None = None
    pattern: str | None = None
    examples: list[Any] = field(default_factory=list)
    enum: list[Any] = field(default_factory=list)
    closed: bool = False
    read_only: bool = False
    has_default: bool = False
    defaults: list[Any] = field(default_factory=list)
    max_length: int | None = None
    properties: dict[str, list[Any]] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)
    required: set[str] = field(default_factory=set)
    open: bool = True

    def add(self, other: _Merged) -> None:
        """Merge what holds as well (``allOf``, ``$ref``)."""
        self.types = (self.types & other.types) or (self.types | other.types)
        self.required |= other.required
        self.read_only |= other.read_only
        self.closed |= other.closed
        self.open &= other.open
        self._collect(other)

    def add_alternatives(self, others: list[_Merged]) -> None:
        """Merge what holds one at a time (``oneOf``, ``anyOf``): required is only what all of them require."""
        if not others:
            return
        united = _Merged(
            types=set().union(*(other.types for other in others)) if all(other.types for other in others) else set(),
            required=set.intersection(*(other.required for other in others)),
            read_only=all(other.read_only for other in others),
            closed=all(other.closed for other in others),
            open=any(other.open for other in others),
        )
        for other in others:
            united._collect(other)
        self.add(united)

    def _collect(self, other: _Merged) -> None:
        self.format = self.format or other.format
        self.pattern = self.pattern or other.pattern
        self.max_length = self.max_length if self.max_length is not None else other.max_length
        self.has_default |= other.has_default
        for mine, theirs in (
            (self.texts, other.texts),
            (self.examples, other.examples),
            (self.enum, other.enum),
            (self.defaults, other.defaults),
        ):
            mine.extend(theirs[: KEPT - len(mine)])
        for name, schemas in other.properties.items():
            self.properties.setdefault(name, []).extend(schemas)
        self.items.extend(other.items)


class Schemas:
    """Follows the references within one document. ``not_followed`` holds those that lead elsewhere or nowhere."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._work = WORK
        self.not_followed: list[str] = []

    def resolve(self, node: object) -> Mapping[str, Any]:
        """The mapping that ``node`` is or refers to; an empty one for anything else."""
        seen: set[int] = set()
        while isinstance(node, Mapping) and isinstance(node.get("$ref"), str) and id(node) not in seen:
            seen.add(id(node))
            node = self._target(node["$ref"])
        return node if isinstance(node, Mapping) else {}

    def object_shape(self, schema: object, examples: Iterable[object] = ()) -> ObjectShape:
        """The elements of the object that a schema describes, with what further examples of the object add.

        Raises PublishedReferenceError when the schemas are too large or too deep.
        """
        merged = self._merged(schema, frozenset(), DEPTH)
        if merged.types and "object" not in merged.types:
            return ObjectShape()
        samples = [example for example in (*examples, *merged.examples) if isinstance(example, Mapping)][:KEPT]
        names = list(dict.fromkeys([*merged.properties, *(name for sample in samples for name in sample)]))
        self._spend(len(names))
        elements = []
        for name in names:
            if isinstance(name, str) and name and name.isprintable() and len(name) <= NAME_LENGTH:
                parts = [self._merged(part, frozenset(), DEPTH) for part in merged.properties.get(name, [])]
                values = [sample[name] for sample in samples if name in sample]
                elements.append(_element(name, parts, values, name in merged.required))
        return ObjectShape(tuple(elements), merged.open)

    def types(self, schema: object) -> tuple[str, ...]:
        """The JSON types of the values that a schema describes; empty when it tells none.

        Raises PublishedReferenceError as object_shape does.
        """
        return tuple(sorted(self._merged(schema, frozenset(), DEPTH).types))

    def parts(self, schema: object) -> dict[str, list[object]]:
        """The schemas of an object's elements by their names, and those of an array's items by ``""``.

        Raises PublishedReferenceError as object_shape does.
        """
        merged = self._merged(schema, frozenset(), DEPTH)
        return {**merged.properties, "": merged.items} if merged.items else dict(merged.properties)

    def allowed(self, schemas: Iterable[object]) -> tuple[Any, ...]:
        """All values that an element with all of these schemas can have; none if they do not list them all.

        Raises PublishedReferenceError as object_shape does.
        """
        merged = self._merged({"allOf": list(schemas)}, frozenset(), DEPTH)
        return tuple(merged.enum) if merged.closed and len(merged.enum) < KEPT else ()

    def _target(self, reference: str) -> object:
        if (reference != "#" and not reference.startswith("#/")) or len(reference) > REFERENCE_LENGTH:
            self._note_lost(reference)
            return None
        node: object = self._document
        for step in reference[2:].split("/") if len(reference) > 1 else ():
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(node, Mapping) and key in node:
                node = node[key]
            elif isinstance(node, list) and key.isascii() and key.isdigit() and int(key[:9]) < len(node):
                node = node[int(key[:9])]
            else:
                self._note_lost(reference)
                return None
        return node

    def _note_lost(self, reference: str) -> None:
        name = clean(reference, NAME_LENGTH)
        if name not in self.not_followed and len(self.not_followed) < KEPT:
            self.not_followed.append(name)

    def _merged(self, schema: object, above: frozenset[int], depth: int) -> _Merged:
        """``above`` holds the schemas that this one is a part of: a schema within itself adds nothing."""
        if not isinstance(schema, Mapping) or id(schema) in above:
            return _Merged()
        self._spend(1 + sum(len(part) for part in schema.values() if isinstance(part, (list, Mapping))))
        if depth == 0:
            raise PublishedReferenceError(TOO_MUCH)
        above |= {id(schema)}
        merged = _own(schema)
        if isinstance(schema.get("$ref"), str):
            merged.add(self._merged(self._target(schema["$ref"]), above, depth - 1))
        for part in _list(schema.get("allOf")):
            merged.add(self._merged(part, above, depth - 1))
        for keyword in ("oneOf", "anyOf"):
            parts = [part for part in _list(schema.get(keyword)) if isinstance(part, Mapping)]
            merged.add_alternatives([self._merged(part, above, depth - 1) for part in parts])
        self._spend(len(merged.required) + sum(len(parts) for parts in merged.properties.values()))
        return merged

    def _spend(self, work: int) -> None:
        self._work -= work
        if self._work < 0:
            raise PublishedReferenceError(TOO_MUCH)


def _own(schema: Mapping[str, Any]) -> _Merged:
    """What a schema says by itself."""
    enum = _list(schema.get("enum"))
    if "const" in schema:
        enum = [*enum, schema["const"]]
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    types = {name for name in (schema.get("type"), *_list(schema.get("type"))) if isinstance(name, str)}
    if not types and (properties or "items" in schema):
        types = {"object" if properties else "array"}
    texts = [text for text in (schema.get("description"), schema.get("title")) if isinstance(text, str) and text]
    max_length = schema.get("maxLength")
    return _Merged(
        types=types,
        texts=[clean(texts[0], TEXT_LENGTH)] if texts else [],
        format=_text(schema.get("format")),
        pattern=_text(schema.get("pattern")),
        examples=[schema[name] for name in ("example", "x-example") if name in schema]
        + _list(schema.get("examples"))[:KEPT],
        enum=enum[:KEPT],
        closed=bool(enum),
        read_only=schema.get("readOnly") is True,
        has_default="default" in schema,
        defaults=[schema["default"]] if "default" in schema else [],
        max_length=max_length if isinstance(max_length, int) and not isinstance(max_length, bool) else None,
        properties={name: [part] for name, part in properties.items()},
        items=[schema["items"]] if isinstance(schema.get("items"), Mapping) else [],
        required={name for name in _list(schema.get("required")) if isinstance(name, str)}
        | {name for name, part in properties.items() if isinstance(part, Mapping) and part.get("required") is True},
        open=schema.get("additionalProperties") is not False and schema.get("unevaluatedProperties") is not False,
    )


def _element(name: str, parts: list[_Merged], samples: list[Any], required: bool) -> Element:
    merged = _Merged()
    for part in parts:
        merged.add(part)
    examples = [*merged.examples, *samples][:KEPT]
    return Element(
        name=name,
        texts=tuple(dict.fromkeys(merged.texts)),
        types=tuple(sorted(merged.types)),
        format=merged.format,
        pattern=merged.pattern,
        required=required,
        example=examples[0] if examples else None,
        enum=tuple(merged.enum),
        closed=merged.closed,
        values=(*merged.enum, *examples, *merged.defaults),
        read_only=merged.read_only,
        has_default=merged.has_default,
        max_length=merged.max_length,
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str | None:
    return clean(value, TEXT_LENGTH) if isinstance(value, str) and value else None
