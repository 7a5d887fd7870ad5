# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_record: records what a person knows of one order or operation. It settles, adopts or removes.

What a record knows never changes: its outcome and IDs are set, and what it does not know is filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import description_of, descriptions_of, named_record, service_of
from .._catalogue.catalogue import Product, catalogue_of
from .._core.errors import Advice, ConfigurationError, ServiceError
from .._core.text import as_yaml, is_uuid, nearest, same_id
from .._ledger.identity import taken_name_error
from .._ledger.ledger_errors import refuse_pending
from .._ledger.order_records import Filter, Outcome, Record, Settlement
from .._ledger.store import Ledger
from .._orders.adopting import (
    STATED,
    adopted_outcome,
    adopted_request,
    check_removal,
    check_stated,
    gaps,
    recorded_request,
)
from .._orders.order import check_end_user, check_name
from .._orders.order_errors import changed_error, duplicate_text, settlement_error
from .._product_types.registry import PRODUCT_TYPES, SELF
from .._service.description import Description

_OF_ORDERS = ("contract_id", "l2vpn_id", "replaces", "take_over_settings", *STATED)


def run(context: Context) -> Result:
    """Settle one order or operation, adopt a contract, or remove a record."""
    params = context.params
    name, is_removal = params["name"], params["state"] == "absent"
    check_name(name)
    # What is to stay as it is is not opened for writing.
    ledger = ledger_of(context, "read" if is_removal else "settle")
    before = ledger.find([name]).get(name)
    _check_options(params, before)
    after = (_removed if is_removal else _settled)(context, ledger, before)
    services = {record.request.service for record in (before, after) if record and record.request}
    described = descriptions_of(context, services)
    old, new = (record and named_record(record, described) for record in (before, after))
    result: Result = {"changed": after is not before, "record": new, "before": old}
    if context.diff:
        result["diff"] = {"before": as_yaml(old), "after": as_yaml(new)}
    return result


def _check_options(params: Mapping[str, Any], before: Record | None) -> None:
    """Raise ConfigurationError for options that do not fit the state, and what is recorded under this name."""
    what, useless = "", [option for option in _OF_ORDERS if params[option]]
    if before and before.kind == "operation":
        what = "an operation"
    elif params["state"] == "absent":
        what, useless = "state: absent", [option for option in useless if option != "contract_id"]
    if what and useless:
        raise ConfigurationError(f"{useless[0]} has no meaning for {what}. Nothing was changed.\nLeave it out.")
    if not what:
        check_stated(params, before)


# Removing


def _removed(context: Context, ledger: Ledger, before: Record | None) -> Record | None:
    """``None``, once the record is removed, if there is one."""
    name = context.params["name"]
    if not ledger.exists:
        raise ConfigurationError(
            f"There is no ledger at {ledger.place}, so {name} cannot be removed.",
            Advice("Set ledger (or RESELLER_LEDGER) to the one that contains it."),
        )
    if before is None:
        near = ", ".join(nearest(name, [record.name for record in ledger.select(Filter())]))
        also = f" The nearest names are {near}." if near else ""
        context.warn(f"Nothing named {name} is recorded, so nothing was removed.{also}")
        return None
    refuse_pending(before)
    if before.kind == "order":
        check_removal(before, context.params, ledger.place)
    # In check mode this tells why it could not be written.
    ledger = ledger_of(context, "settle")
    if not context.check_mode and (current := ledger.remove(before)) is not None:
        raise changed_error(current)
    return None


# Settling and adopting


def _settled(context: Context, ledger: Ledger, before: Record | None) -> Record:
    """The record once it is settled or adopted; the same one if that changes nothing."""
    name = context.params["name"]
    if before is None:
        _check_new_name(context, ledger)
    if before is not None and before.kind == "operation":
        made = Settlement(name, Outcome("ordered", "Settled by a person as done."), None, before)
    else:
        made = _of_order(context, ledger, before)
    if before and before.status == "ordered" and made.request == before.request and _ids(made) == _ids(before):
        return before
    (other,) = ledger.settle([made], write=not context.check_mode)
    if other is not None:
        raise settlement_error(made, other)
    if context.check_mode:
        base = before or Record(name, made.outcome, None, None, None, None, "")
        # As the ledger records it: the order was sent when it was claimed.
        return base._replace(outcome=made.outcome, request=made.request, ordered_at=base.ordered_at or base.claimed_at)
    return ledger.find([name])[name]


def _ids(one: Settlement | Record) -> tuple[str | None, str | None]:
    return one.outcome.contract_id, one.outcome.l2vpn_id


def _check_new_name(context: Context, ledger: Ledger) -> None:
    """Raise ConfigurationError for a name that looks like a recorded one, and warn of one in doubt that is near."""
    name = context.params["name"]
    if error := taken_name_error("order", name, ledger.look_up([name])[1].get(name), "Nothing was recorded"):
        raise error
    in_doubt = [record.name for record in ledger.select(Filter(statuses=["in_doubt"]))]
    for meant in nearest(name, in_doubt, 1):
        context.warn(
            f"No order named {name} is recorded, so this records one from elsewhere. {meant} stays in doubt.\n"
            f"If you meant {meant}, remove the record of {name} with reseller_record: state: absent.\n"
            f"Then settle {meant}."
        )


def _of_order(context: Context, ledger: Ledger, before: Record | None) -> Settlement:
    params, name = context.params, context.params["name"]
    known = recorded_request(params, before)
    product = _product(context, is_new=before is None)
    request = adopted_request(known, _stated(context, product), ledger.digest_key)
    if product and request.product_name is None and same_id(request.product, product.id):
        request = replace(request, product_name=product.name)
    kind = PRODUCT_TYPES.get(request.product_type)
    # A domain exists once, so that a second record of it is about the same contract.
    second = params["allow_second"] and not (kind and kind.unique)
    outcome = adopted_outcome(params, before, ledger.place)
    made = Settlement(name, outcome, replace(request, may_be_second=second), before)
    if second and request.identity != known.identity:
        for other in ledger.duplicates([request]).values():
            context.warn(duplicate_text(request, other, "It is recorded as well, because allow_second is true."))
    for gap in gaps(request):
        context.warn(f"{name}: {gap}")
    return made


def _stated(context: Context, product: Product | None) -> dict[str, Any]:
    """The options, with the end user by UUID, and a product that is given by its name as the catalogue has it."""
    params = context.params
    stated = {**params, "end_user": _end_user(context)}
    if product and not is_uuid(params["product"]):
        kind = product.product_type
        stated |= {"product": product.id, "product_type": params["product_type"] or (kind.name if kind else None)}
    return stated


def _product(context: Context, *, is_new: bool) -> Product | None:
    """The product in the options as the catalogue has it: by its name, or of a new record by its UUID.

    Raises ServiceError for a name. Nothing but what people read depends on the name of a UUID.
    """
    given, params = context.params["product"], context.params
    if given and not is_uuid(given):
        return catalogue_of(service_of(context)).find(given)
    if given and is_new and all(params[option] for option in ("base_url", "api_key", "organization_id")):
        with suppress(ServiceError, ConfigurationError):
            return catalogue_of(service_of(context)).find(given)
    return None


def _end_user(context: Context) -> str | None:
    """The UUID of the end user, or what is given in place of one. Raises ConfigurationError for an unknown name."""
    given: str | None = context.params["end_user"]
    if not given or given == SELF or is_uuid(given):
        return given
    base_url = context.params["base_url"]
    described = description_of(context, base_url) if base_url else Description()
    check_end_user(described.id_of(given), "Nothing was recorded", described.end_users)
    return described.id_of(given)


TASK = Task(run)
