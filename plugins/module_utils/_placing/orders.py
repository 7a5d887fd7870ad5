# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends an order in the form that the service publishes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from .._core.errors import ResellerError
from .._http.client import accept_header
from .._http.transport import Answer
from .._ledger.identity import folded_name, other_kind_error, similar_name_error
from .._ledger.order_records import Kind, Outcome, Record, Request
from .._ledger.store import Ledger
from .._order.already_there import duplicate_error
from .._order.order import CONTRACTS, Order, body
from .._order.service import Service
from .._secrets.masker import Masker, kept_elements, kept_settings
from .outcomes import order_outcome
from .placer import Sender
from .sending import Delivery, Pace, send

#: Rejections that may mean that the request's shape is out of date, if it was read from the cache.
_OF_SHAPE = frozenset({400, 404, 405, 415, 422})


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

    def other(self, order: Order, record: Record) -> ResellerError:
        if record.kind != self.kind:
            return other_kind_error(record, "This order was not sent")
        if folded_name(record.name) == folded_name(order.name):
            return similar_name_error(self.kind, order.name, record.name, "This order was not sent")
        return duplicate_error(order.request, record, "This order was not sent.")

    def request(self, order: Order, ledger: Ledger) -> Request:
        """Return what the ledger keeps of an order. Secrets are in no form in it."""
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
        settings, shape = order.request.settings, service.shape()
        masker = Masker(order.secrets | {service.config.api_key}, settings=settings, kept=order.names)
        content = json.dumps(body(order, shape), ensure_ascii=False, allow_nan=False).encode()

        def request(media_type: str | None) -> Answer:
            headers = {
                "Content-Type": media_type or shape.media_type,
                "Accept": accept_header(shape.answers.media_types),
            }
            return service.client.send_once("POST", CONTRACTS, content, headers)

        def read(answer: Answer) -> Outcome:
            return order_outcome(answer, masker, frozenset(settings), shape.answers)

        send(delivery, request, read, masker, pace, media_type=shape.media_type, save_answer=order.save_answer)
        error = delivery.outcome.error
        is_of_shape = delivery.outcome.status == "rejected" and error is not None and error.status in _OF_SHAPE
        delivery.is_outdated = is_of_shape and service.shape_may_be_outdated

    def renew(self) -> bool:
        return self._service.renew_shape()
