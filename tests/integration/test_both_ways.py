# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task gives the same result in the controller's process and as a module: one table of tasks, run both ways.

Each way is one ansible-playbook process with an empty ledger, against a service that always answers the same. What is
compared is every result as the callbacks see it, and what is printed. Nothing is taken out of the results but the time
of day; of what -vvv prints, the lines by which Ansible tells how it starts a module.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import pytest

from tests.support import fixed_service, playbooks
from tests.support.http_server import ScriptedServer

#: Seconds for one run of the table. As modules its tasks take a third of a second each, where nothing else runs.
LONGEST = 900
PASSWORD = "correct-horse-battery"
VAULTED = "vaulted-battery-staple"
VAULT_PASSWORD = "of the vault"

#: Its tasks are run both ways, but for those that are named "as a module: ...".
TABLE = Template(Path(__file__).with_name("both_ways.yml.template").read_text(encoding="utf-8"))
BECOME = """#!/bin/sh
# Stands in for sudo, as far as Ansible uses it: drops the flags and runs the command.
while [ "$1" != /bin/sh ]; do shift; done
exec "$@"
"""
#: The time of day, and the number of an asynchronous job.
PASSING = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|j\d+\.\d+")
#: What -vvv says of starting a module, and of nothing else.
STARTING = re.compile(r"^(<[\w.]+> |Using module file |Pipelining is enabled|ASYNC |redirecting \(type: )")
#: That a module of the collection, or of the probe, is started.
OURS = re.compile(r"Using module file .*/(reseller_\w+|probe)\.py$")
#: Where a task failed, by which ansible-core 2.19 and later begin the error that they print.
WHERE = re.compile(r"(Action|Module) failed: ")
#: A trace of that, where the error was not to count.
SUPPRESSED = "failed_when_suppressed_exception"


@dataclass
class Run:
    """The results by task name (a loop's are in one), and all that was printed, free of the time of day."""

    results: dict[str, list[Any]]
    output: str

    @property
    def started(self) -> list[str]:
        """The tasks for which a module was started, as -vvv tells it."""
        found, task = dict[str, None](), ""
        for line in self.output.splitlines():
            if line.startswith("TASK ["):
                task = line.removeprefix("TASK [").rpartition("]")[0]
            elif OURS.match(line):
                found[task] = None
        return list(found)

    @property
    def said(self) -> list[str]:
        lines = self.output.splitlines()
        return [WHERE.sub("", line) for line in lines if not STARTING.match(line) and SUPPRESSED not in line]


class BothWays:
    """Runs the table in one folder, with the controller's own interpreter or with another name of it."""

    def __init__(self, folder: Path, service: ScriptedServer) -> None:
        self.folder = folder
        self.service = service
        link = folder / "another"
        link.symlink_to(Path(sys.executable).parents[1])
        self.another = link / "bin" / Path(sys.executable).name
        self.vault = folder / "vault-password"
        self.vault.write_text(VAULT_PASSWORD)
        become = folder / "become"
        become.write_text(BECOME)
        become.chmod(0o700)
        vaulted = self.encrypted(VAULTED)
        self.playbook = folder / "table.yml"
        self.playbook.write_text(
            TABLE.substitute(
                end_user=fixed_service.END_USER,
                vps=fixed_service.VPS,
                vaulted=indented(vaulted, 6),
                deeper=indented(vaulted, 12),
            )
        )

    def encrypted(self, text: str) -> str:
        vault = playbooks.PROGRAM.with_name("ansible-vault")
        done = subprocess.run(
            [vault, "encrypt", "--vault-password-file", self.vault],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def run(self, interpreter: Path | str, *arguments: str) -> Run:
        for left in ("ledger", "other", "relative", "empty.db", ".ansible", ".cache", ".local"):
            shutil.rmtree(self.folder / left, ignore_errors=True)
        env = {
            "RESELLER_BASE_URL": self.service.url,
            "RESELLER_API_KEY": fixed_service.API_KEY,
            "ANSIBLE_VAULT_PASSWORD_FILE": str(self.vault),
            "no_proxy": "127.0.0.1",
            "ANSIBLE_COLLECTIONS_PATH": f"{playbooks.ROOT}/.cache:{playbooks.ROOT}/tests/support/collections",
        }
        inventory = self.folder / "inventory.json"
        interpreters = {"localhost": interpreter, "127.0.0.1": interpreter, "elsewhere": self.another}
        hosts = {
            host: {"ansible_connection": "local", "ansible_python_interpreter": str(python)}
            for host, python in interpreters.items()
        }
        inventory.write_text(json.dumps({"all": {"hosts": hosts}}))
        # In a file of its own: ansible-core 2.19 and later print the lines of a playbook in which a task fails.
        variables = self.folder / "variables.json"
        variables.write_text(json.dumps({"another": str(self.another), "password": PASSWORD}))
        common = ("-i", str(inventory), "-e", f"@{variables}")
        recorded = self.folder / "results.jsonl"
        recorded.unlink(missing_ok=True)
        process = playbooks.start(self.folder, env, *common, *arguments, str(self.playbook))
        try:
            output, _none = process.communicate(timeout=LONGEST)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        assert recorded.exists(), output
        results: dict[str, list[Any]] = {}
        for line in PASSING.sub("(passing)", recorded.read_text()).splitlines():
            record = json.loads(line, object_hook=lambda found: {k: v for k, v in found.items() if k != SUPPRESSED})
            results.setdefault(record["task"], []).append(record)
        return Run(results, PASSING.sub("(passing)", output))


def indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())


@pytest.fixture(scope="module")
def both_ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothWays]:
    with ScriptedServer(fixed_service.answer) as service:
        yield BothWays(tmp_path_factory.mktemp("both_ways"), service)


def test_results_and_output_are_the_same(both_ways: BothWays, pytestconfig: pytest.Config) -> None:
    arguments = ["-vvv"] if pytestconfig.getoption("full") else ["-vvv", "--skip-tags", "full"]
    here = both_ways.run(sys.executable, *arguments)
    there = both_ways.run(both_ways.another, *arguments)
    differing = {
        name: f"{name}\n  in process: {result}\n  as module:  {there.results.get(name)}"
        for name, result in here.results.items()
        if result != there.results.get(name)
    }
    assert not differing, "\n".join(differing.values())
    assert list(here.results) == list(there.results)
    assert here.said == there.said
    # The command that starts a module holds the environment of its task, at -vvv.
    for printed in (here.output, "\n".join(there.said)):
        for secret in (PASSWORD, VAULTED, fixed_service.API_KEY):
            assert secret not in printed
        assert "Traceback" not in printed
    asked_for = [name for name in here.results if name.startswith("as a module: ")]
    assert here.started == asked_for
    assert len(there.started) > len(asked_for)
