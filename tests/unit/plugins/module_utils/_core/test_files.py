# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is kept is private, comes back for a while, and never stands in the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.files import Cache

KEY = ("https://portal.example.com", "4200")


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The file of a value."""
    Cache(tmp_path).write("catalogue", KEY, {"a": ["ü", None]})
    [path] = tmp_path.iterdir()
    return path


def test_a_value_comes_back_until_it_is_too_old_or_forgotten(kept: Path) -> None:
    cache = Cache(kept.parent)
    found = cache.read("catalogue", KEY, 60)
    assert found == ({"a": ["ü", None]}, kept.stat().st_mtime)
    assert cache.read("shape", KEY, 60) is None
    assert cache.read("catalogue", (KEY[0], "4201"), 60) is None
    os.utime(kept, (kept.stat().st_atime, kept.stat().st_mtime - 61))
    assert cache.read("catalogue", KEY, 60) is None
    cache.write("catalogue", KEY, None)
    assert cache.read("catalogue", KEY, 60) is None


def test_all_folders_that_are_made_and_all_files_are_private(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        Cache(tmp_path / "hosting.reseller" / "cache").write("catalogue", KEY, 1)
    finally:
        os.umask(before)
    assert sorted(path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")) == [0o600, 0o700, 0o700]


@pytest.mark.parametrize("content", ["", "[" * 100_000, None])
def test_unreadable_file_holds_nothing_and_is_replaced(kept: Path, content: str | None) -> None:
    cache = Cache(kept.parent)
    if content is None:
        kept.unlink()
        # Opening it would block.
        os.mkfifo(kept, 0o600)
    else:
        kept.write_text(content)
    assert cache.read("catalogue", KEY, 60) is None
    cache.write("catalogue", KEY, 2)
    assert cache.read("catalogue", KEY, 60) == (2, kept.stat().st_mtime)


def test_folder_that_cannot_be_used_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    for cache in (Cache(tmp_path / "cache"), Cache(None)):
        cache.write("catalogue", KEY, 1)
        assert cache.read("catalogue", KEY, 60) is None


def test_file_that_others_can_write_is_not_believed(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(kept.parent)
    for mode, believed in ((0o620, False), (0o602, False), (0o644, True)):
        kept.chmod(mode)
        assert (cache.read("catalogue", KEY, 60) is not None) is believed
    # Only root can give a file away: so it is the reader who is somebody else.
    monkeypatch.setattr(os, "geteuid", lambda: kept.stat().st_uid + 1)
    assert cache.read("catalogue", KEY, 60) is None


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
