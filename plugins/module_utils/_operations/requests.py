# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prepares the request for a task, and checks all of it against the published reference."""

from __future__ import annotations

import functools
import hashlib
import json
import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._core.addresses import origin
from .._core.errors import ConfigurationError, Violation, ViolationsError
from .._core.text import clean, fold, nearest
from .._reference.operation_lookup import IN_BRACES, OperationLookup, refuse_order
from .._reference.published import Operation
from .._reference.request_parts import MULTIPART, Body, Parameter, Place
from .._secrets.echoes import MASK
from .._secrets.masker import hide, masked, secret_values
from .._secrets.names import is_secret_name
from .comparing import without
from .schema_elements import as_meant, secret_paths
from .validation import published_violations
from .writing import UnwritableError, header_value, path_value, query_value, written_body

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
#: The option for the parameters of each place.
OPTIONS: Mapping[Place, str] = {"path": "path_parameters", "query": "query", "header": "headers"}
_URI = "use ansible.builtin.uri for this operation"


@dataclass(frozen=True)
class RequestOptions:
    """An operation with its values in a task. ``files`` are paths by the field of the form that each stands for."""

    operation: str
    path_parameters: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    files: Mapping[str, str] = field(default_factory=dict)
    secrets: Collection[str] = ()
    option: str = "operation"


@dataclass(frozen=True)
class Prepared:
    """A request as it would be sent. ``url`` is absolute; ``path`` is below base_url, without the query.

    ``body`` is the value that ``content`` carries, and ``files`` are the digests of the files in it. ``hidden`` are the
    secrets in it; ``secret_paths`` where they are in the body.
    """

    operation: Operation
    path: str
    url: str
    headers: Mapping[str, str]
    body: Any = None
    content: bytes | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    secret_paths: frozenset[tuple[str | int, ...]] = frozenset()
    path_parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> str:
        return self.operation.method

    @property
    def name(self) -> str:
        """The request in messages: the method, and the path with the values in it, but for secrets."""
        return f"{self.method} {clean(masked(self.path, self.hidden), 300)}"

    @property
    def accept(self) -> str:
        """The accepted media types of the response, those in the published reference first."""
        usual = {"application/json": 0.9, "application/problem+json": 0.7, "*/*": 0.1}
        types = self.operation.answer_types[:5]
        return ", ".join([*types, *(f"{name};q={quality}" for name, quality in usual.items() if name not in types)])

    @property
    def canonical(self) -> str:
        """What tells whether another task asks for the same, without secrets: none is kept in any form."""
        body = masked(without(self.body, self.secret_paths), self.hidden)
        url = masked(self.url, self.hidden)
        asked = [self.operation.name, url, body, *([dict(self.files)] if self.files else [])]
        return json.dumps(asked, sort_keys=True, ensure_ascii=False, default=str)

    def shown(self, names: Collection[str] = ()) -> dict[str, Any]:
        """The request for display: without secrets, and without both headers of the API specification."""
        body = hide(self.body, self.secret_paths)
        shown = {"method": self.method, "url": self.url, "headers": dict(self.headers), "body": body}
        return {name: masked(value, self.hidden, named=names) for name, value in shown.items()}


