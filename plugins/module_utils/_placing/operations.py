# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends an operation that changes something once. Repeats it only if the service reports that it did not process it.

A named operation is claimed in the ledger before, as an order is: whatever stops the run in between leaves it in doubt.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from .._core.errors import (
    ConfigurationError,
    DriftError,
    InDoubtError,
    InFlightError,
    LedgerError,
    LostAnswerError,
    ServiceError,
    UnreachableError,
    UnreadableAnswerError,
)
from .._core.text import clean
from .._http.answers import is_page
from .._http.client import Answer, Client
from .._http.config import ServiceConfig
from .._ledger.operation_records import NamedOperation, Operations, key_of, shown_operation
from .._ledger.order_records import RELEASED, Outcome, Record
from .._ledger.settling_tasks import settling_command, settling_operation
from .._operations.hiding import without
from .._operations.reading import body_of, failed, masker_of
from .._operations.requests import Prepared, canonical
from .._secrets.kept import contact_digest
from .._secrets.masker import masked
from .answer_files import AnswerFile
from .other_runs import wait_for_others
from .outcomes import contradiction, verdict
from .pace import Pace

#: A request that was not processed is repeated this often, and this many seconds are waited for it in all.
ATTEMPTS = 5
LONGEST_WAIT = 60.0

#: ``unknown``: the service may have done it. ``rejected`` and ``not_sent``: it has not.
End = Literal["done", "rejected", "not_sent", "unknown"]
_STATUSES: Mapping[End, Any] = {
    "done": "ordered",
    "unknown": "in_doubt",
    "rejected": "rejected",
    "not_sent": "not_sent",
}
_STOPPED = "The run was stopped before it sent this."
_INTERRUPTED = Outcome("in_doubt", "The run was interrupted while the operation was being sent.")


@dataclass(frozen=True)
class Sent:
    """The end of sending: the response, and the error that says why the operation is not done."""

    end: End
    answer: Answer | None = None
    body: Any = None
    error: ServiceError | None = None
    warning: str | None = None


class OperationSender:
    """Sends operations through one client. ``accepted`` are additional statuses that mean success."""

    def __init__(
        self,
        client: Client,
        *,
        accepted: Collection[int] = (),
        pace: Pace | None = None,
        save_answer: str | None = None,
    ) -> None:
        self._client = client
        self._accepted = frozenset(accepted)
        self._save_answer = save_answer
        self.pace = pace or Pace()

    def send(self, prepared: Prepared) -> Sent:
        """Send a request. Raises ConfigurationError if its response could not be saved, before anything is sent."""
        file = AnswerFile(self._save_answer)
        file.make()
        sent = Sent("unknown")
        try:
            sent = self._send(prepared, file)
        finally:
            file.close(keep=sent.end in ("done", "unknown"))
        return sent

    def _send(self, prepared: Prepared, file: AnswerFile) -> Sent:
        masker = masker_of(prepared, self._client.config.api_key)
        headers = {**prepared.headers, "Accept": prepared.accept}
        sent, waited = Sent("not_sent", error=ServiceError(_STOPPED)), 0.0
        for attempt in range(1, ATTEMPTS + 1):
            if not self.pace.ready():
                break
            file.clear()
            try:
                answer = self._client.send_once(prepared.method, prepared.url, prepared.content, headers)
            except UnreachableError as error:
                error.message = masker.text(error.message)
                return Sent("not_sent", error=error)
            except LostAnswerError as error:
                error.message = masker.text(error.message)
                return Sent("unknown", error=error)
            unsaved = file.write(answer.body)
            sent = self._judged(answer, prepared)
            sent = replace(sent, warning=" ".join(filter(None, (sent.warning, unsaved))) or None)
            retry_after = answer.retry_after()
            wait = 2.0 ** (attempt - 1) if retry_after is None else retry_after
            waited += wait
            if verdict(answer.status) != "not_processed" or answer.status in self._accepted or waited > LONGEST_WAIT:
                break
            self.pace.hold(wait)
        return sent

    def _judged(self, answer: Answer, prepared: Prepared) -> Sent:
        if answer.status in self._accepted or answer.ok:
            return self._accepted_one(answer, prepared)
        error = failed(answer, prepared, masker_of(prepared, self._client.config.api_key))
        return Sent("unknown" if verdict(answer.status) == "in_doubt" else "rejected", answer, error=error)

    def _accepted_one(self, answer: Answer, prepared: Prepared) -> Sent:
        name, body, warning = prepared.operation.name, None, None
        try:
            body = body_of(answer)
        except UnreadableAnswerError as unreadable:
            warning = f"{name} was accepted (status {answer.status}). Its answer cannot be read: {unreadable.message}"
        against = None if answer.status in (201, 202, 204) else contradiction(answer, body)
        if against is None or answer.status in self._accepted or (answer.flaw and not is_page(answer)):
            return Sent("done", answer, body, warning=warning)
        error = ServiceError(
            f"{name} was answered {answer.status}, but the answer says otherwise: {clean(against, 200)}.\n"
            "It is unknown whether the service did it. Look it up in the customer portal.",
            status=answer.status,
        )
        return Sent("unknown", answer, body, error)


