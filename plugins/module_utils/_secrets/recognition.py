# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Recognizes secrets by the names that values stand under, and by what the values are.

The API specification names two secrets (4.3.2 and 4.3.5). What a service calls others can only be read from its names,
in any case style, in English and German: they are taken apart into words, so that ``author``, ``passenger`` and
``pinned`` are none.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from functools import lru_cache
from typing import Any

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


def distinctive(text: str) -> bool:
    """Return whether this text is unlikely to occur by chance: it is not a plain word or number.

    The others are masked by their names, and in what the service says of an order; in texts of this collection and its
    users, a password such as "web" or "portal" is a word like any other.
    """
    kinds = (str.islower, str.isupper, str.isdigit, lambda letter: not letter.isalnum() and letter not in " _-.,'")
    begun = text[:1].lower() + text[1:]
    return len(text) >= 6 and sum(any(map(kind, begun)) for kind in kinds) > 1
