# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import html
import json
import random
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._secrets.needles import Needles, distinctive

SECRET = "p\"a\\s/w<o>r'd=???>>>~~~ü"
#: How services and libraries write a text into another one, beside the encodings of single characters below.
FORMS: list[Callable[[str], str]] = [
    lambda text: json.dumps(json.dumps(json.dumps(text))),
    lambda text: json.dumps(html.escape(html.escape(text))).replace("/", "\\/").replace("&", "\\u0026"),
    lambda text: html.escape(text).replace("&", "&#038;"),
    lambda text: quote_plus(quote(text, safe="")),
    lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    *(
        lambda text, user=user: base64.b64encode(f"{user}{text}".encode()).decode().replace("/", "\\/")
        for user in ("", "root:", "admin:", "api_key:")
    ),
]


@pytest.mark.parametrize("form", FORMS)
def test_text_is_found_in_each_form(form: Callable[[str], str]) -> None:
    needles = Needles([SECRET, *(f"other-{number}" for number in range(40))])
    for around in ("", '"', "ü", ": ", '{"a": "', "&", "\\n", "%20"):
        shown = needles.replaced(f"{around}{form(SECRET)}{around}", "\x00")
        assert "\x00" in shown
        assert form(SECRET).strip() not in shown


#: What programs make of one character, so that it is known what they make of each part of a text.
ENCODERS: list[Callable[[str], str]] = [
    lambda c: json.dumps(c)[1:-1],
    lambda c: json.dumps(c, ensure_ascii=False)[1:-1].replace("/", "\\/"),
    lambda c: c if c.isalnum() and c.isascii() else "".join(f"%{octet:02X}" for octet in c.encode()),
    lambda c: quote(c, safe="!'()*").lower() if not c.isalnum() else quote(c),
    lambda c: html.escape(c),
    lambda c: f"&#x{ord(c):X};" if c in "\"&<>'ü€🔑" else c,
]
#: No letter of an escape, and what programs escape.
LETTERS, SPECIAL = "hkvyHKVXZ", "\"\\/%&<>'=?ü€🔑 "


def secret_of(chance: random.Random, special: str) -> str:
    """A random secret, in which nothing looks like an escape, and which has no blank at its ends."""
    middle = "".join(chance.choice(chance.choice((LETTERS, special))) for _each in range(chance.randint(1, 8)))
    ends = LETTERS + special.strip()
    return chance.choice(ends) + middle + chance.choice(ends)


def overlapping(chance: random.Random, special: str) -> list[str]:
    """Random secrets, of which some are a part of others, begin as others end, or begin alike."""
    secrets = [secret_of(chance, special)]
    for _each in range(chance.randint(1, 4)):
        one, other = chance.choice(secrets), secret_of(chance, special)
        cut = chance.randint(1, len(one) - 1)
        secrets.append(chance.choice([one[: cut + 1], one[cut - 1 :], one[cut:] + other, other + one[:cut]]))
    return [each.strip() for each in secrets if len(each.strip("\\ ")) >= 3]


def places(secrets: list[str], text: str) -> set[int]:
    """Where any secret stands in a plain text: the oracle."""
    found: set[int] = set()
    for each in secrets:
        # Of backslashes and blanks, any number counts as one.
        pattern = re.sub(r"(?:\\\\)+", r"\\\\+", re.sub(r"(?:\\ )+", " +", re.escape(each)))
        for match in re.finditer(f"(?=({pattern}))", text):
            found.update(range(*match.span(1)))
    return found


