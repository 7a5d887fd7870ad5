# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""AWX's configuration: held against what AWX takes, and applied by the modules of awx.awx to a stand-in for it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from tests.support import awx_collection
from tests.support.awx import Unsafe, configuration
from tests.support.awx_service import AwxService, RefusedError, check_credential_type, check_project, check_survey
from tests.support.playbooks import PROGRAM, ROOT, environment

BUNDLES = {
    "VPS",
    "Configurable VPS",
    "Dedicated server",
    "Dedicated cluster",
    "Webhosting",
    "Domain",
    "Web presence",
    "Customer stack",
}
PREFIX = "Hosting Reseller: "
CREDENTIAL = {
    "RESELLER_BASE_URL": "https://portal.example.com",
    "RESELLER_API_KEY": "the-api-key",
    "RESELLER_ORGANIZATION_ID": "4711",
    "RESELLER_LEDGER": "postgresql://orders:the-db-password@db.example.com/ledger",
}
TEMPLATES = configuration()["controller_templates"]
WORKFLOWS = configuration()["controller_workflows"]
CREDENTIAL_TYPE = configuration()["controller_credential_types"][0]
#: Each survey once; the templates and the workflow of a bundle share it.
SURVEYS = {each["name"].removeprefix(PREFIX): each["survey_spec"] for each in WORKFLOWS}
QUESTIONS = [pytest.param(each, id=f"{name}-{each['variable']}") for name in SURVEYS for each in SURVEYS[name]["spec"]]


def named(name: str) -> dict[str, Any]:
    return next(each for each in TEMPLATES if each["name"] == PREFIX + name)


# What AWX takes


def test_the_credential_type_is_one_that_awx_takes() -> None:
    check_credential_type(CREDENTIAL_TYPE)
    assert CREDENTIAL_TYPE["kind"] == "cloud"


def test_no_input_is_a_boolean() -> None:
    assert {field["type"] for field in CREDENTIAL_TYPE["inputs"]["fields"]} == {"string"}


def test_secrets_are_inputs_that_awx_encrypts() -> None:
    secret = {field["id"] for field in CREDENTIAL_TYPE["inputs"]["fields"] if field.get("secret")}
    assert secret == {"api_key", "ledger"}


def test_injectors_are_not_templated_by_ansible() -> None:
    for variable, injected in CREDENTIAL_TYPE["injectors"]["env"].items():
        assert variable.startswith("RESELLER_")
        assert isinstance(injected, Unsafe)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"RESELLER_LEDGER": "", "RESELLER_END_USER_ELEMENT": "", "RESELLER_PRODUCT_ELEMENT": ""}),
        ({"ledger": "/ledger/l.db"}, {"RESELLER_LEDGER": "/ledger/l.db", "RESELLER_END_USER_ELEMENT": ""}),
    ],
)
def test_injectors_make_empty_variables_of_empty_fields(given: dict[str, str], expected: dict[str, str]) -> None:
    required = {name: f"the {name}" for name in CREDENTIAL_TYPE["inputs"]["required"]}
    empty = {field["id"]: "" for field in CREDENTIAL_TYPE["inputs"]["fields"]}
    values = {**empty, **required, **given}
    injected = {
        name: jinja2.Template(str(template)).render(values)
        for name, template in CREDENTIAL_TYPE["injectors"]["env"].items()
    }
    assert {name: injected[name] for name in expected} == expected
    assert injected["RESELLER_API_KEY"] == "the api_key"


def test_no_secret_stands_in_the_file() -> None:
    for credential in configuration()["controller_credentials"]:
        for value in credential["inputs"].values():
            assert re.fullmatch(r"{{ awx_reseller_\w+ }}", value)
    for name in ("base_url", "api_key", "organization_id", "ledger"):
        assert "ansible.builtin.env" in configuration()[f"awx_reseller_{name}"]


def test_the_project_names_its_kind_of_source_and_stays_the_same_between_the_jobs() -> None:
    for project in configuration()["controller_projects"]:
        check_project(project)
        assert project["scm_update_on_launch"] is False


