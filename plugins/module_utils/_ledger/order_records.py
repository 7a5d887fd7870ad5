# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Orders and named operations as a ledger stores them.

A ledger holds at most one record for a name. It never holds a secret: the caller hands over settings from which
secrets are removed and in which contact data are replaced by keyed digests.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from .._core.errors import ServiceError
from .._secrets.masker import Kept, Masker, kept_answer, kept_id


@dataclass(frozen=True)
class NamedOperation:
    """A request that is sent once. It has no secrets.

    ``service`` is the ``base_url``, ``operation`` is ``POST /path``. ``content_digest`` is a keyed digest of its query
    and body. ``cancels`` is the name of the order whose contract it cancels, if it does, and ``list_source`` tells the
    list that showed that contract right before, as ListedIds keeps it.
    """

    name: str
    service: str
    organization_id: str
    operation: str
    content_digest: str
    awx_job_id: str | None = None
    awx_workflow_job_id: str | None = None
    cancels: str | None = None
    list_source: str | None = None


#: ``pending``: claimed, and not yet certain: being placed, or cut off.
#: ``not_sent`` and ``rejected`` are released claims: their reason is kept and the name may be claimed again.
Status = Literal["pending", "ordered", "in_doubt", "rejected", "not_sent"]
RELEASED: frozenset[str] = frozenset({"rejected", "not_sent"})
#: What a record is about. Orders and named operations share one space of names.
Kind = Literal["order", "operation"]


def pending_in_words(certain_at: str | None, kind: Kind = "order") -> str:
    """Return the state of a pending order or operation: ``being placed, or cut off: certain at 14:03:20 UTC``.

    ``certain_at`` is in UTC, ISO 8601.
    """
    doing = "placed" if kind == "order" else "sent"
    return f"being {doing}, or cut off" + (f": certain at {certain_at[11:19]} UTC" if certain_at else "")


class Identity(NamedTuple):
    """The thing that an order is for, so that the same thing is found under another name; see identity.py.

    ``setting`` is the setting that names the thing, ``None`` if only its name is known. ``end_user`` is whose it is,
    ``None`` if there is one such thing, or if that is not known. Texts are without case, as DNS compares names.
    """

    setting: str | None
    end_user: str | None
    subject: str


class ListedIds(NamedTuple):
    """The ids of all contracts that a complete list had: themselves, or as the ledger with this ``key`` keeps them.

    ``source`` is the list that they are of, however that is told: by the service, organization, path, API key and
    places by which it was read. It is kept as a keyed digest. ``digest`` stands for the ids that a ledger keeps in each
    claim; it is empty otherwise. A claim keeps them until it ends, so that the service's list can show how that was:
    none of them is like the claim's order.
    """

    ids: frozenset[str]
    source: str = ""
    key: bytes = b""
    digest: str = ""

    def has(self, contract_id: str) -> bool:
        """Return whether this id was listed, which is in the form in which ids are compared."""
        return (_id_hash(contract_id, self.key) if self.key else contract_id) in self.ids

    def is_of(self, source: str) -> bool:
        """Return whether this is a list of this source."""
        return self.source == (_keyed(source, self.key) if self.key else source)

    def kept(self, key: bytes) -> ListedIds:
        """Return these as the ledger with this digest key keeps them: hashes, of no use to whoever lacks the key."""
        if self.key:
            return self
        hashes, digest = _kept(self.ids, key)
        return ListedIds(hashes, _keyed(self.source, key), key, digest)


# The claims of a batch have one list.
@lru_cache(maxsize=2)
def _kept(ids: frozenset[str], key: bytes) -> tuple[frozenset[str], str]:
    hashes = frozenset(_id_hash(contract_id, key) for contract_id in ids)
    return hashes, _keyed(" ".join(sorted(hashes)), key)


def _id_hash(contract_id: str, key: bytes) -> str:
    return _keyed(contract_id, key)[:16]


def _keyed(text: str, key: bytes) -> str:
    return hmac.digest(key, text.encode("utf-8", "replace"), "sha256").hex()


