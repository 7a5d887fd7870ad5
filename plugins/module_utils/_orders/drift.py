# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares a record of the ledger with a task, and fills in what it does not know of its contract. Pure.

What a record knows never changes: an unknown text is empty, and a ``partial`` record may lack settings.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from .._checks.setting_rules import check_specification_rules
from .._core.addresses import is_loopback
from .._core.errors import Advice, ConfigurationError, ResellerError, ViolationsError
from .._core.pasting import PLACEHOLDER, Noted, Offer
from .._core.text import folded_text, same_id
from .._http.config import checked_base_url
from .._ledger.identity import identity
from .._ledger.ledger_errors import offer_by_hand
from .._ledger.order_records import Kind, NamedOperation, Record, Request
from .._product_types.product_type import ProductType
from .._product_types.registry import CONTACT_SETTINGS, IDENTITIES, PRODUCT_TYPES, SELF, TEMPLATE_SETTINGS
from .._secrets.masker import WITHHELD, kept_settings
from .._secrets.recognition import is_secret_name
from .order import RequestedOrder, check_end_user, identity_of

#: Stands for values that are kept as a digest only, and for those that may be secret.
NOT_SHOWN = "(not shown)"
ABSENT = "(not given)"
#: What must be known before a record answers an order: the options, each with its field and what to give.
_NEEDED = {
    "end_user": ("end_user", f"UUID of the end user, or {SELF}"),
    "product_type": ("product_type", " or ".join(PRODUCT_TYPES)),
    "base_url": ("service", "address of the service"),
}


class DriftedValue(NamedTuple):
    """One difference: its dotted path, the recorded value and the requested value."""

    path: str
    recorded: Any
    requested: Any

    @property
    def of_settings(self) -> bool:
        """True if the difference is in the settings, not in the product, the service or the end user."""
        return self.path.startswith(("settings.", "additional_elements."))

    def __str__(self) -> str:
        if self.recorded == self.requested == NOT_SHOWN:
            return f"{self.path} differs"
        return f"{self.path}: recorded {self.recorded!r}, requested {self.requested!r}"


def drift_of(recorded: Request, requested: Request) -> Iterator[DriftedValue]:
    """The differences between a record and what is requested.

    What one of them does not know cannot differ: an empty text, or what a ``partial`` one leaves out. Secrets are in
    neither; contacts and additional elements are compared by digest.
    """
    for path in ("base_url", "organization_id", "end_user", "product", "product_type"):
        before, after = (getattr(each, "service" if path == "base_url" else path) for each in (recorded, requested))
        if before and after and not same_id(before, after):
            yield DriftedValue(path, (recorded.product_name if path == "product" else None) or before, after)
    kind = PRODUCT_TYPES.get(requested.product_type or recorded.product_type)
    documented: Container[str] = kind.settings if kind else ()
    for prefix in ("settings", "additional_elements"):
        old, new = getattr(recorded, prefix), getattr(requested, prefix)
        for name in dict.fromkeys([*old, *new]):
            if (recorded.partial and name not in old) or (requested.partial and name not in new):
                continue
            before, after = old.get(name), new.get(name)
            # Templating makes text of numbers; where no rule of the specification says the type, "4" and 4 ask for the
            # same. Of a text that the catalogue lists, the record has the listed form.
            same = before == after
            if not same and (name not in documented or name in TEMPLATE_SETTINGS):
                texts = (folded_text(str(before)), folded_text(str(after)))
                same = len({text if name in documented else text.casefold() for text in texts}) == 1
            if same or is_secret_name(name) or WITHHELD in (before, after):
                continue
            digest = prefix != "settings" or name in CONTACT_SETTINGS
            # The rules of the catalogue, which are not read here, may call a setting secret that the API specification
            # does not.
            unknown = before is None and name not in documented
            shown = ((before, digest), (after, digest or unknown))
            values = (ABSENT if value is None else NOT_SHOWN if hidden else value for value, hidden in shown)
            yield DriftedValue(f"{prefix}.{name}", *values)


def operation_drift(recorded: NamedOperation, requested: NamedOperation) -> list[DriftedValue]:
    """The differences between a recorded and a requested operation. The ledger has only a digest of query and body."""
    pairs = {
        "operation": (recorded.operation, requested.operation),
        "base_url": (recorded.service, requested.service),
        "organization_id": (recorded.organization_id, requested.organization_id),
    }
    found = [DriftedValue(path, before, after) for path, (before, after) in pairs.items() if before != after]
    if not found and recorded.content_digest != requested.content_digest:
        found = [DriftedValue("query or body (kept as a digest only)", NOT_SHOWN, NOT_SHOWN)]
    return found


def drift_message(name: str, differences: Sequence[DriftedValue], kind: Kind = "order") -> list[str]:
    """Return how the record of an order or operation differs from the task, and what to do."""
    listed = "\n".join(f"  - {difference}" for difference in differences)
    subject = "Order" if kind == "order" else "The operation"
    message = f"{subject} {name} differs from its record in the ledger. It is not sent again.\n{listed}"
    if kind == "operation":
        return [message, "Restore the recorded values. To send another operation, give it another name."]
    if all(difference.of_settings for difference in differences):
        why = "The API specification has no way to change or cancel a contract."
        text = "Restore the recorded values, or set on_drift to warn."
    else:
        why = "This is another contract than the recorded one."
        text = "on_drift does not cover that. Restore the recorded values."
    text += " To order another one, change its name and its hostname or domain."
    return [message, why, Advice(text)]


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


