# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One request to any path below ``base_url``: what a task may request, and in which form it is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import quote, unquote, urlencode, urlsplit

from .._core.errors import ConfigurationError, ServiceError, UnreadableAnswerError
from .._core.text import JsonError, clean
from .._http.config import ServiceConfig
from .._http.problems import service_error
from .._http.transport import Answer, RawAnswer, is_page, read_json
from .._secrets.masker import Masker, secret_values
from .._service.service import Service

#: Stands for an element that a read does not show.
_ABSENT: Any = object()
_UNKNOWN_REQUEST = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED)
#: A part of a path as servers and proxies read it, too: without a query, placeholder or other marks, and without a
#: percent-encoded letter, digit, dot, slash or mark.
_PART = re.compile(r"(?i)(?:[^?#;\\{}%]|%(?:2[0-246-9A-C]|3[AC-E]|40|5[BDE]|60|[89A-F][0-9A-F]))+")
#: The last steps of the path that orders, wherever the OpenAPI document has it (see OpenApiDocument.order).
_ORDERS = ["reseller", "contracts"]


@dataclass(frozen=True)
class OperationCall:
    """A request as it is sent."""

    method: str
    #: Below ``base_url``, without the query.
    path: str
    url: str
    body: Any
    content: bytes | None
    #: The statuses with which the task succeeds.
    accepted: Collection[int]
    #: Further names of secrets.
    secrets: Collection[str]
    #: Hides the API key and the secrets in the request.
    masker: Masker

    @property
    def name(self) -> str:
        """The method and the path, as messages show them."""
        return f"{self.method} {clean(self.masker.text(self.path), 300)}"

    @property
    def shown(self) -> dict[str, Any]:
        """The request for display: without secrets and headers."""
        mask = self.masker.value
        return {"method": self.method, "url": mask(self.url), "body": mask(self.body)}

    def shown_body(self, body: Any) -> Any:
        """Return the body of a response with secrets masked by their names: a plain word is part of many texts."""
        return Masker(secret_names=self.secrets).value(body)


def operation_call(options: Mapping[str, Any], config: ServiceConfig, hidden: set[str]) -> OperationCall:
    """Return the request of a task, and add its secrets to ``hidden``. Raises ConfigurationError."""
    method, path, query, body = (options.get(name) for name in ("method", "path", "query", "body"))
    secrets = secret_values([query, body], options["secrets"])
    hidden |= secrets | {config.api_key}
    method, path = str(method), checked_path(str(path))
    if method == "POST" and is_order_path(config.base_url, path):
        raise ConfigurationError(
            "POST /api/reseller/contracts orders a product, and is not sent as an operation. Nothing was sent.\n"
            "Use hosting.reseller.reseller_contract (or reseller_contracts): it records the order before it sends it, "
            "and never sends it twice."
        )
    try:
        content = None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"body cannot be written as JSON: {error}. Nothing was sent.") from None
    text = urlencode([*_query_pairs(query or {})], quote_via=quote, safe=",[]")
    url = f"{config.base_url}{path}{f'?{text}' if text else ''}"
    masker = config.masker(secrets, secret_names=options["secrets"])
    accepted = accepted_statuses(options["status_code"])
    return OperationCall(method, path, url, body, content, accepted, options["secrets"], masker)


def checked_path(path: str) -> str:
    """Return a path as it is sent. Raises ConfigurationError for what is refused in one."""
    first, *parts = path.split("/")
    inner = parts[:-1] if parts and not parts[-1] else parts
    known = all(_PART.fullmatch(part) and unquote(part).strip() not in ("", ".", "..") for part in inner)
    text = unquote(path)
    # What is no UTF-8 may be a slash to others (C0 AF).
    if first or not inner or not known or not text.isprintable() or "\ufffd" in text:
        # It is not shown: a token may be in it.
        raise ConfigurationError(
            "path is not the plain path of a request. Nothing was sent.\n"
            "Write what follows base_url, from the slash on, with each value in its place and the query as query. It "
            "has no empty part, . or .., none of ; \\ # { }, and no letter, digit or mark is percent-encoded, "
            "and nothing that is not UTF-8."
        )
    return quote(path, safe="/%:@!$&'()*+,=~")


