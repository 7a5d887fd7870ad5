# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an object's elements from the schemas of an OpenAPI document. Merges references and compositions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote

from .._core.errors import PublishedReferenceError
from .._core.text import clean, words

#: Schemas and entries of them looked at for one document in all, and how deep schemas may be composed.
WORK = 1_000_000
DEPTH = 60
#: So many values are shown of a part of a document with all references followed.
MOST_SHOWN = 5_000
#: What a schema without entries costs.
_EACH = 10
REFERENCE_LENGTH = 1000
#: All types of JSON Schema. Other words of a document are none.
TYPES = words("array boolean integer null number object string")
#: How many of anything are kept to be shown or compared, and how long texts may be.
KEPT = 20
NAME_LENGTH = 100
TOO_MUCH = "its schemas are too many or too deeply composed to be followed"
TEXT_LENGTH = 400


@dataclass
class Described:
    """What a schema and all that it is composed of say of one value.

    ``properties`` are the schemas of each element. ``closed``: ``enum`` lists all values. ``sources`` are the schemas
    themselves, for what else they say.
    """

    types: set[str] = field(default_factory=set)
    enum: list[Any] = field(default_factory=list)
    closed: bool = False
    read_only: bool = False
    properties: dict[str, list[Any]] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    sources: list[Mapping[str, Any]] = field(default_factory=list)

    def first(self, key: str) -> Any:
        """The value of the first schema with this key."""
        return next((schema[key] for schema in self.sources if key in schema), None)

    def every(self, *keys: str) -> list[Any]:
        """The values of all schemas with one of these keys."""
        return [schema[key] for schema in self.sources for key in keys if key in schema][:KEPT]

    def text(self, key: str) -> str | None:
        """The text of the first schema with one under this key."""
        return next((clean(text, TEXT_LENGTH) for text in self.every(key) if isinstance(text, str) and text), None)

    @property
    def examples(self) -> list[Any]:
        listed = [example for examples in self.every("examples") for example in as_list(examples)]
        return [*self.every("example", "x-example"), *listed][:KEPT]

    def add(self, other: Described) -> None:
        """Merge what holds as well (``allOf``, ``$ref``)."""
        self.types = (self.types & other.types) or (self.types | other.types)
        self.required |= other.required
        self.read_only |= other.read_only
        self.closed |= other.closed
        self._collect(other)

    def add_alternatives(self, others: list[Described]) -> None:
        """Merge what holds one at a time (``oneOf``, ``anyOf``): required is only what all of them require."""
        if not others:
            return
        united = Described(
            types=set().union(*(other.types for other in others)) if all(other.types for other in others) else set(),
            required=set.intersection(*(other.required for other in others)),
            read_only=all(other.read_only for other in others),
            closed=all(other.closed for other in others),
        )
        for other in others:
            united._collect(other)
        self.add(united)

    def _collect(self, other: Described) -> None:
        self.enum.extend(other.enum[: KEPT - len(self.enum)])
        for name, schemas in other.properties.items():
            self.properties.setdefault(name, []).extend(schemas)
        self.sources.extend(other.sources)


class Element(NamedTuple):
    """One element of an object: what its schemas say together, and what examples of the object show of it."""

    name: str
    described: Described
    required: bool = False
    samples: tuple[Any, ...] = ()

    @property
    def texts(self) -> list[str]:
        """Its descriptions, or titles."""
        texts = (each.get("description") or each.get("title") for each in self.described.sources)
        return list(dict.fromkeys(clean(text, TEXT_LENGTH) for text in texts if isinstance(text, str) and text))

    @property
    def values(self) -> list[Any]:
        """What is given as allowed value, example or default."""
        return [*self.described.enum, *self.described.examples, *self.samples, *self.described.every("default")]

    def __str__(self) -> str:
        facts = [" or ".join(sorted(self.described.types)), self.described.text("format")]
        listed = ", ".join(fact for fact in (*facts, "required" if self.required else None) if fact)
        text = " ".join(self.texts)
        return clean(self.name + (f" ({listed})" if listed else "") + (f": {text}" if text else ""), TEXT_LENGTH)


