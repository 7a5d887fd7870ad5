# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A stand-in for AWX's API, as far as its configuration needs it: records that are made, changed, listed and joined.

It refuses what a running AWX refuses of them, keeps of a record only what AWX keeps, shows secrets to nobody, and
everything else to those alone who may see it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.awx_rules import FIELDS, ROLES, Record, RefusedError, check_survey, playbooks, stored
from tests.support.http_server import Received, Reply, ScriptedServer

API = "/api/v2/"
ASSOCIATIONS = (
    "credentials",
    "labels",
    "success_nodes",
    "failure_nodes",
    "always_nodes",
    "notification_templates_error",
    "notification_templates_approvals",
)
#: What lists of all kinds of templates look into: approvals are not among them.
TEMPLATES = ("job_templates", "workflow_job_templates", "projects", "inventory_sources")
#: Which record a record without an organization of its own belongs to.
PARENTS = {
    "job_templates": "project",
    "inventory_sources": "inventory",
    "workflow_job_template_nodes": "workflow_job_template",
    "schedules": "unified_job_template",
}
#: Everybody may see these.
PUBLIC = ("credential_types", "organizations", "users", "labels")
ADMIN = "stand-in-token"


class ForbiddenError(Exception):
    """What AWX answers with 403."""


@dataclass
class User:
    """Somebody with a token."""

    id: int
    superuser: bool = False
    administers: set[int] = field(default_factory=set)
    teams: set[int] = field(default_factory=set)


