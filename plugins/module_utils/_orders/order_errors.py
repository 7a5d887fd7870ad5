# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The errors of orders and operations that may be there already: in doubt, sent but not recorded, or the same thing
under another name. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from .._core.addresses import is_loopback
from .._core.errors import Advice, ConfigurationError, LedgerError, ResellerError, ServiceError
from .._core.pasting import PLACEHOLDER, CommentedValue, Offer
from .._core.text import clean
from .._ledger.identity import NAMELESS, ConflictError, is_of_contract
from .._ledger.ledger_errors import name_beside, offer_by_hand, offer_settling
from .._ledger.order_records import Cancellation, Kind, Outcome, Record, Request, Settlement
from .._product_types.registry import IDENTITIES, PRODUCT_TYPES
from .drift import ABSENT, NEEDED, NOT_SHOWN, DriftedValue, missing_options, of_settings
from .order import CONTRACTS, Order

_WITHOUT_ID = "a contract without a known ID"
#: Of each kind: what it is called, and what a person finds.
_WORDS: Mapping[Kind, tuple[str, str, str]] = {
    "order": ("Order", "the contract exists", "it does not and never will"),
    "operation": ("The operation", "it was done", "it was not and never will be"),
}


def in_doubt_error(record: Record) -> ResellerError:
    """The error of an order or operation in doubt, with what settles it."""
    kind, request = record.kind, record.request
    subject, exists, never = _WORDS[kind]
    by_hand = offer_settling(record.name, record.ledger, kind=kind)
    target = ""
    if request is not None:
        target = f": POST {request.service}{CONTRACTS}, {request.product_type} for {request.end_user}"
    elif (named := record.operation) is not None:
        target = f": {named.operation} at {named.service}, organization {named.organization_id}"
    reason = record.outcome.reason or f"The run that claimed it did not record how the {kind} ended."
    return ResellerError(
        f"{subject} {record.name} is in doubt: the service may have accepted it. "
        f"It is not sent again.\nClaimed at {record.claimed_at}{target}.\nReason: {reason}",
        Advice(
            f"Check the customer portal. If {exists}, run this {by_hand.form}. If {never}, run it with "
            f"absent instead of present.\n{by_hand}",
        ),
        kind="in_doubt",
        settle_with=by_hand.task,
        **record.results(),
    )


def unrecorded_error(name: str, kind: Kind, ended: Outcome, cause: LedgerError, ledger: str) -> LedgerError:
    """The error of an order or operation whose outcome the ledger lacks, with what records it there.

    After a ConflictError that is another name, so that neither of two contracts is lost, and none replaces the other.
    """
    conflict = cause if isinstance(cause, ConflictError) else None
    what, state = {
        "ordered": ("The service accepted", "present"),
        "in_doubt": ("It is unknown whether the service accepted", None),
    }.get(ended.status, ("The service did not accept", "absent"))
    said = f"\nReason: {ended.reason}" if ended.reason else ""
    if kind == "order" and ended.status == "ordered":
        said = f"\nContract ID: {ended.contract_id or 'not returned'}."
    kept_as, why, then = name, "but this could not be recorded", [f"The {kind} is in doubt until it is settled."]
    when = "When the ledger can be written again, and before anything is ordered, run this"
    if conflict:
        kept_as, state = name_beside(name), "present"
        why, then = "but the ledger says otherwise", []
        when = "If the customer portal shows two contracts, record this one under another name, with this"
    by_hand = offer_settling(kept_as, ledger, state=state, contract_id=ended.contract_id, kind=kind)
    advice = f"{when} {by_hand.form}:\n{by_hand}"
    if conflict and conflict.recorded and ended.contract_id:
        advice += (
            f"\nOnly if it does not show {conflict.recorded}, record {ended.contract_id} in its place, with "
            f"contract_id: {ended.contract_id} and replaces: {conflict.recorded}."
        )
    results: dict[str, Any] = {"contract_id": ended.contract_id} if kind == "order" else {}
    return LedgerError(
        f"{what} the {kind} {name}, {why}.{said}",
        *cause.parts,
        *then,
        Advice(advice),
        kind="not_recorded",
        settle_with=by_hand.task,
        changed=ended.status == "ordered",
        **results,
    )


