# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What awx/configuration.yml says, and what AWX 24.6 makes of it: jobs, workflows, mails and rights."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import jinja2.nativetypes
import jinja2.sandbox
import yaml

from tests.support.playbooks import ROOT

PREFIX = "Hosting Reseller: "
Decision = Literal["approved", "denied", "timed_out"]


class Unsafe(str):
    """A text that is not to be templated."""


class _Loader(yaml.SafeLoader):
    """Reads !unsafe as a kind of text."""


_Loader.add_constructor("!unsafe", lambda loader, node: Unsafe(loader.construct_scalar(node)))  # type: ignore[arg-type]


class ExtraVarsDumper(yaml.SafeDumper):
    """Marks each text of a launch as AWX does, so that no answer to a survey is templated."""


ExtraVarsDumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("!unsafe", text, style="'"))
ExtraVarsDumper.ignore_aliases = lambda *_arguments: True  # type: ignore[method-assign]


@cache
def configuration() -> dict[str, Any]:
    """The variables of awx/configuration.yml, not templated."""
    found: dict[str, Any] = yaml.load((ROOT / "awx/configuration.yml").read_text(encoding="utf-8"), _Loader)
    return found


def named(kind: str, name: str) -> dict[str, Any]:
    """The entry "VPS (check)" of controller_templates, for example."""
    entries: list[dict[str, Any]] = configuration()[f"controller_{kind}"]
    return next(each for each in entries if each["name"] == PREFIX + name)


# Jobs


def launched(name: str, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The job template "VPS (check)", and the variables of a job: its own, its survey's defaults, those of a launch."""
    template = named("templates", name)
    found = {key: _filled(value) for key, value in template["extra_vars"].items()}
    questions = template.get("survey_spec", {}).get("spec", ())
    found |= {**_defaults(questions), **given}
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


def _filled(value: Any) -> Any:
    """A value from the top of the file where a template names one."""
    reference = re.fullmatch(r"{{ (awx_reseller_\w+) }}", str(value))
    return configuration()[reference[1]] if reference else value


# Workflows


@dataclass
class Job:
    """A finished job: whether it succeeded, what it printed, what AWX shows of its events, and its set_stats."""

    id: str
    succeeded: bool
    output: str
    pieces: list[str]
    artifacts: dict[str, Any]


@dataclass(frozen=True)
class Mail:
    subject: str
    body: str


@dataclass
class WorkflowJob:
    """What became of a workflow job: its jobs by node in the order in which they ran, and its mails."""

    jobs: dict[str, Job] = field(default_factory=dict)
    mails: list[Mail] = field(default_factory=list)
    succeeded: bool = True


def run_workflow(
    name: str,
    answers: Mapping[str, Any],
    run: Callable[[str, dict[str, Any]], Job],
    decision: Decision = "approved",
    launcher: str | None = "alice",
) -> WorkflowJob:
    """Run the jobs of the workflow "VPS" as AWX does, each by ``run`` with the name of its template and its variables.

    Variables of a node are overridden by what the jobs before it published, whether they failed or not, and that by the
    answers to the workflow's survey. The workflow fails with a node that fails and has nothing to follow that.
    """
    template = named("workflows", name)
    questions = template["survey_spec"]["spec"]
    # What no question asks for is ignored, as the workflow does not prompt for variables.
    assert not template["ask_variables_on_launch"]
    asked = {question["variable"] for question in questions}
    given = {**_defaults(questions), **{key: value for key, value in answers.items() if key in asked}}
    nodes = {node["identifier"]: node for node in template["workflow_nodes"]}

    def followers(key: str, *edges: str) -> list[str]:
        related = nodes[key].get("related", {})
        return [each["identifier"] for edge in edges for each in related.get(edge, ())]

    ended: WorkflowJob = WorkflowJob()
    behind = {each for key in nodes for each in followers(key, "success_nodes", "failure_nodes", "always_nodes")}
    waiting = [(key, dict[str, Any]()) for key in nodes if key not in behind]
    while waiting:
        key, artifacts = waiting.pop(0)
        succeeded = decision == "approved"
        if nodes[key]["unified_job_template"]["name"]:
            job_name = nodes[key]["unified_job_template"]["name"].removeprefix(PREFIX)
            accepted = _accepted(job_name, nodes[key].get("extra_data", {}))
            job = ended.jobs[key] = run(job_name, {**accepted, **artifacts, **given})
            succeeded, artifacts = job.succeeded, {**artifacts, **job.artifacts}
            ended.mails += job_mails(job_name, job.artifacts, succeeded=succeeded, launcher=launcher)
        else:
            ended.mails += approval_mails(name, decision, launcher)
        after = followers(key, "success_nodes" if succeeded else "failure_nodes", "always_nodes")
        waiting += [(each, artifacts) for each in after]
        ended.succeeded &= succeeded or bool(after)
    return ended


def _accepted(name: str, extra_data: Mapping[str, Any]) -> dict[str, Any]:
    """What a node may set: anything if the template prompts for variables, otherwise answers to its survey."""
    template = named("templates", name)
    asked = {question["variable"] for question in template.get("survey_spec", {}).get("spec", ())}
    return {key: value for key, value in extra_data.items() if template["ask_variables_on_launch"] or key in asked}


# Mails

_MESSAGES = jinja2.sandbox.ImmutableSandboxedEnvironment()


class _Refused(jinja2.StrictUndefined):
    """What is undefined, also where it would only be shown."""

    __str__ = __repr__ = jinja2.StrictUndefined._fail_with_undefined_error


def checked(text: str) -> str:
    """A template of a mail with the values that AWX tries it with before it is stored. Raises jinja2.TemplateError."""
    user = {"id": 1, "username": "admin", "first_name": "", "last_name": ""}
    # Of a run, and without artifacts. job_metadata is no JSON here.
    job = {"id": 42, "name": "A template", "status": "running", "job_type": "run", "artifacts": {}}
    values = {
        "job": {**job, "summary_fields": {"created_by": user}},
        "job_friendly_name": "Job",
        "url": "https://awx.example.com/#/jobs/playbook/1010",
        "job_metadata": "{'url': 'https://awx.example.com/#/jobs/playbook/13', 'created_by': 'admin'}",
        "approval_status": "approved",
        "approval_node_name": "Approve me",
        "workflow_url": "https://awx.example.com/#/jobs/workflow/1010",
    }
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=_Refused)
    return environment.from_string(text).render(values)


