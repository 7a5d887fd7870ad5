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
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from .._core.errors import READING_FAILURES, ServiceError, UnreadableAnswerError
from .._core.text import clean, describe_json, is_uuid
from .._http.problems import UNPROCESSED, service_error
from .._http.transport import Answer, is_page, read_json
from .._ledger.order_records import Outcome, Status
from .._order.order import Order
from .._product_types.registry import IDENTITIES
from .._secrets.masker import Masker, kept_id
from .._service.receipts import Receipt, SentOrder, has_message, l2vpn_id, read_receipt

_ORDERED = frozenset({201, 202, 204})
#: Of the rejections, those that ask to send it again.
NOT_PROCESSED = frozenset({425, 429})
#: Media types of errors (RFC 9457) begin so.
_PROBLEM = "application/problem+"
_JSON_TYPE = re.compile(r"application/(?:[a-z0-9.-]{1,60}\+)?json\b")
#: What of an answer is searched for media types.
MOST_BYTES = 16384
_ID_NOT_STORED = (
    "The contract ID in the answer contains a secret or contact data. It is not stored.\n"
    "The service accepted the order. Look up the contract in the customer portal."
)
_OF_OTHERS = "another order of this service has the contract ID of its answer, or was told it at the same time"


def proof_of(status: int) -> Status:
    """Return what the status of a response proves by itself. Other successes and unknown ones leave it in doubt."""
    return "ordered" if status in _ORDERED else "rejected" if status in UNPROCESSED else "in_doubt"


def sent_order(order: Order, known: Collection[str] = (), parameter: str = "", placed: Any = None) -> SentOrder:
    """Return what an answer to an order may repeat or contradict; see SentOrder."""
    kind = next((each for each in IDENTITIES if isinstance(order.settings.get(each), str)), None)
    return SentOrder(
        order.end_user,
        order.product,
        kind,
        order.settings[kind] if kind else None,
        frozenset(
            _texts([order.end_user, order.product, order.organization_id, order.settings, order.additional_elements])
        ),
        frozenset(each for each in known if is_uuid(each)),
        parameter,
        placed,
    )


def _texts(value: Any) -> Iterator[str]:
    """All numbers and texts in a value, in small letters."""
    if isinstance(value, (Mapping, list)):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value).strip().lower()


def order_outcome(answer: Answer, masker: Masker, settings: Collection[str], sent: SentOrder) -> Outcome:
    """Return how an order ended, read from its response and held against what was ``sent``. The ledger may keep it.

    ``settings`` are the names that its messages may be about. May raise READING_FAILURES.
    """
    # Status and ids are read from the response as it arrived, texts from the masked one.
    read = _read_order_answer(answer, settings, sent)
    kept, error, warning = read.masked(masker), read.error, read.warning
    if error is not None or warning is not None:
        shown = _read_order_answer(answer.masked(masker), settings, sent)
        error = error and (shown.error or ServiceError(masker.text(error.statement), status=answer.status))
        warning = warning and (shown.warning or masker.text(warning))
        kept = kept._replace(reason=kept.reason and masker.text(shown.reason or kept.reason))
    if read.contract_id and not kept.contract_id and warning is None:
        warning = _ID_NOT_STORED
    kept = kept._replace(error=error, warning=warning, body=masker.value(read.contract))
    return kept._replace(without_id=_without_id(answer, kept)) if kept.contract_id else kept


def _without_id(answer: Answer, placed: Outcome) -> Outcome:
    """Return how an order stands that was told the contract ID of another one, or of one that nothing tells apart."""
    if answer.status in _ORDERED:
        return Outcome("ordered", warning=_accepted_but(answer, _OF_OTHERS, None), body=placed.body)
    error = ServiceError(f"{_unproven(answer)}: {_OF_OTHERS}.", status=answer.status)
    return failed_outcome("in_doubt", error)._replace(body=placed.body)


def failed_outcome(status: Status, error: ServiceError, possible_id: str | None = None) -> Outcome:
    """Return the outcome of what was not done, or of which that is not known."""
    return Outcome(status, error.statement, possible_id=possible_id, error=error)


def proven_outcome(answer: Answer, what: str, masker: Masker, failure: Exception, sent: SentOrder | None) -> Outcome:
    """Return what a response proves that cannot be read. Of an order, with its contract's ID if possible.

    ``what`` was sent, ``sent`` if it was an order.
    """
    proof, receipt = proof_of(answer.status), Receipt()
    unread = f"its answer cannot be read ({type(failure).__name__})"
    warning = f"The service accepted {what} (status {answer.status}), but {unread}."
    if sent is not None:
        with contextlib.suppress(*READING_FAILURES):
            receipt = _receipt(answer, _body(answer)[0], sent)
        warning = _accepted_but(answer, unread, receipt.contract_id)
    found = kept_id(receipt.contract_id, masker)
    if proof == "ordered" and _against(answer, receipt) is None:
        return Outcome("ordered", contract_id=found, warning=warning)
    error = ServiceError(
        f"The service answered {what} with status {answer.status}, and {unread}.", status=answer.status
    )
    return failed_outcome(proof if proof == "rejected" else "in_doubt", error, found if proof == "in_doubt" else None)


