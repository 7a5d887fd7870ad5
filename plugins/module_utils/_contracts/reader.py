# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads contracts back if the published reference has operations for it (API specification 4.4 shows none)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal
from urllib.parse import quote

from .._catalogue.pages import ACCEPT, NOT_ACCEPTABLE
from .._core.errors import ConfigurationError, NotPublishedError, PublishedReferenceError, ServiceError
from .._core.text import clean, same_id
from .._http.answers import read_json, service_error
from .._http.client import JSON, Answer, Client
from .._ledger.ledger import Record
from .._product_types.registry import SELF
from .._reference.contract_operations import ContractOperations, contract_operations
from .._reference.operations import ORDER_PATH, PARAMETER
from .._reference.reference import Reference
from .contract import Listing, ShownContract, organization_of
from .contract_ids import identifier
from .controls import Control, controls_of, key_of
from .learning import Lessons, read_elements
from .listing import ContractListReader
from .records import item_record, leaves

#: Answers that say that there is no such contract, for this key in this organization.
ABSENT = frozenset({404, 410})
LIST = f"GET /{'/'.join(ORDER_PATH)}"


@dataclass(frozen=True)
class Item:
    """The response for one contract. ``raw`` is its record, if it belongs to that contract."""

    answer: Answer
    raw: Mapping[str, Any] | None = None

    @property
    def absent(self) -> bool:
        return self.answer.status in ABSENT


@dataclass(frozen=True)
class Presence:
    """Whether a contract exists. ``why`` gives the reason in words.

    ``gone``: the service says that there is none, its complete list agrees, and shows another contract that this key
    can see in the same organization. Everything else that is not ``present`` is ``unseen``, which proves nothing.
    """

    presence: Literal["present", "gone", "unseen"]
    why: str = ""
    contract: ShownContract | None = None


