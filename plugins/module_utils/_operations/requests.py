# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prepares the request for a task, and checks all of it against the published reference."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._core.errors import ConfigurationError, Violation, ViolationsError
from .._core.text import clean, fold, nearest
from .._http.client import Client
from .._reference.operation_lookup import IN_BRACES, OperationLookup, refuse_order
from .._reference.published import Operation
from .._reference.request_parts import MULTIPART, Body, Parameter, Place
from .._reference.schemas import Schemas
from .._secrets.echoes import MASK
from .._secrets.masker import Masker, hide, secret_values
from .._secrets.names import is_secret_name
from .schema_elements import as_meant, secret_places
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
#: The option for the parameters of each place.
OPTIONS: Mapping[Place, str] = {"path": "path_parameters", "query": "query", "header": "headers"}
_LARGEST_FILES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Prepared:
    """A request as it would be sent. ``url`` is absolute; ``path`` is below base_url, without the query.

    ``body`` is the value that ``content`` carries, and ``files`` are the digests of the files in it. ``hidden`` are the
    secrets in it, ``secret_places`` where they are in the body, and ``secrets`` names of further secrets.
    """

    operation: Operation
    path: str
    url: str
    headers: Mapping[str, str]
    path_parameters: Mapping[str, Any]
    body: Any = None
    content: bytes | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    secret_places: frozenset[tuple[str | int, ...]] = frozenset()
    secrets: Collection[str] = ()

    @property
    def method(self) -> str:
        return self.operation.method

    @property
    def name(self) -> str:
        """The request in messages: the method, and the path with the values in it, but for secrets."""
        return f"{self.method} {clean(self.masker.text(self.path), 300)}"

    @property
    def accept(self) -> str:
        """The accepted media types of the response, those in the published reference first."""
        usual = {"application/json": 0.9, "application/problem+json": 0.7, "*/*": 0.1}
        types = self.operation.answer_types[:5]
        return ", ".join([*types, *(f"{name};q={quality}" for name, quality in usual.items() if name not in types)])

    @property
    def canonical(self) -> str:
        """What tells whether another task asks for the same, without secrets: none is kept in any form."""
        asked = [self.operation.name, self.masker.value(self.url), self.without_secrets(self.body), dict(self.files)]
        return json.dumps(asked, sort_keys=True, ensure_ascii=False, default=str)

    @property
    def shown(self) -> dict[str, Any]:
        """The request for display: without secrets, and without both headers of the API specification."""
        mask = self.masker.value
        body = self.without_secrets(self.body)
        return {"method": self.method, "url": mask(self.url), "headers": mask(dict(self.headers)), "body": body}

    @property
    def masker(self) -> Masker:
        return Masker(self.hidden, named=self.secrets)

    def without_secrets(self, value: Any) -> Any:
        """A value in the form of the body, masked."""
        return self.masker.value(hide(value, self.secret_places))


