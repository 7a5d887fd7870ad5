# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._secrets import needles
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.needles import NOT_SHOWN, Needles
from tests.unit.plugins.module_utils._secrets.echoes import BREAKING, FORMS, SECRETS, SHOWN

GUIDES = Path(__file__).parents[5] / "docs/docsite/rst"

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
    # Short words are masked by their names alone.
    return [each.strip() for each in secrets if len(each.strip("\\ ")) >= 3 and not each.strip().isalpha()]


def places(secrets: list[str], text: str) -> set[int]:
    """Where any secret stands in a plain text: the oracle."""
    found = [match.span(1) for each in secrets for match in re.finditer(f"(?=({re.escape(each)}))", text)]
    return {at for span in found for at in range(*span)}


@pytest.mark.parametrize("seed", range(100))
def test_union_of_all_occurrences_is_masked_in_every_encoding(seed: int) -> None:
    chance = random.Random(seed)
    # With these, a text may be the same as another one in another encoding.
    is_ambiguous = chance.random() < 0.5
    secrets = overlapping(chance, SPECIAL if is_ambiguous else re.sub(r"[%&\\]", "", SPECIAL))
    parts = [*secrets, *(each[:-1] for each in secrets), *(each[len(each) // 2 :] for each in secrets)]
    plain = "".join(chance.choice([*parts, "", "x", "(y) ", ".", "Q"]) for _each in range(12))
    written = [*plain]
    encoders = chance.choices(ENCODERS, k=chance.randint(0, 3))
    for encode in encoders[:1] * len(encoders) if is_ambiguous else encoders:
        written = ["".join(map(encode, each)) for each in written]
    text, sought = "".join(written), places(secrets, plain)
    # Which character of the plain text each one of the encoded text is of.
    letters = [at for at, each in enumerate(written) for _letter in each]
    masked = {index for span in Needles(secrets).spans(text) for index in range(*span[:2])}
    assert not {at for index, at in enumerate(letters) if index not in masked} & sought, (secrets, plain, text)
    if not is_ambiguous:
        assert {letters[index] for index in masked} == sought, (secrets, plain, text)


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        # What follows makes an escape of the end, and what is before it one of the beginning.
        ("P6'x/y%e", "P6%27x%2Fy%25eb P6'x/y%eb", "#b #b"),
        ("hunter%a", "hunter%a hunter%25a1", "# #1"),
        ("41ü", "50%2541%C3%BC", "50%25#"),
        # Programs remove whitespace at both ends.
        (" hunter#2\n", "a hunter#2\nb, hunter#2. a%20hunter%232%0a", "a#b, #. a#"),
        # Letters of other scripts, and beyond U+FFFF, in other cases of the escapes.
        (
            "п🔑-x",
            "\\u043F\\uD83D\\uDD11-x \\u043f\\ud83d\\udd11-x \\u043f\\U0001f511-x \\u{43f}\\u{1F511}-x",
            "# # # #",
        ),
        ("п🔑-x", "%d0%bf%f0%9f%94%91-x %D0%BF%F0%9F%94%91-x", "# #"),
        # Each escape of HTML that has a name.
        ("a<b>'\"&c", "a&lt;b&gt;&apos;&quot;&amp;c", "#"),
        # Where its letters and digits tell it apart, they count alone, with what stands at their ends.
        ("$Hunter/2-xyz!", "'$Hunter/2-xyz!' $hunter2xyz! HUNTER\n2XYZ?", "'#' ##"),
        ("$Hunter/2-xyz!", "Hunter 2 xy, hunter2xyzz", "Hunter 2 xy,#z"),
        # Otherwise all of it does.
        ("#!$%&/()=?a1", "#!$%&/()=?a1 #!$%&amp;/()=?a1 a1 A1", "# # a1 A1"),
        ("Hunt-2", "Hunt-2 hunt-2 Hunt2", "# hunt-2 Hunt2"),
        ("abcdefghijk", "abcdefghijk ABCDEFGHIJK abcdefghijkl", "# ABCDEFGHIJK #l"),
        ("abcdefghijkl", "abcdefghijkl ABCDEFGHIJKL", "# #"),
        ("12345678901", "12345678901 1234-5678901", "# 1234-5678901"),
        ("123456789012", "123456789012 1234-56789012", "# #"),
        # Words are masked by their names alone, also in Base64.
        ("portal", "portal root:portal cG9ydGFs cm9vdDpwb3J0YWw=", "portal root:portal cG9ydGFs cm9vdDpwb3J0YWw="),
        ("sommerzeit", "sommerzeit Sommerzeit", "# Sommerzeit"),
        # So few letters of Base64 are in other words by chance.
        ("ab1", "FiMa", "FiMa"),
        ("ab1", "root YWIx", "root #"),
        # An equals sign stands before a value, or is an escape of mail.
        ("DE4DBEEF99x/y", "?p=DE4DBEEF99x%2Fy", "?p=#"),
        ("Hünter/2xyz", "H=C3=BCnter/2=\nxyz", "#"),
    ],
)
def test_the_text_is_masked_whole_and_no_more(secret: str, text: str, shown: str) -> None:
    assert Needles([secret], "#").replaced(text) == shown


@pytest.mark.parametrize(
    ("texts", "kept", "text", "shown"),
    [
        (["web0"], ["web01"], "web01 is taken, web0 is not", "web01 is taken, # is not"),
        (["web0"], ["web01", "web0"], "web01 and web0", "web01 and web0"),
        # A secret that is more than a name is no part of it.
        (["web0", "web01-hunter"], ["web01"], "web01-hunter and web01", "# and web01"),
        (["web0", "1-hunter"], ["web01"], "web01-hunter and web01", "## and web01"),
        (["web01exam"], ["web01.example.org"], "web01.example.org, web01-exam", "web01.example.org, #"),
        # Short ones would blank half of the text.
        (["a", "12", "ab", "", "  "], [], "a is in  ab, and 12 is 12", "a is in  ab, and 12 is 12"),
        # The longer one first, and none in the mask of another. A pattern is text.
        (["ab1", "ab1de2", "1de", "***"], [], "ab1de2 1de ***", "# # #"),
        (["a.1"], [], "a.1 ab1", "# ab1"),
    ],
)
def test_names_stay(texts: list[str], kept: list[str], text: str, shown: str) -> None:
    assert Needles(texts, "#", kept=kept).replaced(text) == shown


def test_character_that_is_eighteen_in_the_normal_form_is_found_in_its_escape() -> None:
    assert Needles(["\ufdfa\ufdfa1"], "#", words=True).replaced(r"\ufdfa\ufdfa1") == "#"


# Echoes


def letters_of(text: str) -> int:
    return sum(map(str.isalnum, text))


@pytest.mark.parametrize("alphabet", SECRETS)
@given(data=st.data())
def test_secret_is_shown_in_no_form(alphabet: str, data: st.DataObject) -> None:
    secret = data.draw(SECRETS[alphabet])
    needles = Needles([secret], "\0")
    shown = {}
    for name, form in FORMS.items():
        left = needles.replaced(f"« {form(secret)} »")
        # Base64 may leave two letters at each end, which depend on what is around it.
        if "\0" not in left or letters_of(left) > letters_of(form("")) + 4:
            shown[name] = left
    assert shown.keys() <= (BREAKING if alphabet == "escapes" else set()), shown


@pytest.mark.parametrize("name", SHOWN)
def test_form_that_is_shown(name: str) -> None:
    """If one of these is masked some day, its name must leave the list."""
    echo = SHOWN[name]("Hunter/2-xYz-4711-Qq")
    assert Needles(["Hunter/2-xYz-4711-Qq"]).replaced(f"« {echo} »") == f"« {echo} »"


# What is masked by chance

#: Passwords as people make them, some of the words of this trade.
GUESSABLE = (
    *("Sommer2026!", "web01-example", "configuration", "correct horse battery staple", "reseller.hosting"),
    *("organization1", "debian-12-root", "Passw0rd2026", "example.com/2026", "123456789012", "additional elements"),
)


def sentences() -> list[str]:
    """The sentences of the guides, which are about what services say."""
    text = " ".join(path.read_text(encoding="utf-8") for path in sorted(GUIDES.glob("*.rst")))
    return [" ".join(sentence.split()) for sentence in re.split(r"(?<=[.:])\s", text) if len(sentence) > 20]


def test_at_most_one_sentence_of_a_thousand_is_masked_by_chance() -> None:
    said, by_chance = sentences(), []
    for secret in GUESSABLE:
        needles = Needles([secret], kept=["web01.example.org"])
        by_chance += [(secret, each) for each in said if secret not in each and needles.spans(each)]
    assert len(said) > 1000
    assert len(by_chance) <= len(said) * len(GUESSABLE) / 1000, by_chance


# What it costs

#: What a hostile service may repeat, and what it is made of.
UNITS = [
    *(
        " ",
        "\n",
        "\u0301\u0316",
        "\ufdfa",
        "\U0001d7d8",
        "漢",
        "hunter2-abc",
        "HUNTER2ABC",
        "aGVsbG8",
        "a",
        "+",
        "=",
        "=3D",
    ),
    *("\\", "\\u005c", "\\\\n", "\\ud83d", '\\"', "&", "&amp;", "&#38;", "&aaaaaaa", "<br>"),
    *("%", "%25", "%5C", "%252525", "%C3"),
]


class Counted(needles.Steps):
    """The steps of all texts."""

    total = 0

    def take(self, count: int) -> None:
        Counted.total += count
        super().take(count)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> type[Counted]:
    Counted.total = 0
    monkeypatch.setattr(needles, "Steps", Counted)
    return Counted


@pytest.mark.parametrize("unit", UNITS)
def test_steps_grow_as_the_text_does(unit: str, steps: type[Counted]) -> None:
    secrets = ["\\x-hunter2-abc", "%25%25%25", "aaaaaaaaaaaab", "  hunter2", "0 x hunter2", '"C%5\\\\ x', "12345"]
    sought = Needles(secrets)
    for count in (1_000, 20_000):
        text = unit * (count // len(unit)) + "\n".join(secrets) + unit * (count // len(unit))
        steps.total = 0
        shown = sought.replaced(text)
        assert not [secret for secret in secrets if secret.strip() in shown]
        assert steps.total <= 40 * len(text)


@pytest.mark.parametrize(("unit", "most"), [("x", 2_000), ("%41", 1_000), ("hunter2-abc ", 150)])
def test_text_that_takes_too_long_is_not_shown(unit: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needles, "_PART", 3_001)
    monkeypatch.setattr(needles, "LONGEST", 3_000)
    monkeypatch.setattr(needles.Steps, "left", 4_000)
    sought = Needles(["hunter2-abc"])
    assert sought.replaced(unit * most) != NOT_SHOWN
    assert sought.replaced(unit * 4 * most) == NOT_SHOWN
