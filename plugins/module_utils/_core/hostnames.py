# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The syntax of hostnames and domain names, their ASCII form, and characters by which names deceive readers."""

from __future__ import annotations

import re
import unicodedata

try:
    # It comes with requests.
    import idna
except ImportError:
    idna = None  # type: ignore[assignment]

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
# RFC 1123, section 2.1: what reads as an IPv4 address is no host name.
_NO_ADDRESS = r"(?![0-9]+(?:\.[0-9]+){3}$)"
_HOSTNAME = rf"{_NO_ADDRESS}{_LABEL}(?:\.{_LABEL})*"
_DOMAIN = rf"{_NO_ADDRESS}{_LABEL}(?:\.{_LABEL})+"
_LONGEST_NAME = 253
_SCRIPTS = frozenset({"CYRILLIC", "GREEK", "COPTIC", "ARMENIAN", "CHEROKEE", "LISU"})
#: Cyrillic and Greek letters of which whole words look like Latin ones.
_DOUBLES = frozenset(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u04cf"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405"
    "\u03bf\u03b1\u03c1\u03bd\u03b9\u03ba\u03c5\u03c7"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
)


def is_hostname(name: str) -> bool:
    """Whether this is a valid hostname (RFC 1123), as a setting ``hostname`` must be."""
    return len(name) <= _LONGEST_NAME and re.fullmatch(_HOSTNAME, name) is not None


def punycode(name: str) -> str | None:
    """The ASCII form of an internationalised name (IDNA 2008), or None when there is none or it cannot be told."""
    if len(name) > _LONGEST_NAME or idna is None:
        return None
    try:
        # Not the standard library's codec, which follows the IDNA of 2003: it would turn straße into strasse, another
        # domain.
        ascii_name = idna.encode(name, uts46=True).decode("ascii")
    except UnicodeError:
        return None
    return ascii_name if re.fullmatch(_HOSTNAME, ascii_name) else None


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
