# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends one request that costs money or changes something, and repeats it only if the service did not process it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from dataclasses import replace

from .._core.errors import READING_FAILURES, LostAnswerError, ServiceError, UnreachableError
from .._http.transport import Answer
from .._ledger.order_records import Outcome
from .._secrets.masker import Masker
from .answer_files import AnswerFile
from .outcomes import SendResult, proof_of

#: A request that was not processed is repeated this often, and this many seconds are waited for it in all.
ATTEMPTS = 5
LONGEST_WAIT = 60.0

NOT_BEGUN = SendResult(Outcome("not_sent", "The run was stopped before it sent this."))


class Pace:
    """Lets the threads of a run send, makes all of them wait, or stops all of them."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._until = 0.0

    def hold(self, seconds: float) -> None:
        """Send nothing for this many seconds."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)

    def ready(self) -> bool:
        """Wait until sending is allowed. ``False`` if the run is stopping and may not send anything."""
        while not self._stop.is_set():
            with self._lock:
                left = self._until - time.monotonic()
            if left <= 0:
                return True
            self._stop.wait(left)
        return False

    def stop(self) -> None:
        """Stop sending. Safe in a signal handler."""
        self._stop.set()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def sleep(self, seconds: float) -> None:
        """Sleep, unless the run is stopping."""
        self._stop.wait(seconds)


def send(
    request: Callable[[], Answer],
    read: Callable[[Answer], SendResult],
    masker: Masker,
    pace: Pace,
    file: AnswerFile,
    *,
    accepted: Collection[int] = (),
) -> SendResult:
    """Send a request and return how it ended, as ``read`` tells it from the response, which goes to ``file``.

    ``masker`` takes secrets out of what is said of a request without a response. A status in ``accepted`` is final,
    whatever it is. No error of reading leaves the outcome open: ``read`` must not
    raise, and nothing else of a response is looked at unless it says that the request was not processed.
    """
    result, waited = NOT_BEGUN, 0.0
    for attempt in range(ATTEMPTS):
        if not pace.ready():
            break
        file.clear()
        try:
            answer = request()
        except (UnreachableError, LostAnswerError) as error:
            error.mask(masker.text)
            begun = isinstance(error, LostAnswerError)
            return SendResult(Outcome("in_doubt" if begun else "not_sent", error.statement), error=error)
        except READING_FAILURES as failure:
            lost = ServiceError(f"The request was sent, and its answer cannot be read ({type(failure).__name__}).")
            return SendResult(Outcome("in_doubt", lost.message), error=lost)
        unsaved = file.write(answer.body)
        result = read(answer)
        if unsaved is not None:
            result = replace(result, warning=" ".join(filter(None, (result.warning, unsaved))))
        if proof_of(answer.status) != "not_processed" or answer.status in accepted:
            break
        wait = answer.retry_after()
        wait = 2.0**attempt if wait is None else wait
        waited += wait
        if waited > LONGEST_WAIT:
            break
        pace.hold(wait)
    return result
