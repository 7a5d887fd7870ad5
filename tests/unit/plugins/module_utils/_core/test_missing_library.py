# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import MissingLibraryError


def test_library_is_missing_in_an_environment_of_pipx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefix = tmp_path / "venvs" / "ansible core"
    prefix.mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(prefix))
    assert "pipx" not in MissingLibraryError("psycopg[binary]", "for a ledger", "").message
    (prefix / "pipx_metadata.json").touch()
    commands = MissingLibraryError("psycopg[binary]", "for a ledger", "").message.splitlines()[3:]
    assert [command.split()[0] for command in commands] == ["pipx", sys.executable, "uv"]
    assert commands[0] == "  pipx inject 'ansible core' 'psycopg[binary]'"
