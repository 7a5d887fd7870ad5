# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What AWX stores of each kind of record, what it refuses, and which roles a record has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.support.playbooks import ROOT

Record = dict[str, Any]

REQUIRED = object()
QUESTION_TYPES = {
    "text": str,
    "textarea": str,
    "password": str,
    "multiplechoice": str,
    "multiselect": str,
    "integer": int,
    "float": float,
}
_NAMED = {"name": REQUIRED, "description": ""}
_PROMPTS = {"ask_variables_on_launch": False, "survey_enabled": False, "allow_simultaneous": False, "extra_vars": "---"}
#: The fields of each kind, with what AWX fills in. Whatever else it is sent, it drops without a word.
FIELDS: Mapping[str, Mapping[str, Any]] = {
    "organizations": _NAMED,
    "teams": {**_NAMED, "organization": REQUIRED},
    "users": {"username": REQUIRED},
    "labels": {"name": REQUIRED, "organization": REQUIRED},
    "credential_types": {**_NAMED, "managed": False, "kind": REQUIRED, "inputs": {}, "injectors": {}},
    "credentials": {**_NAMED, "organization": None, "credential_type": REQUIRED, "inputs": {}},
    "execution_environments": {**_NAMED, "organization": None, "image": REQUIRED, "pull": "", "credential": None},
    "notification_templates": {
        **_NAMED,
        "organization": REQUIRED,
        "notification_type": REQUIRED,
        "notification_configuration": {},
        "messages": {"started": None, "success": None, "error": None, "workflow_approval": None},
    },
    "projects": {
        **_NAMED,
        "organization": None,
        "scm_type": "",
        "scm_url": "",
        "scm_branch": "",
        "credential": None,
        "scm_update_on_launch": False,
        "default_environment": None,
        "timeout": 0,
    },
    "inventories": {**_NAMED, "organization": REQUIRED, "kind": "", "host_filter": None, "variables": "---"},
    "inventory_sources": {
        **_NAMED,
        "inventory": REQUIRED,
        "source": REQUIRED,
        "source_path": "",
        "source_vars": "",
        "source_project": None,
        "credential": None,
        "execution_environment": None,
        "overwrite": False,
        "update_on_launch": False,
    },
    "job_templates": {
        **_NAMED,
        **_PROMPTS,
        "job_type": "run",
        "inventory": None,
        "project": REQUIRED,
        "playbook": "",
        "execution_environment": None,
        "timeout": 0,
    },
    "workflow_job_templates": {**_NAMED, **_PROMPTS, "organization": None},
    "workflow_job_template_nodes": {
        "identifier": "",
        "workflow_job_template": REQUIRED,
        "unified_job_template": None,
        "extra_data": {},
        "all_parents_must_converge": False,
    },
    "workflow_approval_templates": {**_NAMED, "timeout": 0},
    "schedules": {
        **_NAMED,
        "unified_job_template": REQUIRED,
        "rrule": REQUIRED,
        "enabled": True,
        "extra_data": {},
    },
}
#: Set when a record is made, and not changed by a later request.
FIXED = {"workflow_job_template_nodes": {"workflow_job_template"}}
#: The roles that a record has, and which others each of them includes.
ROLES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "job_templates": {"admin_role": ("execute_role", "read_role"), "execute_role": ("read_role",), "read_role": ()},
    "workflow_job_templates": {
        "admin_role": ("execute_role", "approval_role", "read_role"),
        "execute_role": ("read_role",),
        "approval_role": ("read_role",),
        "read_role": (),
    },
}
_VALID_PLAYBOOK = re.compile(r"^\s*?-?\s*?(?:hosts|(?:ansible\.builtin\.)?import_playbook):", re.MULTILINE)
#: What an email needs; AWX has a default for the last one only.
_MAIL = {
    "host": str,
    "port": int,
    "username": str,
    "password": str,
    "use_tls": bool,
    "use_ssl": bool,
    "sender": str,
    "recipients": list,
    "timeout": int,
}


class RefusedError(Exception):
    """What AWX answers with 400."""


def stored(kind: str, given: Mapping[str, Any], before: Record | None = None) -> Record:
    """The fields of a record as AWX keeps them, new or changed; raises RefusedError."""
    fields = FIELDS[kind]
    fixed = FIXED.get(kind, set()) if before else set()
    found = dict(before or {})
    for name, default in fields.items():
        if name in given and name not in fixed:
            # Texts and choices take null for an empty text.
            found[name] = default if given[name] is None and default == "" else given[name]
        elif name not in found:
            if default is REQUIRED:
                raise RefusedError(f"{name}: This field is required.")
            found[name] = default
    _CHECKS.get(kind, lambda record: None)(found)
    return found


def playbooks() -> set[str]:
    """What AWX lists of a project that is this repository."""
    files = [path for path in ROOT.glob("*/*.yml") if not path.parent.name.startswith(".")]
    return {str(path.relative_to(ROOT)) for path in files if _VALID_PLAYBOOK.search(path.read_text(encoding="utf-8"))}


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
    """All that an email needs is given, each of its type."""
    if record["notification_type"] != "email":
        raise RefusedError("the stand-in knows notifications by email only")
    configuration = record["notification_configuration"]
    if missing := _MAIL.keys() - {"timeout"} - configuration.keys():
        raise RefusedError(f"Missing required fields for Notification Configuration: {sorted(missing)}.")
    for name, kind in _MAIL.items():
        if configuration.get(name, 30 if name == "timeout" else None).__class__ is not kind:
            raise RefusedError(f"Configuration field '{name}' incorrect type, expected {kind.__name__}.")
    if not configuration["recipients"]:
        raise RefusedError("No values specified for field 'recipients'")


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


def check_answers(survey: Record, answers: Mapping[str, Any]) -> None:
    """What a launch has to answer, and within which bounds."""
    for question in survey.get("spec", ()):
        name = question["variable"]
        if name not in answers:
            if question["required"]:
                raise RefusedError(f"'{name}' value missing")
            continue
        answer, kind = answers[name], question["type"]
        wanted = {"integer": int, "float": float, "multiselect": list}.get(kind, str)
        if answer.__class__ is not wanted:
            raise RefusedError(f"Value {answer} for '{name}' expected to be a {wanted.__name__}.")
        if kind.startswith("multi"):
            if not {*(answer if kind == "multiselect" else [answer])} <= {*question["choices"]}:
                raise RefusedError(f"Value {answer} for '{name}' expected to be one of {question['choices']}.")
        elif not question["min"] <= (len(answer) if wanted is str else answer) <= question["max"]:
            raise RefusedError(f"'{name}' value {answer} is too small or too large.")


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


_CHECKS: Mapping[str, Callable[[Record], None]] = {
    "credential_types": check_credential_type,
    "projects": check_project,
    "notification_templates": check_notification,
    "schedules": check_schedule,
}
