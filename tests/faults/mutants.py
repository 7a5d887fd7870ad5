# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Switches off what protects a ledger or a secret, in this process, to see that the campaign notices its absence."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

UTILS = "ansible_collections.hosting.reseller.plugins.module_utils."


def _module(name: str) -> Any:
    return import_module(UTILS + name)


def _nothing(*_arguments: Any, **_options: Any) -> None:
    return None


def one_name() -> None:
    """A file may have several names."""
    _module("_ledger.ownership").second_name = _nothing


def real_path() -> None:
    """A symbolic link is a place of its own."""
    paths = SimpleNamespace(**{**vars(os.path), "realpath": os.path.abspath})
    _module("_ledger.sqlite_files").os = SimpleNamespace(**{**vars(os), "path": paths})
    _module("_ledger.ownership")._stat = lambda path: path.stat() if path.exists() else None


def claims_in_the_file() -> None:
    """Claims stay in the log, as SQLite would have it."""
    _module("_ledger.sqlite").SqliteLedger._move_log = _nothing


def integrity() -> None:
    """A damaged file is read as far as it can be."""
    _module("_ledger.sqlite").SqliteLedger._check_whole = _nothing


def sight() -> None:
    """What the user saw of the ledger is not known."""
    _module("_ledger.known_ledgers").KnownLedgers.read = lambda _self: {}


def followed() -> None:
    """What a run makes beside a ledger belongs to the user of the run."""
    for name in ("_ledger.ownership", "_ledger.run_locks"):
        _module(name).follow = _nothing


def job_folder() -> None:
    """The job's own directory is as good as any other one."""
    _module("_ledger.mounts")._vanishes = _nothing


def owners() -> None:
    """It does not matter who else can write the ledger."""
    _module("_ledger.ownership").why_unsafe = _nothing


def kinds() -> None:
    """Whatever is in the place of a file is opened and read."""
    _module("_ledger.ownership").check_kinds = _nothing

    def read(path: Path, _largest: int) -> tuple[bytes, float]:
        return path.read_bytes(), path.stat().st_mtime

    @contextlib.contextmanager
    def unlocked(path: Path) -> Iterator[bool]:
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True

    _module("_core.cache").read_private = _module("_ledger.known_ledgers").read_private = read
    _module("_ledger.run_locks")._unlocked = unlocked


def masking() -> None:
    """What the service says is shown and kept as it came."""

    def as_it_is(_self: Any, told: Any, **_options: Any) -> Any:
        return told

    masker = _module("_secrets.masker").Masker
    masker.text = masker.value = masker.result = masker.body = as_it_is
    _module("_ledger.order_records").Outcome.masked = lambda outcome, _masker: outcome


def deadlines() -> None:
    """Only each wait for bytes is bounded."""
    long = 1e6
    client, reached = _module("_http.client").Client, _module("_http.connections").Reached
    start = reached.start

    def unbounded(self: Any, _seconds: float) -> None:
        start(self, long)

    reached.start = unbounded
    client._left = lambda _self, _url: long
    client._may_wait = lambda *_arguments: True


PROTECTIONS: Mapping[str, Callable[[], None]] = {
    each.__name__: each
    for each in (
        one_name,
        real_path,
        claims_in_the_file,
        integrity,
        sight,
        followed,
        job_folder,
        owners,
        kinds,
        masking,
        deadlines,
    )
}


def switch_off(names: Sequence[str]) -> None:
    for name in names:
        PROTECTIONS[name]()


__all__ = ["PROTECTIONS", "switch_off"]
