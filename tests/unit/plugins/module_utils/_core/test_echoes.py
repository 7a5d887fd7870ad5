# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._secrets.echoes import Echoes, distinctive


def numbered(text: str, form: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else form.format(ord(c)) for c in text)


#: How programs write a text into another one.
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON in capitals": lambda text: re.sub(r"\\u....", lambda m: "\\u" + m[0][2:].upper(), json.dumps(text)[1:-1]),
    "JSON in UTF-8": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "JSON of PHP": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "JSON in JSON": lambda text: json.dumps(json.dumps({"x": text}))[1:-1],
    "JSON thrice": lambda text: json.dumps(json.dumps(json.dumps(text))),
    "URL": lambda text: quote(text, safe=""),
    "URL with slashes": quote,
    "URL in small letters": lambda text: re.sub("%..", lambda m: m[0].lower(), quote(text, safe="")),
    "URL in both": lambda text: re.sub("%..", lambda m: m[0][:2] + m[0][2].lower(), quote(text, safe="")),
    "form": quote_plus,
    "URL in a URL": lambda text: quote(quote(text, safe=""), safe=""),
    "HTML": html.escape,
    "HTML without quotes": lambda text: html.escape(text, quote=False),
    "HTML twice": lambda text: html.escape(html.escape(text)),
    "HTML in numbers": lambda text: numbered(text, "&#{};"),
    "HTML in hexadecimal": lambda text: numbered(text, "&#x{:x};"),
    "HTML in capitals": lambda text: numbered(text, "&#x{:X};"),
    "URL of HTML": lambda text: quote(html.escape(text), safe=""),
    "HTML of a URL in JSON": lambda text: json.dumps(html.escape(quote(quote(text)))),
    "on one line": lambda text: " ".join(text.split()),
    "in lines": lambda text: "\n    ".join(text.split(" ")),
}
TEXTS = [
    "hunter2",
    "a/b c&d<e>\"f'g\\h%40i+j=k#l;m",
    "Grüße, 世界! \U0001f511 ok",
    "%41%5c\\u0041&amp;x",
    "line one\nline\ttwo\r\n three",
    "x\x01y\x7fz",
    "00\x080",
    "...---...",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("form", FORMS)
def test_text_is_found_in_every_form(form: str, text: str) -> None:
    for echo in (FORMS[form](text), f"before {FORMS[form](text)} after", f"x{FORMS[form](text)}y"):
        shown = Echoes([text]).replaced(echo, "#MASK#")
        assert "#MASK#" in shown
        left = shown.replace("#MASK#", "")
        assert not [part for part in re.findall(r"[A-Za-z]{4,}", text) if part in left]


@given(
    secret=st.text(min_size=3, max_size=30),
    around=st.text(max_size=10),
    form=st.sampled_from(sorted(FORMS)),
    others=st.sampled_from([0, 40]),
)
def test_no_text_survives_a_form(secret: str, around: str, form: str, others: int) -> None:
    assume(not any("\ud800" <= character <= "\udfff" for character in secret))
    assume(sum(character.isprintable() and not character.isspace() for character in secret) >= 3)
    echo = FORMS[form](secret)
    assume(len(echo.strip()) >= 3)
    texts = [secret, *(f"other-{number}" for number in range(others))]
    assert echo.strip() not in Echoes(texts).replaced(f"{around}{echo}{around}", "\x00").replace("\x00", "")


@pytest.mark.parametrize(
    ("texts", "kept", "text", "shown"),
    [
        (["web"], ["web01"], "web01 is taken, web is not", "web01 is taken, # is not"),
        (["web"], ["web01", "web"], "web01 and web", "web01 and web"),
        # A secret that is more than a name is no part of it.
        (["web01-hunter"], ["web01"], "web01-hunter and web01", "# and web01"),
        (["1-hunter"], ["web01"], "web01-hunter", "web0#"),
        (["xweb01"], ["web01"], "xweb01", "#"),
        (["ab"], [], "ab", "ab"),
        (["", "  "], [], "a  b", "a  b"),
        (["abc", "abcdef", "cde"], [], "abcdef cde", "# #"),
    ],
)
def test_names_stay(texts: list[str], kept: list[str], text: str, shown: str) -> None:
    assert Echoes(texts, kept=kept).replaced(text, "#") == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Müller", "#"),
        ("Frau MÜLLER, bitte", "Frau #, bitte"),
        ("Müllerstraße", "Müllerstraße"),
        ("Obermüller", "Obermüller"),
        ("last_name_müller", "last_name_#"),
        ('{"x": "\\nM\\u00fcller"}', '{"x": "\\n#"}'),
        ("name=Erika%20M%c3%bcller", "name=Erika%20#"),
        ("Mueller", "Mueller"),
    ],
)
def test_words_are_found_whole_and_in_any_case(text: str, shown: str) -> None:
    assert Echoes(["Müller"], words=True).replaced(text, "#") == shown


def test_very_many_texts_are_found_as_few_are() -> None:
    texts = [f"secret-{number}-ü" for number in range(2000)]
    echo = " ".join(quote(text, safe="") for text in texts[::100])
    assert Echoes(texts).replaced(echo, "#").split() == ["#"] * 20


@pytest.mark.parametrize(
    ("secret", "told_apart"),
    [
        *((word, False) for word in ("web", "portal", "Portal", "2026", "123456", "correct horse battery", "api_key")),
        *((word, True) for word in ("hunter2", "S3cret!", "aBcdEf", "pass/word", "geheim-2026")),
    ],
)
def test_secret_that_no_other_text_holds_by_chance(secret: str, told_apart: bool) -> None:
    assert distinctive(secret) is told_apart
