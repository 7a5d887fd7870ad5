# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Converts regular expressions of live rules to Python, but for those that might run forever."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator

#: Values longer than this are not matched: the time a match may take grows with the length.
LONGEST_VALUE = 256
_LONGEST_PATTERN = 1000
#: The most ways in which a pattern may try to match a value of the longest length. More could take minutes.
_MOST_WAYS = LONGEST_VALUE**3

_DELIMITED = re.compile(r"([/#~@!%])(.*)\1([a-zA-Z]*)", re.DOTALL)
_INLINE_FLAGS = re.compile(r"\(\?([a-zA-Z]+)\)")
#: What stands for one character: an escape, a class.
_ONE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_GROUP = re.compile(r"\(\?(?:[:=!]|<[=!]|P<\w+>)")
_QUANTIFIER = re.compile(r"([*+?]|\{(\d*)(,?)(\d*)\})[?+]?")
_INNER_GROUP = re.compile(r"\([^()]*\)")
_REPEATED_GROUP = re.compile(r"\)[*+{]")


def whole_pattern(text: str) -> str | None:
    """The Python pattern that the whole of a value matches if the rule accepts it; ``None`` when not understood.

    ``text`` is a bare expression, or a delimited one with flags as in PHP and JavaScript (``/^a$/i``). It accepts a
    value that it matches anywhere in: HTML alone means the whole value without saying so.
    """
    if not text or len(text) > _LONGEST_PATTERN:
        return None
    flags = ""
    delimited = _DELIMITED.fullmatch(text)
    if delimited:
        text, flags = delimited[2], delimited[3]
    inline = _INLINE_FLAGS.match(text)
    if inline:
        text, flags = text[inline.end() :], flags + inline[1]
    # Empty classes mean something in JavaScript alone.
    if set(flags) - set("imsxuD") or "[:" in text or "[]" in text or "[^]" in text:
        return None
    pattern = re.sub(r"\(\?<([A-Za-z_]\w*)>", r"(?P<\1>", text.replace(r"\z", r"\Z"))
    plain = _GROUP.sub("(", _ONE.sub("x", pattern))
    is_whole = plain.startswith("^") and plain.endswith("$") and "|" not in _INNER_GROUP.sub("", plain)
    is_whole = is_whole and "m" not in flags
    # A search may begin at every character.
    if _is_costly(plain, 1 if is_whole else LONGEST_VALUE) or not _compiles(pattern):
        return None
    scoped = "".join(sorted(set(flags) & set("imsx")))
    if scoped or not is_whole:
        pattern = f"(?{scoped}:{pattern})"
    pattern = pattern if is_whole else f"(?s:.*?){pattern}(?s:.*)"
    return pattern if _compiles(pattern) else None


def _compiles(pattern: str) -> bool:
    try:
        with warnings.catch_warnings():
            # What Python warns of is what it understands otherwise than the service does.
            warnings.simplefilter("error")
            re.compile(pattern)
    except (re.error, Warning, OverflowError, RecursionError, ValueError):
        return False
    return True


def _is_costly(plain: str, begins: int) -> bool:
    """Whether a match may be tried in too many ways: an upper bound of them is the product of all choices."""
    ways = math.prod(_choices(plain)) * 2 ** plain.count("|")
    return ways * begins > _MOST_WAYS or (ways > 1 and _REPEATED_GROUP.search(plain) is not None)


def _choices(plain: str) -> Iterator[int]:
    for sign, low, comma, high in _QUANTIFIER.findall(plain):
        if sign[0] != "{":
            yield 2 if sign == "?" else LONGEST_VALUE
        elif comma:
            most = min(int(high), LONGEST_VALUE) if high else LONGEST_VALUE
            yield max(1, most - min(int(low or 0), LONGEST_VALUE) + 1)
