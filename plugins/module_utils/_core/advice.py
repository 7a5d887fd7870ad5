# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What to do about an error or a warning, beside what happened. Pure."""

from __future__ import annotations

from collections.abc import Iterable


class Advice(str):
    """What to do. A ledger records only what happened, and a message has each advice once."""

    __slots__ = ()


def told(parts: Iterable[str]) -> str:
    """A message of these parts, one below the other. An advice that is given several times stands at its last place."""
    shown = [part for part in parts if part]
    last: dict[str, int] = {part: index for index, part in enumerate(shown) if isinstance(part, Advice)}
    return "\n".join(part for index, part in enumerate(shown) if last.get(part, index) == index)
