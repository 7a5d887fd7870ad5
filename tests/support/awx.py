# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Launches jobs as AWX does: by ansible-runner, each in a private data directory and a HOME of its own.

Nothing of one job reaches the next but what AWX keeps: the artifacts of set_stats, and whatever is in a database.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from tests.support.awx_rules import launch_variables
from tests.support.playbooks import ROOT

CONFIGURATION = ROOT / "awx/configuration.yml"
PROGRAM = Path(sys.executable).with_name("ansible-runner")
TIMEOUT = 300
#: The container's part of the environment: the rest comes from the job's credentials.
KEPT = ("LANG", "LC_ALL")

_job_ids = itertools.count(os.getpid() * 1000)


class Unsafe(str):
    """A text that is not to be templated."""


class _ConfigurationLoader(yaml.SafeLoader):
    """Reads !unsafe as a kind of text."""


class _ExtraVarsDumper(yaml.SafeDumper):
    """Marks each text of a launch as AWX does, so that no answer to a survey is templated."""


_ConfigurationLoader.add_constructor("!unsafe", lambda loader, node: Unsafe(loader.construct_scalar(node)))  # type: ignore[arg-type]
_ExtraVarsDumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("!unsafe", text, style="'"))
_ExtraVarsDumper.ignore_aliases = lambda *_arguments: True  # type: ignore[method-assign]


@cache
def configuration() -> dict[str, Any]:
    """The variables of awx/configuration.yml, not templated."""
    found: dict[str, Any] = yaml.load(CONFIGURATION.read_text(encoding="utf-8"), _ConfigurationLoader)
    return found


def template(name: str) -> dict[str, Any]:
    """The job template of this name, as in "VPS (check)", with the settings from the top of the file."""
    templates = configuration()["controller_templates"]
    found = next(each for each in templates if each["name"] == f"Hosting Reseller: {name}")
    return {**found, "extra_vars": {key: _filled(value) for key, value in found["extra_vars"].items()}}


def _filled(value: Any) -> Any:
    reference = re.fullmatch(r"{{ (awx_reseller_\w+) }}", str(value))
    return configuration()[reference[1]] if reference else value


def _family(process: int) -> list[int]:
    """A process and those that it started, and so on."""
    found = [process]
    for known in found:
        with contextlib.suppress(OSError):
            found += map(int, Path(f"/proc/{known}/task/{known}/children").read_text().split())
    return found


