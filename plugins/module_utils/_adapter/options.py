# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks option values: placeholders, broken text, and the ranges of all numbers in one table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._core.errors import ConfigurationError
from .._core.pasting import PLACEHOLDER
from .._core.text import NO_TEXT, clean


class Range(NamedTuple):
    """The numbers from ``least`` to ``most``."""

    least: float
    most: int
    unit: str = ""

    def __str__(self) -> str:
        return f"from {self.least} to {self.most} {self.unit}".rstrip()


RANGES: Mapping[str, Range] = {
    "timeout": Range(0.001, 86400, "seconds"),
    "dns_timeout": Range(0.001, 600, "seconds"),
    "port": Range(1, 65535),
    "concurrency": Range(1, 32),
    "wait_timeout": Range(1, 86400, "seconds"),
    "max_orders": Range(0, 1_000_000),
}
#: Files that a task makes. A relative path would depend on where it runs.
NEW_FILES = ("save_answer", "plan_file")


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse placeholders and broken text, and check numbers and paths of files, also those of single orders.

    Options of another type are left to the argument spec. Raises ConfigurationError, which names the option.
    """
    _check_texts([*_texts(options, "")])
    for name in RANGES.keys() & options.keys():
        given, allowed = options[name], RANGES[name]
        for number in map(_number, given if isinstance(given, (list, tuple)) else [given]):
            # Comparisons with NaN are false.
            if number is not None and not allowed.least <= number <= allowed.most:
                raise ConfigurationError(f"{name} must be {allowed} (given: {number:g}).")
    contracts = options.get("contracts")
    orders = contracts if isinstance(contracts, (list, tuple)) else ()
    for part in (options, options.get("defaults"), *orders):
        for name in NEW_FILES if isinstance(part, Mapping) else ():
            _check_new_file(name, part.get(name))


def _check_texts(texts: Sequence[tuple[str, str]]) -> None:
    open_ones = list(dict.fromkeys(clean(path, 200) for path, text in texts if text.strip() == PLACEHOLDER))
    if open_ones:
        more = f", and {len(open_ones) - 1} more" if open_ones[1:] else ""
        others = "".join(f"\n  - {path}" for path in open_ones[1:])
        raise ConfigurationError(
            f"{open_ones[0]} is still a placeholder{more}. Nothing was sent or recorded.{others}\n"
            f"Write a value in place of each {PLACEHOLDER}, or leave out what is optional."
        )
    broken = next((clean(path, 200) for path, text in texts if NO_TEXT.search(text)), None)
    if broken is not None:
        # The value is not shown: it may hold a password.
        raise ConfigurationError(
            f"{broken} has a character that is not valid in text. Nothing was sent or recorded.\n"
            "It is NUL or a part of a character. Write the value again, in UTF-8."
        )


def _check_new_file(name: str, path: Any) -> None:
    if isinstance(path, str) and path and not os.path.isabs(os.path.expanduser(os.path.expandvars(path))):
        raise ConfigurationError(
            f"{name} {clean(path, 200)!r} is not an absolute path. Nothing was sent or recorded.\n"
            "Give the absolute path of a file, such as {{ playbook_dir }}/" + clean(os.path.basename(path), 60)
        )


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Each text in the options, also a name, with its place."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            inner = f"{path}.{name}" if path else str(name)
            yield from _texts(name, inner)
            yield from _texts(item, inner)
    elif isinstance(value, (list, tuple)):
        for at, item in enumerate(value):
            yield from _texts(item, f"{path}[{at}]")


def _number(value: Any) -> float | None:
    """The number that is meant, infinite where it is too large for a float."""
    try:
        return float(value)
    except OverflowError:
        return float("inf")
    except (TypeError, ValueError):
        return None
