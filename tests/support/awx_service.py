# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A stand-in for AWX's API, as far as its configuration needs it: records that are made, changed, listed and joined.

It refuses what a running AWX refuses of them, and keeps secrets to itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.support.http_server import Received, Reply, ScriptedServer

API = "/api/v2/"
QUESTION_TYPES = {
    "text": str,
    "textarea": str,
    "password": str,
    "multiplechoice": str,
    "multiselect": str,
    "integer": int,
    "float": float,
}
ASSOCIATIONS = ("credentials", "success_nodes", "failure_nodes", "always_nodes")
#: What lists of all kinds of templates look into.
TEMPLATES = ("job_templates", "workflow_job_templates", "workflow_approval_templates")

Record = dict[str, Any]


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


def check_survey(survey: Record) -> None:
    """The questions that surveys can ask, and the defaults that they take."""
    if not all(isinstance(survey.get(name), str) for name in ("name", "description")) or not survey.get("spec"):
        raise RefusedError("a survey has a name, a description and questions")
    for question in survey["spec"]:
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
    names = [question["variable"] for question in survey["spec"]]
    if len(names) != len(set(names)):
        raise RefusedError("a variable is asked for twice")


CHECKS: Mapping[str, Callable[[Record], None]] = {
    "credential_types": check_credential_type,
    "projects": check_project,
}


class AwxService:
    """AWX with an organization named Default, and nothing else."""

    def __init__(self) -> None:
        self.records: dict[str, list[Record]] = {}
        self.associations: dict[str, list[int]] = {}
        self.surveys: dict[str, Record] = {}
        self.add("organizations", {"name": "Default"})
        self.server = ScriptedServer(self.answer)

    def named(self, kind: str, name: str) -> Record:
        """The record of this kind and name."""
        return next(each for each in self.records[kind] if name in (each.get("name"), each.get("identifier")))

    def add(self, kind: str, data: Mapping[str, Any]) -> Record:
        """Make a record, as a POST does."""
        CHECKS.get(kind, lambda record: None)(dict(data))
        number = 1 + sum(map(len, self.records.values()))
        url = f"{API}{kind}/{number}/"
        related = {"survey_spec": f"{url}survey_spec/", "project_update": f"{url}update/"}
        record = {**data, "id": number, "url": url, "type": kind.removesuffix("s"), "related": related}
        if kind == "projects":
            record |= {"status": "successful", "summary_fields": {}, "scm_revision": ""}
        self.records.setdefault(kind, []).append(record)
        return record

    def answer(self, request: Received) -> Reply:
        """Answer one request."""
        if request.headers.get("Authorization") != "Bearer stand-in-token":
            return Reply({"detail": "Authentication credentials were not provided."}, 401)
        try:
            return self._answer(request)
        except RefusedError as error:
            return Reply({"error": str(error), "__all__": [str(error)]}, 400)

    def _answer(self, request: Received) -> Reply:
        kind, *rest = request.path.removeprefix(API).strip("/").split("/")
        body = json.loads(request.body or b"{}")
        if rest:
            return self._of_record(request, kind, int(rest[0]), rest[1] if rest[1:] else None, body)
        if request.method == "POST":
            return Reply(self._shown(self.add(kind, body)), 201)
        kinds = TEMPLATES if kind == "unified_job_templates" else (kind,)
        found = [self._shown(each) for each in self._matching(kinds, request.query)]
        return Reply({"count": len(found), "results": found, "next": None})

    def _matching(self, kinds: tuple[str, ...], query: Mapping[str, str]) -> list[Record]:
        everything = [record for kind in kinds for record in self.records.get(kind, [])]
        wanted = {name: value for name, value in query.items() if name != "page_size"}
        return [each for each in everything if all(str(each.get(name)) == value for name, value in wanted.items())]

    def _of_record(self, request: Received, kind: str, number: int, part: str | None, body: Record) -> Reply:
        record = next(each for each in self.records[kind] if each["id"] == number)
        if part is None:
            if request.method == "PATCH":
                CHECKS.get(kind, lambda record: None)({**record, **body})
                record |= body
            return Reply(self._shown(record))
        if part == "survey_spec":
            if request.method == "POST":
                check_survey(body)
                self.surveys[record["name"]] = body
            return Reply(self.surveys.get(record["name"], {}))
        if part == "create_approval_template":
            approval = self.add("workflow_approval_templates", body)
            record["unified_job_template"] = approval["id"]
            record["related"]["unified_job_template"] = approval["url"]
            return Reply(self._shown(approval), 201)
        if part not in ASSOCIATIONS:
            return Reply({"detail": f"Not found: {request.path}"}, 404)
        joined = self.associations.setdefault(request.path, [])
        if request.method == "POST":
            joined.append(body["id"])
            return Reply(None, 204)
        return Reply({"count": len(joined), "results": [{"id": each} for each in joined], "next": None})

    @staticmethod
    def _shown(record: Record) -> Record:
        if record["type"] != "credential":
            return record
        secret = ("api_key", "ledger")
        inputs = {name: "$encrypted$" if name in secret else value for name, value in record["inputs"].items()}
        return {**record, "inputs": inputs}
