# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Looks for secrets and contact values in every byte that runs have written: ledgers, caches, sights, outputs."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg

#: What is left of a word that was cut off is looked for, too, if it is not shorter.
_SHORTEST = 6


def parts_of(*secrets: str) -> list[str]:
    """Parts of secrets that every form of them has, also one that was cut off: the ends of their words."""
    words = [word for secret in secrets for word in re.findall(r"[A-Za-z0-9]+", secret) if len(word) >= _SHORTEST]
    return sorted({end for word in words for end in (word[:_SHORTEST], word[-_SHORTEST:])})


def tables(connection: psycopg.Connection[Any]) -> list[str]:
    """The tables of the ledger in a database."""
    found = connection.execute(
        "SELECT c.oid::regclass::text FROM pg_class c WHERE c.relname LIKE 'hosting\\_reseller\\_%' "
        "AND c.relkind = 'r' AND pg_table_is_visible(c.oid)"
    )
    return [table for (table,) in found]


def written(ledger: str, folder: Path) -> Iterator[tuple[str, bytes]]:
    """All that a ledger and this folder hold, by place."""
    if "://" in ledger:
        with psycopg.connect(ledger, autocommit=True) as connection:
            for table in tables(connection):
                with connection.cursor().copy(f"COPY {table} TO STDOUT".encode()) as rows:
                    yield table, b"".join(map(bytes, rows))
    for path in folder.rglob("*"):
        if stat.S_ISREG(path.lstat().st_mode):
            yield str(path), path.read_bytes()


def traces(parts: Iterable[str], places: Mapping[str, bytes]) -> list[str]:
    """Where any of the parts stands, with what is around it."""
    return [
        f"{part} in {place}: …{content[max(0, content.find(part.encode()) - 80) :][:200]!r}…"
        for place, content in places.items()
        for part in parts
        if part.encode() in content
    ]
