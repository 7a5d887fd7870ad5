# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares an element of a contract's record with what was ordered. Pure.

How exactly it shows it is a number: 0 is best.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from .._core.conditions import MISSING
from .._core.text import same_id
from .contract_ids import identifier
from .controls import Control
from .records import moment_of

Steps = tuple[str, ...]
#: Words of an element's name that tell it from others which the controls confirm as well.
_NAMED = {
    "product": ("product",),
    "end_user": ("enduser", "end_user"),
    "organization": ("organization", "organisation", "org"),
    "hostname": ("hostname",),
    "domain": ("domain",),
    "created_at": ("created", "ordered"),
}


def is_named(role: str, steps: Steps) -> bool:
    """Whether an element's name, or that of the object it stands in, has the specification's word for a role."""
    names = [step.lower().replace("-", "_") for step in steps[-2:]]
    return any(word in name for word in _NAMED[role] for name in names)


def is_state(steps: Steps, value: Any) -> bool:
    return isinstance(value, str) and "".join(steps[-1:]).lower() in ("status", "state", "stage", "phase")


def plain(role: str, value: Any) -> str | None:
    """A single value as a string. If the role has IDs, an IRI becomes the ID at its end."""
    if value is MISSING or isinstance(value, (Mapping, list, bool)):
        return None
    text = str(value)
    if role in ("product", "end_user", "organization"):
        return (identifier(text) if "/" in text else None) or text
    return text


def id_rank(value: Any, wanted: str) -> int | None:
    told = identifier(value)
    if told is None or not same_id(told, wanted):
        return None
    return 0 if same_id(str(value), wanted) else 1


def product_rank(value: Any, control: Control) -> int | None:
    rank = id_rank(value, control.product or "")
    if rank is None and control.product_name and value == control.product_name:
        return 2
    return rank


def time_rank(value: Any, earliest: datetime, latest: datetime) -> int | None:
    time = moment_of(value)
    if time is None or time.tzinfo is None:
        return None
    return 0 if earliest <= time <= latest else None
