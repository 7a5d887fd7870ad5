# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What `make publish` sends, and to whom: a tarball of a server that is made up."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from tests.tools import publish

METADATA = {
    "namespace": "hosting",
    "name": "reseller",
    "version": "1.0.0",
    "repository": "https://git.example.org/reseller",
    "issues": "https://git.example.org/reseller/issues",
    "homepage": "https://reseller.example.org",
    "authors": ["Jane Doe @jane"],
}


Sent = list[tuple[str, bytes]]


@pytest.fixture
def sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sent]:
    """What a server got that takes one collection, as Galaxy does; galaxy.yml and its tarball are in a checkout."""
    (tmp_path / "galaxy.yml").write_text(yaml.safe_dump(METADATA), encoding="utf-8")
    with tarfile.open(tmp_path / "hosting-reseller-1.0.0.tar.gz", "w:gz") as tar:
        text = json.dumps({"collection_info": METADATA}).encode()
        member = tarfile.TarInfo("MANIFEST.json")
        member.size = len(text)
        tar.addfile(member, io.BytesIO(text))
    monkeypatch.setattr(publish, "ROOT", tmp_path)
    monkeypatch.setattr(publish, "HOME", tmp_path)
    received: Sent = []

    def answer(request: Received) -> Reply:
        if request.method == "POST":
            received.append((request.headers["Authorization"], request.body))
            return Reply({"task": f"{server.url}/api/v3/imports/collections/1/"})
        versions = {"available_versions": {"v3": "v3/"}}
        return Reply({**versions, "state": "completed", "finished_at": "now", "messages": []})

    with ScriptedServer(answer) as server:
        monkeypatch.setenv("GALAXY_URL", server.url)
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.delenv("GALAXY_TOKEN", raising=False)
        yield received


def status(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["publish", *arguments])
    return publish.main()


def test_tarball_is_sent_with_the_token(sent: Sent, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GALAXY_TOKEN", "made-up-token")
    assert status(monkeypatch, "--tag", "v1.0.0") == 0
    ((authorization, body),) = sent
    assert authorization == "Token made-up-token"
    tarball = (tmp_path / "hosting-reseller-1.0.0.tar.gz").read_bytes()
    assert hashlib.sha256(tarball).hexdigest().encode() in body


def test_nothing_is_sent_without_a_token(
    sent: Sent, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(monkeypatch) == 0
    assert capsys.readouterr().out.startswith("Dry run: GALAXY_TOKEN is not set")
    assert sent == []


@pytest.mark.parametrize(
    ("change", "tag", "said"),
    [
        ({}, "1.0.1", "the tag is 1.0.1"),
        ({"version": "1.1.0"}, "1.1.0", "is missing: run make release-check"),
        ({"homepage": ""}, "1.0.0", "homepage: galaxy.yml has '', the tarball 'https://reseller.example.org'"),
    ],
    ids=["tag of another version", "not built", "built with stand-ins"],
)
def test_other_tarball_is_not_sent(
    change: dict[str, str],
    tag: str,
    said: str,
    sent: Sent,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "galaxy.yml").write_text(yaml.safe_dump({**METADATA, **change}), encoding="utf-8")
    monkeypatch.setenv("GALAXY_TOKEN", "made-up-token")
    assert status(monkeypatch, "--tag", tag) == 1
    assert said in capsys.readouterr().out
    assert sent == []
