# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is kept is private, comes back for a while, and never stands in the way."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.cache import Cache

KEY = ("https://portal.example.com", "4200")


def test_a_value_comes_back_until_it_is_too_old_or_forgotten(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.write("catalogue", KEY, {"a": ["ü", None]})
    assert cache.read("catalogue", KEY, 60) == {"a": ["ü", None]}
    assert cache.read("shape", KEY, 60) is None
    assert cache.read("catalogue", (KEY[0], "4201"), 60) is None
    [path] = tmp_path.iterdir()
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 61))
    assert cache.read("catalogue", KEY, 60) is None
    cache.forget("catalogue", KEY)
    assert not path.exists()
    cache.forget("catalogue", KEY)


def test_all_folders_that_are_made_and_all_files_are_private(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        Cache(tmp_path / "state" / "hosting.reseller" / "cache").write("catalogue", KEY, 1)
    finally:
        os.umask(before)
    modes = {path.relative_to(tmp_path): path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert sorted(modes.values()) == [0o600, 0o700, 0o700, 0o700], modes


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"format": 0}', '{"format": 1, "key": ["other"], "value": 1}', "\x00", "[" * 100_000]
)
def test_a_foreign_file_holds_nothing(tmp_path: Path, content: str) -> None:
    cache = Cache(tmp_path)
    cache.write("catalogue", KEY, 1)
    [path] = tmp_path.iterdir()
    path.write_text(content)
    assert cache.read("catalogue", KEY, 60) is None
    cache.write("catalogue", KEY, 2)
    assert cache.read("catalogue", KEY, 60) == 2
    assert json.loads(path.read_text())["value"] == 2


def test_folder_that_cannot_be_used_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    for cache in (Cache(tmp_path / "cache"), Cache(None)):
        cache.write("catalogue", KEY, 1)
        assert cache.read("catalogue", KEY, 60) is None
        cache.forget("catalogue", KEY)


def test_file_that_others_can_write_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    cache.write("shape", KEY, 1)
    [path] = tmp_path.iterdir()
    for mode, believed in ((0o600, 1), (0o644, 1), (0o620, None), (0o602, None), (0o600, 1)):
        path.chmod(mode)
        assert cache.read("shape", KEY, 60) == believed
    # Only root can give a file away: so it is the reader who is somebody else.
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert cache.read("shape", KEY, 60) is None


@pytest.mark.parametrize("made", [True, False])
def test_nothing_is_made_in_a_folder_of_somebody_else(
    tmp_path: Path, made: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache" / "hosting.reseller"
    if made:
        folder.mkdir(parents=True)
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    Cache(folder).write("shape", KEY, 1)
    assert [path.name for path in tmp_path.rglob("*")] == (["cache", "hosting.reseller"] if made else [])


def test_what_is_no_file_never_blocks(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.write("shape", KEY, 1)
    [path] = tmp_path.iterdir()
    path.unlink()
    os.mkfifo(path, 0o600)
    assert cache.read("shape", KEY, 60) is None
