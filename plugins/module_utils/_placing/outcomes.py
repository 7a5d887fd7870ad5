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
from typing import Any, Literal, NamedTuple

from .._core.errors import READING_FAILURES, ServiceError, UnreadableAnswerError
from .._core.text import JsonError, clean, describe_json
from .._http.problems import UNPROCESSED, service_error
from .._http.transport import Answer, RawAnswer, is_page, read_json
from .._ledger.order_records import Outcome, Status
from .._orders.order import Order
from .._product_types.registry import IDENTITIES
from .._secrets.masker import Masker, kept_id
from .._service.description import Description
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
#: What in a success says that no order was placed: the state of its record, a word, its media type, or that it is HTML.
Contrary = Literal["ended", "failure", "problem", "page"]
_OF_OTHERS = "another order of this service has the contract ID of its answer, or was told it at the same time"


def proof_of(status: int) -> Status:
    """Return what the status of a response proves by itself. Other successes and unknown ones leave it in doubt."""
    return "ordered" if status in _ORDERED else "rejected" if status in UNPROCESSED else "in_doubt"


def sent_order(
    order: Order, known: frozenset[str] = frozenset(), parameter: str = "", described: Description | None = None
) -> SentOrder:
    """Return what an answer to an order may repeat or contradict, and what the service's file says; see SentOrder."""
    placed, address = map(described.get, ("order.placed", "contracts.address")) if described else (None, None)
    kind = next((setting for setting in IDENTITIES if isinstance(order.settings.get(setting), str)), None)
    return SentOrder(
        order.end_user,
        order.product,
        kind,
        order.settings[kind] if kind else None,
        frozenset(
            _texts([order.end_user, order.product, order.organization_id, order.settings, order.additional_elements])
        ),
        known,
        parameter,
        placed,
        address,
    )


def _texts(value: Any) -> Iterator[str]:
    """All numbers and texts in a value, in small letters."""
    if isinstance(value, (Mapping, list)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value).strip().lower()


class _Answered(NamedTuple):
    """A response to an order: how the order ended, the body as JSON, and what it proves."""

    status: Status
    body: Any
    receipt: Receipt
    #: What in a success says that no order was placed.
    contrary: Contrary | None


def order_outcome(answer: RawAnswer, masker: Masker, settings: Collection[str], sent: SentOrder) -> Outcome:
    """Return how an order ended, read from its response and held against what was ``sent``. The ledger may keep it.

    ``settings`` are the names that its messages may be about. May raise READING_FAILURES.
    """
    # Status and ids are read from the response as it arrived, texts from the masked one.
    shown, arrived = answer.masked(masker), _read(answer, sent)
    parts, shown_parts = ((response.body, response.flaw, response.header("Location")) for response in (answer, shown))
    legible = arrived if parts == shown_parts else _read(shown, sent)._replace(contrary=arrived.contrary)
    contract_id, related = arrived.receipt.contract_id, arrived.receipt.related
    # From Location, an ID may be the end of a secret.
    is_hidden = not arrived.receipt.place and contract_id != legible.receipt.contract_id
    contract_id = None if is_hidden else contract_id
    if arrived.status != "ordered":
        error = (
            _doubt(shown, legible, settings, contract_id) if answer.ok else service_error(shown, "the order", settings)
        )
        possible_id = None if _is_of_anything(answer, arrived) else contract_id
        return failed_outcome(arrived.status, error, possible_id)._replace(related=related).masked(masker)
    l2vpn, contract = (None, None) if arrived.receipt.strange else (l2vpn_id(arrived.body), arrived.body)
    address, proven = arrived.receipt.address, arrived.receipt.proves
    placed = Outcome("ordered", None, contract_id, contract, l2vpn, address=address, proven=proven, related=related)
    placed = placed.masked(masker)
    warning = _warning(shown, legible, contract_id)
    if arrived.receipt.contract_id and not placed.contract_id:
        warning = _ID_NOT_STORED if warning is None or is_hidden else warning
    placed = placed._replace(warning=warning, body=masker.value(contract))
    return placed._replace(without_id=_without_id(shown, placed)) if placed.contract_id else placed


