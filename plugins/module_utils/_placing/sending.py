# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends one request that costs money or changes something, and repeats it only if the service did not process it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from .._core.errors import READING_FAILURES, LostAnswerError, ResellerError, ServiceError, UnreachableError
from .._http.transport import Answer
from .._ledger.order_records import Outcome
from .._secrets.masker import Masker
from .answer_files import AnswerFile
from .outcomes import failed_outcome, proof_of, proven_outcome

#: A request that was not processed is sent this often at most.
ATTEMPTS = 5
#: Seconds after its claim in which an attempt may begin. Others rely on it, see Ledger.exchange.
LONGEST_WAIT = 60.0

_NOT_BEGUN = Outcome("not_sent", "The run was stopped before it sent this.")
_INTERRUPTED = Outcome("in_doubt", "The run was interrupted while this was being sent.")

Item = TypeVar("Item")


def _clocks() -> tuple[float, float]:
    """One goes on while the machine sleeps, the other one shows that somebody set it."""
    return time.time(), time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass
class Delivery(Generic[Item]):
    """The sending of something, made before its claim is written. ``outcome`` is how it ended, whatever stops it.

    ``answer`` is the last response. ``refusal`` prevented that it was sent. ``is_outdated``: it was rejected, perhaps
    because what is cached of the OpenAPI document is out of date.
    """

    item: Item
    outcome: Outcome = _NOT_BEGUN
    answer: Answer | None = None
    refusal: ResellerError | None = None
    is_outdated: bool = False
    _began: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        self._began = _clocks()

    @property
    def left(self) -> float:
        """Seconds in which attempts may begin, of LONGEST_WAIT by both clocks; 0 or less if none may any more."""
        return LONGEST_WAIT - max(now - began for now, began in zip(_clocks(), self._began, strict=True))


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

    @property
    def seconds_held(self) -> float:
        """For how many seconds nothing is sent."""
        with self._lock:
            return max(0.0, self._until - time.monotonic())

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
    delivery: Delivery[Item],
    request: Callable[[], Answer],
    read: Callable[[Answer], Outcome],
    masker: Masker,
    pace: Pace,
    file: AnswerFile,
    *,
    what: str = "the order",
) -> None:
    """Send a request, and set how that ended, as ``read`` tells it from the response, which goes to ``file``.

    No attempt begins after the time of the delivery: it ends as not sent, or as it was rejected.
    ``masker`` takes secrets out of what is said of a request without a response. No error of reading leaves the outcome
    open (see proven_outcome), and nothing else of a response is looked at unless it says that the request was not
    processed.
    """
    for attempt in range(ATTEMPTS):
        if not pace.ready():
            return
        if delivery.left <= 0:
            delivery.outcome = delivery.outcome if attempt else _too_late()
            return
        # If this answer is lost, none of an earlier attempt stands for it.
        file.write(b"")
        delivery.answer = None
        # From here on the outcome is unknown until a response tells it.
        delivery.outcome = _INTERRUPTED
        try:
            answer = request()
        except (UnreachableError, LostAnswerError) as error:
            error.mask(masker.text)
            delivery.outcome = failed_outcome("in_doubt" if isinstance(error, LostAnswerError) else "not_sent", error)
            return
        except READING_FAILURES as failure:
            lost = ServiceError(f"The request was sent, and its answer cannot be read ({type(failure).__name__}).")
            delivery.outcome = failed_outcome("in_doubt", lost)
            return
        unsaved = file.write(answer.body)
        try:
            delivery.outcome = read(answer)
        except READING_FAILURES as failure:
            delivery.outcome = proven_outcome(answer, what, masker, failure)
        delivery.answer = answer
        if unsaved is not None:
            both = " ".join(filter(None, (delivery.outcome.warning, unsaved)))
            delivery.outcome = delivery.outcome._replace(warning=both)
        if proof_of(answer.status) != "not_processed":
            return
        wait = answer.retry_after()
        wait = 2.0**attempt if wait is None else wait
        if wait >= delivery.left:
            return
        pace.hold(wait)


def _too_late() -> Outcome:
    error = UnreachableError(
        f"It could not be sent within {LONGEST_WAIT:g} seconds of its claim.\n"
        "The ledger or the machine was too slow, or the service asks to wait. Run the task again."
    )
    return failed_outcome("not_sent", error)
