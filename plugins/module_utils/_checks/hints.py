# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Says what to write in place of a text that breaks its rule. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from .._core.addresses import punycode
from .._core.text import character_name, odd_character

#: A number, perhaps with a unit of memory, of which the first letter counts.
_AMOUNT = re.compile(r"\s*([0-9]{1,9})\s*([MG]?)(?:i?B?)?\s*", re.IGNORECASE)
_MOST_GB = 512
_LONGEST_NUMBER = 14
#: A number that tells its country code by what separates it, perhaps with the zero of calls within the country.
_TELEPHONE = re.compile(r"\(?(?:\+|00)[\s(]*(\d{1,3})[^\w+]+(?:\(?0\)[^\w+]*)?((?:\d[^\w+]*)+)", re.ASCII)


def hint(value: str, text_format: str | None) -> str | None:
    """Return what to do about a text that breaks its rule, or ``None`` when there is nothing to add."""
    if value.strip() not in ("", value):
        return "it begins or ends with whitespace or a newline: remove it, in a template with the trim filter"
    if odd := odd_character(value):
        return f"it contains {odd}: type it again"
    if text_format == "telephone":
        return _telephone_hint(value)
    if text_format not in ("hostname", "email"):
        return None
    return _name_hint(value.rpartition("@")[2] if text_format == "email" else value)


def _name_hint(name: str) -> str | None:
    """Return what to do about a hostname or domain."""
    if scheme := re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/+", name):
        return f"remove {scheme[0]}"
    if name.endswith("."):
        return "write it without the dot at its end"
    if ipv4 := re.fullmatch(r"[0-9]+(?:\.[0-9]+){3}", name):
        return f"{ipv4[0]} is an IP address"
    others = (character for character in name if not character.isascii())
    foreign = next((character for character in others if unicodedata.category(character)[0] not in "LMN"), None)
    if foreign:
        return f"{character_name(foreign)} is not allowed in it"
    if not name.isascii():
        ascii_name = punycode(name)
        return f"write it in its punycode form, {ascii_name}" if ascii_name else "write it in its punycode form"
    wrong = re.search(r"[^A-Za-z0-9.-]", name)
    return f"{'a blank' if wrong[0] == ' ' else repr(wrong[0])} is not allowed in it" if wrong else None


def _telephone_hint(value: str) -> str | None:
    """The number in the form of the specification, where its country code is told apart."""
    telephone = _TELEPHONE.fullmatch(value.strip())
    number = re.sub(r"\D", "", telephone[2], flags=re.ASCII) if telephone else ""
    if number.startswith("0"):
        return "put a dot behind the country code, and leave out a 0 that is dialed within the country alone"
    if telephone and len(number) <= _LONGEST_NUMBER:
        return f"write it as +{telephone[1]}.{number}, if {telephone[1]} is the country code"
    return "put a dot behind the country code" if re.match(r"\+|00", value) else "begin with + and the country code"


def amount_hint(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Return the number that was meant by an amount in GB, or with its unit, such as ``8 GB``."""
    unit = re.search(r"\bin ([MG])B\b", str(schema.get("description")))
    # Python does not write a number of thousands of digits.
    text = str(value) if isinstance(value, int) and value.bit_length() < 64 else value
    given = _AMOUNT.fullmatch(text) if isinstance(text, str) else None
    if unit is None or given is None:
        return None
    number, prefix = int(given[1]), given[2].upper()
    # Nobody has so many GB of RAM, and nobody wants so few MB of it.
    if unit[1] == "M" and (prefix == "G" or (not prefix and 0 < number <= _MOST_GB)):
        return f"{schema['title']} is in MB: {number} GB is {number * 1024}"
    return f"write {number}" if prefix == unit[1] else None