def _is_of_anything(answer: RawAnswer, arrived: _Answered) -> bool:
    """Return whether an id in a response that leaves the order open may be of anything, such as what is in the way."""
    if answer.ok:
        return arrived.contrary is not None
    is_refusal = is_page(answer) or bool(arrived.receipt.failure) or has_message(arrived.body)
    return arrived.status != "in_doubt" or is_refusal


def _without_id(answer: RawAnswer, placed: Outcome) -> Outcome:
    """Return how an order stands that was told the contract ID of another one, or of one that nothing tells apart."""
    if answer.status in _ORDERED:
        return Outcome("ordered", warning=_accepted_but(answer, _OF_OTHERS, None), body=placed.body)
    error = ServiceError(f"{_unproven(answer)}: {_OF_OTHERS}.", status=answer.status)
    return failed_outcome("in_doubt", error)._replace(body=placed.body)


def failed_outcome(status: Status, error: ServiceError, possible_id: str | None = None) -> Outcome:
    """Return the outcome of what was not done, or of which that is not known."""
    return Outcome(status, error.statement, possible_id=possible_id, error=error)


def proven_outcome(answer: RawAnswer, what: str, masker: Masker, failure: Exception, sent: SentOrder | None) -> Outcome:
    """Return what a response proves that cannot be read. Of an order, with its contract's ID if possible.

    ``what`` was sent, ``sent`` if it was an order.
    """
    proof, receipt, contrary = proof_of(answer.status), Receipt(), None
    unread = f"its answer cannot be read ({type(failure).__name__})"
    warning = f"The service accepted {what} (status {answer.status}), but {unread}."
    if sent is not None:
        with contextlib.suppress(*READING_FAILURES):
            _status, _body, receipt, contrary = _read(answer, sent)
        warning = _accepted_but(answer, unread, receipt.contract_id)
    contract_id, related = kept_id(receipt.contract_id, masker), receipt.related
    if proof == "ordered" and contrary is None:
        return Outcome("ordered", contract_id=contract_id, warning=warning, related=related)
    error = ServiceError(
        f"The service answered {what} with status {answer.status}, and {unread}.", status=answer.status
    )
    if proof == "rejected":
        return failed_outcome(proof, error)
    return failed_outcome("in_doubt", error, None if proof == "ordered" else contract_id)._replace(related=related)


def _read(answer: RawAnswer, sent: SentOrder) -> _Answered:
    """Return what a response says and proves. May raise READING_FAILURES."""
    status, body = proof_of(answer.status), None
    if answer.flaw is None:
        with contextlib.suppress(JsonError):
            body = answer.json
    receipt = read_receipt(body, answer.header("Location"), answer.status, sent)
    contrary = _contrary(answer, receipt) if answer.ok else None
    if answer.ok:
        status = "ordered" if contrary is None and (status == "ordered" or receipt.proves) else "in_doubt"
    return _Answered(status, body, receipt, contrary)


def _contrary(answer: RawAnswer, receipt: Receipt) -> Contrary | None:
    """Return what in a success says that no order was placed. Of 201, 202 and 204, less does."""
    failure: Contrary | None = "failure" if receipt.failure else None
    if receipt.ended:
        return "ended"
    if answer.status in _ORDERED:
        return None if receipt.contract_id else failure or ("problem" if _is_problem(answer) else None)
    return "page" if is_page(answer) else "problem" if _is_problem(answer) else failure


def named_types(answer: RawAnswer) -> tuple[str, ...]:
    """The media types of JSON that an answer names: in its headers (RFC 9110, 15.5.16), its message, as its own."""
    headers = " ".join(answer.header(name) or "" for name in ("Accept-Post", "Accept-Patch", "Accept", "Content-Type"))
    text = f"{headers} {answer.body[:MOST_BYTES].decode('utf-8', 'replace')}".lower().replace("\\/", "/")
    return tuple(_JSON_TYPE.findall(text))


