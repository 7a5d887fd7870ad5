# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds texts again in the forms in which services repeat them: plain, escaped for JSON or a URL, and in Base64.

A text and what is sought in it are brought into one normal form without escapes (``\\u00e4``, ``\\/``, ``%C3%A4``,
``+``, also one inside the other) and with single blanks. Each step is linear in the text: an answer may have megabytes
of backslashes.
"""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from urllib.parse import quote

#: Stands where something was taken out.
MASK = "********"
#: A text of one or two characters stands in half of all others by chance.
SHORTEST = 3
#: From so many texts on, they are looked up by their first letters instead of one after the other.
_FEW = 24
#: Bytes of a text from which on a part of its Base64 form is told from other words.
_DISTINCT_BYTES = 6
_HALF_ESCAPE = re.compile("%[0-9A-Fa-f]?$")
_CORE = re.compile(r"[A-Za-z0-9]+")
_BASE64 = re.compile(r"[A-Za-z0-9+/=_-]*")

_HEX = "[0-9a-fA-F]"
#: What a URL inside of URLs makes of a percent sign.
_PERCENT = "%(?:25){0,8}"
_BACKSLASHES = rf"(?:\\|{_PERCENT}5[cC]){{1,64}}"
_CONTROLS = rf"(?:[01]{_HEX}|20|2[bB]|7[fF])"
_NEXT_BYTE = rf"{_PERCENT}[89abAB]{_HEX}"
#: What is not itself in the normal form. Repetitions are bounded, so that no text makes a match expensive.
_ESCAPE = re.compile(
    rf"""
    (?P<blank>(?:[\s\x00-\x20\x7f-\xa0\ufffd+]|{_PERCENT}{_CONTROLS}|{_BACKSLASHES}(?:[nrtbf]|u00{_CONTROLS})){{1,256}})
    |{_BACKSLASHES}u(?P<high>[dD][89abAB]{_HEX}{{2}}){_BACKSLASHES}u(?P<low>[dD][c-fC-F]{_HEX}{{2}})
    |{_BACKSLASHES}u(?P<unit>{_HEX}{{4}})
    |(?P<dropped>{_BACKSLASHES})
    |(?P<bytes>
        {_PERCENT}[cdCD]{_HEX}{_NEXT_BYTE}
        |{_PERCENT}[eE]{_HEX}(?:{_NEXT_BYTE}){{2}}
        |{_PERCENT}[fF]{_HEX}(?:{_NEXT_BYTE}){{3}}
        |{_PERCENT}[89a-fA-F]{_HEX}
        |{_PERCENT}[2-7]{_HEX}
    )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class _Needle:
    """A text that is sought as it is and, if not empty, in its normal form.

    ``encoded``: it is a part of a Base64 text, all of which is taken.
    """

    plain: str
    normal: str = ""
    encoded: bool = False


