# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.files import make_folders
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.run_locks import RunLock

LEDGER = os.stat(__file__)


def run_lock(folder: Path, run_id: str) -> RunLock:
    return RunLock(folder, run_id, LEDGER)


def test_folders_are_private_and_others_stay_as_they_are(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_folders(tmp_path / "a" / "b")
    make_folders(tmp_path / "a" / "b")
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "a", tmp_path / "a" / "b", tmp_path)] == [
        0o700,
        0o700,
        0o755,
    ]


def test_a_run_lives_as_long_as_its_lock(tmp_path: Path) -> None:
    ours, theirs = run_lock(tmp_path, "ours"), run_lock(tmp_path, "theirs")
    assert not theirs.living("ours")
    ours.take()
    assert theirs.living("ours")
    assert ours.living("ours")
    ours.release()
    assert not theirs.living("ours")
    assert list(tmp_path.iterdir()) == []


def test_whoever_looks_does_not_disturb_who_else_looks(tmp_path: Path) -> None:
    (tmp_path / "dead").touch()
    wrong: list[int] = []

    def look() -> None:
        lock = run_lock(tmp_path, "reader")
        wrong.extend(number for number in range(2000) if lock.living("dead"))

    threads = [threading.Thread(target=look) for _rest in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_files_of_dead_runs_are_removed_and_those_of_living_ones_are_not(tmp_path: Path) -> None:
    (tmp_path / "dead").touch(mode=0o600)
    living, ours = run_lock(tmp_path, "living"), run_lock(tmp_path, "ours")
    living.take()
    ours.take()
    assert {path.name for path in tmp_path.iterdir()} == {"living", "ours"}
    assert ours.living("living")


def test_a_lock_whose_file_was_removed_before_it_was_locked_is_made_again(tmp_path: Path) -> None:
    """Another run may take a new file, which is not locked yet, for that of a dead one."""
    stop = threading.Event()

    def tidy() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            tidier = run_lock(tmp_path, f"tidier-{number}")
            tidier.take()
            tidier.release()

    tidier = threading.Thread(target=tidy)
    tidier.start()
    try:
        for number in range(500):
            lock = run_lock(tmp_path, f"run-{number}")
            lock.take()
            assert run_lock(tmp_path, "reader").living(f"run-{number}")
            lock.release()
    finally:
        stop.set()
        tidier.join()


@pytest.mark.parametrize("kind", ["fifo", "link", "folder"])
def test_what_is_no_file_of_a_run_does_not_block(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "run"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(OSError, match="is not a file of a run"):
        run_lock(tmp_path, "ours").living("run")
