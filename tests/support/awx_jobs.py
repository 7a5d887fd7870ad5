# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The stand-in for AWX's API with its jobs: launches, approvals and outputs, each for those who have a role for it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2

from tests.support.awx import Awx, Job
from tests.support.awx_rules import Record, RefusedError, check_answers, launch_variables
from tests.support.awx_service import API, AwxService, ForbiddenError, User
from tests.support.http_server import Received, Reply

#: What AWX shows of one event's output (EVENT_STDOUT_MAX_BYTES_DISPLAY).
MOST_OF_AN_EVENT = 1024
RUNS = ("jobs", "workflow_jobs", "workflow_approvals")


class RunningAwx(AwxService):
    """AWX that runs what it is told to, below a folder. Workflows are chains, as those of the configuration are."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._awx = Awx(folder, {})
        self.jobs: dict[int, Job] = {}
        self._decided: dict[int, threading.Event] = {}

    def of_record(self, request: Received, user: User, kind: str, number: int, part: str | None, body: Record) -> Reply:
        if kind in RUNS:
            run = self.by_id(kind, number)
            if not self.has_role(user, run["template"], "read_role"):
                raise ForbiddenError("You do not have permission to perform this action.")
            return self._of_run(request, user, run, part)
        if part == "launch" and request.method == "POST":
            template = self.by_id(kind, number)
            if not self.has_role(user, template, "execute_role"):
                raise ForbiddenError("You do not have permission to perform this action.")
            return Reply(self._public(self._launch(template, body.get("extra_vars", {}))), 201)
        return super().of_record(request, user, kind, number, part, body)

    def _of_run(self, request: Received, user: User, run: Record, part: str | None) -> Reply:
        if part == "approve" and request.method == "POST":
            if not self.has_role(user, run["template"], "approval_role"):
                raise ForbiddenError("User does not have permission to approve or deny this workflow.")
            if run["status"] != "pending":
                raise RefusedError("This workflow step has already been approved or denied.")
            run["status"] = "successful"
            self._decided[run["id"]].set()
            return Reply(None, 204)
        if part == "job_events":
            return Reply({"results": [each["stdout"][:MOST_OF_AN_EVENT] for each in self.jobs[run["id"]].events()]})
        if part is not None:
            raise StopIteration
        return Reply(self._public(run))

    @staticmethod
    def _public(run: Record) -> Record:
        return {name: value for name, value in run.items() if name != "template"}

    def _launch(self, template: Record, answers: Mapping[str, Any]) -> Record:
        survey = self.surveys.get(template["name"], {}) if template["survey_enabled"] else {}
        defaults = launch_variables({"extra_vars": {}, "survey_spec": survey}, answers)
        check_answers(survey, defaults)
        asked = {question["variable"] for question in survey.get("spec", ())}
        # What nobody asked for is left out, without a word.
        taken = defaults if template["ask_variables_on_launch"] else {key: defaults[key] for key in asked & {*defaults}}
        if template["kind_"] == "job_templates":
            job, record = self._start(template, taken, None)
            threading.Thread(target=self._finish, args=(job, record), daemon=True).start()
            return record
        run = self._record("workflow_jobs", template, nodes=[])
        threading.Thread(target=self._run_workflow, args=(run, taken), daemon=True).start()
        return run

    def _record(self, kind: str, template: Record, **more: Any) -> Record:
        number = more.pop("id", None) or next(self._numbers)
        run = {"id": number, "url": f"{API}{kind}/{number}/", "status": "running", "artifacts": {}, **more}
        run |= {"template": template, "name": template["name"], "kind_": kind}
        self.records.setdefault(kind, []).append(run)
        return run

    def _start(self, template: Record, variables: Mapping[str, Any], workflow: int | None) -> tuple[Job, Record]:
        survey = self.surveys.get(template["name"], {}) if template["survey_enabled"] else {}
        own = json.loads(template["extra_vars"]) if template["extra_vars"].startswith("{") else {}
        chosen = {**template, "extra_vars": own, "survey_spec": survey}
        named = str(workflow) if workflow else None
        job = self._awx.launch_chosen(chosen, variables, workflow=named, env=self._injected(template))
        self.jobs[int(job.id)] = job
        return job, self._record("jobs", template, id=int(job.id))

    def _injected(self, template: Record) -> dict[str, str]:
        injected: dict[str, str] = {}
        for number in self.associations[f"{template['url']}credentials/"]:
            credential = self.by_id("credentials", number)
            kind = self.by_id("credential_types", credential["credential_type"])
            values = {field["id"]: credential["inputs"].get(field["id"], "") for field in kind["inputs"]["fields"]}
            for variable, text in kind["injectors"]["env"].items():
                injected[variable] = jinja2.Template(text).render(values)
        return injected

    def _finish(self, job: Job, record: Record) -> bool:
        job.finish()
        record["artifacts"] = job.artifacts
        record["status"] = job.status
        return job.status == "successful"

    def _nodes(self, workflow: Record) -> list[Record]:
        nodes = self.records["workflow_job_template_nodes"]
        return [each for each in nodes if each["workflow_job_template"] == workflow["id"]]

    def _following(self, node: Record, how: str) -> list[int]:
        return self.associations.get(f"{node['url']}{how}/", [])

    def _run_workflow(self, run: Record, answers: Mapping[str, Any]) -> None:
        nodes = self._nodes(run["template"])
        later = {
            each for node in nodes for how in ("success_nodes", "failure_nodes") for each in self._following(node, how)
        }
        (current,) = [node for node in nodes if node["id"] not in later]
        artifacts: dict[str, Any] = {}
        while True:
            successful = self._run_node(run, current, {**current["extra_data"], **artifacts, **answers}, artifacts)
            following = self._following(current, "success_nodes" if successful else "failure_nodes")
            if not following:
                # A failure that a node follows is taken for handled.
                run["status"] = "successful" if successful else "failed"
                return
            current = next(node for node in nodes if node["id"] == following[0])

    def _run_node(self, run: Record, node: Record, variables: Mapping[str, Any], artifacts: dict[str, Any]) -> bool:
        step = {"identifier": node["identifier"], "job": None}
        run["nodes"].append(step)
        if node["unified_job_template"] is None:
            return False
        template = next(self._template(node["unified_job_template"]))
        if template["kind_"] == "workflow_approval_templates":
            approval = self._record("workflow_approvals", run["template"], description=template["description"])
            self._decided[approval["id"]] = threading.Event()
            approval["status"], step["job"] = "pending", approval["id"]
            self._decided[approval["id"]].wait(600)
            return bool(approval["status"] == "successful")
        job, record = self._start(template, variables, run["id"])
        step["job"] = record["id"]
        successful = self._finish(job, record)
        artifacts.update(record["artifacts"])
        return successful

    def _template(self, number: int) -> Iterator[Record]:
        for kind in ("job_templates", "workflow_approval_templates"):
            yield from (each for each in self.records.get(kind, ()) if each["id"] == number)