def is_order_path(base_url: str, path: str) -> bool:
    """Return whether a POST to this path orders a product, in whatever spelling."""
    joined = unquote(urlsplit(base_url).path + path).casefold()
    # Some frameworks take an ending, as of a file, for the format of the answer.
    steps = [step.strip().partition(".")[0] for step in joined.split("/")]
    return [step for step in steps if step][-2:] == _ORDERS


def accepted_statuses(given: Collection[str]) -> frozenset[int]:
    """Return the statuses of ``status_code``: numbers, and ``2xx``. Raises ConfigurationError."""
    statuses = set[int]()
    for status in map(str, given):
        if status.lower() == "2xx":
            statuses |= {*range(200, 300)}
        elif re.fullmatch("[1-5][0-9]{2}", status):
            statuses.add(int(status))
        else:
            raise ConfigurationError(
                f"status_code {clean(status, 20)!r} is not a status. Nothing was sent.\n"
                "Give numbers from 100 to 599, or 2xx for each from 200 to 299."
            )
    return frozenset(statuses)


def _query_pairs(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the query parameters. Each entry of a list is a parameter of its own, and ``null`` is none."""
    for name, value in query.items():
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, (Mapping, list)):
                raise ConfigurationError(
                    f"query.{clean(str(name), 60)} is not a string, number, boolean, or list of these. Nothing was "
                    "sent.\nWrite the names of nested parameters as the service wants them, such as filter[status]."
                )
            if entry is not None:
                yield str(name), str(entry).lower() if isinstance(entry, bool) else str(entry)


# Responses


def body_of(answer: RawAnswer, shown: Answer) -> Any:
    """Return the body as a JSON value, otherwise as text. ``None`` for an empty or binary body.

    Raises UnreadableAnswerError for what claims to be JSON, or a part of it, and is not: with the words of the masked
    response, ``shown``.
    """
    if answer.is_empty:
        return None
    if answer.flaw is None:
        with suppress(JsonError):
            return answer.json
    if "json" in answer.media_type or answer.flaw is not None or is_page(answer):
        read_json(shown)
        raise UnreadableAnswerError("a secret in it is not valid JSON.")
    try:
        return answer.body.decode()
    except UnicodeDecodeError:
        return None


def failed(shown: Answer, call: OperationCall) -> ServiceError:
    """Return the error for a masked response, with the paths of elements of the body that it is about."""
    names = call.body if isinstance(call.body, Mapping) else ()
    return service_error(shown, call.name, [*map(str, names)], within="body")


def differing(requested: Any, shown: Any) -> tuple[Any, Any] | None:
    """Return the parts of what a read shows and of what is requested that differ, or ``None`` if none do.

    Only requested elements are compared: services add elements of their own. One that is not shown differs, and lists
    are compared as a whole.
    """
    if isinstance(requested, Mapping) and isinstance(shown, Mapping):
        parts = {name: differing(value, shown.get(name, _ABSENT)) for name, value in requested.items()}
        changes = {name: part for name, part in parts.items() if part is not None}
        before = {name: part[0] for name, part in changes.items() if part[0] is not _ABSENT}
        return (before, {name: part[1] for name, part in changes.items()}) if changes else None
    # In Python, True is 1.
    is_same = requested == shown and isinstance(requested, bool) is isinstance(shown, bool)
    return None if is_same else (shown, requested)


def shown_object(body: Any, requested: Any) -> Any:
    """Return the object in a response that has requested elements: the body, or the only one in it (an envelope)."""
    if not (isinstance(body, Mapping) and isinstance(requested, Mapping)) or requested.keys() & body.keys():
        return body
    inner = [value for value in body.values() if isinstance(value, Mapping) and requested.keys() & value.keys()]
    return inner[0] if len(inner) == 1 else body


# Reading


def read_call(service: Service, call: OperationCall, url: str | None = None) -> Answer:
    """Send GET or HEAD, to another page where ``url`` is given. Raises ServiceError and its kinds."""
    method: Literal["GET", "HEAD"] = "HEAD" if call.method == "HEAD" else "GET"
    return service.client.get(url or call.url, method=method)


def with_nearest(error: ServiceError, service: Service, call: OperationCall) -> ServiceError:
    """Return the error with the nearest operations of the OpenAPI document, if the service may not have this one."""
    if error.status in _UNKNOWN_REQUEST:
        try:
            near = service.openapi().nearest(call.method, unquote(call.path))
        except ServiceError:
            near = []
        if near:
            return error.saying(*error.parts, f"Nearest operations in the OpenAPI document: {', '.join(near)}.")
    return error
