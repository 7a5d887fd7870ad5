# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The catalogue: the products that can be ordered, and the live rules of each (document sections 2.1, 2.2 and 4.2)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

from .._core.errors import CatalogueError, UnknownProductError
from .._core.text import clean, describe_json, is_uuid, nearest
from .._http.answers import read_json, service_error
from .._http.client import MEGABYTE, Answer, Client
from .._product_options.entry_reader import read_options
from .._product_options.option import Option
from .._product_types.registry import TEMPLATE_SETTINGS
from . import paging
from .records import Found, ProductRecord, find_records, record_of, unwrapped


@dataclass(frozen=True)
class Product:
    """A product of the catalogue. ``options`` is ``None`` when its entry is missing or of an unknown kind."""

    id: str
    name: str | None
    options: Sequence[Option] | None
    raw: Mapping[str, Any]


PRODUCTS = "/api/reseller/products"
#: A service that speaks JSON-LD tells only in it how many products there are and where the next page is.
ACCEPT = "application/ld+json, application/json;q=0.9"
LARGEST_PAGE = 64 * MEGABYTE
LARGEST_CATALOGUE = 128 * MEGABYTE
MOST_PAGES = 1000


#: So many different ``options`` are kept once they are read.
_MOST_KEPT = 1000


class _Products(Sequence[Product]):
    """The records as products; the options of each are read when it is looked at."""

    def __init__(
        self, records: Sequence[ProductRecord], kept: dict[str, Sequence[Option] | None] | None = None
    ) -> None:
        self._records = records
        self._kept = {} if kept is None else kept

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, at: int) -> Product:
        """The product at this place."""

    @overload
    def __getitem__(self, at: slice) -> Sequence[Product]:
        """The products at these places."""

    def __getitem__(self, at: int | slice) -> Product | Sequence[Product]:
        if isinstance(at, slice):
            return _Products(self._records[at], self._kept)
        record = self._records[at]
        return Product(record.id, record.names[0] if record.names else None, self._options(record), record.raw)

    def _options(self, record: ProductRecord) -> Sequence[Option] | None:
        told = unwrapped(record.raw)
        if "options" not in told:
            return None
        # Most products of a large catalogue share their options with others.
        key = json.dumps(told["options"], sort_keys=True)
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = read_options(told["options"])
        return self._kept[key]


@dataclass
class Catalogue:
    """All products of the service, in its order. ``warnings`` say what of its answers could not be used."""

    records: Sequence[ProductRecord] = ()
    warnings: Sequence[str] = ()

    @cached_property
    def products(self) -> Sequence[Product]:
        """The products, each made when it is looked at: a catalogue may hold 100,000 of them."""
        return _Products(self.records)

    def find(self, wanted: str) -> Product:
        """The product with this UUID (in any case) or exactly this name.

        Raises UnknownProductError: for an unknown one with those most like it, for a name that several products have
        with the UUIDs of these.
        """
        at = self._by_id.get(wanted.lower())
        named = self._by_name.get(wanted, [])
        if at is None and len(named) > 1:
            ids = ", ".join(self.records[each].id for each in named[:20])
            raise UnknownProductError(
                f"{len(named)} products are named {wanted!r}. Give the UUID of the one that is meant: {ids}"
                f"{', …' if len(named) > 20 else ''}."
            )
        if at is None and not named:
            raise UnknownProductError(self._unknown(wanted))
        return self.products[named[0] if at is None else at]

    def os_templates(self) -> list[str]:
        """The names of OS templates that the products list for ``template`` or ``template_name``, sorted, unique."""
        # Many products have their options in common; these are held here, so that their identity tells them.
        different = {id(options): options for product in self.products if (options := product.options)}
        return sorted(
            {
                str(choice.value)
                for options in different.values()
                for option in options
                if option.name in TEMPLATE_SETTINGS
                for choice in option.choices
            }
        )

    def to_cache(self) -> Any:
        """The catalogue as a JSON value."""
        return {
            "records": [[record.id, list(record.names), record.raw] for record in self.records],
            "warnings": list(self.warnings),
        }

    @classmethod
    def from_cache(cls, value: Any) -> Catalogue:
        """The catalogue that ``to_cache`` made this value of. Raises CatalogueError for any other value."""
        try:
            records = [_cached(*entry) for entry in value["records"]]
            warnings = [str(warning) for warning in value["warnings"]]
        except (TypeError, KeyError, IndexError, ValueError) as error:
            raise CatalogueError("The cached catalogue is of another form. Remove it, or set refresh: true.") from error
        return cls(records, warnings)

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return {record.id.lower(): at for at, record in enumerate(self.records)}

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, record in enumerate(self.records):
            for name in record.names:
                found.setdefault(name, []).append(at)
        return found

    def _unknown(self, wanted: str) -> str:
        kind = "UUID" if is_uuid(wanted) else "UUID or name"
        message = f"The catalogue lists no product with the {kind} {wanted[:200]!r}"
        if not self.records:
            return f"{message}: it is empty. Check organization_id: products are listed for an organization."
        near = nearest(wanted, self._by_id if is_uuid(wanted) else [*self._by_name, *self._by_id])
        listed = [self._described(name) for name in near]
        message += f". Most like it: {', '.join(listed)}." if listed else f" among its {len(self.records)} products."
        if self.warnings:
            message += f" But the catalogue may not be whole: {' '.join(self.warnings)}"
        return f"{message} reseller_products_info lists what can be ordered."

    def _described(self, name: str) -> str:
        record = self.records[self._by_name[name][0] if name in self._by_name else self._by_id[name]]
        return f"{clean(name, 100)!r} ({record.id})" if name != record.id.lower() else record.id


