# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The request that cancels a contract, as the file of the service says it: a named operation, sent once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from .._http.client import Client
from .._http.problems import GONE
from .._http.transport import RawAnswer
from .._ledger.order_records import NamedOperation, Outcome
from .._ledger.store import Ledger
from .._service.contract_ids import as_mapping
from .._service.description import Description
from .._service.places import only_at
from .._service.receipts import SentOrder
from .operation_call import OperationCall, operation_call
from .operation_sender import OperationSender


def cancel_call(description: Description, client: Client, contract_id: str, hidden: set[str]) -> OperationCall:
    """Return the request that cancels this contract. Raises ConfigurationError for an ID that no path can have."""
    cancel: Mapping[str, Any] = description.get("cancel")
    options = {
        "method": cancel["method"],
        "path": cancel["path"].replace("{id}", quote(contract_id, safe="")),
        "body": _filled(cancel.get("body"), contract_id),
        "secrets": [],
        "status_code": ["2xx"],
    }
    return operation_call(options, client.config, hidden)


def _filled(value: Any, contract_id: str) -> Any:
    """The body with the contract's ID in place of ``{id}``."""
    if isinstance(value, Mapping):
        return {name: _filled(item, contract_id) for name, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, contract_id) for item in value]
    return value.replace("{id}", contract_id) if isinstance(value, str) else value


class CancelSender(OperationSender):
    """Sends the cancellation of an ``order``'s contract. That there is none counts as done only if its list lacks it.

    ``list_source`` is the kept source of the list that showed the contract. ``is_gone`` reads whether that list,
    complete, does not show it any more. ``ends_at`` is the place of a contract's last day.
    """

    def __init__(
        self,
        client: Client,
        call: OperationCall,
        job: Mapping[str, Any],
        *,
        order: str,
        list_source: str,
        is_gone: Callable[[], bool],
        ends_at: str | None,
    ) -> None:
        super().__init__(client, call, None, job)
        self._order, self._list_source = order, list_source
        self._is_gone, self._ends_at = is_gone, ends_at

    def request(self, name: str, ledger: Ledger) -> NamedOperation:
        return replace(super().request(name, ledger), cancels=self._order, list_source=self._list_source)

    def _outcome(self, answer: RawAnswer, sent: SentOrder) -> Outcome:
        outcome = super()._outcome(answer, sent)
        if answer.status in GONE and self._is_gone():
            return Outcome("ordered", f"It was answered {answer.status}, and its list does not show it any more.")
        if outcome.status != "ordered":
            return outcome
        body = as_mapping(outcome.body)
        levels = [body, *(as_mapping(value) for value in body.values())] if isinstance(body, Mapping) else []
        until = next(filter(None, (only_at(level, self._ends_at) for level in levels)), None)
        return outcome._replace(contract=outcome.body, until=until).masked(self._call.masker)