class NamedSender:
    """Sends named operations, each once for each ledger."""

    def __init__(
        self,
        sender: OperationSender,
        operations: Operations,
        config: ServiceConfig,
        *,
        wait_in_flight: float,
        job: Mapping[str, str | None],
    ) -> None:
        self._sender = sender
        self._operations = operations
        self._config = config
        self._wait = wait_in_flight
        self._job = job

    def recorded(self, name: str, prepared: Prepared) -> Record | None:
        """The record of an operation that was sent or is being sent. ``None`` if it may be sent.

        Raises InDoubtError with the task that settles it, and DriftError if the name was another operation's.
        """
        record = self._operations.find(name)
        if record is None or record.status in RELEASED:
            return None
        self._refuse_other(record, prepared)
        if record.status == "in_doubt":
            raise in_doubt(record, self._operations.place)
        return record

    def send(self, name: str, prepared: Prepared) -> tuple[Record, Sent | None]:
        """Send an operation unless its record shows that it was sent. Return the record, and how the sending ended.

        Raises what recorded() raises, InFlightError if another run does not end in time, and LedgerError.
        """
        deadline = time.monotonic() + self._wait
        while True:
            standing = self._operations.claim(self._named(name, prepared))
            if standing is None:
                return self._claimed(name, prepared)
            self._refuse_other(standing, prepared)
            if standing.status == "in_doubt":
                raise in_doubt(standing, self._operations.place)
            left = deadline - time.monotonic()
            if standing.status != "pending":
                return standing, None
            if left <= 0 or self._sender.pace.stopped:
                raise InFlightError(
                    f"Another run is sending the operation {name} since {standing.claimed_at}. It was not sent here.\n"
                    f"It was waited for, {self._wait:g} seconds. Run again when that run has ended.",
                    record=shown_operation(standing),
                )
            wait_for_others(self._operations.ledger, [key_of(name)], left, self._sender.pace)

    def _claimed(self, name: str, prepared: Prepared) -> tuple[Record, Sent | None]:
        outcome = _INTERRUPTED
        masker = masker_of(prepared, self._config.api_key)
        try:
            sent = self._sender.send(prepared)
            reason = None if sent.error is None else masker.text(sent.error.message)
            outcome = Outcome(_STATUSES[sent.end], reason)
        except ConfigurationError as error:
            outcome = Outcome("not_sent", error.message)
            raise
        finally:
            self._record(name, outcome)
        found = self._operations.find(name)
        return found or Record(name, outcome, None, None, None, None, ""), sent

    def _record(self, name: str, outcome: Outcome) -> None:
        try:
            self._operations.record(name, outcome)
        except LedgerError as error:
            ended = {"ordered": "was done", "in_doubt": "may have been done"}.get(outcome.status, "was not done")
            state = _SETTLED.get(outcome.status)
            task = settling_operation(name, self._operations.place, state=state)
            command = settling_command(name, self._operations.place, state=state, kind="operation")
            raise LedgerError(
                f"The operation {name} {ended}, but this could not be recorded.\n{error.message}\n"
                f"It is in doubt until it is settled. When the ledger can be written again, run this line:\n{command}",
                settle_with=task,
            ) from error

    def _named(self, name: str, prepared: Prepared) -> NamedOperation:
        shown: str = masked(prepared.path, prepared.hidden)
        return NamedOperation(
            name=name,
            operation=prepared.operation.name,
            path=shown,
            digest=self._digest(prepared),
            service=self._config.base_url,
            organization_id=self._config.organization_id,
            awx_job_id=self._job.get("awx_job_id"),
            awx_workflow_job_id=self._job.get("awx_workflow_job_id"),
        )

    def _digest(self, prepared: Prepared) -> str:
        """What tells whether a later task asks for the same; secrets are left out, since none is kept in any form."""
        body = masked(without(prepared.body, prepared.secret_paths), prepared.hidden)
        url = masked(prepared.url.removeprefix(self._config.base_url), prepared.hidden)
        return contact_digest(canonical([prepared.operation.name, url, body]), self._operations.ledger.digest_key)

    def _refuse_other(self, record: Record, prepared: Prepared) -> None:
        request = record.request
        if request is None:
            return
        wanted = self._named(record.name, prepared)
        pairs = {
            "operation": (request.product, wanted.operation),
            "path": (request.settings.get("path"), wanted.path),
            "base_url": (request.service, wanted.service),
            "organization_id": (request.organization_id, wanted.organization_id),
        }
        listed = [
            f"  - {what}: recorded {old!r}, requested {new!r}" for what, (old, new) in pairs.items() if old != new
        ]
        if not listed and request.settings.get("digest") == wanted.digest:
            return
        raise DriftError(
            f"The operation {record.name} differs from its record in the ledger. It is not sent again.\n"
            + "\n".join(listed or ["  - query or body: not as recorded (they are kept as a digest only)"])
            + "\nRestore the recorded values, or use another name to send another operation.",
            record=shown_operation(record),
        )


_SETTLED = {"ordered": "done", "rejected": "absent", "not_sent": "absent"}


def in_doubt(record: Record, ledger: str) -> InDoubtError:
    """The error of an operation in doubt, with the task that settles it."""
    task = settling_operation(record.name, ledger)
    request = record.request
    what = f": {request.product} at {request.service}" if request else ""
    reason = record.outcome.reason or "The run that was sending it ended before it wrote down how it went."
    return InDoubtError(
        f"The operation {record.name} is in doubt: the service may have done it. It is not sent again.\n"
        f"Claimed at {record.claimed_at}{what}. Reason: {reason}\n"
        "Check the customer portal. If it was done, run this line. If it was not and never will be, run it with absent "
        f"instead of done.\n{settling_command(record.name, ledger, kind='operation')}",
        record=shown_operation(record),
        settle_with=task,
    )