def duplicate_error(wanted: Request, other: Record | Request, consequence: str) -> ResellerError:
    """The error of an order, or a contract to adopt, for the same thing as another one."""
    kind = PRODUCT_TYPES.get(wanted.product_type)
    if kind and kind.unique:
        text = (
            f"A {kind.title} is never bought twice while its order stands, whatever allow_second says. Use the name "
            f"{other.name}. If {other.name} was never placed, remove its record with reseller_record: state: absent."
        )
    else:
        text = f"Use the name {other.name} for that contract. Set allow_second to true only for a second one."
    parts: list[str] = [Advice(text)]
    if isinstance(other, Record):
        request = other.request
        if missing_options(request):
            parts.append(filling_advice(f"If {other.name} is something else", other))
        elif request and wanted.service and request.service != wanted.service:
            parts += other_service(request.service, wanted.service, other.ledger)
    return ResellerError(duplicate_text(wanted, other, consequence), *parts, kind="duplicate")


def listed_error(order: Order, ids: Sequence[str], ledger: str) -> ResellerError:
    """The error of an order like which the service lists contracts, with these ids, that the ledger lacks.

    An id is empty where it is not known.
    """
    kind, known_ids = order.kind, [contract_id for contract_id in ids if contract_id]
    by_hand = adopting_offer(order, ids[0], ledger)
    another = f"To buy another one, or if that contract has ended, set allow_second to {json.dumps(known_ids)}."
    if kind.unique:
        another = "A domain is never bought twice: only if that contract has ended, set read_back to false."
    elif not known_ids:
        another = "To buy another one, give contracts.id, or set read_back to false."
    over = "If its state means that it is over, give that state in contracts.ended."
    return ResellerError(
        f"Order {order.name} was not sent: the service has a contract like it that the ledger lacks.\n"
        f"The service shows {', '.join(f'contract {clean(id_, 100)}' if id_ else _WITHOUT_ID for id_ in ids)}.",
        Advice(f"If it is this order's, adopt it with this {by_hand.form}. {another} {over}\n{by_hand}"),
        kind="duplicate",
    )


def adopting_offer(request: Request, contract_id: str, ledger: str) -> Offer:
    """The line that adopts a contract as that of an order. An empty ID is for the person to find out."""
    settings = {name: request.settings[name] for name in IDENTITIES if name in request.settings}
    fields = ("end_user", "product", "product_type", "organization_id")
    options = {
        "name": request.name,
        "state": "present",
        "contract_id": contract_id or PLACEHOLDER,
        **{field: getattr(request, field) for field in fields if getattr(request, field)},
        "settings": settings,
        "base_url": request.service,
    }
    return offer_by_hand("Adopt the contract", options, ledger)


def standing_error(order: Order, record: Record, canceled: Cancellation, why: str) -> ResellerError:
    """The error of an order whose name has a canceled contract that is not known to be over."""
    options = {"name": record.name, "state": "absent", "contract_id": record.outcome.contract_id}
    by_hand = offer_by_hand("Remove the record of a canceled contract", options, record.ledger)
    until = f" to {clean(canceled.until, 40)}" if canceled.until else ""
    another = "" if order.kind.unique else " To buy another one now, set allow_second to true."
    return ResellerError(
        f"Order {order.name} was not sent: its contract {record.outcome.contract_id} is canceled, and may not be over.",
        f"It was canceled at {canceled.at}{until}. {why.rstrip('.')}.",
        Advice(f"Run again when it is over.{another} If it is gone for certain, run this {by_hand.form}:\n{by_hand}"),
        kind="duplicate",
    )


