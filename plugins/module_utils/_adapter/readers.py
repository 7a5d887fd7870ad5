# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What reads contracts from the service that a task's options name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._contracts.reader import ContractReader
from .._http.config import checked_organization
from .._ledger.ledger import Record
from .._order.service import Service
from .context import Context


def reader_of(context: Context, service: Service, records: Sequence[Record]) -> ContractReader:
    """A reader of contracts that learns from these records. Nothing is asked yet. Raises ConfigurationError."""
    params = context.params
    return ContractReader(
        service.client,
        service.reference,
        records,
        elements=params["elements"],
        organizations=organizations_of(params),
        marker_element=params.get("marker_element"),
        list_path=params["list_path"],
        item_path=params["item_path"],
    )


def organizations_of(params: Mapping[str, Any]) -> dict[str, str]:
    """The ids of end users' organizations, by end user. Raises ConfigurationError."""
    return {str(user): checked_organization(id_, user) for user, id_ in params["organizations"].items()}


__all__ = ["organizations_of", "reader_of"]
