# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends an operation that changes something. A named one is claimed in the ledger before, as an order is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core.errors import ResellerError, ServiceError, UnreadableAnswerError
from .._core.text import clean
from .._http.answers import is_page
from .._http.client import Client
from .._http.transport import Answer
from .._ledger.identity import other_kind_error, similar_name_error
from .._ledger.order_records import RELEASED, Kind, Outcome, Record, Request, Status
from .._ledger.store import Ledger
from .._operations.operation_reads import body_of, failed
from .._operations.requests import Prepared
from .._order.already_there import in_doubt_error
from .._order.drift import drift_error, operation_drift
from .._secrets.ledger_values import contact_digest
from .answer_files import AnswerFile
from .outcomes import SendResult, contradiction, proof_of
from .placer import Sender
from .sending import Delivery, Pace, send


class OperationSender(Sender[str]):
    """Sends one operation as the options of its task say. It has a name if a ledger records it."""

    kind: Kind = "operation"

    def __init__(
        self, client: Client, prepared: Prepared, params: Mapping[str, Any], job: Mapping[str, str | None]
    ) -> None:
        self._client = client
        self.timeout = client.config.order_timeout
        self._prepared = prepared
        self._accepted = params["accept_status"]
        self._save_answer = params["save_answer"]
        self._job = job

    # One request

    def sent(self, pace: Pace) -> SendResult:
        """Send a request that no ledger records. Raises ConfigurationError if its response could not be saved."""
        delivery = Delivery("")
        self.send(delivery, pace)
        return delivery.sent

    def send(self, delivery: Delivery[str], pace: Pace) -> None:
        """Send the operation. Raises ConfigurationError if its response could not be saved, before it is sent."""
        prepared, file = self._prepared, AnswerFile(self._save_answer)
        headers = {**prepared.headers, "Accept": prepared.accept}

        def request() -> Answer:
            return self._client.send_once(prepared.method, prepared.url, prepared.content, headers)

        file.make()
        try:
            what, accepted = prepared.operation.name, self._accepted
            send(delivery, request, self._result, prepared.masker, pace, file, what=what, accepted=accepted)
        finally:
            file.close(keep=delivery.sent.status not in RELEASED)

    def _result(self, answer: Answer) -> SendResult:
        """How it ended, as its response tells it. May raise READING_FAILURES."""
        prepared, proof, body, warning = self._prepared, proof_of(answer.status), None, None
        name, is_accepted = prepared.operation.name, answer.status in self._accepted
        if not is_accepted and not answer.ok:
            return _ended("in_doubt" if proof == "in_doubt" else "rejected", failed(answer, prepared), answer)
        try:
            body = body_of(answer)
        except UnreadableAnswerError as flaw:
            warning = f"{name} was accepted (status {answer.status}). Its answer cannot be read: {flaw.message}"
        is_proven = is_accepted or proof == "ordered" or (answer.flaw and not is_page(answer))
        against = None if is_proven else contradiction(answer, body)
        if against is None:
            return SendResult(Outcome("ordered"), body, warning=warning, answer=answer)
        error = ServiceError(
            f"{name} was answered {answer.status}, but the answer says otherwise: "
            f"{clean(prepared.masker.text(against), 200)}.\n"
            "It is unknown whether the service did it. Look it up in the customer portal.",
            status=answer.status,
        )
        return _ended("in_doubt", error, answer, body)

    # In the ledger

    def key(self, name: str) -> str:
        return name

    def request(self, name: str, ledger: Ledger) -> Request:
        """What the ledger keeps of the operation. Secrets are in no form in it."""
        prepared, config = self._prepared, self._client.config
        return Request(
            name=name,
            service=config.base_url,
            organization_id=config.organization_id,
            end_user="",
            product=prepared.operation.name,
            product_name=None,
            product_type="",
            settings={
                "path": prepared.masker.value(prepared.path),
                "digest": contact_digest(prepared.canonical, ledger.digest_key),
            },
            awx_job_id=self._job.get("awx_job_id"),
            awx_workflow_job_id=self._job.get("awx_workflow_job_id"),
        )

    def other(self, name: str, record: Record, _ledger: Ledger) -> ResellerError:
        if record.kind != self.kind:
            return other_kind_error(record, "Nothing was sent")
        return similar_name_error(self.kind, name, record.name, "Nothing was sent")

    def refuse_other(self, record: Record, ledger: Ledger) -> None:
        """Raise ResellerError if the record of this name is another operation's (drift), or in doubt."""
        if record.request is not None:
            differences = operation_drift(record.request, self.request(record.name, ledger))
            if differences:
                raise drift_error(record, differences, ledger.place)
        if record.status == "in_doubt":
            raise in_doubt_error(record, ledger.place)


def _ended(status: Status, error: ServiceError, answer: Answer, body: Any = None) -> SendResult:
    return SendResult(Outcome(status, error.statement), body, error, answer=answer)


def not_done(sent: SendResult, prepared: Prepared, *, repeatable: bool) -> ResellerError:
    """The error of an operation that was not done or is in doubt."""
    error = sent.error or ServiceError(sent.outcome.reason or f"{prepared.operation.name} was not sent.")
    if sent.status != "in_doubt":
        error.kind = "rejected" if sent.status == "rejected" else "unreachable"
        error.results["sent"] = sent.status != "not_sent"
        return error
    advice = (
        "This task sends it again when it is run again: look first whether it was done."
        if repeatable
        else "It is not sent again in this run. Look whether it was done, then run the task again."
    )
    return ResellerError(
        f"It is unknown whether {prepared.operation.name} was done.\n{error.message}\n{advice}",
        kind="in_doubt",
        **{**error.results, "sent": True, "changed": True},
    )
