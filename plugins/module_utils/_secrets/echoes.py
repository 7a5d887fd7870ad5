# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds texts again in the forms in which services repeat them: plain, escaped for JSON or a URL, and in Base64.

What is not found as it is written is sought without escapes (``\\u00e4``, ``\\/``, ``%C3%A4``, ``+``, also one inside
the other) and with single blanks. Each step is linear in the text: an answer may have megabytes of backslashes.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
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
_BLANKS = re.compile(" {2,}")

_HEX = "[0-9a-fA-F]"
#: What a URL inside of URLs makes of a percent sign.
_PERCENT = "%(?:25){0,8}"
_BACKSLASHES = rf"(?:\\|{_PERCENT}5[cC]){{1,64}}"
_CONTROLS = rf"(?:[01]{_HEX}|20|2[bB]|7[fF])"
_NEXT_BYTE = rf"{_PERCENT}[89abAB]{_HEX}"
#: What is escaped, or blank. Repetitions are bounded, so that no text makes a match expensive.
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


class Echoes:
    """Finds any of many texts, and replaces what it finds.

    ``words``: only where no letter or digit stands before or after, and whatever the case. ``kept`` are names that stay
    as they are, also where one of the texts is a part of them. Texts shorter than ``SHORTEST`` are not sought.
    """

    def __init__(self, texts: Iterable[str], *, words: bool = False, kept: Iterable[str] = ()) -> None:
        sought = [text for text in dict.fromkeys(texts) if len(text) >= SHORTEST]
        self._words = words
        self._kept = frozenset(name for name in kept if any(self._case(text) in self._case(name) for text in sought))
        #: What is sought, by a part of it that no program escapes: its longest run of ASCII letters and digits.
        self._needles: dict[str, list[str]] = {}
        for core, needle in (pair for text in sought for pair in _needles(text, words)):
            self._needles.setdefault(core, []).append(needle)
        self._heads: dict[str, list[str]] = {}
        if len(self._needles) > _FEW:
            for core in self._needles:
                self._heads.setdefault(core[:SHORTEST] if len(core) >= SHORTEST else "", []).append(core)

    def __bool__(self) -> bool:
        return bool(self._needles)

    def found_in(self, text: str) -> bool:
        """Whether this text contains any of the texts."""
        return self.replaced(text, MASK) != text

    def replaced(self, text: str, mask: str) -> str:
        """The text with ``mask`` for whatever is found; without escapes, if anything is found in those only."""
        needles = [needle for core in self._cores(self._case(text)) for needle in self._needles[core]]
        if not needles:
            return text
        shown = self._without(needles, text, mask)
        plain = _without_escapes(shown)
        masked = self._without(map(_meant, needles), plain, mask)
        return shown if masked == plain else masked

    def _case(self, text: str) -> str:
        return text.lower() if self._words else text

    def _without(self, needles: Iterable[str], text: str, mask: str) -> str:
        searched = self._case(text)
        found = {needle for needle in needles if len(needle) >= SHORTEST and self._case(needle) in searched}
        if not found:
            return text
        stay = self._kept | {mask}
        pattern = "|".join(map(re.escape, sorted(found | stay, key=len, reverse=True)))
        if self._words:
            pattern = rf"(?<![^\W_])(?:{pattern})(?![^\W_])"
        case = re.IGNORECASE if self._words else 0
        return re.sub(pattern, lambda match: match[0] if match[0] in stay else mask, text, flags=case)

    def _cores(self, text: str) -> Iterable[str]:
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


@lru_cache(maxsize=4096)
def _needles(text: str, words: bool) -> Sequence[tuple[str, str]]:
    """What is looked for of a text, each with its core. Every order of a task has the same API key."""
    needles = [text]
    if len(_meant(text)) < SHORTEST:
        # Of a text of blanks and backslashes, too little is left without escapes.
        needles += [json.dumps(text)[1:-1], quote(text, safe="", errors="replace")]
    if not words:
        needles += _encoded_parts(text)
    cores = (_CORE.findall(needle.lower() if words else needle) for needle in needles)
    return [(max(found, key=len, default=""), needle) for found, needle in zip(cores, needles, strict=True)]


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


@lru_cache(maxsize=4096)
def _meant(needle: str) -> str:
    # What follows in a text may be taken for the rest of an escape at the end.
    return _without_escapes(_HALF_ESCAPE.sub("", needle)).strip(" ")


def _without_escapes(text: str) -> str:
    return _BLANKS.sub(" ", _ESCAPE.sub(_meaning, text))


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