@pytest.mark.parametrize("seed", range(100))
def test_union_of_all_occurrences_is_masked_in_every_encoding(seed: int) -> None:
    chance = random.Random(seed)
    # With these, a text may be the same as another one in another encoding.
    is_ambiguous = chance.random() < 0.5
    secrets = overlapping(chance, SPECIAL if is_ambiguous else re.sub(r"[%&\\]", "", SPECIAL))
    parts = [*secrets, *(each[:-1] for each in secrets), *(each[len(each) // 2 :] for each in secrets)]
    plain = "".join(chance.choice([*parts, "", "x", "(y) ", ".", "Q"]) for _each in range(12))
    written = [*plain]
    for encode in chance.choices(ENCODERS, k=chance.randint(0, 3)):
        written = ["".join(map(encode, each)) for each in written]
    text, sought = "".join(written), places(secrets, plain)
    # Which character of the plain text each one of the encoded text is of.
    letters = [at for at, each in enumerate(written) for _letter in each]
    masked = {index for span in Needles(secrets).spans(text) for index in range(*span)}
    assert not {at for index, at in enumerate(letters) if index not in masked} & sought, (secrets, plain, text)
    if not is_ambiguous:
        assert {letters[index] for index in masked} == sought, (secrets, plain, text)


HOSTILE = ["\\", "%", "%25", "%5C", "\\u005c", " ", "\n", "+", "a", "\\n", "%C3", "\\ud83d", "=", "aGVsbG8", '\\"']


@pytest.mark.parametrize("unit", HOSTILE)
def test_no_text_makes_a_match_expensive(unit: str) -> None:
    for secret in ("\\x-hunter2", "%25%25%25", "aaaaaaaaaaaab", "  hunter2", "0 x hunter2", '"C%5\\\\ x'):
        text = unit * 20_000 + secret + unit * 20_000
        assert secret not in Needles([secret]).replaced(text, "#")


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        # What follows makes an escape of the end, and what is before it one of the beginning.
        ("P6'x/y%e", "P6%27x%2Fy%25eb P6'x/y%eb", "#b #b"),
        ("hunter%a", "hunter%a hunter%25a1", "# #1"),
        ("41ü", "50%2541%C3%BC", "50%25#"),
        # Whitespace, plus signs and backslashes at the ends.
        ("+hunter ", "a+hunter  b, hunter. a%2Bhunter%20", "a# b,#. a#"),
        ("\\hunter\\", 'C:\\hunter\\, "C:\\\\hunter\\\\"', 'C:#, "C:#"'),
        ("   ", "a    b  c", "a#b  c"),
        # Whitespace beyond ASCII, also where it is escaped more than once.
        ("a\u2003b\xa0cd", 'a\\\\u2003b\\\\u00a0cd a%E2%80%83b%c2%a0cd "a b  cd"', '# # "#"'),
        # Letters of other scripts, and beyond U+FFFF, in other cases of the escapes.
        ("п🔑-x", "\\u043F\\uD83D\\uDD11-x \\u043f\\ud83d\\udd11-x", "# #"),
        ("п🔑-x", "%d0%bf%f0%9f%94%91-x %D0%BF%F0%9F%94%91-x", "# #"),
        # Each escape of HTML that has a name.
        ("a<b>'\"&c", "a&lt;b&gt;&apos;&quot;&amp;c", "#"),
        # So few letters of Base64 are in other words by chance.
        ("abc", "FiYa", "FiYa"),
        ("abc", "root YWJj", "root #"),
    ],
)
def test_the_text_is_masked_whole_and_no_more(secret: str, text: str, shown: str) -> None:
    assert Needles([secret]).replaced(text, "#") == shown


@pytest.mark.parametrize(
    ("texts", "kept", "text", "shown"),
    [
        (["web"], ["web01"], "web01 is taken, web is not", "web01 is taken, # is not"),
        (["web"], ["web01", "web"], "web01 and web", "web01 and web"),
        # A secret that is more than a name is no part of it.
        (["web", "web01-hunter"], ["web01"], "web01-hunter and web01", "# and web01"),
        (["web", "1-hunter"], ["web01"], "web01-hunter and web01", "#0# and web01"),
        # Short ones would blank half of the text.
        (["a", "12", "ab", "", "  "], [], "a is in  ab, and 12 is 12", "a is in  ab, and 12 is 12"),
        # The longer one first, and none in the mask of another. A pattern is text.
        (["abc", "abcdef", "cde", "***"], [], "abcdef cde ***", "# # #"),
        (["a.c"], [], "a.c abc", "# abc"),
    ],
)
def test_names_stay(texts: list[str], kept: list[str], text: str, shown: str) -> None:
    assert Needles(texts, kept=kept).replaced(text, "#") == shown


def test_secret_that_no_other_text_holds_by_chance() -> None:
    plain = ["web", "portal", "Portal", "2026", "123456", "correct horse battery", "api_key"]
    secret = ["hunter2", "S3cret!", "aBcdEf", "pass/word"]
    assert [word for word in (*plain, *secret) if distinctive(word)] == secret
