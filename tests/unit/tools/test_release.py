# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`make release-check` builds nothing until the publisher's values are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.tools import release

STAND_INS = {
    "--repository": "https://git.example.org/reseller",
    "--issues": "https://git.example.org/reseller/issues",
    "--homepage": "https://reseller.example.org",
    "--maintainers": "Jane Doe <jane@example.org>, John Doe",
}


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """The galaxy.yml of each tarball that is built, which nothing checks."""
    made: list[dict[str, Any]] = []

    def build(metadata: dict[str, Any]) -> Path:
        made.append(metadata)
        return release.HOME / "made.tar.gz"

    monkeypatch.setattr(release, "build", build)
    monkeypatch.setattr(release, "CHECKS", {})
    return made


def run(monkeypatch: pytest.MonkeyPatch, *without: str) -> int:
    words = [word for name, value in STAND_INS.items() if name not in without for word in (name, value)]
    monkeypatch.setattr("sys.argv", ["release", *words])
    return release.main()


@pytest.mark.parametrize(
    ("without", "keys"),
    [
        (("--issues",), "issues"),
        (("--maintainers",), "authors"),
        ((*STAND_INS,), "repository, issues, homepage, authors"),
    ],
)
def test_missing_value_is_named(
    without: tuple[str, ...],
    keys: str,
    built: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, *without) == 1
    assert built == []
    assert capsys.readouterr().out.startswith(f"galaxy.yml: not filled in: {keys}. See Publish a release in")
    assert "\n## Publish a release\n" in (release.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_stand_ins_are_in_the_tarball_alone(
    built: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (release.ROOT / "galaxy.yml").read_text(encoding="utf-8")
    assert run(monkeypatch) == 0
    (metadata,) = built
    assert metadata["authors"] == ["Jane Doe <jane@example.org>", "John Doe"]
    assert metadata == {**yaml.safe_load(before), **metadata}
    assert [metadata[key] for key in ("repository", "issues", "homepage")] == list(STAND_INS.values())[:3]
    assert "not to be published: repository, issues, homepage, authors" in capsys.readouterr().out
    assert (release.ROOT / "galaxy.yml").read_text(encoding="utf-8") == before
