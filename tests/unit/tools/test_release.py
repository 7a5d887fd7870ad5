# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is released: libraries have an upper bound, examples keep no secret in facts, and the publisher is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from tests.support import documentation
from tests.tools import release
from tests.tools.release import ROOT

# The publisher's values, without which `make release-check` builds nothing

STAND_INS = {
    "--repository": "https://git.example.org/reseller",
    "--issues": "https://git.example.org/reseller/issues",
    "--homepage": "https://reseller.example.org",
    "--maintainers": "Jane Doe <jane@example.org> @jane, John Doe @john",
}


Check = Callable[..., tuple[int, str, list[dict[str, Any]]]]


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """Run it without these; return its status, its output, and the galaxy.yml of each tarball, which nothing checks."""
    made: list[dict[str, Any]] = []

    def build(metadata: dict[str, Any]) -> Path:
        made.append(metadata)
        return release.HOME / "made.tar.gz"

    def run(*without: str) -> tuple[int, str, list[dict[str, Any]]]:
        words = [word for name, value in STAND_INS.items() if name not in without for word in (name, value)]
        monkeypatch.setattr("sys.argv", ["release", *words])
        monkeypatch.setattr(release, "build", build)
        monkeypatch.setattr(release, "CHECKS", {})
        return release.main(), capsys.readouterr().out, made

    return run


@pytest.mark.parametrize(
    ("without", "keys"),
    [
        (("--issues",), "issues"),
        (("--maintainers",), "authors"),
        ((*STAND_INS,), "repository, issues, homepage, authors"),
    ],
)
def test_missing_value_is_named(without: tuple[str, ...], keys: str, check: Check) -> None:
    status, output, built = check(*without)
    assert (status, built) == (1, [])
    assert output.startswith(f"galaxy.yml: not filled in: {keys}. See Publish a release in")
    assert "\n## Publish a release\n" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_stand_ins_are_in_the_tarball_alone(check: Check) -> None:
    before = (ROOT / "galaxy.yml").read_text(encoding="utf-8")
    status, output, (metadata,) = check()
    assert status == 0
    assert metadata["authors"] == ["Jane Doe <jane@example.org> @jane", "John Doe @john"]
    assert metadata == {**yaml.safe_load(before), **metadata}
    assert [metadata[key] for key in ("repository", "issues", "homepage")] == list(STAND_INS.values())[:3]
    assert "not to be published: repository, issues, homepage, authors" in output
    assert (ROOT / "galaxy.yml").read_text(encoding="utf-8") == before


# What users install and run


def requirements() -> Iterator[Requirement]:
    for name in ("requirements.txt", "requirements-postgresql.txt"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        yield from (Requirement(line) for line in lines if line and not line.startswith(("#", "-r")))
    built = yaml.safe_load((ROOT / "execution-environment.yml").read_text(encoding="utf-8"))["dependencies"]
    yield from (Requirement(built[name]["package_pip"]) for name in ("ansible_core", "ansible_runner"))


@pytest.mark.parametrize("requirement", [*requirements()], ids=lambda each: each.name)
def test_library_has_a_lower_and_an_upper_bound(requirement: Requirement) -> None:
    assert sorted(bound.operator for bound in requirement.specifier) == ["<", ">="]


def test_urllib3_that_decodes_one_layer_at_a_time_is_asked_for() -> None:
    (bound,) = (each.specifier for each in requirements() if each.name == "urllib3")
    assert [each in bound for each in ("2.5.0", "2.6.0", "3.0")] == [False, True, False]


def plays() -> Iterator[Any]:
    """All plays of examples and of playbooks that are delivered."""
    for source in documentation.sources():
        for block in documentation.blocks(source):
            if block.language in ("yaml", "yaml+jinja") and "hosts:" in block.text and not block.fragment:
                yield from (play for document in block.documents() if isinstance(document, list) for play in document)
    for path in (ROOT / "playbooks").glob("*.yml"):
        yield from yaml.load(path.read_text(encoding="utf-8"), documentation.Loader)


def test_no_play_gathers_facts_of_the_controller() -> None:
    found = [play for play in plays() if "hosts" in play and "sources" not in play]
    assert len(found) > 20
    assert [play["name"] for play in found if play.get("gather_facts") is not False] == []
