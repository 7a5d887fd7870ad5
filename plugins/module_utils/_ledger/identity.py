# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of records: which are of the same thing, and which outcome of an order replaces which. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from .._core.errors import ConfigurationError, LedgerError
from .._core.text import clean, is_uuid, same_id
from .order_records import RELEASED, Identity, Kind, Outcome, Record, Request

_SLASHES, _BLANKS = re.compile(r"\s*/[\s/]*"), re.compile(r"\s+")


def folded_name(name: str) -> str:
    """Return the form that all names share which look the same to a reader.

    Such names differ in case (of any script), in compatible characters of Unicode, in how many slashes or blanks follow
    each other, or in blanks, slashes and dots at the end.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return _BLANKS.sub(" ", _SLASHES.sub("/", folded)).rstrip(" /.")


#: In place of a setting, where contracts have no name of their own: the subject is their product type.
NAMELESS = "nameless"


def identity(setting: str | None, value: str, end_user: str | None = None) -> Identity:
    """The identity of what a setting names so, such as a domain. With ``end_user``, each end user may have one.

    Without ``setting``, only a name is known: it may be any thing of that name.
    """
    return Identity(setting, None if end_user is None else end_user.casefold(), value.casefold())


def recorded_identity(record: Record) -> Identity | None:
    """The identity of what is recorded, ``None`` if there are no duplicates of it."""
    if record.cancelled and record.cancelled.replaced:
        return None
    if record.request is not None:
        about = record.request.identity
        # There are as many as were ordered. Only one that was adopted may be what an order asks for.
        return None if about is not None and about.setting == NAMELESS and record.claimed_at else about
    return identity(None, record.name) if record.kind == "order" else None


def by_subject(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The records by the name of their thing, in the order of their creation."""
    of_subject: dict[str, list[Record]] = {}
    for record in sorted(records, key=lambda record: (record.claimed_at or record.updated_at, record.name)):
        about = recorded_identity(record)
        if about is not None:
            of_subject.setdefault(about.subject, []).append(record)
    return of_subject


def records_of_similar_names(names: Sequence[str], records: Sequence[Record]) -> dict[str, Record]:
    """The records, of those found, that these names or names that look like them have, by these. None is released."""
    of_form: dict[str, list[Record]] = {}
    for record in records:
        if record.status not in RELEASED:
            of_form.setdefault(folded_name(record.name), []).append(record)
    similar = {name: of_form[folded_name(name)] for name in names if folded_name(name) in of_form}
    return {name: max(those, key=lambda holder: holder.name == name) for name, those in similar.items()}


def _with_suffix(name: str, suffix: str) -> str:
    """Return a name that is no longer than names may be."""
    return name[: 255 - len(suffix)].rstrip() + suffix


def cancellation_name(name: str, contract_id: str, number: int) -> str:
    """The name of the request that cancels the contract of an order whose name was claimed so often."""
    return _with_suffix(f"cancel {name}", f" ({clean(contract_id, 150)}, {number})")


def replaced_name(name: str, contract_id: str) -> str:
    """The name of the record of a canceled contract once a later order has its name."""
    return _with_suffix(name, f" (canceled {clean(contract_id, 150)})")


def same_contract_id(one: str, other: str) -> bool:
    """Return whether two ids are of one contract, in capitals or not."""
    return one.casefold() == other.casefold()


def taken_name_error(kind: Kind, name: str, holder: Record | None, consequence: str) -> ConfigurationError | None:
    """The error if the record that has the name of an order or operation is of the other kind, or only looks like it.

    It says what follows.
    """
    if holder is not None and holder.kind != kind:
        return ConfigurationError(
            f"{holder.name} is recorded as an {holder.kind}, not as an {kind}. {consequence}.\n"
            f"Orders and named operations share one space of names. Give this {kind} a name of its own."
        )
    if holder is not None and holder.name != name and folded_name(holder.name) == folded_name(name):
        return ConfigurationError(
            f"The {kind} {name!r} is not in the ledger, but {holder.name!r} is. {consequence}.\n"
            f"The two names look alike, so they may mean the same {kind}.\n"
            f"Write the name as the ledger has it, or give this {kind} a name of its own."
        )
    return None


def is_of_contract(other: Record, contract_id: str | None, request: Request | None) -> bool:
    """Return whether a record is of this contract. Numbers and words are ids of one service, where that is known."""
    services = {known.service for known in (other.request, request) if known is not None and known.service}
    return (
        contract_id is not None
        and same_contract_id(other.outcome.contract_id or "", contract_id)
        and (is_uuid(contract_id) or len(services) < 2)
    )


def undisputed(
    outcomes: Mapping[str, Outcome],
    claims: Mapping[str, Record],
    before: Mapping[str, Record],
    recorded: Sequence[Record],
) -> dict[str, Outcome]:
    """Return the outcomes, without a contract ID that is another order's: ``recorded``, or told at the same time.

    Of several that were told one ID, the only one whose answer shows its order keeps it. ``claims`` are the run's, and
    ``before`` the records of their names, which may lack the request.
    """
    requests = {name: (name in before and before[name].request) or claim.request for name, claim in claims.items()}
    with_id = [
        claims[name]._replace(request=requests[name], outcome=outcome)
        for name, outcome in outcomes.items()
        if outcome.contract_id
    ]

    def rivals(name: str, others: Sequence[Record]) -> list[Record]:
        contract_id, request = outcomes[name].contract_id, requests[name]
        return [other for other in others if other.name != name and is_of_contract(other, contract_id, request)]

    kept = dict(outcomes)
    for name, own in outcomes.items():
        told = rivals(name, with_id)
        is_apart = own.proven and not any(other.outcome.proven for other in told)
        if own.without_id and (rivals(name, recorded) or (told and not is_apart)):
            kept[name] = own.without_id
    return kept