@dataclass(frozen=True)
class Request:
    """An order as it was requested: as it is sent, with secrets (Order), or as a ledger stores it (StoredRequest).

    Of a contract that was adopted, an empty text stands for what is not known.
    """

    name: str
    #: The ``base_url``.
    service: str
    organization_id: str
    end_user: str
    product: str
    product_name: str | None
    product_type: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    additional_elements: Mapping[str, Any] = field(default_factory=dict)
    awx_job_id: str | None = None
    awx_workflow_job_id: str | None = None
    #: What the order is for, where that is known: another order for it is a duplicate, unless it ``may_be_second``.
    identity: Identity | None = None
    #: Whether this is what is known of an adopted contract, which was ordered with other settings, too.
    partial: bool = False
    #: The organization of its end user, where that is known.
    end_user_organization_id: str | None = None

    # What is no part of what is requested

    #: What the catalogue listed when it was planned.
    listed_prices: Mapping[str, Any] | None = field(default=None, compare=False)
    #: The digest of the plan that it was approved with.
    approved_by: str | None = field(default=None, compare=False)
    #: How often the plan says that its name was claimed before. Not stored.
    number: int | None = field(default=None, compare=False)
    #: The ID of the canceled contract whose record it takes the place of. Not stored.
    over: str | None = field(default=None, compare=False)
    #: What was listed before one claim.
    evidence: ListedIds | None = field(default=None, compare=False)
    #: Not stored.
    may_be_second: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class StoredRequest(Request):
    """An order as a ledger stores it, without secrets."""

    settings: Kept = field(default_factory=lambda: Kept({}))
    additional_elements: Kept = field(default_factory=lambda: Kept({}))


#: What of a request the return value ``order`` shows.
REQUESTED = ("product", "product_name", "product_type", "end_user")
#: What can be claimed.
Claim: TypeAlias = "StoredRequest | NamedOperation"


class Outcome(NamedTuple):
    """The end of the sending of an order or operation. ``reason`` is a sentence for users.

    ``contract`` contains no secrets. ``address`` is the server's IP address as it was shown last. ``possible_id`` is an
    id in an answer that leaves the order in doubt: it may be the contract's. ``until`` is the day to which a
    request has cancelled a contract, as the service says it; the order's record has it then. The others are known to
    the run alone that sent it, and are not stored: ``error`` says why it was not done, ``warning`` what is wrong
    although it was, and ``body`` is the response without secrets. ``proven``:
    the record that has the ID shows a value of the order. ``without_id`` is the outcome if it is another order's ID.
    ``related`` are the UUIDs that it shows: of no other end user or product, or it is another order's.
    """

    status: Status
    reason: str | None = None
    contract_id: str | None = None
    contract: Any = None
    l2vpn_id: str | None = None
    possible_id: str | None = None
    address: str | None = None
    until: str | None = None
    error: ServiceError | None = None
    warning: str | None = None
    body: Any = None
    proven: bool = False
    without_id: Outcome | None = None
    related: frozenset[str] = frozenset()

    def masked(self, masker: Masker) -> Outcome:
        """This outcome as it is stored: without secrets, and with those parts of the response that cannot be any."""
        contract_id = kept_id(self.contract_id, masker)
        return self._replace(
            reason=self.reason and masker.text(self.reason),
            contract_id=contract_id,
            contract=kept_answer(self.contract, contract_id, masker),
            l2vpn_id=kept_id(self.l2vpn_id, masker),
            possible_id=kept_id(self.possible_id, masker),
        )


class Cancellation(NamedTuple):
    """The end of a contract."""

    #: When it was cancelled (UTC, ISO 8601), and the name of the request that did it.
    at: str
    by: str
    #: The day to which it was cancelled, as the service wrote it.
    until: str | None = None
    #: What the service said.
    answer: Any = None
    #: Whether a later order has the name, so that this record has another one.
    replaced: bool = False


class Settlement(NamedTuple):
    """An outcome to record under this name, as a person or the service's list settles an order or adopts a contract."""

    name: str
    outcome: Outcome
    #: What replaces the recorded request.
    request: StoredRequest | None = None
    #: The record that it is about, ``None`` if there was none.
    before: Record | None = None