class Preparer:
    """Makes requests of options. ``strict``: what breaks a published rule is refused, else it is a warning.

    The secrets of all requests are added to ``hidden``, also of those that are refused.
    """

    def __init__(self, lookup: OperationLookup, base_url: str, *, strict: bool = True) -> None:
        self.lookup = lookup
        self.base_url = base_url
        self._strict = strict
        self.warnings: list[str] = []
        self.hidden: set[str] = set()

    def prepare(self, options: RequestOptions, methods: Collection[str] = ()) -> Prepared:
        """The request for a task's options. ``methods`` are the allowed ones, and an empty list allows any.

        Raises UnknownOperationError, OrderRefusedError, ConfigurationError, ViolationsError with all that is wrong, and
        MissingLibraryError without jsonschema.
        """
        operation, values = self.lookup.find(options.operation, options.option)
        if methods and operation.method not in methods:
            listed, reads = ", ".join(methods), operation.method in READING
            advice = f"Use hosting.reseller.reseller_operation{'_info' if reads else ''} for it."
            raise ConfigurationError(
                f"{options.option}: {operation.name} is not one of {listed}. Nothing was sent.\n{advice}"
            )
        making = _Making(self.lookup, operation, options, {**options.path_parameters, **values})
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
            raise ConfigurationError(f"{options.option}: {clean(url, 200)} is not at base_url. Nothing was sent.")
        if values:
            given = ", ".join(f"{name}: {clean(masked(value, hidden), 100)}" for name, value in values.items())
            self.warnings.append(
                f"{options.option} is {operation.name} with {given}. Write it so, and the values in path_parameters."
            )
        if operation.deprecated:
            self.warnings.append(f"{operation.name} is deprecated, the reference says. It may be gone one day.")
        return Prepared(
            operation=operation,
            path=path,
            url=url,
            headers=headers,
            body=body,
            content=content,
            files=making.digests,
            hidden=hidden,
            secret_paths=secret,
            path_parameters=making.path_parameters,
        )

    def refuse_or_warn(self, what: str, reasons: Sequence[str]) -> None:
        """Refuse what the reference excludes if strict, otherwise warn. Raises ConfigurationError."""
        listed = "\n".join(f"  - {reason}" for reason in reasons)
        if self._strict:
            raise ConfigurationError(f"{what}. Nothing was sent.\n{listed}")
        self.warnings.append(f"{what}:\n{listed}")

    def _judge(self, making: _Making, operation: Operation) -> None:
        found = [*making.impossible, *making.violations]
        if making.impossible or (found and self._strict):
            raise ViolationsError(found, operation.name)
        self.warnings += [f"{operation.name} breaks a published rule: {violation}" for violation in found]


