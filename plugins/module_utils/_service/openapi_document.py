# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The OpenAPI document of a service (2.0, 3.x; API specification 4.4): its operations, by their paths.

Pure: a document of any content is read as far as it is understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from .._core.text import clean, is_legible, is_uuid, nearest

JSON = "application/json"
#: A step of a path that is one path parameter, whatever its name.
PARAMETER = "{}"
ORDER_PATH = ("api", "reseller", "contracts")
PRODUCTS_PATH = ("api", "reseller", "products")
#: The documented operations, and what may be beside them. The first one that a document has tells where base_url is.
_ANCHORS = (("POST", ORDER_PATH), ("GET", PRODUCTS_PATH), ("GET", ORDER_PATH), ("GET", (*ORDER_PATH, PARAMETER)))
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_IN_BRACES = re.compile(r"\{([^{}/]+)\}")
#: An ending for the format of the answer, which need not be given.
_FORMAT = re.compile(r"\.\{_?format\}|\{\._?format\}")
_ORIGIN = re.compile(r"\A(?:[^/]*:)?//[^/]*")
_CONTRACT, _CANCELING = re.compile(r".*/contracts?/\{[^/]+\}"), re.compile("(?i)/[^/]*(?:cancel|terminat)[^/]*$")
_SUCCESS = re.compile(r"2[0-9Xx]{2}")
_PATH_LENGTH = 500
_MOST_SERVERS = 20
#: How many references lead to one another.
_DEPTH = 60
TEXT_LENGTH = 400


@dataclass(eq=False)
class OpenApiDocument:
    """An OpenAPI document. ``url`` is where it was found: its own address, or that of the page it is embedded in.

    ``work`` is how many schemas and entries of them are looked at in all: a small document can make each of many looks
    long.
    """

    url: str
    document: Mapping[str, Any]
    work: int = 1_000_000

    @cached_property
    def operations(self) -> list[Operation]:
        """All operations that the document describes, each with its path below base_url."""
        paths = self.document.get("paths")
        items = paths.items() if isinstance(paths, Mapping) else ()
        published = [
            (method.upper(), _FORMAT.sub("", path), path, item)
            for path, item in ((path, self.resolve(node)) for path, node in items)
            for method in _METHODS
            if isinstance(path, str) and len(path) <= _PATH_LENGTH and isinstance(item.get(method), Mapping)
        ]
        server, before, missing = _location([(method, path) for method, path, *_item in published], self.document)
        operations = []
        for method, path, template, item in published:
            below = f"{server.rstrip('/')}/{path.lstrip('/')}"
            if below.startswith(f"{before}/"):
                below = missing + below.removeprefix(before)
            path = clean(below, _PATH_LENGTH)
            operations.append(Operation(method, path, template, item, item[method.lower()], self))
        return operations

    def at(self, method: str, steps: tuple[str, ...]) -> Operation | None:
        """The operation with these steps as its path, with or without a slash at the end."""
        return next((one for one in self.operations if one.method == method and _steps(one.path) == steps), None)

    def find(self, method: str, path: str) -> Operation | None:
        """The operation with this path, or whose path it fits: of several, the one with the fewest parameters."""
        of_method = [one for one in self.operations if one.method == method]
        exact = [one for one in of_method if path in (one.path, one.template)]
        fitting = exact or [one for one in of_method if re.fullmatch(_pattern(one.path), path)]
        return min(fitting, key=lambda one: len(_IN_BRACES.findall(one.path)), default=None)

    def nearest(self, method: str, path: str) -> list[str]:
        """The names of the three operations that are most like a request, those of its path first."""
        of_path = [one.name for one in self.operations if re.fullmatch(_pattern(one.path), path)]
        # A UUID or number is most of a path, and says nothing of its kind.
        names = {f"{one.method} {_folded(one.path)}": one.name for one in reversed(self.operations)}
        near = map(names.get, nearest(f"{method} {_folded(path)}", names))
        return list(dict.fromkeys([*of_path, *filter(None, near)]))[:3]

    @property
    def openapi(self) -> str:
        """The OpenAPI version of the document, such as ``3.1.0``."""
        return str(self.document.get("openapi", self.document.get("swagger", "")))

    @cached_property
    def order(self) -> Operation | None:
        """POST /api/reseller/contracts."""
        return self.at("POST", ORDER_PATH)

    @property
    def contracts_path(self) -> str | None:
        """The path below base_url that lists contracts: GET on that of the order, which the specification lacks."""
        listing = self.at("GET", ORDER_PATH)
        # Some frameworks want the slash at the end of a path.
        return "/" + "/".join(ORDER_PATH) + "/" * listing.template.endswith("/") if listing else None

    @property
    def contract_parameter(self) -> str:
        """The parameter of the path that reads one contract, which names the element of its id. Empty without one."""
        item = self.at("GET", (*ORDER_PATH, PARAMETER))
        return next(reversed(_IN_BRACES.findall(item.path)), "") if item else ""

    def resolve(self, node: object) -> Mapping[str, Any]:
        """The mapping that ``node`` is or refers to within the document; an empty one for anything else."""
        for _step in range(_DEPTH):
            if not (isinstance(node, Mapping) and isinstance(node.get("$ref"), str)):
                return node if isinstance(node, Mapping) else {}
            node = self.target(node["$ref"])
        return {}

    def target(self, reference: object) -> object:
        """The part of the document that a JSON pointer leads to; ``None`` for anything else."""
        begin, *steps = reference[:1000].split("/") if isinstance(reference, str) else [""]
        node: object = self.document if begin == "#" else None
        for step in steps:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(node, list):
                node = dict(zip(map(str, range(len(node))), node, strict=True))
            node = node.get(key) if isinstance(node, Mapping) else None
        return node


