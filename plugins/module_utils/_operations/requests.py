# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prepares the request for a task, and checks all of it against the published reference."""

from __future__ import annotations

import hashlib
import json
import pathlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .._core.errors import ConfigurationError, NoReferenceError, ServiceError, Violation, ViolationsError
from .._core.text import clean
from .._http.client import Client
from .._reference.published import Operation
from .._reference.published_operations import PublishedOperations, refuse_order
from .._reference.reference import Reference
from .._reference.request_parts import MULTIPART, Body, Parameter, Place
from .._secrets.masker import Masker, secret_values
from .schema_elements import Path, Walk, hide
from .validation import REQUIRED, published_violations
from .writing import (
    OPTIONS,
    READING,
    UnwritableError,
    header_value,
    is_partial,
    is_reserved,
    parameters_of,
    path_value,
    query_value,
    unsupported,
    written_body,
)

#: What a service answers to a request that was made by an outdated reference.
_OUTDATED = (404, 405, 422)
_WRITERS: Mapping[Place, Callable[[Parameter, Any], str]] = {
    "path": path_value,
    "query": query_value,
    "header": header_value,
}
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Prepared:
    """A request as it would be sent. ``url`` is absolute; ``path`` is below base_url, without the query.

    ``body`` is the value that ``content`` carries, and ``files`` are the digests of the files in it. ``masker`` hides
    the API key and the secrets in it, and ``secret_places`` are those in the body.
    """

    operation: Operation
    path: str
    url: str
    headers: Mapping[str, str]
    path_parameters: Mapping[str, Any]
    masker: Masker
    body: Any = None
    content: bytes | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    secret_places: frozenset[Path] = frozenset()

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

    def without_secrets(self, value: Any) -> Any:
        """A value in the form of the body, masked."""
        return self.masker.value(hide(value, self.secret_places))


