# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The OpenAPI document of the service (2.0, 3.x): read from JSON or YAML that may be malformed or hostile, and which
operation of it a path names. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .._core.errors import PublishedReferenceError
from .._core.text import check_depth, check_size, clean, describe_json, is_uuid, nearest
from .published_operation import Operation
from .schemas import Schemas, as_list

VERSIONS = re.compile(r"(2\.0|3\.[0-2](\.\d+)?)(-\w+)?", re.ASCII)
#: A body without such a line is not handed to the YAML parser at all.
YAML_HEAD = re.compile(r"""^["']?(openapi|swagger)["']?[ \t]*:""", re.MULTILINE)
#: Characters of a YAML document, values in it once its aliases are written out, and how deep they may be nested.
YAML_LENGTH = 8_000_000
YAML_VALUES = 500_000
YAML_DEPTH = 200
#: What YAML says without quotes, but means as JSON does.
_JSON_VALUE = re.compile(r"true|false|null|-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][-+]?[0-9]{1,2})?")
TEXT = 300
_TOO_LARGE = "a YAML document that is too large, too deep or grows by its aliases"
ORDER_PATH = ("api", "reseller", "contracts")
PRODUCTS_PATH = ("api", "reseller", "products")
#: In a path that is looked for, a step that is one path parameter of whatever name.
PARAMETER = "{}"
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_IN_BRACES = re.compile(r"\{([^{}/]+)\}")
_ORIGIN = re.compile(r"\A(?:[^/]*:)?//[^/]*")
_PATH_LENGTH = 500
_MOST_SERVERS = 20


def openapi_version(value: object) -> str | None:
    """The OpenAPI version of a document, or ``None`` if ``value`` is not a document of a known version."""
    if not isinstance(value, Mapping):
        return None
    number = value.get("openapi", value.get("swagger"))
    version = str(number) if isinstance(number, (str, float)) else ""
    # 3.1 allows a document without paths, which describes no operation.
    if not VERSIONS.fullmatch(version) or not isinstance(value.get("paths", {}), Mapping):
        return None
    return version


def read_document(body: bytes) -> Mapping[str, Any]:
    """The OpenAPI document in a body.

    Raises PublishedReferenceError with a few words for what the body is instead.
    """
    try:
        text = body.decode(json.detect_encoding(body))
        check_size(text)
        check_depth(text)
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        text = body.decode("utf-8-sig", "replace")
        if not YAML_HEAD.search(text):
            said = clean(str(error), TEXT)
            raise PublishedReferenceError(f"neither JSON nor YAML of an OpenAPI document ({said})") from error
        value = _read_yaml(text)
    if openapi_version(value) is None:
        found = clean(describe_json(value, 1), TEXT)
        raise PublishedReferenceError(f"no OpenAPI document of version 2.0 or 3 with paths, but {found}")
    document: Mapping[str, Any] = value
    return document


