# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger: records what the user knows about an order. It sends no requests to the service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.openers import accept_ledger, ledger_of, retire_ledger
from .._checks.documented import check_documented
from .._core.addresses import same_service
from .._core.errors import ConfigurationError, DuplicateError, ResellerError, ViolationsError
from .._core.hostnames import is_hostname
from .._core.tables import as_yaml
from .._core.text import clean, is_uuid, nearest, same_id
from .._http.config import checked_base_url
from .._ledger.identity import is_of_contract
from .._ledger.operation_records import check_operation_name, operations_in, shown_operation
from .._ledger.order_records import Filter, Outcome, Record, Request, Settlement
from .._ledger.settling import offer_by_hand
from .._ledger.store import Ledger
from .._order.order import RequestedOrder, check_name, check_requested, identity_of
from .._product_types.product_type import ProductType
from .._product_types.registry import PRODUCT_TYPES
from .._secrets.kept import kept_settings

_ORDERED_WITH = ("end_user", "product", "product_type", "settings")


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
    if params["kind"] == "operation":
        return _operation(context, params["name"])
    return _order(context, params["name"])


def _order(context: Context, name: str) -> Result:
    """Settle, adopt or forget one order."""
    params = context.params
    if params["state"] == "done":
        raise ConfigurationError("state: done is for operations.\nSet kind: operation, or state: ordered for an order.")
    if not name.strip():
        raise ConfigurationError("name is empty.\nGive the name of the order, as reseller_ledger_info lists it.")
    ledger = ledger_of(context, writing=True, settling=True)
    before = ledger.find([name]).get(name)
    if before is not None:
        ledger.refuse_in_flight(before)
    if params["state"] == "absent":
        changed, after = before is not None, None
        if before is None:
            context.warn(f"No order named {name} is recorded, so nothing was removed.{_nearest(name, ledger.names())}")
        else:
            _check_removal(before, params["contract_id"], ledger)
            if not context.check_mode:
                ledger.remove(name)
    else:
        changed, after = _settle(context, ledger, name, before)
    result: Result = {"changed": changed, "order": after, "before": before.as_dict() if before else None}
    if context.diff:
        result["diff"] = {"before": as_yaml(result["before"]), "after": as_yaml(after)}
    return result


def _operation(context: Context, name: str) -> Result:
    """Settle or forget a named operation."""
    state = context.params["state"]
    given = [option for option in ("contract_id", "l2vpn_id", *_ORDERED_WITH) if context.params[option]]
    if state == "ordered" or given:
        raise ConfigurationError(
            f"{given[0] if given else 'state: ordered'} is for orders.\n"
            "For an operation, give its name and state: done or absent."
        )
    ledger = ledger_of(context, writing=True, settling=True)
    before = ledger.find([name], "operation").get(name)
    if before is None:
        near = _nearest(name, [record.name for record in operations_in(ledger)])
        what = "nothing was removed" if state == "absent" else "this records one that was done elsewhere"
        context.warn(f"No operation named {name} is recorded, so {what}.{near}")
        if state == "done":
            check_operation_name(name)
    else:
        ledger.refuse_in_flight(before)
    changed = before is not None if state == "absent" else before is None or before.status != "ordered"
    if changed and not context.check_mode:
        if state == "absent":
            ledger.remove(name, "operation")
        else:
            done = Outcome("ordered", "Settled by a person as done.")
            ledger.settle([Settlement(name, done, before=before, kind="operation")])
    shown = None if before is None else shown_operation(before)
    after: dict[str, Any] | None = None
    if state == "done":
        settled = None if context.check_mode else ledger.find([name], "operation").get(name)
        after = {"name": name, **(shown or {}), "status": "done"} if settled is None else shown_operation(settled)
    result: Result = {"changed": changed, "order": None, "operation": after, "before": shown}
    if context.diff:
        result["diff"] = {"before": as_yaml(shown), "after": as_yaml(after)}
    return result


def _nearest(name: str, names: Sequence[str]) -> str:
    near = nearest(name, names)
    return f" The nearest names are {', '.join(near)}." if near else ""


def _check_removal(before: Record, contract_id: str | None, ledger: Ledger) -> None:
    """Raise ConfigurationError for an ordered order, unless the ID of its contract is repeated."""
    known = before.outcome.contract_id or ""
    if before.status != "ordered" or (contract_id is not None and same_id(contract_id, known)):
        return
    contract = f"contract {known}" if known else "without a contract ID"
    options = {"name": before.name, "state": "absent", "contract_id": known}
    raise ConfigurationError(
        f"The order {before.name} is recorded as ordered, {contract}. The record was not removed.\n"
        "Without it, the next run orders the same again, and the service bills both.\n"
        f"Only if the contract is gone, repeat its ID:\n"
        + str(offer_by_hand("Remove the record of an order", options, ledger.place))
    )


