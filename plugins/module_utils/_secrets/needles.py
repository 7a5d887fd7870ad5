# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds texts in the forms in which services repeat them: plain, escaped for JSON, a URL or HTML, and in Base64.

A needle becomes a pattern of its characters, each as it is or escaped, also by one program after the other. So it is
found where it stands, whatever is around it, and needles that overlap there are masked as one. No program escapes ASCII
letters and digits: a pattern is tried only around a needle's longest run of them, and all its repetitions are bounded.
"""

from __future__ import annotations

import base64
import re
import string
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

#: Stands where something was taken out.
MASK = "********"
#: A text of one or two characters stands in half of all others by chance.
SHORTEST = 3
#: A form of a text is at most so many times as long.
_LONGEST_FORM = 72
#: From so many beginnings of needles on, those of a text are looked up among them instead of the other way round.
_MANY = 24
#: Bytes of a text from which on a part of its Base64 form is told from other words.
_DISTINCT_BYTES = 6

Span: TypeAlias = tuple[int, int]

#: What a URL inside of URLs makes of a percent sign.
_PERCENT = "%(?:25){0,8}"
_SLASHES = rf"(?:\\|{_PERCENT}5[cC]){{1,64}}"
#: Backslashes before a needle: of a run of them, only the first one begins a match.
_LEADING = rf"(?:(?<!\\)(?<!5[cC]){_SLASHES})?"
_CONTROL = "(?:[01][0-9a-fA-F]|20|2[bB]|7[fF])"
#: Whitespace and what programs make of it: plus signs in URLs, replacements for control characters.
_BLANK = (
    rf"(?:(?:{_SLASHES})?(?:[\s\x00-\x20\x7f-\xa0\ufffd+]|{_PERCENT}{_CONTROL})|{_SLASHES}(?:[nrtbf]|u00{_CONTROL}))"
)
_NUMBER, _SEMICOLON = f"(?:#|{_PERCENT}23)", f"(?:;|{_PERCENT}3b)"
#: What begins an escape of HTML, which may itself be escaped, and the escapes that have names.
_AMPERSAND = f"(?:&|u0026|{_PERCENT}26)(?:(?:amp|{_NUMBER}(?:0{{0,4}}38|x0{{0,4}}26)){_SEMICOLON}){{0,8}}"
_NAMES = {'"': "quot|", "&": "amp|", "'": "apos|", "<": "lt|", ">": "gt|"}
_TOKEN = re.compile(rf"(?P<blank>{_BLANK}+)|(?P<slashes>{_SLASHES})|(?P<word>[A-Za-z0-9]+)|(?P<other>.)", re.DOTALL)
#: Before a word is no letter or digit, unless it is the last one of an escape.
_ESCAPED_OCTET = "|".join(f"(?<=%{'25' * times}[0-9A-Fa-f]{{2}})" for times in range(9))
_WORD_BEGINS = rf"(?:(?<![^\W_])|{_ESCAPED_OCTET}|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{{4}}))"
_SMALL_LETTERS = {ord(letter): letter.lower() for letter in string.ascii_uppercase}
_URL_SAFE = str.maketrans("+/", "-_")


class Needles:
    """Finds any of many texts.

    ``words``: only where no letter or digit stands before or after, and whatever the case. ``kept`` are names that stay
    as they are, also where one of the texts is a part of them. Texts shorter than ``SHORTEST`` are not sought.
    """

    def __init__(self, texts: Iterable[str], *, words: bool = False, kept: Iterable[str] = ()) -> None:
        sought = [text for text in dict.fromkeys(texts) if len(text) >= SHORTEST]
        self._words = words
        self._kept = [name for name in kept if any(self._folded(text) in self._folded(name) for text in sought)]
        #: With their cores, by the beginning of these.
        self._needles: dict[str, list[tuple[str, str]]] = {}
        for core, needle in (each for text in sought for each in _needles(text, words)):
            head = core[:SHORTEST] if len(core) >= SHORTEST else ""
            self._needles.setdefault(head, []).append((core, needle))

    def spans(self, text: str) -> list[Span]:
        """Where needles stand in a text, in its order. Those that overlap are one span."""
        folded = self._folded(text)
        heads: Iterable[str] = self._needles
        if len(self._needles) > _MANY:
            heads = self._needles.keys() & {"", *(folded[at : at + SHORTEST] for at in range(len(folded)))}
        near = [(core, needle) for head in heads for core, needle in self._needles[head] if core in folded]
        if not near:
            return []
        found = list[Span]()
        for start, end in sorted(span for core, needle in near for span in self._spans_of(needle, core, text, folded)):
            first, last = found.pop() if found and start < found[-1][1] else (start, end)
            found.append((first, max(last, end)))
        # A kept name stays with what is found in it, unless a part of that leads out of it.
        starts, ends, stay = [start for start, _end in found], [end for _start, end in found], set[int]()
        for start, end in (span for name in self._kept for span in self._spans_of(name, "", text, folded)):
            inside = range(bisect_right(ends, start), bisect_left(starts, end))
            if inside and start <= starts[inside[0]] and ends[inside[-1]] <= end:
                stay.update(inside)
        return [span for at, span in enumerate(found) if at not in stay]

    def replaced(self, text: str, mask: str) -> str:
        """The text with ``mask`` for whatever is found."""
        return replaced(text, [(*span, mask) for span in self.spans(text)])

    def _folded(self, text: str) -> str:
        return text.translate(_SMALL_LETTERS) if self._words else text

    def _spans_of(self, needle: str, core: str, text: str, folded: str) -> Iterator[Span]:
        pattern = _pattern(needle, self._words)
        for at, end in _windows(core, _LONGEST_FORM * len(needle), folded):
            while found := pattern.search(text, at, end):
                yield found.span()
                # Another one may begin within this one.
                at = found.start() + 1


def replaced(text: str, masks: Collection[tuple[int, int, str]]) -> str:
    """The text with masks for spans. Those that overlap get one mask, that of the first."""
    if not masks:
        return text
    parts, shown = list[str](), 0
    for start, end, mask in sorted(masks):
        parts += [text[shown:start], mask] if start >= shown else ()
        shown = max(shown, end)
    return "".join([*parts, text[shown:]])


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
    """What is sought of a text, each with its core. Every order of a task has the same API key."""
    forms = [text, *(() if words else _encoded_parts(text))]
    cores = (max((token["word"] or "" for token in _TOKEN.finditer(form)), key=len, default="") for form in forms)
    return [(core.lower() if words else core, form) for core, form in zip(cores, forms, strict=True)]


def _encoded_parts(text: str) -> Collection[str]:
    """What is in Base64 wherever the text stands in the encoded one; of a short one, alone or after ``user:``."""
    content, parts = text.encode("utf-8", "replace"), set[str]()
    if len(content) < _DISTINCT_BYTES:
        parts.add(base64.b64encode(content).decode().rstrip("="))
        content = b":" + content
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + content).decode()
        # Letters that depend on the neighbours as well are not looked at.
        parts.add(encoded[-(-8 * before // 6) : (before + len(content)) * 8 // 6])
    return parts.union(part.translate(_URL_SAFE) for part in parts)


def _windows(core: str, reach: int, text: str) -> Iterator[Span]:
    """The parts of a text that are within reach of a core; all of it without one."""
    at = text.find(core) if core else -1
    while at >= 0:
        begin = max(0, at - reach)
        while (last := text.rfind(core, at, at + 2 * reach)) > at:
            at = last
        yield begin, at + reach
        at = text.find(core, at + 1)
    yield from () if core else [(0, len(text))]


@lru_cache(maxsize=512)
def _pattern(needle: str, words: bool) -> re.Pattern[str]:
    """A needle in all forms that programs make of it but for Base64."""
    tokens, parts, may_be_escaped = [*_TOKEN.finditer(needle)], list[str](), True
    letters = sum(len(token[0]) for token in tokens if not token["blank"])
    for token in tokens:
        text, before = token[0], f"(?:{_SLASHES})?" if parts else _LEADING
        if token["blank"]:
            own = "".join(f"|(?:{_SLASHES})?{_escaped(each, words)}" for each in text if not each.isascii())
            # Programs remove whitespace at both ends.
            may_miss = token in (tokens[0], tokens[-1]) and letters >= SHORTEST
            parts.append(f"(?:{_BLANK}{own}){{{f'0,{len(text)}' if may_miss else '1,256'}}}")
        elif token["other"]:
            parts.append((before if may_be_escaped else "") + _escaped(text, words))
        else:
            parts.append(text if token["word"] else _SLASHES)
        may_be_escaped = not token["slashes"]
    pattern = "".join(parts) if letters else re.escape(needle)
    return re.compile(rf"(?i:{_WORD_BEGINS}{pattern}(?![^\W_]))" if words else pattern)


@lru_cache(maxsize=4096)
def _escaped(character: str, words: bool) -> str:
    """A pattern for what programs make of a character, without backslashes before it; ``words``: in any case."""
    variants = [character, character.lower(), character.upper()] if words else [character]
    forms = []
    for each in (variant for variant in dict.fromkeys(variants) if len(variant) == 1):
        units = each.encode("utf-16-be", "surrogatepass").hex()
        unicode = f"(?:{_SLASHES})?".join(f"u{units[at : at + 4]}" for at in range(0, len(units), 4))
        octets = "".join(f"{_PERCENT}{octet:02x}" for octet in each.encode("utf-8", "surrogatepass"))
        number = f"{_NUMBER}(?:0{{0,4}}{ord(each)}|x0{{0,4}}{ord(each):x})"
        html = f"{_AMPERSAND}(?:{_NAMES.get(each, '')}{number}){_SEMICOLON}"
        # The longest first, so that nothing is left of it.
        forms.append(f"(?i:{html}|{unicode}|{octets})|{re.escape(each)}")
    return f"(?:{'|'.join(forms)})"
