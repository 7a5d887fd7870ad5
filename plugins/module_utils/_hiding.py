# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which option values must not be shown, for modules and action plugins alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard
from urllib.parse import quote, unquote

from ansible_collections.hosting.reseller.plugins.module_utils._secrets import (
    MASK,
    SHORTEST_MASKED,
    masked,
    secret_values,
)

#: Options that hold free-form data; one that is no mapping or list could not be searched for secrets.
_FREE_FORM = ("settings", "additional_elements", "contracts", "defaults")


def is_database(ledger: Any) -> TypeGuard[str]:
    """Whether a ledger's address is that of a database, which may hold a password."""
    return isinstance(ledger, str) and ("://" in ledger or "password" in ledger)


def maskable(params: Mapping[str, Any]) -> set[str]:
    """All secrets among the options that are long enough to be masked wherever they stand."""
    found = secret_values(params)
    ledger = params.get("ledger")
    if is_database(ledger):
        found.add(ledger)
        found.update(_passwords(ledger))
    return {secret for secret in found if len(secret) >= SHORTEST_MASKED}


def _passwords(address: str) -> Iterator[str]:
    """The passwords of a PostgreSQL address or of libpq's keywords, as they are written and as they are meant.

    Also of addresses that libpq refuses: it is not to be relied on that its error does not repeat them.
    """
    behind = address.partition("://")[2]
    for user_info in (behind.partition("@")[0], behind.rpartition("@")[0]):
        yield from _encoded(user_info.partition(":")[2])
    for found in re.finditer(r"password=([^&]*)", address):
        yield from _encoded(found[1])
    for found in re.finditer(r"password\s*=\s*(?:'((?:[^'\\]|\\.)*)'?|((?:[^\s'\\]|\\.)+))", address, re.DOTALL):
        written = found[1] or found[2] or ""
        yield from (written, re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL))


def _encoded(written: str) -> tuple[str, ...]:
    meant = unquote(written)
    # libpq 17 and later removes white space around what is written.
    return written, meant, written.strip(), meant.strip(), unquote(written.strip()), quote(meant, safe="")


def overmasked(params: Mapping[str, Any]) -> set[str]:
    """Values that are marked no_log for another form they can have: the path of a ledger file is no secret."""
    ledger = params.get("ledger")
    return {ledger} if isinstance(ledger, str) and not is_database(ledger) else set()


def hidden_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """The options as they may be shown, for ``invocation`` and logs."""
    shown: dict[str, Any] = masked(params, maskable(params))
    for name in _FREE_FORM:
        if shown.get(name) and not isinstance(shown[name], (dict, list)):
            shown[name] = MASK
    return shown


__all__ = ["hidden_params", "is_database", "maskable", "overmasked"]
