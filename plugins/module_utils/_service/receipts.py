# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what the answer to an order proves (API specification 4.1 and 7 do not show it). Pure.

Nothing in it is believed without being held against what was sent: an ID may be an echo or another order's, and a
record one of another thing. What two places show differently is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any, NamedTuple

from .._core.addresses import usable_address
from .._core.text import by_folded_name, clean, fold, is_uuid, words
from .contract_ids import (
    CONTRACTS,
    OTHER_KIND,
    WRAPPERS,
    id_in_url,
    identifier,
    leads_elsewhere,
    names_of_parameter,
    self_link_id,
    unlisted,
)
from .description import CONTRACT_IDS, OWN_IDS
from .failures import envelope_failure, message_failure, other_failure, record_failure
from .places import ANY, comparable, leaves, texts_at

#: Hold what an answer tells, one in the other. What holds what was sent (``payload``) is no answer.
_ENVELOPES = ("data", "result", "response", "reply", "answer", "resdata")
_DEEPEST_ENVELOPE = 3
#: Where a record says what kind of record it is.
_KINDS = ("type", "@type", "kind", "object", "resourcetype")
_NAMES = ("hostname", "domain", "domainname")
#: Texts for people, and what was sent, repeat the values of an order.
_REPEATED = words("message msg detail description title reason error note comment request input params payload query")


class SentOrder(NamedTuple):
    """The values of an order that its answer may repeat or contradict."""

    end_user: str = ""
    product: str = ""
    #: ``hostname`` or ``domain``, and its value; both ``None`` for webhosting.
    kind: str | None = None
    name: str | None = None
    #: All that was sent, in small letters.
    values: Collection[str] = frozenset()
    #: The UUIDs of products and end users that are known, in small letters, of others as of its own.
    known: frozenset[str] = frozenset()
    #: That of the published path of one contract.
    parameter: str = ""
    #: ``order.placed`` of the description: ``status`` and ``id``.
    placed: Mapping[str, Any] | None = None
    #: ``contracts.address`` of its file.
    address: str | None = None


class Receipt(NamedTuple):
    """The proofs of an order in an answer."""

    #: The told ID, found at the dotted ``place``.
    contract_id: str | None = None
    place: str = ""
    #: Why an ID that was found is not one.
    refused: str | None = None
    #: Whether it is a receipt, whatever the status is.
    proves: bool = False
    #: A word of failure around the record.
    failure: str | None = None
    #: The state of a record that never became a contract.
    ended: str | None = None
    #: Whether the record is one of another order.
    strange: bool = False
    #: The UUIDs that its record shows, but for those of the order's product and end user, in small letters.
    related: frozenset[str] = frozenset()
    #: The server's, where the file says that contracts show it.
    address: str | None = None


@dataclass(frozen=True)
class _Record:
    """A record of an answer."""

    raw: Mapping[Any, Any]
    #: Its dotted place, as the answer has it.
    place: tuple[str, ...] = ()
    #: The records around it, the outermost first.
    around: tuple[_Record, ...] = ()

    @cached_property
    def elements(self) -> Mapping[str, Any]:
        """Its elements by folded names."""
        return by_folded_name(self.raw)

    def written(self, name: str) -> str:
        """A folded name as the answer has it."""
        return next((str(key) for key in self.raw if fold(key) == name), name)

    @property
    def is_of_others(self) -> bool:
        """Whether it says that it is an order, request, job or user, and no contract."""
        return any(OTHER_KIND.fullmatch(fold(self.elements.get(name))) for name in _KINDS)

    def failures(self) -> Iterator[str]:
        """The words of failure on the way to it: of itself, what cannot be its own value."""
        for record in self.around or [self]:
            yield from envelope_failure(record.elements)
        if self.around:
            own = {name: value for name, value in self.elements.items() if name not in ("code", "result")}
            yield from envelope_failure(own)


def _inner(records: Iterable[_Record], names: Iterable[str]) -> list[_Record]:
    """The records that these hold under folded names, also as the only one of a list."""
    held = [(record, name, unlisted(record.elements.get(name))) for record in records for name in names]
    return [
        _Record(value, (*record.place, record.written(name)), (*record.around, record))
        for record, name, value in held
        if isinstance(value, Mapping) and value
    ]


class _ToldId(NamedTuple):
    """An ID in an answer: the record whose ID it is, and its folded name there; neither for one from a header."""

    id: str
    record: _Record | None = None
    name: str = ""

    @property
    def value(self) -> Any:
        """What stands there, such as an address that ends with it."""
        return self.record.elements.get(self.name) if self.record else None

    @property
    def place(self) -> str:
        return ".".join((*self.record.place, self.record.written(self.name))) if self.record and self.name else ""


