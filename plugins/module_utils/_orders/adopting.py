# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fills in what a record does not know of its contract, and how a person settles an order. Pure.

What a record knows never changes: its outcome and IDs are set, and what it does not know is filled in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from .._checks.setting_rules import check_specification_rules
from .._core.errors import ConfigurationError, ViolationsError
from .._core.text import clean, is_nothing, same_id
from .._http.config import checked_base_url
from .._ledger.identity import identity, same_contract_id
from .._ledger.ledger_errors import UNKNOWN_ID, name_beside, offer_by_hand
from .._ledger.order_records import RELEASED, Outcome, Record, Request, StoredRequest
from .._product_types.product_type import ProductType
from .._product_types.registry import IDENTITIES, PRODUCT_TYPES, SELF
from .._secrets.masker import Kept, kept_settings
from .._service.contract_ids import id_in_url, identifier
from .drift import drift_of, missing_options
from .order import RequestedOrder, check_end_user, identity_of

#: The options of reseller_record that say what a contract is.
STATED = ("end_user", "product", "product_type", "settings")
#: What spreadsheets make of a number: rounded, or with a fraction.
_CALCULATED = re.compile(r"\d+(?:[.,]\d+)?E\+\d+|\d+[.,]0+", re.IGNORECASE)


def unknown_request(name: str) -> StoredRequest:
    """Return the request of a contract of which only the name is known."""
    return StoredRequest(name, "", "", "", "", None, "", identity=identity(None, name), partial=True)


def gaps(request: Request) -> Iterator[str]:
    """Return what follows from what is not known of a recorded contract, in sentences."""
    if missing := missing_options(request):
        yield f"Orders of this name are refused until reseller_record has recorded its {', '.join(missing)}."
    kind = PRODUCT_TYPES.get(request.product_type)
    if request.settings.keys().isdisjoint(IDENTITIES) and (kind is None or kind.identity):
        yield (
            "Until reseller_record has recorded its hostname or domain, as settings, nothing protects the contract "
            "against a second order under another name."
        )


def recorded_request(params: Mapping[str, Any], before: Record | None) -> StoredRequest:
    """What the ledger knows of the contract. What the service did not accept need not be what was bought elsewhere."""
    is_other = before and before.status in RELEASED and any(params[option] for option in STATED)
    known = None if is_other or before is None else before.request
    return known or unknown_request(params["name"])


def adopted_request(known: StoredRequest, options: Mapping[str, Any], digest_key: bytes) -> StoredRequest:
    """Return what is known of a contract, with what the options of reseller_record say of it where it was unknown.

    They are checked as those of orders are, and may be a part of what was ordered. With ``take_over_settings``, the
    settings replace known ones, but hostname and domain. One that is ``None`` is not known then.

    Raises ConfigurationError for options that differ from what is known, and ViolationsError.
    """
    given, takes_over = options["settings"] or {}, options["take_over_settings"]
    stated: dict[str, Any] = {name: options[name] or "" for name in ("end_user", "product", "product_type")}
    kind = _checked_kind(known, stated)
    settings = _checked_settings(kind, given, digest_key) if given else Kept({})
    compared = Kept({name: settings.get(name) for name in IDENTITIES if name in given}) if takes_over else settings
    _refuse_changes(known, replace(unknown_request(known.name), **stated, settings=compared))
    # The service and the organization only fill in: both may come from wherever the task runs.
    stated |= {"service": options["base_url"], "organization_id": options["organization_id"]}
    stated["product"] = stated["product"] or (kind and kind.product_id)
    filled = _filled(known, stated)
    if takes_over or known.partial:
        filled["settings"] = _settings_after(known, given if takes_over else {}, settings)
    return _identified(known, replace(known, **filled), kind)


def _filled(known: Request, stated: Mapping[str, Any]) -> dict[str, Any]:
    """What is known, and where that is nothing, what is stated."""
    filled: dict[str, Any] = {field: getattr(known, field) or value or "" for field, value in stated.items()}
    return {**filled, "service": filled["service"] and checked_base_url(filled["service"], allow_http=True)}


def _settings_after(known: StoredRequest, taken_over: Mapping[str, Any], settings: Kept) -> Kept:
    """The settings that are known by now. Of those taken over, ``None`` is not known any more."""
    unset = [name for name, value in taken_over.items() if value is None]
    return Kept({**{name: value for name, value in known.settings.items() if name not in unset}, **settings})


