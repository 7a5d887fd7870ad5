# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An operation of the published reference, in one form for OpenAPI 2.0, 3.0 and 3.1. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .._core.text import clean
from .._reference.operations import METHODS
from .._reference.schemas import Schemas

Place = Literal["path", "query", "header", "cookie"]

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
JSON = "application/json"
_PLACES: tuple[Place, ...] = ("path", "query", "header", "cookie")
_TEXT = 400
#: How arrays are written in OpenAPI 2.0: the style of 3.x, and whether each value has a parameter of its own.
_COLLECTIONS = {
    "csv": (None, False),
    "ssv": ("spaceDelimited", False),
    "tsv": ("tabDelimited", False),
    "pipes": ("pipeDelimited", False),
    "multi": ("form", True),
}
_STYLES: Mapping[Place, str] = {"path": "simple", "header": "simple", "query": "form", "cookie": "form"}
#: What OpenAPI 2.0 writes beside a parameter's name and 3.x into its schema.
_BESIDE = ("name", "in", "required", "description", "collectionFormat", "allowEmptyValue")


@dataclass(frozen=True)
class Parameter:
    """A parameter. ``style`` and ``explode`` say how lists and mappings are written (OpenAPI 3.x).

    ``as_json``: the value is written as JSON in a text.
    """

    name: str
    place: Place
    required: bool = False
    schema: Any = None
    style: str = "simple"
    explode: bool = False
    reserved: bool = False
    as_json: bool = False
    description: str = ""


@dataclass(frozen=True)
class Body:
    """The body of a request: the schema for each media type that is offered, in the reference's order."""

    contents: Mapping[str, Any]
    required: bool = False
    description: str = ""

    def usual_type(self) -> str:
        """The default media type: JSON, a type based on JSON, a form, or the first one."""
        ranks = (
            lambda name: name in (JSON, "*/*", "application/*"),
            lambda name: is_json(name) and "patch" not in name,
            is_json,
            lambda name: name == FORM,
            lambda name: name == MULTIPART,
        )
        for fits in ranks:
            for name in self.contents:
                if fits(name):
                    return JSON if "*" in name else name
        return next(iter(self.contents), JSON)


@dataclass(frozen=True)
class Published:
    """An operation. ``path`` is its path below ``base_url``, with parameters in braces; ``written`` all its spellings.

    ``elsewhere`` names the host that the reference says it is at, if that is not the service's.
    """

    method: str
    path: str
    written: tuple[str, ...]
    operation_id: str | None
    summary: str
    description: str
    tags: tuple[str, ...]
    deprecated: bool
    parameters: tuple[Parameter, ...]
    body: Body | None
    answer_types: tuple[str, ...]
    source: Mapping[str, Any]
    elsewhere: str | None = None

    @property
    def name(self) -> str:
        """Its name in tasks and messages: ``GET /api/reseller/products``."""
        return f"{self.method} {self.path}"

    @property
    def statuses(self) -> tuple[str, ...]:
        """The statuses of its published answers."""
        responses = self.source.get("responses")
        return tuple(map(str, responses)) if isinstance(responses, Mapping) else ()

    def of(self, place: Place) -> list[Parameter]:
        """Its parameters in this place."""
        return [parameter for parameter in self.parameters if parameter.place == place]


def is_json(media_type: str) -> bool:
    """Whether a body of this media type is JSON."""
    return media_type in (JSON, "*/*", "application/*") or media_type.endswith("+json")


