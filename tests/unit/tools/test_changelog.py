# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The release note: it names everything once, and tells of nothing that was never released."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.tools import changelog
from tests.tools.changelog import ROOT

KINDS = {"modules": "module", "inventory": "inventory", "lookup": "lookup", "filter": "filter"}


def tree() -> Iterator[tuple[str, str]]:
    """Everything that users can name."""
    for folder, kind in KINDS.items():
        yield from ((kind, path.stem) for path in (ROOT / "plugins" / folder).glob("[!_]*.py"))
    yield from (("role", path.name) for path in (ROOT / "roles").iterdir())
    yield from (("playbook", path.stem) for path in (ROOT / "playbooks").glob("*.yml"))


def test_every_module_plugin_role_and_playbook_is_named_once() -> None:
    """Of all releases together. `make changelog` writes them."""
    releases = changelog.loaded(ROOT / changelog.CHANGES)["releases"]
    found = sorted(each for release in releases.values() for each in changelog.names(release))
    assert found == sorted(tree())
    lines = (ROOT / "CHANGELOG.rst").read_text(encoding="utf-8")
    assert sorted(re.findall(r"(?m)^- hosting\.reseller\.(\w+) - ", lines)) == sorted(name for _kind, name in tree())


def test_first_release_has_one_text_and_no_changes() -> None:
    first, release = next(iter(changelog.loaded(ROOT / changelog.CHANGES)["releases"].items()))
    text = (ROOT / f"changelogs/fragments/{first}.yml").read_text(encoding="utf-8")
    assert yaml.safe_load(text).keys() == {"release_summary"}
    assert re.findall(r"(?i)no longer|any ?more|breaking|instead of", text) == []
    assert release["changes"] == yaml.safe_load(text)


@pytest.mark.parametrize(
    ("earlier", "left"), [({}, ["nameservers.yml"]), ({"0.9.0": {}}, [])], ids=["first release", "later release"]
)
def test_changes_to_what_was_never_released_are_left_out(earlier: dict[str, object], left: list[str], tmp_path: Path):
    (tmp_path / "changelogs/fragments").mkdir(parents=True)
    changes = {"releases": {**earlier, changelog.version(): {}}}
    (tmp_path / changelog.CHANGES).write_text(yaml.safe_dump(changes), encoding="utf-8")
    for name in (changelog.version(), "nameservers"):
        (tmp_path / f"changelogs/fragments/{name}.yml").touch()
    assert [path.name for path in changelog.to_fold(tmp_path)] == left


def test_later_release_names_new_playbooks_alone() -> None:
    old = {"objects": {"playbook": [{"name": "plan", "description": "", "namespace": None}]}}
    changes = {"releases": {"0.9.0": old, changelog.version(): {"objects": {"role": []}}}}
    made = changelog.with_playbooks(changes, {"plan": "Report", "connect": "Describe a service"})["releases"]
    assert [*changelog.names(made[changelog.version()])] == [("playbook", "connect")]
    assert made["0.9.0"] == old
