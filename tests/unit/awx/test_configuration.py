# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""AWX's configuration: held against what AWX and the modules of awx.awx take."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jinja2
import jinja2.nativetypes
import pytest
import yaml

from tests.support import awx_collection
from tests.support.awx import Unsafe, configuration
from tests.support.awx_rules import (
    RefusedError,
    check_credential_type,
    check_notification,
    check_project,
    check_schedule,
    check_survey,
)
from tests.support.playbooks import PROGRAM, ROOT, environment

PREFIX = "Hosting Reseller: "
PLACE = ROOT / ".cache/awx"

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
READING = {IN_DOUBT, "Products", "Ledger"}
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
def test_surveys_that_awx_refuses_are_noticed(wrong: dict[str, Any]) -> None:
    question = {"question_name": "Q", "question_description": "", "required": False, "variable": "q", **wrong}
    with pytest.raises(RefusedError):
        check_survey({"name": "", "description": "", "spec": [question]})


# The bundles


def test_each_bundle_has_two_templates_and_a_workflow() -> None:
    behind_approval = {*BUNDLES, SETTLE}
    assert {each["name"].removeprefix(PREFIX) for each in WORKFLOWS} == behind_approval
    assert {each["name"].removeprefix(PREFIX) for each in TEMPLATES} == {
        *READING,
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


def test_nothing_waits_for_the_approval_of_another_launch() -> None:
    assert all(each["allow_simultaneous"] for each in (*TEMPLATES, *WORKFLOWS))


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


#: Who may do what with the objects whose names end so. Read shows the output of jobs.
RIGHTS = {
    ("orderers", "workflows", ""): {"execute"},
    ("orderers", "job_templates", "(check)"): {"read"},
    ("orderers", "job_templates", "(run)"): {"read"},
    ("orderers", "job_templates", ""): {"read", "execute"},
    ("approvers", "workflows", ""): {"approval"},
    ("approvers", "job_templates", "(check)"): {"read"},
    ("approvers", "job_templates", "(run)"): set(),
    ("approvers", "job_templates", ""): {"read"},
}


@pytest.mark.parametrize(("team", "kind", "half"), RIGHTS)
def test_rights(team: str, kind: str, half: str) -> None:
    objects = {"workflows": WORKFLOWS, "job_templates": TEMPLATES}[kind]
    variables = {"controller_templates": TEMPLATES, "controller_workflows": WORKFLOWS}
    environment_ = jinja2.nativetypes.NativeEnvironment()
    variables |= {
        name: list(environment_.from_string(configuration()[name]).render(variables))
        for name in ("awx_reseller_workflows", "awx_reseller_checks")
    }
    for name in [
        each["name"] for each in objects if (each["name"].endswith(half) if half else ")" not in each["name"])
    ]:
        granted = set()
        for role in configuration()["controller_roles"]:
            among = role.get(kind, [])
            among = environment_.from_string(among).render(variables) if isinstance(among, str) else among
            granted |= {role["role"]} if f"awx_reseller_{team}" in role["teams"] and name in among else set()
        assert granted == RIGHTS[team, kind, half], name


def test_mails_contain_no_answers_of_a_survey() -> None:
    (mail,) = configuration()["awx_reseller_mails"]
    check_notification(mail)
    events = [*mail["messages"].values(), *mail["messages"]["workflow_approval"].values()]
    texts = [text for event in events for text in event.values() if isinstance(text, str)]
    assert len(texts) == 14
    assert all(isinstance(text, Unsafe) and "job_metadata" not in text for text in texts)


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
    ordering = workflow in ORDERING
    assert follow == {
        "check": {
            "success_nodes": [{"identifier": "approve"}],
            **({"failure_nodes": [{"identifier": "nothing"}]} if ordering else {}),
        },
        "approve": {"success_nodes": [{"identifier": "run"}]},
        "run": {"failure_nodes": [{"identifier": "in_doubt"}]} if ordering else {},
        **({"in_doubt": {}, "nothing": {}} if ordering else {}),
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
    if ordering:
        assert nodes["check"]["extra_data"] == {"order_skips_approval": True}
        # Without an approval, nothing can be ordered, whatever the check job published before it failed.
        assert what["nothing"] == what["run"]
        assert nodes["nothing"]["extra_data"] == {"order_needs_approval": True, "order_max_orders": 0}
        assert what["in_doubt"]["name"] == PREFIX + IN_DOUBT
        assert nodes["in_doubt"]["extra_data"] == {"order_job_failed": True}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=[each["name"] for each in WORKFLOWS])
def test_nothing_that_is_launched_can_stand_for_the_approved_plan(workflow: dict[str, Any]) -> None:
    names = {"order_needs_approval", "order_skips_approval", "order_max_orders"}
    for playbook in ("awx_check", "awx_settle"):
        tasks = yaml.safe_load((ROOT / f"playbooks/{playbook}.yml").read_text(encoding="utf-8"))[0]["tasks"]
        names.update(
            *(task["ansible.builtin.set_stats"]["data"] for task in tasks if "ansible.builtin.set_stats" in task)
        )
    assert names > {"approved_plan", "approved_settlement"}
    assert workflow["ask_variables_on_launch"] is False
    assert not names & {question["variable"] for question in workflow["survey_spec"]["spec"]}
    assert not names & set(workflow.get("extra_vars", {}))


# Applied


def module_options(module: str) -> dict[str, Any]:
    """The options of a module of awx.awx, by its own documentation."""
    path = PLACE / awx_collection.COLLECTION / f"plugins/modules/{module}.py"
    if not path.is_file():
        pytest.skip("needs awx.awx, which `make pytest` fetches")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "DOCUMENTATION"
    )
    options: dict[str, Any] = yaml.safe_load(documentation)["options"]
    return options


def applied() -> list[tuple[str, dict[str, Any]]]:
    (play,) = yaml.safe_load((ROOT / "awx/apply.yml").read_text(encoding="utf-8"))
    tasks = [
        (key.rpartition(".")[2], task[key]) for task in play["tasks"] for key in task if key.startswith("awx.awx.")
    ]
    assert len(tasks) > 10
    return tasks


@pytest.mark.parametrize(("module", "given"), applied(), ids=[module for module, _given in applied()])
def test_modules_of_awx_awx_have_the_options_that_are_given(module: str, given: dict[str, Any]) -> None:
    options = module_options(module)
    known = options.keys() | {alias for option in options.values() for alias in option.get("aliases", ())}
    assert given.keys() <= known
    assert {name for name, option in options.items() if option.get("required")} <= given.keys()


def test_a_credential_that_cannot_be_filled_is_told_before_anything_is_changed(tmp_path: Path) -> None:
    module_options("credential")
    variables = {
        "ANSIBLE_COLLECTIONS_PATH": f"{PLACE}:{ROOT}/.cache",
        # Nothing listens there: a request would fail with another message.
        "CONTROLLER_HOST": "http://127.0.0.1:9",
        **CREDENTIAL,
        "RESELLER_API_KEY": "",
    }
    done = subprocess.run(
        [PROGRAM, ROOT / "awx/apply.yml"],
        env=environment(tmp_path, variables),
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "Set RESELLER_BASE_URL, RESELLER_API_KEY" in done.stdout
    assert "the-db-password" not in done.stdout + done.stderr


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
