# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where nothing may be ordered with a ledger, none is opened or made for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._locations import locations, opening
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import FileLocation
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import open_ledger
from tests.unit.plugins.module_utils._ledger.conftest import Store


def test_directory_that_another_user_makes_meanwhile_holds_no_ledger(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(sqlite_store.address).parent
    monkeypatch.setattr(opening, "make_folders", lambda folder: (folder.mkdir(), folder.chmod(0o777)))
    with pytest.raises(LedgerError, match=f"{folder} can be written by everyone"):
        sqlite_store.open()
    assert [*folder.iterdir()] == []


def test_network_file_system_is_refused_for_writing(sqlite_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(sqlite_store.address)
    sqlite_store.open().close()
    monkeypatch.setattr(locations, "_MOUNTS", path.with_name("mounts"))
    path.with_name("mounts").write_text(f"1 0 0:1 / {path.parent} rw - nfs4 server:/ rw\n")
    before = {each: each.read_bytes() for each in path.parent.iterdir()}
    for mode in ("write", "check"):
        with pytest.raises(LedgerError, match=r"network file system \(nfs4\)(?s:.*)PostgreSQL"):
            open_ledger(FileLocation(path), mode)
    assert {each: each.read_bytes() for each in path.parent.iterdir()} == before
    sqlite_store.open(writing=False)
