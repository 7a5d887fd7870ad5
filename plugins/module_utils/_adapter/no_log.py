# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the option values that must not be shown."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, TypeGuard
from urllib.parse import quote, unquote

from .._core.errors import LedgerError
from .._ledger.locations import is_postgresql
from .._ledger.postgresql_address import read_address
from .._product_types.registry import SECRET_SETTINGS
from .._secrets.masker import Masker, secret_values
from .._secrets.needles import SHORTEST, distinctive

#: Options that hold the parts of a request; ``secrets`` names what of them is secret.
_REQUEST = ("path_parameters", "query", "headers", "body")
#: Options that hold names of options, which are no secrets whatever they are called.
_DESCRIPTIONS = ("shown_as",)
#: Options and settings that name something.
_NAMES = frozenset(
    {"name", "names", "hostname", "domain", "product", "product_type", "template", "template_name", "end_user"}
)
#: Options that hold the path or address of a ledger.
_LEDGERS = ("ledger", "moved_to")


def may_hold_a_password(ledger: Any) -> TypeGuard[str]:
    """Whether a ledger's address is or looks like that of a database, so that it may contain a password."""
    if not isinstance(ledger, str):
        return False
    with contextlib.suppress(LedgerError):
        if is_postgresql(ledger) and read_address(ledger).place == ledger:
            return False
    return "://" in ledger or "password" in ledger or ("@" in ledger and not ledger.startswith(("/", "~", ".")))


def secrets_in_options(params: Mapping[str, Any]) -> set[str]:
    """All secrets in the options that are long enough to be masked everywhere."""
    values = {name: value for name, value in params.items() if name not in _DESCRIPTIONS}
    names = values.pop("secrets", None)
    if isinstance(names, list):
        found = secret_values([params.get(part) for part in _REQUEST], [str(name) for name in names])
    else:
        found = secret_values({"secrets": names})
    # A misspelt name must not show what it was meant to hide.
    found |= secret_values(values, [name for name, _item in _items(values) if _like_a_secret(name)])
    for ledger in map(params.get, _LEDGERS):
        if may_hold_a_password(ledger):
            found.add(ledger)
            found.update(_passwords(ledger))
    base_url = params.get("base_url")
    if isinstance(base_url, str) and "@" in base_url:
        # It is refused, and may be shown all the same.
        found.update(_passwords(base_url))
    return {secret for secret in found if len(secret) >= SHORTEST}


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    """All names at any depth, each with what stands under it."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield str(name), item
            yield from _items(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _items(item)


@lru_cache(maxsize=1024)
def _like_a_secret(name: str) -> bool:
    # Looking for likeness is slow, and many orders have the same few names.
    return bool(get_close_matches(name.lower()[:60], SECRET_SETTINGS, n=1, cutoff=0.8))


def _passwords(address: str) -> Iterator[str]:
    """The passwords of a PostgreSQL address or of libpq's keywords, as they are written and as they are meant.

    Also of addresses that libpq refuses: it is not to be relied on that its error does not repeat them.
    """
    behind = address.partition("://")[2] or address.partition(":/")[2] or address
    for user_info in (behind.partition("@")[0], behind.rpartition("@")[0]):
        yield from _encoded(user_info.partition(":")[2])
    for found in re.finditer(r"password=([^&]*)", address):
        yield from _encoded(found[1])
    for found in re.finditer(r"password\s*=\s*(?:'((?:[^'\\]|\\.)*)'?|((?:[^\s'\\]|\\.)+))", address, re.DOTALL):
        written = found[1] or found[2] or ""
        yield from (written, re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL))


def _encoded(written: str) -> tuple[str, ...]:
    meant = unquote(written)
    # libpq 17 and later removes whitespace around what is written.
    return written, meant, written.strip(), meant.strip(), unquote(written.strip()), quote(meant, safe="")


def task_masker(params: Mapping[str, Any], *, describes: bool = False, hidden: Collection[str] = frozenset()) -> Masker:
    """Masks the secrets of a task's options in its results and messages.

    ``describes``: what stands under a secret's name in a result is a description, and none. ``hidden`` are secrets of
    which nothing in the options tells that they are some. A name stays as it is, also where a secret is a part of it,
    and so do texts of this collection in which a plain word stands that somebody took for a password: such a secret is
    masked by its name, and where the service says it.
    """
    found = secrets_in_options(params) | {secret for secret in hidden if len(secret) >= SHORTEST}
    named = (item for name, item in _items(params) if name in _NAMES)
    names = {each for item in named for each in (item if isinstance(item, list) else [item]) if isinstance(each, str)}
    secrets = set(filter(distinctive, found)) | (found & {params.get("api_key")})
    # An order whose name is a secret is refused, and its name not shown.
    whole = (names & found) | frozenset(hidden)
    return Masker(secrets, whole=whole, kept=names - found, by_name=not describes)