def _read_yaml(text: str) -> Any:
    """The value of a YAML text, without its tags and merges: what JSON could say as well."""
    # Ansible has it. It is imported late, because few references need it.
    import yaml

    if len(text) > YAML_LENGTH:
        raise PublishedReferenceError(_TOO_LARGE)
    left = YAML_VALUES

    def value_of(node: Any, depth: int) -> Any:
        nonlocal left
        left -= 1
        if left < 0 or depth > YAML_DEPTH:
            raise PublishedReferenceError(_TOO_LARGE)
        if isinstance(node, yaml.MappingNode):
            # The keys of responses are numbers to YAML and names to OpenAPI.
            return {str(key.value): value_of(value, depth + 1) for key, value in node.value}
        if isinstance(node, yaml.SequenceNode):
            return [value_of(each, depth + 1) for each in node.value]
        plain = not node.style and (node.value or "null").replace("~", "null")
        return json.loads(plain) if plain and _JSON_VALUE.fullmatch(plain) else node.value

    loader, depth = getattr(yaml, "CBaseLoader", yaml.BaseLoader), 0
    try:
        for event in yaml.parse(text, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > YAML_DEPTH:
                # The composer would end the process.
                raise PublishedReferenceError(_TOO_LARGE)
        return value_of(yaml.compose(text, Loader=loader), 0)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PublishedReferenceError(f"no OpenAPI document: its YAML is broken ({clean(str(error), TEXT)})") from error


@dataclass(frozen=True)
class Reference:
    """An OpenAPI document. ``url`` is where it was found: its own address, or that of the page it is embedded in."""

    url: str
    document: Mapping[str, Any]

    @property
    def openapi(self) -> str:
        """The OpenAPI version of the reference, such as ``3.1.0``."""
        return openapi_version(self.document) or ""

    @cached_property
    def schemas(self) -> Schemas:
        return Schemas(self.document)

    # By a path

    @cached_property
    def operations(self) -> list[Operation]:
        """All operations that the document describes, each with its path below base_url."""
        order = self._located("POST", ORDER_PATH) or self._located("GET", PRODUCTS_PATH)
        ours, before, missing = order[1:] if order else (self._servers[0], "", "")
        found = []
        for operation in self._described:
            path = f"{ours.rstrip('/')}/{operation.plain.lstrip('/')}"
            if path.startswith(f"{before}/"):
                path = missing + path.removeprefix(before)
            found.append(replace(operation, path=clean(path, _PATH_LENGTH)))
        return found

    def find(self, method: str, path: str) -> Operation | None:
        """The operation with this path, or whose path it fits: of several, the one with the fewest parameters."""
        here = [each for each in self.operations if each.method == method]
        found = [each for each in here if path in (each.path, each.template)]
        found = found or [each for each in here if re.fullmatch(_pattern(each.path), path)]
        return min(found, key=lambda each: len(_IN_BRACES.findall(each.path)), default=None)

    def nearest(self, method: str, path: str) -> list[str]:
        """The names of the three operations that are most like a request, those of its path first."""
        here = [each.name for each in self.operations if re.fullmatch(_pattern(each.path), path)]
        # A UUID or number is most of a path, and says nothing of its kind.
        names = {f"{each.method} {_folded(each.path)}": each.name for each in reversed(self.operations)}
        near = nearest(f"{method} {_folded(path)}", names)
        return list(dict.fromkeys([*here, *(names[each] for each in near)]))[:3]

    # By a documented path

    @cached_property
    def order(self) -> Operation | None:
        """POST /api/reseller/contracts."""
        return self.at("POST", ORDER_PATH)

    @property
    def contracts_path(self) -> str | None:
        """The path below base_url that lists contracts: GET on that of the order, which the specification lacks."""
        listing = self.at("GET", ORDER_PATH)
        # Some frameworks want the slash at the end of a path.
        return _path(ORDER_PATH) + ("/" if listing.template.endswith("/") else "") if listing else None

    @property
    def contract_parameter(self) -> str:
        """The parameter of the path that reads one contract, which names the element of its id. Empty without one."""
        item = self.at("GET", (*ORDER_PATH, PARAMETER))
        return next(reversed(_IN_BRACES.findall(item.plain)), "") if item else ""

    def at(self, method: str, wanted: tuple[str, ...]) -> Operation | None:
        """The operation at a documented path, or at another one below base_url."""
        located = self._located(method, wanted)
        return located[0] if located else None

    # Where they are

    @cached_property
    def _described(self) -> list[Operation]:
        """All operations, each with the path that the document says."""
        paths = self.document.get("paths")
        items = {
            path: self.schemas.resolve(node) for path, node in (paths.items() if isinstance(paths, Mapping) else ())
        }
        return [
            Operation(method.upper(), "", path, item, item[method], self.schemas)
            for path, item in items.items()
            for method in _METHODS
            if isinstance(path, str) and len(path) <= _PATH_LENGTH and isinstance(item.get(method), Mapping)
        ]

    @cached_property
    def _servers(self) -> list[str]:
        """The paths of the addresses at which the document says that the API is."""
        servers = as_list(self.document.get("servers"))[:_MOST_SERVERS]
        urls = [self.document.get("basePath"), *(each.get("url") for each in servers if isinstance(each, Mapping))]
        return [f"/{_ORIGIN.sub('', url).lstrip('/')}" for url in urls if isinstance(url, str)] or [""]

    def _located(self, method: str, wanted: tuple[str, ...]) -> tuple[Operation, str, str, str] | None:
        """The operation at a documented path, with its server, what stands before that path, and what is missing.

        Without a server that says /api, the only path that ends with the other steps is taken for it.
        """
        steps = [
            (tuple(filter(None, f"{server}/{each.plain}".split("/"))), server, each)
            for each in self._described
            for server in self._servers
            if each.method == method
        ]
        for missing in (0, 1):
            tail = wanted[missing:]
            found = [each for each in steps if _comparable(each[0])[-len(tail) :] == tail]
            if found and (not missing or len({operation.template for _steps, _server, operation in found}) == 1):
                shortest, server, operation = min(found, key=lambda each: len(each[0]))
                return operation, server, _path(shortest[: -len(tail)]), _path(wanted[:missing])
        return None


def _folded(path: str) -> str:
    """A path with one placeholder for each parameter, UUID and number in it."""
    return "/".join("{}" if is_uuid(each) or each.isdigit() or "{" in each else each for each in path.split("/"))


def _pattern(path: str) -> str:
    """The regular expression of the paths that a template stands for."""
    parts = _IN_BRACES.split(path)
    return "".join("([^/]+)" if at % 2 else re.escape(part) for at, part in enumerate(parts))


def _path(steps: Iterable[str]) -> str:
    return "".join(f"/{step}" for step in steps)


def _comparable(steps: Iterable[str]) -> tuple[str, ...]:
    return tuple(PARAMETER if step.startswith("{") and step.endswith("}") else step for step in steps)
