# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends an order: in the form that the service publishes, and in another one if that form is rejected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from http import HTTPStatus

from .._core.errors import ResellerError
from .._http.client import accept_header
from .._http.transport import Answer
from .._ledger.identity import folded_name, other_kind_error, similar_name_error
from .._ledger.order_records import RELEASED, Kind, Outcome, Record, Request
from .._ledger.store import Ledger
from .._order.already_there import duplicate_error
from .._order.order import CONTRACTS, Order, body
from .._order.service import Service
from .._reference.order_shape import OrderShape
from .._secrets.ledger_values import kept_elements, kept_settings
from .._secrets.masker import Masker
from .outcomes import named_types, order_outcome
from .placer import Sender
from .sending import AnswerFile, Delivery, Pace, send

_NOT_OF_ORDERS = frozenset({"application/problem+json", "application/merge-patch+json", "application/vnd.api+json"})
#: Rejections that may mean that the request's shape is out of date, if it was read from the cache.
_OF_SHAPE = frozenset({400, 404, 405, 415, 422})
#: An order is written in no more forms than this.
MOST_FORMS = 5


class OrderSender(Sender[Order]):
    """Sends orders to one service. ``job`` has the AWX job IDs that are stored with each order.

    ``approval`` is the digest of the plan that approved them, if one did.
    """

    kind: Kind = "order"

    def __init__(
        self, service: Service, job: Mapping[str, str | None] | None = None, approval: str | None = None
    ) -> None:
        self._service = service
        self.timeout = service.config.order_timeout
        self._job = dict(job or {})
        self._approval = approval

    def key(self, order: Order) -> str:
        return order.name

    def other(self, order: Order, record: Record) -> ResellerError:
        if record.kind != self.kind:
            return other_kind_error(record, "This order was not sent")
        if folded_name(record.name) == folded_name(order.name):
            return similar_name_error(self.kind, order.name, record.name, "This order was not sent")
        return duplicate_error(order, record)

    def request(self, order: Order, ledger: Ledger) -> Request:
        """What the ledger keeps of an order. Secrets are in no form in it."""
        request, key = order.request, ledger.digest_key
        return replace(
            request,
            settings=kept_settings(request.settings, key, order.secret_names),
            additional_elements=kept_elements(request.additional_elements, key),
            awx_job_id=self._job.get("awx_job_id"),
            awx_workflow_job_id=self._job.get("awx_workflow_job_id"),
            approval=self._approval,
        )

    def send(self, delivery: Delivery[Order], pace: Pace) -> None:
        """Send an order. Raises ConfigurationError and ServiceError before anything is sent."""
        order, service = delivery.item, self._service
        masker = Masker(order.secrets | {service.config.api_key}, settings=order.request.settings, kept=order.names)
        file, tried = AnswerFile(order.save_answer), set[str]()
        try:
            shape: OrderShape | None = service.shape()
            file.make()
            while shape is not None:
                tried.add(shape.media_type)
                self._send_as(shape, delivery, masker, pace, file)
                delivery.is_outdated = service.shape_may_be_outdated and _rejection(delivery) in _OF_SHAPE
                shape = self._in_other_type(shape, delivery, tried)
        finally:
            file.close(keep=delivery.outcome.status not in RELEASED)

    def _send_as(
        self, shape: OrderShape, delivery: Delivery[Order], masker: Masker, pace: Pace, file: AnswerFile
    ) -> None:
        order, service, answers = delivery.item, self._service, shape.answers
        document = body(order, shape)
        content = json.dumps(document, ensure_ascii=False, allow_nan=False).encode()

        headers = {"Content-Type": shape.media_type, "Accept": accept_header(answers.media_types)}

        def request() -> Answer:
            return service.client.send_once("POST", CONTRACTS, content, headers)

        def read(answer: Answer) -> Outcome:
            return order_outcome(answer, masker, frozenset(order.request.settings), answers)

        send(delivery, request, read, masker, pace, file)

    def renew(self) -> bool:
        return self._service.renew_shape()

    @staticmethod
    def _in_other_type(shape: OrderShape, delivery: Delivery[Order], tried: AbstractSet[str]) -> OrderShape | None:
        """Return the form in another media type that the answer names, if its own was rejected."""
        if _rejection(delivery) != HTTPStatus.UNSUPPORTED_MEDIA_TYPE or len(tried) == MOST_FORMS:
            return None
        named = named_types(delivery.answer) if delivery.answer else ()
        return next((replace(shape, media_type=each) for each in named if each not in tried | _NOT_OF_ORDERS), None)


def _rejection(delivery: Delivery[Order]) -> int | None:
    """Return the status that rejected an order."""
    error = delivery.outcome.error
    return error.status if error and delivery.outcome.status == "rejected" else None