class _Making:
    """One request while it is made. ``impossible`` cannot be sent at all; ``violations`` break a published rule."""

    def __init__(
        self,
        lookup: OperationLookup,
        operation: Operation,
        options: RequestOptions,
        path_parameters: Mapping[str, Any],
    ) -> None:
        self.impossible: list[Violation] = []
        self.violations: list[Violation] = []
        self.path_parameters = path_parameters
        self.digests: dict[str, str] = {}
        self._schemas = lookup.schemas
        self._operation = operation
        self._options = options
        self._described = operation.body or Body({})
        upload = options.files and MULTIPART in self._described.contents
        self._media_type = MULTIPART if upload else self._described.media_type

    def path(self) -> str:
        path = self._operation.path
        for parameter, value in self._given("path", self.path_parameters):
            path = path.replace(f"{{{parameter.name}}}", self._written(path_value, parameter, value))
        return path

    def query(self) -> str:
        return "&".join(self._written(query_value, *each) for each in self._given("query", self._options.query))

    def headers(self) -> dict[str, str]:
        given = self._given("header", self._options.headers)
        return {parameter.name: self._written(header_value, parameter, value) for parameter, value in given}

    def body(self) -> Any:
        """The body with numbers where numbers are meant, checked."""
        options, schema = self._options, self._described.contents.get(self._media_type)
        if options.body is None and not options.files:
            if self._described.required:
                self._violated("body", None, "required, and not given")
            return None
        if self._operation.body is None:
            self._violated("body", None, "the reference publishes no body for this operation")
            return options.body
        body = as_meant(self._schemas, [schema], options.body)
        whole = {**(body or {}), **dict.fromkeys(options.files, "")} if options.files and _is_form(body) else body
        # Each element of a merge patch is one to change (RFC 7396).
        found = published_violations(self._schemas, schema, whole, partial="merge-patch" in self._media_type)
        # Of a file, only its name is checked.
        files = {f"body.{name}" for name in options.files if name in self._schemas.described([schema]).properties}
        self.violations += [each for each in found if each.path not in files]
        return body

    def content(self, body: Any, headers: dict[str, str]) -> bytes | None:
        """The bytes of the body; its content type is added to the headers."""
        if body is None and not self._options.files:
            return None
        files = {name: self._file(name, path) for name, path in self._options.files.items()}
        try:
            content, headers["Content-Type"] = written_body(self._media_type, body, files)
        except UnwritableError as error:
            self._impossible("body", None, str(error))
            return None
        return content

    def hidden(self, body: Any, paths: Collection[tuple[str | int, ...]]) -> Iterator[str]:
        """The secrets in the request, as texts; ``paths`` are the places of those in the body."""
        given = [self.path_parameters, self._options.query, self._options.headers, body]
        yield from secret_values(given, self._options.secrets)
        for path in paths:
            value = functools.reduce(operator.getitem, path, body)
            if isinstance(value, (str, int, float)):
                yield str(value)

    def secret_paths(self, body: Any) -> Iterator[tuple[str | int, ...]]:
        yield from secret_paths(self._schemas, list(self._described.contents.values()), body)

    def _given(self, place: Place, given: Mapping[str, Any]) -> Iterator[tuple[Parameter, Any]]:
        """The parameters of this place that are sent, with their values."""
        option, published = OPTIONS[place], {_key(place, each.name): each for each in self._operation.of(place)}
        # Without a value for its path, a request cannot be sent.
        tell = self._impossible if place == "path" else self._violated
        if place == "path":
            # A reference may forget to describe what its path has in braces.
            for name in IN_BRACES.findall(self._operation.path):
                published.setdefault(name, Parameter(name, "path", required=True))
        names = [each.name for each in published.values()]
        for name in map(str, given):
            if _key(place, name) not in published:
                near = nearest(name, names, 1)
                meant = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(names)}" if names else ""
                tell(f"{option}.{clean(name, 60)}", None, f"the reference has no such parameter{meant}")
                published[_key(place, name)] = Parameter(name, place, explode=True)
        values = {_key(place, str(name)): value for name, value in given.items()}
        for key, parameter in published.items():
            ours = place == "header" and key in SET_BY_COLLECTION
            if ours and key in values:
                self._impossible(
                    f"{option}.{clean(parameter.name, 60)}", None, "the collection sets this header itself"
                )
            elif key in values and (values[key] is not None or place == "path"):
                yield parameter, values[key]
            elif parameter.required and not ours:
                tell(f"{option}.{parameter.name}", None, "required, and not given")

    def _written(self, write: Callable[[Parameter, Any], str], parameter: Parameter, value: Any) -> str:
        path = f"{OPTIONS[parameter.place]}.{parameter.name}"
        if parameter.style is not None:
            self._impossible(path, value, f"its style, {parameter.style}, is not supported: {_URI}")
            return ""
        try:
            written = write(parameter, value)
        except UnwritableError as error:
            self._impossible(path, value, str(error))
            return ""
        meant = as_meant(self._schemas, [parameter.schema], value)
        types = self._schemas.described([parameter.schema]).types
        if type(value) in (int, float) and "string" in types and not types & {"integer", "number"}:
            # All is text there: 41 is what YAML makes of the text that is meant.
            meant = str(value)
        self.violations += published_violations(self._schemas, parameter.schema, meant, path)
        return written

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
        self.digests[name] = hashlib.sha256(content).hexdigest()
        return Path(path).name, content

    def _violated(self, path: str, value: Any, rule: str) -> None:
        self.violations.append(self._violation(path, value, rule))

    def _impossible(self, path: str, value: Any, rule: str) -> None:
        self.impossible.append(self._violation(path, value, rule))

    def _violation(self, path: str, value: Any, rule: str) -> Violation:
        name = path.rpartition(".")[2]
        hidden = value is not None and (is_secret_name(name) or fold(name) in set(map(fold, self._options.secrets)))
        return Violation(path, MASK if hidden else value, rule, "published")


def _is_form(body: Any) -> bool:
    return body is None or isinstance(body, Mapping)


def _key(place: Place, name: str) -> str:
    """What parameters of this place are told apart by: header names have no case."""
    return name.lower() if place == "header" else name
