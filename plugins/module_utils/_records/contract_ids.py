# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the contract in the response to an order, or that it failed (API specification 4.1 and 7 do not show them).

Nothing here is a guess: an id that two places show differently is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from .._core.pasting import PLACEHOLDER
from .._core.text import by_folded_name, fold, is_uuid

#: Hold one record, or a list.
ENVELOPES = ("data", "result", "response", "payload", "body")
#: Hold one record, unless what is around them has an id: a contract may well have an item.
WRAPPERS = ("item", "node", "record", "resource", "object", "content", "entity")

# The record of a new contract

#: Elements that name the contract's id whatever they stand in, and those that may hold the contract.
CONTRACT_IDS = ("contractid", "contractuuid")
OWN_IDS = ("id", "uuid", "@id", "identifier", "guid", "contractnumber", "contractno")
_CONTRACTS = ("contract", "contracts")
#: The place of an id that is the key of a record in a mapping.
KEY = "(key)"
#: Resources that a ``Location`` may name instead of the new contract.
_OTHER_RESOURCES = re.compile(r"(jobs?|tasks?|queues?|operations?|requests?|products?|orders?|api|v\d+)", re.IGNORECASE)


def contract_id(body: Any, location: str | None, parameter: str = "") -> str | None:
    """The ID of the contract in the response to an order (API specification 4.1), or ``None``.

    From the most telling place that holds one: the element of its record that the path ``parameter`` of the published
    item path names, an element named for it (``contract_id``, ``contract``), the ``id``, ``uuid`` or ``@id`` of the
    record (in the body or in an envelope), the ``Location`` header. If places that tell equally much contradict each
    other, the header (``location``) decides, or nobody.
    """
    located = _located(location)
    for found in _candidates(body, _named_by(parameter)):
        distinct = list(dict.fromkeys(found))
        if len(distinct) == 1:
            return distinct[0]
        if distinct:
            return located if located in distinct else None
    return located


def _named_by(parameter: str) -> tuple[str, ...]:
    """The folded names of the element that a path parameter names, as in ``/contracts/{number}``.

    None for ``id`` and ``contract``: these may mean any id, of which CONTRACT_IDS and OWN_IDS know the usual names.
    """
    plain = fold(parameter).removeprefix("contract")
    return () if plain in ("", "id") else (f"contract{plain}", plain)


def _candidates(body: Any, named: Sequence[str]) -> Iterator[list[str]]:
    """The ids in the body, the most telling rank first. ``named`` are the names of the element that holds the id."""
    if is_uuid(body):
        yield [body]
    places = holders(body)
    in_envelopes = places[1:]
    if places and not id_under(places[0], OWN_IDS):
        places += _held(places[0], WRAPPERS)
    # An envelope may have an element of that name, too, such as a code.
    records = [inner for place in places for inner in _held(place, _CONTRACTS)] or in_envelopes or places
    yield [text for record in records if (text := id_under(record, named))]
    yield [text for place in places for name in CONTRACT_IDS if (text := identifier(place.get(name)))]
    yield [text for place in places for name in _CONTRACTS if (text := _of_contract(place.get(name)))]
    yield [text for place in places if (text := id_under(place, OWN_IDS))]
    yield [text for place in places if (text := _self_link_id(place))]


def holders(body: Any) -> list[dict[str, Any]]:
    """The record that a body is (also as the only one of a list), and those in its envelopes, by folded names."""
    root = _single(body)
    return [] if root is None else [root, *_held(root, ENVELOPES)]


def _held(record: Mapping[str, Any], names: Iterable[str]) -> list[dict[str, Any]]:
    return [inner for name in names if (inner := _single(record.get(name))) is not None]


def as_mapping(value: Any) -> Any:
    """A list of names with their values (``[{key, value}]``, ``[{name, value}]``) as a mapping; else the value."""
    if not isinstance(value, list) or not all(isinstance(each, Mapping) and len(each) == 2 for each in value):
        return value
    rows = [by_folded_name(each) for each in value]
    names = [row.get("key", row.get("name")) for row in rows if "value" in row]
    named = {name: row["value"] for name, row in zip(names, rows, strict=False) if isinstance(name, str) and name}
    return named if named and len(named) == len(rows) else value