def _checked_kind(known: Request, stated: Mapping[str, Any]) -> ProductType | None:
    """The product type. Raises ConfigurationError for another one than that of the product, and for the end user."""
    kind = PRODUCT_TYPES.get(known.product_type or stated["product_type"])
    check_end_user(stated["end_user"] or SELF)
    RequestedOrder(SELF, None, stated["product"] or known.product, kind.name if kind else None).kind()
    return kind


def _refuse_changes(known: Request, said: Request) -> None:
    """Raise ConfigurationError if the options say something else than what is known."""
    differences = [f"  - {difference}" for difference in drift_of(known, said)]
    if differences:
        raise ConfigurationError(
            f"The record of {known.name} says otherwise. Nothing was recorded.\n" + "\n".join(differences) + "\n"
            "What the ledger knows of an order never changes: leave these options out. Another contract needs another "
            "name."
        )


def _identified(known: StoredRequest, made: StoredRequest, kind: ProductType | None) -> StoredRequest:
    """Return what is known by now with what it is for, where that may be known better."""
    if (made.end_user, made.product_type, made.settings) == (known.end_user, known.product_type, known.settings):
        return made
    # By default, an order is named after its hostname or domain: until that is known, the name stands for it.
    named = {kind.identity: known.name} if kind and kind.identity else {}
    its_identity = identity_of(kind, {**named, **made.settings}, made.end_user)
    return replace(made, identity=its_identity or identity(None, known.name))


def _checked_settings(kind: ProductType | None, given: Mapping[str, Any], digest_key: bytes) -> Kept:
    """The settings as the ledger has them. Raises ConfigurationError and ViolationsError."""
    if kind is None:
        raise ConfigurationError("settings cannot be checked without product_type. Nothing was recorded.\nGive both.")
    checked = check_specification_rules(kind, given)
    if broken := checked.violations_of(given):
        raise ViolationsError(broken, "The contract to adopt", "Nothing was recorded.")
    return kept_settings(checked.settings, digest_key)


# What a person says of an order


def check_stated(params: Mapping[str, Any], before: Record | None) -> None:
    """Raise ConfigurationError for options that do not fit the status of an order."""
    status = before.status_in_words if before else "not recorded"
    is_open = before is not None and before.status in ("pending", "in_doubt")
    if is_open and not params["contract_id"]:
        raise ConfigurationError(
            f"The order {params['name']} is {status}, and contract_id is missing. Nothing was recorded.\n"
            "Give the ID of the contract that the customer portal shows, or contract_id: unknown if it shows the "
            "contract and not its ID."
        )
    if is_open and params["settings"]:
        raise ConfigurationError(
            f"The order {params['name']} is {status}: its settings are recorded as they were sent. Nothing was "
            "recorded.\nLeave settings out."
        )
    if params["take_over_settings"] and not (params["settings"] and before and before.status == "ordered"):
        raise ConfigurationError(
            "take_over_settings needs settings and an order that is ordered. Nothing was recorded.\n"
            f"{params['name']} is {status}. Leave take_over_settings out, or give settings."
        )


def given_id(params: Mapping[str, Any], option: str) -> str | None:
    """An ID as the service shows it, however it was copied. Raises ConfigurationError."""
    value = (params[option] or "").strip()
    if option == "contract_id" and value.casefold() == UNKNOWN_ID:
        return None
    is_address = value.startswith("/") or "://" in value
    contract_id = id_in_url(value) if is_address else identifier(value)
    if value and contract_id is None:
        raise ConfigurationError(
            f"{option} {clean(value, 60)!r} is not an ID. Nothing was changed.\nCopy it from the customer portal."
        )
    return contract_id


def _new_id(params: Mapping[str, Any], option: str) -> str | None:
    """An ID that the ledger is to have. Raises ConfigurationError also for what tables hold where there is none."""
    given = params[option] or ""
    if _CALCULATED.fullmatch(given.strip()):
        what = "is a number that a spreadsheet wrote, and not an ID"
        advice = "Format the column as text, and copy the ID from the customer portal again."
    elif given and is_nothing(given):
        what = "stands for no ID"
        advice = (
            "Leave it out. In a table, leave the cell empty if the contract is to be ordered.\n"
            f"If the customer portal shows the contract and not its ID, write {UNKNOWN_ID}."
        )
    else:
        return given_id(params, option)
    raise ConfigurationError(f"{option} {clean(given, 60)!r} {what}. Nothing was recorded.\n{advice}")


