# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads operations and the body of an order from an OpenAPI document (API specification 4.1 and 4.4).

Pure: documents in, values or a PublishedReferenceError out, whatever the document is made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from .._core.text import clean
from .order_shape import JSON_TYPE
from .schemas import ObjectShape, Schemas

#: The preference of a media type that is no JSON.
UNUSABLE = 9
ORDER_PATH = ("api", "reseller", "contracts")
#: In a path that is looked for, a step that is one path parameter of whatever name.
PARAMETER = "{}"
PRODUCTS_PATH = ("api", "reseller", "products")
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
MOST_OPERATIONS = 5000
#: How many servers, media types and examples are looked at.
MOST = 25
PATH_LENGTH = 500
SUMMARY_LENGTH = 200


@dataclass(frozen=True)
class Operation:
    """A published operation, with the groups (``tags``) that it is in.

    ``path`` begins with the path of the reference's server or ``basePath``, where told.
    """

    method: str
    path: str
    summary: str
    operation_id: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class QueryParameter:
    """A query parameter; ``first`` is its default value, or the least one, if that is a whole number."""

    name: str
    first: int | None = None


@dataclass(frozen=True)
class OrderBody:
    """The request body of the order operation, as the document describes it."""

    media_type: str = JSON_TYPE
    shape: ObjectShape = field(default_factory=ObjectShape)
    not_followed: tuple[str, ...] = ()


def operations(document: Mapping[str, Any]) -> list[Operation]:
    """All operations that the document describes, in its order."""
    found = []
    for path, item, prefixes in _paths(document):
        for method, operation in item.items():
            if method in METHODS and isinstance(operation, Mapping):
                told = operation.get("summary") or operation.get("description")
                summary = clean(told, SUMMARY_LENGTH) if isinstance(told, str) else ""
                prefix = "".join(f"/{segment}" for segment in _segments(prefixes[0]))
                full_path = f"{prefix}/{path.removeprefix('/')}"
                tags, name = operation.get("tags"), operation.get("operationId")
                groups = [clean(tag, 100) for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
                operation_id = clean(name, SUMMARY_LENGTH) if isinstance(name, str) and name else None
                found.append(
                    Operation(
                        method.upper(), clean(full_path, PATH_LENGTH), summary, operation_id, tuple(groups[:MOST])
                    )
                )
        if len(found) >= MOST_OPERATIONS:
            break
    return found


def describes_orders(document: Mapping[str, Any]) -> bool:
    """Whether the document has the operation POST /api/reseller/contracts."""
    return order_operation(document) is not None


def order_body(document: Mapping[str, Any]) -> OrderBody | None:
    """The body of POST /api/reseller/contracts; ``None`` when the document does not describe that operation.

    Raises PublishedReferenceError when its schemas are too many or too deep.
    """
    found = order_operation(document)
    if found is None:
        return None
    schemas = Schemas(document)
    contents = [
        (media_type, schemas.object_shape(schema, examples))
        for media_type, schema, examples in _contents(document, schemas, *found)
    ]
    # One without elements, such as a free-form object, tells less than one in another media type.
    media_type, shape = min(
        [content for content in contents if content[1].elements] or contents,
        key=lambda content: preference(content[0]),
        default=(JSON_TYPE, ObjectShape()),
    )
    if preference(media_type) == UNUSABLE:
        media_type = JSON_TYPE
    return OrderBody(media_type, shape, tuple(schemas.not_followed))


# Finding the operation


def _paths(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], list[str]]]:
    """Each path, its item and the path prefixes that the item's servers or the document's add (at least one)."""
    schemas = Schemas(document)
    paths = document.get("paths")
    outer = _prefixes(document)
    for path, item in paths.items() if isinstance(paths, Mapping) else ():
        resolved = schemas.resolve(item)
        if isinstance(path, str) and resolved:
            yield path, resolved, _prefixes(resolved) or outer or [""]


def _prefixes(holder: Mapping[str, Any]) -> list[str]:
    """The paths of ``servers`` (with their variables' defaults) or of Swagger 2.0's ``basePath``."""
    base_path = holder.get("basePath")
    if isinstance(base_path, str) and "swagger" in holder:
        return [base_path]
    servers = holder.get("servers")
    found = []
    for server in servers[:MOST] if isinstance(servers, list) else ():
        url = server.get("url") if isinstance(server, Mapping) else None
        if isinstance(url, str) and len(url) < 1000:
            variables = server.get("variables")
            for name, variable in list(variables.items())[:MOST] if isinstance(variables, Mapping) else ():
                if isinstance(variable, Mapping):
                    url = url.replace(f"{{{name}}}", str(variable.get("default", ""))[:100])
            try:
                found.append(urlsplit(url).path)
            except ValueError:
                continue
    return found


def _segments(path: str) -> list[str]:
    """The steps of a path, without an ending for the format such as ``.{_format}``."""
    return [segment.partition(".{")[0].partition("{.")[0] or segment for segment in path[:2000].split("/") if segment]