def operations_of(document: Mapping[str, Any], schemas: Schemas) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Each path of the document, its item and each method that it describes."""
    paths = document.get("paths")
    for path, node in paths.items() if isinstance(paths, Mapping) else ():
        item = schemas.resolve(node)
        if isinstance(path, str):
            yield from ((path, item, method) for method in METHODS if isinstance(item.get(method), Mapping))


def described(
    document: Mapping[str, Any],
    schemas: Schemas,
    item: Mapping[str, Any],
    method: str,
    path: str,
    written: tuple[str, ...],
    elsewhere: str | None,
) -> Published:
    """The operation of this method of a path's item, whose path below base_url is ``path``."""
    operation: Mapping[str, Any] = item[method]
    found = list(_parameters(schemas, item, operation))
    tags = operation.get("tags")
    return Published(
        method=method.upper(),
        path=path,
        written=written,
        operation_id=_id(operation),
        summary=_text(operation.get("summary")),
        description=_text(operation.get("description")),
        tags=tuple(clean(tag, 100) for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        deprecated=operation.get("deprecated") is True,
        parameters=tuple(_parameter(node) for node in found if node.get("in") in _PLACES),
        body=_body_of_2(document, operation, found) if "swagger" in document else _body_of_3(schemas, operation),
        answer_types=tuple(_answer_types(document, schemas, operation)),
        source=operation,
        elsewhere=elsewhere,
    )


def _id(operation: Mapping[str, Any]) -> str | None:
    told = operation.get("operationId")
    return told if isinstance(told, str) and told else None


def _parameters(schemas: Schemas, item: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The parameters of an operation: its own ones, then those of its path that it does not replace."""
    seen: set[tuple[Any, Any]] = set()
    for holder in (operation, item):
        parameters = holder.get("parameters")
        for node in parameters[:1000] if isinstance(parameters, list) else ():
            found = schemas.resolve(node)
            key = (found.get("name"), found.get("in"))
            if isinstance(found.get("name"), str) and key not in seen:
                seen.add(key)
                yield found


def _parameter(node: Mapping[str, Any]) -> Parameter:
    place: Place = node["in"]
    schema, as_json = node.get("schema"), False
    content = node.get("content")
    style = str(node.get("style") or _STYLES[place])
    explode = bool(node.get("explode", style == "form"))
    if isinstance(content, Mapping) and content:
        media_type, held = next(iter(content.items()))
        schema, as_json = held.get("schema") if isinstance(held, Mapping) else None, is_json(str(media_type))
    elif schema is None:
        # OpenAPI 2.0.
        schema = {key: value for key, value in node.items() if key not in _BESIDE}
        if "type" in schema:
            told, explode = _COLLECTIONS.get(str(node.get("collectionFormat", "csv")), (None, False))
            style = told or style
        else:
            schema = {}
    return Parameter(
        name=node["name"],
        place=place,
        required=node.get("required") is True or place == "path",
        schema=schema,
        style=style,
        explode=explode,
        reserved=node.get("allowReserved") is True,
        as_json=as_json,
        description=_text(node.get("description")),
    )


def _body_of_3(schemas: Schemas, operation: Mapping[str, Any]) -> Body | None:
    node = schemas.resolve(operation.get("requestBody"))
    content = node.get("content")
    if not isinstance(content, Mapping) or not content:
        return None
    contents = {
        _media_type(name): schemas.resolve(held).get("schema") for name, held in content.items() if _media_type(name)
    }
    return Body(contents, node.get("required") is True, _text(node.get("description")))


def _body_of_2(
    document: Mapping[str, Any], operation: Mapping[str, Any], parameters: list[Mapping[str, Any]]
) -> Body | None:
    offered = operation.get("consumes", document.get("consumes"))
    types = [_media_type(name) for name in offered if _media_type(name)] if isinstance(offered, list) else []
    for node in parameters:
        if node.get("in") == "body":
            contents = dict.fromkeys(types or [JSON], node.get("schema"))
            return Body(contents, node.get("required") is True, _text(node.get("description")))
    fields = {node["name"]: node for node in parameters if node.get("in") == "formData"}
    if not fields:
        return None
    schema = {
        "type": "object",
        "properties": {name: _form_field(node) for name, node in fields.items()},
        "required": [name for name, node in fields.items() if node.get("required") is True],
    }
    files = any(node.get("type") == "file" for node in fields.values())
    forms = [name for name in types if name in (FORM, MULTIPART)] or [MULTIPART if files else FORM]
    return Body(dict.fromkeys(forms, schema), bool(schema["required"]))


def _form_field(node: Mapping[str, Any]) -> dict[str, Any]:
    schema = {key: value for key, value in node.items() if key not in _BESIDE or key == "description"}
    return {**schema, "type": "string", "format": "binary"} if node.get("type") == "file" else schema


def _answer_types(document: Mapping[str, Any], schemas: Schemas, operation: Mapping[str, Any]) -> Iterator[str]:
    """The media types of the answers that say yes, JSON first."""
    found: list[str] = []
    if "swagger" in document:
        offered = operation.get("produces", document.get("produces"))
        found = [_media_type(name) for name in offered] if isinstance(offered, list) else []
    responses = operation.get("responses")
    for status, node in responses.items() if isinstance(responses, Mapping) else ():
        content = schemas.resolve(node).get("content")
        if str(status)[:1] in ("2", "d") and isinstance(content, Mapping):
            found += [_media_type(name) for name in content]
    for wanted in (True, False):
        yield from (name for name in dict.fromkeys(found) if name and "*" not in name and is_json(name) is wanted)


def _media_type(name: object) -> str:
    """A media type without its parameters; empty for what could not be sent as a header."""
    media_type = name.partition(";")[0].strip().lower() if isinstance(name, str) else ""
    return media_type if media_type.isascii() and media_type.isprintable() and len(media_type) < 100 else ""


def _text(told: object) -> str:
    return clean(told, _TEXT) if isinstance(told, str) else ""