def adopted_outcome(params: Mapping[str, Any], before: Record | None, place: str) -> Outcome:
    """The outcome with the IDs that the task gives. None of them replaces another one that is recorded, unless
    ``replaces`` names the recorded contract ID as the wrong one. Without a right one, none is known then.

    Raises ConfigurationError.
    """
    known = before.outcome if before else Outcome("ordered")
    contract_id, l2vpn_id = (_new_id(params, option) for option in ("contract_id", "l2vpn_id"))
    wrong, recorded = given_id(params, "replaces"), known.contract_id
    is_there, is_wrong = (same_contract_id(given or "", recorded or "") for given in (contract_id, wrong))
    corrects = wrong is not None and is_wrong
    if wrong is not None and (before is None or not (corrects or is_there)):
        raise ConfigurationError(
            f"replaces is not the recorded contract ID of {params['name']}. Nothing was recorded.\n"
            f"Recorded: {recorded or 'none'}. Give it as replaces, and the right one as contract_id, if you know it."
        )
    if corrects and not is_there:
        return Outcome("ordered", f"Corrected by a person. It was contract {recorded}.", contract_id, None, l2vpn_id)
    if not corrects:
        _refuse_other_ids(params["name"], known, contract_id, l2vpn_id, place)
    return _with_ids(before, contract_id, l2vpn_id)


def _with_ids(before: Record | None, contract_id: str | None, l2vpn_id: str | None) -> Outcome:
    """The outcome of an order that a person records, with these IDs where none are recorded."""
    if before is None:
        return Outcome("ordered", "Adopted by a person.", contract_id, l2vpn_id=l2vpn_id)
    known = before.outcome
    reason = known.reason if before.status == "ordered" else "Settled by a person as placed."
    ids = known.contract_id or contract_id, known.contract, l2vpn_id or known.l2vpn_id
    return Outcome("ordered", reason, *ids, address=known.address)


def _refuse_other_ids(name: str, known: Outcome, contract_id: str | None, l2vpn_id: str | None, place: str) -> None:
    """Raise ConfigurationError for IDs that are not the recorded ones."""
    recorded = known.contract_id
    if recorded and contract_id and not same_contract_id(contract_id, recorded):
        options = {"name": name_beside(name), "state": "present", "contract_id": contract_id}
        second = offer_by_hand("Record a second contract", options, place)
        raise ConfigurationError(
            f"The order {name} is recorded as contract {recorded}, not {contract_id}. Nothing was recorded.\n"
            f"If the customer portal shows both, record the second under a name of its own, with this {second.form}:\n"
            f"{second}\nOnly if it does not show {recorded}, repeat your task with replaces: {recorded}."
        )
    if known.l2vpn_id and l2vpn_id and not same_id(l2vpn_id, known.l2vpn_id):
        raise ConfigurationError(
            f"The order {name} is recorded with L2VPN {known.l2vpn_id}, not {l2vpn_id}. Nothing was recorded.\n"
            "If the recorded one is wrong, repeat your task with the ID of its contract as contract_id and as replaces."
        )


def check_removal(before: Record, params: Mapping[str, Any], place: str) -> None:
    """Raise ConfigurationError for an ordered order, unless the ID of its contract is repeated."""
    known = before.outcome.contract_id or ""
    repeats = params["contract_id"] is not None and same_contract_id(given_id(params, "contract_id") or "", known)
    if before.status != "ordered" or repeats:
        return
    contract = f"contract {known}" if known else "without a contract ID"
    options = {"name": before.name, "state": "absent", "contract_id": known}
    raise ConfigurationError(
        f"The order {before.name} is recorded as ordered, {contract}. The record was not removed.\n"
        "Without it, the next run orders the same again, and the service bills both.\n"
        "Only if the contract is gone, repeat its ID:\n"
        + str(offer_by_hand("Remove the record of an order", options, place))
    )
