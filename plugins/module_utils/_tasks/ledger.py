# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger: accepts or moves the whole ledger, or records a new address of the service in it."""

from __future__ import annotations

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import actor_of, known_ledgers, ledger_of
from .._core.errors import ConfigurationError
from .._core.text import as_yaml
from .._http.config import checked_base_url
from .._ledger.transaction import Transaction
from .._locations.locations import location_of
from .._locations.moving import accept, move_ledger
from .._locations.opening import open_ledger


def run(context: Context) -> Result:
    """Record something about the whole ledger. It sends no requests to the service."""
    params = context.params
    if params["state"] == "readdressed":
        return _readdress(context)
    if params["from"]:
        raise ConfigurationError(
            f"from is for state: readdressed, not for {params['state']}. Nothing was changed.\nLeave it out."
        )
    if params["state"] == "moved":
        if params["to"].startswith(("http://", "https://")):
            raise ConfigurationError(
                "to is the address of a service, and moved moves the ledger. Nothing was changed.\n"
                "Did you mean state: readdressed? It records a new address of the service."
            )
        known = known_ledgers(context)
        old, new = (location_of(params[option], context.environ) for option in ("ledger", "to"))
        changed = move_ledger(old, new, known, actor_of(context), write=not context.check_mode)
        return {"changed": changed, "readdressed": 0}
    return _accept(context)


def _accept(context: Context) -> Result:
    location, write = location_of(context.params["ledger"], context.environ), not context.check_mode
    with open_ledger(location, "write" if write else "read", actor_of(context)) as ledger:
        changed, before, after = known_ledgers(context).accept(ledger, write=write)
        closed = None
        if before["moved_to"] is not None:
            closed = f"was moved to {before['moved_to']}"
        elif before["incoming_from"] is not None:
            closed = "awaits the orders of another one"
        if closed is not None:
            context.warn(
                f"The ledger {ledger.place} {closed}. By accepting it, you put it into use again.\n"
                "What only the other one has is missing in it, and would be placed again."
            )
        if write and ledger.exists and (changed or closed is not None):
            accept(ledger, before, after)
    result: Result = {"changed": changed or closed is not None, "readdressed": 0}
    if context.diff:
        result["diff"] = {"before": as_yaml(before), "after": as_yaml(after)}
    return result


def _readdress(context: Context) -> Result:
    old, new = (checked_base_url(context.params[option], allow_http=True) for option in ("from", "to"))
    if old == new:
        raise ConfigurationError(f"from and to are the same address, {new}.\nGive the old one and the new one.")
    ledger = ledger_of(context, "settle")
    services = ledger.read(Transaction.services)
    count = services.get(old, 0)
    if not count and new not in services:
        recorded = ", ".join(f"{service} ({count})" for service, count in services.items()) or "none"
        raise ConfigurationError(
            f"No order is recorded for the service {old}. Nothing was changed.\n"
            f"Recorded services: {recorded}.\nSet from to the one that has a new address."
        )
    if count and not context.check_mode:
        ledger.readdress(old, new)
    result: Result = {"changed": bool(count), "readdressed": count}
    if context.diff:
        after = {**services, new: services.get(new, 0) + count}
        after.pop(old, None)
        result["diff"] = {"before": as_yaml({"orders": dict(services)}), "after": as_yaml({"orders": after})}
    return result


TASK = Task(run, {"required_if": [("state", "readdressed", ("from", "to")), ("state", "moved", ("to",))]})
