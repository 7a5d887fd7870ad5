# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds secrets: by the names that values stand under, and by their own text in the forms in which services repeat it.

The API specification names two secrets (4.3.2 and 4.3.5). What a service calls others can only be read from its names,
in any case style, in English and German: they are taken apart into words, so that ``author``, ``passenger`` and
``pinned`` are none.

A text is sought plain, escaped for JSON, a URL or HTML, and in Base64: not in all forms that programs make of it, but
their escapes are undone, one kind after the other, and it is sought in what each step leaves. No program escapes ASCII
letters and digits, so only what is around a needle's longest run of them is looked at.
"""

from __future__ import annotations

import base64
import html
import ipaddress
import json
import re
import string
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias
from urllib.parse import unquote

from .._core.text import is_uuid
from .._product_types.domain import CONTACT
from .._product_types.registry import DOCUMENTED_SETTINGS, PRODUCT_TYPES

#: Names of secrets, whatever their values are: words in snake case, in the singular.
_SECRET = re.compile(
    r"password|passwort|passwd|passphrase|passcode|kennwort"
    # English and abbreviations
    r"|(?:^|_)(?:pw|pws|pwd|pass|secret|token|credential|cred|pin|puk|otp|h?otp|totp|psk|epp|jwt|bearer|cookie"
    r"|authorization|cvv|cvc|tan|(?:root|user|admin|db|ftp)pw|auth_?info|session_?id|api_?secret"
    r"|(?:api|access|secret|pass|priv|private|privat|licen[sc]e|encryption|signing|shared|preshared|session|activation"
    r"|product)_?key"
    r"|(?:auth|access|activation|recovery|security|transfer|unlock|backup|reset|login|authorization|verification"
    r"|confirmation|scratch|epp|otp|zugangs|freischalt|autorisierungs|sicherheits)_?code"
    # German
    r"|geheim|geheimnis|(?:kenn|pass|losungs)_?wort|zugangs_?daten|anmelde_?daten"
    r"|(?:zugangs|api|privater|geheimer)_?schlue?ssel)s?(?:_|$)"
)
#: Names that stand for a secret only if the value can be one, and none if the key is public.
_DOUBTFUL = re.compile(r"(?:^|_)(?:key|private|auth|authentication|signature|sig|seed|schlue?ssel)s?(?:_|$)")
_PUBLIC_NAME = re.compile(r"(?:^|_)pub(?:lic)?(?:_|$)")

# A plural's s belongs to the acronym before it (APIKeys, PINs).
_WORD = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?)?")
_PUBLIC = re.compile(r"(?:ssh|ecdsa|sk)-[\w@.-]+ AAAA|-----BEGIN (?:[A-Z0-9 ]*PUBLIC KEY|CERTIFICATE)-----")
#: A number with fewer digits stands for a place or a choice.
_FEWEST_DIGITS = 4
_DOCUMENTED = DOCUMENTED_SETTINGS.union(PRODUCT_TYPES, CONTACT["properties"])
#: Stands where something was taken out.
MASK = "********"
#: A text of one or two characters stands in half of all others by chance.
SHORTEST = 3
#: A form of a text is at most so many times as long.
_LONGEST_FORM = 72
#: So many texts are looked at for one, which is more than three programs make of it one after the other.
_MOST_VIEWS = 40
#: From so many beginnings of needles on, those of a text are looked up among them instead of the other way round.
_MANY = 24
#: Bytes of a text from which on a part of its Base64 form is told from other words.
_DISTINCT_BYTES = 6
Span: TypeAlias = tuple[int, int]
#: Whitespace and what programs make of it: plus signs in URLs, replacements for control characters.
_BLANK = r"[\s\x00-\x20\x7f-\xa0\ufffd+]"
_TOKEN = re.compile(rf"(?P<blank>{_BLANK}+)|(?P<slashes>\\+)|(?P<word>[A-Za-z0-9]+)|(?P<other>.)", re.DOTALL)
#: The escapes of one character each, in JSON, URLs and HTML, and how each is read.
_ESCAPES: Sequence[tuple[re.Pattern[str], Callable[[str], str]]] = (
    (
        re.compile(r'\\(?:["\\/bfnrt]|u[dD][89abAB]..\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4})'),
        lambda escape: str(json.loads(f'"{escape}"')),
    ),
    (re.compile("%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F])+|%[0-9a-fA-F]{2}"), unquote),
    (re.compile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|quot|amp|apos|lt|gt);"), html.unescape),
)
_SMALL_LETTERS = {ord(letter): letter.lower() for letter in string.ascii_uppercase}
_URL_SAFE = str.maketrans("+/", "-_")


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in small letters without accents: ``adminAPIKey`` is ``admin``, ``api``, ``key``."""
    plain = unicodedata.normalize("NFKD", name[:200]).encode("ascii", "ignore").decode()
    return tuple(word.lower() for word in _WORD.findall(plain))


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Return whether a setting, request element or response key with this name is a secret, whatever its value."""
    return _SECRET.search("_".join(words_of(name))) is not None


@lru_cache(maxsize=4096)
def may_be_secret_name(name: str) -> bool:
    """Return whether the value decides if what has this name is a secret (``key``, ``private``, ``auth``)."""
    snake = "_".join(words_of(name))
    return _DOUBTFUL.search(snake) is not None and not _PUBLIC_NAME.search(snake)


def holds_secret(name: str, value: Any) -> bool:
    """Return whether this value under this name is a secret. ``None`` and booleans never are."""
    if value is None or isinstance(value, bool):
        return False
    return is_secret_name(name) or (may_be_secret_name(name) and may_be_credential(value))


def may_be_credential(value: Any) -> bool:
    """Return whether a value can be a credential: no boolean, address, date, UUID, documented name or public key.

    A mapping can hold one, and a list of which an item can be one.
    """
    if value is None or isinstance(value, bool):
        return False
    if isinstance(value, (list, tuple)):
        return any(may_be_credential(item) for item in value)
    if isinstance(value, (int, float)):
        return len(str(abs(value))) >= _FEWEST_DIGITS
    if not isinstance(value, str):
        return bool(value)
    text = value.strip()
    return bool(text) and not (
        text in _DOCUMENTED or is_uuid(text) or is_date(text) or is_address(text) or _PUBLIC.match(text)
    )


def is_date(text: str) -> bool:
    """Return whether a text is a date or a time in ISO 8601, and nothing else."""
    return _DATE.fullmatch(text) is not None


def is_address(text: str) -> bool:
    """Return whether a text is an IP address, with or without the length of its network's prefix."""
    # Digits alone are a number to everybody else.
    if "." not in text and ":" not in text:
        return False
    try:
        return bool(ipaddress.ip_interface(text))
    except ValueError:
        return False