def unread_error(order: Order, why: str) -> ConfigurationError:
    """The error of an order that requires a list of contracts, which cannot be read or is not complete."""
    return ConfigurationError(
        f"Order {order.name} was not sent: it is not known whether the service has it already.",
        why,
        Advice("Correct that, or leave out read_back to order nevertheless."),
    )


def duplicate_text(one: Request, other: Record | Request, consequence: str) -> str:
    """Return that two orders are for the same thing, what follows of that, and where the other one is."""
    setting, _end_user, subject = one.identity or (None, None, one.name)
    what = f"{one.product_name or one.product} for {one.end_user}"
    where = f"{other.name} is requested in the same task."
    if isinstance(other, Record):
        contract = f", contract {other.outcome.contract_id}" if other.outcome.contract_id else ""
        where = f"{other.name} is in the ledger: it is {other.status_in_words}{contract}."
    if setting == NAMELESS:
        return f"Order {one.name} may be what was adopted as {other.name}: {what}. {consequence}\n{where}"
    return f"Order {one.name} is for the same {setting or 'name'} as {other.name}: {subject}. {consequence}\n{where}"


def changed_error(current: Record) -> ConfigurationError:
    """The error of a settlement or a removal whose record somebody has changed since it was read."""
    return ConfigurationError(
        f"The {current.kind} {current.name} was changed meanwhile: it is {current.status_in_words}. "
        "Nothing was recorded or removed.",
        Advice("Look at it with reseller_ledger_info, and run the task again if it is still right."),
    )


def settlement_error(settlement: Settlement, other: Record) -> ResellerError:
    """The error of a settlement that another record prevents."""
    name, request, contract_id = settlement.name, settlement.request, settlement.outcome.contract_id
    if request is None or other.name == name:
        return changed_error(other)
    if is_of_contract(other, contract_id, request):
        options = {"name": other.name, "state": "present", "replaces": contract_id}
        first = offer_by_hand("Take the wrong contract ID away", options, other.ledger)
        return ResellerError(
            f"Contract {contract_id} is recorded as {other.name}. Nothing was recorded.\n"
            f"A contract settles one order. Give the ID of the contract of {name}.",
            Advice(f"If {other.name} has the wrong one, take it away there with this {first.form}:\n{first}"),
            kind="duplicate",
        )
    return duplicate_error(request, other, "Nothing was recorded.")


# Recorded, and otherwise


def _filling_task(record: Record) -> Offer:
    """Return what fills in the record once a person has filled in its placeholders."""
    missing = {option: CommentedValue(PLACEHOLDER, NEEDED[option]) for option in missing_options(record.request)}
    options = {"name": record.name, "state": "present", **missing}
    # Placeholders are filled in more easily in a task.
    return offer_by_hand("Record what was ordered", options, record.ledger)._replace(line=None)


def filling_advice(case: str, record: Record) -> Advice:
    """Return what fills in the record."""
    task = _filling_task(record)
    return Advice(f"{case}, look it up in the customer portal, fill it in, and run this task once:\n{task}")


def incomplete_error(record: Record) -> ConfigurationError:
    """The error of an order whose name stands for a contract of which the ledger knows too little."""
    contract = f"contract {record.outcome.contract_id}" if record.outcome.contract_id else "a contract without an ID"
    return ConfigurationError(
        f"Order {record.name} was not sent: its record does not say what it is for.\n"
        f"It is recorded as {contract}. Not known of it: {', '.join(missing_options(record.request))}.",
        filling_advice("If it is this order's", record),
        settle_with=_filling_task(record).task,
        **record.results(),
    )


