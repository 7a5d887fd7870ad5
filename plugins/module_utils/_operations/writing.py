# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes the parts of a request: parameters in OpenAPI's default styles, bodies as JSON or forms with files. Pure.

What else the reference of an operation asks for is not supported, and said to be so in one sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from .._core.text import clean
from .._reference.published import Operation
from .._reference.published_operations import IN_BRACES
from .._reference.request_parts import JSON_API, MULTIPART, UNUSABLE, Parameter, Place, preference

READING = ("GET", "HEAD")
CHANGING = ("POST", "PUT", "PATCH", "DELETE")
#: The option for the parameters of each place.
OPTIONS: Mapping[Place, str] = {"path": "path_parameters", "query": "query", "header": "headers"}
#: Headers that are the collection's, or that change what a request is.
_RESERVED = frozenset(
    {
        *("x-api-key", "x-organization-id", "content-type", "accept", "content-length", "transfer-encoding", "host"),
        *("connection", "expect", "te", "trailer", "upgrade", "accept-encoding"),
        *("x-http-method-override", "x-http-method", "x-method-override"),
    }
)
#: A header's name and value, as requests sends them.
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}: ([!-~\x80-\xff]([\t -~\x80-\xff]*[!-~\x80-\xff])?)?")


class UnwritableError(ValueError):
    """A value that is not possible in its place. The text says what is."""


def unsupported(operation: Operation, given: Collection[str] = ()) -> str | None:
    """What this collection cannot write of all that is required or ``given`` (names of parameters, and ``body``)."""
    parts = [] if operation.method in (*READING, *CHANGING) else [operation.method]
    if (operation.body.required or "body" in given) and not is_supported(operation.body.media_type):
        parts.append(f"a body of {operation.body.media_type}")
    styled = [each for place in OPTIONS for each in parameters_of(operation, place).values() if each.style is not None]
    parts += [f"{each.name} in the style {each.style}" for each in styled if each.required or each.name in given]
    return f"{clean(parts[0], 200)} is not supported: use ansible.builtin.uri" if parts else None


def is_supported(media_type: str) -> bool:
    """Whether bodies of this media type can be sent: JSON in all its forms, and forms with files."""
    return preference(media_type) != UNUSABLE or media_type == MULTIPART


def is_partial(operation: Operation, media_type: str) -> bool:
    """Whether a body has only what is to change: a merge patch (RFC 7396), and a PATCH of JSON:API."""
    return "merge-patch" in media_type or (operation.method == "PATCH" and media_type == JSON_API)


def parameters_of(operation: Operation, place: Place) -> dict[str, Parameter]:
    """The parameters that a task gives in a place, by name; without the headers that the collection sets itself."""
    found = {each.name: each for each in operation.of(place)}
    if place == "path":
        # A reference may forget to describe what its path has in braces.
        return {name: Parameter(name, place, required=True) for name in IN_BRACES.findall(operation.path)} | found
    return {name: each for name, each in found.items() if place != "header" or not is_reserved(name)}


def is_reserved(header: str) -> bool:
    """Whether the collection sets this header itself."""
    return header.lower() in _RESERVED


def parameter_text(value: Any) -> str:
    """A scalar as in a parameter; a list or mapping within one as JSON. Raises UnwritableError for null."""
    if value is None:
        raise UnwritableError("not null")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (Mapping, list)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return str(value)


def written_parameter(parameter: Parameter, value: Any) -> str:
    """A parameter as it is sent: in a query as ``name=value``, once or several times, elsewhere the value alone.

    In a path, it is encoded so that it stays one step. Raises UnwritableError for what its place cannot carry, such as
    an empty id, ``.`` or ``..`` in a path: they make an item's path that of the collection.
    """
    if parameter.place == "query" and parameter.explode and isinstance(value, Mapping):
        # Each element is a parameter of its own.
        return _query((str(name), parameter_text(item)) for name, item in value.items())
    pieces = _pieces(value)
    if parameter.place == "query":
        return _query((parameter.name, each) for each in (pieces if parameter.explode else [",".join(pieces)]))
    if parameter.place == "header":
        if not _HEADER.fullmatch(f"{parameter.name}: {','.join(pieces)}"):
            raise UnwritableError("a header of one line, in characters of latin-1 and without whitespace around it")
        return ",".join(pieces)
    if not pieces or not all(piece.strip(".") for piece in pieces) or (isinstance(value, str) and not value.strip()):
        raise UnwritableError("a value that is not empty and not . or ..")
    return ",".join(quote(piece, safe="") for piece in pieces)


def _query(pairs: Iterable[tuple[str, str]]) -> str:
    return urlencode([*pairs], quote_via=quote, safe=",[]")


def _pieces(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        raise UnwritableError("not a mapping, which is written in no such place")
    return [parameter_text(item) for item in value] if isinstance(value, list) else [parameter_text(value)]


def written_body(media_type: str, body: Any, files: Mapping[str, tuple[str, bytes]]) -> tuple[bytes, str]:
    """A body as it is sent, and its content type.

    ``files`` are the names and contents of files by the field that they stand for. Raises UnwritableError for a value
    that the media type cannot carry.
    """
    if media_type == MULTIPART:
        return _form(body, files)
    if files:
        raise UnwritableError(f"without files, which {media_type} cannot carry")
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode(), media_type
    except (TypeError, ValueError) as error:
        raise UnwritableError(f"what JSON can carry ({error})") from None


def _form(body: Any, files: Mapping[str, tuple[str, bytes]]) -> tuple[bytes, str]:
    """A form as requests itself encodes it. Without a file, a form of this type has no other encoding either."""
    # The client imported the library that this is a part of; without it, nothing is sent.
    from urllib3.filepost import encode_multipart_formdata

    if body is not None and not isinstance(body, Mapping):
        raise UnwritableError("a mapping, as a form is made of")
    fields: list[Any] = [
        (str(name), parameter_text(item))
        for name, value in (body or {}).items()
        for item in (value if isinstance(value, list) else [value])
    ]
    return encode_multipart_formdata([*fields, *files.items()])
