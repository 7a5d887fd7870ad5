# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads how an order ended from its response (API specification 4.1 and 7 show neither body nor statuses).

A false "ordered" is a contract that nobody has, a false "not ordered" one that is bought twice. So what proves neither
leaves the order in doubt.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from .._core.errors import READING_FAILURES, ServiceError, UnreadableAnswerError
from .._core.text import clean, describe_json
from .._http.problems import UNPROCESSED, service_error
from .._http.transport import Answer, is_page, read_json
from .._ledger.order_records import Outcome, Status
from .._records.contract_ids import contract_id, contradictions, holders, l2vpn_id
from .._reference.order_shape import OrderAnswers
from .._secrets.masker import Masker, kept_id

_ORDERED = frozenset({201, 202, 204})
#: Of the rejections, those that ask to send it again.
NOT_PROCESSED = frozenset({425, 429})
#: Media types of errors (RFC 9457) begin so.
_PROBLEM = "application/problem+"
_MESSAGES = ("message", "detail", "title", "description")
_JSON_TYPE = re.compile(r"application/(?:[a-z0-9.-]{1,60}\+)?json\b")
#: What of an answer is searched for media types.
MOST_BYTES = 16384
_ID_NOT_STORED = (
    "The contract ID in the answer contains a secret or contact data. It is not stored.\n"
    "The service accepted the order. Look up the contract in the customer portal."
)


def proof_of(status: int) -> Status:
    """Return what the status of a response proves by itself. Other successes and unknown ones leave it in doubt."""
    return "ordered" if status in _ORDERED else "rejected" if status in UNPROCESSED else "in_doubt"


def order_outcome(answer: Answer, masker: Masker, settings: Collection[str], published: OrderAnswers) -> Outcome:
    """Return how an order ended, read from its response. The ledger may keep it.

    ``settings`` are the names that its messages may be about, ``published`` what the reference says of such responses.
    May raise READING_FAILURES.
    """
    # Status and ids are read from the response as it arrived, texts from the masked one.
    read = _read_order_answer(answer, settings, published)
    kept, error, warning = read.masked(masker), read.error, read.warning
    if error is not None or warning is not None:
        shown = _read_order_answer(answer.masked(masker), settings, published)
        error = error and (shown.error or ServiceError(masker.text(error.statement), status=answer.status))
        warning = warning and (shown.warning or masker.text(warning))
        kept = kept._replace(reason=kept.reason and masker.text(shown.reason or kept.reason))
    if read.contract_id and not kept.contract_id and warning is None:
        warning = _ID_NOT_STORED
    return kept._replace(error=error, warning=warning, body=masker.value(read.contract))


def failed_outcome(status: Status, error: ServiceError, possible_id: str | None = None) -> Outcome:
    """Return the outcome of what was not done, or of which that is not known."""
    return Outcome(status, error.statement, possible_id=possible_id, error=error)


def proven_outcome(answer: Answer, what: str, masker: Masker, failure: Exception) -> Outcome:
    """Return what the status of a response proves that cannot be read. Of an order, with its contract's ID if possible.

    ``what`` was sent.
    """
    proof, found = proof_of(answer.status), None
    unread = f"its answer cannot be read ({type(failure).__name__})"
    warning = f"The service accepted {what} (status {answer.status}), but {unread}."
    if what == "the order":
        with contextlib.suppress(*READING_FAILURES):
            found = kept_id(_id_in(answer, _body(answer)[0], OrderAnswers()), masker)
        warning = _accepted_but(answer, unread, found)
    if proof == "ordered":
        return Outcome("ordered", contract_id=found, warning=warning)
    error = ServiceError(
        f"The service answered {what} with status {answer.status}, and {unread}.", status=answer.status
    )
    return failed_outcome(proof, error, found if proof == "in_doubt" else None)


def _read_order_answer(answer: Answer, settings: Collection[str], published: OrderAnswers) -> Outcome:
    """Return the outcome with everything as it arrived. May raise READING_FAILURES."""
    proof = proof_of(answer.status)
    if answer.ok:
        return _success(answer, settings, published, proven=proof == "ordered")
    possible_id = _possible_id(answer, published) if proof == "in_doubt" else None
    return failed_outcome(proof, service_error(answer, "the order", settings), possible_id)


def _id_in(answer: Answer, body: Any, published: OrderAnswers) -> str | None:
    """The id of the contract in a response that does not say otherwise."""
    contrary = answer.media_type.startswith(_PROBLEM) or next(contradictions(body), None) is not None
    return None if contrary else contract_id(body, answer.header("Location"), published.id_parameter)


