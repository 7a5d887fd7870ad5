# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prepares the request for a task, and checks all of it against the published reference."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from .._checks.secrets import hide_named, masked, named_values, secret_values
from .._core.echoes import MASK
from .._core.errors import ConfigurationError, Violation, ViolationsError
from .._core.text import clean, fold, nearest
from .._http.client import origin
from .._product_types.secret_names import is_secret_name
from .elements import as_meant, secret_paths
from .hiding import hide, value_at_path
from .lookup import Lookup, refuse_order
from .published import Body, Parameter, Place, Published, is_json
from .validation import Checker
from .writing import UnwritableError, header_value, path_value, query_pairs, written_body

#: Headers that are the collection's, or that change what a request is.
SET_BY_COLLECTION = frozenset(
    {
        *("x-api-key", "x-organization-id", "content-type", "accept", "content-length", "transfer-encoding", "host"),
        *("connection", "expect", "te", "trailer", "upgrade", "accept-encoding"),
        *("x-http-method-override", "x-http-method", "x-method-override"),
    }
)
READING = ("GET", "HEAD")
CHANGING = ("POST", "PUT", "PATCH", "DELETE")
_LARGEST_FILES = 64 * 1024 * 1024
_IN_BRACES = re.compile(r"\{([^{}/]+)\}")
#: The option for the parameters of each place.
OPTIONS: Mapping[Place, str] = {"path": "path_parameters", "query": "query", "header": "headers"}


@dataclass(frozen=True)
class Wish:
    """An operation with its values in a task. ``files`` are paths by the element that each replaces."""

    operation: str
    path_parameters: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    files: Mapping[str, str] = field(default_factory=dict)
    media_type: str | None = None
    secrets: Collection[str] = ()
    option: str = "operation"


@dataclass(frozen=True)
class Prepared:
    """A request as it would be sent. ``url`` is absolute; ``path`` is below base_url, without the query.

    ``body`` is the value that ``content`` carries. ``hidden`` are the secrets in it; ``secret_paths`` where they are in
    the body.
    """

    operation: Published
    path: str
    url: str
    headers: Mapping[str, str]
    body: Any = None
    content: bytes | None = None
    hidden: frozenset[str] = frozenset()
    secret_paths: frozenset[tuple[str | int, ...]] = frozenset()
    unchecked: tuple[str, ...] = ()
    path_parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> str:
        return self.operation.method

    @property
    def accept(self) -> str:
        """The accepted media types of the response, those in the published reference first."""
        usual = {"application/json": 0.9, "application/problem+json": 0.7, "*/*": 0.1}
        types = self.operation.answer_types[:5]
        return ", ".join([*types, *(f"{name};q={quality}" for name, quality in usual.items() if name not in types)])

    def shown(self, names: Collection[str] = ()) -> dict[str, Any]:
        """The request for display: without secrets, and without both headers of the API specification."""
        body = hide(self.body, self.secret_paths)
        shown = {"method": self.method, "url": self.url, "headers": dict(self.headers), "body": body}
        return {name: masked(hide_named(value, names), self.hidden) for name, value in shown.items()}


class Preparer:
    """Makes requests of wishes. ``strict``: what breaks a published rule is refused, else it is a warning.

    The secrets of all requests are added to ``hidden``, also of those that are refused.
    """

    def __init__(self, lookup: Lookup, base_url: str, *, strict: bool = True) -> None:
        self.lookup = lookup
        self.base_url = base_url
        self._strict = strict
        self.warnings: list[str] = []
        self.hidden: set[str] = set()

    def prepare(self, wish: Wish, methods: Collection[str] = ()) -> Prepared:
        """The request for a wish. ``methods`` are the allowed ones, and an empty list allows any.

        Raises UnknownOperationError, OrderRefusedError, ConfigurationError, ViolationsError with all that is wrong, and
        MissingLibraryError without jsonschema.
        """
        operation = self.lookup.find(wish.operation, wish.option)
        if methods and operation.method not in methods:
            listed, reads = ", ".join(methods), operation.method in READING
            advice = f"Use hosting.reseller.reseller_operation{'_info' if reads else ''} for it."
            raise ConfigurationError(
                f"{wish.option}: {operation.name} is not one of {listed}. Nothing was sent.\n{advice}"
            )
        making = _Making(self.lookup, operation, wish)
        path, query = making.path(), making.query()
        headers, body = making.headers(), making.body()
        content = making.content(body, headers)
        secret = frozenset(making.secret_paths(body))
        hidden = frozenset(making.hidden(body, secret))
        self.hidden |= hidden
        self._judge(making, operation)
        refuse_order(operation.method, path)
        url = f"{self.base_url}{path}{f'?{query}' if query else ''}"
        if origin(url) != origin(self.base_url):
            raise ConfigurationError(f"{wish.option}: {clean(url, 200)} is not at base_url. Nothing was sent.")
        if operation.deprecated:
            self.warnings.append(f"{operation.name} is deprecated, the reference says. It may be gone one day.")
        return Prepared(
            operation=operation,
            path=path,
            url=url,
            headers=headers,
            body=body,
            content=content,
            hidden=hidden,
            secret_paths=secret,
            unchecked=tuple(making.checker.unchecked),
            path_parameters=wish.path_parameters,
        )

    def refuse_or_warn(self, what: str, reasons: Sequence[str]) -> None:
        """Refuse what the reference excludes if strict, otherwise warn. Raises ConfigurationError."""
        listed = "\n".join(f"  - {reason}" for reason in reasons)
        if self._strict:
            raise ConfigurationError(f"{what}. Nothing was sent.\n{listed}")
        self.warnings.append(f"{what}:\n{listed}")

    def _judge(self, making: _Making, operation: Published) -> None:
        found = [*making.impossible, *making.violations]
        if making.impossible or (found and self._strict):
            raise ViolationsError(found, operation.name)
        self.warnings += [f"{operation.name} breaks a published rule: {violation}" for violation in found]


