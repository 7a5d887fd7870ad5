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
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from .._core.addresses import usable_address
from .._core.text import by_folded_name, clean, fold, is_uuid, words
from .contract_ids import (
    CONTRACTS,
    OTHER_KIND,
    WRAPPERS,
    has_digit,
    id_in_url,
    identifier,
    leads_elsewhere,
    names_of_parameter,
    self_link_id,
    unlisted,
)
from .failures import envelope_failure, message_failure, other_failure, record_failure
from .names import CONTRACT_IDS, OWN_IDS
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


class _Seen(NamedTuple):
    """A record of an answer by folded names."""

    record: Mapping[str, Any]
    #: Its dotted place, as the answer has it.
    place: tuple[str, ...] = ()
    #: The records around it, itself included, the outermost first.
    way: tuple[Mapping[str, Any], ...] = ()
    raw: Mapping[Any, Any] = MappingProxyType({})

    def inner(self, names: Iterable[str]) -> list[_Seen]:
        """The records that it holds under these folded names."""
        held = [(name, unlisted(self.record.get(name))) for name in names]
        return [
            _Seen(record, (*self.place, self.written(name)), (*self.way, record), each)
            for name, each in held
            if isinstance(each, Mapping) and (record := by_folded_name(each))
        ]

    def written(self, name: str) -> str:
        """A folded name as the answer has it."""
        return next((str(each) for each in self.raw if fold(each) == name), name)


class _Found(NamedTuple):
    """An ID, the record whose ID it is, and the name that it has there."""

    id: str
    seen: _Seen
    name: str

    @property
    def place(self) -> str:
        return ".".join((*self.seen.place, self.seen.written(self.name))) if self.name else ""


def read_receipt(body: Any, location: str | None, status: int, sent: SentOrder) -> Receipt:
    """Return what an answer of this status proves, from its body and its ``Location`` header."""
    holders = _holders(body)
    confirmed = _at(holders, sent.placed or {}, status)
    found = confirmed or _found(body, holders, location, sent)
    seen = [found.seen] if found and found.seen.record else [*_contracts(holders), *reversed(holders)]
    failure = _first(map(_failures, seen)) or (None if found else _message(holders, seen, sent))
    ended = _first(record_failure(_members(each.record)) for each in seen)
    related = _related(seen[0].record) - {sent.product.lower(), sent.end_user.lower()} if seen else set[str]()
    other = _other(seen[0].record, related & sent.known, sent) if seen else None
    shown = frozenset(filter(is_uuid, related))
    receipt = Receipt(failure=failure, ended=ended, strange=other is not None, related=shown)
    if found is None:
        return receipt
    receipt = receipt._replace(place=found.place)
    if why := other or _why_no_id(found, ended, sent):
        return receipt._replace(refused=f"{clean(found.id, 80)}: {why}")
    proves = failure is None and (found is confirmed or _shows(found.seen.record, sent))
    addresses = (usable_address(texts_at(each.raw, sent.address)) for each in (found.seen, *holders))
    return receipt._replace(contract_id=found.id, proves=proves, address=next(filter(None, addresses), None))


def _why_no_id(found: _Found, ended: str | None, sent: SentOrder) -> str | None:
    if found.id.lower() in sent.values:
        return "it is a value that was sent"
    return f"its record has {ended}" if ended else None


def _first(texts: Iterable[Iterable[str]]) -> str | None:
    return next(chain.from_iterable(texts), None)


def _message(holders: Sequence[_Seen], seen: Sequence[_Seen], sent: SentOrder) -> str | None:
    """The message of an answer that shows neither a contract nor more of the order than what was sent."""
    if _contracts(holders) or any(_shows(each.record, sent) and not _repeats(each.record, sent) for each in seen):
        return None
    return _first(message_failure(each.record) for each in holders)


def _holders(body: Any) -> list[_Seen]:
    """The record that a body is (also as the only one of a list), and those in its envelopes."""
    root = unlisted(body)
    if not isinstance(root, Mapping):
        return []
    record = by_folded_name(root)
    found = level = [_Seen(record, (), (record,), root)]
    for _depth in range(_DEEPEST_ENVELOPE):
        level = [inner for each in level for inner in each.inner(_ENVELOPES)]
        found = [*found, *level]
    return found


def _contracts(holders: Sequence[_Seen]) -> list[_Seen]:
    return [inner for each in holders for inner in each.inner(CONTRACTS)]


def _failures(seen: _Seen) -> Iterator[str]:
    """The words of failure on the way to a record: of the record itself, what cannot be its own value."""
    *around, record = seen.way
    for each in around or [record]:
        yield from envelope_failure(each)
    if around:
        yield from envelope_failure({name: value for name, value in record.items() if name not in ("code", "result")})


# The ID


