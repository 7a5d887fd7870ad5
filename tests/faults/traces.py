# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Looks for secrets and contact values in every byte that runs have written: ledgers, caches, sights, outputs."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import psycopg

#: What is left of a word that was cut off is looked for, too, if it is not shorter.
_SHORTEST = 6


def parts_of(*secrets: str) -> list[str]:
    """Parts of secrets that every form of them has, also one that was cut off: the ends of their words."""
    words = [word for secret in secrets for word in re.findall(r"[A-Za-z0-9]+", secret) if len(word) >= _SHORTEST]
    return sorted({end for word in words for end in (word[:_SHORTEST], word[-_SHORTEST:])})


def written(ledger: str, *folders: Path) -> Iterator[tuple[str, bytes]]:
    """All that a ledger, its companions and these folders hold, by place."""
    if "://" in ledger:
        yield from _dump(ledger)
    else:
        folders = (Path(ledger).parent, *folders)
    for folder in folders:
        for path in folder.rglob("*"):
            if stat.S_ISREG(path.lstat().st_mode):
                yield str(path), path.read_bytes()


def _dump(ledger: str) -> Iterator[tuple[str, bytes]]:
    """Each table of the ledger as it is dumped."""
    with psycopg.connect(ledger, autocommit=True) as connection:
        tables = connection.execute(
            "SELECT c.oid::regclass::text FROM pg_class c WHERE c.relname LIKE 'hosting\\_reseller\\_%' "
            "AND c.relkind = 'r' AND pg_table_is_visible(c.oid)"
        ).fetchall()
        for (table,) in tables:
            with connection.cursor().copy(f"COPY {table} TO STDOUT".encode()) as rows:
                yield table, b"".join(map(bytes, rows))


def traces(parts: Iterable[str], places: Iterable[tuple[str, bytes]] | Mapping[str, bytes]) -> list[str]:
    """Where any of the parts stands, with what is around it."""
    sought = [part.encode() for part in parts]
    listed = places.items() if isinstance(places, Mapping) else places
    return [
        f"{part.decode()} in {place}: …{content[max(0, content.find(part) - 80) :][:200]!r}…"
        for place, content in listed
        for part in sought
        if part in content
    ]