# Texts


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
        """Return the spans of needles in a text, in its order. Those that overlap are one span."""
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
        for start, end in (span for name in self._kept if found for span in self._spans_of(name, "", text, folded)):
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
        for begin, end in _windows(core, _LONGEST_FORM * len(needle), folded):
            for view, places in _views(text[begin:end]):
                at = 0
                while found := pattern.search(view, at):
                    yield begin + places[found.start()], begin + places[found.end()]
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
    """Return whether this text is unlikely to occur by chance: it is not a plain word or number.

    The others are masked by their names, and in what the service says of an order; in texts of this collection and its
    users, a password such as "web" or "portal" is a word like any other.
    """
    kinds = (str.islower, str.isupper, str.isdigit, lambda letter: not letter.isalnum() and letter not in " _-.,'")
    begun = text[:1].lower() + text[1:]
    return len(text) >= 6 and sum(any(map(kind, begun)) for kind in kinds) > 1


@lru_cache(maxsize=4096)
def _needles(text: str, words: bool) -> Sequence[tuple[str, str]]:
    """Return what is sought of a text, each with its core. Every order of a task has the same API key."""
    forms = [text, *(() if words else _encoded_parts(text))]
    cores = (max((token["word"] or "" for token in _TOKEN.finditer(form)), key=len, default="") for form in forms)
    return [(core.lower() if words else core, form) for core, form in zip(cores, forms, strict=True)]


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
    """A needle, with any number of blanks or backslashes for each run of them."""
    tokens, parts = [*_TOKEN.finditer(needle)], list[str]()
    letters = sum(len(token[0]) for token in tokens if not token["blank"])
    for token in tokens:
        # Programs remove whitespace at both ends.
        may_miss = token in (tokens[0], tokens[-1]) and letters >= SHORTEST
        blanks = _BLANK + (f"{{0,{len(token[0])}}}" if may_miss else "{1,256}")
        parts.append(blanks if token["blank"] else r"\\{1,64}" if token["slashes"] else re.escape(token[0]))
    pattern = "".join(parts) if letters else re.escape(needle)
    return re.compile(rf"(?i:(?<![^\W_]){pattern}(?![^\W_]))" if words else pattern)


def _views(text: str) -> Collection[tuple[str, Sequence[int]]]:
    """A text as it is, and with one kind of escapes undone after the other, each with the places of its characters."""
    views: dict[str, Sequence[int]] = {text: range(len(text) + 1)}
    for shown in (waiting := [text]):
        for escape, read in _ESCAPES if len(views) < _MOST_VIEWS else ():
            parts, places, at = list[str](), list[int](), 0
            for found in escape.finditer(shown):
                parts += shown[at : found.start()], read(found[0])[:1] or "\ufffd"
                places += views[shown][at : found.start() + 1]
                at = found.end()
            plain = "".join([*parts, shown[at:]])
            if plain not in views:
                views[plain] = [*places, *views[shown][at:]]
                waiting.append(plain)
    return views.items()
