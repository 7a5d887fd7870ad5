# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the lists of contracts of a service, and compares the ledger with them.

A list is always read first and the ledger afterwards: so the ledger has what other runs have bought in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from .._catalogue.catalogue import Catalogue, catalogue_of
from .._core.errors import Advice, ConfigurationError, ServiceError
from .._core.text import clean, nearest
from .._http.config import ServiceConfig
from .._ledger.order_records import Filter, Record
from .._ledger.store import Ledger
from .._service.description import Description
from .._service.service import Service

if TYPE_CHECKING:
    from .judging import Judgment
    from .reader import ContractReader
    from .reconciling import Reconciler


def reader_of(service: Service, *, is_bounded: bool = False) -> ContractReader:
    """A reader of contracts by what is known of the service. It sends nothing yet."""
    # Measured: 20 ms of a start, which only runs that read back need. They come here before they claim anything.
    from .reader import ContractReader

    given = service.described
    steps = tuple(filter(None, str(given.get("contracts.path") or "/api/reseller/contracts").split("/")))

    def describe() -> Description:
        if given.source("contracts.path") is not None:
            return given
        # It says why there is none.
        service.reference()
        return service.description

    def parameters() -> Mapping[str, int | None]:
        return service.query_parameters(lambda reference: reference.at("GET", steps))

    return ContractReader(service.client, describe, parameters, is_bounded=is_bounded)


def reconciler_of(reader: ContractReader, service: Service, records: Sequence[Record]) -> Reconciler:
    """Compare these records, which were read after the lists, with what the lists show."""
    from .reconciling import Reconciler

    try:
        catalogue = catalogue_of(service)
    except ServiceError:
        catalogue = Catalogue()
    return Reconciler(reader, records, catalogue)


def read_lists(reader: ContractReader, service: Service, ledger: Ledger, end_users: Iterable[str]) -> Reconciler:
    """Read the lists of these end users, and the ledger after them."""
    reader.read(reader.lists_of(end_users))
    return reconciler_of(reader, service, ledger.select(Filter()))


def settle(config: ServiceConfig, ledger: Ledger, judgments: Sequence[Judgment]) -> dict[str, Record]:
    """Settle the orders whose contracts are proven. Return the records that stand in the way of that, by name."""
    masker = config.masker()
    settlements = [made for each in judgments if (made := each.settlement(masker)) is not None]
    others = ledger.settle(settlements) if settlements else []
    return {each.name: other for each, other in zip(settlements, others, strict=True) if other is not None}


def check_recorded(names: Sequence[str] | None, ledger: Ledger) -> None:
    """Raise ConfigurationError unless orders of these names are recorded."""
    found = ledger.find(names or ())
    for name in names or ():
        if name not in found:
            near = ", ".join(nearest(name, [record.name for record in ledger.select(Filter())]))
            meant = f"The nearest names are {near}. " if near else ""
            raise ConfigurationError(
                f"No order named {clean(name, 60)} is in the ledger. Nothing was sent or written.",
                Advice(f"{meant}reseller_ledger_info lists all."),
            )
