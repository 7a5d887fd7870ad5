# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists that a person approves by their digest: plans, and contracts to adopt. They contain no secret. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._core.cache import Cache

Entries = Sequence[Mapping[str, Any]]

#: Seconds for which a list that was shown is kept, to tell how a later one differs from it.
REMEMBERED = 30 * 86400.0


def digest_of(value: Any) -> str:
    """A digest that is the same on every machine for the same value."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


@dataclass(frozen=True)
class ApprovedList:
    """One kind of such lists.

    ``scheme`` is the prefix of its digests; it names the way they are made, so that another way is never taken for
    another list. ``key`` names an entry, and ``compared`` are the values that count.
    """

    scheme: str
    key: str
    compared: tuple[str, ...]

    def digest(self, entries: Entries) -> str:
        return self.scheme + digest_of(
            [[entry[self.key], *(entry[name] for name in self.compared)] for entry in entries]
        )

    def remember(self, entries: Entries, cache: Cache) -> None:
        """Store a list that was shown, so that a later refusal can list the differences."""
        cache.write("approved", (self.digest(entries),), list(entries))

    def remembered(self, digest: str, cache: Cache) -> Entries | None:
        """The list with this digest, if it was shown here."""
        return readable(self.key, cache.read("approved", (digest,), REMEMBERED))

    def differences(self, approved: Entries, now: Entries) -> list[str]:
        """How a list differs from the approved one, a line for each difference."""
        before = {entry.get(self.key): entry for entry in approved}
        after = {entry[self.key]: entry for entry in now}
        lines = [f"{name}: approved, but no longer requested" for name in before if name not in after]
        for name, entry in after.items():
            known = before.get(name)
            if known is None:
                asked = f"requested now ({entry['action']}), but " if "action" in entry else ""
                lines.append(f"{name}: {asked}not in the approved list")
                continue
            changed = [each for each in self.compared if known.get(each) != entry[each]]
            lines += [_difference(str(name), each, known.get(each), entry[each]) for each in changed]
        if not lines and [*before] != [*after]:
            lines.append("the entries are the same, in another sequence")
        return lines


def _difference(name: str, what: str, approved: Any, now: Any) -> str:
    if what == "fingerprint" and approved is not None and now is not None:
        return f"{name}: the settings, additional elements, service or organization differ"
    return f"{name}: {what} was {approved}, and is {now}"


def readable(key: str, entries: Any) -> Entries | None:
    """The entries if they are a list whose entries are named, as whoever approves may give one back."""
    named = isinstance(entries, list) and all(
        isinstance(entry, Mapping) and isinstance(entry.get(key), str) for entry in entries
    )
    return entries if named else None