class _Making:
    """One request while it is made. ``impossible`` cannot be sent at all; ``violations`` break a published rule."""

    def __init__(self, lookup: Lookup, operation: Published, wish: Wish) -> None:
        self.impossible: list[Violation] = []
        self.violations: list[Violation] = []
        self.checker = Checker(lookup.schemas, draft4=not lookup.reference.openapi.startswith("3.1"))
        self._schemas = lookup.schemas
        self._operation = operation
        self._wish = wish

    def path(self) -> str:
        given = self._known("path", self._wish.path_parameters)
        written = self._operation.path
        named = {parameter.name: parameter for parameter, _value in given}
        for parameter, value in given:
            text = self._written(path_value, parameter, value)
            written = written.replace(f"{{{parameter.name}}}", text if isinstance(text, str) else "x")
        for name in dict.fromkeys(_IN_BRACES.findall(self._operation.path)):
            if name not in named and not any(each.path.endswith(f".{name}") for each in self.impossible):
                self._impossible(f"path_parameters.{name}", None, "required, and not given")
        return written

    def query(self) -> str:
        given = self._known("query", self._wish.query)
        pairs = [self._written(lambda *both: list(query_pairs(*both)), *each) for each in given]
        return "&".join(pair for each in pairs if isinstance(each, list) for pair in each)

    def headers(self) -> dict[str, str]:
        found = {}
        for parameter, value in self._known("header", self._wish.headers):
            text = self._written(header_value, parameter, value)
            found[parameter.name] = text if isinstance(text, str) else ""
        return found

    def body(self) -> Any:
        """The body with numbers where numbers are meant, checked."""
        wish, described = self._wish, self._operation.body
        if described is None:
            if wish.body is not None or wish.files:
                self._violated("body", None, "the reference publishes no body for this operation")
            return wish.body
        if wish.body is None and not wish.files:
            if described.required:
                self._violated("body", None, "required, and not given")
            return None
        media_type = self.media_type
        schema = described.contents.get(media_type, next(iter(described.contents.values()), None))
        if wish.body is None and not is_json(media_type) and media_type not in described.contents:
            return None
        body = as_meant(self._schemas, [schema], wish.body)
        # A file stands for a text of any length.
        whole = {**body, **dict.fromkeys(wish.files, "")} if isinstance(body, Mapping) else body
        if wish.body is not None or is_json(media_type):
            self.violations += self.checker.violations(schema, whole)
        return body

    def content(self, body: Any, headers: dict[str, str]) -> bytes | None:
        """The bytes of the body; its content type is added to the headers."""
        if body is None and not self._wish.files:
            return None
        files = {name: self._file(name, path) for name, path in self._wish.files.items()}
        try:
            content, headers["Content-Type"] = written_body(self.media_type, body, files)
        except UnwritableError as error:
            self._impossible("body", None, str(error))
            return None
        return content

    @cached_property
    def media_type(self) -> str:
        """The media type of the body: the task's, else the usual one of those that are offered."""
        wanted, described = self._wish.media_type, self._operation.body or Body({})
        if wanted is None:
            return described.usual_type()
        if (
            described.contents
            and wanted not in described.contents
            and not any("*" in each for each in described.contents)
        ):
            listed = ", ".join(described.contents)
            self.violations.append(Violation("media_type", wanted, f"one of {listed}", "published"))
        return wanted

    def hidden(self, body: Any, paths: Collection[tuple[str | int, ...]]) -> Iterator[str]:
        """The secrets in the request, as texts; ``paths`` are the places of those in the body."""
        wish = self._wish
        yield from secret_values([wish.path_parameters, wish.query, wish.headers, body])
        yield from named_values([wish.path_parameters, wish.query, wish.headers, body], wish.secrets)
        for path in paths:
            value = value_at_path(body, path)
            if isinstance(value, (str, int, float)):
                yield str(value)

    def secret_paths(self, body: Any) -> Iterator[tuple[str | int, ...]]:
        described = self._operation.body
        schemas = list(described.contents.values()) if described else []
        yield from secret_paths(self._schemas, schemas, body)

    def _known(self, place: Place, given: Mapping[str, Any]) -> list[tuple[Parameter, Any]]:
        """The published parameters of this place with what was given for them, in the reference's order."""
        option, published = OPTIONS[place], self._operation.of(place)
        if place == "path":
            # A reference may forget to describe what its path has in braces.
            named = {each.name for each in published}
            others = [name for name in _IN_BRACES.findall(self._operation.path) if name not in named]
            published = [*published, *(Parameter(name, "path", required=True) for name in others)]
        by_name = {(each.name.lower() if place == "header" else each.name): each for each in published}
        values: dict[str, Any] = {}
        for name, value in given.items():
            key = str(name).lower() if place == "header" else str(name)
            if place == "header" and key in SET_BY_COLLECTION:
                self._impossible(f"{option}.{name}", None, "the collection sets this header itself")
            elif key in by_name:
                values[key] = value
            else:
                near = nearest(str(name), [each.name for each in published], 1)
                known = f"; it has {', '.join(each.name for each in published)}" if published else ""
                meant = f"; did you mean {near[0]}?" if near else known
                path = f"{option}.{clean(str(name), 60)}"
                if place == "path":
                    self._impossible(path, None, f"the reference has no such parameter{meant}")
                else:
                    self._violated(path, None, f"the reference has no such parameter{meant}")
                    by_name[key] = Parameter(
                        str(name), place, style="form" if place == "query" else "simple", explode=True
                    )
                    values[key] = value
        for key, parameter in by_name.items():
            absent = key not in values or (values[key] is None and place != "path")
            if absent and parameter.required and not (place == "header" and key in SET_BY_COLLECTION):
                tell = self._impossible if place == "path" else self._violated
                tell(f"{option}.{parameter.name}", None, "required, and not given")
        return [
            (by_name[key], values[key])
            for key in by_name
            if values.get(key) is not None or (place == "path" and key in values)
        ]

    def _written(self, write: Any, parameter: Parameter, value: Any) -> Any:
        path = f"{OPTIONS[parameter.place]}.{parameter.name}"
        # All is text there: 41 is what YAML makes of the text that is meant.
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        text = number and self._takes_text(parameter)
        meant = str(value) if text else as_meant(self._schemas, [parameter.schema], value)
        try:
            written = write(parameter, meant if not isinstance(value, str) else value)
        except UnwritableError as error:
            self._impossible(path, value, str(error))
            return None
        if parameter.schema:
            self.violations += self.checker.violations(parameter.schema, meant, path)
        return written

    def _takes_text(self, parameter: Parameter) -> bool:
        types = self._schemas.described([parameter.schema]).types
        return "string" in types and not types & {"integer", "number"}

    def _file(self, name: str, path: str) -> tuple[str, bytes]:
        try:
            with Path(path).open("rb") as file:
                content = file.read(_LARGEST_FILES + 1)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self._impossible(f"files.{name}", path, f"a file that can be read ({reason})")
            return "", b""
        if len(content) > _LARGEST_FILES:
            self._impossible(f"files.{name}", path, f"a file of at most {_LARGEST_FILES // 1024 // 1024} MB")
        return Path(path).name, content

    def _violated(self, path: str, value: Any, rule: str) -> None:
        self.violations.append(self._violation(path, value, rule))

    def _impossible(self, path: str, value: Any, rule: str) -> None:
        self.impossible.append(self._violation(path, value, rule))

    def _violation(self, path: str, value: Any, rule: str) -> Violation:
        name = path.rpartition(".")[2]
        hidden = value is not None and (is_secret_name(name) or fold(name) in set(map(fold, self._wish.secrets)))
        return Violation(path, MASK if hidden else value, rule, "published")


def canonical(value: Any) -> str:
    """A value as a string, the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
