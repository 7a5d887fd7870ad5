# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text from other programs: JSON read strictly, and all other text prepared for messages, short and on one line."""

from __future__ import annotations

import difflib
import html
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

_Value = TypeVar("_Value")

#: What is left of 80 columns where ansible.builtin.debug shows a list.
LINE_WIDTH = 69

#: Characters that make a terminal or a reader see something else than is there: controls but for tab and newline,
#: changes of the writing direction, characters without width, tags, and halves of surrogate pairs.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)
#: These, tab and newline, characters that are shown as nothing or a blank though Python takes them for printable, and
#: quotation marks that word processors put in place of plain ones.
_ODD = re.compile(
    f"{UNSAFE.pattern}|[\t\n\u2800\ufe00-\ufe0f\U00016fe4\U0001d159\u2018-\u201f\u2032\u2033\u2039\u203a\xab\xbb]"
)
#: What no file, terminal or request can have: NUL, and what Ansible makes of bytes that are not UTF-8.
NO_TEXT = re.compile("[\0\ud800-\udfff]")
_SEPARATORS = re.compile(r"[^\w@]+|_+")
#: A UUID in its usual form with hyphens, in upper or lower case.
UUID_PATTERN = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_UUID = re.compile(UUID_PATTERN)
_INTEGER = re.compile(r"[+-]?\d{1,100}", re.ASCII)
_TRUE_WORDS = frozenset({"true", "yes", "on", "y", "t", "1"})
_FALSE_WORDS = frozenset({"false", "no", "off", "n", "f", "0"})
#: No answer of a sane service is nested deeper; code that walks one may recurse this far.
DEEPEST = 100
#: A number with more digits is no quantity, and some operations on it take very long.
MOST_DIGITS = 100
#: More values than these are not built: a few bytes of text take hundreds of memory.
MOST_VALUES = 500_000
_STRING = re.compile(rb'"[^"]*"?')
_NO_STRUCTURE = bytes({*range(256)} - {*b'[]{}"'})


def words(text: str) -> frozenset[str]:
    """The words of a text, for tables of them."""
    return frozenset(text.split())


#: What people and programs write into a cell that has no value yet, in letters and digits alone.
_NOTHING = words(
    "none null nil na nan nat nv ka void empty blank leer keine keiner unset undefined missing tbd tba tbc todo x xx "
    "xxx pending new neu open offen ausstehend notyet toorder tobeordered bestellen false no nein true yes ja "
    "ref value name div0 num bezug wert zahl fehler error"
)


def is_uuid(value: object) -> bool:
    """Return whether this is a UUID in its usual form with hyphens, in upper or lower case."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def fold(name: object) -> str:
    """A name without case and separators, so that ``totalItems``, ``total_items`` and ``Total-Items`` are one.

    The ``@`` of JSON-LD stays. What is no string has no name: ``""``.
    """
    return _fold(name) if isinstance(name, str) else ""


@lru_cache(maxsize=4096)
def _fold(name: str) -> str:
    return _SEPARATORS.sub("", name[:200]).lower()


def by_folded_name(mapping: Mapping[Any, _Value]) -> dict[str, _Value]:
    """The values of a mapping by their folded names. Of several names that fold to one, the first counts."""
    values: dict[str, _Value] = {}
    for name, value in mapping.items():
        values.setdefault(fold(name), value)
    return values


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def legible(text: str) -> str:
    """The text with a replacement for each character that could deceive readers. Line breaks remain."""
    if text.isascii() and text.isprintable():
        return text
    return UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def is_legible(text: str) -> bool:
    """Return whether this is one line in which a terminal shows each character as itself."""
    return text.isprintable() and not UNSAFE.search(text)


def odd_character(text: str) -> str | None:
    """Return the first control, shapeless character or typographic quotation mark of a line, as character_name does."""
    odd = _ODD.search(text)
    return odd and character_name(odd[0])


def unseen_character(text: str) -> str | None:
    """Return the first character without width, such as a soft hyphen, as character_name does."""
    unseen = (character for character in UNSAFE.findall(text) if unicodedata.category(character) != "Cc")
    return next(map(character_name, unseen), None)


def difference(text: str, other: str) -> str:
    """Return what a text has that looks like a letter of the other one and is not: a sentence's end, or nothing."""
    strange = next((character for character in text if not character.isascii() and character not in other), None)
    return f"; it contains {character_name(strange)}" if strange else ""


def character_name(character: str) -> str:
    """A character as ``SOFT HYPHEN (U+00AD)``."""
    return f"{unicodedata.name(character, 'a control character')} (U+{ord(character):04X})"


def folded_text(text: str) -> str:
    """The text in the form in which what a person typed or pasted is what a service lists.

    It is in NFC, HTML entities are characters, and blanks, also no-break ones, are one blank, and none at the ends.
    """
    if text.isascii() and "&" not in text:
        return " ".join(text.split())
    return " ".join(unicodedata.normalize("NFC", html.unescape(text)).split())


def is_nothing(text: str) -> bool:
    """Return whether a text stands for no value: it has no letter or digit, is zero, or is a usual word for none."""
    core = "".join(filter(str.isalnum, text.casefold()))
    return not core.strip("0") or core in _NOTHING


