# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of a request as an OpenAPI document describes them, in one form for 2.0, 3.0 and 3.1. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .._core.text import clean
from .schemas import TEXT_LENGTH

Place = Literal["path", "query", "header", "cookie"]

JSON = "application/json"
#: In its form, the elements of a body are attributes of a resource.
JSON_API = "application/vnd.api+json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
#: The preference of a media type that is not JSON.
UNUSABLE = 9
DEFAULT_STYLES: Mapping[Place, str] = {"path": "simple", "header": "simple", "query": "form", "cookie": "form"}
#: How OpenAPI 2.0 calls lists in the default styles of 3.x: whether each value is a parameter of its own.
_COLLECTIONS = {"csv": False, "multi": True}
#: What OpenAPI 2.0 writes beside a parameter's name and 3.x into its schema.
_BESIDE = ("name", "in", "required", "description", "collectionFormat", "allowEmptyValue")


@dataclass(frozen=True)
class Parameter:
    """A parameter.

    ``explode``: each value of a list is a parameter of its own (OpenAPI 3.x). ``style`` is named if it is not the
    default one of its place.
    """

    name: str
    place: Place
    required: bool = False
    schema: Any = None
    explode: bool = False
    style: str | None = None
    description: str = ""


@dataclass(frozen=True)
class Body:
    """The body of a request: the schema for each media type, in the reference's order, and examples of the whole."""

    contents: Mapping[str, Any]
    required: bool = False
    examples: Mapping[str, list[Any]] = field(default_factory=dict)

    @property
    def media_type(self) -> str:
        """The media type to send: JSON, another type based on JSON, a form with files, otherwise the first one."""
        return min(self.contents, key=lambda name: preference(name) - (name == MULTIPART), default=JSON)


def preference(media_type: str) -> int:
    """The lower the better; UNUSABLE for what is not JSON."""
    if media_type in (JSON, "*/*", "application/*"):
        return 0
    if media_type == "application/ld+json":
        return 1
    if not media_type.endswith("+json"):
        return UNUSABLE
    # A task gives the elements that are to change: a merge patch is what it means, a list of changes is not.
    return 2 if "merge-patch" in media_type else 3 + ("patch" in media_type)


def media_type_of(name: object) -> str:
    """A media type without its parameters; empty for what could not be sent as a header."""
    media_type = name.partition(";")[0].strip().lower() if isinstance(name, str) else ""
    if preference(media_type) == 0:
        return JSON
    return media_type if media_type.isascii() and media_type.isprintable() and len(media_type) < 100 else ""


def parameter_of(node: Mapping[str, Any]) -> Parameter:
    """The parameter that a node describes; its place is one of those of DEFAULT_STYLES."""
    place: Place = node["in"]
    usual, collection = DEFAULT_STYLES[place], str(node.get("collectionFormat", "csv"))
    style = node.get("style", usual)
    explode = node.get("explode", style == "form") is True
    schema = node.get("schema")
    if isinstance(node.get("content"), Mapping):
        schema, style = None, "content"
    elif schema is None:
        # OpenAPI 2.0.
        schema = {key: value for key, value in node.items() if key not in _BESIDE} if "type" in node else {}
        if schema.get("type") == "array":
            explode, style = _COLLECTIONS.get(collection, False), usual if collection in _COLLECTIONS else collection
    return Parameter(
        name=node["name"],
        place=place,
        required=node.get("required") is True or place == "path",
        schema=schema,
        explode=explode,
        style=None if style == usual else clean(str(style), 40),
        description=described_text(node.get("description")),
    )


def form_field(node: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a field of a form (OpenAPI 2.0)."""
    schema = {key: value for key, value in node.items() if key not in _BESIDE or key == "description"}
    return {**schema, "type": "string", "format": "binary"} if node.get("type") == "file" else schema


def described_text(text: object) -> str:
    """A text of a document on one line; empty for anything else."""
    return clean(text, TEXT_LENGTH) if isinstance(text, str) else ""
