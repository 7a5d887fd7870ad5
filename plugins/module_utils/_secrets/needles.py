# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds secrets in texts, whatever programs made of them: text and secret are compared in one normal form.

Escapes are undone up to three times, and each time, of what is left, only letters and digits count, without case and
marks. Where that is too little to tell a secret from other words, it is sought as it is, and in Base64.
"""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from .recognition import MASK, SHORTEST, distinctive

#: Stands for a text in which it would take too long to find secrets.
NOT_SHOWN = "(not shown)"
#: So many characters of a normal form are not in other texts by chance: letters and digits together, or any. Words with
#: fewer are masked by their names alone.
_LONG_MIXED, _LONG, _SHORTEST_WORD = 8, 12, 8
#: So often are escapes undone. A character takes so many in all.
_TIMES, _LONGEST_ESCAPE = 3, 72
#: Characters of a text that are looked at together, so that what is made of them takes little memory, and in all.
_PART, LONGEST = 1 << 16, 1 << 24
#: Steps for one text: escapes that are undone, characters that are placed, and those of what is found.
MOST_STEPS = 4_000_000
#: From so many beginnings of needles on, those of a text are looked up among them instead of the other way round.
_MANY = 24
#: Bytes of a text from which on a part of its Base64 form is told from other words.
_DISTINCT_BYTES = 6


def _escapes(*octets: str) -> re.Pattern[str]:
    """The escapes of one character each: in JSON and programs, URLs and HTML, and by octets behind these marks."""
    code, numbers = "[0-9a-fA-F]", (r"\\u{{{}{{1,6}}}}", r"\\u{}{{4}}", r"\\U{}{{8}}", "%u{}{{4}}", "&#[xX]{}{{1,6}};?")
    return re.compile(
        "|".join(
            (
                rf"\\u[dD][89abAB]{code}{{2}}\\u[dD][c-fC-F]{code}{{2}}",
                *(number.format(code) for number in numbers),
                *(f"{mark}(?:[c-fC-F]{code}(?:(?:=\r?\n)?{mark}[89abAB]{code})+|{code}{{2}})" for mark in octets),
                r"""\\["'\\/bfnrtv]|&#[0-9]{1,7};?|&[A-Za-z][A-Za-z0-9]{1,31};|<[wW]?[bB][rR] ?/?>""",
            )
        )
    )


#: Also with those of mail. An equals sign stands before a hexadecimal secret just as well.
_KINDS = _escapes(r"\\x", "%"), _escapes(r"\\x", "%", "=(?=[0-9A-F]{2})")
#: What escapes begin with.
_MARKS = re.compile(r"[\\%&<=]")
_CONTROLS = dict(zip("bfnrtv", "\b\f\n\r\t\v", strict=True))
#: Where it begins and ends, and what is to stand there.
Span: TypeAlias = tuple[int, int, str]


class _Folding(dict[int, "str | None"]):
    """The letters and digits in the normal form of a character, or ``None``: in small letters, and without marks."""

    def __missing__(self, code: int) -> str | None:
        plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", chr(code)).casefold())
        folded = "".join(filter(str.isalnum, plain)) or None
        if len(self) < _PART:
            self[code] = folded
        return folded


_FOLDING = _Folding()


