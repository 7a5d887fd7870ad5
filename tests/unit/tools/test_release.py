# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest

from tests.tools import release


def built(path: Path, names: list[str], mtime: float) -> Path:
    """A tarball as ansible-galaxy writes it: in the order in which the file system lists names, with their times."""
    listing = json.dumps({"files": [{"name": name} for name in names]}).encode()
    manifest = {"file_manifest_file": {"chksum_sha256": hashlib.sha256(listing).hexdigest()}}
    contents = {"MANIFEST.json": json.dumps(manifest).encode(), "FILES.json": listing}
    with tarfile.open(path, "w:gz") as tar:
        for name in [*contents, *names]:
            info, content = tarfile.TarInfo(name), contents.get(name, name.encode())
            info.size, info.mtime = len(content), mtime
            tar.addfile(info, io.BytesIO(content))
    return path


def test_neither_the_order_of_a_folder_nor_times_are_in_the_tarball(tmp_path: Path) -> None:
    names = ["README.md", "meta/runtime.yml", "plugins/modules/a.py"]
    one = built(tmp_path / "one.tar.gz", names, 1_700_000_000.25)
    two = built(tmp_path / "two.tar.gz", names[::-1], 1_800_000_000.75)
    for each in (one, two):
        release.normalise(each, each, 1_600_000_000)
    assert one.read_bytes() == two.read_bytes()
    members = release.read(one)
    assert {info.mtime for info, _content in members.values()} == {1_600_000_000}
    assert {name: members[name][1].decode() for name in names} == {name: name for name in names}
    listed = members["FILES.json"][1]
    assert [entry["name"] for entry in json.loads(listed)["files"]] == names
    checksum = json.loads(members["MANIFEST.json"][1])["file_manifest_file"]["chksum_sha256"]
    assert checksum == hashlib.sha256(listed).hexdigest()


def test_what_is_too_much_and_what_is_missing_is_named() -> None:
    tracked = {*(f"{name}/x" for name in release.WANTED), "plugins/y", "tests/x", "changelogs/fragments/1.yml"}
    good = {name for name in tracked if not name.startswith(("tests/", "changelogs/fragments/"))} | release.MADE
    assert release.wrong_contents(good, tracked) == []
    assert release.wrong_contents(good - {"plugins/y"} | {"tests/x", "changelogs/fragments/1.yml"}, tracked) == [
        "not needed: changelogs/fragments/1.yml",
        "not needed: tests/x",
        "missing: plugins/y",
    ]
    assert release.wrong_contents(good - {"roles/x"}, tracked - {"roles/x"}) == ["missing: roles"]


@pytest.mark.parametrize(
    ("libraries", "vulnerable", "skipped"),
    [
        ([{"name": "a", "version": "1", "vulns": []}], [], []),
        ([{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}], ["a 1: CVE-1"], []),
        ([{"name": "a", "skip_reason": "not found"}], [], ["not found"]),
    ],
)
def test_a_library_that_was_left_out_was_not_audited(
    libraries: list[dict[str, object]], vulnerable: list[str], skipped: list[str]
) -> None:
    assert release.audited(json.dumps({"dependencies": libraries})) == (vulnerable, skipped, 1)
