# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What awx/configuration.yml says, and what AWX 24.6 makes of it: jobs, workflows and mails.

python -m tests.support.awx FOLDER fetches the collection awx.awx, which applies it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import jinja2.sandbox
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

# Without the helpers of playbooks, which import the collection: this file is run before that can be found.
ROOT = Path(__file__).resolve().parents[2]
PREFIX = "Hosting Reseller: "
#: The end user that the description of the service names.
END_USER = "customer-4711"
Decision = Literal["approved", "denied", "timed_out"]


#: The variables of awx/configuration.yml, not templated.
VARIABLES = DataLoader().load_from_file(str(ROOT / "awx/configuration.yml"), trusted_as_template=True)


def configured(name: str, **own: Any) -> Any:
    """The value of a variable of awx/configuration.yml, templated as Ansible does, with values of one's own."""
    variables = {**VARIABLES, "ansible_check_mode": False, "awx_reseller_mail_password": "", **own}
    return json.loads(json.dumps(Templar(DataLoader(), variables).template(variables[name])))


@cache
def entries(kind: str) -> dict[str, dict[str, Any]]:
    """The entries of controller_templates or another list, by their names without the prefix.

    Mail is sent, and the description of the service names an end user.
    """
    described = {"awx_reseller_service": yaml.safe_dump({"end_users": {END_USER: {}}})}
    listed = configured(f"controller_{kind}", awx_reseller_notify=["orders@example.com"], **described)
    return {each["name"].removeprefix(PREFIX): each for each in listed}


# Jobs


