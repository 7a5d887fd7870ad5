# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds a text again in every form in which a program may repeat it.

As they are; escaped for JSON (``\\u00e4``, ``\\/``, also JSON inside of JSON), for URLs (``%C3%A4``, ``%c3%a4``, ``+``)
or for HTML (``&auml;``, ``&#228;``, ``&#xE4;``); with other whitespace, and with control characters left out.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html.entities import codepoint2name
from urllib.parse import unquote

#: Stands where something was taken out.
MASK = "********"
#: A text of one or two characters stands in half of all others by chance.
SHORTEST = 3
#: From so many texts on, they are looked up by their first letters instead of one after the other.
_FEW = 24
_MOST_ESCAPES = 3
_ESCAPED = re.compile("%[0-9A-Fa-f]{2}|&#?[A-Za-z0-9]+;")
_CORE = re.compile(r"[A-Za-z0-9]+")
#: What escapes leave before a word: the letter of ``\n`` and the digits of ``%20`` are no part of it.
_BEGINNING = r"(?:(?<![^\W_])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_END = r"(?![^\W_])"


class Echoes:
    """Finds any of many texts, and replaces what it finds.

    ``words``: only where no letter or digit stands before or after, and whatever the case. ``kept`` are names that stay
    as they are, also where one of the texts is a part of them.
    """

    def __init__(self, texts: Iterable[str], *, words: bool = False, kept: Iterable[str] = ()) -> None:
        self._words = words
        self._kept = [name for name in dict.fromkeys(kept) if name]
        self._cores: dict[str, list[str]] = {}
        for text in dict.fromkeys(texts):
            if len(text) >= SHORTEST:
                core = max(_CORE.findall(text), key=len, default="")
                self._cores.setdefault(core.lower() if words else core, []).append(text)
        self._heads: dict[str, list[str]] = {}
        if len(self._cores) > _FEW:
            for core in self._cores:
                self._heads.setdefault(core[:SHORTEST] if len(core) >= SHORTEST else "", []).append(core)

    def __bool__(self) -> bool:
        return bool(self._cores)

    def found_in(self, text: str) -> bool:
        """Whether this text contains any of the texts."""
        return bool(self._spans(text)) or self._beneath(text)

    def replaced(self, text: str, mask: str) -> str:
        """The text with ``mask`` for whatever is found; ``mask`` alone if it is found only beneath several escapes."""
        if not self._candidates(text):
            return text
        parts, end = [], 0
        for start, stop in self._spans(text):
            if start >= end:
                parts += [text[end:start], mask]
            end = max(end, stop)
        left = "".join([*parts, text[end:]]) if parts else text
        return mask if self._beneath(left) else left

    def _beneath(self, text: str) -> bool:
        """Whether any of the texts stands in what escapes of several kinds, one in the other, make this one of."""
        if not self._candidates(text):
            return False
        for _depth in range(_MOST_ESCAPES):
            if not _ESCAPED.search(text):
                return False
            text = html.unescape(unquote(text))
            if self._spans(text):
                return True
        return False

    def _spans(self, text: str) -> list[tuple[int, int]]:
        found = [
            match.span()
            for core in self._candidates(text)
            for wanted in self._cores[core]
            for match in _pattern(wanted, self._words).finditer(text)
        ]
        if found and self._kept:
            names = [span for name in self._kept for span in _places(name, text)]
            found = [(at, end) for at, end in found if not any(start <= at and end <= stop for start, stop in names)]
        return sorted(found)

    def _candidates(self, text: str) -> list[str]:
        """The cores that stand in the text: no program escapes letters and digits of ASCII."""
        sought = text.lower() if self._words else text
        if not self._heads:
            return [core for core in self._cores if core in sought]
        begun = {sought[at : at + SHORTEST] for at in range(len(sought) - SHORTEST + 1)}
        heads = begun & self._heads.keys()
        return [*self._heads.get("", ()), *(core for head in heads for core in self._heads[head] if core in sought)]


def distinctive(text: str) -> bool:
    """Whether this text is unlikely to occur by chance: it is not a plain word or number.

    The others are masked by their names, and in what the service says of an order; in texts of this collection and its
    users, a password such as "web" or "portal" is a word like any other.
    """
    kinds = (str.islower, str.isupper, str.isdigit, lambda letter: not letter.isalnum() and letter not in " _-.,'")
    begun = text[:1].lower() + text[1:]
    return len(text) >= 6 and sum(any(map(kind, begun)) for kind in kinds) > 1


def _places(name: str, text: str) -> Iterator[tuple[int, int]]:
    at = text.find(name)
    while at >= 0:
        yield at, at + len(name)
        at = text.find(name, at + 1)


@lru_cache(maxsize=1024)
def _pattern(text: str, words: bool) -> re.Pattern[str]:
    """What matches the text in any of its forms."""
    if sum(not character.isspace() and character.isprintable() for character in text) < SHORTEST:
        parts = [_character(character) for character in text]
    else:
        parts = []
        # Around a text, whitespace is often taken away.
        for character in text.strip():
            part = _gap(character) if character.isspace() or not character.isprintable() else _character(character)
            if part != _SPACE or parts[-1] != _SPACE:
                parts.append(part)
    whole = "".join(parts)
    return re.compile(f"{_BEGINNING}{whole}{_END}", re.IGNORECASE) if words else re.compile(whole)


_SPACE = (
    r"(?:[\s\x00-\x20\x7f-\xa0\ufffd]|\+|\\+[nrtfbv]|\\+u00(?:[01][0-9a-fA-F]|20)|\\+x(?:[01][0-9a-fA-F]|20)"
    r"|%(?:25)*(?:[01][0-9a-fA-F]|20)"
    r"|&(?:amp;)*(?:nbsp|Tab|NewLine|#0*(?:9|1[0-3]|32|160)|#[xX]0*(?:9|[a-dA-D]|20|[aA]0));)+"
)


def _gap(character: str) -> str:
    # What cannot be printed may have been replaced or left out.
    return _SPACE if character in " \t\n\r\f\v" else f"(?:{_character(character)}|\\s|\N{REPLACEMENT CHARACTER})?"


#: What stands after the backslash for control characters, in JSON and elsewhere.
_SHORT_ESCAPES = dict(zip("\0\a\b\t\n\v\f\r\x1b", "0abtnvfre", strict=True))


@lru_cache(maxsize=1024)
def _character(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    number = ord(character)
    forms = [r"\\+" if character == "\\" else rf"\\*{re.escape(character)}"]
    # Half of a surrogate pair has no form in bytes.
    encoded = character.encode("utf-8", "replace")
    forms.append("".join(rf"%(?:25)*(?i:{byte:02x})" for byte in encoded))
    units = character.encode("utf-16-be", "surrogatepass")
    forms.append("".join(rf"\\+u(?i:{units[at : at + 2].hex()})" for at in range(0, len(units), 2)))
    names = [f"#0*{number}", f"#[xX]0*(?i:{number:x})"]
    if number in codepoint2name:
        names.append(codepoint2name[number])
    if character == "'":
        names.append("apos")
    forms.append(f"&(?:amp;)*(?:{'|'.join(names)});")
    if character in _SHORT_ESCAPES:
        forms.append(rf"\\+{_SHORT_ESCAPES[character]}")
    if number < 256:
        forms += [rf"%(?:25)*(?i:{number:02x})", rf"\\+x(?i:{number:02x})"]
    if 127 < number < 256:
        # In a text of Latin-1 that was read as UTF-8 with surrogateescape.
        forms.append(chr(0xDC00 + number))
    taken_apart = unicodedata.normalize("NFD", character)
    if taken_apart != character:
        forms.append(re.escape(taken_apart))
    return f"(?:{'|'.join(forms)})"
