# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Named operations in the ledger, claimed like orders, with their own names.

The key of an operation begins with whitespace, with which no order's name can begin.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from .._core.errors import ConfigurationError, InFlightError
from .order_records import KEY_OF_OPERATIONS, Filter, Outcome, Record, Settlement
from .store import Ledger

#: Stands where an order has its product type.
KIND = "operation"
#: What an operation's statuses are called: it is no order.
_SHOWN_STATUS = {"ordered": "done"}
_OUTCOME: Mapping[str, str] = {shown: status for status, shown in _SHOWN_STATUS.items()}


class Operations:
    """The named operations in a ledger. The methods raise the errors of the ledger's methods."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @property
    def place(self) -> str:
        return self.ledger.place

    def find(self, name: str) -> Record | None:
        """The record of an operation."""
        record = self.ledger.find([key_of(name)]).get(key_of(name))
        return None if record is None else _named(record)

    def differing_in_case(self, name: str) -> str | None:
        """The name of a standing operation that differs from this one in capital letters only."""
        found = self.ledger.differing_in_case([key_of(name)]).get(key_of(name))
        return None if found is None else _name_of(found)

    def select(self, names: Collection[str] | None = None, statuses: Collection[str] | None = None) -> list[Record]:
        """All operations, or those of these names and (shown) statuses, by the time of their claim."""
        wanted = None if names is None else [key_of(name) for name in names]
        # To an operation, ``ordered`` is no status.
        shown = None if statuses is None else [status for status in statuses if status not in _SHOWN_STATUS]
        among = None if shown is None else [_OUTCOME.get(status, status) for status in shown]
        return [_named(record) for record in self.ledger.select(Filter(wanted, among, operations=True))]

    def settle(self, name: str, reason: str) -> None:
        """Record that the operation was done, as a user settles it."""
        key = key_of(name)
        try:
            self.ledger.settle([Settlement(key, Outcome("ordered", reason), before=self.ledger.find([key]).get(key))])
        except InFlightError as error:
            raise _in_progress(name) from error

    def remove(self, name: str) -> None:
        """Remove the record with this name, if any."""
        try:
            self.ledger.remove(key_of(name))
        except InFlightError as error:
            raise _in_progress(name) from error


def check_operation_name(name: str) -> None:
    """Raise ConfigurationError for a name that looks like another one."""
    plain = name == name.strip() and name.isprintable() and 0 < len(name) <= 255
    if not plain or not unicodedata.is_normalized("NFC", name):
        raise ConfigurationError(
            f"The name {name!r} is not a plain one. Nothing was sent.\n"
            "Give the operation a name of 1 to 255 printable characters, without whitespace around it, in Unicode's "
            "form NFC."
        )


def key_of(name: str) -> str:
    """The key of an operation with this name in the ledger."""
    return f"{KEY_OF_OPERATIONS}{name}"


def shown_operation(record: Record) -> dict[str, Any]:
    """Everything that the ledger has about an operation. It has no secrets."""
    request = record.request
    return {
        "name": _name_of(record.name),
        "status": _SHOWN_STATUS.get(record.status, record.status),
        "operation": request.product if request else None,
        "path": request.settings.get("path") if request else None,
        "base_url": request.service if request else None,
        "organization_id": request.organization_id if request else None,
        "reason": record.outcome.reason,
        "claimed_at": record.claimed_at,
        "done_at": record.ordered_at,
        "updated_at": record.updated_at,
        "awx_job_id": request.awx_job_id if request else None,
        "awx_workflow_job_id": request.awx_workflow_job_id if request else None,
    }


def _named(record: Record) -> Record:
    return replace(record, name=_name_of(record.name))


def _name_of(key: str) -> str:
    return key.removeprefix(KEY_OF_OPERATIONS)


def _in_progress(name: str) -> InFlightError:
    return InFlightError(
        f"A run is sending the operation {name} at this moment.\n"
        "Wait until that run has ended. If it dies, the operation is in doubt from then on, and can be settled."
    )
