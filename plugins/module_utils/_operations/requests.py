# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prepares the request for a task, and checks all of it against the published reference."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._core.errors import ConfigurationError, Violation, ViolationsError
from .._core.text import clean
from .._http.client import Client
from .._reference.operation_lookup import IN_BRACES, OperationLookup, refuse_order
from .._reference.published import Operation
from .._reference.request_parts import MULTIPART, Body, Parameter, Place
from .._reference.schemas import Schemas
from .._secrets.masker import Masker, secret_values
from .schema_elements import as_meant, hide, secret_places
from .validation import REQUIRED, published_violations
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
        making = _Making(self.lookup.schemas, operation, options, values)
        prepared = making.prepared(self.client.config.base_url, self.secrets)
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
        """If there are reasons, refuse what the reference excludes, or warn. Raises ConfigurationError."""
        listed = "\n".join(f"  - {reason}" for reason in reasons)
        if reasons and self._strict:
            raise ConfigurationError(f"{what}. Nothing was sent.\n{listed}")
        self.warnings += [f"{what}:\n{listed}"] if reasons else []


class _Making:
    """One request while it is made. ``impossible`` cannot be sent at all; ``violations`` break a published rule.

    ``values`` are path parameters that the operation is written with.
    """

    def __init__(
        self, schemas: Schemas, operation: Operation, options: Mapping[str, Any], values: Mapping[str, Any]
    ) -> None:
        self.impossible: list[Violation] = []
        self.violations: list[Violation] = []
        self._schemas = schemas
        self._operation = operation
        self._given = {option: options.get(option) or {} for option in OPTIONS.values()}
        self._given["path_parameters"] = {**self._given["path_parameters"], **values}
        self._body, self._files = options.get("body"), options.get("files") or {}
        self._described = operation.body or Body({})
        upload = self._files and MULTIPART in self._described.contents
        self._media_type = MULTIPART if upload else self._described.media_type

    def prepared(self, base_url: str, secrets: Collection[str]) -> Prepared:
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
            files={name: hashlib.sha256(data).hexdigest() for name, (_name, data) in files.items()},
            hidden=frozenset(secret_values([self._given, body], secrets) | in_body),
            secret_places=frozenset(places),
            secrets=secrets,
        )

    def _path(self) -> str:
        path, written = self._operation.path, self._written("path", path_value)
        for name in IN_BRACES.findall(path):
            if name not in self._given["path_parameters"]:
                self._cannot(f"path_parameters.{name}", REQUIRED)
            path = path.replace(f"{{{name}}}", written.get(name, ""))
        return path

    def _written(self, place: Place, write: Callable[[Parameter, Any], str]) -> dict[str, str]:
        """The parameters of a place as they are sent, by name. They are checked as an object's elements are."""
        option, known = OPTIONS[place], {each.name: each for each in self._operation.of(place)}
        given = {
            str(name): value for name, value in self._given[option].items() if value is not None or place == "path"
        }
        if place == "path":
            # A reference may forget to describe what its path has in braces.
            known = {name: Parameter(name, place) for name in IN_BRACES.findall(self._operation.path)} | known
        if place == "header":
            for name in (each for each in given if each.lower() in SET_BY_COLLECTION):
                self._cannot(f"{option}.{clean(name, 60)}", "the collection sets this header itself")
            # Their names have no case.
            spelt = {name.lower(): name for name in known}
            known = {name: each for name, each in known.items() if name.lower() not in SET_BY_COLLECTION}
            given = {spelt.get(name.lower(), name): value for name, value in given.items()}
            given = {name: value for name, value in given.items() if name.lower() not in SET_BY_COLLECTION}
        schema = {
            "properties": {name: each.schema for name, each in known.items()},
            "required": [name for name, each in known.items() if each.required and place != "path"],
            "additionalProperties": False,
        }
        if given or schema["required"]:
            meant = as_meant(self._schemas, [schema], given, texts=True)
            self.violations += published_violations(self._schemas, schema, meant, option)
        written = {}
        for name, value in given.items():
            parameter = known.get(name) or Parameter(name, place, explode=True)
            try:
                written[parameter.name] = write(parameter, value)
            except UnwritableError as error:
                self._cannot(f"{option}.{clean(name, 60)}", str(error))
        return written

    def _checked_body(self) -> Any:
        """The body with numbers where numbers are meant, checked."""
        body, files, schema = self._body, self._files, self._described.contents.get(self._media_type)
        if body is None and not files:
            if self._described.required:
                self.violations.append(Violation("body", None, REQUIRED, "published"))
            return None
        if self._operation.body is None:
            self.violations.append(
                Violation("body", None, "the reference publishes no body for this operation", "published")
            )
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
            self._cannot("body", str(error))
            return None
        return content

    def _file(self, name: str, path: str) -> tuple[str, bytes]:
        try:
            with Path(path).open("rb") as file:
                content = file.read(_LARGEST_FILES + 1)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self._cannot(f"files.{name}", f"a file that can be read ({path}: {reason})")
            return "", b""
        if len(content) > _LARGEST_FILES:
            self._cannot(f"files.{name}", f"a file of at most {_LARGEST_FILES // 1024 // 1024} MB ({path})")
        return Path(path).name, content

    def _cannot(self, path: str, rule: str) -> None:
        self.impossible.append(Violation(path, None, rule, "published"))