class AwxService:
    """AWX with an organization named Default, a superuser whose token is ``ADMIN``, and nothing else."""

    def __init__(self) -> None:
        self.records: dict[str, list[Record]] = {}
        self.associations: dict[str, list[int]] = {}
        self.surveys: dict[str, Record] = {}
        #: By the id of a role: what it is for, and who has it.
        self.roles: dict[int, tuple[Record, str]] = {}
        #: While this is set, no project can be fetched.
        self.source_is_away = False
        self._numbers = itertools.count(1)
        self.organization = self.add("organizations", {"name": "Default"})
        self.users = {ADMIN: User(self.add("users", {"username": "admin"})["id"], superuser=True)}
        self.server = ScriptedServer(self.answer)

    def make_user(self, name: str, *, teams: tuple[str, ...] = (), administrator: bool = False) -> str:
        """Make a user of the organization, and return a token."""
        organizations = {self.organization["id"]} if administrator else set()
        members = {self.named("teams", team)["id"] for team in teams}
        self.users[f"token-of-{name}"] = User(
            self.add("users", {"username": name})["id"], administers=organizations, teams=members
        )
        return f"token-of-{name}"

    def named(self, kind: str, name: str) -> Record:
        """The record of this kind and name."""
        return next(each for each in self.records[kind] if name in (each.get("name"), each.get("identifier")))

    def by_id(self, kind: str, number: int) -> Record:
        return next(each for each in self.records[kind] if each["id"] == number)

    def add(self, kind: str, data: Mapping[str, Any]) -> Record:
        """Make a record, as a POST does."""
        record = stored(kind, data)
        if kind == "job_templates":
            self._check_job_template(record)
        number = next(self._numbers)
        url = f"{API}{kind}/{number}/"
        related = {"survey_spec": f"{url}survey_spec/", "update": f"{url}update/"}
        type_name = "inventory" if kind == "inventories" else kind.removesuffix("s")
        record |= {"id": number, "url": url, "type": type_name, "kind_": kind, "related": related}
        record["summary_fields"] = {"object_roles": self._make_roles(kind, record)}
        if kind == "projects":
            record |= {"scm_revision": "", "status": "never updated"}
        if kind in ("job_templates", "inventory_sources"):
            # Theirs is that of what they belong to.
            record["organization"] = self._organization(record)
        self.records.setdefault(kind, []).append(record)
        return record

    def _make_roles(self, kind: str, record: Record) -> dict[str, Any]:
        made = {}
        for role in ROLES.get(kind, ()):
            made[role] = {"id": next(self._numbers)}
            self.roles[made[role]["id"]] = (record, role)
        return made

    def _check_job_template(self, record: Record) -> None:
        project = self.by_id("projects", record["project"])
        if record["playbook"] not in (playbooks() if project["scm_revision"] else ()):
            raise RefusedError(f"playbook: Playbook not found for project: {record['playbook']}")
        if record["inventory"] is None:
            raise RefusedError("inventory: You must either set a default value or ask to prompt on launch.")

    # Who may do what

    def _organization(self, record: Record) -> int | None:
        parent = record.get(PARENTS.get(record.get("kind_", ""), ""))
        if parent is None:
            found: int | None = record.get("organization")
            return found
        return self._organization(next(each for each in self._all() if each["id"] == parent))

    def _all(self) -> Iterator[Record]:
        return (record for records in self.records.values() for record in records)

    def has_role(self, user: User, record: Record, wanted: str) -> bool:
        """Whether somebody may, by an own role, by a team's, or as administrator of the organization."""
        if user.superuser or self._organization(record) in user.administers:
            return True
        for role, identity in record["summary_fields"].get("object_roles", {}).items():
            if wanted == role or wanted in ROLES[record["kind_"]][role]:
                members = f"{API}roles/{identity['id']}/"
                if user.teams & {*self.associations.get(f"{members}teams/", ())}:
                    return True
                if user.id in self.associations.get(f"{members}users/", ()):
                    return True
        return False

    def _may_see(self, user: User, record: Record) -> bool:
        kind = record["kind_"]
        if kind in PUBLIC or (kind == "execution_environments" and record["organization"] is None):
            return True
        return (kind == "teams" and record["id"] in user.teams) or self.has_role(user, record, "read_role")

    def _must_change(self, user: User, kind: str, record: Record) -> None:
        """A credential type is a superuser's, and so is whatever belongs to no organization."""
        if user.superuser:
            return
        if kind == "credential_types" or self._organization({**record, "kind_": kind}) not in user.administers:
            raise ForbiddenError("You do not have permission to perform this action.")

    # Answers

    def answer(self, request: Received) -> Reply:
        """Answer one request."""
        user = self.users.get((request.headers.get("Authorization") or "").removeprefix("Bearer "))
        if user is None:
            return Reply({"detail": "Authentication credentials were not provided."}, 401)
        try:
            return self._answer(request, user)
        except RefusedError as error:
            return Reply({"error": str(error), "__all__": [str(error)]}, 400)
        except ForbiddenError as error:
            return Reply({"detail": str(error)}, 403)
        except StopIteration:
            return Reply({"detail": "Not found."}, 404)

    def _answer(self, request: Received, user: User) -> Reply:
        kind, *rest = request.path.removeprefix(API).strip("/").split("/")
        body = json.loads(request.body or b"{}")
        if kind == "roles":
            return self._of_role(request, user, int(rest[0]), rest[1], body)
        if rest:
            return self.of_record(request, user, kind, int(rest[0]), rest[1] if rest[1:] else None, body)
        if request.method == "POST":
            self._must_change(user, kind, body)
            return self._made(kind, self.add(kind, body))
        found = [self.shown(each) for each in self._matching(user, kind, request.query)]
        return Reply({"count": len(found), "results": found, "next": None})

    def _made(self, kind: str, record: Record) -> Reply:
        shown = self.shown(record)
        if kind == "projects":
            shown["summary_fields"] = {"current_update": {"id": self._update_project(record)["id"]}}
        return Reply(shown, 201)

    def _update_project(self, project: Record) -> Record:
        project["status"] = "failed" if self.source_is_away else "successful"
        project["scm_revision"] = project["scm_revision"] if self.source_is_away else "f00d"
        number = next(self._numbers)
        url = f"{API}project_updates/{number}/"
        update = {key: project[key] for key in ("status", "scm_revision", "organization")}
        update |= {"id": number, "url": url, "kind_": "project_updates", "finished": "now", "summary_fields": {}}
        update |= {"type": "project_update", "failed": self.source_is_away}
        self.records.setdefault("project_updates", []).append(update)
        return update

    def _matching(self, user: User, kind: str, query: Mapping[str, str]) -> list[Record]:
        kinds = TEMPLATES if kind == "unified_job_templates" else (kind,)
        wanted = {name: value for name, value in query.items() if name not in ("page_size", "order_by")}
        fields = {"id", "type", "organization"}.union(*(FIELDS.get(each, {}) for each in kinds))
        if unknown := wanted.keys() - fields:
            raise RefusedError(f"{kind} has no field named {unknown}")
        everything = [record for each in kinds for record in self.records.get(each, [])]
        visible = [each for each in everything if self._may_see(user, each)]
        return [each for each in visible if all(str(each.get(name)) == value for name, value in wanted.items())]

    def _of_role(self, request: Received, user: User, number: int, actors: str, body: Record) -> Reply:
        record, _role = self.roles[number]
        if request.method == "POST":
            if not self.has_role(user, record, "admin_role"):
                raise ForbiddenError("You do not have permission to perform this action.")
            self.by_id(actors, body["id"])
        return self._joined(request, body)

    def of_record(self, request: Received, user: User, kind: str, number: int, part: str | None, body: Record) -> Reply:
        """Answer for one record, or a part of it."""
        record = self.by_id(kind, number)
        if not (self._may_see(user, record) if kind != "workflow_approval_templates" else True):
            raise ForbiddenError("You do not have permission to perform this action.")
        if request.method != "GET":
            owner = record if kind != "workflow_approval_templates" else {"organization": self.organization["id"]}
            self._must_change(user, kind, owner)
        if part is None:
            if request.method == "PATCH":
                changed = stored(kind, body, record)
                if kind == "job_templates":
                    self._check_job_template(changed)
                record |= changed
            return Reply(self.shown(record))
        return self._part(request, record, part, body)

    def _part(self, request: Received, record: Record, part: str, body: Record) -> Reply:
        if part == "survey_spec":
            if request.method == "POST":
                check_survey(body)
                self.surveys[record["name"]] = body
            return Reply(self.surveys.get(record["name"], {}))
        if part == "create_approval_template":
            approval = self.add("workflow_approval_templates", body)
            record["unified_job_template"] = approval["id"]
            record["related"]["unified_job_template"] = approval["url"]
            return Reply(self.shown(approval), 201)
        if part == "update" and record["kind_"] == "projects":
            return Reply(self.shown(self._update_project(record)), 202)
        if part not in ASSOCIATIONS:
            raise StopIteration
        return self._joined(request, body)

    def _joined(self, request: Received, body: Record) -> Reply:
        joined = self.associations.setdefault(request.path, [])
        if request.method == "POST":
            if body.get("disassociate"):
                joined.remove(body["id"])
            else:
                joined.append(body["id"])
            return Reply(None, 204)
        return Reply({"count": len(joined), "results": [{"id": each} for each in joined], "next": None})

    def shown(self, record: Record) -> Record:
        """A record as AWX answers it: without secrets."""
        if record["type"] != "credential":
            return dict(record)
        fields = self.by_id("credential_types", record["credential_type"])["inputs"]["fields"]
        secret = {each["id"] for each in fields if each.get("secret")}
        inputs = {
            name: "$encrypted$" if value and name in secret else value for name, value in record["inputs"].items()
        }
        return {**record, "inputs": inputs}
