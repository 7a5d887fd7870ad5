# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens what reads contracts from the service in a task's options."""

from __future__ import annotations

from collections.abc import Sequence

from .._contracts.reader import ContractReader
from .._contracts.reconciling import Reconciler
from .._core.errors import ServiceError
from .._http.config import checked_organizations
from .._ledger.order_records import Record
from .._order.service import Service
from .context import Context


def reader_of(context: Context, service: Service, records: Sequence[Record]) -> ContractReader:
    """A reader of contracts that knows these records. It sends nothing yet. Raises ConfigurationError."""
    params = context.params

    def products() -> dict[str, str | None]:
        try:
            return {each.id: each.names[0] if each.names else None for each in service.catalogue().records}
        except ServiceError:
            return {}

    return ContractReader(
        service.client,
        service.reference,
        records,
        products=products,
        elements=params["elements"],
        organizations=checked_organizations(params["organizations"]),
        list_path=params["list_path"],
        item_path=params["item_path"],
    )


def reconciler_of(context: Context, service: Service, records: Sequence[Record]) -> Reconciler:
    """A reconciler for these records and the options of the task. It sends nothing yet. Raises ConfigurationError."""
    config = service.config
    reader = reader_of(context, service, records)
    return Reconciler(reader, records, base_url=config.base_url, organization_id=config.organization_id)