def _single(value: Any) -> dict[str, Any] | None:
    """A record by folded names; also one that is the only element of a list."""
    value = as_mapping(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return by_folded_name(value) if isinstance(value, Mapping) else None


def _of_contract(value: Any) -> str | None:
    record = _single(value)
    if record is None:
        return _plain_contract(value)
    return id_under(record, id_names()) or id_under(_single(record.get("data")) or {}, OWN_IDS)


def _plain_contract(value: Any) -> str | None:
    """The id that an element called contract is, if it is no object. A word there may as well be a state or a kind."""
    text = identifier(value)
    return text if text and _has_digit(text) else None


def ids_by_place(raw: Mapping[Any, Any], key: str | None = None, parameter: str = "") -> dict[str, str]:
    """Return what may be the id of a record, by place, the most telling first; never a nested one.

    ``key`` is what the record stands under in a mapping. ``parameter`` is that of the published item path.
    """
    record = by_folded_name(raw)
    found = {KEY: key} | {name: identifier(record.get(name)) for name in id_names(parameter)}
    found |= {"contract": _plain_contract(record.get("contract")), "(self)": _self_link_id(record)}
    return {place: id_ for place, id_ in found.items() if id_}


def id_names(parameter: str = "") -> tuple[str, ...]:
    """The folded names of elements for the id of a contract: its own, and those of any record."""
    return (*_named_by(parameter), *CONTRACT_IDS, *OWN_IDS)


def id_under(record: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """The first id that a record with folded names has under these."""
    return next((text for name in names if (text := identifier(record.get(name)))), None)


def _self_link_id(record: Mapping[str, Any]) -> str | None:
    """The id in the link of a record, with folded names, to itself."""
    links = _single(record.get("links")) or {}
    link = links.get("self") or record.get("self")
    if isinstance(link, Mapping):
        link = link.get("href")
    return _located(link)


def identifier(value: Any) -> str | None:
    """An ID as a string: a positive number, a word, or the last segment of an IRI."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    text = str(value).strip()
    if isinstance(value, int):
        return text if value > 0 else None
    if text.startswith("_:") or "/.well-known/genid/" in text:
        # JSON-LD's names for things that have none.
        return None
    if text.startswith("/") or "://" in text:
        text = next(reversed(_segments(text)), "")
    # Of all that separates words, a space alone is printable. No path can name . and .. as ids.
    if text in ("", ".", "..", PLACEHOLDER) or len(text) > 255 or not text.isprintable() or " " in text:
        return None
    return text


def _segments(url: str) -> list[str]:
    try:
        path = urlsplit(url).path
    except ValueError:
        return []
    return [unquote(segment) for segment in path.split("/") if segment]


def _located(location: Any) -> str | None:
    """The id in a URL of the contract: what follows ``contracts``, or a last segment that can be an id."""
    if not isinstance(location, str):
        return None
    segments = [re.sub(r"\.json(ld|api)?\Z", "", segment) for segment in _segments(location.strip())]
    places = [at for at, segment in enumerate(segments) if fold(segment) in _CONTRACTS]
    if places:
        return identifier(segments[places[-1] + 1]) if places[-1] + 1 < len(segments) else None
    if not segments or not _has_digit(segments[-1]) or any(map(_OTHER_RESOURCES.fullmatch, segments[-2:])):
        return None
    return identifier(segments[-1])


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


_L2VPN = re.compile(
    "(existing|public|new|created|attached|assigned)?(l2vpn(network)?|(l2|public)?vlan)s?(id|uuid|iri|ref)?s?"
)


def l2vpn_id(body: Any) -> str | None:
    """The UUID of the L2VPN in the response to an order (API specification 2.1 and 4.3.3), or ``None``.

    From an element named for an L2VPN or a VLAN, at most two levels below the top: a UUID, an IRI that ends with one,
    or an object with one. ``None`` if several differ.
    """
    found = {*_l2vpns(body, 2)}
    return found.pop() if len(found) == 1 else None


def _l2vpns(value: Any, depth: int) -> Iterator[str]:
    for name, inner in (_single(value) or {}).items():
        if _L2VPN.fullmatch(name) and (text := _uuid_in(inner)):
            yield text.lower()
        elif depth:
            yield from _l2vpns(inner, depth - 1)


def _uuid_in(value: Any) -> str | None:
    record = _single(value)
    if record is None:
        found = [identifier(value[0] if isinstance(value, list) and len(value) == 1 else value)]
    else:
        found = [identifier((_single(record.get("data")) or record).get(name)) for name in ("id", "uuid", "@id")]
    return next(filter(is_uuid, found), None)


# Failures

#: Elements that report a failed request, unless they are empty.
ERRORS = ("error", "errors", "violations")
_FAILURES = frozenset({"error", "errors", "fail", "failed", "failure"})
_HTTP_ERROR = re.compile("[45][0-9][0-9]")


def contradictions(body: Any) -> Iterator[str]:
    """Parts of a body or its envelopes that report a failed request, whatever the status is."""
    for record in holders(body):
        for name in ("success", "ok"):
            if record.get(name) is not None and str(record[name]).strip().lower() in ("false", "0", "no", ""):
                yield f"{name} in it is false"
        for name in ERRORS:
            if _says_something(record.get(name)):
                yield f"{name} in it is not empty"
        for name in ("status", "statuscode"):
            said = str(record.get(name)).strip().lower()
            if said in _FAILURES or _HTTP_ERROR.fullmatch(said):
                yield f"{name} in it is {said}"


def _says_something(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_says_something, value.values()))
    return bool(value) and str(value).strip().lower() not in ("", "0", "false", "none", "null")
