# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes the parts of a request: parameters in their published styles, and bodies in their media types. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from .published import FORM, MULTIPART, Parameter, is_json

_DELIMITERS = {"spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}
_RESERVED = ":/?@!$'()*,;[]"
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")


class UnwritableError(ValueError):
    """A value that is not possible in its place. The text says what is."""


def text_of(value: Any) -> str:
    """A scalar as in a parameter. Raises UnwritableError for null."""
    if value is None:
        raise UnwritableError("not null")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (Mapping, list)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return str(value)


def path_value(parameter: Parameter, value: Any) -> str:
    """A path parameter, encoded so that it stays one step of the path.

    Raises UnwritableError for what is empty, ``.`` or ``..``: an empty id makes an item's path that of the collection.
    """
    if parameter.as_json:
        return quote(text_of(value), safe="")
    pieces = [quote(each, safe="") for each in _pieces(value, parameter)]
    if not pieces or any(_no_step(each) for each in pieces) or (isinstance(value, str) and not value.strip()):
        raise UnwritableError("a value that is not empty and not . or ..")
    if parameter.style == "label":
        return "." + ("." if parameter.explode else ",").join(pieces)
    if parameter.style == "matrix":
        name = quote(parameter.name, safe="")
        if parameter.explode and isinstance(value, Mapping):
            return "".join(f";{piece}" for piece in pieces)
        if parameter.explode:
            return "".join(f";{name}={piece}" for piece in pieces)
        return f";{name}=" + ",".join(pieces)
    return ",".join(pieces)


def _no_step(piece: str) -> bool:
    return not piece or not piece.strip(".")


def _pieces(value: Any, parameter: Parameter) -> list[str]:
    if isinstance(value, Mapping):
        if parameter.explode:
            return [f"{name}={text_of(item)}" for name, item in value.items()]
        return [piece for name, item in value.items() for piece in (str(name), text_of(item))]
    return [text_of(item) for item in value] if isinstance(value, list) else [text_of(value)]


def query_pairs(parameter: Parameter, value: Any) -> Iterator[str]:
    """A query parameter as ``name=value``, encoded, once or several times. Raises UnwritableError."""

    def encoded(item: Any) -> str:
        return quote(text_of(item), safe=_RESERVED if parameter.reserved else "")

    name = quote(parameter.name, safe="[]")
    if parameter.as_json or not isinstance(value, (Mapping, list)):
        yield f"{name}={encoded(value)}"
    elif parameter.style == "deepObject" and isinstance(value, Mapping):
        for path, item in _deep(value):
            steps = "".join("[" + quote(step, safe="") + "]" for step in path)
            yield f"{name}{steps}={encoded(item)}"
    elif isinstance(value, Mapping):
        if parameter.explode:
            yield from (f"{quote(str(key), safe='')}={encoded(item)}" for key, item in value.items())
        else:
            yield f"{name}=" + ",".join(
                each for key, item in value.items() for each in (quote(str(key)), encoded(item))
            )
    elif parameter.explode:
        yield from (f"{name}={encoded(item)}" for item in value)
    else:
        yield f"{name}=" + _DELIMITERS.get(parameter.style, ",").join(map(encoded, value))


def _deep(value: Mapping[Any, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, item in value.items():
        path = (*above, str(key))
        if isinstance(item, Mapping):
            yield from _deep(item, path)
        else:
            yield path, item


def header_value(parameter: Parameter, value: Any) -> str:
    """A header parameter. Raises UnwritableError for what a header cannot carry."""
    text = text_of(value) if parameter.as_json else ",".join(_pieces(value, parameter))
    return checked_header(parameter.name, text)


def checked_header(name: str, text: str) -> str:
    """The content of a header, if one of this name can have it. Raises UnwritableError."""
    if not _HEADER_NAME.fullmatch(name):
        raise UnwritableError("a header whose name has letters, digits and hyphens only")
    if text != text.strip() or any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise UnwritableError("one line without whitespace around it")
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        raise UnwritableError("characters of latin-1 only") from None
    return text


def written_body(media_type: str, body: Any, files: Mapping[str, tuple[str, bytes]]) -> tuple[bytes, str]:
    """A body as it is sent, and its content type.

    ``files`` are the names and contents of files by the element that they stand for. Raises UnwritableError for a value
    that the media type cannot carry.
    """
    if is_json(media_type):
        try:
            return json.dumps(body, ensure_ascii=False, allow_nan=False).encode(), media_type
        except (TypeError, ValueError) as error:
            raise UnwritableError(f"what JSON can carry ({error})") from None
    if media_type == MULTIPART:
        return _multipart(_fields(body), files)
    if media_type == FORM:
        pairs = [(name, text) for name, value in _fields(body) for text in _texts(value)]
        return "&".join(f"{quote(name, safe='')}={quote(text, safe='')}" for name, text in pairs).encode(), media_type
    if files and body is None:
        return next(iter(files.values()))[1], media_type
    if isinstance(body, str):
        return body.encode(), f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
    raise UnwritableError(f"a text or a file, which {media_type} takes")


def _fields(body: Any) -> list[tuple[str, Any]]:
    if body is not None and not isinstance(body, Mapping):
        raise UnwritableError("a mapping, as a form is made of")
    return [(str(name), value) for name, value in (body or {}).items()]


def _texts(value: Any) -> list[str]:
    return [text_of(item) for item in value] if isinstance(value, list) else [text_of(value)]


def _multipart(fields: Sequence[tuple[str, Any]], files: Mapping[str, tuple[str, bytes]]) -> tuple[bytes, str]:
    parts = [(f'name="{_quoted(name)}"', "", text.encode()) for name, value in fields for text in _texts(value)]
    parts += [
        (
            f'name="{_quoted(name)}"; filename="{_quoted(filename)}"',
            "Content-Type: application/octet-stream\r\n",
            content,
        )
        for name, (filename, content) in files.items()
    ]
    held = b"\0".join(content for _names, _type, content in parts)
    # The same request has the same bytes in every run; a boundary must not occur in what it bounds.
    boundary = hashlib.sha256(held).hexdigest()[:40]
    lines = [
        f"--{boundary}\r\nContent-Disposition: form-data; {names}\r\n{kind}\r\n".encode() + content + b"\r\n"
        for names, kind, content in parts
    ]
    return b"".join(lines) + f"--{boundary}--\r\n".encode(), f"{MULTIPART}; boundary={boundary}"


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