def _body(answer: Answer) -> tuple[Any, str | None]:
    """The body of a response, or why it cannot be read."""
    try:
        return read_json(answer), None
    except UnreadableAnswerError as error:
        return None, error.statement


def _possible_id(answer: Answer, published: OrderAnswers) -> str | None:
    """An id in a response that proves nothing: of the request, or of what was made before the failure."""
    # An id beside a message may be of anything, such as of the contract that is in the way.
    body = _body(answer)[0]
    if is_page(answer) or any(name in record for record in holders(body) for name in _MESSAGES):
        return None
    return _id_in(answer, body, published)


def named_types(answer: Answer) -> tuple[str, ...]:
    """The media types of JSON that an answer names: in its headers (RFC 9110, 15.5.16), its message, as its own."""
    headers = " ".join(answer.header(name) or "" for name in ("Accept-Post", "Accept-Patch", "Accept", "Content-Type"))
    text = f"{headers} {answer.body[:MOST_BYTES].decode('utf-8', 'replace')}".lower().replace("\\/", "/")
    return tuple(_JSON_TYPE.findall(text))


def _success(answer: Answer, settings: Collection[str], published: OrderAnswers, *, proven: bool) -> Outcome:
    contract, unreadable = _body(answer)
    contrary = contradiction(answer, contract)
    found = _id_in(answer, contract, published)
    confirmed = found or _confirmed(answer, contract, published, readable=not unreadable)
    if not proven and (contrary or not confirmed):
        error = _unproven(answer, contract, settings, unreadable, contrary)
        return failed_outcome("in_doubt", error, None if contrary else found)
    # Where the reference publishes that the only success has no body, there is no id to miss.
    expected = not answer.body.strip() and published.empty and answer.status == published.only_success
    warning = None if expected and not answer.flaw else _warning(answer, unreadable, contrary, found)
    return Outcome("ordered", None, found, contract, l2vpn_id(contract), warning=warning)


def _unproven(
    answer: Answer, body: Any, settings: Collection[str], unreadable: str | None, contrary: str | None
) -> ServiceError:
    """Return what was seen of an answer that does not prove that the order was placed."""
    # What an answer to an order holds may be a credential, and nobody says which part of it is a message.
    shown = answer if unreadable else replace(answer, body=json.dumps(Masker().value(body)).encode())
    error = service_error(shown, "the order", settings)
    begins = f"The service answered the order with status {answer.status}, which does not prove that it was placed"
    if unreadable is not None:
        error.parts = [f"{begins}.\n{unreadable}"]
    elif contrary is not None:
        error.parts.insert(0, f"{begins}: {contrary}.")
    else:
        error.parts = [f"{begins}: its answer shows no contract. It is {clean(describe_json(body), 500)}."]
    return error


def _warning(answer: Answer, unreadable: str | None, contrary: str | None, found: str | None) -> str | None:
    if unreadable is not None:
        return _accepted_but(answer, f"its answer cannot be read.\n{unreadable.rstrip('.')}", found)
    if contrary is not None:
        return (
            f"The service accepted the order (status {answer.status}), but its answer says otherwise: {contrary}.\n"
            "The contract is recorded as ordered.\n"
            "Check the customer portal. If the contract does not exist, remove the record with reseller_record and "
            "state: absent."
        )
    return (
        None if found else "The service accepted the order, but no contract id was found in its answer (see contract)."
    )


def _accepted_but(answer: Answer, trouble: str, found: str | None) -> str:
    looked_up = "" if found else " Look up its id in the customer portal."
    return (
        f"The service accepted the order (status {answer.status}), but {trouble}.\n"
        f"The contract is recorded as ordered.{looked_up}"
    )


def _confirmed(answer: Answer, body: Any, published: OrderAnswers, *, readable: bool) -> bool:
    """Return whether the answer says that the order was placed, without a contract in it."""
    if any(record.get("success") is True for record in holders(body)[:1]):
        return True
    if not answer.body.strip():
        return published.empty and answer.status == published.only_success
    return readable and published.confirm(answer.status, body)


def contradiction(answer: Answer, body: Any) -> str | None:
    """Return what in a response contradicts that the order was placed."""
    if answer.flaw is not None:
        return f"its body is not whole ({answer.flaw})"
    if is_page(answer):
        return "it is a page for people"
    if answer.media_type.startswith(_PROBLEM):
        return f"it is of the type {answer.media_type}, which is for errors"
    return next(contradictions(body), None)
