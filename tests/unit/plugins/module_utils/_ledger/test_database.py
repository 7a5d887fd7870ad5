# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import fcntl
import os
from pathlib import Path

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import RunLock


def test_run_lives_as_long_as_its_lock_and_without_a_file_nothing_is_known(tmp_path: Path) -> None:
    ours, theirs = RunLock(tmp_path, "ours"), RunLock(tmp_path, "theirs")
    assert theirs.is_held("ours") is None
    ours.take()
    assert theirs.is_held("ours") is True
    ours.release(keep=True)
    with (tmp_path / "ours").open() as other:
        # Readers do not disturb each other.
        fcntl.flock(other, fcntl.LOCK_SH)
        assert theirs.is_held("ours") is False
    ours.take()
    ours.release(keep=False)
    assert theirs.is_held("ours") is None
    # What is no file never blocks.
    os.mkfifo(tmp_path / "ours", 0o600)
    assert theirs.is_held("ours") is False