def _read_order_answer(answer: Answer, settings: Collection[str], sent: SentOrder) -> Outcome:
    """Return the outcome with everything as it arrived. May raise READING_FAILURES."""
    proof, (contract, unreadable) = proof_of(answer.status), _body(answer)
    receipt = _receipt(answer, contract, sent)
    if not answer.ok:
        # An id beside a message may be of anything, such as of the contract that is in the way.
        doubtful = proof != "in_doubt" or is_page(answer) or receipt.failure or has_message(contract)
        error = service_error(answer, "the order", settings)
        return failed_outcome(proof, error, None if doubtful else receipt.contract_id)
    against = _against(answer, receipt)
    if against is None and (proof == "ordered" or receipt.proves):
        l2vpn = None if receipt.strange else l2vpn_id(contract)
        seen = _warning(answer, contract, unreadable, receipt)
        shown = None if receipt.strange else contract
        return Outcome("ordered", None, receipt.contract_id, shown, l2vpn, proven=receipt.proves, warning=seen)
    error = _doubt(answer, contract, settings, unreadable, receipt, against)
    return failed_outcome("in_doubt", error, None if against else receipt.contract_id)


def _receipt(answer: Answer, body: Any, sent: SentOrder) -> Receipt:
    return read_receipt(body, answer.header("Location"), answer.status, sent)


def _against(answer: Answer, receipt: Receipt) -> str | None:
    """Return what in a success says that no order was placed. Of 201, 202 and 204, less does."""
    said = f"its record has {receipt.ended}" if receipt.ended else None
    if answer.status in _ORDERED:
        return said or (None if receipt.contract_id else receipt.failure or _problem(answer))
    return said or page_or_problem(answer) or receipt.failure


def _body(answer: Answer) -> tuple[Any, str | None]:
    """The body of a response, or why it cannot be read."""
    try:
        return read_json(answer), None
    except UnreadableAnswerError as error:
        return None, error.statement


def named_types(answer: Answer) -> tuple[str, ...]:
    """The media types of JSON that an answer names: in its headers (RFC 9110, 15.5.16), its message, as its own."""
    headers = " ".join(answer.header(name) or "" for name in ("Accept-Post", "Accept-Patch", "Accept", "Content-Type"))
    text = f"{headers} {answer.body[:MOST_BYTES].decode('utf-8', 'replace')}".lower().replace("\\/", "/")
    return tuple(_JSON_TYPE.findall(text))


def _unproven(answer: Answer) -> str:
    return f"The service answered the order with status {answer.status}, which does not prove that it was placed"


def _doubt(
    answer: Answer, body: Any, settings: Collection[str], unreadable: str | None, receipt: Receipt, against: str | None
) -> ServiceError:
    """Return what was seen of a success that leaves the order in doubt."""
    # What an answer to an order holds may be a credential, and nobody says which part of it is a message.
    shown = answer if unreadable else replace(answer, body=json.dumps(Masker().value(body)).encode())
    error = service_error(shown, "the order", settings)
    if unreadable is not None:
        error.parts = [f"{_unproven(answer)}.\n{unreadable}"]
    elif against is not None:
        error.parts.insert(0, f"{_unproven(answer)}: {against}.")
    elif receipt.contract_id is None:
        seen = f"the ID in it is not the contract's ({receipt.refused})" if receipt.refused else "it shows no contract"
        error.parts = [f"{_unproven(answer)}: {seen}. It is {clean(describe_json(body), 500)}."]
    else:
        placed = json.dumps({"status": answer.status, "id": receipt.place})
        error.parts = [f"{_unproven(answer)}: its record {receipt.contract_id} shows no value of the order."]
        error.parts += [f"If it confirms orders so, add order.placed to the service's file: {placed}"] * bool(
            receipt.place
        )
    return error


def _warning(answer: Answer, body: Any, unreadable: str | None, receipt: Receipt) -> str | None:
    is_empty = not answer.body.strip() and answer.flaw is None
    if unreadable is not None and not is_empty:
        return _accepted_but(answer, f"its answer cannot be read.\n{unreadable.rstrip('.')}", receipt.contract_id)
    if contrary := receipt.failure or _problem(answer):
        return _accepted_but(answer, f"its answer says otherwise: {contrary}", receipt.contract_id)
    if receipt.contract_id:
        return None
    if receipt.refused:
        return _accepted_but(answer, f"the ID in its answer is not recorded. {receipt.refused}", None)
    seen = "is empty" if is_empty else f"is {clean(describe_json(body), 300)}"
    return _accepted_but(answer, f"no contract id was found in its answer, which {seen}", None)


def _accepted_but(answer: Answer, trouble: str, found: str | None) -> str:
    looked_up = "" if found else " Look up its id in the customer portal."
    return (
        f"The service accepted the order (status {answer.status}), but {trouble}.\n"
        f"The contract is recorded as ordered.{looked_up}"
    )


def _problem(answer: Answer) -> str | None:
    is_problem = answer.media_type.startswith(_PROBLEM)
    return f"it is of the type {answer.media_type}, which is for errors" if is_problem else None


def page_or_problem(answer: Answer) -> str | None:
    """Return why an answer is not that of a service which did what was requested, whatever its status is."""
    return "it is a page for people" if is_page(answer) else _problem(answer)
