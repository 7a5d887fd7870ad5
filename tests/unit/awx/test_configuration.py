# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""AWX's configuration: held against what AWX takes, and applied by the modules of awx.awx to a stand-in for it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from tests.support.awx import Unsafe, configuration
from tests.support.awx_apply import PREFIX, apply, of
from tests.support.awx_rules import RefusedError, check_credential_type, check_project, check_schedule, check_survey
from tests.support.awx_service import AwxService
from tests.support.playbooks import ROOT

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
CREDENTIAL = {
    "RESELLER_BASE_URL": "https://portal.example.com",
    "RESELLER_API_KEY": "the-api-key",
    "RESELLER_ORGANIZATION_ID": "4711",
    "RESELLER_LEDGER": "postgresql://orders:the-db-password@db.example.com/ledger",
}
TEMPLATES = configuration()["controller_templates"]
SETTLE, IN_DOUBT = "Settle an order", "Orders in doubt"
WORKFLOWS = configuration()["controller_workflows"]
ORDERING = [each for each in WORKFLOWS if each["name"] != PREFIX + SETTLE]
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
    behind_approval = {*BUNDLES, SETTLE}
    assert {each["name"].removeprefix(PREFIX) for each in WORKFLOWS} == behind_approval
    assert {each["name"].removeprefix(PREFIX) for each in TEMPLATES} == {
        IN_DOUBT,
        *(f"{bundle} ({half})" for bundle in behind_approval for half in ("check", "run")),
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


def test_a_schedule_needs_no_answer_and_is_off() -> None:
    (schedule,) = configuration()["controller_schedules"]
    check_schedule(schedule)
    assert configuration()["awx_reseller_schedule"] is False
    assert schedule["enabled"] == "{{ awx_reseller_schedule }}"
    template = named(IN_DOUBT)
    assert (schedule["unified_job_template"], template["survey_enabled"]) == (template["name"], False)


@pytest.mark.parametrize(
    ("image", "pull"),
    [
        ("registry.example.com/ee:latest", "always"),
        ("registry.example.com/ee:main", "always"),
        ("registry.example.com:5000/ee", "always"),
        ("registry.example.com/ee:1.2.0", "missing"),
        ("registry.example.com:5000/ee:v1.2.0-rc1", "missing"),
        ("registry.example.com/ee@sha256:0123abcd", "missing"),
    ],
)
def test_image_is_pulled_again_where_its_tag_can_change(image: str, pull: str) -> None:
    environment = jinja2.Environment()
    environment.tests["search"] = lambda text, pattern: re.search(pattern, text) is not None
    template = environment.from_string(configuration()["awx_reseller_pull"])
    assert template.render(awx_reseller_image=image) == pull


def test_nobody_may_run_what_orders_without_approval() -> None:
    for role in configuration()["controller_roles"]:
        if role["role"] not in ("read", "approval"):
            assert role.get("job_templates", [PREFIX + IN_DOUBT]) == [PREFIX + IN_DOUBT]


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
    shared_ones = {"order_secrets", "order_l2vpn_ids"}
    assert asked - shared_ones == {name for name in used if name.startswith("order_")} - shared_ones


@pytest.mark.parametrize("bundle", sorted(BUNDLES))
def test_messages_name_the_questions_of_the_survey(bundle: str) -> None:
    key = named(f"{bundle} (run)")["extra_vars"]["order_bundle"]
    shared = yaml.safe_load((ROOT / "playbooks/vars/awx.yml").read_text(encoding="utf-8"))
    own = yaml.safe_load((ROOT / f"playbooks/vars/awx_{key}.yml").read_text(encoding="utf-8"))
    questions = {question["question_name"]: question["variable"] for question in SURVEYS[bundle]["spec"]}
    assert own["awx_question"] in questions
    here = own["awx_shown_as_here"]
    shown = (
        {**shared[f"awx_shown_as_{key.replace('web_presence', 'domain').replace('cluster', 'server')}"]}
        if "awx_shown_as_own" in own
        else here
    )
    shown |= own.get("awx_shown_as_own", {})
    named_here = set(re.findall(r'the answer to "([^"]+)"', "".join(shown.values())))
    assert named_here <= set(questions)
    # Every setting that an answer makes is called by the question that asks for it.
    for kind, settings in own["awx_defaults"].items():
        for setting, value in (settings if isinstance(settings, dict) else shared["awx_domain"]).items():
            word = shown[f"given defaults.{kind}.{setting}"]
            asked = questions[word.removeprefix('the answer to "').removesuffix('"')]
            assert asked.removeprefix("order_") in f"{value} contact", (setting, word)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=[each["name"] for each in WORKFLOWS])
def test_workflows_check_let_approve_and_run(workflow: dict[str, Any]) -> None:
    nodes = {node["identifier"]: node for node in workflow["workflow_nodes"]}
    follow = {name: node.get("related", {}) for name, node in nodes.items()}
    doubtful = {"in_doubt": {}} if workflow in ORDERING else {}
    assert follow == {
        "check": {"success_nodes": [{"identifier": "approve"}]},
        "approve": {"success_nodes": [{"identifier": "run"}]},
        "run": {"failure_nodes": [{"identifier": "in_doubt"}]} if doubtful else {},
        **doubtful,
    }
    what = {name: node["unified_job_template"] for name, node in nodes.items()}
    # An approval that is made with the workflow would be changed in each run.
    assert not what["approve"]["name"]
    assert what["approve"]["type"] != "workflow_approval"
    (approval,) = workflow["simplified_workflow_nodes"]
    assert approval["identifier"] == "approve"
    assert approval["approval_node"]["timeout"].__class__ is int
    assert "(check)" in approval["approval_node"]["description"]
    # With links among these, infra.aap_configuration would report each of them as changed.
    assert not {"success_nodes", "failure_nodes", "always_nodes"} & approval.keys()
    for half in ("check", "run"):
        template = next(each for each in TEMPLATES if each["name"] == what[half]["name"])
        assert template["job_type"] == half
        assert template["extra_vars"] == named(workflow["name"].removeprefix(PREFIX) + " (run)")["extra_vars"]
        # A node's job_type would be ignored, as no template asks for it.
        assert "job_type" not in nodes[half]
    assert nodes["run"]["extra_data"] == {"order_needs_approval": True}
    if doubtful:
        assert what["in_doubt"]["name"] == PREFIX + IN_DOUBT
        assert nodes["in_doubt"]["extra_data"] == {"order_job_failed": True}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=[each["name"] for each in WORKFLOWS])