def _settle(context: Context, ledger: Ledger, name: str, before: Record | None) -> tuple[bool, dict[str, Any]]:
    params = context.params
    if before is None:
        check_name(name)
    request = _request(params, name, ledger.digest_key, before.request if before else None)
    contract_id, l2vpn_id = params["contract_id"] or None, params["l2vpn_id"] or None
    known = before.outcome if before is not None and before.status == "ordered" else None
    if known is not None and before is not None:
        ids = (contract_id or known.contract_id, l2vpn_id or known.l2vpn_id)
        if ids == (known.contract_id, known.l2vpn_id) and request in (None, before.request):
            return False, before.as_dict()
    reason = "Adopted by a person." if before is None else "Settled by a person as placed."
    outcome = Outcome("ordered", reason=reason, contract_id=contract_id, l2vpn_id=l2vpn_id)
    if before is None:
        _refuse_capitals(ledger, name)
        _tell_which_was_meant(context, ledger, name)
        _tell_what_is_unprotected(context, name, request)
    kind = PRODUCT_TYPES.get(request.product_type) if request else None
    # A domain exists once, so that a second record of it is about the same contract.
    again = params["on_duplicate"] != "fail" and not (kind and kind.unique)
    settlement = Settlement(name, outcome, request, before, again)
    wanted_twice = [replace(settlement, again=False)] if again and params["on_duplicate"] == "warn" else []
    allowed = ledger.settle(wanted_twice, really=False)
    (twin,) = ledger.settle([settlement], really=not context.check_mode)
    if twin is not None:
        raise _in_the_way(settlement, twin)
    for each in filter(None, allowed):
        context.warn(_in_the_way(settlement, each).message.splitlines()[0])
    if context.check_mode:
        shown = before or Record(name, outcome, request, None, None, None, "")
        return True, replace(shown, outcome=outcome, request=request or shown.request).as_dict()
    return True, ledger.find([name])[name].as_dict()


def _refuse_capitals(ledger: Ledger, name: str) -> None:
    twin = ledger.differing_in_case([name]).get(name)
    if twin is not None:
        raise ConfigurationError(
            f"The order {name} is not in the ledger, but {twin} is. Nothing was recorded.\n"
            "The name differs in capital letters only, so no order could have it. Write it as the ledger has it, or "
            "give the contract a name of its own."
        )


def _in_the_way(settlement: Settlement, twin: Record) -> ResellerError:
    """The error of a settlement that another record prevents."""
    name, request, contract_id = settlement.name, settlement.request, settlement.outcome.contract_id
    status = twin.status.replace("_", " ")
    if twin.name == name:
        return ConfigurationError(
            f"The order {name} was changed meanwhile: it is {status}. Nothing was recorded.\n"
            "Look at it with reseller_ledger_info, and run the task again if it is still right."
        )
    if is_of_contract(twin, contract_id, request):
        return DuplicateError(
            f"Contract {contract_id} is recorded as {twin.name}. Nothing was recorded.\n"
            "A contract settles one order.\n"
            f"Give the ID of the contract of {name}. If {twin.name} has the wrong one, remove that record first."
        )
    kind = PRODUCT_TYPES.get(request.product_type) if request else None
    setting = (kind.identity if kind else None) or "name"
    advice = f"Use the name {twin.name}."
    if kind is None or not kind.unique:
        advice += " Set on_duplicate to warn or ignore only if there are two such contracts."
    about = f": {request.settings[setting]}" if request and setting in request.settings else ""
    return DuplicateError(
        f"{name} is for the same {setting} as {twin.name}{about}.\n{twin.name} is in the ledger, {status}.\n{advice}"
    )


