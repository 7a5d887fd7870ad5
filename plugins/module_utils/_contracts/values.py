# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a record of the service shows: values that the ledger knows, wherever they stand. Pure.

What an element of a record is called is not documented (API specification 2.5) and need not be known for that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import cached_property
from itertools import islice
from typing import Any

from .._core.addresses import same_service
from .._core.text import by_folded_name, fold, is_uuid, same_id
from .._ledger.order_records import Record, Request
from .._product_types.registry import PRODUCT_TYPES, SELF
from .._records.contract_ids import contract_id, identifier

Raw = Mapping[str, Any]
Steps = tuple[str, ...]
#: Where recorded contracts show what was ordered, by role.
Places = Mapping[str, Collection[Steps]]
#: The document's own words for what tells one contract from others (API specification 4.3).
_KEYS = {"hostname": ("hostname",), "domain": ("domain", "domainname")}
_IDS = ("contractid", "contractuuid", "id", "uuid", "@id", "identifier", "guid", "contractnumber", "contractno")
_ALL_KEYS = {name for names in _KEYS.values() for name in names}
_DEPTH, _MOST = 16, 20000
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_HOST = re.compile(r"[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*")
_NAME_LIKE = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*\.(xn--[a-z0-9-]+|[a-z]{2,63})")


def leaves(record: Any) -> Iterator[tuple[Steps, Any]]:
    """The single values of a record with the steps to each, without ``null``. Only the first ones of a huge record."""
    return islice(_leaves(record, (), _DEPTH), _MOST)


def _leaves(value: Any, steps: Steps, depth: int) -> Iterator[tuple[Steps, Any]]:
    if isinstance(value, (Mapping, list)):
        for name, item in (value.items() if isinstance(value, Mapping) else enumerate(value)) if depth else ():
            yield from _leaves(item, (*steps, str(name)), depth - 1)
    elif value is not None:
        yield steps, value


def plain(value: Any) -> str:
    """The form in which values are compared: without case and a trailing dot, and names as DNS has them."""
    text = str(value).strip().lower().rstrip(".")
    if text.isascii():
        return text
    labels = unicodedata.normalize("NFC", text).split(".")
    return ".".join(each if each.isascii() else f"xn--{each.encode('punycode').decode()}" for each in labels)


def values_of(values: Iterable[Any]) -> frozenset[str]:
    """Values in the form in which they are compared; of an IRI also the id at its end."""
    found = [value for value in values if not isinstance(value, bool)]
    ends = (identifier(value) for value in found if isinstance(value, str) and "/" in value)
    return frozenset(plain(value) for value in (*found, *ends) if value is not None)


def key_of(contract: str) -> str:
    """The ID of a contract in the form in which IDs are compared."""
    return contract.lower() if len(contract) == 36 else contract


def own_ids(raw: Raw, key: str | None = None) -> dict[str, str]:
    """What may be the id of a record, by place, the most telling first. ``key`` is what it stands under in a mapping."""
    members = by_folded_name(raw)
    found = {"(key)": key} if key else {}
    found |= {name: told for name in _IDS if (told := identifier(members.get(name)))}
    told = contract_id(dict(raw), None)
    return found if found or told is None else {"(told)": told}


@dataclass(frozen=True)
class ShownContract:
    """One contract as the service shows it; ``None`` for what no value of the record tells.

    ``ids`` are all of its ids by place, ``id`` is the one to use.
    """

    id: str
    raw: Raw = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    product: str | None = None
    end_user: str | None = None
    hostname: str | None = None
    domain: str | None = None

    @cached_property
    def values(self) -> frozenset[str]:
        """All values of the record; of an IRI also the id at its end."""
        return values_of(value for _steps, value in leaves(self.raw))

    def has_id(self, ids: Collection[str]) -> bool:
        """Whether one of its ids is among these."""
        return any(key_of(told) in ids for told in (self.id, *self.ids.values()))


@dataclass(frozen=True)
class Listing:
    """All contracts that one read of an organization returned. ``why_incomplete`` is empty if it is complete.

    ``proven``: the place of the ids shows the id of a recorded contract beside what was ordered.
    """

    contracts: tuple[ShownContract, ...]
    complete: bool
    why_incomplete: str = ""
    read_in: str = ""
    proven: bool = False


@dataclass(frozen=True)
class Asked:
    """What an order asks for, as far as a contract can show it. ``key`` is ``hostname``, ``domain`` or ``None``."""

    name: str
    end_user: str
    product: str
    product_name: str | None = None
    key: str | None = None
    value: str | None = None

    @classmethod
    def of(cls, request: Request) -> Asked:
        kind = PRODUCT_TYPES.get(request.product_type)
        value = request.settings.get(kind.identity) if kind and kind.identity else None
        known = kind is not None and isinstance(value, str) and bool(value)
        return cls(
            request.name,
            request.end_user,
            request.product,
            request.product_name,
            kind.identity if kind and known else None,
            value if known else None,
        )