class ContractReader:
    """Reads the contracts of a service, each organization's list once, and nothing before it is needed.

    ``records`` are those of the ledger, ``elements`` JSON pointers by role, ``organizations`` the ids of end users'
    organizations. ``list_path`` and ``item_path`` (with the id as ``{id}``) stand for what the reference publishes.
    """

    def __init__(
        self,
        client: Client,
        reference: Callable[[], Reference],
        records: Iterable[Record],
        *,
        elements: Mapping[str, Any] | None = None,
        organizations: Mapping[str, str] | None = None,
        marker_element: str | None = None,
        list_path: str | None = None,
        item_path: str | None = None,
    ) -> None:
        self.controls: Mapping[str, Control] = controls_of(records, client.config.base_url)
        self.organizations = dict(organizations or {})
        self._client = client
        self._reference = reference
        self._given = read_elements(elements or {})
        self._marker_element = marker_element
        self._list_path = checked_path(list_path, "list_path")
        self._item_path = checked_path(item_path, "item_path", parameter=True)
        self._read: dict[str, tuple[Listing, Lessons]] = {}
        self._readable: dict[tuple[str, str], bool] = {}

    # Where

    @cached_property
    def operations(self) -> ContractOperations:
        """The operations that read contracts. Raises NotPublishedError if there is none, and UnreachableError."""
        try:
            reference = None if self._list_path and self._item_path else self._reference()
        except PublishedReferenceError as error:
            if not (self._list_path or self._item_path):
                raise NotPublishedError(_not_published(error.message.splitlines()[0])) from error
            reference = None
        found = contract_operations(reference.document) if reference else ContractOperations()
        found = replace(
            found, list_path=self._list_path or found.list_path, item_path=self._item_path or found.item_path
        )
        if reference and not (found.list_path or found.item_path):
            raise NotPublishedError(
                _not_published(f"The published reference at {reference.url} has no operation that reads contracts.")
            )
        return found

    def organization_of(self, end_user: str, own: str) -> str:
        """The organization of this end user's contracts from ``organizations``, otherwise ``own``."""
        return organization_of(end_user, own, self.organizations) or own

    # Lists

    def listing(self, organization_id: str) -> Listing:
        """All contracts that the service shows in an organization, read once.

        Raises NotPublishedError, with a sentence that says so, and ServiceError for an answer without a list.
        """
        return self._reading(organization_id)[0]

    def listings(self) -> list[Listing]:
        """The lists that have been read."""
        return [listing for listing, _lessons in self._read.values()]

    def current(self, contract_id: str, organization_id: str) -> Mapping[str, Any]:
        """The record of a contract as the service shows it now. Raises ServiceError if it is not shown."""
        if self.operations.item_path is not None:
            item = self.item(contract_id, organization_id)
            if item.raw is None:
                raise service_error(item.answer, f"for contract {clean(contract_id, 100)}")
            return item.raw
        self._read.pop(organization_id, None)
        for each in self.listing(organization_id).contracts:
            if same_id(each.id, contract_id):
                return each.raw
        raise ServiceError("It is not in the list of contracts.", status=404)

    def _reading(self, organization_id: str) -> tuple[Listing, Lessons]:
        if organization_id not in self._read:
            path = self.operations.list_path
            if path is None:
                raise NotPublishedError(
                    _not_published(f"The published reference has no {LIST}, which lists contracts.")
                )
            client = self._client.acting_for(organization_id)
            operations = self.operations
            reader = ContractListReader(
                client, client.url(path), lambda: operations.parameters, lambda: operations.media_types
            )
            with client.reading():
                reader.read_all()
            self._read[organization_id] = self._learned(reader)
        return self._read[organization_id]

    def _learned(self, reader: ContractListReader) -> tuple[Listing, Lessons]:
        lessons = Lessons(
            [raw for _key, raw in reader.entries],
            self.controls,
            self._given,
            [key for key, _raw in reader.entries],
            reader.clock_off or 0.0,
        )
        contracts = [lessons.contract(at, self._marker_element) for at in range(len(lessons.raws))]
        listing = Listing(
            contracts=tuple(contract for contract in contracts if contract is not None),
            complete=not (why := reader.why_incomplete(lessons.ids)),
            why_incomplete=why,
            learned=lessons.pointers,
            unclear=dict(lessons.unclear),
            controls=tuple(str(lessons.ids[at]) for at in lessons.controls.values()),
            served_at=reader.served_at,
            clock_off=reader.clock_off,
        )
        return listing, lessons

    # Items

    def item(self, contract_id: str, organization_id: str) -> Item:
        """The response for one contract, whatever its status is.

        Raises NotPublishedError, and ServiceError if there is no answer, or a success that is not this contract.
        """
        path = self.operations.item_path
        if path is None:
            raise NotPublishedError(_not_published("The published reference has no operation that reads one contract."))
        if contract_id in ("", ".", ".."):
            raise ConfigurationError(f"{contract_id!r} is not a valid id of a contract. Nothing was sent.\nCorrect it.")
        client = self._client.acting_for(organization_id)
        url = client.url(path.replace(PARAMETER, quote(contract_id, safe="")))
        with client.reading():
            answer = client.get(url, accept=ACCEPT)
            if answer.status == NOT_ACCEPTABLE:
                answer = client.get(url, accept=", ".join([JSON, *self.operations.media_types, "*/*;q=0.1"]))
        if not answer.ok:
            return Item(answer)
        raw = item_record(read_json(answer))
        if raw is None or not any(_is_id(value, contract_id) for _steps, value in leaves(raw)):
            raise ServiceError(
                f"{clean(answer.url, 300)} answered {answer.status}, but not with the contract "
                f"{clean(contract_id, 100)}: its id is not in the answer.",
                status=answer.status,
            )
        return Item(answer, raw)

    def shown(self, contract_id: str, raw: Mapping[str, Any], organization_id: str) -> ShownContract:
        """The record of one contract, read with the lessons of its organization's list and its own."""
        alone = Lessons([raw], self.controls, self._given, [contract_id]).shown(contract_id, raw, self._marker_element)
        if organization_id not in self._read:
            return alone
        contract = self._read[organization_id][1].shown(contract_id, raw, self._marker_element)
        lacking = {name: value for name, value in vars(alone).items() if getattr(contract, name) in (None, ())}
        return replace(contract, **lacking)

    def presence(self, contract_id: str, organization_id: str, end_user: str | None) -> Presence:
        """Whether a contract exists. ``end_user`` is its end user in the ledger, or ``None``.

        Raises ServiceError only where the service does not answer at all.
        """
        lessons: Lessons | None = None
        try:
            listing, lessons = self._reading(organization_id)
        except ServiceError as error:
            if error.status is None and not isinstance(error, NotPublishedError):
                raise
            listing, why = Listing((), complete=False), error.message.splitlines()[0]
        else:
            found = next((each for each in listing.contracts if same_id(each.id, contract_id)), None)
            if found is not None:
                return Presence("present", "", found)
            why = "" if listing.complete else f"The list is not complete: {listing.why_incomplete}."
        try:
            item = self.item(contract_id, organization_id)
        except ServiceError as error:
            if error.status is None and not isinstance(error, NotPublishedError):
                raise
            return Presence("unseen", " ".join(filter(None, (why, error.message.splitlines()[0]))))
        if item.raw is not None:
            return Presence("present", "", self.shown(contract_id, item.raw, organization_id))
        status = item.answer.status
        if not item.absent:
            refused = service_error(item.answer, f"for contract {clean(contract_id, 100)}").message.splitlines()[0]
            return Presence("unseen", refused)
        control = self._control_beside(contract_id, end_user, lessons) if lessons else None
        why = why or (_no_control(end_user) if control is None else self._unreadable(control, organization_id))
        if why or control is None:
            asked = f"The service answered {status} when it was asked for it in organization {organization_id}"
            return Presence("unseen", f"{asked}. {why}")
        return Presence(
            "gone",
            f"The service answered {status} when it was asked for it, its complete list of {len(listing.contracts)} "
            f"contracts does not show it, and shows {clean(control.name, 100)} (contract {clean(control.id, 100)}) "
            "of the same end user to the same key in the same organization.",
        )

    def _unreadable(self, control: Control, organization_id: str) -> str:
        """Why answers for single contracts prove nothing: not even one that the list shows can be read so."""
        if (control.id, organization_id) not in self._readable:
            try:
                readable = self.item(control.id, organization_id).raw is not None
            except ServiceError:
                readable = False
            self._readable[control.id, organization_id] = readable
        if self._readable[control.id, organization_id]:
            return ""
        return (
            f"But it does not show contract {clean(control.id, 100)} by its id either, which its list has: set "
            "item_path to the operation that reads a contract by the id that the ledger has."
        )

    def _control_beside(self, contract_id: str, end_user: str | None, lessons: Lessons) -> Control | None:
        """A control contract of this end user that the list shows: so this key does see such contracts there."""
        shown = (self.controls[key] for key in lessons.controls if key != key_of(contract_id))
        return next((each for each in shown if end_user and each.end_user and same_id(each.end_user, end_user)), None)


