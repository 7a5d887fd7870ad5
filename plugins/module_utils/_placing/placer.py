# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Places an order: claim, send, record. This is the only step that costs money and cannot be undone.

1. *Claim*: the order is written to the ledger as pending, durably.
2. *Send*: one request. It is repeated only after an answer that says it was not processed.
3. *Record*: the outcome is written over the claim.

Whatever stops a run between 1 and 3 leaves a claim without a living owner, which reads as in doubt and is never sent
again by itself.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus

from .._core.errors import (
    LedgerError,
    LostAnswerError,
    UnreachableError,
    UnrecordedError,
)
from .._http.client import Client
from .._ledger.order_records import RELEASED, ClaimEvidence, Outcome, Record, Request
from .._ledger.settling_tasks import settling_command, settling_task
from .._ledger.store import Ledger
from .._order.duplicates import Duplicate, bare_request, duplicate_error
from .._order.order import CONTRACTS, Order, body, order_names, order_secrets
from .._order.service import Service
from .._reference.order_answers import OrderAnswers
from .._reference.order_shape import OrderShape
from .._secrets.kept import kept_elements, kept_settings
from .._secrets.masker import Masker
from .answer_files import AnswerFile
from .other_runs import wait_for_others
from .outcomes import Sent, masked_outcome, verdict
from .pace import Pace

#: Rejections that may mean that the request's shape is out of date, if it was read from the cache.
_OF_SHAPE = frozenset({400, 404, 405, 415, 422})
#: An order is written in no more forms than this.
MOST_FORMS = 5
#: An order that was not processed is repeated this often, and this many seconds are waited for it in all.
ATTEMPTS = 5
LONGEST_WAIT = 60.0

_INTERRUPTED = Outcome("in_doubt", "The run was interrupted while the order was being sent.")
_STOPPED = Outcome("not_sent", "The run was stopped before it sent this order.")
_NOT_BEGUN = Sent(_STOPPED)


@dataclass(frozen=True)
class Placed:
    """An order after this run: its record, and how the sending ended if this run sent it."""

    record: Record
    sent: Sent | None = None


@dataclass
class Delivery:
    """The sending of an order that this run has claimed. ``sent`` is its outcome, whatever stops it."""

    order: Order
    sent: Sent = _NOT_BEGUN


@dataclass(frozen=True)
class Payload:
    """An order as it is sent, the names of its settings, and the published form of its response."""

    content: bytes
    media_type: str
    settings: frozenset[str] = frozenset()
    answers: OrderAnswers = field(default_factory=OrderAnswers)


def _message(order: Order, shape: OrderShape, marker: str | None) -> Payload:
    content = json.dumps(body(order, shape, marker), ensure_ascii=False, allow_nan=False).encode()
    return Payload(content, shape.media_type, frozenset(order.settings), shape.answers)


def send(client: Client, message: Payload, pace: Pace, masker: Masker, file: AnswerFile) -> Sent:
    """Send one order and return how it ended. The response goes to ``file``. No exception leaves the outcome open."""
    sent, waited = Sent(_STOPPED), 0.0
    for attempt in range(1, ATTEMPTS + 1):
        if not pace.ready():
            break
        file.clear()
        try:
            answer = client.post_once(
                CONTRACTS, message.content, message.media_type, answer_types=message.answers.media_types
            )
        except UnreachableError as error:
            return Sent(Outcome("not_sent", error.message), error=error)
        except LostAnswerError as error:
            return Sent(Outcome("in_doubt", error.message), error=error)
        unsaved = file.write(answer.body)
        sent = masked_outcome(answer, masker, message.settings, message.answers)
        if unsaved is not None:
            sent = replace(sent, warning=" ".join(filter(None, (sent.warning, unsaved))))
        retry_after = answer.retry_after()
        wait = 2.0 ** (attempt - 1) if retry_after is None else retry_after
        waited += wait
        if verdict(answer.status) != "not_processed" or waited > LONGEST_WAIT:
            break
        pace.hold(wait)
    return sent


