# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that ansible-vault may have encrypted, read as by a task."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.reseller.plugins.plugin_utils._decrypted import text_reader

TEXT = "base_url: https://müller.example\n"


def test_file_is_read_also_if_it_is_encrypted(tmp_path: Path) -> None:
    secrets = [("default", VaultSecret(b"vault-pw"))]
    (tmp_path / "plain.yml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "vault.yml").write_bytes(VaultLib(secrets).encrypt(TEXT))
    loader = DataLoader()
    with pytest.raises(OSError, match=r"(?i)vault"):
        text_reader(loader)(str(tmp_path / "vault.yml"))
    loader.set_vault_secrets(secrets)
    for name in ("plain.yml", "vault.yml"):
        found = text_reader(loader)(str(tmp_path / name))
        assert (found, type(found)) == (TEXT, str)
    with pytest.raises(FileNotFoundError):
        text_reader(loader)(str(tmp_path / "missing.yml"))