class Echoes:
    """Finds any of many texts, and replaces what it finds.

    ``words``: only where no letter or digit stands before or after, and whatever the case. ``kept`` are names that stay
    as they are, also where one of the texts is a part of them. Texts shorter than ``SHORTEST`` are not sought.
    """

    def __init__(self, texts: Iterable[str], *, words: bool = False, kept: Iterable[str] = ()) -> None:
        self._words = words
        self._kept = [name for name in dict.fromkeys(kept) if name]
        self._needles: dict[str, list[_Needle]] = {}
        for text in dict.fromkeys(texts):
            for needle in _needles(text, words) if len(text) >= SHORTEST else ():
                # No program escapes letters and digits of ASCII.
                core = max(_CORE.findall(needle.plain), key=len, default="")
                self._needles.setdefault(core, []).append(needle)
        self._heads: dict[str, list[str]] = {}
        if len(self._needles) > _FEW:
            for core in self._needles:
                self._heads.setdefault(core[:SHORTEST] if len(core) >= SHORTEST else "", []).append(core)

    def __bool__(self) -> bool:
        return bool(self._needles)

    def found_in(self, text: str) -> bool:
        """Whether this text contains any of the texts."""
        return bool(self._spans(text))

    def replaced(self, text: str, mask: str) -> str:
        """The text with ``mask`` for whatever is found."""
        parts, end = [], 0
        for start, stop in self._spans(text):
            if start >= end:
                parts += [text[end:start], mask]
            end = max(end, stop)
        return "".join([*parts, text[end:]]) if parts else text

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where the texts stand, in order; spans may overlap."""
        sought = _small(text) if self._words else text
        needles = [needle for core in self._candidates(sought) for needle in self._needles[core]]
        if not needles:
            return []
        found = [(span, each.encoded) for each in needles for span in self._places(each.plain, sought)]
        if any(each.normal for each in needles):
            normal = _Normal(sought)
            for each in needles:
                spans = self._places(each.normal, normal.text) if each.normal else ()
                found += [((normal.origin(start), normal.origin(stop)), each.encoded) for start, stop in spans]
        return self._without_names(text, _widened(text, sorted(found)))

    def _places(self, needle: str, text: str) -> Iterator[tuple[int, int]]:
        for start, stop in _occurrences(needle, text):
            if not (self._words and (text[start - 1 : start].isalnum() or text[stop : stop + 1].isalnum())):
                yield start, stop

    def _without_names(self, text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        names = sorted(span for name in self._kept for span in _occurrences(name, text)) if spans else []
        if not names:
            return spans
        # How far the names reach that begin at or before each of them.
        reach = list(accumulate((stop for _start, stop in names), max))
        begins = [start for start, _stop in names]

        def of_a_name(start: int, stop: int) -> bool:
            before = bisect_right(begins, start)
            return before > 0 and reach[before - 1] >= stop

        return [(start, stop) for start, stop in spans if not of_a_name(start, stop)]

    def _candidates(self, text: str) -> Iterable[str]:
        """The cores of needles that stand in the text."""
        if not self._heads:
            return [core for core in self._needles if core in text]
        begun = {text[at : at + SHORTEST] for at in range(len(text) - SHORTEST + 1)}
        heads = begun & self._heads.keys()
        return [*self._heads.get("", ()), *(core for head in heads for core in self._heads[head] if core in text)]


def distinctive(text: str) -> bool:
    """Whether this text is unlikely to occur by chance: it is not a plain word or number.

    The others are masked by their names, and in what the service says of an order; in texts of this collection and its
    users, a password such as "web" or "portal" is a word like any other.
    """
    kinds = (str.islower, str.isupper, str.isdigit, lambda letter: not letter.isalnum() and letter not in " _-.,'")
    begun = text[:1].lower() + text[1:]
    return len(text) >= 6 and sum(any(map(kind, begun)) for kind in kinds) > 1


def _needles(text: str, words: bool) -> Iterator[_Needle]:
    sought = _small(text) if words else text
    # What follows the text might be taken for the rest of an escape at its end.
    normal = _Normal(_HALF_ESCAPE.sub("", sought)).text.strip(" ")
    if sought.isascii() and sought.isalnum() and not words:
        yield _Needle(sought)
    elif len(normal) >= SHORTEST:
        yield _Needle(sought, normal)
    else:
        # Of a text of blanks and backslashes, the normal form would be anywhere.
        yield from map(_Needle, {sought, json.dumps(sought)[1:-1], quote(sought, safe="", errors="replace")})
    if not words:
        yield from (_Needle(part, _Normal(part).text.strip(" "), encoded=True) for part in _encoded_parts(text))


def _encoded_parts(text: str) -> Iterator[str]:
    """What is in Base64 wherever the text stands in the encoded one; of a short one, alone or after ``user:``."""
    content, parts = text.encode("utf-8", "replace"), set()
    if len(content) < _DISTINCT_BYTES:
        parts.add(base64.b64encode(content).decode().rstrip("="))
        content = b":" + content
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + content).decode()
        # Letters that depend on the neighbours as well are not looked at.
        parts.add(encoded[-(-8 * before // 6) : (before + len(content)) * 8 // 6])
    yield from sorted(parts.union(part.translate(_URL_SAFE) for part in parts))


_URL_SAFE = str.maketrans("+/", "-_")


def _widened(text: str, found: list[tuple[tuple[int, int], bool]]) -> list[tuple[int, int]]:
    """The spans; of parts of a Base64 text, the whole of it. Each character is looked at once."""
    spans, end = [], 0
    for (start, stop), encoded in found:
        if encoded:
            if stop <= end:
                continue
            while start > end and _BASE64.fullmatch(text, start - 1, start) and text[start - 1] != "=":
                start -= 1
            whole = _BASE64.match(text, stop)
            stop = whole.end() if whole else stop
            end = stop
        spans.append((start, stop))
    return sorted(spans)


def _occurrences(needle: str, text: str) -> Iterator[tuple[int, int]]:
    at = text.find(needle)
    while at >= 0:
        yield at, at + len(needle)
        at = text.find(needle, at + len(needle))


def _small(text: str) -> str:
    """In small letters, and of the same length: some letters have no single small one."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


class _Normal:
    """The normal form of a text, and where in the text each part of it comes from."""

    def __init__(self, text: str) -> None:
        pieces: list[str] = []
        # From these positions of the normal form on, up to the next one, it goes on as the text does at those origins.
        self._positions, self._origins = [0], [0]
        end = size = 0
        blank_until = -1
        for match in _ESCAPE.finditer(text):
            start, stop = match.span()
            made = _meaning(match)
            if made == " " or (not made and start == blank_until):
                made, blank_until = ("" if start == blank_until else made), stop
            if made == match[0]:
                continue
            pieces += [text[end:start], made]
            size += start - end
            if not made:
                self._mark(size, start)
            size += len(made)
            self._mark(size, stop)
            end = stop
        self.text = "".join([*pieces, text[end:]]) if pieces else text

    def _mark(self, position: int, origin: int) -> None:
        self._positions.append(position)
        self._origins.append(origin)

    def origin(self, position: int) -> int:
        """Where the character before this position ends in the text, so that an escape belongs to what follows it."""
        at = bisect_left(self._positions, position)
        if at == len(self._positions) or self._positions[at] != position:
            at -= 1
        return self._origins[at] + position - self._positions[at]


def _meaning(match: re.Match[str]) -> str:
    if match["blank"]:
        return " "
    if match["dropped"]:
        return ""
    if match["unit"]:
        return chr(int(match["unit"], 16))
    if match["high"]:
        return bytes.fromhex(match["high"] + match["low"]).decode("utf-16-be")
    content = bytes.fromhex("".join(part[-2:] for part in match["bytes"].split("%")[1:]))
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")