class Preparer:
    """Makes the requests of a task. ``strict``: what breaks a published rule is refused, else it is a warning.

    ``secrets`` are names of secrets beside those that are known for it. The secrets of all requests are added to
    ``hidden``, also of those that are refused.
    """

    def __init__(
        self, client: Client, lookup: OperationLookup, secrets: Collection[str] = (), *, strict: bool = True
    ) -> None:
        self.client = client
        self.lookup = lookup
        self.secrets = secrets
        self.warnings: list[str] = []
        self.hidden: set[str] = set()
        self._strict = strict

    def prepare(self, options: Mapping[str, Any], methods: Collection[str] = (), option: str = "operation") -> Prepared:
        """The request for the options of a task. ``methods`` are the allowed ones, and an empty list allows any.

        Raises UnknownOperationError, OrderRefusedError, ConfigurationError, ViolationsError with all that is wrong, and
        MissingLibraryError without jsonschema.
        """
        operation, values = self.lookup.find(options["operation"], option)
        if methods and operation.method not in methods:
            listed, reads = ", ".join(methods), operation.method in READING
            advice = f"Use hosting.reseller.reseller_operation{'_info' if reads else ''} for it."
            raise ConfigurationError(f"{option}: {operation.name} is not one of {listed}. Nothing was sent.\n{advice}")
        making = _Making(self.lookup.schemas, operation, options, values, self.secrets)
        prepared = making.prepared(self.client.config.base_url)
        self.hidden |= prepared.hidden
        broken = [*making.impossible, *making.violations]
        if making.impossible or (broken and self._strict):
            raise ViolationsError(broken, operation.name)
        refuse_order(operation.method, prepared.path)
        self.warnings += [f"{operation.name} breaks a published rule: {violation}" for violation in broken]
        if values:
            given = ", ".join(f"{name}: {clean(prepared.masker.text(value), 100)}" for name, value in values.items())
            self.warnings.append(
                f"{option} is {operation.name} with {given}. Write it so, and the values in path_parameters."
            )
        if operation.deprecated:
            self.warnings.append(f"{operation.name} is deprecated, the reference says. It may be gone one day.")
        return prepared

    def prepare_read(self, given: Mapping[str, Any], option: str, path_parameters: Mapping[str, Any]) -> Prepared:
        """The read in an option of a task; by default, with the path parameters of the task. Raises as prepare()."""
        own = given.get("path_parameters")
        options = {**given, "path_parameters": path_parameters if own is None else own}
        return self.prepare(options, READING, f"{option}.operation")

    def refuse_or_warn(self, what: str, reasons: Sequence[str]) -> None:
        """Refuse what the reference excludes if strict, otherwise warn. Raises ConfigurationError."""
        listed = "\n".join(f"  - {reason}" for reason in reasons)
        if self._strict:
            raise ConfigurationError(f"{what}. Nothing was sent.\n{listed}")
        self.warnings.append(f"{what}:\n{listed}")