def _move_service(context: Context) -> Result:
    old, new = (checked_base_url(context.params[option], allow_http=True) for option in ("from", "to"))
    if same_service(old, new):
        raise ConfigurationError(f"from and to are the same address, {new}.\nGive the old one and the new one.")
    ledger = ledger_of(context, writing=True, settling=True)
    services = ledger.services()
    found = {service: count for service, count in services.items() if same_service(service, old)}
    if not found and not any(same_service(service, new) for service in services):
        recorded = ", ".join(f"{service} ({count})" for service, count in services.items()) or "none"
        raise ConfigurationError(
            f"No order is recorded for the service {old}. Nothing was changed.\n"
            f"Recorded services: {recorded}.\nSet from to the one that has a new address."
        )
    if not context.check_mode:
        for service in found:
            ledger.move_service(service, new)
    result: Result = {"changed": bool(found), "order": None, "before": None, "moved": sum(found.values())}
    if context.diff:
        after = {**services, new: services.get(new, 0) + result["moved"]} if found else services
        result["diff"] = {
            "before": as_yaml({"orders": dict(services)}),
            "after": as_yaml({"orders": {service: count for service, count in after.items() if service not in found}}),
        }
    return result


def _tell_which_was_meant(context: Context, ledger: Ledger, name: str) -> None:
    doubtful = [record.name for record in ledger.select(Filter(statuses=["in_doubt"]))]
    near = nearest(name, doubtful, 1)
    if near:
        context.warn(
            f"No order named {name} is recorded, so this adopts a contract bought elsewhere.\n"
            f"The order {near[0]} stays in doubt. If you meant that one, remove {name} (state: absent) and settle "
            f"{near[0]}."
        )


def _tell_what_is_unprotected(context: Context, name: str, request: Request | None) -> None:
    kind = PRODUCT_TYPES.get(request.product_type) if request else None
    if (request is None or request.identity is None) and (kind is None or kind.identity):
        context.warn(
            f"The hostname or domain of {name} is not known.\n"
            "So nothing protects against buying it again under another name. Give settings with its hostname or domain."
        )


def _request(params: Mapping[str, Any], name: str, digest_key: bytes, known: Request | None) -> Request | None:
    """What the contract was ordered with, as far as the task or the record says so."""
    if not any(params[option] for option in _ORDERED_WITH):
        return None
    kind = PRODUCT_TYPES.get(params["product_type"] or (known.product_type if known else ""))
    product = params["product"] or (known.product if known else "") or (kind.product_id if kind else None) or ""
    end_user = params["end_user"] or (known.end_user if known else "")
    if end_user:
        check_requested(
            RequestedOrder(end_user, product=product or "unknown", product_type=kind.name if kind else None)
        )
    if product and not is_uuid(product):
        raise ConfigurationError(
            f"product {clean(product, 40)!r} is not a UUID. Nothing was recorded.\n"
            "Give the UUID of the product of the adopted contract. reseller_products_info lists it."
        )
    given = params["settings"] or {}
    whole = params["product_type"] and params["end_user"] and (params["product"] or (kind and kind.product_id))
    partial = params["partial"] or not whole
    settings = _checked(kind, given, partial=partial) if kind else _names_in(given)
    kept = kept_settings(settings, digest_key)
    # What is said of a recorded order in part adds to what is known of it.
    merged = known is not None and partial
    return Request(
        name=name,
        service=checked_base_url(params["base_url"], allow_http=True) if params["base_url"] else "",
        organization_id=params["organization_id"] or "",
        end_user=end_user,
        product=product,
        product_name=None,
        product_type=kind.name if kind else "",
        settings={**known.settings, **kept} if known and merged else kept,
        identity=identity_of(kind, settings, end_user) or (known.identity if known and merged else None),
        partial=known.partial if known and merged else partial,
    )


def _names_in(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The hostname and the domain of a contract of an unknown type. Raises ConfigurationError for anything else."""
    for setting, value in settings.items():
        if setting not in ("hostname", "domain") or not (isinstance(value, str) and is_hostname(value)):
            raise ConfigurationError(
                f"settings.{clean(str(setting), 40)} cannot be checked without product_type. Nothing was recorded.\n"
                "Give product_type, or only the hostname or the domain of the contract."
            )
    return dict(settings)


def _checked(kind: ProductType, settings: Mapping[str, Any], *, partial: bool) -> dict[str, Any]:
    """The settings as the documented rules have them. Raises ViolationsError."""
    checked = check_documented(kind, settings, also_known=[str(setting) for setting in settings])
    # No ledger keeps a secret, so nobody is asked for one. What is not known breaks no rule.
    given = {str(setting) for setting, value in settings.items() if value is not None}

    def counts(path: str) -> bool:
        setting = (*path.split("."), "")[1]
        return setting in given or not (partial or setting in kind.secrets)

    broken = [violation for violation in checked.violations if counts(violation.path)]
    if broken:
        raise ViolationsError(broken, "The contract to adopt", "Nothing was recorded.")
    return dict(checked.settings)


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
