# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The trail of a ledger: what was done to it other than by sending an order, by whom, when, and what it was before."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

Action = Literal["settled", "adopted", "removed", "cancelled", "accepted", "moved", "readdressed"]


class Actor(NamedTuple):
    """The user of a ledger: one of AWX or of this machine, and the job."""

    user: str | None = None
    awx_job_id: str | None = None
    awx_workflow_job_id: str | None = None


class Event(NamedTuple):
    """Something that was done at a time (UTC, ISO 8601), by ``actor``, on this host.

    ``name`` is that of the order or operation, ``None`` if it was about the whole ledger. ``before`` and ``after`` are
    the record as the ledger had and has it, or what is known of the ledger: its address, that of the service. They have
    no secrets and no users of databases.
    """

    at: str
    action: Action
    name: str | None
    actor: Actor
    host: str
    before: Any = None
    after: Any = None

    def as_dict(self) -> dict[str, Any]:
        """The event as it is shown."""
        return {**self._asdict(), "actor": self.actor._asdict()}