class Placer:
    """Places orders with one service and one ledger. ``job`` has the AWX job IDs that are stored with each order."""

    def __init__(
        self,
        service: Service,
        ledger: Ledger,
        *,
        wait_in_flight: float,
        job: Mapping[str, str | None] | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._service = service
        self.ledger = ledger
        self.wait_in_flight = wait_in_flight
        self._job = dict(job or {})
        self.pace = pace or Pace()
        #: What each order is marked with, by its name.
        self._markers: dict[str, str] = {}

    def place(self, order: Order) -> Placed:
        """Send the order unless its record shows that it was sent.

        An order that another run is placing is waited for, up to ``wait_in_flight`` seconds. Raises DuplicateError when
        the same thing was claimed under another name meanwhile, LedgerError when the claim cannot be written (nothing
        was sent in both cases), and UnrecordedError when the outcome cannot.
        """
        deadline = time.monotonic() + self.wait_in_flight
        while True:
            standing = self.claim([order])[0]
            if standing is None:
                return self.place_claimed(order)
            if standing.name != order.name:
                raise duplicate_error(order, Duplicate(standing.name, standing))
            left = deadline - time.monotonic()
            if standing.status != "pending" or left <= 0 or self.pace.stopped:
                return Placed(standing)
            wait_for_others(self.ledger, [order.name], left, self.pace)

    def claim(self, orders: Sequence[Order]) -> list[Record | None]:
        """Claim orders in one transaction. ``None`` if the claim is ours, otherwise the record that prevents it.

        That may be one of another name, see Ledger.claim.
        """
        return self.exchange([], orders)[1]

    def exchange(self, ended: Sequence[Delivery], orders: Sequence[Order]) -> tuple[list[Placed], list[Record | None]]:
        """Record the outcomes of deliveries, and claim other orders as claim() does, in one transaction.

        Raises LedgerError if either cannot be written. Nothing is written then.
        """
        # Each claim has a marker of its own: an earlier one may have been sent, too.
        self._markers |= {order.name: uuid.uuid4().hex for order in orders if order.marker_element}
        again = {order.name for order in orders if order.may_repeat}
        outcomes = {each.order.name: each.sent.outcome.masked(self._masker(each.order)) for each in ended}
        records, standing = self.ledger.exchange(outcomes, [self._request(order) for order in orders], again=again)
        return [Placed(records[each.order.name], each.sent) for each in ended], standing

    def place_claimed(self, order: Order) -> Placed:
        """Send an order that this run has claimed, and record the outcome, whatever happens in between."""
        delivery = Delivery(order)
        try:
            self.deliver(delivery)
        finally:
            placed = self.record(delivery)
        return placed

    def deliver(self, delivery: Delivery) -> None:
        """Send an order that this run has claimed. The outcome must be recorded afterwards, also after an error."""
        order = delivery.order
        masker, file = self._masker(order), AnswerFile(order.save_answer)
        try:
            shape: OrderShape | None = self._service.shape()
            tried: list[OrderShape] = []
            file.make()
            while shape is not None:
                message = _message(order, shape, self._markers.get(order.name))
                tried.append(shape)
                # From here on the outcome is unknown until an answer tells it.
                delivery.sent = Sent(_INTERRUPTED)
                delivery.sent = send(self._service.client, message, self.pace, masker, file)
                shape = self._other_form(delivery.sent, tried)
        finally:
            file.close(keep=delivery.sent.outcome.status not in RELEASED)

    def _other_form(self, sent: Sent, tried: Sequence[OrderShape]) -> OrderShape | None:
        """How else to write an order whose form was rejected: as the reference tells now, or in another media type."""
        status = sent.error.status if sent.error and sent.outcome.status == "rejected" else None
        if len(tried) == 1 and status in _OF_SHAPE:
            fresh = self._service.newer_shape(tried[0])
            if fresh is not None:
                return fresh
        if status != HTTPStatus.UNSUPPORTED_MEDIA_TYPE or len(tried) == MOST_FORMS:
            return None
        known = self._service.known_shape() or tried[0]
        rejected = {shape.media_type for shape in tried}
        # What the answer names, then the types of the operation's own answer.
        others = (each for each in (*sent.request_types, *known.answers.media_types) if each not in rejected)
        return next((replace(known, media_type=each) for each in others), None)

    def record(self, delivery: Delivery) -> Placed:
        """Record the outcome of a delivery. Raises UnrecordedError."""
        try:
            return self.exchange([delivery], [])[0][0]
        except LedgerError as error:
            order = delivery.order
            kept = delivery.sent.outcome.masked(self._masker(order))
            known = {"ordered": "ordered", "in_doubt": None}.get(kept.status, "absent")
            task = settling_task(order.name, self.ledger.place, state=known, contract_id=kept.contract_id)
            command = settling_command(order.name, self.ledger.place, state=known, contract_id=kept.contract_id)
            ended = (order.name, kept.status, kept.contract_id, kept.reason)
            raise UnrecordedError(*ended, error.message, settle_with=task, command=command) from error

    def _masker(self, order: Order) -> Masker:
        secrets = order_secrets(order) | {self._service.config.api_key}
        return Masker(secrets, settings=order.settings, names=order_names(order))

    def _request(self, order: Order) -> Request:
        key, marker, evidence = self.ledger.digest_key, self._markers.get(order.name), order.evidence
        return replace(
            bare_request(order, self._service.config),
            settings=kept_settings(order.settings, key, order.secret_names),
            additional_elements=kept_elements(order.additional_elements, key),
            awx_job_id=self._job.get("awx_job_id"),
            awx_workflow_job_id=self._job.get("awx_workflow_job_id"),
            evidence=replace(evidence or ClaimEvidence(), marker=marker) if evidence or marker else None,
        )