def _cached(record_id: Any, names: Any, raw: Any) -> ProductRecord:
    if not isinstance(record_id, str) or not isinstance(names, list) or not isinstance(raw, dict):
        raise TypeError("not a record")
    return ProductRecord(record_id, tuple(str(name) for name in names), raw)


class _Reader:
    """Gathers the records of all pages, and what is wrong with them."""

    def __init__(self) -> None:
        self.records: dict[str, ProductRecord] = {}
        self.unusable: list[Any] = []
        self.size = 0
        self.incomplete: str | None = None

    def read(self, client: Client) -> None:
        page: paging.NextPage | None = paging.NextPage(client.url(PRODUCTS))
        seen: set[str] = set()
        first_number = 1
        while page is not None:
            seen.add(page.url)
            answer = _get(client, page.url)
            if not page.told and not answer.ok:
                self.incomplete = f"page {len(seen)} was answered with status {answer.status}"
                return
            found = self._entries(answer)
            told = paging.holders(found.around)
            if len(seen) == 1:
                first_number = paging.first_number(told)
            new = self._add(found)
            progress = paging.ReadSoFar(
                len(seen), len(self.records) + len(self.unusable), len(found.entries), first_number
            )
            page = self._following(answer, told, progress, seen, new=new)
            count = paging.total(answer, told)
            if page is None and count is not None and count > progress.received and not self.incomplete:
                self.incomplete = f"the service speaks of {count}, and tells no further page"

    def _entries(self, answer: Answer) -> Found:
        if not answer.ok:
            raise service_error(answer, "for its products")
        body = read_json(answer)
        found = find_records(body)
        if found is None:
            raise CatalogueError(
                f"{clean(answer.url, 300)} answered {answer.status}, but no list of products is recognised in its "
                f"answer, which is {clean(describe_json(body), 1000)}. Check base_url and organization_id; if both are "
                "right, report this shape to the maintainers of hosting.reseller.",
                status=answer.status,
            )
        self.size += len(answer.body)
        return found

    def _add(self, found: Found) -> int:
        before = len(self.records)
        for key, raw in found.entries:
            record = record_of(key, raw)
            if record is None:
                self.unusable.append(raw)
            else:
                self.records.setdefault(record.id.lower(), record)
        return len(self.records) - before

    def _following(
        self, answer: Answer, told: list[dict[str, Any]], progress: paging.ReadSoFar, seen: set[str], *, new: int
    ) -> paging.NextPage | None:
        try:
            page = paging.next_page(answer, told, progress)
        except paging.UnclearPageError as error:
            self.incomplete = f"the service names a next page that is not understood: {error}"
            return None
        if page is None:
            return None
        if page.url in seen or (not new and progress.on_page):
            self.incomplete = f"its pages repeat themselves after page {len(seen)}"
        elif not new:
            return None
        elif len(seen) >= MOST_PAGES:
            self.incomplete = f"it has more than {MOST_PAGES} pages"
        elif self.size > LARGEST_CATALOGUE:
            self.incomplete = f"it is larger than {LARGEST_CATALOGUE // MEGABYTE} MB"
        return None if self.incomplete else page

    def warnings(self) -> Iterator[str]:
        if self.incomplete:
            yield (
                f"Not all products of the catalogue were read: {self.incomplete}. {len(self.records)} products were "
                "read; others can be ordered by their UUID, with product_type and validation: documented."
            )
        if self.unusable:
            yield (
                f"{len(self.unusable)} records of the catalogue hold no usable id and are left out; the first is "
                f"{clean(describe_json(self.unusable[0]), 500)}."
            )
        others = [record.id for record in self.records.values() if not is_uuid(record.id)]
        if others:
            yield (
                f"{len(others)} products of the catalogue have an id that is no UUID, as an order should name them by: "
                f"{', '.join(clean(each, 60) for each in others[:5])}{', …' if len(others) > 5 else ''}."
            )


def _get(client: Client, url: str) -> Answer:
    answer = client.get(url, accept=ACCEPT, max_bytes=LARGEST_PAGE)
    return client.get(url, max_bytes=LARGEST_PAGE) if answer.status == 406 else answer


def read_catalogue(client: Client) -> Catalogue:
    """GET /api/reseller/products, all its pages, at most ``MOST_PAGES``.

    Raises ServiceError and its kinds: CatalogueError when no products are recognised (with the shape that was seen),
    UnreadableAnswerError for what is no JSON, UnreachableError and LostAnswerError.
    """
    reader = _Reader()
    reader.read(client)
    return Catalogue(list(reader.records.values()), list(reader.warnings()))


__all__ = ["PRODUCTS", "Catalogue", "Product", "read_catalogue"]
