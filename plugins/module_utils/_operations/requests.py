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
from typing import Any

from .._core.errors import ConfigurationError, NoReferenceError, ServiceError, Violation, ViolationsError
from .._core.text import clean
from .._http.client import Client, accept_header
from .._reference.published import Operation
from .._reference.published_operations import PublishedOperations, refuse_order
from .._reference.reference import Reference
from .._reference.request_parts import MULTIPART, Parameter, Place
from .._secrets.masker import Masker, secret_values
from .schema_elements import Path, Walk, hide
from .validation import published_violations
from .writing import (
    OPTIONS,
    READING,
    UnwritableError,
    is_partial,
    is_reserved,
    parameters_of,
    unsupported,
    written_body,
    written_parameter,
)

#: What a service answers to a request that was made by an outdated reference.
_OUTDATED = (404, 405, 422)


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
        return accept_header(self.operation.answer_types[:5])

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

    def prepare(
        self,
        options: Mapping[str, Any],
        methods: Collection[str],
        option: str = "operation",
        inherited: Mapping[str, Any] | None = None,
    ) -> Prepared:
        """The request for the options of a task. Without path parameters, those ``inherited`` that its path has count.

        Raises ServiceError and its kinds, and MissingLibraryError without jsonschema; by a reference that is read anew
        ConfigurationError if it has no such operation, and ViolationsError with all that is wrong.
        """
        try:
            return self._made(self._found(options["operation"], methods, option), options, inherited or {})
        except (ConfigurationError, NoReferenceError, ViolationsError):
            if not self._renew():
                raise
            return self._made(self._found(options["operation"], methods, option), options, inherited or {})

    def prepare_read(self, given: Mapping[str, Any], option: str, path_parameters: Mapping[str, Any]) -> Prepared:
        """The read in an option of a task; by default, with the path parameters of the task. Raises as prepare()."""
        return self.prepare(given, READING, f"{option}.operation", path_parameters)

    def _found(self, wanted: str, methods: Collection[str], option: str) -> Operation:
        operation = self.published.find(wanted, option)
        if operation.method not in methods:
            listed, reads = ", ".join(methods), operation.method in READING
            raise ConfigurationError(
                f"{option}: {operation.name} is not one of {listed}. Nothing was sent.\n"
                f"Use hosting.reseller.reseller_operation{'_info' if reads else ''} for it."
            )
        return operation

    def _made(self, operation: Operation, options: Mapping[str, Any], inherited: Mapping[str, Any]) -> Prepared:
        """The request. All of its parts are checked as one object, by the options that have them."""
        published, body, files = operation.body, options.get("body"), options.get("files") or {}
        media_type = MULTIPART if files and MULTIPART in published.contents else published.media_type
        broken, given, described, written = list[Violation](), dict[str, Any](), dict[str, Any](), dict[str, Any]()
        for place, option in OPTIONS.items():
            known, values = parameters_of(operation, place), options.get(option)
            if values is None and place == "path":
                values = {name: value for name, value in inherited.items() if name in known}
            given[option] = {str(name): value for name, value in (values or {}).items() if value is not None}
            described[option] = {
                "properties": {name: each.schema for name, each in known.items()},
                "required": [name for name, each in known.items() if each.required],
                "additionalProperties": False,
            }
            written[option] = _written(place, known, given[option], broken)
        asked = [name for values in given.values() for name in values]
        is_form = bool(files) and isinstance(body or {}, Mapping)
        if body is not None or files:
            # A file stands for the element of its name.
            given["body"] = {**(body or {}), **files} if is_form else body
            if not published.contents:
                broken.append(_wrong("body", "the reference publishes no body for this operation"))
        reason = unsupported(operation, [*asked, *(["body"] if "body" in given else ())])
        broken += [] if reason is None else [_wrong("operation", reason)]
        described["body"] = published.contents.get(media_type)
        schema = {"properties": described, "required": ["body"] if published.required else []}
        partial = [("body",)] if is_partial(operation, media_type) else []
        read = Walk(operation.schemas, [schema], given, [(option,) for option in OPTIONS.values()], partial)
        passed = {each.path for each in broken} | {
            f"body.{name}" for name in files if ("body", name) not in read.unknown
        }
        found = published_violations(schema, read)
        broken += [each for each in found if each.path not in passed]
        body, content, headers = read.value.get("body"), None, written["headers"]
        contents = {name: _content(name, file, broken) for name, file in files.items()}
        if "body" in given:
            body = {name: value for name, value in body.items() if name not in files} if is_form else body
            try:
                content, headers["Content-Type"] = written_body(media_type, body, contents)
            except UnwritableError as error:
                broken.append(_wrong("body", str(error)))
        hidden = {str(value) for value in read.secrets.values() if isinstance(value, (str, int, float))}
        hidden |= secret_values([given, body], self.secrets) | {self.client.config.api_key}
        self._hidden |= hidden
        if broken:
            raise ViolationsError(broken, operation.name)
        path, query = operation.path, "&".join(filter(None, written["query"].values()))
        for name, text in written["path_parameters"].items():
            path = path.replace(f"{{{name}}}", text)
        refuse_order(operation.method, path)
        return Prepared(
            operation=operation,
            path=path,
            url=f"{self.client.config.base_url}{path}{f'?{query}' if query else ''}",
            headers=headers,
            path_parameters=given["path_parameters"],
            masker=Masker(hidden, secret_names=self.secrets),
            body=body,
            content=content,
            files={name: hashlib.sha256(data).hexdigest() for name, (_name, data) in contents.items()},
            secret_places=frozenset(place[1:] for place in read.secrets if place[0] == "body"),
        )


def _written(
    place: Place, known: Mapping[str, Parameter], given: Mapping[str, Any], broken: list[Violation]
) -> dict[str, str]:
    """The parameters of a place as they are sent, by name."""
    option, written = OPTIONS[place], dict[str, str]()
    for name, value in given.items():
        try:
            if place == "header" and is_reserved(name):
                raise UnwritableError("the collection sets this header itself")
            if name in known:
                written[name] = written_parameter(known[name], value)
        except UnwritableError as error:
            broken.append(_wrong(f"{option}.{name}", str(error)))
    return written


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