@dataclass(frozen=True)
class Operation:
    """An operation of a document, in one form for OpenAPI 2.0, 3.0 and 3.1."""

    method: str
    #: The path below base_url, without an ending for the format of the answer, and as the document has it.
    path: str
    template: str
    #: What the document has at the path, and of this method there.
    item: Mapping[str, Any]
    source: Mapping[str, Any]
    document: OpenApiDocument

    @property
    def name(self) -> str:
        """Its name in messages: ``GET /api/reseller/products``."""
        return f"{self.method} {self.path}"

    @property
    def may_cancel(self) -> bool:
        """Whether it may be what cancels a contract, by its method and path."""
        is_one = self.method == "DELETE" and _CONTRACT.fullmatch(self.path) is not None
        return is_one or (self.method in ("POST", "PUT", "PATCH") and _CANCELING.search(self.path) is not None)

    @property
    def summary(self) -> str:
        return self._text("summary") or self.description

    @property
    def description(self) -> str:
        return self._text("description")

    @property
    def group(self) -> str:
        """Its first tag; empty without one."""
        return next((clean(tag, 100) for tag in as_list(self.source.get("tags")) if isinstance(tag, str)), "")

    @cached_property
    def parameters(self) -> list[Mapping[str, Any]]:
        """Its own parameters, and those of its path that they do not replace, as published."""
        parameters: dict[tuple[str, str], Mapping[str, Any]] = {}
        for node in (*as_list(self.source.get("parameters")), *as_list(self.item.get("parameters"))):
            parameter = self.document.resolve(node)
            parameters.setdefault((str(parameter.get("name")), str(parameter.get("in"))), parameter)
        return list(parameters.values())

    @property
    def query_parameters(self) -> dict[str, int | None]:
        """Its query parameters by name, each with its default or least value, where that is a whole number."""
        numbers: dict[str, int | None] = {}
        for parameter in self.parameters:
            name = parameter.get("name")
            if parameter.get("in") == "query" and isinstance(name, str) and is_legible(name):
                # OpenAPI 2.0 has no schema within a parameter.
                schema = self.document.resolve(parameter.get("schema", parameter))
                values = map(schema.get, ("default", "minimum"))
                numbers[name] = next((value for value in values if type(value) is int), None)
        return numbers

    @property
    def body(self) -> dict[str, Mapping[str, Any]]:
        """The media types of its request, each with ``schema``, ``example`` and ``examples`` as published."""
        # OpenAPI 2.0 keeps the body among the parameters.
        bodies = [parameter for parameter in self.parameters if parameter.get("in") == "body"]
        request = bodies[0] if bodies else self.document.resolve(self.source.get("requestBody"))
        content = request.get("content")
        if "schema" in request:
            # OpenAPI 2.0 lists the media types of all requests in one place.
            names = as_list(self.source.get("consumes", self.document.document.get("consumes")))
            content = dict.fromkeys(map(str, names or [JSON]), request)
        media_types: dict[str, Mapping[str, Any]] = {}
        for name, media in content.items() if isinstance(content, Mapping) else ():
            media_type = str(name).partition(";")[0].strip().lower()
            # What could not be sent as a header is left out.
            if media_type.isascii() and media_type.isprintable() and 0 < len(media_type) < 100:
                is_any = media_type in ("*/*", "application/*")
                media_types[JSON if is_any else media_type] = self.document.resolve(media)
        return media_types

    @property
    def successes(self) -> list[str]:
        """The published statuses of its 2xx answers."""
        responses = self.source.get("responses")
        return [*filter(_SUCCESS.fullmatch, map(str, responses if isinstance(responses, Mapping) else ()))]

    def _text(self, key: str) -> str:
        """A text on one line; empty for anything else."""
        text = self.source.get(key)
        return clean(text, TEXT_LENGTH) if isinstance(text, str) else ""