def order_operation(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """The path item and operation of POST /api/reseller/contracts."""
    return _operation_at(document, "post", ORDER_PATH)


def products_operation(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """The path item and operation of GET /api/reseller/products."""
    return _operation_at(document, "get", PRODUCTS_PATH)


def contract_list_operation(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """The path item and operation of GET /api/reseller/contracts, which the document does not show."""
    return _operation_at(document, "get", ORDER_PATH)


def contract_item_operation(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """The path item and operation of GET on the order's path with one path parameter."""
    return _operation_at(document, "get", (*ORDER_PATH, PARAMETER))


def ends_with_slash(document: Mapping[str, Any], item: Mapping[str, Any]) -> bool:
    """Whether the path of this item is published with a slash at its end, as some frameworks want it."""
    return any(path.endswith("/") for path, each, _prefixes in _paths(document) if each is item)


def _operation_at(
    document: Mapping[str, Any], method: str, wanted: tuple[str, ...]
) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """The path item and operation of a documented path.

    Without a server that says /api, the only path that ends with the other steps is taken for it.
    """
    exact, similar, length = [], [], len(wanted)
    for path, item, prefixes in _paths(document):
        operation = item.get(method)
        if not isinstance(operation, Mapping):
            continue
        # An operation may have servers of its own.
        full = [_comparable(_segments(prefix) + _segments(path)) for prefix in _prefixes(operation) or prefixes]
        if any(steps[-length:] == wanted for steps in full):
            exact.append((min(len(steps) for steps in full), item, operation))
        elif any(steps[-length + 1 :] == wanted[1:] for steps in full):
            similar.append((0, item, operation))
    found = exact or (similar if len(similar) == 1 else [])
    if not found:
        return None
    _rest, item, operation = min(found, key=lambda candidate: candidate[0])
    return item, operation


def _comparable(steps: list[str]) -> tuple[str, ...]:
    return tuple(PARAMETER if step.startswith("{") and step.endswith("}") else step for step in steps)


def catalogue_parameters(document: Mapping[str, Any]) -> list[QueryParameter]:
    """The query parameters of GET /api/reseller/products; none when the document does not describe it."""
    return query_parameters(document, products_operation(document))


def query_parameters(
    document: Mapping[str, Any], found: tuple[Mapping[str, Any], Mapping[str, Any]] | None
) -> list[QueryParameter]:
    """The query parameters of an operation; none without it."""
    if found is None:
        return []
    schemas = Schemas(document)
    parameters = []
    for described in _parameters(schemas, *found):
        if described.get("in") == "query" and isinstance(described.get("name"), str):
            # Swagger 2.0 has the schema's parts beside the name.
            schema = {**described, **schemas.resolve(described.get("schema"))}
            numbers = [schema.get(key) for key in ("default", "minimum")]
            first = next((one for one in numbers if isinstance(one, int) and not isinstance(one, bool)), None)
            parameters.append(QueryParameter(described["name"], first))
    return parameters


# Finding the body


def preference(media_type: str) -> int:
    """The lower the better; UNUSABLE for what is no JSON."""
    if media_type in (JSON_TYPE, "*/*", "application/*"):
        return 0
    if media_type == "application/ld+json":
        return 1
    return 2 if media_type.endswith("+json") else UNUSABLE


def _contents(
    document: Mapping[str, Any], schemas: Schemas, item: Mapping[str, Any], operation: Mapping[str, Any]
) -> Iterator[tuple[str, object, list[object]]]:
    """Each media type of the request body, with its schema and examples of the whole body."""
    content = schemas.resolve(operation.get("requestBody")).get("content")
    for name, media in list(content.items())[:MOST] if isinstance(content, Mapping) else ():
        described = schemas.resolve(media)
        examples = described.get("examples")
        named = list(examples.values())[:MOST] if isinstance(examples, Mapping) else []
        samples = [described.get("example"), *(schemas.resolve(sample).get("value") for sample in named)]
        yield media_type_of(name), described.get("schema"), samples
    if "swagger" in document:
        offered = operation.get("consumes", document.get("consumes"))
        names = [media_type_of(name) for name in offered[:MOST]] if isinstance(offered, list) else []
        schema = _body_schema(schemas, item, operation)
        yield min(names, key=preference, default=JSON_TYPE), schema, []


def media_type_of(name: object) -> str:
    media_type = name.partition(";")[0].strip().lower() if isinstance(name, str) else ""
    if preference(media_type) == 0:
        return JSON_TYPE
    # It is sent as a header.
    return media_type if media_type.isascii() and media_type.isprintable() and len(media_type) < 100 else ""


def _body_schema(schemas: Schemas, item: Mapping[str, Any], operation: Mapping[str, Any]) -> object:
    """Swagger 2.0 keeps the body among the parameters: one ``in: body``, or one ``in: formData`` for each element."""
    fields: dict[str, Any] = {}
    for described in _parameters(schemas, item, operation):
        if described.get("in") == "body":
            return described.get("schema")
        if described.get("in") == "formData" and isinstance(described.get("name"), str):
            fields[described["name"]] = described
    return {"properties": fields}


def _parameters(schemas: Schemas, item: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for holder in (operation, item):
        parameters = holder.get("parameters")
        for parameter in parameters[:1000] if isinstance(parameters, list) else ():
            yield schemas.resolve(parameter)
