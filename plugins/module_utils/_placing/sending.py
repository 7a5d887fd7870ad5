# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends one request that costs money or changes something, and repeats it only if the service did not process it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeVar

from .._core.clocks import Clocks
from .._core.errors import (
    READING_FAILURES,
    LostAnswerError,
    ResellerError,
    ServiceError,
    UnreachableError,
)
from .._core.text import is_uuid
from .._http.answer_file import AnswerFile
from .._http.client import ACCEPT
from .._http.transport import RawAnswer
from .._ledger.identity import taken_name_error
from .._ledger.order_records import Claim, Kind, Outcome, Record, StoredRequest
from .._ledger.store import Ledger
from .._orders.order import CONTRACTS, Order, body
from .._orders.order_errors import duplicate_error
from .._product_types.registry import CONTACT_SETTINGS
from .._secrets.masker import Masker
from .._service.receipts import SentOrder
from .._service.service import Service
from .outcomes import NOT_PROCESSED, failed_outcome, named_types, order_outcome, proof_of, proven_outcome, sent_order

#: A request that was not processed is sent this often at most.
ATTEMPTS = 5
#: Seconds after its claim in which an attempt may begin. Others rely on it, see Ledger.exchange.
LONGEST_WAIT = 60.0

#: In as many media types a request is sent at most.
MOST_TYPES = 5
#: They describe errors, and in the body of an order or operation, nothing.
_NOT_OF_BODIES = frozenset({"application/problem+json", "application/json-patch+json"})

_LATE = (
    f"It could not be sent within {LONGEST_WAIT:g} seconds of its claim.\n"
    "The ledger or the machine was too slow, or the service asks to wait. Run the task again."
)
_NOT_BEGUN = Outcome("not_sent", "The run was stopped before it sent this.")
INTERRUPTED = Outcome("in_doubt", "The run was interrupted while this was being sent.")

Item = TypeVar("Item")
Sent = TypeVar("Sent", contravariant=True)


@dataclass
class Delivery:
    """The sending of something, made before its claim is written."""

    #: Its name in the ledger.
    name: str = ""
    #: How it ended, whatever stops it.
    outcome: Outcome = _NOT_BEGUN
    #: The last response.
    answer: RawAnswer | None = None
    #: What prevented that it was sent.
    refusal: ResellerError | None = None
    #: Reads the last response again: the outcome if these of its ``related`` IDs are of other orders in the ledger.
    outcome_if_known: Callable[[frozenset[str]], Outcome] | None = None
    clocks: Clocks = field(default_factory=Clocks)

    def __post_init__(self) -> None:
        self._began = self._now

    @property
    def _now(self) -> tuple[float, float]:
        """One goes on while the machine sleeps, the other one shows that somebody set it."""
        return self.clocks.wall(), self.clocks.since_boot()

    @property
    def left(self) -> float:
        """Seconds in which attempts may begin, of LONGEST_WAIT by both clocks; 0 or less if none may any more."""
        return LONGEST_WAIT - max(now - began for now, began in zip(self._now, self._began, strict=True))

    def check_time(self) -> None:
        """Raise UnreachableError if no attempt may begin any more."""
        if self.left <= 0:
            raise UnreachableError(_LATE)


class Pace:
    """Lets the threads of a run send, makes all of them wait, or stops all of them."""

    def __init__(self, clocks: Clocks | None = None) -> None:
        self.clocks = clocks or Clocks()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._until = 0.0

    def hold(self, seconds: float) -> None:
        """Send nothing for this many seconds."""
        with self._lock:
            self._until = max(self._until, self.clocks.monotonic() + seconds)

    def ready(self) -> bool:
        """Wait until sending is allowed. ``False`` if the run is stopping and may not send anything."""
        while not self.stopped:
            if not self.seconds_held:
                return True
            self.clocks.wait_until(self._until, self._stop)
        return False

    @property
    def seconds_held(self) -> float:
        """For how many seconds nothing is sent."""
        return max(0.0, self._until - self.clocks.monotonic())

    def stop(self) -> None:
        """Stop sending. Safe in a signal handler."""
        self._stop.set()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def sleep(self, seconds: float) -> None:
        """Sleep, unless the run is stopping."""
        self.clocks.wait_until(self.clocks.monotonic() + seconds, self._stop)


@dataclass(frozen=True)
class Message:
    """A request that costs money or changes something."""

    #: Sends it in a media type. It calls what it is given once the connection stands, right before the first byte.
    post: Callable[[str | None, Callable[[], None]], RawAnswer]
    #: Reads its response; that to an order beside what was sent.
    read: Callable[[RawAnswer, SentOrder], Outcome]
    #: Takes secrets out of what is said of a request without a response.
    masker: Masker
    #: ``None`` without a body.
    media_type: str | None = "application/json"
    #: The path of the file for the response.
    save_answer: str | None = None
    #: What is sent, in words; ``order`` if it is one.
    what: str = "the order"
    order: SentOrder | None = None


def send(delivery: Delivery, message: Message, pace: Pace) -> None:
    """Send a request, and set how that ended. Its response is saved.

    If the service rejects its media type (415), it is sent in another JSON type that the response names: some take
    application/ld+json or application/merge-patch+json alone. No attempt begins after the time of the delivery: it ends
    as not sent, or as it was rejected. Raises ConfigurationError before anything is sent if the response could not be
    saved.
    """
    types, attempts = [message.media_type], 0
    with closing(AnswerFile(message.save_answer)) if message.save_answer else nullcontext() as file:
        while pace.ready():
            if delivery.left <= 0:
                delivery.outcome = delivery.outcome if attempts else failed_outcome("not_sent", UnreachableError(_LATE))
                return
            answer, attempts = _answer(delivery, message, types[-1], file), attempts + 1
            if answer is not None and answer.status in NOT_PROCESSED:
                wait = answer.retry_after()
                wait = 2.0 ** (attempts - 1) if wait is None else wait
                if attempts == ATTEMPTS or wait >= delivery.left:
                    return
                pace.hold(wait)
            elif (other := _other_type(answer, types)) is not None:
                types.append(other)
                attempts = 0
            else:
                return


