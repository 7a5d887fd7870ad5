# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends a request that changes something. A named POST is claimed in the ledger before, as an order is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

from .._core.errors import ResellerError, ServiceError, UnreadableAnswerError
from .._core.text import clean
from .._http.answers import is_page
from .._http.client import Client, accept_header
from .._http.transport import Answer
from .._ledger.identity import other_kind_error, similar_name_error
from .._ledger.order_records import Kind, NamedOperation, Outcome, Record
from .._ledger.store import Ledger
from .._order.already_there import in_doubt_error
from .._order.drift import drift_error, operation_drift
from .._secrets.masker import contact_digest
from .operation_calls import OperationCall, body_of, failed
from .outcomes import contradiction, failed_outcome, proof_of
from .placer import Sender
from .sending import Delivery, Pace, send


class OperationSender(Sender[str]):
    """Sends one request. It has a name if a ledger records it. ``job`` has the AWX job IDs that are stored with it."""

    kind: Kind = "operation"

    def __init__(
        self, client: Client, call: OperationCall, save_answer: str | None, job: Mapping[str, str | None]
    ) -> None:
        self._client = client
        self.timeout = client.config.order_timeout
        self._call = call
        self._save_answer = save_answer
        self._job = job

    # One request

    def send(self, delivery: Delivery[str], pace: Pace) -> None:
        """Send the request. Raises ConfigurationError if its response could not be saved, before it is sent."""
        call = self._call

        def request(media_type: str | None) -> Answer:
            headers = {"Accept": accept_header(())} | ({"Content-Type": media_type} if media_type else {})
            return self._client.send_once(call.method, call.url, call.content, headers)

        send(
            delivery,
            request,
            self._outcome,
            call.masker,
            pace,
            media_type=None if call.content is None else "application/json",
            save_answer=self._save_answer,
            what=call.name,
        )

    def _outcome(self, answer: Answer) -> Outcome:
        """Return how it ended, as its response tells it. May raise READING_FAILURES."""
        call, proof, body, warning = self._call, proof_of(answer.status), None, None
        try:
            body = body_of(answer)
        except UnreadableAnswerError as flaw:
            warning = f"{call.name} was accepted (status {answer.status}). Its answer cannot be read: {flaw.message}"
        if not answer.ok:
            error = failed(answer, call)
            return failed_outcome("in_doubt" if proof == "in_doubt" else "rejected", error)._replace(body=body)
        is_proven = proof == "ordered" or (answer.flaw and not is_page(answer))
        against = None if is_proven else contradiction(answer, body)
        if against is None:
            return Outcome("ordered", warning=warning, body=body)
        error = ServiceError(
            f"{call.name} was answered {answer.status}, but the answer says otherwise: "
            f"{clean(call.masker.text(against), 200)}.",
            status=answer.status,
        )
        return failed_outcome("in_doubt", error)._replace(body=body)

    # In the ledger

    def request(self, name: str, ledger: Ledger) -> NamedOperation:
        """Return what the ledger keeps. Secrets are in no form in it."""
        call, config = self._call, self._client.config
        shown = json.dumps(call.shown, sort_keys=True, ensure_ascii=False)
        return NamedOperation(
            name,
            config.base_url,
            config.organization_id,
            call.name,
            contact_digest(shown, ledger.digest_key),
            self._job.get("awx_job_id"),
            self._job.get("awx_workflow_job_id"),
        )

    def other(self, name: str, record: Record) -> ResellerError:
        if record.kind != self.kind:
            return other_kind_error(record, "Nothing was sent")
        return similar_name_error(self.kind, name, record.name, "Nothing was sent")

    def refuse_other(self, record: Record, ledger: Ledger) -> None:
        """Raise ResellerError if the record of this name is another operation's, or in doubt."""
        if record.operation is not None:
            differences = operation_drift(record.operation, self.request(record.name, ledger))
            if differences:
                raise drift_error(record, differences)
        if record.status == "in_doubt":
            raise in_doubt_error(record)


def not_done(outcome: Outcome, status: int | None, call: OperationCall) -> ResellerError:
    """Return the error of a request that did not end as the task wants, or of which that is not known.

    ``status`` is that of its response.
    """
    if outcome.status == "ordered":
        error = ServiceError(f"{call.name} was done, but its status {status} is not in status_code.", status=status)
        error.results |= {"sent": True, "changed": True}
        return error
    error = outcome.error or ServiceError(outcome.reason or f"{call.name} was not sent.")
    if outcome.status != "in_doubt":
        error.kind = "rejected" if outcome.status == "rejected" else "unreachable"
        error.results["sent"] = outcome.status != "not_sent"
        if error.status == HTTPStatus.UNSUPPORTED_MEDIA_TYPE:
            error.parts.append("This module sends JSON only. For files and forms, use ansible.builtin.uri.")
        return error
    again = "This task sends it again when it is run again"
    advice = {
        "DELETE": "Read whether the thing is still there (reseller_operation_info), then run the task again.",
        "POST": f"{again}: look first whether it was done.",
    }.get(call.method, "Read what the service shows now, then run the task again.")
    return ResellerError(
        f"It is unknown whether {call.name} was done.\n{error.message}\n{advice}",
        kind="in_doubt",
        **{**error.results, "sent": True, "changed": True},
    )
