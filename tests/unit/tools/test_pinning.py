# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What users install and run: libraries have an upper bound, and examples keep no secret in facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from tests.support import documentation
from tests.support.playbooks import ROOT


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
