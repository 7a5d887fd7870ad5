# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads JSON from other programs strictly, so that the result can be walked, compared and written again."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any

#: No answer of a sane service is nested deeper; code that walks one may recurse this far.
DEEPEST = 100
#: A number with more digits is no quantity, and some operations on it take very long.
MOST_DIGITS = 100
#: More values than these are not built: a few bytes of text take hundreds of memory.
MOST_VALUES = 500_000

_STRING = re.compile(rb'"[^"]*"?')
_NO_STRUCTURE = bytes({*range(256)} - {*b'[]{}"'})


class JsonError(ValueError):
    """The bytes are not JSON, or JSON that readers would interpret differently. Says what is wrong."""


def read(body: bytes) -> Any:
    """The value of a JSON text in UTF-8, UTF-16 or UTF-32, with or without a byte order mark.

    Raises JsonError for what is no JSON, for NaN and infinite numbers, for a name given twice in one object, for
    nesting deeper than ``DEEPEST``, and for more than about ``MOST_VALUES`` values.
    """
    try:
        text = body.decode(json.detect_encoding(body))
        check_size(text)
        _check_depth(text)
        value = json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_number
        )
    except UnicodeDecodeError as error:
        raise JsonError(f"it is not text in UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise JsonError(f"{error.msg} (line {error.lineno}, column {error.colno})") from None
    return _whole_characters(value) if "\\ud" in text or "\\uD" in text else value


def held_in(text: Any) -> Any:
    """The list or mapping that a text holds as JSON, otherwise ``None``."""
    if not isinstance(text, str) or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return read(text.encode())
    except (UnicodeEncodeError, JsonError):
        return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        [(twice, _times)] = Counter(name for name, _value in pairs).most_common(1)
        raise JsonError(f"an object holds the name {twice[:100]!r} twice")
    return result


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise JsonError(f"it holds a number of {len(digits)} digits")
    return int(digits)


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise JsonError("it holds a number that is too large, or NaN or Infinity, which are not JSON")
    return number


def check_size(text: str) -> None:
    """Raise JsonError for a JSON text with more than about ``MOST_VALUES`` values, before any is built."""
    # A comma in a string counts, too.
    if text.count(",") + text.count("[") + text.count("{") > MOST_VALUES:
        raise JsonError(f"it holds more than {MOST_VALUES} values")


def _check_depth(text: str) -> None:
    """Before anything of it is parsed: at the interpreter's own limit, whatever else runs would fail as well."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    quoted = text.replace("\\\\", "").replace('\\"', "").encode(errors="replace").translate(None, _NO_STRUCTURE)
    depth = 0
    for bracket in _STRING.sub(b"", quoted):
        depth += 1 if bracket in b"[{" else -1
        if depth > DEEPEST:
            raise JsonError(f"it is nested deeper than {DEEPEST} levels")


def _whole_characters(value: Any) -> Any:
    """The value without lone halves of surrogate pairs, which cannot be written to a file or a terminal."""
    written = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass")
    return json.loads(written.decode("utf-16", "replace"))
