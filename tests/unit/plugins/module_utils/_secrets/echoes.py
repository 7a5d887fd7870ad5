# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets of ten alphabets, and the forms in which services, databases, shells and people repeat a text."""

from __future__ import annotations

import base64
import csv
import html
import io
import json
import quopri
import re
import shlex
import string
import textwrap
import unicodedata
from collections.abc import Callable
from html.entities import codepoint2name
from urllib.parse import quote, quote_plus

import yaml
from hypothesis import strategies as st

LETTERS, DIGITS = string.ascii_letters, string.digits
MARKS = "\"'\\/%&<>=?!#$()*+,-.:;@[]^_`{|}~ "
UMLAUTS, SCRIPTS = "äöüÄÖÜßéçñøåæžŁ", "абвгдЖЗИКλμνξπΩΔ漢字密碼パスワード"
WORDS = ["correct", "horse", "battery", "staple", "Sommer", "Winter", "geheim", "portal", "order", "server", "munich"]


def of(alphabet: str, least: int, most: int, *needed: str) -> st.SearchStrategy[str]:
    """Texts of these characters with at least one of each group in ``needed``, without blanks at their ends."""
    parts = [
        st.text(alphabet, min_size=least - len(needed), max_size=most - len(needed)),
        *map(st.sampled_from, needed),
    ]
    return st.tuples(*parts, st.randoms()).map(shuffled)


def shuffled(drawn: tuple[object, ...]) -> str:
    *parts, chance = drawn
    letters = [*"".join(map(str, parts))]
    chance.shuffle(letters)  # type: ignore[attr-defined]
    return "".join(letters).strip().replace("  ", "-")


def is_long(secret: str) -> bool:
    """Whether the normal form decides: twelve letters and digits, or eight with both."""
    known = [each for each in secret if each.isalnum()]
    return len(known) >= 12 or (len(known) >= 8 and any(map(str.isdigit, known)) and any(map(str.isalpha, known)))


ALPHABETS: dict[str, st.SearchStrategy[str]] = {
    "key": of(LETTERS + DIGITS, 16, 40, LETTERS, DIGITS),
    "password": of(
        LETTERS + DIGITS + MARKS, 14, 30, LETTERS, LETTERS, LETTERS, LETTERS, LETTERS, LETTERS, LETTERS, DIGITS
    ),
    "letters": of(string.ascii_lowercase, 20, 24),
    "seed": of(string.ascii_uppercase + "234567", 26, 32),
    "digits": of(DIGITS, 12, 20),
    "hexadecimal": of("0123456789abcdef", 32, 64, "abcdef", DIGITS),
    "phrase": st.lists(st.sampled_from(WORDS), min_size=3, max_size=6).map("-".join),
    "umlauts": of(LETTERS + DIGITS + UMLAUTS + "!?/\"'&", 20, 30, LETTERS, LETTERS, LETTERS, UMLAUTS, DIGITS),
    "scripts": of(SCRIPTS + DIGITS + "-_/", 20, 30, SCRIPTS, SCRIPTS, SCRIPTS, DIGITS),
    "escapes": st.lists(
        st.sampled_from([r"\n", r"\u00fc", "%41", "%C3%BC", "&amp;", "&#65;", "=3D", "\\\\", "%25", "x7", "Pw", "kZq"]),
        min_size=8,
        max_size=14,
    ).map(lambda parts: f"Kq7Wm{''.join(parts)}8ZtRb"),
}
SECRETS = {name: secrets.filter(is_long) for name, secrets in ALPHABETS.items()}


def each(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(map(change, text))


def broken(mark: str, width: int = 5) -> Callable[[str], str]:
    return lambda text: mark.join(text[at : at + width] for at in range(0, len(text), width))


def json_of(text: str) -> str:
    return json.dumps(text)[1:-1]


def octets(text: str, form: str) -> str:
    return "".join(form.format(octet) for octet in text.encode())


def named(text: str) -> str:
    return "".join(f"&{codepoint2name[ord(one)]};" if ord(one) in codepoint2name else one for one in text)


def row(text: str) -> str:
    csv.writer(written := io.StringIO(), quoting=csv.QUOTE_ALL).writerow([text])
    return written.getvalue().strip()


def full_width(text: str) -> str:
    return "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text)


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def mail(text: str) -> str:
    return quopri.encodestring(text.encode()).decode()


def without_marks(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))