def read_receipt(body: Any, location: str | None, status: int, sent: SentOrder) -> Receipt:
    """Return what an answer of this status proves, from its body and its ``Location`` header."""
    holders = _holders(body)
    contracts = _inner(holders, CONTRACTS)
    confirmed = _confirmed_id(holders, sent.placed or {}, status)
    told = confirmed or _told_id(body, holders, contracts, location, sent)
    own = [told.record] if told and told.record else []
    records = own or [*contracts, *reversed(holders)]
    failure = _failure(records, holders, sent, has_contract=bool(told or contracts))
    ended = next(chain.from_iterable(record_failure(_members(record.elements)) for record in records), None)
    elements = records[0].elements if records else {}
    related = _related(elements) - {sent.product.lower(), sent.end_user.lower()}
    other = _other(elements, related & sent.known, sent)
    shown = frozenset(filter(is_uuid, related))
    receipt = Receipt(failure=failure, ended=ended, strange=other is not None, related=shown)
    if told is None:
        return receipt
    if why := other or _why_no_id(told, ended, sent):
        return receipt._replace(place=told.place, refused=f"{clean(told.id, 80)}: {why}")
    proves = failure is None and (told is confirmed or any(_shows(record.elements, sent) for record in own))
    address = _address([*own, *holders], sent)
    return receipt._replace(contract_id=told.id, place=told.place, proves=proves, address=address)


def _address(records: Iterable[_Record], sent: SentOrder) -> str | None:
    return next(filter(None, (usable_address(texts_at(record.raw, sent.address)) for record in records)), None)


def _why_no_id(told: _ToldId, ended: str | None, sent: SentOrder) -> str | None:
    if told.id.lower() in sent.values:
        return "it is a value that was sent"
    return f"its record has {ended}" if ended else None


def _holders(body: Any) -> list[_Record]:
    """The record that a body is (also as the only one of a list), and those in its envelopes."""
    root = unlisted(body)
    level = [_Record(root)] if isinstance(root, Mapping) else []
    holders = [*level]
    for _depth in range(_DEEPEST_ENVELOPE):
        level = _inner(level, _ENVELOPES)
        holders += level
    return holders


def _failure(
    records: Sequence[_Record], holders: Sequence[_Record], sent: SentOrder, *, has_contract: bool
) -> str | None:
    """The word of failure on the way to these records.

    Of an answer without a contract that shows no more of the order than what was sent, also its message.
    """
    if failure := next(chain.from_iterable(record.failures() for record in records), None):
        return failure
    if has_contract or any(_shows(record.elements, sent) and not _repeats(record.elements, sent) for record in records):
        return None
    return next(chain.from_iterable(message_failure(holder.elements) for holder in holders), None)


# The ID


def _confirmed_id(holders: Sequence[_Record], placed: Mapping[str, Any], status: int) -> _ToldId | None:
    """The ID where the description names its place for this status: never that of an order, request, job or user."""
    *way, name = steps = [*map(fold, str(placed.get("id")).split("."))]
    if placed.get("status") != status or any(map(OTHER_KIND.fullmatch, steps)):
        return None
    records = [*holders[:1]]
    for step in way:
        records = _inner(records, [step])
    if not records or records[0].is_of_others:
        return None
    value = records[0].elements.get(name)
    text = identifier(value)
    return None if text is None or leads_elsewhere(value) else _ToldId(text, records[0], name)


def _told_id(
    body: Any, holders: Sequence[_Record], contracts: Sequence[_Record], location: str | None, sent: SentOrder
) -> _ToldId | None:
    """The ID from the most telling rank that has one. Where two of these differ, the header decides, or nobody."""
    located, records = id_in_url(location), [*holders]
    if holders and not _ids(holders[:1], OWN_IDS):
        records += _inner(holders[:1], WRAPPERS)
    ranks = [[_ToldId(body)]] if is_uuid(body) else [*_ranks(records, contracts)]
    # An envelope may have an element of that name, too, such as a code.
    named = _ids(contracts or holders[1:] or records, names_of_parameter(sent.parameter))
    for rank in (named, *ranks):
        told: dict[str | None, _ToldId] = {
            candidate.id: candidate for candidate in reversed(rank) if candidate.id.lower() not in sent.values
        }
        if told:
            return told.popitem()[1] if len(told) == 1 else told.get(located)
    # What was sent is refused in words.
    return _ToldId(located) if located else next(chain.from_iterable(ranks), None)


def _ranks(records: Sequence[_Record], contracts: Sequence[_Record]) -> Iterator[list[_ToldId]]:
    """The IDs in records, the most telling rank first."""
    texts = [told for told in _ids(records, CONTRACTS, at_most=2) if _may_be_id(told)]
    # IDs that are called a contract's, or stand in one, also below "data", as JSON:API relates it.
    related = [*contracts, *_inner(contracts, ["data"])]
    called = [told for name in CONTRACT_IDS for told in _ids(records, [name])]
    addresses = [told for told in texts if "/" in str(told.value)]
    yield [*called, *_ids(related, (*CONTRACT_IDS, *OWN_IDS)), *addresses]
    own = [record for record in records if not record.is_of_others]
    yield [told for told in _ids(own, OWN_IDS) if not leads_elsewhere(told.value)]
    yield [*(_ToldId(text, record) for record in own if (text := self_link_id(record.elements))), *texts]


