# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an object's elements from the schemas of an OpenAPI document. Merges references and compositions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote

from .._core.errors import PublishedReferenceError
from .._core.text import clean

#: Schemas and entries of them looked at for one document in all, and how deep schemas may be composed.
WORK = 1_000_000
DEPTH = 60
#: What a schema without entries costs.
_EACH = 10
#: How many of anything are kept to be shown or compared, and how long texts may be.
KEPT = 20
NAME_LENGTH = 100
TEXT_LENGTH = 400
TOO_MUCH = "its schemas are too many or too deeply composed to be followed"


@dataclass
class Described:
    """A schema with all that it is composed of, which describe one value.

    ``properties`` are the schemas of each element. ``sources`` are the schemas themselves.
    """

    properties: dict[str, list[Any]] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    sources: list[Mapping[str, Any]] = field(default_factory=list)

    def every(self, *keys: str) -> list[Any]:
        """The values of all schemas with one of these keys."""
        return [schema[key] for schema in self.sources for key in keys if key in schema][:KEPT]

    def listed(self, key: str) -> list[Any]:
        """The members of all lists under this key."""
        return [value for values in self.every(key) for value in as_list(values)[:KEPT]]

    def text(self, key: str) -> str | None:
        """The text of the first schema with one under this key."""
        return next((clean(text, TEXT_LENGTH) for text in self.every(key) if isinstance(text, str) and text), None)

    @property
    def types(self) -> list[str]:
        """The types that any schema names, but for null."""
        named = [*self.every("type"), *self.listed("type")]
        return list(dict.fromkeys(name for name in named if isinstance(name, str) and name != "null"))

    @property
    def allowed(self) -> list[Any]:
        """The values that any schema lists as allowed."""
        return [*self.listed("enum"), *self.every("const")]

    @property
    def examples(self) -> list[Any]:
        return [*self.every("example", "x-example"), *self.listed("examples")][:KEPT]

    def add(self, other: Described, *, is_certain: bool = True) -> None:
        """Merge what holds as well, or, unless it is certain, may hold."""
        self.required |= other.required if is_certain else set()
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
        """The allowed values, examples and defaults."""
        return [*self.described.allowed, *self.described.examples, *self.samples, *self.described.every("default")]

    def __str__(self) -> str:
        facts = [" or ".join(sorted(self.described.types)), self.described.text("format")]
        listed = ", ".join(fact for fact in (*facts, "required" if self.required else None) if fact)
        text = " ".join(self.texts)
        return clean(self.name + (f" ({listed})" if listed else "") + (f": {text}" if text else ""), TEXT_LENGTH)


@dataclass(eq=False)
class Schemas:
    """Follows the references within one document. One that leads elsewhere or nowhere says nothing.

    The work is bounded for all looks at the document, because a small document can make each of many looks long.
    """

    document: Mapping[str, Any]
    work: int = WORK

    def resolve(self, node: object) -> Mapping[str, Any]:
        """The mapping that ``node`` is or refers to; an empty one for anything else."""
        for _step in range(DEPTH):
            if not (isinstance(node, Mapping) and isinstance(node.get("$ref"), str)):
                return node if isinstance(node, Mapping) else {}
            node = self._target(node["$ref"])
        return {}

    def elements(self, schema: object, examples: Iterable[object] = ()) -> list[Element]:
        """The elements of the object that a schema describes, with what further examples of the object add.

        Raises PublishedReferenceError when the schemas are too large or too deep.
        """
        merged = self._merged(schema)
        samples = [example for example in (*examples, *merged.examples) if isinstance(example, Mapping)][:KEPT]
        names = dict.fromkeys([*merged.properties, *(name for sample in samples for name in sample)])
        return [
            Element(
                name,
                self._merged({"allOf": merged.properties.get(name, [])}),
                name in merged.required,
                tuple(sample[name] for sample in samples if name in sample),
            )
            for name in names
            if isinstance(name, str) and name and name.isprintable() and len(name) <= NAME_LENGTH
        ]

    def _target(self, reference: str) -> object:
        """The part of the document that a JSON pointer leads to; ``None`` for any other reference."""
        begin, *steps = reference[:1000].split("/")
        node: object = self.document if begin == "#" else None
        for step in steps:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(node, list):
                node = dict(zip(map(str, range(len(node))), node, strict=True))
            node = node.get(key) if isinstance(node, Mapping) else None
        return node

    def _merged(self, schema: object, above: frozenset[int] = frozenset()) -> Described:
        """``above`` holds the schemas that this one is a part of: a schema within itself adds nothing."""
        merged = Described()
        if not isinstance(schema, Mapping) or id(schema) in above:
            return merged
        self.work -= _EACH + sum(len(part) for part in schema.values() if isinstance(part, (list, Mapping)))
        if self.work < 0 or len(above) > DEPTH:
            raise PublishedReferenceError(TOO_MUCH)
        above |= {id(schema)}
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            merged.properties = {str(name): [part] for name, part in properties.items()}
        merged.required = {name for name in as_list(schema.get("required")) if isinstance(name, str)}
        merged.sources = [schema]
        referred = self._target(schema["$ref"]) if isinstance(schema.get("$ref"), str) else None
        for part in (referred, *as_list(schema.get("allOf"))):
            merged.add(self._merged(part, above))
        for name in ("oneOf", "anyOf"):
            self._add_forms(merged, as_list(schema.get(name)), above)
        return merged

    def _add_forms(self, merged: Described, forms: list[Any], above: frozenset[int]) -> None:
        """Add forms of which a value has one: an element is required if all of them require it."""
        described = [self._merged(form, above) for form in forms]
        for each in described:
            merged.add(each, is_certain=False)
        if described:
            merged.required |= set.intersection(*(each.required for each in described))


def as_list(value: object) -> list[Any]:
    """A list of a document; nothing for anything else."""
    return value if isinstance(value, list) else []