def _location(published: Iterable[tuple[str, str]], document: Mapping[str, Any]) -> tuple[str, str, str]:
    """The path of the server, what of it and the paths stands before base_url's own, and what of that is missing.

    Without a server that says /api, the only path that ends with the other steps is taken for it.
    """
    servers = _server_paths(document)
    for method, wanted in _ANCHORS:
        paths = [path for method_of_path, path in published if method_of_path == method]
        full_paths = [(f"{server}/{path}", server, path) for path in paths for server in servers]
        for missing in (0, 1):
            tail = wanted[missing:]
            ending = [row for row in full_paths if _steps(row[0])[-len(tail) :] == tail]
            if ending and (not missing or len({path for _full_path, _server, path in ending}) == 1):
                full_path, server, _path = min(ending, key=lambda row: len(_steps(row[0])))
                before = [*filter(None, full_path.split("/"))][: -len(tail)]
                return server, "".join(f"/{step}" for step in before), f"/{wanted[0]}" * missing
    return servers[0], "", ""


def _server_paths(document: Mapping[str, Any]) -> list[str]:
    """The paths of the addresses at which the document says that the API is."""
    servers = as_list(document.get("servers"))[:_MOST_SERVERS]
    urls = [document.get("basePath"), *(server.get("url") for server in servers if isinstance(server, Mapping))]
    return [f"/{_ORIGIN.sub('', url).lstrip('/')}" for url in urls if isinstance(url, str)] or [""]


def _steps(path: str) -> tuple[str, ...]:
    """The steps of a path, whatever its parameters are called."""
    return tuple(PARAMETER if step[0] == "{" and step[-1] == "}" else step for step in path.split("/") if step)


def _folded(path: str) -> str:
    """A path with one placeholder for each parameter, UUID and number in it."""
    steps = path.split("/")
    return "/".join(PARAMETER if is_uuid(step) or step.isdigit() or "{" in step else step for step in steps)


def _pattern(path: str) -> str:
    """The regular expression of the paths that a template stands for."""
    parts = _IN_BRACES.split(path)
    return "".join("([^/]+)" if at % 2 else re.escape(part) for at, part in enumerate(parts))


def as_list(value: object) -> list[Any]:
    """A list of a document; nothing for anything else."""
    return value if isinstance(value, list) else []
