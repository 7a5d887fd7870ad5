# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes the parts of a request: parameters in OpenAPI's default styles, bodies as JSON or forms with files. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from .._reference.request_parts import MULTIPART, UNUSABLE, Parameter, preference

#: A header's name and value, as requests sends them.
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}: ([!-~\x80-\xff]([\t -~\x80-\xff]*[!-~\x80-\xff])?)?")


class UnwritableError(ValueError):
    """A value that is not possible in its place. The text says what is."""


def is_supported(media_type: str) -> bool:
    """Whether bodies of this media type can be sent: JSON in all its forms, and forms with files."""
    return preference(media_type) != UNUSABLE or media_type == MULTIPART


def parameter_text(value: Any) -> str:
    """A scalar as in a parameter; a list or mapping within one as JSON. Raises UnwritableError for null."""
    if value is None:
        raise UnwritableError("not null")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (Mapping, list)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return str(value)


def path_value(parameter: Parameter, value: Any) -> str:
    """A path parameter in the style ``simple``, encoded so that it stays one step of the path.

    Raises UnwritableError for what is empty, ``.`` or ``..``: an empty id makes an item's path that of the collection.
    """
    pieces = [quote(each, safe="") for each in _pieces(parameter, value)]
    if not pieces or not all(piece.strip(".") for piece in pieces) or (isinstance(value, str) and not value.strip()):
        raise UnwritableError("a value that is not empty and not . or ..")
    return ",".join(pieces)


def query_value(parameter: Parameter, value: Any) -> str:
    """A query parameter in the style ``form`` as ``name=value``, encoded, once or several times.

    Raises UnwritableError.
    """
    pairs = [(parameter.name, ",".join(_pieces(parameter, value)))]
    if parameter.explode and isinstance(value, Mapping):
        pairs = [(str(name), parameter_text(item)) for name, item in value.items()]
    elif parameter.explode and isinstance(value, list):
        pairs = [(parameter.name, parameter_text(item)) for item in value]
    return urlencode(pairs, quote_via=quote, safe=",[]")


def header_value(parameter: Parameter, value: Any) -> str:
    """A header parameter in the style ``simple``. Raises UnwritableError for what a header cannot carry."""
    text = ",".join(_pieces(parameter, value))
    if not _HEADER.fullmatch(f"{parameter.name}: {text}"):
        raise UnwritableError("a header of one line, in characters of latin-1 and without whitespace around it")
    return text


def _pieces(parameter: Parameter, value: Any) -> list[str]:
    if parameter.style is not None:
        raise UnwritableError(
            f"its style, {parameter.style}, is not supported: use ansible.builtin.uri for this operation"
        )
    if isinstance(value, Mapping):
        if parameter.explode:
            return [f"{name}={parameter_text(item)}" for name, item in value.items()]
        return [piece for name, item in value.items() for piece in (str(name), parameter_text(item))]
    return [parameter_text(item) for item in value] if isinstance(value, list) else [parameter_text(value)]


def written_body(media_type: str, body: Any, files: Mapping[str, tuple[str, bytes]]) -> tuple[bytes, str]:
    """A body as it is sent, and its content type.

    ``files`` are the names and contents of files by the field that they stand for. Raises UnwritableError for a value
    that the media type cannot carry.
    """
    if not is_supported(media_type):
        raise UnwritableError(f"JSON or a form with files; {media_type} is not supported: use ansible.builtin.uri")
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
