# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the option values that must not be shown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from .._core.errors import LedgerError
from .._ledger.locations import read_address
from .._product_types.registry import SECRET_SETTINGS
from .._secrets.masker import Masker, secret_values
from .._secrets.recognition import SHORTEST, distinctive

#: Options and settings that name something.
_NAMES = frozenset(
    {"name", "names", "hostname", "domain", "product", "product_type", "template", "template_name", "end_user"}
)


def secrets_in_options(params: Mapping[str, Any]) -> set[str]:
    """All secrets in the options that are long enough to be masked everywhere."""
    values = {name: value for name, value in params.items() if name != "secrets"}
    names = params.get("secrets")
    if isinstance(names, list):
        # Names of secrets in the parts of a request
        found = secret_values([params.get("query"), params.get("body")], [str(name) for name in names])
    else:
        found = secret_values({"secrets": names})
    # A misspelt name must not show what it was meant to hide.
    found |= secret_values(values, [name for name, _item in _items(values) if _like_a_secret(name)])
    found.update(_ledger_secrets(params.get("ledger")))
    if params.get("state") != "readdressed":
        # Otherwise it is the address of a service.
        found.update(_ledger_secrets(params.get("to")))
    return {secret for secret in found if len(secret) >= SHORTEST}


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    """All names at any depth with a value, and that. Of many orders, most options are not given."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            if item is not None and not isinstance(item, bool):
                yield str(name), item
                yield from _items(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _items(item)


@lru_cache(maxsize=1024)
def _like_a_secret(name: str) -> bool:
    # Looking for likeness is slow, and many orders have the same few names.
    return bool(get_close_matches(name.lower()[:60], SECRET_SETTINGS, n=1, cutoff=0.8))


def _ledger_secrets(address: Any) -> Iterator[str]:
    """The passwords in the address of a database, and the whole, also of what only looks like one and is refused."""
    if not isinstance(address, str):
        return
    try:
        location = read_address(address)
    except LedgerError:
        is_path = address.startswith(("/", "~", ".", "$"))
        if "://" in address or "password" in address or ("@" in address and not is_path):
            yield address
        return
    if location.passwords:
        # libpq 17 and later removes whitespace around a password.
        yield from (address, *location.passwords, *map(str.strip, location.passwords))


def task_masker(params: Mapping[str, Any], *, describes: bool = False, hidden: Collection[str] = frozenset()) -> Masker:
    """Return what masks the secrets of a task's options in its results and messages.

    ``describes`` is that of the Task, ``hidden`` are secrets that nothing in the options shows to be some. A name stays
    as it is, also where a secret is a part of it. A plain word that is a password is masked by its name, and where the
    service repeats it, but not in texts of this collection.
    """
    found = secrets_in_options(params) | {secret for secret in hidden if len(secret) >= SHORTEST}
    named = (item for name, item in _items(params) if name in _NAMES)
    names = {each for item in named for each in (item if isinstance(item, list) else [item]) if isinstance(each, str)}
    secrets = set(filter(distinctive, found)) | (found & {params.get("api_key")})
    # An order whose name is a secret is refused, and its name not shown.
    whole = (names & found) | frozenset(hidden)
    return Masker(secrets, whole=whole, kept=names - found, by_name=not describes)
