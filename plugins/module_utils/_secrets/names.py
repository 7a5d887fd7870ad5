# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds names that stand for a secret, in any case style, in English and German.

The API specification names two secrets (4.3.2 and 4.3.5). What a service calls others can only be read from its names:
they are taken apart into words, so that ``author``, ``passenger`` and ``pinned`` are none.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

from .._core.text import is_uuid, words
from .._product_types.domain import CONTACT
from .._product_types.registry import PRODUCT_TYPES, SECRET_SETTINGS

#: Each says by itself that the value is a secret.
_SECRET_WORDS = words(
    # English and abbreviations
    "pw pws pwd pass passkey secret token credential cred pin puk otp totp hotp psk epp eppcode authcode authinfo "
    "apikey apisecret secretkey accesskey privatekey privkey privatkey licensekey licencekey sharedkey presharedkey "
    "encryptionkey signingkey accesscode jwt bearer cookie authorization cvv cvc tan rootpw userpw adminpw dbpw ftppw "
    # German
    "geheim geheimnis losungswort zugangscode zugangsdaten zugangsschluessel zugangsschlussel anmeldedaten"
)
#: Too long to stand in another word by chance: ``rootpassword``, ``benutzerpasswort``.
_SECRET_PARTS = re.compile("password|passwort|passwd|passphrase|passcode|kennwort")
#: Words that make a secret only together, side by side.
_SECRET_PAIRS = frozenset(
    (first, second)
    for firsts, seconds in (
        (
            "api access secret private license licence encryption signing shared preshared session activation product",
            "key",
        ),
        ("auth access activation recovery security transfer unlock backup reset login authorization", "code"),
        ("verification confirmation scratch one otp", "code"),
        ("auth", "info"),
        ("session", "id"),
        ("kenn pass losungs", "wort"),
        ("zugangs freischalt auth autorisierungs transfer sicherheits", "code"),
        ("privater geheimer api", "schlussel schluessel"),
    )
    for first in firsts.split()
    for second in seconds.split()
)
#: These stand for a secret only if the value can be one.
_DOUBTFUL_WORDS = words("key private auth authentication signature sig seed schlussel schluessel")

# A plural's s belongs to the acronym before it (APIKeys, PINs).
_WORD = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?)?")
_PUBLIC = re.compile(r"(?:ssh|ecdsa|sk)-[\w@.-]+ AAAA|-----BEGIN (?:[A-Z0-9 ]*PUBLIC KEY|CERTIFICATE)-----")
#: A number with fewer digits stands for a place or a choice.
_FEWEST_DIGITS = 4
_DOCUMENTED = frozenset(PRODUCT_TYPES).union(CONTACT["properties"], *(each.settings for each in PRODUCT_TYPES.values()))


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in small letters without accents: ``adminAPIKey`` is ``admin``, ``api``, ``key``."""
    return tuple(word.casefold() for word in _WORD.findall(_without_accents(name[:200])))


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def _forms(word: str) -> Iterator[str]:
    yield word
    if word.endswith("s"):
        yield word[:-1]


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a setting, request element or response key with this name is a secret, whatever its value."""
    if name in SECRET_SETTINGS:
        return True
    found = words_of(name)
    if any(_SECRET_PARTS.search(word) or not _SECRET_WORDS.isdisjoint(_forms(word)) for word in found):
        return True
    return any((first, form) in _SECRET_PAIRS for first, second in pairwise(found) for form in _forms(second))


@lru_cache(maxsize=4096)
def may_be_secret_name(name: str) -> bool:
    """Whether the value decides if what has this name is a secret (``key``, ``private``, ``auth``)."""
    found = words_of(name)
    if "public" in found or "pub" in found:
        return False
    return any(not _DOUBTFUL_WORDS.isdisjoint(_forms(word)) for word in found)


def any_may_be_secret(names: Collection[str]) -> bool:
    """Whether any of these names is that of a secret, or may be. Many are looked at as fast as one."""
    found = {word.casefold() for word in set(_WORD.findall(_without_accents("\n".join(names))))}
    forms = {form for word in found for form in _forms(word)}
    if (
        SECRET_SETTINGS.isdisjoint(names)
        and _SECRET_WORDS.isdisjoint(forms)
        and _DOUBTFUL_WORDS.isdisjoint(forms)
        and not _SECRET_PARTS.search("\n".join(found))
        and not any(first in found and second in forms for first, second in _SECRET_PAIRS)
    ):
        return False
    return any(is_secret_name(name) or may_be_secret_name(name) for name in names)


def holds_secret(name: str, value: Any) -> bool:
    """Whether this value under this name is a secret. ``None`` and booleans never are."""
    if value is None or isinstance(value, bool):
        return False
    return is_secret_name(name) or (may_be_secret_name(name) and may_be_credential(value))


def may_be_credential(value: Any) -> bool:
    """Whether a value can be a credential: no boolean, address, date, UUID, documented name or public key.

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
    """Whether a text is a date or a time in ISO 8601, and nothing else."""
    return _DATE.fullmatch(text) is not None


def is_address(text: str) -> bool:
    """Whether a text is an IP address, with or without the length of its network's prefix."""
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        return False
    # Digits alone are a number to everybody else.
    return "." in text or ":" in text