def checked_path(path: str | None, option: str, *, parameter: bool = False) -> str | None:
    """A path from an option, with ``{}`` for its parameter. Raises ConfigurationError."""
    if not path:
        return None
    before, brace, rest = path.partition("{")
    name, closing, after = rest.partition("}")
    fits = bool(brace and name and closing and "{" not in after) if parameter else not brace
    if not fits or not path.startswith("/") or any(mark in path for mark in "?#\\") or not path.isprintable():
        kind, example = "a path", "/api/reseller/contracts"
        if parameter:
            kind, example = "a path with one parameter", f"{example}/{{id}}"
        raise ConfigurationError(
            f"{option} {clean(path, 60)!r} is not {kind}. Nothing was sent.\n"
            f"Give what follows base_url, for example {example}."
        )
    return f"{before}{PARAMETER}{after}" if parameter else path


def _not_published(sentence: str) -> str:
    return f"{sentence} So contracts cannot be read back from this service."


def _no_control(end_user: str | None) -> str:
    whose = "your own organization" if end_user == SELF else f"end user {end_user}"
    return (
        f"No other contract of {whose} that the ledger knows is in the list, so it is not known whether this API key "
        "sees such contracts there: check organization_id and organizations."
    )


def _is_id(value: Any, contract_id: str) -> bool:
    told = identifier(value)
    return told is not None and same_id(told, contract_id)
