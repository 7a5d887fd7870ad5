# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Refuses options that cannot be meant, before the reference is read. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._core.errors import ConfigurationError
from .._core.pasting import PLACEHOLDER
from .._core.text import clean

_POST_OPTIONS = ("name", "unless", "repeatable")


def refuse_placeholders(params: Mapping[str, Any]) -> None:
    """Raise ConfigurationError that lists each option and element that still is the placeholder of a ready task."""
    found = [clean(path, 200) for path in _placeholders(params, "")]
    if found:
        first = f"{found[0]} is still a placeholder" + (f", and {len(found) - 1} more." if found[1:] else ".")
        listed = "".join(f"\n  - {path}" for path in found)
        raise ConfigurationError(f"{first} Nothing was sent.{listed}\nWrite a value in place of each {PLACEHOLDER}.")


def _placeholders(value: Any, path: str) -> Iterator[str]:
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


def refuse_useless(params: Mapping[str, Any], method: str) -> None:
    """Raise ConfigurationError for options without meaning for the method, and for a POST without a safeguard."""
    given = [option for option in _POST_OPTIONS if params[option]]
    if method == "POST" and len(given) != 1:
        raise ConfigurationError(
            f"A POST needs exactly one of name, unless and repeatable (given: {', '.join(given) or 'none'}). Nothing "
            "was sent.\nname: sent once for the ledger. unless: not sent if a read shows that it is done. repeatable: "
            "true: sent in every run."
        )
    reading = ("read_with", "compare", "update_secrets")
    useless = {
        "POST": reading,
        "PUT": _POST_OPTIONS,
        "PATCH": _POST_OPTIONS,
        "DELETE": (*_POST_OPTIONS, "compare", "update_secrets"),
    }[method]
    found = [option for option in useless if params[option] not in (None, False, "subset")]
    if found:
        raise ConfigurationError(f"{' and '.join(found)}: this means nothing for {method}. Nothing was sent.")