def _may_be_id(told: _ToldId) -> bool:
    """Return whether a text that stands for a contract is its ID: a word would as well be a state or a kind."""
    return any(map(str.isdigit, told.id)) and not leads_elsewhere(told.value)


def _ids(records: Iterable[_Record], names: Iterable[str], *, at_most: int = 1) -> list[_ToldId]:
    """The first ID that each record has under these names, or so many."""
    told = []
    for record in records:
        own = (_ToldId(text, record, name) for name in names if (text := identifier(record.elements.get(name))))
        told += [*islice(own, at_most)]
    return told


def request_failure(body: Any) -> str | None:
    """Return the word of failure in the answer to a request that promises no record, or ``None``."""
    return next(chain.from_iterable(other_failure(holder.elements) for holder in _holders(body)), None)


def has_message(body: Any) -> bool:
    """Return whether a message stands at a place where records do."""
    names = ("message", "detail", "title", "description")
    return any(name in holder.elements for holder in _holders(body) for name in names)


# What a record shows


def _members(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The elements of a record, with those of its ``attributes`` (JSON:API)."""
    inner = unlisted(record.get("attributes"))
    return {**by_folded_name(inner), **record} if isinstance(inner, Mapping) else record


def _shown(record: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The elements of a record and of its ``settings``. What holds what was sent is none of both."""
    members, settings = _members(record), unlisted(_members(record).get("settings"))
    own = [*members.items(), *(by_folded_name(settings).items() if isinstance(settings, Mapping) else ())]
    return [(name, value) for name, value in own if name not in _REPEATED and value not in (None, "")]


def _shows(record: Mapping[str, Any], sent: SentOrder) -> bool:
    """Return whether a record shows a value of the order: its name; for webhosting, product and end user."""
    if sent.name is not None:
        texts = (value for _name, value in _shown(record) if isinstance(value, str))
        return comparable(sent.name) in map(comparable, texts)
    return bool(sent.product) and {sent.product.lower(), sent.end_user.lower()} <= _related(record)


def _repeats(record: Mapping[str, Any], sent: SentOrder) -> bool:
    """Return whether a record shows nothing but what was sent."""
    shown = [value for _name, value in _shown(record) if isinstance(value, (str, int))]
    return all(str(value).strip().lower() in sent.values for value in shown)


def _other(record: Mapping[str, Any], wrong: Collection[str], sent: SentOrder) -> str | None:
    """Return what a record shows that the order did not have: a ``wrong`` product or end user, or another name."""
    if wrong:
        return f"its record shows {min(wrong)}, of another product or end user"
    texts = [(name, value) for name, value in _shown(record) if isinstance(value, str) and value.strip()]
    has_own = any(_is_name_of(sent, value) for _name, value in texts)
    for name, value in texts if sent.name is not None else ():
        # The domain of a host may be shown beside its name.
        is_beside = sent.kind == "hostname" and has_own and comparable(sent.name).endswith(f".{comparable(value)}")
        if name in _NAMES and not _is_name_of(sent, value) and not (is_beside and name != "hostname"):
            return f"its record shows the {name} {clean(value, 80)}"
    return None


def _is_name_of(sent: SentOrder, value: str) -> bool:
    """Return whether this is the name of the order, of a host also without its domain."""
    name, shown = comparable(sent.name), comparable(value)
    return shown == name or (sent.kind == "hostname" and name.startswith(f"{shown}."))


def _related(record: Mapping[str, Any]) -> set[str]:
    """The IDs that a record shows, its own and those of what it is related to, in small letters."""
    relations = unlisted(record.get("relationships"))
    related = [unlisted(relation) for relation in relations.values()] if isinstance(relations, Mapping) else []
    shown = [value for _name, value in _shown(record)]
    shown += [relation.get("data") for relation in related if isinstance(relation, Mapping)]
    ids = set[str | None]()
    for value in map(unlisted, shown):
        own = by_folded_name(value) if isinstance(value, Mapping) else None
        ids |= {identifier(value)} if own is None else {identifier(own.get(name)) for name in OWN_IDS}
    return {id_.lower() for id_ in ids if id_}


# L2VPNs

#: At most two levels below the top, with its id within it.
_L2VPN = re.compile(
    r"(\w+\.){0,2}(existing|public|new|created|attached|assigned)?(l2vpn(network)?|(l2|public)?vlan)s?(id|uuid|iri|ref)?s?"
    r"(\.data)?(\.(id|uuid|@id))?"
)


def l2vpn_id(body: Any) -> str | None:
    """The UUID of the L2VPN in the response to an order (API specification 2.1 and 4.3.3), or ``None``.

    From an element named for an L2VPN or a VLAN, at most two levels below the top: a UUID, an IRI that ends with one,
    or an object with one. ``None`` if several differ.
    """
    named = [(".".join(fold(step) for step in place.split(".") if step != ANY), value) for place, value in leaves(body)]
    ids = {identifier(value) for place, value in named if _L2VPN.fullmatch(place)}
    uuids = {id_.lower() for id_ in ids if id_ and is_uuid(id_)}
    return uuids.pop() if len(uuids) == 1 else None
