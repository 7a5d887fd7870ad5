# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs playbooks in a folder of their own."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import FileLocation
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.sqlite_files import mount_of, why_forgotten
from playbooks.files.simulator import data
from tests.support import playbooks
from tests.support.playbooks import Play, Task


@dataclass(frozen=True)
class Runner:
    """Runs playbooks in this folder."""

    folder: Path

    def run(self, tasks: Sequence[Task] | Task, env: Mapping[str, str], *arguments: str, **options: Any) -> Play:
        """As playbooks.run, whose further options it takes."""
        return playbooks.run(self.folder, tasks, env, *arguments, **options)

    def table(
        self, tasks: Sequence[Task], env: Mapping[str, str], *arguments: str, **options: Any
    ) -> list[dict[str, Any]]:
        """The results of tasks that need not succeed, one for each, and no traceback among them."""
        play = self.run(tasks, env, *arguments, **options)
        assert len(play.results) == len(tasks), play.output
        assert "Traceback" not in play.output, play.output
        return play.results

    def playbook(self, name: str, env: Mapping[str, str], *arguments: str, **variables: Any) -> Play:
        """Run a playbook of the collection by its FQCN, as a user would."""
        given = ("-e", json.dumps(variables), *arguments)
        return playbooks.command(self.folder, env, *given, f"hosting.reseller.{name}")

    def shell(self, line: str, env: Mapping[str, str]) -> Play:
        """Run a line that is pasted into a shell."""
        return playbooks.finish(self.folder, playbooks.start(self.folder, env, "-c", line, program=Path("/bin/sh")))

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger" / "ledger.db"

    def files(self) -> list[Path]:
        """All files that runs have left, without what the tests themselves have put there."""
        found = [Path(folder, name) for folder, _rest, names in os.walk(self.folder) for name in names]
        return [path for path in found if path.name != "playbook.yml"]


def environment(base_url: str) -> dict[str, str]:
    """What names a service without a reference, as Simulator.env does one with a reference."""
    names = {"END_USER_ELEMENT": "forUser", "PRODUCT_ELEMENT": "productUuid"}
    service = {"BASE_URL": base_url, "API_KEY": data.API_KEY, "ORGANIZATION_ID": data.ORGANIZATION_ID, **names}
    return {f"RESELLER_{name}": value for name, value in service.items()}


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """Runs playbooks in the folder of the test."""
    return Runner(tmp_path)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    """A home for the default ledger. In a container whose files vanish that is not the folder of the test."""
    folder = tmp_path / "state"
    if why_forgotten(FileLocation(folder / "ledger.db", is_default=True), folder, mount_of(folder)) is None:
        yield folder
        return
    folder = Path("/dev/shm") / f"reseller-{tmp_path.name}-{os.getpid()}"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