class Known:
    """What can be recognized in records: products, end users and recorded contracts."""

    def __init__(self, records: Iterable[Record], base_url: str, products: Mapping[str, str | None]) -> None:
        here = [each for each in records if _at(each.request, base_url)]
        self.products = {key_of(id_): name for id_, name in products.items()}
        self.end_users: set[str] = set()
        self.recorded: dict[str, Record] = {}
        for record in here:
            if record.request is not None:
                self.products.setdefault(key_of(record.request.product), record.request.product_name)
                self.end_users |= {key_of(record.request.end_user)} - {SELF, ""}
            if record.status == "ordered" and record.outcome.contract_id:
                self.recorded[key_of(record.outcome.contract_id)] = record

    def record_of(self, shown: ShownContract) -> Record | None:
        """The order that has this contract."""
        return next((self.recorded[key_of(each)] for each in shown.ids.values() if key_of(each) in self.recorded), None)

    def products_in(self, shown: ShownContract, places: Places) -> set[str]:
        """The products that a record shows, where recorded contracts show theirs, otherwise anywhere: by UUID or name."""
        at = places.get("product")
        values = shown.values if not at else values_of(value for steps, value in leaves(shown.raw) if steps in at)
        return {id_ for id_, name in self.products.items() if id_ in values or (name and plain(name) in values)}

    def same_product(self, asked: Asked, shown: ShownContract, places: Places) -> bool | None:
        """Whether a record shows the order's product, another one, or none or several (``None``)."""
        found = self.products_in(shown, places)
        if key_of(asked.product) not in found:
            return False if found else None
        return True if len(found) == 1 else None

    def same_end_user(self, asked: Asked, shown: ShownContract) -> bool | None:
        """As same_product(), for the end user. The own organization is shown by nothing."""
        found = self.end_users & shown.values
        return True if key_of(asked.end_user) in found else False if found else None

    def like(self, asked: Asked, shown: ShownContract) -> bool:
        """Whether a record shows the order's natural key anywhere; without a natural key, its product."""
        wanted = (asked.value,) if asked.key else (asked.product, asked.product_name)
        return any(each is not None and plain(each) in shown.values for each in wanted)


def _at(request: Request | None, base_url: str) -> bool:
    return request is None or not request.service or same_service(request.service, base_url)


def places_of(rows: Iterable[tuple[Raw, Record]]) -> dict[str, set[Steps]]:
    """Where any recorded contract shows its own ``hostname`` or ``domain``, and where all show their ``product``."""
    found: dict[str, set[Steps]] = {}
    products: list[set[Steps]] = []
    for raw, record in rows:
        if record.request is None:
            continue
        asked = Asked.of(record.request)
        product = {plain(each) for each in (asked.product, asked.product_name) if each}
        here = [(steps, values_of([value])) for steps, value in leaves(raw)]
        products += [at] if (at := {steps for steps, values in here if values & product}) else []
        if asked.key:
            found.setdefault(asked.key, set()).update(steps for steps, values in here if plain(asked.value) in values)
            # Another name may be the new one of a contract that was renamed, beside a label with the old one.
            others = {steps for steps, values in here if any(map(_NAME_LIKE.fullmatch, values)) and not _in_list(steps)}
            found.setdefault(f"beside {asked.key}", set()).update(others)
    return {**found, "product": set.intersection(*products)} if products else found


def _in_list(steps: Steps) -> bool:
    return any(step.isdigit() for step in steps)


def uuid_places(rows: Iterable[tuple[Raw, Record]]) -> set[Steps]:
    """Where recorded contracts of the own organization show UUIDs."""
    own = (raw for raw, record in rows if record.request and record.request.end_user == SELF)
    return {steps for raw in own for steps, value in leaves(raw) if is_uuid(identifier(value))}


def own_key(role: str, raw: Raw, places: Places) -> str | None:
    """The hostname or domain of a record: what stands where recorded contracts have theirs; without any, its only name.

    ``None`` if that is nothing, or several names.
    """
    at, beside, found = places.get(role), places.get(f"beside {role}", ()), {}
    theirs, called, others = [], [], []
    for steps, value in leaves(raw):
        text = plain(value) if isinstance(value, str) else ""
        if not _HOST.fullmatch(text):
            continue
        found[text] = value
        if at and steps in at:
            theirs.append(text)
        elif fold(steps[-1]) in _KEYS[role] and not _in_list(steps):
            called.append(text)
        elif _NAME_LIKE.fullmatch(text) and (steps in beside or (not at and fold(steps[-1]) not in _ALL_KEYS)):
            others.append(text)
    if at:
        names = {*theirs, *(called or others)} if theirs else set()
    else:
        names = {*called, *others} if called or role == "hostname" else set()
    return found[names.pop()] if len(names) == 1 else None


def names_nothing(contracts: Iterable[ShownContract]) -> bool:
    """Whether these records show nothing that could be a hostname or a domain."""
    return not any(_NAME_LIKE.fullmatch(value) for shown in contracts for value in shown.values)


def same(one: str | None, other: str | None) -> bool:
    """Whether two ids are the same, if both are known."""
    return bool(one and other and same_id(one, other))


def times(raw: Raw) -> Iterator[datetime]:
    """The times that a record shows: ISO 8601, or seconds since 1970. Without a zone, the latest that it may mean."""
    for _steps, value in leaves(raw):
        try:
            if isinstance(value, int) and 10**9 <= value < 10**10:
                yield datetime.fromtimestamp(value, timezone.utc)
            elif isinstance(value, str) and _TIME.match(value):
                time = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
                yield time if time.tzinfo else time.replace(tzinfo=timezone(timedelta(hours=-12)))
        except ValueError:
            continue