class Preparer:
    """Makes the requests of a task, and checks them against the published reference.

    ``reference`` reads it, and ``renew`` has it read anew if it is a kept one, and returns whether it is. ``secrets``
    are names of secrets beside those that are known. The secrets of all requests are added to ``hidden``, also of those
    that are refused.
    """

    def __init__(
        self,
        client: Client,
        reference: Callable[[], Reference],
        renew: Callable[[], bool],
        secrets: Collection[str],
        hidden: set[str],
    ) -> None:
        self.client = client
        self.secrets = secrets
        self._reference = reference
        self._renew = renew
        self._hidden = hidden

    @property
    def published(self) -> PublishedOperations:
        return self._reference().published

    @contextmanager
    def telling_outdated(self, warn: Callable[[str], None]) -> Iterator[None]:
        """Warn if the service refuses a request that was made by an outdated reference."""
        try:
            yield
        except ServiceError as error:
            with suppress(ServiceError):
                kept = self._reference().document
                if error.status in _OUTDATED and self._renew() and self._reference().document != kept:
                    warn(
                        "The service publishes another reference now than the one that was kept.\n"
                        "Run the task again: it is checked against the new one."
                    )
            raise

    def find(self, wanted: str, methods: Collection[str], option: str = "operation") -> Operation:
        """The operation that an option names, of one of these methods.

        Raises ServiceError and its kinds, and ConfigurationError if there is none in a reference that is read anew.
        """
        return self._current(lambda: self._found(wanted, methods, option))

    def prepare(self, options: Mapping[str, Any], methods: Collection[str], option: str = "operation") -> Prepared:
        """The request for the options of a task.

        Raises as find(), ViolationsError with all that is wrong by a reference that is read anew, and
        MissingLibraryError without jsonschema.
        """
        return self._current(lambda: self._made(self._found(options["operation"], methods, option), options))

    def prepare_read(self, given: Mapping[str, Any], option: str, path_parameters: Mapping[str, Any]) -> Prepared:
        """The read in an option of a task; by default, with the path parameters of the task. Raises as prepare()."""
        own = given.get("path_parameters")
        options = {**given, "path_parameters": path_parameters if own is None else own}
        return self.prepare(options, READING, f"{option}.operation")

    def _current(self, make: Callable[[], _Made]) -> _Made:
        """What is made by the kept reference, or by one that is read anew before anything is refused."""
        try:
            return make()
        except (ConfigurationError, NoReferenceError, ViolationsError):
            if not self._renew():
                raise
            return make()

    def _found(self, wanted: str, methods: Collection[str], option: str) -> Operation:
        operation = self.published.find(wanted, option)
        if operation.method not in methods:
            listed, reads = ", ".join(methods), operation.method in READING
            raise ConfigurationError(
                f"{option}: {operation.name} is not one of {listed}. Nothing was sent.\n"
                f"Use hosting.reseller.reseller_operation{'_info' if reads else ''} for it."
            )
        return operation

    def _made(self, operation: Operation, options: Mapping[str, Any]) -> Prepared:
        given: dict[Place, dict[str, Any]] = {
            place: {str(name): value for name, value in (options.get(name_of) or {}).items()}
            for place, name_of in OPTIONS.items()
        }
        files, broken = options.get("files") or {}, list[Violation]()
        has_body = options.get("body") is not None or bool(files)
        asked = [name for each in given.values() for name in each]
        reason = unsupported(operation, [*asked, "body"] if has_body else asked)
        if reason is not None:
            broken.append(_wrong("operation", reason))
        written = {place: self._parameters(operation, place, given[place], broken) for place in OPTIONS}
        path, query = operation.path, "&".join(filter(None, written["query"].values()))
        for name, text in written["path"].items():
            path = path.replace(f"{{{name}}}", text)
        media_type, body, secrets = self._body(operation, options.get("body"), files, broken)
        contents = {name: _content(name, file, broken) for name, file in files.items()}
        content, headers = None, written["header"]
        if has_body:
            try:
                content, headers["Content-Type"] = written_body(media_type, body, contents)
            except UnwritableError as error:
                broken.append(_wrong("body", str(error)))
        hidden = {str(value) for value in secrets.values() if isinstance(value, (str, int, float))}
        hidden |= secret_values([*given.values(), body], self.secrets) | {self.client.config.api_key}
        self._hidden |= hidden
        if broken:
            raise ViolationsError(broken, operation.name)
        refuse_order(operation.method, path)
        return Prepared(
            operation=operation,
            path=path,
            url=f"{self.client.config.base_url}{path}{f'?{query}' if query else ''}",
            headers=headers,
            path_parameters=given["path"],
            masker=Masker(hidden, secret_names=self.secrets),
            body=body,
            content=content,
            files={name: hashlib.sha256(data).hexdigest() for name, (_name, data) in contents.items()},
            secret_places=frozenset(secrets),
        )

    def _parameters(
        self, operation: Operation, place: Place, given: Mapping[str, Any], broken: list[Violation]
    ) -> dict[str, str]:
        """The parameters of a place as they are sent, by name. They are checked as an object's elements are."""
        option, known = OPTIONS[place], parameters_of(operation, place)
        if place == "path":
            broken += [_wrong(f"{option}.{name}", REQUIRED) for name in known if name not in given]
        else:
            given = {name: value for name, value in given.items() if value is not None}
        if place == "header":
            ours = [name for name in given if is_reserved(name)]
            broken += [_wrong(f"{option}.{clean(name, 60)}", "the collection sets this header itself") for name in ours]
            # Their names have no case.
            spelt = {name.lower(): name for name in known}
            given = {spelt.get(name.lower(), name): value for name, value in given.items() if name not in ours}
        schema = {
            "properties": {name: each.schema for name, each in known.items()},
            "required": [name for name, each in known.items() if each.required and place != "path"],
            "additionalProperties": False,
        }
        written: dict[str, str] = {}
        for name, value in given.items():
            try:
                written[name] = _WRITERS[place](known.get(name) or Parameter(name, place, explode=True), value)
            except UnwritableError as error:
                broken.append(_wrong(f"{option}.{name}", str(error)))
        if given or schema["required"]:
            read, told = Walk(self.published.schemas, [schema], given, texts=True), {each.path for each in broken}
            found = published_violations(self.published.schemas, schema, read, option)
            broken += [each for each in found if each.path not in told]
        return written

    def _body(
        self, operation: Operation, body: Any, files: Mapping[str, Any], broken: list[Violation]
    ) -> tuple[str, Any, dict[Path, Any]]:
        """The media type of a body, what is meant by it, and its secrets by their places."""
        published, schemas = operation.body or Body({}), self.published.schemas
        media_type = MULTIPART if files and MULTIPART in published.contents else published.media_type
        schema, is_form = published.contents.get(media_type), bool(files) and isinstance(body or {}, Mapping)
        # A file stands for the element of its name.
        read = Walk(schemas, [schema], {**(body or {}), **files} if is_form else body)
        if read.value is None:
            broken += [_wrong("body", REQUIRED)] if published.required else []
        elif operation.body is None:
            broken.append(_wrong("body", "the reference publishes no body for this operation"))
        else:
            found = published_violations(schemas, schema, read, partial=is_partial(operation, media_type))
            known = {f"body.{name}" for name in files if (name,) not in read.unknown}
            broken += [each for each in found if each.path not in known]
        meant = body and {str(name): read.value[str(name)] for name in body} if is_form else read.value
        return media_type, meant, read.secrets


def _content(name: str, path: str, broken: list[Violation]) -> tuple[str, bytes]:
    """The name and the content of a file to send."""
    file = pathlib.Path(path)
    try:
        return file.name, file.read_bytes()
    except (OSError, ValueError) as error:
        broken.append(_wrong(f"files.{name}", f"a file that can be read ({path}: {error})"))
        return "", b""


def _wrong(path: str, rule: str) -> Violation:
    return Violation(path, None, rule, "published")