def clean(text: str, limit: int = 2000) -> str:
    """One line of at most ``limit`` characters that a terminal shows as they are."""
    # Only the beginning is worth looking at; whitespace and unprintable characters may vanish from it.
    begun = text[: 4 * limit]
    if not begun.isprintable():
        begun = "".join(character if character.isprintable() else " " for character in begun)
    line = legible(" ".join(begun.split()))
    return line if len(line) <= limit and len(begun) == len(text) else f"{line[: limit - 2]} …"


def shown_name(name: str) -> str:
    """A name that somebody chose, fit for a message."""
    return clean(name, 60)


def one_line(text: str) -> str:
    """The text as it is if it is one legible line, else as ``clean`` shows it."""
    return text if is_legible(text) else clean(text)


def as_yaml(value: Mapping[str, Any] | None) -> str:
    """A mapping as YAML for a diff, or an empty string without one."""
    # Ansible has imported it by then.
    from yaml import safe_dump

    shown = "" if value is None else safe_dump(dict(value), sort_keys=False, allow_unicode=True, width=1000)
    return str(shown)


def kind_of(value: Any) -> str:
    """The YAML name for the type of a value."""
    for kinds, name in _KINDS:
        if isinstance(value, kinds):
            return name
    return f"a value of type {type(value).__name__}"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (type(None), "null"),
    (bool, "a boolean"),
    (int, "an integer"),
    (float, "a number"),
    (str, "a string"),
    (Mapping, "a mapping"),
    ((list, tuple), "a list"),
)


def brief(value: Any, limit: int = 200) -> str:
    """A JSON value as one short line."""
    return clean(json.dumps(value, ensure_ascii=False, skipkeys=True, default=str), limit)


def describe_json(value: Any, depth: int = 3) -> str:
    """The structure of a JSON value without its values, for messages."""
    if isinstance(value, dict) and depth:
        members = islice(value.items(), 12)
        shown = ", ".join(f"{clean(str(name), 40)}: {describe_json(member, depth - 1)}" for name, member in members)
        return f"an object {{{shown}}}"
    if isinstance(value, list) and value and depth:
        return f"a list of {len(value)}, the first: {describe_json(value[0], depth - 1)}"
    kinds = {dict: "object", list: "list", str: "string", int: "number", float: "number", bool: "boolean"}
    return "null" if value is None else f"{'an' if isinstance(value, dict) else 'a'} {kinds.get(type(value), 'value')}"


def nearest(wanted: str, names: Iterable[str], count: int = 3) -> list[str]:
    """The names most similar to the wanted one, best first, ignoring case. Names that contain it are similar."""
    sought = wanted.casefold()[:200]
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name[:200].casefold(), name)
    close = difflib.get_close_matches(sought, folded, n=count)
    within = sorted((name for name in folded if sought and sought in name and name not in close), key=len)
    return [folded[name] for name in [*close, *within][:count]]


def holds_template(text: str) -> bool:
    """Return whether Ansible would fill in something in this text."""
    return any(mark in text for mark in ("{{", "{%", "{#", "#jinja2:"))


def truth(value: object) -> bool | None:
    """Return the meaning of a boolean, 1 or 0, or one of Ansible's words for a boolean; ``None`` for anything else."""
    if isinstance(value, int):
        return bool(value) if value in (0, 1) else None
    word = value.lower() if isinstance(value, str) else ""
    return True if word in _TRUE_WORDS else False if word in _FALSE_WORDS else None


def plain_number(value: Any) -> Any:
    """An integer that is written as text as a number; everything else as it is."""
    return int(value) if isinstance(value, str) and _INTEGER.fullmatch(value.strip()) else value


def same_id(one: str, other: str) -> bool:
    """Return whether two identifiers are the same, with UUIDs compared without case."""
    return one == other or (is_uuid(one) and one.lower() == other.lower())


class JsonError(ValueError):
    """The bytes are not JSON, or JSON that readers would interpret differently. Says what is wrong."""


def parse_json(body: bytes) -> Any:
    """The value of a JSON text in UTF-8, UTF-16 or UTF-32, with or without a byte order mark.

    Raises JsonError for what is no JSON, for NaN and infinite numbers, for a name given twice in one object, for
    nesting deeper than ``DEEPEST``, and for more than about ``MOST_VALUES`` values.
    """
    try:
        text = body.decode(json.detect_encoding(body))
        check_bounds(text)
        value = json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_number
        )
    except UnicodeDecodeError as error:
        raise JsonError(f"it is not text in UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise JsonError(f"{error.msg} (line {error.lineno}, column {error.colno})") from None
    return _whole_characters(value) if "\\ud" in text or "\\uD" in text else value


def json_in(text: Any) -> Any:
    """The list or mapping that a text holds as JSON, otherwise ``None``."""
    if not isinstance(text, str) or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return parse_json(text.encode())
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


def check_bounds(text: str) -> None:
    """Raise JsonError for a JSON text with more than about ``MOST_VALUES`` values, or nested deeper than ``DEEPEST``.

    Nothing of it is built or parsed before: at the interpreter's own limit, whatever else runs would fail as well.
    """
    opened = text.count("[") + text.count("{")
    # A comma in a string counts, too.
    if text.count(",") + opened > MOST_VALUES:
        raise JsonError(f"it holds more than {MOST_VALUES} values")
    if opened <= DEEPEST:
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