def is_duplicate(record: Record, wanted: Request) -> bool:
    """Return whether a record that has a request's subject, and another name, may be of the same thing.

    What is not known of either may be the same.
    """
    recorded, known, other = record.request, recorded_identity(record), wanted.identity
    if record.name == wanted.name or known is None or other is None or _differ(known.setting, other.setting):
        return False
    if other.setting == NAMELESS and (wanted.partial or _differ(recorded.product if recorded else "", wanted.product)):
        return False
    # There is one such domain, wherever it is ordered.
    if recorded is None or not (known.end_user and other.end_user):
        return True
    # So is a UUID that of one end user. Whose __self__ is, its organization tells: a service may have two addresses.
    is_of_one_user = is_uuid(known.end_user) or not _differ(recorded.organization_id, wanted.organization_id)
    return known.end_user == other.end_user and is_of_one_user


def _differ(one: str | None, other: str | None) -> bool:
    """Return whether two values differ that are both known."""
    return bool(one and other) and not same_id(str(one), str(other))


# The rule about money: no contract is lost


class ConflictError(LedgerError):
    """The ledger has another outcome of an order than the run that sent it, so that two contracts may exist.

    ``recorded`` is the contract ID in the ledger.
    """

    def __init__(self, message: str, recorded: str | None) -> None:
        super().__init__(message)
        self.recorded = recorded


#: What becomes of a record once an outcome of this run is known that is released, in doubt, or ordered: by whether the
#: record is another run's (one without a run is a person's word), and what it says. The outcome is written, or the
#: record is left as it is: what is known of money outranks what is not, which is ordered, then in doubt or pending
#: ("open"), then released. "join": both are of one contract, unless they have two IDs. "same": only if they have one.
_WRITTEN_OVER: Mapping[tuple[bool, str], tuple[str, str, str]] = {
    (False, "released"): ("write", "write", "write"),
    (False, "open"): ("write", "write", "write"),
    (False, "ordered"): ("leave", "leave", "join"),
    (True, "released"): ("leave", "write", "write"),
    (True, "open"): ("leave", "conflict", "conflict"),
    (True, "ordered"): ("leave", "conflict", "same"),
}
_RANKS = ("released", "open", "ordered")


def _rank(outcome: Outcome) -> str:
    return "released" if outcome.status in RELEASED else "ordered" if outcome.status == "ordered" else "open"


def record_to_write(current: Record, claim: Record, own: Outcome) -> Record | None:
    """The record of an order once this run's outcome is known, ``None`` if the current one stays.

    ``claim`` is the run's own. Raises ConflictError when the order may have been placed twice.
    """
    kept, others = current.outcome, current.run_id not in (None, claim.run_id)
    rule = _WRITTEN_OVER[others, _rank(kept)][_RANKS.index(_rank(own))]
    is_one = same_contract_id(kept.contract_id or "", own.contract_id or "?")
    if rule == "leave" or (rule == "same" and is_one):
        return None
    if rule == "join" and (is_one or not (kept.contract_id and own.contract_id)):
        own = _joined(kept, own)
    elif rule != "write":
        how = ("meanwhile", "by another run")[others]
        raise ConflictError(
            f"The order {current.name} may exist twice.\n"
            f"Recorded {how} at {current.updated_at}: {_described(kept)}. "
            f"This run's order: {_described(own)}.",
            kept.contract_id,
        )
    lacks_request = current.request is None and current.operation is None
    if current.run_id != claim.run_id and (kept.status in RELEASED or lacks_request):
        # Somebody has removed the claim, and another run has released the name, or a person has adopted the contract.
        current = claim._replace(ordered_at=current.ordered_at)
    return current._replace(outcome=own)


def _joined(kept: Outcome, own: Outcome) -> Outcome:
    """An outcome of this run, with what is recorded of the same contract and it does not tell."""
    return own._replace(
        reason=own.reason or kept.reason,
        contract_id=own.contract_id or kept.contract_id,
        contract=kept.contract if own.contract is None else own.contract,
        l2vpn_id=own.l2vpn_id or kept.l2vpn_id,
        address=own.address or kept.address,
    )


def _described(outcome: Outcome) -> str:
    words: str = outcome.status
    if outcome.contract_id is not None:
        words += f", contract {outcome.contract_id}"
    return words if outcome.reason is None else f"{words} ({outcome.reason})"


def version_of(record: Record | None) -> tuple[str | None, ...] | None:
    """Return values that change whenever a record is written."""
    return (record.status, record.run_id, record.claimed_at, record.updated_at) if record else None


def is_written(current: Record | None, outcome: Outcome) -> bool:
    """Return whether a person or the service's list settled it in this way already."""
    if current is None or current.run_id is not None or current.outcome.status != outcome.status:
        return False
    if outcome.contract_id:
        return current.outcome.contract_id == outcome.contract_id
    return current.outcome.reason == outcome.reason