def test_repository_as_a_project_hides_no_installed_collections() -> None:
    # AWX runs a project's jobs and inventory updates in its root, where Ansible finds this file.
    assert not (ROOT / "ansible.cfg").exists()


def test_inventories_have_variables_since_the_dispatch_role_makes_a_wrong_text_of_none() -> None:
    assert all(each["variables"] for each in configuration()["controller_inventories"])


@pytest.mark.parametrize("survey", SURVEYS.values(), ids=SURVEYS)
def test_surveys_are_such_as_awx_takes(survey: dict[str, Any]) -> None:
    check_survey(survey)


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_and_their_limits(question: dict[str, Any]) -> None:
    assert question["type"] not in ("boolean", "float")
    assert "step" not in question
    if not question["type"].startswith("multi"):
        assert question["min"] <= question["max"]
    if question["type"] == "password":
        assert question["default"] == ""
    if question["type"] == "integer" and question["default"] != "":
        assert question["min"] <= question["default"] <= question["max"]
    if question["type"] == "multiplechoice":
        # What costs money has no default: AWX takes an empty one as none.
        assert question["default"] in ("", *question["choices"])
    # A name that a play uses itself would be taken for its own; one of AWX's would be overwritten.
    assert question["variable"].startswith("order_")


def test_a_multiselect_has_a_default_of_lines() -> None:
    asked = [each for survey in SURVEYS.values() for each in survey["spec"] if each["type"] == "multiselect"]
    assert asked
    assert all(each["default"].splitlines() == each["choices"] for each in asked)


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "boolean"},
        {"type": "integer", "default": "4"},
        {"type": "integer", "min": 0.5},
        {"type": "integer", "step": 128},
        {"type": "multiselect", "choices": ["a", "b"], "default": ["a"]},
        {"type": "multiplechoice", "choices": ["no", "yes"], "default": False},
        {"type": "multiplechoice", "choices": ["no", "yes"], "default": "maybe"},
    ],
)
def test_the_stand_in_refuses_what_awx_refuses(wrong: dict[str, Any]) -> None:
    question = {"question_name": "Q", "question_description": "", "required": False, "variable": "q", **wrong}
    with pytest.raises(RefusedError):
        check_survey({"name": "", "description": "", "spec": [question]})


# The bundles


def test_each_bundle_has_two_templates_and_a_workflow() -> None:
    assert {each["name"].removeprefix(PREFIX) for each in WORKFLOWS} == BUNDLES
    assert {each["name"].removeprefix(PREFIX) for each in TEMPLATES} == {
        f"{bundle} ({half})" for bundle in BUNDLES for half in ("check", "run")
    }


@pytest.mark.parametrize("bundle", sorted(BUNDLES))
def test_templates_of_a_bundle(bundle: str) -> None:
    check, run = named(f"{bundle} (check)"), named(f"{bundle} (run)")
    assert (check["job_type"], run["job_type"]) == ("check", "run")
    assert (check["playbook"], run["playbook"]) == ("playbooks/awx_check.yml", "playbooks/awx_order.yml")
    assert check["extra_vars"] == run["extra_vars"]
    assert check["survey_spec"] == run["survey_spec"] == SURVEYS[bundle]
    for template in (check, run):
        assert template["ask_variables_on_launch"] is True
        assert template["survey_enabled"] is True
        # AWX lists a file as a playbook by this line.
        assert re.search(r"^\s*-?\s*hosts:", (ROOT / template["playbook"]).read_text(encoding="utf-8"), re.MULTILINE)
        assert (ROOT / f"playbooks/vars/awx_{template['extra_vars']['order_bundle']}.yml").is_file()
    assert run["allow_simultaneous"] is False