def test_nothing_that_is_launched_can_stand_for_the_approved_plan(workflow: dict[str, Any]) -> None:
    names = {"order_needs_approval"}
    for playbook in ("awx_check", "awx_settle"):
        tasks = yaml.safe_load((ROOT / f"playbooks/{playbook}.yml").read_text(encoding="utf-8"))[0]["tasks"]
        names.update(
            *(task["ansible.builtin.set_stats"]["data"] for task in tasks if "ansible.builtin.set_stats" in task)
        )
    assert names == {"order_needs_approval", "approved_plan", "approved_settlement"}
    assert workflow["ask_variables_on_launch"] is False
    assert not names & {question["variable"] for question in workflow["survey_spec"]["spec"]}
    assert not names & set(workflow.get("extra_vars", {}))


# Applied

#: One with a multiselect, and one with each other kind of question: the loops and the modules are the same for all.
APPLIED = ("Configurable VPS", "Web presence", SETTLE, IN_DOUBT)


@pytest.mark.full
def test_applied_by_awx_awx_twice_changes_nothing(tmp_path: Path) -> None:
    service = AwxService()
    administrator = service.make_user("administrator", administrator=True)
    with service.server:
        # What a superuser has to do, an administrator of the organization may not.
        status, output = apply(tmp_path, service, APPLIED, token=administrator, **CREDENTIAL)
        assert status != 0
        assert "You don't have permission" in output
        status, output = apply(tmp_path, service, APPLIED, "--tags", "credential_types", **CREDENTIAL)
        assert status == 0, output
        service.source_is_away = True
        status, output = apply(tmp_path, service, APPLIED, token=administrator, **CREDENTIAL)
        assert status != 0
        assert "Project update failed" in output
        service.source_is_away = False
        status, output = apply(tmp_path, service, APPLIED, token=administrator, **CREDENTIAL)
        assert status == 0, output
        assert "[WARNING]" not in output
        requests = len(service.server.requests)
        again_status, again = apply(tmp_path, service, APPLIED, token=administrator, **CREDENTIAL)
        checks = len(service.server.requests)
        dry_status, dry = apply(tmp_path, service, APPLIED, "--check", token=administrator, **CREDENTIAL)
    for code, text in ((again_status, again), (dry_status, dry)):
        assert code == 0, text
        assert re.search(r"changed=0 +unreachable=0 +failed=0", text), text
        assert "[WARNING]" not in text
    written = {request.path for request in service.server.requests[requests:checks] if request.method != "GET"}
    assert {re.sub(r"/\d+/", "/N/", path) for path in written} == {"/api/v2/projects/N/update/"}
    assert {request.method for request in service.server.requests[checks:]} == {"GET"}

    made = {kind: {each["name"] for each in records if "name" in each} for kind, records in service.records.items()}
    assert made["job_templates"] == {each["name"] for each in of(APPLIED, "templates")}
    assert made["workflow_job_templates"] == {each["name"] for each in of(APPLIED, "workflows")}
    assert service.named("credential_types", "Hosting Reseller")["injectors"] == CREDENTIAL_TYPE["injectors"]
    inputs = service.named("credentials", "Hosting Reseller")["inputs"]
    assert inputs["api_key"] == "the-api-key"
    for each in [*of(APPLIED, "templates"), *of(APPLIED, "workflows")]:
        assert service.surveys.get(each["name"]) == each.get("survey_spec")
    for each in of(APPLIED, "templates"):
        record = service.named("job_templates", each["name"])
        assert record["job_type"] == each["job_type"]
        assert record["ask_variables_on_launch"] is True
        credential = service.named("credentials", "Hosting Reseller")["id"]
        assert service.associations[f"{record['url']}credentials/"] == [credential]
    for each in of(APPLIED, "workflows"):
        assert steps(service, each["name"]) == [f"{each['name']} ({what})" for what in ("check", "approve", "run")]
    for secret in ("the-api-key", "the-db-password"):
        assert secret not in output + again + dry


@pytest.mark.full
def test_a_first_dry_run_says_what_it_lacks_and_no_secret(tmp_path: Path) -> None:
    service = AwxService()
    with service.server:
        status, output = apply(tmp_path, service, APPLIED, "--check", "-v", **CREDENTIAL)
    assert status != 0
    assert "credential_types" in output
    assert "expected 1" in output
    assert not [secret for secret in ("the-api-key", "the-db-password") if secret in output]


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


def test_a_credential_that_cannot_be_filled_is_told_before_anything_is_changed(tmp_path: Path) -> None:
    service = AwxService()
    with service.server:
        status, output = apply(tmp_path, service, APPLIED, **{**CREDENTIAL, "RESELLER_API_KEY": ""})
    assert status != 0
    assert "RESELLER_API_KEY" in output
    assert "the-db-password" not in output
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
