# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Contracts as the service shows them (API specification 2.5 and 4.4 show no records and no operations)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .._core.text import same_id
from .._product_types.registry import SELF


@dataclass(frozen=True)
class ShownContract:
    """One contract as the service shows it. An element that was not learned or not shown is ``None``.

    ``created_at`` is aware: a time without a zone counts as not shown. ``marker`` is the value at ``marker_element``.
    """

    id: str
    product: str | None = None
    end_user: str | None = None
    organization: str | None = None
    hostname: str | None = None
    domain: str | None = None
    addresses: tuple[str, ...] = ()
    status: str | None = None
    created_at: datetime | None = None
    marker: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Listing:
    """All contracts that one read of an organization returned.

    ``why_incomplete`` is empty if it is complete. ``learned`` are JSON pointers by role, ``unclear`` says by role why
    it was not learned. ``controls`` are the ids of control contracts that it shows. ``clock_off`` are seconds, the
    service's clock minus the one here.
    """

    contracts: tuple[ShownContract, ...]
    complete: bool
    why_incomplete: str = ""
    learned: Mapping[str, str] = field(default_factory=dict)
    unclear: Mapping[str, str] = field(default_factory=dict)
    controls: tuple[str, ...] = ()
    served_at: datetime | None = None
    clock_off: float | None = None


def organization_of(end_user: str, own: str, organizations: Mapping[str, str]) -> str | None:
    """The organization that this end user's contract belongs to, or ``None`` if it is not known."""
    if end_user == SELF:
        return own or None
    return next((id_ for each, id_ in organizations.items() if same_id(each, end_user)), None)
