# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The catalogue: products that can be ordered, and the live rules of each (API specification 2.1, 2.2 and 4.2)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

from .._core.errors import CatalogueError, UnknownProductError
from .._core.text import clean, is_uuid, nearest
from .._product_types.registry import TEMPLATE_SETTINGS
from .option import Option
from .option_reader import read_options
from .records import ProductRecord, prices_of, unwrapped


@dataclass(frozen=True)
class Product:
    """A product of the catalogue. ``options`` is ``None`` if its entry is missing or of an unknown form."""

    id: str
    name: str | None
    options: Sequence[Option] | None
    raw: Mapping[str, Any]

    @property
    def prices(self) -> dict[str, Any]:
        """The prices in the product's record, verbatim."""
        return prices_of(self.raw)


#: So many different ``options`` are kept once they are read.
_MOST_KEPT = 1000


class _CatalogueProducts(Sequence[Product]):
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
            return _CatalogueProducts(self._records[at], self._kept)
        record = self._records[at]
        return Product(record.id, record.names[0] if record.names else None, self._options(record), record.raw)

    def _options(self, record: ProductRecord) -> Sequence[Option] | None:
        members = unwrapped(record.raw)
        if "options" not in members:
            return None
        # Most products of a large catalogue share their options with others.
        key = json.dumps(members["options"], sort_keys=True)
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = read_options(members["options"])
        return self._kept[key]


@dataclass
class Catalogue:
    """All products of the service, in its order. ``warnings`` say which parts of its responses are unusable."""

    records: Sequence[ProductRecord] = ()
    warnings: Sequence[str] = ()
    #: The products that were asked for.
    _found: dict[int, Product] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def products(self) -> Sequence[Product]:
        """The products, each created on access: a catalogue may have 100,000 of them."""
        return _CatalogueProducts(self.records)

    def find(self, wanted: str) -> Product:
        """The product with this UUID (in any case) or exactly this name.

        Raises UnknownProductError: for an unknown one with those most like it, for a name that several products have
        with the UUIDs of these.
        """
        found = self._place_of(wanted)
        if found not in self._found:
            self._found[found] = self.products[found]
        return self._found[found]

    def id_of(self, wanted: str) -> str:
        """The UUID of the product that find() returns; its options are not read for that. Raises as find() does."""
        return self.records[self._place_of(wanted)].id

    def _place_of(self, wanted: str) -> int:
        at = self._by_id.get(wanted.lower())
        named = self._by_name.get(wanted, [])
        if at is None and len(named) > 1:
            ids = ", ".join(self.records[each].id for each in named[:20])
            raise UnknownProductError(
                f"{len(named)} products are named {wanted!r}.\nGive the UUID of the one that you mean: {ids}"
                f"{', …' if len(named) > 20 else ''}."
            )
        if at is None and not named:
            raise UnknownProductError(self._unknown(wanted))
        return named[0] if at is None else at

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
        """The catalogue from a value of ``to_cache``. Raises CatalogueError for any other value."""
        try:
            records = [_cached(*entry) for entry in value["records"]]
            warnings = [str(warning) for warning in value["warnings"]]
        except (TypeError, KeyError, IndexError, ValueError) as error:
            message = "The cached catalogue has another form. Remove it, or set catalogue_max_age: 0."
            raise CatalogueError(message) from error
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