def _at(holders: Sequence[_Seen], placed: Mapping[str, Any], status: int) -> _Found | None:
    """The ID where the description names its place for this status: never that of an order, request, job or user."""
    *way, name = steps = [*map(fold, str(placed.get("id")).split("."))]
    seen = holders[:1]
    for step in way:
        seen = [inner for each in seen for inner in each.inner([step])]
    is_of_others = any(map(OTHER_KIND.fullmatch, steps))
    if placed.get("status") != status or is_of_others or not seen or _is_of_others(seen[0].record):
        return None
    value = seen[0].record.get(name)
    text = identifier(value)
    return None if text is None or leads_elsewhere(value) else _Found(text, seen[0], name)


def _found(body: Any, holders: Sequence[_Seen], location: str | None, sent: SentOrder) -> _Found | None:
    """The ID from the most telling place that has one. Where two of these differ, the header decides, or nobody."""
    located = id_in_url(location)
    for each in _ranks(body, holders, names_of_parameter(sent.parameter)):
        found: dict[str | None, _Found] = {one.id: one for one in reversed(each) if one.id.lower() not in sent.values}
        if len(found) == 1:
            return found.popitem()[1]
        if found:
            return found.get(located)
    if located:
        return _Found(located, _Seen({}), "")
    # What was sent is refused in words.
    return next((one for each in _ranks(body, holders, ()) for one in each), None)


def _ranks(body: Any, holders: Sequence[_Seen], named: Sequence[str]) -> Iterator[list[_Found]]:
    """The IDs in a body, the most telling rank first. ``named`` are the names that the published path has for it."""
    if is_uuid(body):
        yield [_Found(body, _Seen({}), "")]
    contracts = _contracts(holders)
    places = [*holders]
    if holders and not _ids(holders[:1], OWN_IDS):
        places += holders[0].inner(WRAPPERS)
    # An envelope may have an element of that name, too, such as a code.
    yield _ids(contracts or holders[1:] or places, named)
    texts = _texts_in(places)
    yield [*_told(places, contracts), *(one for value, one in texts if "/" in str(value))]
    own = [each for each in places if not _is_of_others(each.record)]
    yield [each for each in _ids(own, OWN_IDS) if not leads_elsewhere(each.seen.record[each.name])]
    links = [_Found(text, each, "") for each in own if (text := self_link_id(each.record))]
    yield [*links, *(one for _value, one in texts)]


def _told(places: Sequence[_Seen], contracts: Sequence[_Seen]) -> list[_Found]:
    """The IDs that are called a contract's, or stand in one."""
    # Also below "data", as JSON:API relates it.
    related = [*contracts, *(one for each in contracts for one in each.inner(["data"]))]
    named = [one for name in CONTRACT_IDS for one in _ids(places, [name])]
    return [*named, *_ids(related, (*CONTRACT_IDS, *OWN_IDS))]


def _texts_in(places: Iterable[_Seen]) -> list[tuple[Any, _Found]]:
    """The texts and addresses that stand for a contract, each with the ID in it."""
    shown = [(each.record.get(name), each, name) for each in places for name in CONTRACTS]
    return [
        (value, _Found(text, each, name))
        for value, each, name in shown
        if (text := identifier(value)) and has_digit(text) and not leads_elsewhere(value)
    ]


def _ids(places: Iterable[_Seen], names: Iterable[str]) -> list[_Found]:
    """The first ID that each record has under these names."""
    found = []
    for each in places:
        named = ((text, name) for name in names if (text := identifier(each.record.get(name))))
        found += [_Found(text, each, name) for text, name in [*named][:1]]
    return found


def _is_of_others(record: Mapping[str, Any]) -> bool:
    """Return whether a record says that it is an order, request, job or user, and no contract."""
    return any(OTHER_KIND.fullmatch(fold(record.get(name))) for name in _KINDS)


def request_failure(body: Any) -> str | None:
    """Return the word of failure in the answer to a request that promises no record, or ``None``."""
    return _first(other_failure(each.record) for each in _holders(body))


def has_message(body: Any) -> bool:
    """Return whether a message stands at a place where records do."""
    return any(name in each.record for each in _holders(body) for name in ("message", "detail", "title", "description"))


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
    related = [unlisted(each) for each in relations.values()] if isinstance(relations, Mapping) else []
    shown = [value for _name, value in _shown(record)]
    shown += [each.get("data") for each in related if isinstance(each, Mapping)]
    found = set()
    for value in map(unlisted, shown):
        own = by_folded_name(value) if isinstance(value, Mapping) else None
        found |= {identifier(value)} if own is None else {identifier(own.get(name)) for name in OWN_IDS}
    return {each.lower() for each in found if each}


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
    found = {each.lower() for each in ids if each and is_uuid(each)}
    return found.pop() if len(found) == 1 else None
