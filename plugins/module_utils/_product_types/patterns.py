# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Converts regular expressions of live rules to Python, and keeps them from running forever."""

from __future__ import annotations

import re
import warnings

#: Values longer than this are not matched: the time a match may take grows with the length.
LONGEST_VALUE = 256
_LONGEST_PATTERN = 1000
#: The most ways in which a pattern may try to match a value of the longest length. More could take minutes.
_MOST_WAYS = LONGEST_VALUE**3

_DELIMITED = re.compile(r"([/#~@!%])(.*)\1([a-zA-Z]*)", re.DOTALL)
_INLINE_FLAGS = re.compile(r"\(\?([a-zA-Z]+)\)")
#: An escape, a class, the beginning of a group with what says of which kind it is, or any other character.
_ATOM = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?[^:=!>)]*[:=!>]?)?|[^\\\[]", re.DOTALL)
_QUANTIFIER = re.compile(r"([*+?]|\{(\d*)(,?)(\d*)\})[?+]?")
_ANCHORED_START = ("^", r"\A")
_ANCHORED_END = ("$", r"\Z")


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
    pattern = text.replace(r"\z", r"\Z")
    pattern = re.sub(r"\(\?<([A-Za-z_]\w*)>", r"(?P<\1>", pattern)
    whole = _is_anchored(pattern) and "m" not in flags
    scoped = "".join(sorted(set(flags) & set("imsx")))
    if scoped:
        pattern = f"(?{scoped}:{pattern})"
    # A search may begin at every character.
    if not _is_safe(pattern, _MOST_WAYS if whole else _MOST_WAYS // LONGEST_VALUE):
        return None
    return _compiled(pattern if whole else f"(?s:.*?)(?:{pattern})(?s:.*)")


def _is_anchored(pattern: str) -> bool:
    return (
        pattern.startswith(_ANCHORED_START)
        and pattern.endswith(_ANCHORED_END)
        and not re.search(r"(?<!\\)(\\\\)*\\[$]\Z", pattern)
        and _branches(pattern) == 1
    )


def _branches(pattern: str) -> int | None:
    """How many alternatives an expression has at its top level; ``None`` when it is not well formed."""
    counted = _count(pattern)
    return None if counted is None else counted[1]


def _is_safe(pattern: str, most_ways: int) -> bool:
    counted = _count(pattern)
    if counted is None or counted[0] > most_ways:
        return False
    return _compiled(pattern) is not None


def _compiled(pattern: str) -> str | None:
    """The pattern, if Python can use it as it is."""
    try:
        with warnings.catch_warnings():
            # What Python warns of is what it understands otherwise than the service does.
            warnings.simplefilter("error")
            re.compile(pattern)
    except (re.error, Warning, OverflowError, RecursionError, ValueError):
        return None
    return pattern


def _count(pattern: str) -> tuple[int, int] | None:
    """An upper bound of the ways in which a match can be tried, and the number of alternatives at the top level."""
    # Each open group: ways of its finished alternatives, ways of the current one, number of alternatives.
    groups = [[0, 1, 1]]
    at = 0
    while at < len(pattern):
        atom, ways = _ATOM.match(pattern, at), 1
        if atom is None:
            return None
        at = atom.end()
        if atom[0][0] == "(":
            groups.append([0, 1, 1])
            continue
        if atom[0] == "|":
            groups[-1] = [groups[-1][0] + groups[-1][1], 1, groups[-1][2] + 1]
            continue
        if atom[0] == ")":
            finished = groups.pop()
            ways = finished[0] + finished[1]
            if not groups:
                return None
        quantifier = _QUANTIFIER.match(pattern, at)
        if quantifier:
            at = quantifier.end()
            ways = _repeated(ways, quantifier)
        groups[-1][1] = min(groups[-1][1] * ways, _MOST_WAYS + 1)
    return (groups[0][0] + groups[0][1], groups[0][2]) if len(groups) == 1 else None


def _repeated(ways: int, quantifier: re.Match[str]) -> int:
    sign = quantifier[1]
    low = {"*": 0, "+": 1, "?": 0}.get(sign[0], int(quantifier[2] or 0))
    if sign[0] == "{":
        high = (int(quantifier[4]) if quantifier[4] else LONGEST_VALUE) if quantifier[3] else low
    else:
        high = 1 if sign == "?" else LONGEST_VALUE
    high = min(high, LONGEST_VALUE)
    spread = max(1, min(high - low + 1, LONGEST_VALUE))
    if ways == 1:
        return spread
    # 2 to the power of 30 is more than the bound already.
    return _MOST_WAYS + 1 if high > 30 else int(min(ways**high * spread, _MOST_WAYS + 1))