#: What a text becomes.
FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    # JSON
    "JSON": json_of,
    "JSON in UTF-8": lambda text: json.dumps(text, ensure_ascii=False),
    "JSON in JSON": lambda text: json_of(json_of(text)),
    "JSON three times": lambda text: json_of(json_of(json_of(text))),
    "JSON with slashes escaped": lambda text: json_of(text).replace("/", "\\/"),
    "JSON with all escaped": each(lambda one: json_of(one) if ord(one) > 127 else f"\\u{ord(one):04X}"),
    "JSON for HTML": lambda text: re.sub("[<>&'\"]", lambda found: f"\\u{ord(found[0]):04x}", text),
    # HTML
    "HTML": html.escape,
    "HTML twice": lambda text: html.escape(html.escape(text)),
    "HTML by name": named,
    "HTML by number": each(lambda one: f"&#{ord(one)};"),
    "HTML in hexadecimal": each(lambda one: f"&#x{ord(one):X};"),
    "HTML with zeros": each(lambda one: f"&#{ord(one):05};"),
    "HTML in JSON": lambda text: json_of(html.escape(text)),
    "HTML in JSON in JSON": lambda text: json_of(json_of(named(text))),
    "JSON in HTML": lambda text: html.escape(json_of(text)),
    "broken by br": broken("<br>"),
    "broken by wbr": broken("<wbr/>"),
    "broken by nbsp": broken("&nbsp;"),
    "broken by shy": broken("&shy;"),
    # URLs
    "URL": lambda text: quote(text, safe=""),
    "URL with plus": quote_plus,
    "URL with all escaped": lambda text: octets(text, "%{:02x}"),
    "URL twice": lambda text: quote(quote(text, safe=""), safe=""),
    "URL three times": lambda text: quote(quote(quote(text, safe=""), safe=""), safe=""),
    "URL in JSON": lambda text: json_of(quote(text)),
    "URL in HTML": lambda text: html.escape(quote(text, safe="&'")),
    "HTML in a URL": lambda text: quote(named(text)),
    "JSON in a URL": lambda text: quote(json_of(text)),
    "URL in Latin-1": lambda text: quote(text.encode("latin-1", "xmlcharrefreplace"), safe="&#;"),
    "URL of old scripts": each(lambda one: one if one.isascii() else json_of(one).replace("\\", "%")),
    "a parameter": lambda text: f"/login?user=1&word={quote_plus(text)}&x=2",
    # Programs
    "Python": repr,
    "Python in ASCII": ascii,
    "Python's bytes": lambda text: repr(text.encode()),
    "octets": lambda text: octets(text, "\\x{:02x}"),
    "code points": each(lambda one: f"\\u{{{ord(one):x}}}"),
    "shell": shlex.quote,
    "shell with backslashes": each(lambda one: one if one.isalnum() else f"\\{one}"),
    "a pattern": re.escape,
    # Databases and tables
    "SQL": lambda text: "'" + text.replace("'", "''") + "'",
    "SQL with backslashes": lambda text: re.sub(r"(['\"\\%_])", r"\\\1", text),
    "CSV": row,
    "YAML": lambda text: str(yaml.safe_dump(text, default_style='"', width=10_000)).strip(),
    "YAML in single quotes": lambda text: str(yaml.safe_dump(text, default_style="'", allow_unicode=True, width=30)),
    # Writing
    "capitals": str.upper,
    "small letters": str.lower,
    "the other case": str.swapcase,
    "decomposed": lambda text: unicodedata.normalize("NFKD", text),
    "composed": lambda text: unicodedata.normalize("NFKC", text),
    "full width": full_width,
    "without marks": without_marks,
    "in lines": broken("\n"),
    "in lines of JSON": broken("\\r\\n"),
    "in groups": broken("-", 4),
    "with soft hyphens": broken("\xad", 3),
    "with nothing between": broken("\u200b", 1),
    # Mail and Base64
    "quoted-printable": mail,
    "Base64": base64_of,
    "Base64 for URLs": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "Base64 with a user": lambda text: base64_of(f"root:{text}"),
    "Base64 in JSON": lambda text: base64_of(f"api:{text}").replace("/", "\\/"),
    "Base64 in lines": lambda text: textwrap.fill(base64_of(f"someone@example.com:{text}"), 16),
}
#: What stays shown, because it is another writing.
SHOWN: dict[str, Callable[[str], str]] = {
    "backwards": lambda text: text[::-1],
    "hexadecimal": lambda text: text.encode().hex(),
    "Base64 twice": lambda text: base64_of(base64_of(text)),
    "URL four times": lambda text: quote(FORMS["URL three times"](octets(text, "%{:02x}")), safe=""),
    "with words between": broken(" then "),
    "a half": lambda text: text[: len(text) // 2],
}
#: These break a secret in what looks like an escape in it.
BREAKING = frozenset(name for name in FORMS if name.startswith(("broken by", "in lines of JSON")))