class Schemas:
    """Follows the references within one document. One that leads elsewhere or nowhere says nothing.

    What schemas say together is worked out once. The work is bounded for all looks at the document, because a small
    document can make each of many looks long.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self._work = WORK
        self._known: dict[tuple[int, ...], tuple[list[object], Described]] = {}

    def resolve(self, node: object) -> Mapping[str, Any]:
        """The mapping that ``node`` is or refers to; an empty one for anything else."""
        seen: set[int] = set()
        while isinstance(node, Mapping) and isinstance(node.get("$ref"), str) and id(node) not in seen:
            seen.add(id(node))
            node = self._target(node["$ref"])
        return node if isinstance(node, Mapping) else {}

    def elements(self, schema: object, examples: Iterable[object] = ()) -> list[Element]:
        """The elements of the object that a schema describes, with what further examples of the object add.

        Raises PublishedReferenceError when the schemas are too large or too deep.
        """
        merged = self.described([schema])
        if merged.types and "object" not in merged.types:
            return []
        samples = [example for example in (*examples, *merged.examples) if isinstance(example, Mapping)][:KEPT]
        names = dict.fromkeys([*merged.properties, *(name for sample in samples for name in sample)])
        self._spend(len(names))
        return [
            Element(
                name,
                self.described(merged.properties.get(name, [])),
                name in merged.required,
                tuple(sample[name] for sample in samples if name in sample),
            )
            for name in names
            if isinstance(name, str) and name and name.isprintable() and len(name) <= NAME_LENGTH
        ]

    def described(self, schemas: Iterable[object]) -> Described:
        """What all of these schemas of one value say together. It is shared: do not change it.

        Raises PublishedReferenceError when the schemas are too large or too deep.
        """
        nodes = list(schemas)
        # Their ids stay theirs, because the nodes are kept beside the result.
        key = tuple(map(id, nodes))
        if key not in self._known:
            self._known[key] = nodes, self._merged({"allOf": nodes}, frozenset(), DEPTH)
        return self._known[key][1]

    def expanded(self, node: object) -> Any:
        """A copy of a part of the document, with what its references refer to in place of them.

        A reference within what it refers to stays as it is, as do all of them once the copy is large.
        """
        left = MOST_SHOWN

        def copied(value: object, above: tuple[str, ...], depth: int) -> Any:
            nonlocal left
            left -= 1
            if isinstance(value, list) and depth:
                return [copied(each, above, depth - 1) for each in value]
            if not isinstance(value, Mapping) or not depth:
                return "…" if isinstance(value, (Mapping, list)) else value
            reference = value.get("$ref")
            if isinstance(reference, str) and reference not in above and left > 0:
                target = self._target(reference)
                if isinstance(target, Mapping):
                    beside = {name: item for name, item in value.items() if name != "$ref"}
                    return copied({**target, **beside}, (*above, reference), depth - 1)
            return {str(name): copied(item, above, depth - 1) for name, item in value.items()}

        return copied(node, (), DEPTH)

    def _target(self, reference: str) -> object:
        if (reference != "#" and not reference.startswith("#/")) or len(reference) > REFERENCE_LENGTH:
            return None
        node: object = self.document
        for step in reference[2:].split("/") if len(reference) > 1 else ():
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(node, Mapping) and key in node:
                node = node[key]
            elif isinstance(node, list) and key.isascii() and key.isdigit() and int(key[:9]) < len(node):
                node = node[int(key[:9])]
            else:
                return None
        return node

    def _merged(self, schema: object, above: frozenset[int], depth: int) -> Described:
        """``above`` holds the schemas that this one is a part of: a schema within itself adds nothing."""
        if not isinstance(schema, Mapping) or id(schema) in above:
            return Described()
        self._spend(_EACH + sum(len(part) for part in schema.values() if isinstance(part, (list, Mapping))))
        if depth == 0:
            raise PublishedReferenceError(TOO_MUCH)
        above |= {id(schema)}
        merged = _own(schema)
        if isinstance(schema.get("$ref"), str):
            merged.add(self._merged(self._target(schema["$ref"]), above, depth - 1))
        for part in as_list(schema.get("allOf")):
            merged.add(self._merged(part, above, depth - 1))
        for group in _alternatives(schema):
            parts = [{} if part is True else part for part in group if isinstance(part, Mapping) or part is True]
            merged.add_alternatives([self._merged(part, above, depth - 1) for part in parts])
        self._spend(len(merged.required) + sum(len(parts) for parts in merged.properties.values()))
        return merged

    def _spend(self, work: int) -> None:
        self._work -= work
        if self._work < 0:
            raise PublishedReferenceError(TOO_MUCH)


def _own(schema: Mapping[str, Any]) -> Described:
    """What a schema says by itself."""
    enum = [*as_list(schema.get("enum")), *([schema["const"]] if "const" in schema else [])]
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    given = schema.get("type")
    types = {name for name in ([given] if isinstance(given, str) else as_list(given)) if isinstance(name, str)} & TYPES
    if not types and (properties or "items" in schema):
        types = {"object" if properties else "array"}
    return Described(
        types=types,
        enum=enum[:KEPT],
        closed=bool(enum),
        read_only=schema.get("readOnly") is True,
        properties={str(name): [part] for name, part in properties.items()},
        required={name for name in as_list(schema.get("required")) if isinstance(name, str)}
        | {name for name, part in properties.items() if isinstance(part, Mapping) and part.get("required") is True},
        sources=[schema],
    )


def _alternatives(schema: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Groups of forms of which one holds. ``{}`` says nothing."""
    groups = [schema[name] for name in ("oneOf", "anyOf") if as_list(schema.get(name))]
    yield from groups
    discriminator = schema.get("discriminator")
    targets = discriminator.get("mapping") if isinstance(discriminator, Mapping) else None
    if isinstance(targets, Mapping) and not groups:
        names = map(str, targets.values())
        yield [{"$ref": name if name.startswith("#") else f"#/components/schemas/{name}"} for name in names]
    conditional = [schema.get(name) for name in ("if", "then", "else")]
    for name in ("dependentSchemas", "dependencies"):
        conditional += schema[name].values() if isinstance(schema.get(name), Mapping) else ()
    yield from ([form, {}] for form in conditional if form)


def as_list(value: object) -> list[Any]:
    """A list of a document; nothing for anything else."""
    return value if isinstance(value, list) else []