class Record(NamedTuple):
    """An order, or a named operation, in the ledger. Times are UTC, ISO 8601 with seconds and ``Z``."""

    name: str
    outcome: Outcome
    #: ``None`` of an operation, and of a contract that was adopted without knowing what it was ordered with.
    request: StoredRequest | None
    #: The run that claimed it, ``None`` once a person has settled it.
    run_id: str | None
    claimed_at: str | None
    #: When its run recorded it as ordered. Of an order in doubt that was settled as ordered, when it was claimed.
    ordered_at: str | None
    updated_at: str
    #: Whether a request of the claim may be under way, which matters only while the outcome is ``pending``.
    alive: bool = False
    #: The time after which none can be.
    deadline: str | None = None
    #: Those of the claim in a file, see Clock.
    boot_id: str | None = None
    boot_time: str | None = None
    #: What was sent if it is no order.
    operation: NamedOperation | None = None
    #: How its contract was cancelled.
    cancelled: Cancellation | None = None
    #: The location of its ledger.
    ledger: str = ""

    @property
    def kind(self) -> Kind:
        return "order" if self.operation is None else "operation"

    @property
    def status(self) -> Status:
        """The status to show: a pending order of which no request can be under way is in doubt."""
        if self.outcome.status == "pending" and not self.alive:
            return "in_doubt"
        return self.outcome.status

    @property
    def status_in_words(self) -> str:
        """The status as a message shows it: ``in doubt``."""
        if self.status == "pending":
            return pending_in_words(self.certain_at, self.kind)
        return self.status.replace("_", " ")

    @property
    def certain_at(self) -> str | None:
        """When a pending order or operation is certain at the latest."""
        return self.deadline if self.status == "pending" else None

    def order(self) -> dict[str, Any]:
        """The return value ``order``: what was ordered, and what became of it, in short."""
        request = self.request
        return {
            "name": self.name,
            # An operation is no order.
            "status": "done" if self.operation and self.status == "ordered" else self.status,
            **{name: (request and getattr(request, name)) or None for name in REQUESTED},
            "contract_id": self.outcome.contract_id,
            "ordered_at": self.ordered_at,
            "certain_at": self.certain_at,
            "since": self.ordered_at or self.claimed_at or self.updated_at or None,
        }

    def as_dict(self) -> dict[str, Any]:
        """The return value ``record``: all that the ledger has of an order or operation. It has no secrets."""
        request, outcome, sent = self.request, self.outcome, self.operation
        claim: Claim | None = sent or request
        return {
            "kind": self.kind,
            **self.order(),
            "operation": sent.operation if sent else None,
            "contract": outcome.contract,
            "address": outcome.address,
            "l2vpn_id": outcome.l2vpn_id,
            "reason": outcome.reason,
            "base_url": (claim.service or None) if claim else None,
            "organization_id": (claim.organization_id or None) if claim else None,
            "settings": dict(request.settings) if request else None,
            "listed_prices": request.listed_prices if request else None,
            "partial": request.partial if request else False,
            "cancelled": self.cancelled._asdict() if self.cancelled else None,
            "claimed_at": self.claimed_at,
            "updated_at": self.updated_at,
            "approved_by": request.approved_by if request else None,
            "awx_job_id": claim.awx_job_id if claim else None,
            "awx_workflow_job_id": claim.awx_workflow_job_id if claim else None,
        }

    def results(self) -> dict[str, Any]:
        """The return values that show it in an error."""
        if self.operation is not None:
            return {"record": self.as_dict()}
        return {"order": self.order(), "contract_id": self.outcome.contract_id}


class Filter(NamedTuple):
    """Which records to list; ``None`` means any. ``since`` compares ``updated_at`` (UTC, ISO 8601)."""

    names: Sequence[str] | None = None
    statuses: Sequence[str] | None = None
    end_users: Sequence[str] | None = None
    product_types: Sequence[str] | None = None
    since: str | None = None
    kind: Kind | None = "order"

    def holds(self, record: Record) -> bool:
        """Return whether a record is to be listed that was selected by its columns."""
        return (
            (self.names is None or record.name in self.names)
            and (self.statuses is None or record.status in self.statuses)
            and (self.since is None or record.updated_at >= self.since)
        )
