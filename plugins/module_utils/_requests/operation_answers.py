# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the responses to an operation, and compares what a read shows with what is requested."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import unquote

from .._core.errors import ServiceError, UnreadableAnswerError
from .._core.text import JsonError
from .._http.problems import service_error
from .._http.transport import Answer, RawAnswer, is_page, read_json
from .._service.service import Service
from .operation_call import OperationCall

#: Stands for an element that a read does not show.
_ABSENT: Any = object()
_UNKNOWN_REQUEST = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED)


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
        found = {name: part for name, part in parts.items() if part is not None}
        before = {name: part[0] for name, part in found.items() if part[0] is not _ABSENT}
        return (before, {name: part[1] for name, part in found.items()}) if found else None
    # In Python, True is 1.
    is_same = requested == shown and isinstance(requested, bool) is isinstance(shown, bool)
    return None if is_same else (shown, requested)


def shown_object(body: Any, requested: Any) -> Any:
    """Return the object in a response that has requested elements: the body, or the only one in it (an envelope)."""
    if not (isinstance(body, Mapping) and isinstance(requested, Mapping)) or requested.keys() & body.keys():
        return body
    inner = [each for each in body.values() if isinstance(each, Mapping) and requested.keys() & each.keys()]
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
            near = service.reference().nearest(call.method, unquote(call.path))
        except ServiceError:
            near = []
        if near:
            return error.saying(*error.parts, f"Nearest operations in the OpenAPI document: {', '.join(near)}.")
    return error