@pytest.mark.parametrize("bundle", sorted(BUNDLES))
def test_surveys_ask_for_all_that_the_playbooks_use(bundle: str) -> None:
    key = named(f"{bundle} (run)")["extra_vars"]["order_bundle"]
    shared = yaml.safe_load((ROOT / "playbooks/vars/awx.yml").read_text(encoding="utf-8"))
    unread = (ROOT / f"playbooks/vars/awx_{key}.yml").read_text(encoding="utf-8")
    used: set[str] = set()
    while names := set(re.findall(r"(?:order|awx)_\w+", unread)) - used:
        used |= names
        unread = "".join(str(shared.get(name, "")) for name in names)
    asked = {question["variable"] for question in SURVEYS[bundle]["spec"]}
    assert asked - {"order_secrets", "order_l2vpn_ids"} == {name for name in used if name.startswith("order_")}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=[each["name"] for each in WORKFLOWS])
def test_workflows_check_let_approve_and_run(workflow: dict[str, Any]) -> None:
    nodes = {node["identifier"]: node for node in workflow["workflow_nodes"]}
    follow = {name: node.get("related", {}) for name, node in nodes.items()}
    assert follow == {
        "check": {"success_nodes": [{"identifier": "approve"}]},
        "approve": {"success_nodes": [{"identifier": "run"}]},
        "run": {},
    }
    what = {name: node["unified_job_template"] for name, node in nodes.items()}
    assert what["approve"]["type"] == "workflow_approval"
    assert what["approve"]["timeout"].__class__ is int
    for half in ("check", "run"):
        template = next(each for each in TEMPLATES if each["name"] == what[half]["name"])
        assert template["job_type"] == half
        assert template["extra_vars"] == named(workflow["name"].removeprefix(PREFIX) + " (run)")["extra_vars"]
        # A node's job_type would be ignored, as no template asks for it.
        assert "job_type" not in nodes[half]
    assert nodes["run"]["extra_data"] == {"order_needs_approval": True}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=[each["name"] for each in WORKFLOWS])
def test_nothing_that_is_launched_can_stand_for_the_approved_plan(workflow: dict[str, Any]) -> None:
    published = yaml.safe_load((ROOT / "playbooks/awx_check.yml").read_text(encoding="utf-8"))[0]["tasks"]
    stats = next(task["ansible.builtin.set_stats"] for task in published if "ansible.builtin.set_stats" in task)
    names = {*stats["data"], "order_needs_approval"}
    assert "approved_plan" in names
    assert workflow["ask_variables_on_launch"] is False
    assert not names & {question["variable"] for question in workflow["survey_spec"]["spec"]}
    assert not names & set(workflow.get("extra_vars", {}))


# Applied

#: One with a multiselect, and one with each other kind of question: the loops and the modules are the same for all.
APPLIED = ("Configurable VPS", "Web presence")


def of_applied(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for each in records if each["name"].removeprefix(PREFIX).partition(" (")[0] in APPLIED]


@pytest.fixture(scope="module")
def collections() -> str:
    place = ROOT / ".cache/awx"
    if not (place / awx_collection.COLLECTION).is_dir():
        pytest.skip("needs awx.awx, which `make pytest` fetches")
    return f"{place}:{ROOT}/.cache"


