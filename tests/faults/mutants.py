# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Switches off a protection, in this process, to see that the campaign notices its absence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.known_ledgers import KnownLedgers
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import Masker


def claim() -> None:
    """An order is claimed after its request, when its outcome is recorded."""
    exchange = Ledger.exchange
    kept: dict[str, Any] = {}

    def late(self: Any, outcomes: Any, requests: Any, **_options: Any) -> Any:
        kept.update({request.name: request for request in requests})
        exchange(self, {}, [kept[name] for name in outcomes], longest=0.0)
        records, _standing = exchange(self, outcomes, [], longest=0.0)
        found = self.find([request.name for request in requests])
        standing = [found.get(request.name) for request in requests]
        return records, [None if each is None or each.status in ("rejected", "not_sent") else each for each in standing]

    Ledger.exchange = late  # type: ignore[method-assign]


def record() -> None:
    """What the service answers is reported, and not recorded."""
    exchange = Ledger.exchange

    def forgetful(self: Any, outcomes: Any, requests: Any, **options: Any) -> Any:
        _records, standing = exchange(self, {}, requests, **options)
        found = self.find([*outcomes])
        return {name: found[name]._replace(outcome=outcome) for name, outcome in outcomes.items()}, standing

    Ledger.exchange = forgetful  # type: ignore[method-assign]


def sight() -> None:
    """What the user saw of the ledger is not known."""
    known: Any = KnownLedgers
    known._read_all = lambda _self: []


def masking() -> None:
    """What the service says is shown and kept as it came."""

    def as_it_is(_self: Any, told: Any, *_read: Any) -> Any:
        return told

    masker: Any = Masker
    outcome: Any = Outcome
    masker.found_in = lambda _self, _text: False
    masker.text = masker.value = masker.result = masker.body = as_it_is
    outcome.masked = lambda kept, _masker: kept


PROTECTIONS: Mapping[str, Callable[[], None]] = {
    protection.__name__: protection for protection in (claim, record, sight, masking)
}