class _Making:
    """One request while it is made. ``impossible`` cannot be sent at all; ``violations`` break a published rule.

    ``values`` are path parameters that the operation is written with.
    """

    def __init__(
        self,
        schemas: Schemas,
        operation: Operation,
        options: Mapping[str, Any],
        values: Mapping[str, Any],
        secrets: Collection[str],
    ) -> None:
        self.impossible: list[Violation] = []
        self.violations: list[Violation] = []
        self._schemas = schemas
        self._operation = operation
        self._secrets = secrets
        self._given = {option: options.get(option) or {} for option in OPTIONS.values()}
        self._given["path_parameters"] = {**self._given["path_parameters"], **values}
        self._body, self._files = options.get("body"), options.get("files") or {}
        self._described = operation.body or Body({})
        upload = self._files and MULTIPART in self._described.contents
        self._media_type = MULTIPART if upload else self._described.media_type

    def prepared(self, base_url: str) -> Prepared:
        """The request, as far as it can be made."""
        path, query = self._path(), "&".join(filter(None, self._written("query", query_value).values()))
        headers, body = self._written("header", header_value), self._checked_body()
        files = {name: self._file(name, file) for name, file in self._files.items()}
        content = self._content(body, files, headers)
        places = secret_places(self._schemas, list(self._described.contents.values()), body)
        in_body = {str(value) for value in places.values() if isinstance(value, (str, int, float))}
        return Prepared(
            operation=self._operation,
            path=path,
            url=f"{base_url}{path}{f'?{query}' if query else ''}",
            headers=headers,
            path_parameters=self._given["path_parameters"],
            body=body,
            content=content,
            files={name: hashlib.sha256(held).hexdigest() for name, (_name, held) in files.items()},
            hidden=frozenset(secret_values([self._given, body], self._secrets) | in_body),
            secret_places=frozenset(places),
            secrets=self._secrets,
        )

    def _path(self) -> str:
        path = self._operation.path
        for name, written in self._written("path", path_value).items():
            path = path.replace(f"{{{name}}}", written)
        return path

    def _checked_body(self) -> Any:
        """The body with numbers where numbers are meant, checked."""
        body, files, schema = self._body, self._files, self._described.contents.get(self._media_type)
        if body is None and not files:
            if self._described.required:
                self._violated("body", None, "required, and not given")
            return None
        if self._operation.body is None:
            self._violated("body", None, "the reference publishes no body for this operation")
            return body
        body = as_meant(self._schemas, [schema], body)
        whole = {**(body or {}), **files} if files and isinstance(body or {}, Mapping) else body
        # Each element of a merge patch is one to change (RFC 7396).
        found = published_violations(self._schemas, schema, whole, partial="merge-patch" in self._media_type)
        # Of a file, only its name is checked.
        known = {f"body.{name}" for name in files if name in self._schemas.described([schema]).properties}
        self.violations += [each for each in found if each.path not in known]
        return body

    def _content(self, body: Any, files: Mapping[str, tuple[str, bytes]], headers: dict[str, str]) -> bytes | None:
        """The bytes of the body; its content type is added to the headers."""
        if body is None and not files:
            return None
        try:
            content, headers["Content-Type"] = written_body(self._media_type, body, files)
        except UnwritableError as error:
            self._cannot("body", None, str(error))
            return None
        return content

    def _written(self, place: Place, write: Callable[[Parameter, Any], str]) -> dict[str, str]:
        """The parameters of a place as they are sent, by name."""
        written = {}
        for parameter, value in self._sent(place):
            option = f"{OPTIONS[place]}.{parameter.name}"
            written[parameter.name] = ""
            if parameter.style is not None:
                rule = f"its style, {parameter.style}, is not supported: use ansible.builtin.uri for this operation"
                self._cannot(option, value, rule)
                continue
            try:
                written[parameter.name] = write(parameter, value)
            except UnwritableError as error:
                self._cannot(option, value, str(error))
                continue
            meant = as_meant(self._schemas, [parameter.schema], value)
            types = self._schemas.described([parameter.schema]).types
            if type(value) in (int, float) and "string" in types and not types & {"integer", "number"}:
                # All is text there: 41 is what YAML makes of the text that is meant.
                meant = str(value)
            self.violations += published_violations(self._schemas, parameter.schema, meant, option)
        return written

    def _sent(self, place: Place) -> Iterator[tuple[Parameter, Any]]:
        """The parameters of a place that are sent, with their values; what is wrong with the others is told."""
        option, published = OPTIONS[place], {_key(place, each.name): each for each in self._operation.of(place)}
        # Without a value for its path, a request cannot be sent.
        tell = self._cannot if place == "path" else self._violated
        if place == "path":
            # A reference may forget to describe what its path has in braces.
            for name in IN_BRACES.findall(self._operation.path):
                published.setdefault(name, Parameter(name, "path", required=True))
        names = [each.name for each in published.values()]
        values = {_key(place, str(name)): (str(name), value) for name, value in self._given[option].items()}
        for key, (name, _value) in values.items():
            if key not in published:
                near = nearest(name, names, 1)
                meant = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(names)}" if names else ""
                tell(f"{option}.{clean(name, 60)}", None, f"the reference has no such parameter{meant}")
                published[key] = Parameter(name, place, explode=True)
        for key, parameter in published.items():
            _name, value = values.get(key, (key, None))
            ours = place == "header" and key in SET_BY_COLLECTION
            if ours and key in values:
                self._cannot(f"{option}.{clean(parameter.name, 60)}", None, "the collection sets this header itself")
            elif value is not None or (place == "path" and key in values):
                yield parameter, value
            elif parameter.required and not ours:
                tell(f"{option}.{parameter.name}", None, "required, and not given")

    def _file(self, name: str, path: str) -> tuple[str, bytes]:
        try:
            with Path(path).open("rb") as file:
                content = file.read(_LARGEST_FILES + 1)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self._cannot(f"files.{name}", path, f"a file that can be read ({reason})")
            return "", b""
        if len(content) > _LARGEST_FILES:
            self._cannot(f"files.{name}", path, f"a file of at most {_LARGEST_FILES // 1024 // 1024} MB")
        return Path(path).name, content

    def _violated(self, path: str, value: Any, rule: str) -> None:
        self.violations.append(self._violation(path, value, rule))

    def _cannot(self, path: str, value: Any, rule: str) -> None:
        self.impossible.append(self._violation(path, value, rule))

    def _violation(self, path: str, value: Any, rule: str) -> Violation:
        name = path.rpartition(".")[2]
        hidden = value is not None and (is_secret_name(name) or fold(name) in set(map(fold, self._secrets)))
        return Violation(path, MASK if hidden else value, rule, "published")


def _key(place: Place, name: str) -> str:
    """What parameters of this place are told apart by: header names have no case."""
    return name.lower() if place == "header" else name
