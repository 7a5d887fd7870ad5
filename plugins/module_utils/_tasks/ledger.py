# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger: records what the user knows about an order. It sends no requests to the service."""

from __future__ import annotations

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import accept_ledger, ledger_of, retire_ledger
from .._core.errors import ConfigurationError
from .._core.text import as_yaml
from .._http.config import checked_base_url
from .settlement import settle_by_hand


def run(context: Context) -> Result:
    """Settle, adopt or remove one order or operation, or record something about the whole ledger."""
    params = context.params
    if params["state"] == "moved":
        return _move_service(context)
    if params["state"] == "accepted":
        changed, known, accepted = accept_ledger(context)
        result: Result = {"changed": changed, "order": None, "before": None}
        if context.diff:
            result["diff"] = {"before": as_yaml(known), "after": as_yaml(accepted)}
        return result
    if params["state"] == "retired":
        return {"changed": retire_ledger(context), "order": None, "before": None}
    return settle_by_hand(context)


def _move_service(context: Context) -> Result:
    old, new = (checked_base_url(context.params[option], allow_http=True) for option in ("from", "to"))
    if old == new:
        raise ConfigurationError(f"from and to are the same address, {new}.\nGive the old one and the new one.")
    ledger = ledger_of(context, writing=True, settling=True)
    services = ledger.services()
    moved = services.get(old, 0)
    if not moved and new not in services:
        recorded = ", ".join(f"{service} ({count})" for service, count in services.items()) or "none"
        raise ConfigurationError(
            f"No order is recorded for the service {old}. Nothing was changed.\n"
            f"Recorded services: {recorded}.\nSet from to the one that has a new address."
        )
    if moved and not context.check_mode:
        ledger.move_service(old, new)
    result: Result = {"changed": bool(moved), "order": None, "before": None, "moved": moved}
    if context.diff:
        after = {**services, new: services.get(new, 0) + moved}
        after.pop(old, None)
        result["diff"] = {"before": as_yaml({"orders": dict(services)}), "after": as_yaml({"orders": after})}
    return result


TASK = Task(
    run,
    {
        "required_if": [
            ("state", "ordered", ("name",)),
            ("state", "done", ("name",)),
            ("state", "absent", ("name",)),
            ("state", "moved", ("from", "to")),
            ("state", "retired", ("moved_to",)),
        ]
    },
)
