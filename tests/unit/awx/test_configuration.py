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


def named(name: str) -> dict[str, Any]:
    return next(each for each in TEMPLATES if each["name"] == PREFIX + name)


# What AWX takes


def test_credential_type() -> None:
    """Of two kinds, with inputs of two types; an omitted boolean would be injected as False."""
    fields = CREDENTIAL_TYPE["inputs"]["fields"]
    assert CREDENTIAL_TYPE["kind"] == "cloud"
    assert {field["type"] for field in fields} == {"string"}
    assert {field["id"] for field in fields if field.get("secret")} == {"api_key", "ledger"}
    assert {*CREDENTIAL_TYPE["inputs"]["required"]} <= {field["id"] for field in fields}
    values = {field["id"]: f"the {field['id']}" if field["id"] == "api_key" else "" for field in fields}
    injected = CREDENTIAL_TYPE["injectors"]["env"]
    assert all(isinstance(template, Unsafe) for template in injected.values())
    strict = jinja2.Environment(undefined=jinja2.StrictUndefined)
    made = {name: strict.from_string(str(template)).render(values) for name, template in injected.items()}
    assert made == {name: "the api_key" if name == "RESELLER_API_KEY" else "" for name in injected}
    assert all(name.startswith("RESELLER_") for name in injected)


def test_no_secret_stands_in_the_file() -> None:
    for credential in configuration()["controller_credentials"]:
        for value in credential["inputs"].values():
            assert re.fullmatch(r"{{ awx_reseller_\w+ }}", value)
    for name in ("base_url", "api_key", "organization_id", "ledger"):
        assert "ansible.builtin.env" in configuration()[f"awx_reseller_{name}"]


def test_project_stays_the_same_between_the_jobs() -> None:
    for project in configuration()["controller_projects"]:
        assert project["scm_type"]
        assert project["scm_update_on_launch"] is False
    # AWX runs a project's jobs in its root, where this file would hide the installed collections.
    assert not (ROOT / "ansible.cfg").exists()
    # The dispatch role makes a wrong text of none.
    assert all(each["variables"] for each in configuration()["controller_inventories"])


#: What the default of a question is, by its type.
QUESTION_TYPES = {"text": str, "textarea": str, "password": str, "multiplechoice": str, "multiselect": str}
QUESTION_TYPES["integer"] = int


@pytest.mark.parametrize("survey", SURVEYS.values(), ids=SURVEYS)
def test_surveys(survey: dict[str, Any]) -> None:
    assert all(isinstance(survey[name], str) for name in ("name", "description"))
    names = [question["variable"] for question in survey["spec"]]
    assert len(names) == len({*names}) > 0
    known = {"question_name", "question_description", "required", "type", "variable", "default"}
    for question in survey["spec"]:
        kind, default = question["type"], question["default"]
        assert {*question} - known == ({"choices"} if kind.startswith("multi") else {"min", "max"}), question
        assert isinstance(question["required"], bool)
        assert default == "" or default.__class__ is QUESTION_TYPES[kind], question
        # What costs money has no default: AWX takes an empty one as none.
        if kind == "multiselect":
            assert default.splitlines() == question["choices"]
        elif kind == "multiplechoice":
            assert default in ("", *question["choices"])
        else:
            assert all(question[bound].__class__ is int for bound in ("min", "max"))
            least = default if kind == "integer" and default != "" else question["min"]
            assert question["min"] <= least <= question["max"]
        assert kind != "password" or default == ""
        # A name that a play uses itself would be taken for its own; one of AWX's would be overwritten.
        assert question["variable"].startswith("order_")


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


def test_schedule_needs_no_answer_and_is_off() -> None:
    (schedule,) = configuration()["controller_schedules"]
    assert re.fullmatch(r"DTSTART:\d+T\d+Z RRULE:FREQ=DAILY;INTERVAL=1", schedule["rrule"])
    assert configuration()["awx_reseller_schedule"] is False
    assert schedule["enabled"] == "{{ awx_reseller_schedule }}"
    template = named(IN_DOUBT)
    assert (schedule["unified_job_template"], template["survey_enabled"]) == (template["name"], False)


@pytest.mark.parametrize(
    ("image", "pull"),
    [
        ("registry.example.com/ee:main", "always"),
        ("registry.example.com:5000/ee", "always"),
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


#: What the messages of AWX 24.6 can use. job_metadata, too, and that holds the answers to the survey.
OF_A_JOB = {
    "job": {"id": 42, "name": "A job", "status": "failed", "artifacts": {"orders_in_doubt": ["web01"]}},
    "job_friendly_name": "Job",
    "url": "https://awx.example.com/#/jobs/playbook/42",
}
OF_AN_APPROVAL = {"approval_node_name": "Approve me", "approval_status": "denied", "workflow_url": "https://x"}


def test_mails_contain_no_answers_of_a_survey() -> None:
    (mail,) = configuration()["awx_reseller_mails"]
    needed = {"host", "port", "username", "password", "use_tls", "use_ssl", "sender", "recipients"}
    assert needed <= mail["notification_configuration"].keys()
    events = dict(mail["messages"])
    approvals = events.pop("workflow_approval")
    assert ({*events}, {*approvals}) == (
        {"started", "success", "error"},
        {"running", "approved", "timed_out", "denied"},
    )
    strict = jinja2.Environment(undefined=jinja2.StrictUndefined)
    for texts, context in ((events, OF_A_JOB), (approvals, OF_AN_APPROVAL)):
        for text in texts.values():
            assert {*text} == {"message", "body"}
            assert all(isinstance(each, Unsafe) for each in text.values())
            assert "\n" not in text["message"]
            assert all(strict.from_string(each).render(context) for each in text.values())


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