def _taking_over(record: Record, differences: Sequence[DriftedValue]) -> Iterator[Advice]:
    """The line that takes the requested settings over into the record, where it can have them all."""
    settings = {each.path.removeprefix("settings."): each.requested for each in differences}
    if all(
        each.path.startswith("settings.") and NOT_SHOWN not in (each.recorded, each.requested) for each in differences
    ) and not settings.keys() & {*IDENTITIES}:
        options = {
            "name": record.name,
            "state": "present",
            "take_over_settings": True,
            "settings": {name: None if value == ABSENT else value for name, value in settings.items()},
        }
        by_hand = offer_by_hand("Take the requested settings over into the record", options, record.ledger)
        yield Advice(f"If the contract has the requested settings by now, run this {by_hand.form}:\n{by_hand}")


def drift_error(record: Record, differences: Sequence[DriftedValue]) -> ResellerError:
    """The error of an operation, or of an order that on_drift does not let pass."""
    moved = next((each for each in differences if each.path == "base_url"), None)
    return ResellerError(
        *drift_message(record.name, differences, record.kind),
        *(other_service(moved.recorded, moved.requested, record.ledger) if moved else ()),
        *_taking_over(record, differences),
        kind="differs",
        **record.results(),
        **({"differences": [each._asdict() for each in differences]} if record.kind == "order" else {}),
    )


# What a record does not know


def unknown_request(name: str) -> Request:
    """Return the request of a contract of which only the name is known."""
    return Request(name, "", "", "", "", None, "", identity=identity(None, name), partial=True)


def missing_options(request: Request | None) -> list[str]:
    """The options of reseller_record that say what a record does not know and an order has to be compared with."""
    return [option for option, (known, _what) in _NEEDED.items() if not (request and getattr(request, known))]


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


def _offer(record: Record) -> Offer:
    """Return what fills in the record once a person has filled in its placeholders."""
    missing = {option: Noted(PLACEHOLDER, _NEEDED[option][1]) for option in missing_options(record.request)}
    options = {"name": record.name, "state": "present", **missing}
    # Placeholders are filled in more easily in a task.
    return offer_by_hand("Record what was ordered", options, record.ledger)._replace(line=None)


def filling_advice(case: str, record: Record) -> Advice:
    """Return what fills in the record."""
    task = _offer(record)
    return Advice(f"{case}, look it up in the customer portal, fill it in, and run this task once:\n{task}")


def incomplete_error(record: Record) -> ConfigurationError:
    """The error of an order whose name stands for a contract of which the ledger knows too little."""
    contract = f"contract {record.outcome.contract_id}" if record.outcome.contract_id else "a contract without an ID"
    return ConfigurationError(
        f"Order {record.name} was not sent: its record does not say what it is for.\n"
        f"It is recorded as {contract}. Not known of it: {', '.join(missing_options(record.request))}.",
        filling_advice("If it is this order's", record),
        settle_with=_offer(record).task,
        **record.results(),
    )


def completed(known: Request, options: Mapping[str, Any], digest_key: bytes) -> Request:
    """Return what is known of a contract, with what the options of reseller_record say of it where it was unknown.

    They are checked as those of orders are, and may be a part of what was ordered. With ``take_over_settings``, the
    settings replace known ones, but hostname and domain. One that is ``None`` is not known then.

    Raises ConfigurationError for options that differ from what is known, and ViolationsError.
    """
    given, takes_over = options["settings"] or {}, options["take_over_settings"]
    stated: dict[str, Any] = {name: options[name] or "" for name in ("end_user", "product", "product_type")}
    kind = PRODUCT_TYPES.get(known.product_type or stated["product_type"])
    check_end_user(stated["end_user"] or SELF)
    # Raises for another type than that of the product.
    RequestedOrder(SELF, None, stated["product"] or known.product, kind.name if kind else None).kind()
    settings = _checked_settings(kind, given, digest_key) if given else {}
    compared = {name: settings.get(name) for name in given if name in IDENTITIES} if takes_over else settings
    said = replace(unknown_request(known.name), **stated, settings=compared)
    differences = [f"  - {each}" for each in drift_of(known, said)]
    if differences:
        raise ConfigurationError(
            f"The record of {known.name} says otherwise. Nothing was recorded.\n" + "\n".join(differences) + "\n"
            "What the ledger knows of an order never changes: leave these options out. Another contract needs another "
            "name."
        )
    kept = {name: value for name, value in known.settings.items() if not takes_over or given.get(name, "") is not None}
    # The service and the organization only fill in: both may come from wherever the task runs.
    address = known.service or options["base_url"] or ""
    made = replace(
        known,
        service=address and checked_base_url(address, allow_http=True),
        organization_id=known.organization_id or options["organization_id"] or "",
        end_user=known.end_user or stated["end_user"],
        product=known.product or stated["product"] or (kind.product_id if kind else None) or "",
        product_type=known.product_type or stated["product_type"],
        settings={**kept, **(settings if takes_over or known.partial else {})},
    )
    if (made.end_user, made.product_type, made.settings) == (known.end_user, known.product_type, known.settings):
        return made
    # By default, an order is named after its hostname or domain: until that is known, the name stands for it.
    named = {kind.identity: known.name} if kind and kind.identity else {}
    found = identity_of(kind, {**named, **made.settings}, made.end_user)
    return replace(made, identity=found or identity(None, known.name))


def _checked_settings(kind: ProductType | None, given: Mapping[str, Any], digest_key: bytes) -> dict[str, Any]:
    """The settings as the ledger has them. Raises ConfigurationError and ViolationsError."""
    if kind is None:
        raise ConfigurationError("settings cannot be checked without product_type. Nothing was recorded.\nGive both.")
    checked = check_specification_rules(kind, given)
    if broken := checked.violations_of(given):
        raise ViolationsError(broken, "The contract to adopt", "Nothing was recorded.")
    return kept_settings(checked.settings, digest_key)