@dataclass(frozen=True)
class Job:
    """A job, running or finished, and all that its runner leaves."""

    id: str
    private: Path
    home: Path
    process: subprocess.Popen[str]

    def finish(self) -> Job:
        """Wait for its end, and remove what AWX removes."""
        try:
            self.process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        shutil.rmtree(self.private / "env")
        return self

    @property
    def folder(self) -> Path:
        return self.private / "artifacts" / self.id

    @property
    def status(self) -> str:
        written = self.folder / "status"
        return written.read_text() if written.exists() else "error"

    def kill(self) -> None:
        """End it and all that it started as kill -9 does: nothing is told to anybody."""
        for process in reversed(_family(self.process.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    @cached_property
    def stdout(self) -> str:
        return (self.folder / "stdout").read_text(encoding="utf-8")

    def events(self) -> list[dict[str, Any]]:
        """Its events by now, in their order."""
        written = (path for path in (self.folder / "job_events").glob("*.json") if "partial" not in path.name)
        files = sorted(written, key=lambda path: int(path.name.split("-")[0]))
        return [json.loads(path.read_text(encoding="utf-8")) for path in files]

    def has_started(self, task: str) -> bool:
        """Whether it has come to that task."""
        return any(
            event["event"] == "runner_on_start" and task in event["event_data"].get("task", "")
            for event in self.events()
        )

    @property
    def artifacts(self) -> dict[str, Any]:
        """What it gave to set_stats, which AWX hands to the jobs that follow in a workflow."""
        stats = [event for event in self.events() if event["event"] == "playbook_on_stats"]
        found: dict[str, Any] = stats[0]["event_data"].get("artifact_data", {}) if stats else {}
        return found

    @property
    def changed(self) -> int:
        stats = next(event for event in self.events() if event["event"] == "playbook_on_stats")
        return int(stats["event_data"]["changed"].get("localhost", 0))

    def left(self) -> Iterator[tuple[Path, bytes]]:
        """Every file that there is after it, with its content: events, artifacts, output, fact cache, project and HOME.

        The runner's note of its command repeats the environment that it was given, which AWX masks; that is left out.
        """
        for top in (self.private, self.home):
            for folder, _rest, names in os.walk(top):
                for path in (Path(folder, name) for name in names):
                    content = path.read_bytes()
                    if path == self.folder / "command":
                        content = json.dumps({**json.loads(content), "env": None}).encode()
                    yield path, content


class Awx:
    """Launches jobs below a folder; ``env`` is what the credential injects."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder = folder
        self.env = dict(env)
        self.jobs: list[Job] = []
        #: Which version of the collection the project says it holds, if another one than the checkout.
        self.project_version: str | None = None

    def launch(
        self,
        name: str,
        answers: Mapping[str, Any],
        *,
        workflow: str | None = None,
        verbosity: int = 0,
        env: Mapping[str, str] | None = None,
    ) -> Job:
        """Launch the job template of this name; ``answers`` are all variables of the launch, artifacts among them."""
        return self.launch_chosen(template(name), answers, workflow=workflow, verbosity=verbosity, env=env)

    def launch_chosen(
        self,
        chosen: Mapping[str, Any],
        answers: Mapping[str, Any],
        *,
        workflow: str | None = None,
        verbosity: int = 0,
        env: Mapping[str, str] | None = None,
    ) -> Job:
        """Launch a job template."""
        identity = str(next(_job_ids))
        private = Path(tempfile.mkdtemp(prefix=f"awx_{identity}_", dir=self.folder))
        home = Path(tempfile.mkdtemp(prefix=f"home_{identity}_", dir=self.folder))
        meta = {"awx_job_id": int(identity), "awx_job_launch_type": "workflow" if workflow else "manual"}
        if workflow:
            meta["awx_workflow_job_id"] = int(workflow)
        variables = {**meta, **launch_variables(chosen, answers)}
        injected = {**self.env, **self._awx_variables(identity, private), **(env or {})}
        arguments = ["--check"] if chosen["job_type"] == "check" else []
        arguments += ["-" + "v" * verbosity] if verbosity else []
        self._lay_out(private, variables, injected, arguments)
        path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
        process = subprocess.Popen(
            [PROGRAM, "run", private, "--playbook", chosen["playbook"], "--ident", identity, "--quiet"],
            env={"HOME": str(home), "PATH": path, **{key: os.environ[key] for key in KEPT if key in os.environ}},
            cwd=home,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        job = Job(identity, private, home, process)
        self.jobs.append(job)
        return job

    def run(self, name: str, answers: Mapping[str, Any], **options: Any) -> Job:
        """Launch a job, and wait for its end."""
        return self.launch(name, answers, **options).finish()

    def _awx_variables(self, identity: str, private: Path) -> dict[str, str]:
        return {
            # As ansible-runner sets it.
            "AWX_ISOLATED_DATA_DIR": str(private / "artifacts" / identity),
            "AWX_PRIVATE_DATA_DIR": str(private),
            "JOB_ID": identity,
            "ANSIBLE_FORCE_COLOR": "True",
            "ANSIBLE_HOST_KEY_CHECKING": "False",
            "ANSIBLE_INVENTORY_UNPARSED_FAILED": "True",
            "ANSIBLE_RETRY_FILES_ENABLED": "False",
            "ANSIBLE_CACHE_PLUGIN": "jsonfile",
            "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(private / "artifacts" / identity / "fact_cache"),
            # An image has its collections in /usr/share/ansible; here they are in the checkout.
            "ANSIBLE_COLLECTIONS_PATH": f"{private}/requirements_collections:{ROOT}/.cache",
        }

    def _lay_out(
        self, private: Path, variables: Mapping[str, Any], injected: Mapping[str, str], arguments: list[str]
    ) -> None:
        for folder in ("env", "inventory", "artifacts", "requirements_collections"):
            (private / folder).mkdir()
        self._write(private / "env/envvars", json.dumps(injected))
        self._write(private / "env/extravars", yaml.dump(dict(variables), Dumper=_ExtraVarsDumper, allow_unicode=True))
        self._write(private / "env/settings", json.dumps({"suppress_ansible_output": True, "job_timeout": TIMEOUT}))
        self._write(private / "env/cmdline", " ".join(arguments))
        hosts = private / "inventory/hosts"
        hosts.write_text("#! /usr/bin/env python3\nprint('''{\"_meta\": {\"hostvars\": {}}}''')\n", encoding="utf-8")
        hosts.chmod(0o700)
        # The project is this repository; of it the playbooks count, its version, and a configuration at its root would.
        shutil.copytree(ROOT / "playbooks", private / "project/playbooks")
        for path in (*ROOT.glob("ansible.cfg"), ROOT / "galaxy.yml"):
            shutil.copy(path, private / "project")
        if self.project_version:
            self._write(private / "project/galaxy.yml", f"version: {self.project_version}\n")

    @staticmethod
    def _write(path: Path, text: str) -> None:
        path.touch(0o600)
        path.write_text(text, encoding="utf-8")