def _unproven(answer: RawAnswer) -> str:
    return f"The service answered the order with status {answer.status}, which does not prove that it was placed"


def _doubt(shown: Answer, legible: _Answered, settings: Collection[str], contract_id: str | None) -> ServiceError:
    """Return what was seen of a success that leaves the order in doubt."""
    body, receipt, unreadable = legible.body, legible.receipt, _why_unreadable(shown)
    # What an answer to an order holds may be a credential, and nobody says which part of it is a message.
    named = shown if unreadable else replace(shown, body=json.dumps(Masker().value(body)).encode())
    error = service_error(named, "the order", settings)
    if unreadable is not None:
        return error.saying(f"{_unproven(shown)}.\n{unreadable}")
    if legible.contrary is not None:
        return error.saying(f"{_unproven(shown)}: {_said(legible.contrary, shown, receipt)}.", *error.parts)
    if contract_id is None or receipt.contract_id is None:
        shows = f"the ID in it is not the contract's ({receipt.refused})" if receipt.refused else "it shows no contract"
        return error.saying(f"{_unproven(shown)}: {shows}. It is {clean(describe_json(body), 500)}.")
    placed = json.dumps({"status": shown.status, "id": receipt.place})
    return error.saying(
        f"{_unproven(shown)}: its record {receipt.contract_id} shows no value of the order.",
        f"If it confirms orders so, add order.placed to the service's file: {placed}" if receipt.place else "",
    )


def _why_unreadable(answer: Answer) -> str | None:
    try:
        read_json(answer)
    except UnreadableAnswerError as error:
        return error.statement
    return None


def _said(contrary: Contrary, answer: Answer, receipt: Receipt) -> str:
    """Return in words what says that no order was placed."""
    return {
        "ended": f"its record has {receipt.ended or 'a state of failure'}",
        "failure": receipt.failure or "it has a word of failure",
        "problem": f"it is of the type {answer.media_type}, which is for errors",
        "page": "it is a page for people",
    }[contrary]


def _warning(shown: Answer, legible: _Answered, contract_id: str | None) -> str | None:
    receipt, unreadable = legible.receipt, _why_unreadable(shown)
    if unreadable is not None and not shown.is_empty:
        return _accepted_but(shown, f"its answer cannot be read.\n{unreadable.rstrip('.')}", contract_id)
    if receipt.failure or _is_problem(shown):
        contrary: Contrary = "failure" if receipt.failure else "problem"
        return _accepted_but(shown, f"its answer says otherwise: {_said(contrary, shown, receipt)}", contract_id)
    if contract_id:
        return None
    if receipt.refused:
        return _accepted_but(shown, f"the ID in its answer is not recorded. {receipt.refused}", None)
    line = "; if its id is in it, give order.placed in the service's file"
    shows = "is empty" if shown.is_empty else f"is {clean(describe_json(legible.body), 300)}{line}"
    return _accepted_but(shown, f"no contract id was found in its answer, which {shows}", None)


def _accepted_but(answer: RawAnswer, trouble: str, contract_id: str | None) -> str:
    looked_up = "" if contract_id else " Look up its id in the customer portal."
    return (
        f"The service accepted the order (status {answer.status}), but {trouble}.\n"
        f"The contract is recorded as ordered.{looked_up}"
    )


def _is_problem(answer: RawAnswer) -> bool:
    return answer.media_type.startswith(_PROBLEM)


def page_or_problem(answer: Answer) -> str | None:
    """Return why an answer is not that of a service which did what was requested, whatever its status is."""
    contrary: Contrary | None = "page" if is_page(answer) else "problem" if _is_problem(answer) else None
    return contrary and _said(contrary, answer, Receipt())
