# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the outcome of an order from its response (API specification 4.1 and 7 show neither body nor statuses).

A false "ordered" is a contract that nobody has, a false "not ordered" one that is bought twice. So what proves neither
leaves the order in doubt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Literal

from .._contracts.contract_ids import contract_id, holders, l2vpn_id
from .._contracts.contradictions import contradictions
from .._core.errors import ServiceError, UnreadableAnswerError
from .._core.text import clean, describe_json
from .._http.answers import is_page, read_json, service_error
from .._http.client import Answer
from .._ledger.order_records import Outcome
from .._reference.order_answers import OrderAnswers
from .._secrets.masker import Masker, masked

#: ``unproven``: a success in which the answer itself has to show that the order was placed.
Verdict = Literal["ordered", "unproven", "rejected", "not_processed", "in_doubt"]

_ORDERED = frozenset({201, 202, 204})
# 406 and 408 are missing: both can come after the order was processed.
_REJECTED = frozenset({*range(400, 406), 407, *range(409, 425), 426, 428, 431, 451, 301, 307, 308, 501})
_NOT_PROCESSED = frozenset({425, 429})

_MESSAGES = ("message", "detail", "title", "description")
DOING = "to place the order"


_JSON_TYPE = re.compile(r"application/(?:[a-z0-9.-]{1,60}\+)?json\b")
_NOT_OF_REQUESTS = frozenset({"application/problem+json", "application/merge-patch+json"})
#: What of an answer is searched for media types, and how many of them are tried.
MOST_BYTES = 16384
MOST_TYPES = 3


@dataclass(frozen=True)
class Sent:
    """The end of sending: the outcome for the ledger, the body of the response, and what went wrong.

    ``request_types`` are the media types of JSON that an answer 415 names.
    """

    outcome: Outcome
    contract: Any = None
    error: ServiceError | None = None
    warning: str | None = None
    request_types: tuple[str, ...] = ()


def verdict(status: int) -> Verdict:
    """What the status of a response means for the order. An unknown status leaves the order in doubt."""
    if status in _ORDERED:
        return "ordered"
    if 200 <= status < 300:
        return "unproven"
    if status in _REJECTED:
        return "rejected"
    return "not_processed" if status in _NOT_PROCESSED else "in_doubt"


def outcome_of(answer: Answer, settings: Collection[str] = (), published: OrderAnswers | None = None) -> Sent:
    """The outcome of a response.

    ``settings`` are the names that its messages may be about, ``published`` is what the reference says of such answers
    (``None``: nothing is known). Never raises: an unreadable body changes nothing about the status.
    """
    decided = verdict(answer.status)
    if decided in ("ordered", "unproven"):
        return _accepted(answer, settings, published or OrderAnswers(), proven=decided == "ordered")
    error = service_error(answer, DOING, settings)
    if decided == "in_doubt":
        return Sent(Outcome("in_doubt", error.message, told_id=_told_id(answer)), error=error)
    types = _named_types(answer) if answer.status == HTTPStatus.UNSUPPORTED_MEDIA_TYPE else ()
    return Sent(Outcome("rejected", error.message), error=error, request_types=types)


def _told_id(answer: Answer) -> str | None:
    """An id in an answer that proves nothing. It may be that of the request, or of what was made before the failure."""
    try:
        body = None if is_page(answer) else read_json(answer)
    except UnreadableAnswerError:
        return None
    # An id beside a message may be of anything, such as of the contract that is in the way.
    if next(contradictions(body), None) or any(name in record for record in holders(body) for name in _MESSAGES):
        return None
    return contract_id(body, answer.header("Location"))


def _named_types(answer: Answer) -> tuple[str, ...]:
    """The media types of JSON that an answer names: in its headers (RFC 9110, 15.5.16), its message, as its own."""
    headers = " ".join(answer.header(name) or "" for name in ("Accept-Post", "Accept", "Content-Type"))
    text = f"{headers} {answer.body[:MOST_BYTES].decode('utf-8', 'replace')}".lower().replace("\\/", "/")
    found = dict.fromkeys(name for name in _JSON_TYPE.findall(text) if name not in _NOT_OF_REQUESTS)
    return tuple(found)[:MOST_TYPES]


