# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks of single values, in plain code: host and domain names, UUIDs, mail addresses, telephone numbers."""

from __future__ import annotations

import string

LETTERS = frozenset(string.ascii_letters)
DIGITS = frozenset(string.digits)
ALPHANUMERIC = LETTERS | DIGITS
LABEL = ALPHANUMERIC | {"-"}
HEX = frozenset(string.hexdigits)


def is_hostname(value: object) -> bool:
    """Tell whether *value* is a host name: labels of 1 to 63 letters, digits and inner hyphens, at most 253 in all."""
    if not isinstance(value, str) or not 1 <= len(value) <= 253:
        return False
    return all(
        1 <= len(label) <= 63 and LABEL.issuperset(label) and label[0] != "-" and label[-1] != "-"
        for label in value.split(".")
    )


def is_domain(value: object) -> bool:
    """Tell whether *value* is a domain name: a host name of two labels or more, the last of which is no number."""
    if not is_hostname(value) or not isinstance(value, str):
        return False
    labels = value.split(".")
    return len(labels) >= 2 and not DIGITS.issuperset(labels[-1])


def is_uuid(value: object) -> bool:
    """Tell whether *value* is a UUID in its usual form of 8-4-4-4-12 hexadecimal digits."""
    if not isinstance(value, str):
        return False
    groups = value.split("-")
    return [len(group) for group in groups] == [8, 4, 4, 4, 12] and all(HEX.issuperset(group) for group in groups)


def is_integer(value: object) -> bool:
    """Tell whether *value* came as an integer: neither a boolean nor 4.0."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_email(value: str) -> bool:
    """Tell whether *value* has a local part without spaces and a domain."""
    local, at, domain = value.rpartition("@")
    return bool(at and local) and "@" not in local and local.isprintable() and " " not in local and is_domain(domain)


def is_telephone(value: str) -> bool:
    """Tell whether *value* is a plus sign, a country code of 1 to 3 digits, a dot and a number of 1 to 14 digits."""
    if not value.startswith("+"):
        return False
    country, dot, number = value[1:].partition(".")
    return (
        bool(dot)
        and 1 <= len(country) <= 3
        and 1 <= len(number) <= 14
        and DIGITS.issuperset(country)
        and DIGITS.issuperset(number)
    )


def is_country(value: str) -> bool:
    """Tell whether *value* is two letters."""
    return len(value) == 2 and LETTERS.issuperset(value)
