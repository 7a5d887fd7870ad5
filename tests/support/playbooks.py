# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs real ansible-playbook processes and reads what each task returned."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import PIPELINES
from tests.support import forked_playbook
from tests.support.nursery import ROOT as ROOT
from tests.support.nursery import Nursery
from tests.support.returned import undocumented

PROGRAM = Path(sys.executable).with_name("ansible-playbook")
INVENTORY = PROGRAM.with_name("ansible-inventory")
TIMEOUT = 300

#: What runs are forked from in the short form of the tests. In full, each is a process from its start.
nursery: Nursery | None = None

Task = Mapping[str, Any]


@dataclass
class Play:
    """A finished playbook: exit status, all that it printed, the result of each task in order, and its set_stats."""

    status: int
    output: str
    results: list[dict[str, Any]] = field(default_factory=list)
    artifacts: dict[str, Any] = field(default_factory=dict)

    @property
    def result(self) -> dict[str, Any]:
        """The result of the only task."""
        if len(self.results) != 1:
            raise AssertionError(f"{len(self.results)} results:\n{self.output}")
        return self.results[0]

    @property
    def changed(self) -> list[bool]:
        return [bool(result.get("changed")) for result in self.results]


def environment(folder: Path, extra: Mapping[str, str]) -> dict[str, str]:
    """An environment in which nothing of the person who runs the tests is used or written."""
    own = ("RESELLER_", "ANSIBLE_", "XDG_")
    kept = {name: value for name, value in os.environ.items() if not (name.startswith(own) or name in PIPELINES)}
    return {
        **kept,
        "HOME": str(folder),
        # As a shell has them in which somebody has installed Ansible and gone to the folder.
        "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}",
        "PWD": str(folder),
        **forked_playbook.SETTINGS,
        "RECORDED_RESULTS": str(folder / "results.jsonl"),
        "RESELLER_LEDGER": str(folder / "ledger" / "ledger.db"),
        **extra,
    }


@dataclass(frozen=True)
class Runner:
    """Runs Ansible's programs in a folder, as a user would who has nothing else."""

    folder: Path

    def run(self, tasks: Sequence[Task] | Task, env: Mapping[str, str], *arguments: str, **options: Any) -> Play:
        """Run tasks in one playbook, written with these options; ``arguments`` go to ansible-playbook."""
        return self.command(env, *arguments, self.write(tasks, **options))

    def table(
        self, tasks: Sequence[Task], env: Mapping[str, str], *arguments: str, **options: Any
    ) -> list[dict[str, Any]]:
        """The results of tasks that need not succeed, one for each, and no traceback among them."""
        play = self.run(tasks, env, *arguments, **options)
        assert len(play.results) == len(tasks), play.output
        assert "Traceback" not in play.output, play.output
        return play.results

    def playbook(self, name: str, env: Mapping[str, str], *arguments: str, **variables: Any) -> Play:
        """Run a playbook of the collection by its FQCN."""
        return self.command(env, "-e", json.dumps(variables), *arguments, f"hosting.reseller.{name}")

    def shell(self, line: str, env: Mapping[str, str]) -> Play:
        """Run a line that is pasted into a shell."""
        return self.finish(self.start(env, "-c", line, program=Path("/bin/sh")))

    def inventory(self, env: Mapping[str, str], *arguments: str) -> tuple[dict[str, Any], str]:
        """What ansible-inventory lists, with the texts that Ansible marks there as no templates, and its warnings."""
        listed = self.folder / "listed.json"
        play = self.command(env, *arguments, "--list", "--output", str(listed), program=INVENTORY)
        assert play.status == 0, play.output
        text = listed.read_text(encoding="utf-8")
        listed.unlink()
        found = json.loads(text, object_hook=lambda each: each.get("__ansible_unsafe", each))
        return found, " ".join(play.output.split())

    def write(self, tasks: Sequence[Task] | Task, *, ignore_errors: bool = True, **play: Any) -> str:
        """A playbook for localhost with these tasks; JSON is YAML. ``play`` goes into the play.

        By default the tasks run on after one fails, so that a table of tasks costs one process.
        """
        listed = [tasks] if isinstance(tasks, Mapping) else tasks
        written = [{**task, "ignore_errors": True} if ignore_errors else dict(task) for task in listed]
        path = self.folder / "playbook.yml"
        plays = [{"hosts": "localhost", "gather_facts": False, "tasks": written, **play}]
        path.write_text(json.dumps(plays), encoding="utf-8")
        return str(path)

    def command(self, env: Mapping[str, str], *arguments: str, program: Path = PROGRAM) -> Play:
        """Run ansible-playbook with these arguments, as start() and finish() do, and cheaper where that is the same."""
        environ = environment(self.folder, env)
        if nursery is not None and forked_playbook.can_be_forked(environ):
            return self._finished(*forked_playbook.run(nursery, program, arguments, self.folder, environ, TIMEOUT))
        return self.finish(self.start(env, *arguments, program=program))

    def start(self, env: Mapping[str, str], *arguments: str, program: Path = PROGRAM) -> subprocess.Popen[str]:
        """Start ansible-playbook in a process group of its own, its output in one stream."""
        return subprocess.Popen(
            [program, *arguments],
            cwd=self.folder,
            env=environment(self.folder, env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def finish(self, process: subprocess.Popen[str]) -> Play:
        """Wait for a playbook and read its results."""
        try:
            output, _none = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return self._finished(process.returncode, output)

    def _finished(self, status: int, output: str) -> Play:
        recorded = self.folder / "results.jsonl"
        lines = recorded.read_text(encoding="utf-8").splitlines() if recorded.exists() else []
        recorded.unlink(missing_ok=True)
        entries = [json.loads(line) for line in lines]
        artifacts = entries.pop()["artifacts"] if entries and "artifacts" in entries[-1] else {}
        for entry in entries:
            if str(entry["action"]).startswith("hosting.reseller."):
                wrong = undocumented(entry["action"], entry["result"])
                assert not wrong, f"RETURN of {entry['action']} does not describe {wrong}"
        return Play(status, output, [entry["result"] for entry in entries], artifacts)

    def save(self, name: str, text: str) -> Path:
        """Save a file in the folder, or below it."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def within(self, name: str) -> Runner:
        """Another user, in a folder in this one."""
        (self.folder / name).mkdir()
        return Runner(self.folder / name)

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger" / "ledger.db"

    def files(self) -> list[Path]:
        """All files that runs have left, without what the tests themselves have put there."""
        found = [Path(folder, name) for folder, _rest, names in os.walk(self.folder) for name in names]
        return [path for path in found if path.name != "playbook.yml"]


def order(**options: Any) -> dict[str, Any]:
    """A task that orders one contract."""
    return {"name": "Order", "hosting.reseller.reseller_contract": options}


def vps(hostname: str = "web01.example.org", **options: Any) -> dict[str, Any]:
    """A task that orders a server; its product and its OS template are the simulator's."""
    settings = {"hostname": hostname, "template": "debian-12"}
    return order(**{"end_user": "__self__", "product": "VPS M", "settings": settings, **options})


def stack(*hostnames: str, end_user: str = "__self__", product: str = "VPS M") -> dict[str, Any]:
    """The content of a stack file with these servers."""
    servers = [{"hostname": each, "product": product, "template": "debian-12"} for each in hostnames]
    return {"end_user": end_user, "contracts": {"vps": servers}}
