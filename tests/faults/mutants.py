# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Switches off what protects a ledger or a secret, in this process, to see that the campaign notices its absence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

UTILS = "ansible_collections.hosting.reseller.plugins.module_utils."


def _module(name: str) -> Any:
    return import_module(UTILS + name)


def _nothing(*_arguments: Any, **_options: Any) -> None:
    return None


def integrity() -> None:
    """A damaged file is read as far as it can be."""
    _module("_ledger.sqlite").SqliteDatabase._check_whole = _nothing


def sight() -> None:
    """What the user saw of the ledger is not known."""
    known = _module("_ledger.known_ledgers").KnownLedgers
    known.at, known.missing = _nothing, (lambda *_arguments: [])


def followed() -> None:
    """What a run makes beside a ledger belongs to the user of the run."""
    for name in ("_ledger.ownership", "_ledger.run_locks"):
        _module(name).inherit = _nothing


def masking() -> None:
    """What the service says is shown and kept as it came."""

    def as_it_is(_self: Any, told: Any, *_read: Any) -> Any:
        return told

    masker = _module("_secrets.masker").Masker
    masker.found_in = lambda _self, _text: False
    masker.text = masker.value = masker.result = masker.body = as_it_is
    _module("_ledger.order_records").Outcome.masked = lambda outcome, _masker: outcome


def deadlines() -> None:
    """Only each wait for bytes is bounded."""
    long = 1e6
    client, reached = _module("_http.client").Client, _module("_http.connections").Reached
    start = reached.start

    def unbounded(self: Any, _seconds: float, option: str) -> None:
        start(self, long, option)

    reached.start = unbounded
    client._left = lambda _self, _url: long
    client._may_wait = lambda *_arguments: True


PROTECTIONS: Mapping[str, Callable[[], None]] = {
    each.__name__: each
    for each in (
        integrity,
        sight,
        followed,
        masking,
        deadlines,
    )
}


def switch_off(names: Sequence[str]) -> None:
    for name in names:
        PROTECTIONS[name]()
