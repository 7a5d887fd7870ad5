# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What AWX refuses in a configuration, and how it makes a job's variables of a survey."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import jinja2
from jinja2 import sandbox

Record = dict[str, Any]

QUESTION_TYPES = {
    "text": str,
    "textarea": str,
    "password": str,
    "multiplechoice": str,
    "multiselect": str,
    "integer": int,
    "float": float,
}
#: What an email needs; AWX has a default for the last one only.
_MAIL = {"host", "port", "username", "password", "use_tls", "use_ssl", "sender", "recipients", "timeout"}
#: What the messages of AWX 24.6 can use. job_metadata contains the variables of the job, so ours must not use it.
_OF_A_JOB = {
    "job": {"id": 42, "name": "A job", "status": "failed", "artifacts": {"orders_in_doubt": ["web01"]}},
    "job_friendly_name": "Job",
    "url": "https://awx.example.com/#/jobs/playbook/42",
}
_OF_AN_APPROVAL = {
    "approval_node_name": "Approve me",
    "approval_status": "denied",
    "workflow_url": "https://awx.example.com/#/jobs/workflow/41",
}


class RefusedError(Exception):
    """What AWX answers with 400."""


def check_credential_type(record: Record) -> None:
    """Custom credential types are of two kinds, and their inputs of two types."""
    if record.get("kind") not in ("cloud", "net"):
        raise RefusedError("kind must be 'cloud' or 'net'")
    fields = record["inputs"]["fields"]
    known = {field["id"] for field in fields}
    for field in fields:
        if field.get("type", "string") not in ("string", "boolean"):
            raise RefusedError(f"{field['type']} is not one of ['string', 'boolean']")
    if not set(record["inputs"].get("required", ())) <= known:
        raise RefusedError("required fields are not defined")
    for variable, template in record["injectors"]["env"].items():
        used = set(re.findall(r"{{ *(\w+) *}}", template))
        if not used or not used <= known:
            raise RefusedError(f"{variable} uses an undefined field: {template}")


def check_project(record: Record) -> None:
    """A project needs a kind of source."""
    if not record.get("scm_type"):
        raise RefusedError("scm_type: may not be empty here")


def check_notification(record: Record) -> None:
    """All that an email needs is given, and its messages use only what AWX offers to them."""
    configuration = record["notification_configuration"]
    if missing := _MAIL - {"timeout"} - configuration.keys():
        raise RefusedError(f"Missing required fields for Notification Configuration: {sorted(missing)}.")
    events = dict(record["messages"])
    approvals = events.pop("workflow_approval")
    if set(events) != {"started", "success", "error"} or set(approvals) != {
        "running",
        "approved",
        "timed_out",
        "denied",
    }:
        raise RefusedError("invalid event")
    for texts, context in [(events, _OF_A_JOB), (approvals, _OF_AN_APPROVAL)]:
        for text in texts.values():
            if set(text) != {"message", "body"} or "\n" in text["message"]:
                raise RefusedError(f"not a message and a body: {text}")
            _render(text.values(), context)


def _render(texts: Iterable[str], context: Mapping[str, Any]) -> None:
    environment = sandbox.ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)
    try:
        for text in texts:
            environment.from_string(text).render(context)
    except jinja2.UndefinedError as error:
        raise RefusedError(f"Field '{error.message}' unavailable") from error


def check_schedule(record: Record) -> None:
    """The rules of recurrence that AWX takes."""
    rule = record["rrule"]
    if len(re.findall(r"DTSTART(?:;[^:]+)?:\d+T\d+Z?", rule)) != 1 or re.search(r"DTSTART:\d+T\d+ ", rule):
        raise RefusedError("Valid DTSTART required in rrule. Value should start with: DTSTART:YYYYMMDDTHHMMSSZ")
    rules = re.findall(r"RRULE:(\S*)", rule)
    if not rules or any("INTERVAL" not in each for each in rules):
        raise RefusedError("INTERVAL required in rrule")
    if any("SECONDLY" in each or {"COUNT", "UNTIL"} <= set(re.findall(r"[A-Z]+", each)) for each in rules):
        raise RefusedError("rrule is not supported")


def check_survey(survey: Record) -> None:
    """The questions that surveys can ask, and the defaults that they take."""
    if not all(isinstance(survey.get(name), str) for name in ("name", "description")) or not survey.get("spec"):
        raise RefusedError("a survey has a name, a description and questions")
    for question in survey["spec"]:
        _check_question(question)
    names = [question["variable"] for question in survey["spec"]]
    if len(names) != len(set(names)):
        raise RefusedError("a variable is asked for twice")


def _check_question(question: Record) -> None:
    name, kind = question["variable"], question["type"]
    if kind not in QUESTION_TYPES:
        raise RefusedError(f"'{kind}' is not an allowed question type")
    if not isinstance(question["required"], bool):
        raise RefusedError(f"{name}: required is a boolean")
    unknown = set(question) - {"question_name", "question_description", "required", "type", "variable"}
    if unknown - {"default", "min", "max", "choices"}:
        raise RefusedError(f"{name}: unknown {unknown}")
    default = question.get("default", "")
    if default != "" and default.__class__ is not QUESTION_TYPES[kind]:
        raise RefusedError(f"{name}: default {default!r} expected to be {kind}")
    if any(question.get(bound, 0).__class__ is not int for bound in ("min", "max")):
        raise RefusedError(f"{name}: limits are integers")
    if kind.startswith("multi") and not set(default.splitlines()) <= set(question["choices"]):
        raise RefusedError(f"{name}: default must be answered from the choices listed")
    if kind == "password" and default:
        raise RefusedError(f"{name}: the stand-in does not encrypt defaults")


def launch_variables(chosen: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, Any]:
    """The extra variables of a job: the template's own, then the survey's defaults, then the launch's.

    A default that the survey itself would refuse as an answer is left out; an empty text is one, unless it may be.
    Raises RefusedError where a required question has neither.
    """
    found = dict(chosen["extra_vars"])
    for question in chosen.get("survey_spec", {}).get("spec", ()):
        default = question["default"]
        if default == "" and (question["required"] or question["type"] == "integer"):
            continue
        found[question["variable"]] = default.splitlines() if question["type"] == "multiselect" else default
    found |= answers
    questions = chosen.get("survey_spec", {}).get("spec", ())
    if unanswered := {each["variable"] for each in questions if each["required"]} - found.keys():
        raise RefusedError(f"{sorted(unanswered)} value missing")
    return found
