# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Approve what you saw: an approved plan is held against the plan of now, and nothing is sent if they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._cache import Cache
from ansible_collections.hosting.reseller.plugins.module_utils._errors import ApprovalError, ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._plan import SCHEME, plan_differences, plan_digest

#: Seconds for which a plan that was shown here is kept, to tell how a later one differs from it.
REMEMBERED = 30 * 86400.0


def check_approval(approved: Any, plan: Sequence[Mapping[str, Any]], cache: Cache) -> None:
    """Raise ApprovalError unless ``plan`` is the approved one, given by its digest or as a mapping with the plan.

    Raises ConfigurationError for an approval of another form.
    """
    digest, before = _read(approved)
    now = plan_digest(plan)
    if digest == now:
        return
    if before is None:
        before = cache.read("plan", (digest,), REMEMBERED)
    if before is None:
        found = ["the approved plan itself is not known here; give approved_plan as a mapping of plan and plan_digest"]
    else:
        found = plan_differences(before, plan) or ["the digest does not belong to the plan that was given with it"]
    listed = "\n".join(f"  - {line}" for line in found)
    raise ApprovalError(
        f"The plan is no longer the approved one; nothing was sent. Approved: {digest}, now: {now}.\n{listed}\n"
        "Look at the plan of now in check mode, and approve that one.",
        approved_digest=digest,
        plan_differences=found,
    )


def remember_plan(plan: Sequence[Mapping[str, Any]], cache: Cache) -> None:
    """Keep a plan that was shown, so that a later refusal can list what differs from it."""
    cache.write("plan", (plan_digest(plan),), list(plan))


def _read(approved: Any) -> tuple[str, Sequence[Mapping[str, Any]] | None]:
    plan = approved.get("plan") if isinstance(approved, Mapping) else None
    digest = approved.get("plan_digest") if isinstance(approved, Mapping) else approved
    if not isinstance(digest, str) or not digest.startswith(SCHEME):
        raise ConfigurationError(
            f"approved_plan is the plan_digest of a dry run ({SCHEME}…), or a mapping of plan and plan_digest as that "
            "run returned them. Nothing was sent."
        )
    readable = isinstance(plan, list) and all(isinstance(entry, Mapping) and "name" in entry for entry in plan)
    return digest, plan if readable else None


__all__ = ["check_approval", "remember_plan"]
