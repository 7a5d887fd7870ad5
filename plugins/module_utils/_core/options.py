# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks option values: placeholders, the ranges of all numbers in one table, and paths that no system accepts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .errors import ConfigurationError
from .pasting import PLACEHOLDER
from .text import clean


class Range(NamedTuple):
    """The numbers from ``least`` to ``most``; with ``positive``, those above 0."""

    most: int
    unit: str = ""
    least: int = 0
    positive: bool = False

    def holds(self, number: float) -> bool:
        return number <= self.most and (number > 0 if self.positive else number >= self.least)

    def __str__(self) -> str:
        span = f"more than 0 and at most {self.most}" if self.positive else f"from {self.least} to {self.most}"
        return f"{span} {self.unit}".rstrip()


_DAY = 86400
_TIME = Range(_DAY, "seconds", positive=True)
RANGES: Mapping[str, Range] = {
    "timeout": _TIME,
    "order_timeout": _TIME,
    "dns_timeout": Range(600, "seconds", positive=True),
    "port": Range(65535, least=1),
    "concurrency": Range(32, least=1),
    "max_orders": Range(1_000_000),
    "org_max_ram": Range(1_000_000_000, "MB", least=1024),
    "max_records": Range(1_000_000, least=1),
    "accept_status": Range(599, least=100),
}
_PATHS = ("ca_path", "ledger", "moved_to", "path", "save_answer")


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse placeholders, and check numbers and paths, also those of single orders.

    Options of another type are left to the argument spec. Raises ConfigurationError, which names the option.
    """
    open_ones = list(dict.fromkeys(clean(path, 200) for path in _placeholders(options, "")))
    if open_ones:
        more = f", and {len(open_ones) - 1} more" if open_ones[1:] else ""
        others = "".join(f"\n  - {path}" for path in open_ones[1:])
        raise ConfigurationError(
            f"{open_ones[0]} is still a placeholder{more}. Nothing was sent or recorded.{others}\n"
            f"Write a value in place of each {PLACEHOLDER}, or leave out what is optional."
        )
    for each in (options, *_parts(options)):
        for name in RANGES.keys() & each.keys():
            given, allowed = each[name], RANGES[name]
            for number in map(_number, given if isinstance(given, (list, tuple)) else [given]):
                # Comparisons with NaN are false.
                if number is not None and not allowed.holds(number):
                    raise ConfigurationError(f"{name} must be {allowed} (given: {number:g}).")
        for name in _PATHS:
            if isinstance(each.get(name), str):
                _check_path(name, each[name])


def _placeholders(value: Any, path: str) -> Iterator[str]:
    """The places of what a person was to fill in, also where it is a name."""
    if isinstance(value, str) and value.strip() == PLACEHOLDER:
        yield path
    elif isinstance(value, Mapping):
        for name, item in value.items():
            inner = f"{path}.{name}" if path else str(name)
            yield from _placeholders(name, inner)
            yield from _placeholders(item, inner)
    elif isinstance(value, (list, tuple)):
        for at, item in enumerate(value):
            yield from _placeholders(item, f"{path}[{at}]")


def _parts(options: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The options of single orders, and those that orders share."""
    contracts = options.get("contracts")
    for part in (options.get("defaults"), *(contracts if isinstance(contracts, (list, tuple)) else ())):
        if isinstance(part, Mapping):
            yield part


def _number(value: Any) -> float | None:
    """The number that is meant, infinite where it is too large for a float."""
    try:
        return float(value)
    except OverflowError:
        return float("inf")
    except (TypeError, ValueError):
        return None


def _check_path(name: str, path: str) -> None:
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        # The value is not shown: an address of PostgreSQL may hold a password.
        raise ConfigurationError(
            f"The option {name} contains a character that no path can have.\n"
            "It is a NUL character, or half of a surrogate pair. Write the path again."
        )