def apply(folder: Path, collections: str, service: AwxService, *arguments: str, **env: str) -> tuple[int, str]:
    """Run awx/apply.yml; the exit status and what it printed."""
    variables = {
        "ANSIBLE_COLLECTIONS_PATH": collections,
        "CONTROLLER_HOST": service.server.url,
        "CONTROLLER_OAUTH_TOKEN": "stand-in-token",
        **CREDENTIAL,
        **env,
    }
    few = folder / "few.json"
    shown = {"controller_templates": of_applied(TEMPLATES), "controller_workflows": of_applied(WORKFLOWS)}
    few.write_text(json.dumps(shown), encoding="utf-8")
    done = subprocess.run(
        [PROGRAM, *arguments, "--extra-vars", f"@{few}", ROOT / "awx/apply.yml"],
        env=environment(folder, variables),
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.full
def test_applied_by_awx_awx(tmp_path: Path, collections: str) -> None:
    service = AwxService()
    with service.server:
        status, output = apply(tmp_path, collections, service)
        assert status == 0, output
        requests = len(service.server.requests)
        again_status, again = apply(tmp_path, collections, service, "--check")
    assert again_status == 0, again
    assert "changed=0" in again
    assert {request.method for request in service.server.requests[requests:]} == {"GET"}

    made = {kind: {each["name"] for each in records} for kind, records in service.records.items() if "node" not in kind}
    assert made["job_templates"] == {each["name"] for each in of_applied(TEMPLATES)}
    assert made["workflow_job_templates"] == {each["name"] for each in of_applied(WORKFLOWS)}
    assert service.named("credential_types", "Hosting Reseller")["injectors"] == CREDENTIAL_TYPE["injectors"]
    inputs = service.named("credentials", "Hosting Reseller")["inputs"]
    assert inputs["api_key"] == "the-api-key"
    for each in [*of_applied(TEMPLATES), *of_applied(WORKFLOWS)]:
        assert service.surveys[each["name"]] == each["survey_spec"]
    for each in of_applied(TEMPLATES):
        record = service.named("job_templates", each["name"])
        assert record["job_type"] == each["job_type"]
        assert record["ask_variables_on_launch"] is True
        credential = service.named("credentials", "Hosting Reseller")["id"]
        assert service.associations[f"{record['url']}credentials/"] == [credential]
    for each in of_applied(WORKFLOWS):
        assert steps(service, each["name"]) == [f"{each['name']} ({what})" for what in ("check", "approve", "run")]
    for secret in ("the-api-key", "the-db-password"):
        assert secret not in output + again


def steps(service: AwxService, workflow: str) -> list[str]:
    """What a workflow runs, one after the other."""
    number = service.named("workflow_job_templates", workflow)["id"]
    nodes = {each["id"]: each for each in service.records["workflow_job_template_nodes"]}
    templates = {each["id"]: each["name"] for kind in service.records.values() for each in kind if "name" in each}
    current = next(
        each for each in nodes.values() if (each["workflow_job_template"], each["identifier"]) == (number, "check")
    )
    found = [templates[current["unified_job_template"]]]
    while following := service.associations.get(f"{current['url']}success_nodes/"):
        current = nodes[following[0]]
        found.append(templates[current["unified_job_template"]])
    return found


def test_a_credential_that_cannot_be_filled_is_told_before_anything_is_changed(
    tmp_path: Path, collections: str
) -> None:
    service = AwxService()
    with service.server:
        status, output = apply(tmp_path, collections, service, RESELLER_API_KEY="")
    assert status != 0
    assert "RESELLER_API_KEY" in output
    assert service.server.requests == []


# The execution environment


def test_ansible_builder_finds_all_python_libraries() -> None:
    builder = Path(sys.executable).with_name("ansible-builder")
    done = subprocess.run(
        [builder, "introspect", ROOT / ".cache"], check=True, capture_output=True, text=True, timeout=60
    )
    found = yaml.safe_load(done.stdout)
    libraries = {re.split(r"[\[>=< ]", line)[0] for line in found["python"]}
    # PyYAML is left out by the builder, since ansible-core brings it.
    assert {"requests", "jsonschema", "dnspython", "psycopg"} <= libraries
    assert any(line.startswith("psycopg[binary]") for line in found["python"])
    assert any(line.startswith("ca-certificates") for line in found["system"])


def test_ansible_builder_makes_a_build_context(tmp_path: Path) -> None:
    builder = Path(sys.executable).with_name("ansible-builder")
    definition = ROOT / "execution-environment.yml"
    assert yaml.safe_load(definition.read_text(encoding="utf-8"))["version"] == 3
    command = [builder, "create", "--file", definition, "--context", tmp_path / "context"]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    collections = yaml.safe_load((tmp_path / "context/_build/requirements.yml").read_text(encoding="utf-8"))
    assert [each["name"] for each in collections["collections"]] == ["https://git.example.com/hosting-reseller.git"]
    containerfile = next(
        path for name in ("Containerfile", "Dockerfile") if (path := tmp_path / "context" / name).exists()
    )
    # Collections from repositories need git, which the base image lacks.
    galaxy = containerfile.read_text(encoding="utf-8").partition("AS galaxy")[2]
    assert galaxy.index("install -y git-core") < galaxy.index("ansible-galaxy collection install")