def _other_type(answer: RawAnswer | None, types: Sequence[str | None]) -> str | None:
    """Return the next type for a request whose media types so far the service rejects, if the response names one."""
    if answer is None or answer.status != HTTPStatus.UNSUPPORTED_MEDIA_TYPE:
        return None
    others = [named for named in named_types(answer) if named not in types and named not in _NOT_OF_BODIES]
    return others[0] if others and types[0] and len(types) < MOST_TYPES else None


def _answer(delivery: Delivery, message: Message, media_type: str | None, file: AnswerFile | None) -> RawAnswer | None:
    """Send a request once, and return the response.

    No error of reading leaves the outcome open (see proven_outcome), and nothing else of a response is looked at unless
    it says that the request was not processed.
    """
    delivery.answer = None
    # From here on the outcome is unknown until a response tells it.
    delivery.outcome = INTERRUPTED
    try:
        answer = message.post(media_type, delivery.check_time)
    except (UnreachableError, LostAnswerError) as error:
        status: Literal["in_doubt", "not_sent"] = "in_doubt" if isinstance(error, LostAnswerError) else "not_sent"
        delivery.outcome = failed_outcome(status, error.masked(message.masker.text))
        return None
    except READING_FAILURES as failure:
        lost = ServiceError(f"The request was sent, and its answer cannot be read ({type(failure).__name__}).")
        delivery.outcome = failed_outcome("in_doubt", lost)
        return None
    # None of what was not accepted stands for an answer that is lost after it.
    unsaved = file.write(answer.body) if file is not None and proof_of(answer.status) != "rejected" else None

    def outcome_if_known(others: frozenset[str]) -> Outcome:
        sent = message.order and message.order._replace(known=message.order.known | others)
        try:
            outcome = message.read(answer, sent or SentOrder())
        except READING_FAILURES as failure:
            outcome = proven_outcome(answer, message.what, message.masker, failure, sent)
        return outcome._replace(warning=" ".join(filter(None, (outcome.warning, unsaved))) or None)

    delivery.outcome = outcome_if_known(frozenset())
    delivery.answer, delivery.outcome_if_known = answer, outcome_if_known
    return answer


# What is sent


class Sender(Protocol[Sent]):
    """The way of orders or of operations, all of one ``kind``."""

    kind: Kind
    #: Seconds that one request takes at most.
    timeout: float

    def request(self, item: Sent, ledger: Ledger, /) -> Claim:
        """Return what the ledger keeps of a new claim."""

    def message(self, item: Sent, /) -> Message:
        """Return what is sent. Raises ResellerError if nothing is."""

    def other(self, item: Sent, record: Record, /) -> ResellerError | None:
        """Return the error if the record that prevents the claim is of another name or kind."""


class OrderSender(Sender[Order]):
    """Sends orders to one service. ``job`` has the AWX job IDs that are stored with each order.

    ``approval`` is the digest of the plan that approved them, if one did, ``numbers`` how often each name was claimed
    when it was planned, ``known`` the IDs of products and end users that the run knows without the ledger.
    """

    kind: Kind = "order"

    def __init__(
        self,
        service: Service,
        job: Mapping[str, Any],
        approval: str | None,
        numbers: Mapping[str, int] = MappingProxyType({}),
        known: Collection[str] = (),
    ) -> None:
        self._service = service
        self._known = frozenset(uuid.lower() for uuid in known if is_uuid(uuid))
        self.timeout = service.config.order_timeout
        self._job = job
        self._approval = approval
        self._numbers = numbers
        self._masks_key = service.config.masker()

    def other(self, order: Order, record: Record) -> ResellerError | None:
        error: ResellerError | None = taken_name_error(self.kind, order.name, record, "This order was not sent")
        if error is None and record.name != order.name:
            error = duplicate_error(order, record, "This order was not sent.")
        return error

    def request(self, order: Order, ledger: Ledger) -> StoredRequest:
        claimed = {"approved_by": self._approval, "number": self._numbers.get(order.name), **self._job}
        return replace(order.stored(ledger.digest_key), **claimed)

    def message(self, order: Order) -> Message:
        """Return the request of an order. Raises ConfigurationError and ServiceError."""
        service, settings, shape = self._service, order.settings, self._service.shape()
        masker = self._masker(order)
        sent = sent_order(order, self._known, shape.id_parameter, service.described)
        content = json.dumps(body(order, shape), ensure_ascii=False, allow_nan=False).encode()

        def post(media_type: str | None, check: Callable[[], None]) -> RawAnswer:
            headers = {"Content-Type": media_type or shape.media_type, "Accept": ACCEPT}
            return service.client.send_once("POST", CONTRACTS, content, headers, check)

        def read(answer: RawAnswer, sent: SentOrder) -> Outcome:
            return order_outcome(answer, masker, frozenset(settings), sent)

        return Message(post, read, masker, shape.media_type, order.save_answer, order=sent)

    def _masker(self, order: Order) -> Masker:
        """Return what masks all secrets of an order, also plain words, and its contact data.

        Orders without any share one.
        """
        secrets, settings, more = order.secrets, order.settings, order.secret_names
        has_own = secrets or more or not CONTACT_SETTINGS.isdisjoint(settings)
        if has_own or any(map(self._masks_key.found_in, order.names)):
            return self._service.config.masker(secrets, settings=settings, kept=order.names, secret_names=more)
        return self._masks_key