def launched(name: str, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The job template "VPS (check)", and the variables of a job: its own, its survey's defaults, those of a launch."""
    template = entries("templates")[name]
    questions = template.get("survey_spec", {}).get("spec", ())
    found = {**template["extra_vars"], **_defaults(questions), **given}
    assert {each["variable"] for each in questions if each["required"]} <= found.keys()
    return template, found


def _defaults(questions: Any) -> dict[str, Any]:
    """The defaults of a survey. One that the survey itself would refuse as an answer is left out."""
    found = {}
    for question in questions:
        default = question["default"]
        # An empty text is an answer, unless the question is required.
        if default != "" or not (question["required"] or question["type"] == "integer"):
            found[question["variable"]] = default.splitlines() if question["type"] == "multiselect" else default
    return found


def rights(team: str) -> dict[str, set[str]]:
    """What the roles of ``orderers`` or ``approvers`` allow, by right. Each role has the right to read, too."""
    granted = defaultdict[str, set[str]](set)
    for role in configured("controller_roles", **{f"awx_reseller_{team}": ["the team"]}):
        for kind in {"workflows", "job_templates"} & role.keys() if role["teams"] == ["the team"] else ():
            assert {*role[kind]} <= {f"{PREFIX}{name}" for name in entries(kind.removeprefix("job_"))}
            for right in {role["role"], "read"}:
                granted[right].update(name.removeprefix(PREFIX) for name in role[kind])
    return granted


def wrong_answers(questions: Any, given: Mapping[str, Any]) -> list[str]:
    """Return why AWX does not take these answers to a survey, which it refuses with 400."""
    problems = []
    for question in questions:
        name, kind = question["variable"], question["type"]
        if name not in given:
            problems += [f"'{name}' value missing"] if question["required"] else []
            continue
        value = given[name]
        kinds: dict[str, type] = {"integer": int, "multiselect": list}
        if type(value) is not kinds.get(kind, str):
            problems.append(f"Value {value} for '{name}' expected to be of the type {kind}.")
        elif kind.startswith("multi"):
            chosen = value if kind == "multiselect" else [value]
            problems += [
                f"Value {each} for '{name}' expected to be one of {question['choices']}."
                for each in chosen
                if each not in question["choices"]
            ]
        else:
            size = value if kind == "integer" else len(value)
            if not question["min"] <= size <= question["max"]:
                problems.append(f"'{name}' value {value} is too small or too large.")
    return problems


# Workflows


@dataclass
class Job:
    """A finished job: whether it succeeded, what it printed, what AWX shows of its events, and its set_stats."""

    id: str
    succeeded: bool
    output: str
    pieces: list[str]
    artifacts: dict[str, Any]


class Mail(NamedTuple):
    subject: str
    body: str


@dataclass
class WorkflowJob:
    """What became of a workflow job: its jobs by node in the order in which they ran, and its mails."""

    jobs: dict[str, Job] = field(default_factory=dict)
    mails: list[Mail] = field(default_factory=list)
    succeeded: bool = True


def run_workflow(
    name: str, answers: Mapping[str, Any], run: Callable[[str, dict[str, Any]], Job], decision: Decision
) -> WorkflowJob:
    """Run the jobs of the workflow "VPS" as AWX does, each by ``run`` with the name of its template and its variables.

    Somebody of a team that orders launches it.
    Variables of a node are overridden by what the jobs before it published, whether they failed or not, and that by the
    answers to the workflow's survey. The workflow fails with a node that fails and has nothing to follow that.
    """
    assert name in rights("orderers")["execute"]
    template = entries("workflows")[name]
    questions = template["survey_spec"]["spec"]
    # What no question asks for is ignored, as the workflow does not prompt for variables.
    asked = {question["variable"] for question in questions}
    given = {**_defaults(questions), **{key: value for key, value in answers.items() if key in asked}}
    assert wrong_answers(questions, given) == []
    nodes = {node["identifier"]: node for node in template["workflow_nodes"]}
    ended = WorkflowJob()
    waiting = [("check", dict[str, Any]())]
    while waiting:
        key, artifacts = waiting.pop(0)
        succeeded = decision == "approved"
        if nodes[key]["unified_job_template"]["name"]:
            job_name = nodes[key]["unified_job_template"]["name"].removeprefix(PREFIX)
            job = ended.jobs[key] = run(job_name, {**nodes[key].get("extra_data", {}), **artifacts, **given})
            succeeded, artifacts = job.succeeded, {**artifacts, **job.artifacts}
            ended.mails += [] if succeeded else job_mails(job_name, job.artifacts)
        else:
            ended.mails += approval_mails(name, decision)
        edge = "success_nodes" if succeeded else "failure_nodes"
        after = nodes[key].get("related", {}).get(edge, ())
        waiting += [(each["identifier"], artifacts) for each in after]
        ended.succeeded &= succeeded or bool(after)
    return ended


# Mails

_MESSAGES = jinja2.sandbox.ImmutableSandboxedEnvironment()


def checked(text: str) -> str:
    """A template of a mail with the values that AWX tries it with before it is stored. Raises jinja2.TemplateError."""
    # Of a run, and without artifacts. job_metadata is no JSON here.
    job = {"id": 42, "name": "A template", "status": "running", "job_type": "run", "artifacts": {}}
    values = {
        "job": {**job, "summary_fields": {"created_by": {"id": 1, "username": "admin"}}},
        "job_friendly_name": "Job",
        "url": "https://awx.example.com/#/jobs/playbook/1010",
        "job_metadata": "{'url': 'https://awx.example.com/#/jobs/playbook/13', 'created_by': 'admin'}",
        "approval_status": "approved",
        "approval_node_name": "Approve me",
        "workflow_url": "https://awx.example.com/#/jobs/workflow/1010",
    }
    return _MESSAGES.overlay(undefined=jinja2.StrictUndefined).from_string(text).render(values)


def job_mails(
    name: str, artifacts: Mapping[str, Any], launcher: str | None = "alice", shown_name: str | None = None
) -> list[Mail]:
    """The mails about a job of this template that failed. What a schedule launched was launched by nobody.

    ``shown_name`` is what somebody has renamed the template to.
    """
    template = entries("templates")[name]
    if not template.get("notification_templates_error"):
        return []
    user = {"created_by": {"id": 7, "username": launcher}} if launcher else {}
    job = {"id": 42, "name": shown_name or template["name"], "status": "failed", "job_type": template["job_type"]}
    values = {
        "job": {**job, "artifacts": artifacts, "summary_fields": user},
        "job_friendly_name": "Job",
        "url": "https://awx.example.com/#/jobs/playbook/42",
        # This holds the answers to the survey.
        "job_metadata": json.dumps({"extra_vars": "SECRET ANSWERS"}),
    }
    return [_mail(values, "error")]


def approval_mails(name: str, decision: Decision) -> list[Mail]:
    """The mails about an approval of this workflow. All that they can tell is in ``values``."""
    workflow = entries("workflows")[name]
    assert workflow["notification_templates_approvals"]
    (approval,) = workflow["simplified_workflow_nodes"]
    mails = []
    for status in ("running", decision):
        about = {"id": 43, "name": approval["approval_node"]["name"], "created_by": "alice", "status": status}
        values = {
            "approval_status": status,
            "approval_node_name": approval["approval_node"]["name"],
            "workflow_url": "https://awx.example.com/#/jobs/workflow/41",
            "job_metadata": json.dumps(about, indent=4),
        }
        mails.append(_mail(values, "workflow_approval", status))
    return mails


def _mail(values: Mapping[str, Any], *of: str) -> Mail:
    texts = entries("notifications")["Hosting Reseller"]["messages"]
    for key in of:
        texts = texts[key]
    return Mail(*(_MESSAGES.from_string(texts[part]).render(values) for part in ("message", "body")))


# The collection awx.awx

#: The last one with awx.awx 24.6.1. No package on PyPI holds that but the large one that is named ansible.
PACKAGE = "ansible==11.13.0"
COLLECTION = "ansible_collections/awx/awx"


def fetch(place: Path) -> None:
    """Bring the collection into a folder that can be named in ANSIBLE_COLLECTIONS_PATH."""
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*command, "--python-version=3.12", f"--dest={folder}", PACKAGE], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as content:
            content.extractall(folder, [name for name in content.namelist() if name.startswith(COLLECTION + "/")])
        (place / COLLECTION).parent.mkdir(parents=True, exist_ok=True)
        Path(folder, COLLECTION).rename(place / COLLECTION)


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