def masked_outcome(
    answer: Answer, masker: Masker, settings: Collection[str] = (), published: OrderAnswers | None = None
) -> Sent:
    """As outcome_of() has it, with texts that are read from the masked answer; ids and status are as they arrived."""
    seen = outcome_of(answer, settings, published)
    sent = replace(seen, contract=masker.value(seen.contract))
    if (seen.outcome.reason, seen.error, seen.warning) == (None, None, None):
        return sent
    told = outcome_of(answer.masked(masker), settings, published)
    if seen.error is not None:
        sent = replace(sent, error=told.error or ServiceError(masker.text(seen.error.message), status=answer.status))
    if seen.outcome.reason is not None:
        reason = told.outcome.reason or masker.text(seen.outcome.reason)
        sent = replace(sent, outcome=replace(seen.outcome, reason=reason))
    return replace(sent, warning=seen.warning and (told.warning or masker.text(seen.warning)))


def _accepted(answer: Answer, settings: Collection[str], published: OrderAnswers, *, proven: bool) -> Sent:
    contract, unreadable = None, None
    try:
        contract = read_json(answer)
    except UnreadableAnswerError as error:
        unreadable = error.message
    contrary = contradiction(answer, contract)
    # The id in an answer that says otherwise may be that of the contract that is in the way.
    found = None if contrary else contract_id(contract, answer.header("Location"))
    if not proven and (contrary or not (found or _confirmed(answer, contract, published, readable=not unreadable))):
        doubt = _doubt(answer, contract, settings, unreadable, contrary)
        return Sent(Outcome("in_doubt", doubt.message, told_id=found), error=doubt)
    outcome = Outcome("ordered", contract_id=found, contract=contract, l2vpn_id=l2vpn_id(contract))
    return Sent(outcome, contract=contract, warning=_warning(answer, unreadable, contrary, found))


def _doubt(
    answer: Answer, body: Any, settings: Collection[str], unreadable: str | None, contrary: str | None
) -> ServiceError:
    """What was seen of an answer that does not prove that the order was placed."""
    # What an answer to an order holds may be a credential, and nobody says which part of it is a message.
    shown = answer if unreadable else replace(answer, body=json.dumps(masked(body)).encode())
    error = service_error(shown, DOING, settings)
    begins = f"The service answered the order with status {answer.status}, which does not prove that it was placed"
    if unreadable is not None:
        error.message = f"{begins}.\n{unreadable}"
    elif contrary is not None:
        error.message = f"{begins}: {contrary}.\n{error.message}"
    else:
        error.message = f"{begins}: its answer shows no contract. It is {clean(describe_json(body), 500)}."
    return error


def _warning(answer: Answer, unreadable: str | None, contrary: str | None, found: str | None) -> str | None:
    if unreadable is not None:
        return (
            f"The service accepted the order (status {answer.status}), but its answer cannot be read.\n{unreadable}\n"
            "The contract is recorded as ordered. Look up its id in the customer portal."
        )
    if contrary is not None:
        return (
            f"The service accepted the order (status {answer.status}), but its answer says otherwise: {contrary}.\n"
            "The contract is recorded as ordered.\n"
            "Check the customer portal. If the contract does not exist, remove the record with reseller_ledger and "
            "state: absent."
        )
    return (
        None if found else "The service accepted the order, but no contract id was found in its answer (see contract)."
    )


def _confirmed(answer: Answer, body: Any, published: OrderAnswers, *, readable: bool) -> bool:
    """Whether the answer says that the order was placed, without a contract in it."""
    if any(record.get("success") is True for record in holders(body)[:1]):
        return True
    if answer.status != published.only_success:
        return False
    if not answer.body.strip():
        return published.empty
    return readable and any(kind.fits(body) for kind in published.bodies)


def contradiction(answer: Answer, body: Any) -> str | None:
    """What in a response contradicts that the order was placed."""
    if answer.flaw is not None:
        return f"its body is not whole ({answer.flaw})"
    if is_page(answer):
        return "it is a page for people"
    if answer.media_type.startswith("application/problem+"):
        return f"it is of the type {answer.media_type}, which is for errors"
    return next(contradictions(body), None)
