# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds characters that look like others, so that two names cannot be told apart by reading."""

from __future__ import annotations

import unicodedata

_SCRIPTS = frozenset({"CYRILLIC", "GREEK", "COPTIC", "ARMENIAN", "CHEROKEE", "LISU"})
#: Cyrillic and Greek letters of which whole words look like Latin ones.
_DOUBLES = frozenset(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u04cf"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405"
    "\u03bf\u03b1\u03c1\u03bd\u03b9\u03ba\u03c5\u03c7"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
)


def lookalikes(name: str) -> list[str]:
    """The characters of a name that look like others, each with its Unicode name.

    They are letters of another script among Latin ones, words that consist of nothing but such letters, and forms such
    as full-width letters. A name that is all of one script stays without a remark if its letters are its own.
    """
    if name.isascii():
        return []
    letters = [character for character in name if character.isalpha()]
    foreign = [letter for letter in letters if _script(letter) in _SCRIPTS]
    mixed = any(_script(letter) == "LATIN" for letter in letters)
    odd = [character for character in name if unicodedata.normalize("NFKC", character) != character]
    if mixed or all(letter in _DOUBLES for letter in foreign):
        odd += foreign
    return [f"{character!r} ({unicodedata.name(character, 'unnamed')})" for character in dict.fromkeys(odd)]


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]
