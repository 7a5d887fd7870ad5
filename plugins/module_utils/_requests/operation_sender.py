# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends one request that changes something. A named POST is claimed in the ledger before, as an order is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from .._adapter.context import Context
from .._core.errors import ResellerError, ServiceError, UnreadableAnswerError
from .._core.text import clean
from .._http.client import ACCEPT, Client
from .._http.transport import RawAnswer
from .._ledger.identity import taken_name_error
from .._ledger.order_records import Kind, NamedOperation, Outcome, Record
from .._ledger.store import Ledger
from .._orders.drift import operation_drift
from .._orders.order_errors import drift_error, in_doubt_error
from .._placing.outcomes import failed_outcome, page_or_problem, proof_of
from .._placing.placer import End, Placer
from .._placing.sending import Message, Pace, Sender
from .._secrets.masker import contact_digest
from .._service.receipts import SentOrder, request_failure
from .operation_call import OperationCall, body_of, failed


class OperationSender(Sender[str]):
    """Sends one request. It has a name if a ledger records it. ``job`` has the AWX job IDs that are stored with it."""

    kind: Kind = "operation"

    def __init__(self, client: Client, call: OperationCall, save_answer: str | None, job: Mapping[str, Any]) -> None:
        self._client = client
        self.timeout = client.config.order_timeout
        self._call = call
        self._save_answer = save_answer
        self._job = job

    # One request

    def message(self, _name: str = "") -> Message:
        """Return what is sent."""
        call = self._call

        def post(media_type: str | None, check: Callable[[], None]) -> RawAnswer:
            headers = {"Accept": ACCEPT} | ({"Content-Type": media_type} if media_type else {})
            return self._client.send_once(call.method, call.url, call.content, headers, check)

        media_type = None if call.content is None else "application/json"
        return Message(post, self._outcome, call.masker, media_type, self._save_answer, call.name)

    def _outcome(self, answer: RawAnswer, _sent: SentOrder) -> Outcome:
        """Return how it ended, as its response tells it. May raise READING_FAILURES."""
        call, proof, body, warning = self._call, proof_of(answer.status), None, None
        shown = answer.masked(call.masker)
        try:
            body = body_of(answer, shown)
        except UnreadableAnswerError as flaw:
            warning = f"{call.name} was accepted (status {answer.status}). Its answer cannot be read: {flaw.message}"
        if not answer.ok:
            return failed_outcome(proof, failed(shown, call))._replace(body=body)
        against = page_or_problem(shown)
        if against is None and request_failure(body) is None:
            return Outcome("ordered", warning=warning, body=body)
        against = against or request_failure(body_of(shown, shown)) or "it has a word of failure"
        error = ServiceError(
            f"{call.name} was answered {answer.status}, but the answer says otherwise: {clean(against, 200)}.",
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
            **self._job,
        )

    def other(self, name: str, record: Record) -> ResellerError | None:
        return taken_name_error(self.kind, name, record, "Nothing was sent")

    def refuse_other(self, record: Record, ledger: Ledger) -> None:
        """Raise ResellerError if the record of this name is another operation's, or in doubt."""
        if record.operation is not None:
            differences = operation_drift(record.operation, self.request(record.name, ledger))
            if differences:
                raise drift_error(record, differences)
        if record.status == "in_doubt":
            raise in_doubt_error(record)


def sent_once(
    context: Context,
    sender: OperationSender,
    ledger: Ledger,
    name: str,
    stopped: str,
    renewed: Callable[[Sequence[int], bool], Mapping[int, str | ResellerError]] = lambda _indexes, _outdated: {},
) -> tuple[Record, End]:
    """Send the named request unless another run does: its record, and how it ended. Raises ResellerError.

    ``stopped`` says what was not done, if the run was stopped before. ``renewed`` is that of Placer.
    """
    pace = Pace(context.clocks)
    with context.signals_held(pace.stop):
        end = Placer(sender, ledger, pace=pace, renewed=renewed).place(name)
    if end is None:
        raise ServiceError(f"{stopped}: the run was stopped before.")
    if end.record is None:
        raise end.error or ServiceError(f"{stopped}.")
    return end.record, end


def not_done(outcome: Outcome, status: int | None, call: OperationCall) -> ResellerError:
    """Return the error of a request that did not end as the task wants, or of which that is not known.

    ``status`` is that of its response.
    """
    if outcome.status == "ordered":
        error = ServiceError(f"{call.name} was done, but its status {status} is not in status_code.", status=status)
        return error.with_results(sent=True, changed=True)
    error = outcome.error or ServiceError(outcome.reason or f"{call.name} was not sent.")
    if outcome.status != "in_doubt":
        if error.status == HTTPStatus.UNSUPPORTED_MEDIA_TYPE:
            error = error.saying(
                *error.parts, "This module sends JSON only. For files and forms, use ansible.builtin.uri."
            )
        return error.with_results(
            kind="rejected" if outcome.status == "rejected" else "unreachable", sent=outcome.status != "not_sent"
        )
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