class Steps:
    """Counts what is done with a text. Raises OverflowError where that is too much."""

    left = MOST_STEPS

    def take(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise OverflowError


class _View(NamedTuple):
    """A text in which escapes of the one ``below`` were undone: behind ``starts[n]``, it is that behind ``ends[n]``."""

    text: str
    below: _View | None = None
    starts: Sequence[int] = (0,)
    ends: Sequence[int] = (0,)

    def place(self, index: int) -> int:
        """Return what an index is in the lowest text."""
        view = self
        while view.below is not None:
            last = bisect_right(view.starts, index) - 1
            view, index = view.below, view.ends[last] + index - view.starts[last]
        return index


class _Needle(NamedTuple):
    """A text to find, as it is or in the normal form, and how many other characters belong to it at its ends."""

    core: str
    is_folded: bool = False
    before: int = 0
    after: int = 0

    def with_ends(self, text: str, begin: int, end: int) -> tuple[int, int]:
        """Return the span in a text with those characters, as far as they are there."""
        for _each in range(self.before):
            begin -= begin > 0 and not text[begin - 1].isalnum()
        for _each in range(self.after):
            end += end < len(text) and not text[end].isalnum()
        return begin, end


class Needles:
    """Finds any of many texts, for which ``mask`` is to stand.

    ``words``: only where no letter or digit stands before or after, and in the normal form however short they are.
    ``kept`` are names that stay as they are, also where one of the texts is a part of them. Texts shorter than
    ``SHORTEST`` are not sought, and short words only with ``words``.
    """

    def __init__(
        self, texts: Iterable[str], mask: str = MASK, *, words: bool = False, kept: Iterable[str] = ()
    ) -> None:
        self._mask, self._words = mask, words
        sought = [text for text in dict.fromkeys(texts) if len(text) >= SHORTEST and (words or not _is_word(text))]
        needles = dict.fromkeys(form for text in sought for form in _needles(text, words))
        #: By their beginnings: those that are sought as they are, and those in the normal form.
        self._needles: tuple[dict[str, list[_Needle]], ...] = {}, {}
        #: How long these are.
        self._heads = SHORTEST, SHORTEST if words else _LONG_MIXED
        for needle in needles:
            head = needle.core[: self._heads[needle.is_folded]]
            self._needles[needle.is_folded].setdefault(head, []).append(needle)
        self._kept = [name for name in kept if any(self._found(_View(name), Steps()))]
        self._reach = _LONGEST_ESCAPE * max(map(len, [*sought, *self._kept]), default=0)

    def spans(self, text: str) -> list[Span]:
        """Return the spans of needles in a text, in its order. Those that overlap are one span.

        A text that takes too many steps is one span.
        """
        # Most texts are short, without escapes, and hold none.
        if not self._reach or (len(text) < _PART and not _MARKS.search(text) and not any(self._near(text))):
            return []
        spans, names, steps = list[tuple[int, int]](), list[tuple[int, int]](), Steps()
        step = max(_PART, self._reach)
        try:
            steps.take(len(text) > LONGEST and steps.left + 1)
            for begin in range(0, max(1, len(text) - self._reach), step):
                for view in _views(text[begin : begin + step + self._reach], steps):
                    spans += ((begin + start, begin + end) for start, end in self._found(view, steps))
                    for name in self._kept if spans else ():
                        places = _occurrences(name, view.text)
                        names += ((begin + view.place(at), begin + view.place(at + len(name))) for at in places)
        except OverflowError:
            return [(0, len(text), NOT_SHOWN)]
        return [(*span, self._mask) for span in _outside(names, _united(spans))]

    def replaced(self, text: str) -> str:
        """The text with the mask for whatever is found."""
        return replaced(text, self.spans(text))

    def _found(self, view: _View, steps: Steps) -> Iterator[tuple[int, int]]:
        text = view.text
        for is_folded, near in enumerate(self._near(text)):
            shown = text.translate(_FOLDING) if near and is_folded else text
            places: Sequence[int] = range(len(shown))
            if near and is_folded:
                steps.take(len(text))
                places = [at for at, letter in enumerate(text) for _each in letter.translate(_FOLDING)]
            for needle in near:
                for at in _occurrences(needle.core, shown):
                    steps.take(len(needle.core))
                    begin, end = places[at], places[at + len(needle.core) - 1] + 1
                    if not self._words or not (text[begin - 1 : begin].isalnum() or text[end : end + 1].isalnum()):
                        begin, end = needle.with_ends(text, begin, end)
                        yield view.place(begin), view.place(end)

    def _near(self, text: str) -> list[list[_Needle]]:
        """Return the needles that are in a text as it is, and those in its normal form."""
        as_it_is, folded = self._needles
        return [
            _within(text, as_it_is, self._heads[0]) if as_it_is else [],
            _within(text.translate(_FOLDING), folded, self._heads[1]) if folded else [],
        ]


def _within(shown: str, by_head: dict[str, list[_Needle]], size: int) -> list[_Needle]:
    """Return the needles that are in a text, which have beginnings of this size."""
    heads: Iterable[str] = by_head
    if len(by_head) > _MANY:
        heads = by_head.keys() & {shown[at : at + size] for at in range(len(shown))}
    return [needle for head in heads for needle in by_head[head] if needle.core in shown]


def _occurrences(part: str, text: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        # Another one may begin within this one.
        at = text.find(part, at + 1)


def replaced(text: str, masks: Collection[Span]) -> str:
    """The text with masks for spans. Those that overlap get one mask, that of the first."""
    if not masks:
        return text
    parts, shown = list[str](), 0
    for start, end, mask in sorted(masks):
        parts += [text[shown:start], mask] if start >= shown else ()
        shown = max(shown, end)
    return "".join([*parts, text[shown:]])


def _united(bounds: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in their order, those that overlap as one."""
    spans = list[tuple[int, int]]()
    for start, end in sorted(bounds):
        first, last = spans.pop() if spans and start < spans[-1][1] else (start, end)
        spans.append((first, max(last, end)))
    return spans


def _outside(names: Iterable[tuple[int, int]], spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans without those in a name, which stays with what is in it, unless a part of that leads out of it."""
    starts, ends, stay = [start for start, _end in spans], [end for _start, end in spans], set[int]()
    for start, end in names:
        inside = range(bisect_right(ends, start), bisect_left(starts, end))
        if inside and start <= starts[inside[0]] and ends[inside[-1]] <= end:
            stay.update(inside)
    return [span for at, span in enumerate(spans) if at not in stay]


def _is_word(text: str) -> bool:
    return len(text) < _SHORTEST_WORD and text.isalpha() and not distinctive(text)


@lru_cache(maxsize=4096)
def _needles(text: str, words: bool) -> Collection[_Needle]:
    """Return what is sought of a text. Every order of a task has the same API key."""
    forms = [text, *(() if words else _encoded_parts(text))]
    # Programs remove whitespace at both ends.
    forms += [text.strip()] if len(text.strip()) >= SHORTEST else []
    undone = [_needle(view.text, words) for view in _views(text, Steps())]
    return {*(_needle(form, words) for form in forms), *(needle for needle in undone if needle.is_folded)}


def _needle(form: str, words: bool) -> _Needle:
    core = form.translate(_FOLDING)
    is_mixed = not core.isalpha() and not core.isdigit()
    if len(core) < (SHORTEST if words else _LONG_MIXED if is_mixed else _LONG):
        return _Needle(form)
    counts = [bool(letter.translate(_FOLDING)) for letter in form]
    return _Needle(core, True, counts.index(True), counts[::-1].index(True))


def _encoded_parts(text: str) -> Collection[str]:
    """Return what Base64 has wherever the text stands in the encoded one; of a short one, alone or after ``user:``."""
    content, parts = text.encode("utf-8", "replace"), set[str]()
    if len(content) < _DISTINCT_BYTES:
        parts.add(base64.b64encode(content).decode().rstrip("="))
        content = b":" + content
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + content).decode()
        # Letters that depend on the neighbours as well are not looked at.
        parts.add(encoded[-(-8 * before // 6) : (before + len(content)) * 8 // 6])
    return parts.union(part.translate({ord("+"): "-", ord("/"): "_"}) for part in parts)


def _views(text: str, steps: Steps) -> Iterator[_View]:
    """A text as it is, and with its escapes undone once, twice and three times."""
    yield (first := _View(text))
    shown = {text}
    for kind in _KINDS if _MARKS.search(text) else ():
        view = first
        for _each in range(_TIMES):
            view = _undone(view, kind, steps)
            if view.text not in shown:
                shown.add(view.text)
                yield view


def _undone(view: _View, kind: re.Pattern[str], steps: Steps) -> _View:
    parts, starts, ends, at, length = list[str](), [0], [0], 0, 0
    for escape in kind.finditer(view.text):
        steps.take(1)
        read = _read(escape[0])
        parts += view.text[at : escape.start()], read
        length += escape.start() - at + len(read)
        at = escape.end()
        starts.append(length)
        ends.append(at)
    return _View("".join([*parts, view.text[at:]]), view, starts, ends) if parts else view


@lru_cache(maxsize=4096)
def _read(escape: str) -> str:
    """Return what an escape stands for."""
    kind, digits = escape[:2], re.sub("[^0-9a-fA-F]", "", escape)
    if kind[0] in "&<":
        return html.unescape(f"{escape.rstrip(';')};") if kind[0] == "&" else ""
    if kind == "\\U" or "{" in escape:
        return html.unescape(f"&#x{digits};")
    if kind[1] == "u":
        return bytes.fromhex(digits).decode("utf-16-be", "replace")
    if kind[0] == "\\" and kind != "\\x":
        return _CONTROLS.get(kind[1], kind[1])
    octets = bytes.fromhex(digits)
    try:
        return octets.decode()
    except UnicodeDecodeError:
        return octets.decode("latin-1")
