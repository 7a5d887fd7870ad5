# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger: a person's word on an order, written into the ledger. It never talks to the service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .._adapter import argspec
from .._adapter.context import Context, Result, Task
from .._adapter.ledgers import ledger_of
from .._checks.documented import check_documented
from .._checks.secrets import kept_settings
from .._core.as_yaml import as_yaml
from .._core.errors import ConfigurationError, InFlightError, ViolationsError
from .._core.text import nearest
from .._http.config import checked_base_url
from .._ledger.ledger import Filter, Ledger, Outcome, Record, Request
from .._product_types.registry import PRODUCT_TYPES

_ORDERED_WITH = ("end_user", "product", "product_type", "settings")


def run(context: Context) -> Result:
    """Settle, adopt or forget one order."""
    params = context.params
    name: str = params["name"]
    if not name.strip():
        raise ConfigurationError("name is empty. Give the name of the order, as reseller_ledger_info lists it.")
    ledger = ledger_of(context, writing=True)
    before = ledger.find([name]).get(name)
    if before is not None and before.status == "pending":
        raise InFlightError(
            f"A run is placing the order {name} at this moment (claimed at {before.claimed_at}), so it cannot be "
            "settled. Wait until that run has ended.",
            order=before.order(),
        )
    if params["state"] == "absent":
        changed, after = before is not None, None
        if changed and not context.check_mode:
            ledger.remove(name)
    else:
        changed, after = _settle(context, ledger, name, before)
    result: Result = {"changed": changed, "order": after, "before": before.as_dict() if before else None}
    if context.diff:
        result["diff"] = {"before": as_yaml(result["before"]), "after": as_yaml(after)}
    return result


def _settle(context: Context, ledger: Ledger, name: str, before: Record | None) -> tuple[bool, dict[str, Any]]:
    params = context.params
    request = _request(params, name, ledger.digest_key)
    known = before.outcome if before is not None and before.status == "ordered" else None
    if known is not None and before is not None:
        ids = (params["contract_id"] or known.contract_id, params["l2vpn_id"] or known.l2vpn_id)
        if ids == (known.contract_id, known.l2vpn_id) and request in (None, before.request):
            return False, before.as_dict()
    outcome = Outcome(
        "ordered",
        reason="Adopted by a person." if before is None else "Settled by a person as placed.",
        contract_id=params["contract_id"],
        l2vpn_id=params["l2vpn_id"],
    )
    if before is None:
        _tell_which_was_meant(context, ledger, name)
    if not context.check_mode:
        ledger.settle(name, outcome, request)
        return True, ledger.find([name])[name].as_dict()
    if before is None:
        before = Record(name, outcome, request, None, None, None, "")
    return True, replace(before, outcome=outcome, request=request or before.request).as_dict()


def _tell_which_was_meant(context: Context, ledger: Ledger, name: str) -> None:
    doubtful = [record.name for record in ledger.select(Filter(statuses=["in_doubt"]))]
    near = nearest(name, doubtful, 1)
    if near:
        context.warn(
            f"No order named {name} is recorded, so this adopts a contract that was bought elsewhere. The order "
            f"{near[0]} stays in doubt: if that was meant, forget {name} (state: absent) and settle {near[0]}."
        )


def _request(params: Mapping[str, Any], name: str, digest_key: bytes) -> Request | None:
    """What an adopted contract was ordered with, if the task says so."""
    if not any(params[option] for option in _ORDERED_WITH):
        return None
    kind = PRODUCT_TYPES.get(params["product_type"] or "")
    product = params["product"] or (kind.product_id if kind else None)
    if kind is None or not product or not params["end_user"]:
        raise ConfigurationError(
            "To say what a contract was ordered with, give end_user, product and product_type together, and settings "
            "if there were any. To record the contract alone, leave out all of them."
        )
    settings = params["settings"] or {}
    checked = check_documented(kind, settings, also_known=[str(setting) for setting in settings])
    # No ledger keeps a secret, so nobody is asked for one.
    not_asked = {f"settings.{secret}" for secret in kind.secrets if settings.get(secret) is None}
    broken = [violation for violation in checked.violations if violation.path not in not_asked]
    if broken:
        raise ViolationsError(broken, "The contract to adopt")
    return Request(
        name=name,
        service=checked_base_url(params["base_url"], allow_http=True) if params["base_url"] else "",
        organization_id=params["organization_id"] or "",
        end_user=params["end_user"],
        product=product,
        product_name=None,
        product_type=kind.name,
        settings=kept_settings(checked.settings, digest_key),
    )


ARGUMENTS: argspec.ArgumentSpec = {
    **argspec.common(),
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["ordered", "absent"], "required": True},
    "contract_id": {"type": "str"},
    "l2vpn_id": {"type": "str"},
    "end_user": {"type": "str"},
    "product": {"type": "str"},
    "product_type": {"type": "str", "choices": list(PRODUCT_TYPES)},
    "settings": {"type": "dict"},
}

TASK = Task(ARGUMENTS, run)


__all__ = ["TASK"]