def job_mails(
    name: str, artifacts: Mapping[str, Any], *, succeeded: bool = False, launcher: str | None = "alice"
) -> list[Mail]:
    """The mails about a job of this template that ended. What a schedule launched was launched by nobody."""
    template = named("templates", name)
    if succeeded or not template.get("notification_templates_error"):
        return []
    user = {"created_by": {"id": 7, "username": launcher, "first_name": "", "last_name": ""}} if launcher else {}
    job = {"id": 42, "name": template["name"], "status": "failed", "job_type": template["job_type"]}
    values = {
        "job": {**job, "artifacts": artifacts, "summary_fields": user},
        "job_friendly_name": "Job",
        "url": "https://awx.example.com/#/jobs/playbook/42",
        # This holds the answers to the survey.
        "job_metadata": json.dumps({"extra_vars": "SECRET ANSWERS"}),
    }
    return [_mail(_messages()["error"], values)]


def approval_mails(name: str, decision: Decision, launcher: str | None = "alice") -> list[Mail]:
    """The mails about an approval of this workflow. All that they can tell is in ``values``."""
    workflow = named("workflows", name)
    assert workflow["notification_templates_approvals"]
    (approval,) = workflow["simplified_workflow_nodes"]
    texts, mails = _messages()["workflow_approval"], []
    for status in ("running", decision):
        about = {"id": 43, "name": approval["approval_node"]["name"], "created_by": str(launcher), "status": status}
        values = {
            "approval_status": status,
            "approval_node_name": approval["approval_node"]["name"],
            "workflow_url": "https://awx.example.com/#/jobs/workflow/41",
            "job_metadata": json.dumps(about, indent=4),
        }
        mails.append(_mail(texts[status], values))
    return mails


def _messages() -> dict[str, Any]:
    (template,) = configuration()["awx_reseller_mails"]
    messages: dict[str, Any] = template["messages"]
    return messages


def _mail(texts: Mapping[str, str], values: Mapping[str, Any]) -> Mail:
    subject, body = (_MESSAGES.from_string(texts[part]).render(values) for part in ("message", "body"))
    return Mail(subject, body)


# Rights

_NATIVE = jinja2.nativetypes.NativeEnvironment()
#: The roles that a role includes.
_INCLUDED = {"execute": {"read"}, "approval": {"read"}, "read": set[str]()}


def rights(team: str) -> dict[str, set[str]]:
    """The roles that the "orderers" or "approvers" have on each job template and workflow, with those included."""
    variables = dict(configuration())
    for name in ("awx_reseller_workflows", "awx_reseller_checks"):
        variables[name] = list(_NATIVE.from_string(variables[name]).render(variables))
    found: dict[str, set[str]] = {}
    for role in configuration()["controller_roles"]:
        assert role["teams"] in ("{{ awx_reseller_orderers }}", "{{ awx_reseller_approvers }}")
        if team not in role["teams"]:
            continue
        for kind in {"workflows", "job_templates"} & role.keys():
            given = role[kind]
            names = list(_NATIVE.from_string(given).render(variables)) if isinstance(given, str) else given
            existing = {each["name"] for each in configuration()[f"controller_{kind.removeprefix('job_')}"]}
            assert existing.issuperset(names)
            for name in names:
                found.setdefault(name.removeprefix(PREFIX), set()).update({role["role"]}, _INCLUDED[role["role"]])
    return found