def drift_message(name: str, differences: Sequence[DriftedValue], kind: Kind = "order") -> list[str]:
    """Return how the record of an order or operation differs from the task, and what to do."""
    subject = "Order" if kind == "order" else "The operation"
    message = f"{subject} {name} differs from its record in the ledger. It is not sent again.\n{_listed(differences)}"
    if kind == "operation":
        return [message, "Restore the recorded values. To send another operation, give it another name."]
    if of_settings(differences):
        why = "The API specification has no way to change or cancel a contract."
        text = "Restore the recorded values, or set on_drift to warn."
    else:
        why = "This is another contract than the recorded one."
        text = "on_drift does not cover that. Restore the recorded values."
    text += " To order another one, change its name and its hostname or domain."
    return [message, why, Advice(text)]


def _listed(differences: Sequence[DriftedValue]) -> str:
    return "\n".join(f"  - {difference}" for difference in differences)


def other_service(recorded: str, requested: str, ledger: str) -> list[str]:
    """Return that ``ledger`` (its location) has an order of another service than the requested one, and what to do."""
    said = f"It is recorded for {recorded}, and this is {requested}. A service for tests needs a ledger of its own."
    if len({is_loopback(urlsplit(address).hostname or "") for address in (recorded, requested)}) > 1:
        # That line would make orders of a trial those of the real service.
        text = "If it is the same service all the same, record its new address: reseller_ledger, state: readdressed."
    else:
        options = {"state": "readdressed", "from": recorded, "to": requested}
        by_hand = offer_by_hand("Record the new address of the service", options, ledger, module="reseller_ledger")
        text = f"If it is the same service with a new address, run this {by_hand.form}:\n{by_hand}"
    return [said, Advice(text)]


def _taking_over(record: Record, differences: Sequence[DriftedValue]) -> list[Advice]:
    """The line that takes the requested settings over into the record, where it can have them all."""
    settings = {}
    for path, recorded, requested in differences:
        prefix, _dot, name = path.partition(".")
        if prefix != "settings" or name in IDENTITIES or NOT_SHOWN in (recorded, requested):
            return []
        settings[name] = None if requested == ABSENT else requested
    options = {"name": record.name, "state": "present", "take_over_settings": True, "settings": settings}
    by_hand = offer_by_hand("Take the requested settings over into the record", options, record.ledger)
    return [Advice(f"If the contract has the requested settings by now, run this {by_hand.form}:\n{by_hand}")]


def drift_error(record: Record, differences: Sequence[DriftedValue]) -> ResellerError:
    """The error of an operation, or of an order that on_drift does not let pass."""
    message = drift_message(record.name, differences, record.kind)
    return _difference_error(record, differences, message, _taking_over(record, differences))


def other_order_error(record: Record, differences: Sequence[DriftedValue]) -> ResellerError:
    """The error of a task that is to cancel the contract of an order, and names another one."""
    said = f"The order {record.name} differs from its record in the ledger. Its contract was not canceled."
    advice = Advice("If you mean this order, give these values as they are recorded. Otherwise, correct the name.")
    return _difference_error(record, differences, [f"{said}\n{_listed(differences)}", advice])


def _difference_error(
    record: Record, differences: Sequence[DriftedValue], message: Sequence[str], offers: Sequence[str] = ()
) -> ResellerError:
    moved = next((difference for difference in differences if difference.path == "base_url"), None)
    return ResellerError(
        *message,
        *(other_service(moved.recorded, moved.requested, record.ledger) if moved else ()),
        *offers,
        kind="differs",
        **record.results(),
        **({"differences": [difference._asdict() for difference in differences]} if record.kind == "order" else {}),
    )


# After it was claimed


def left_error(name: str, record: Record | None) -> ServiceError:
    """The error of an order that another run was placing, and did not place."""
    cause = f" ({record.outcome.reason})" if record and record.outcome.reason else ""
    return ServiceError(
        f"Another run was placing the order {name}, but did not place it{cause}.",
        Advice("Run again to order it."),
        kind="rejected" if record and record.status == "rejected" else "unreachable",
    )
