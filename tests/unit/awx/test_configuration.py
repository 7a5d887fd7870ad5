# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""AWX's configuration: held against what AWX and the modules of awx.awx take."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import FAILURE_KINDS
from tests.support.awx import (
    COLLECTION,
    PREFIX,
    VARIABLES,
    Decision,
    approval_mails,
    checked,
    configured,
    entries,
    job_mails,
    rights,
    wrong_answers,
)
from tests.support.playbooks import PROGRAM, ROOT, environment

PLACE = ROOT / ".cache/awx"

TEMPLATES, WORKFLOWS = entries("templates"), [*entries("workflows").values()]
SETTLE, IN_DOUBT, NOTHING = "Settle an order", "Orders in doubt", "Nothing to order"
NAMING = sorted((ROOT / "playbooks").glob("**/awx*.yml"))
READING = {IN_DOUBT, NOTHING, "Products", "Ledger"}
ORDERING = [each for each in WORKFLOWS if each["name"] != PREFIX + SETTLE]
CREDENTIAL_TYPE = configured("controller_credential_types")[0]
#: Each survey once; the templates and the workflow of a bundle share it.
SURVEYS = {name: each["survey_spec"] for name, each in entries("workflows").items()}
BUNDLES = sorted(SURVEYS.keys() - {SETTLE})
SHARED = yaml.safe_load((ROOT / "playbooks/vars/awx.yml").read_text(encoding="utf-8"))
STRICT = jinja2.Environment(undefined=jinja2.StrictUndefined)


# What AWX takes


def test_credential_type() -> None:
    """An omitted boolean would be injected as False."""
    fields = CREDENTIAL_TYPE["inputs"]["fields"]
    assert {field["type"] for field in fields} == {"string"}
    assert {field["id"] for field in fields if field.get("secret")} == {"api_key", "ledger", "ledger_password"}
    assert {*CREDENTIAL_TYPE["inputs"]["required"]} <= {field["id"] for field in fields}
    values = {field["id"]: f"the {field['id']}" if field["id"] == "api_key" else "" for field in fields}
    injected = CREDENTIAL_TYPE["injectors"]["env"]
    made = {name: STRICT.from_string(str(template)).render(values) for name, template in injected.items()}
    assert made == {name: "the api_key" if name == "RESELLER_API_KEY" else "" for name in injected}
    # libpq reads an empty password as none.
    assert {name for name in injected if not name.startswith("RESELLER_")} == {"PGPASSWORD"}
    # AWX writes the file in any case, and an empty one describes no service.
    assert CREDENTIAL_TYPE["injectors"]["file"] == {"template": "{{ service }}"}
    given = {"service": "base_url: x", "tower": {"filename": "/tmp/awx_1"}}
    assert STRICT.from_string(injected["RESELLER_SERVICE"]).render(given) == "/tmp/awx_1"


def test_credential_is_filled_from_the_environment() -> None:
    names = ("base_url", "api_key", "organization_id", "ledger", "ledger_password", "service")
    (credential,) = configured("controller_credentials", **{f"awx_reseller_{name}": f"the {name}" for name in names})
    assert credential["inputs"] == {name: f"the {name}" for name in names}
    for name in (*names[:-1], "mail_password"):
        variable = {"ledger_password": "PGPASSWORD"}.get(name, f"RESELLER_{name.upper()}")
        assert VARIABLES[f"awx_reseller_{name}"] == f"{{{{ lookup('ansible.builtin.env', '{variable}') }}}}"
    # The text of the file, as AWX writes it into a file again.
    path = "lookup('ansible.builtin.env', 'RESELLER_SERVICE')"
    described = f"{{{{ lookup('ansible.builtin.file', {path}, rstrip=false)\n   if {path} else '' }}}}"
    assert " ".join(VARIABLES["awx_reseller_service"].split()) == " ".join(described.split())


def test_project_stays_the_same_between_the_jobs() -> None:
    assert [project["scm_update_on_launch"] for project in entries("projects").values()] == [False]
    # AWX runs a project's jobs in its root, where this file would hide the installed collections.
    assert not (ROOT / "ansible.cfg").exists()


QUESTION_TYPES = ("text", "textarea", "password", "multiplechoice", "multiselect", "integer")


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
        assert kind in QUESTION_TYPES
        assert default == "" or default.__class__ is (int if kind == "integer" else str), question
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
        # AWX refuses a number that was not answered.
        assert kind != "integer" or question["required"]
        # A name that a play uses itself would be taken for its own; one of AWX's would be overwritten.
        assert question["variable"].startswith("order_")


@pytest.mark.parametrize(
    ("described", "choices"),
    [
        ("", ["__self__"]),
        ("base_url: https://a\n", ["__self__"]),
        ("base_url: https://a\nend_users:\n", ["__self__"]),
        (
            "end_users:\n  customer-4711: {id: d19f51a8}\n  Müller: {id: d19f51a9}\n",
            ["__self__", "customer-4711", "Müller"],
        ),
    ],
)
def test_end_users_are_those_of_the_description(described: str, choices: list[str]) -> None:
    for bundle in configured("awx_reseller_bundles", awx_reseller_service=described):
        asked = [each["choices"] for each in bundle["survey"] if each["variable"] == "order_end_user"]
        assert asked == ([] if bundle["bundle"] == "customer_stack" else [choices])


@pytest.mark.parametrize(
    ("bundle", "answers", "problem"),
    [
        ("VPS", {"order_end_user": "d19f51a8-e747-452b-89a9-286bfa544c77"}, "'order_end_user' expected to be one of"),
        ("VPS", {"order_product": ""}, "'order_product' value  is too small"),
        ("Configurable VPS", {"order_ram": ""}, "'order_ram' expected to be of the type integer"),
        ("Dedicated server", {"order_ip4": "30 addresses"}, "'order_ip4' expected to be one of"),
        ("Dedicated server", {"order_ip6_subnet_size": 64}, "'order_ip6_subnet_size' expected to be of the type text"),
    ],
)
def test_launch_is_refused_for_what_no_survey_takes(bundle: str, answers: dict[str, Any], problem: str) -> None:
    (said,) = wrong_answers([each for each in SURVEYS[bundle]["spec"] if each["variable"] in answers], answers)
    assert problem in said


# The bundles


@pytest.mark.parametrize("bundle", SURVEYS)
def test_templates_of_a_workflow(bundle: str) -> None:
    check, run = TEMPLATES[f"{bundle} (check)"], TEMPLATES[f"{bundle} (run)"]
    assert (check["job_type"], run["job_type"]) == ("check", "run")
    assert check["extra_vars"] == run["extra_vars"]
    assert check["survey_spec"] == run["survey_spec"] == SURVEYS[bundle]
    for template in (check, run):
        assert template["ask_variables_on_launch"] is True
        assert template["survey_enabled"] is True
        # AWX lists a file as a playbook by this line.
        assert re.search(r"^\s*-?\s*hosts:", (ROOT / template["playbook"]).read_text(encoding="utf-8"), re.MULTILINE)


def test_jobs_read_contracts_back_as_the_top_of_the_file_says() -> None:
    assert TEMPLATES["VPS (run)"]["extra_vars"]["order_read_back"] is None


def test_launch_changes_nothing_of_what_others_trust() -> None:
    for name in READING - {NOTHING}:
        assert (TEMPLATES[name]["ask_variables_on_launch"], TEMPLATES[name]["survey_enabled"]) == (False, False)
    (schedule,) = entries("schedules").values()
    assert re.fullmatch(r"DTSTART:\d+T\d+Z RRULE:FREQ=DAILY;INTERVAL=1", schedule["rrule"])
    assert (schedule["enabled"], schedule["unified_job_template"]) == (False, TEMPLATES[IN_DOUBT]["name"])


def test_image_is_pulled_again_where_its_tag_can_change() -> None:
    for image, pull in (
        ("registry.example.com:5000/ee", "always"),
        ("registry.example.com/ee:main", "always"),
        ("registry.example.com:5000/ee:v1.2.0-rc1", "missing"),
        ("registry.example.com/ee@sha256:0123abcd", "missing"),
    ):
        assert configured("awx_reseller_pull", awx_reseller_image=image) == pull


def test_rights() -> None:
    """As the guide says it. Read shows the output of jobs. Nobody may launch what orders without an approval."""
    guide = (ROOT / "docs/docsite/rst/awx.rst").read_text(encoding="utf-8")
    workflows = {each["name"].removeprefix(PREFIX) for each in WORKFLOWS}
    checks, runs = ({f"{bundle} ({half})" for bundle in SURVEYS} for half in ("check", "run"))
    allowed = {
        "orderers": {
            "execute": {*workflows, IN_DOUBT, "Products", "Ledger"},
            "read": {*workflows, *checks, *runs, *READING},
        },
        "approvers": {
            "approval": workflows,
            "execute": {"Products", "Ledger"},
            "read": {*workflows, *checks, *READING},
        },
    }
    for team, expected in allowed.items():
        granted = rights(team)
        assert granted == expected
        own = configured(f"awx_reseller_{team}")[0]
        (launches,) = re.findall(rf"\* - \*{own}\*\n     - (.*)\n", guide)
        assert set(re.findall(r"\*([^*]+)\*", launches)) == granted["execute"] - workflows


# Mails

CHECK, RUN, SETTLING = "VPS (check)", "VPS (run)", "Settle an order (run)"


def left(subject: str, text: str) -> dict[str, Any]:
    """Artifacts of a job that said what a mail says."""
    return {"orders_in_doubt": [], "reseller_mail": {"subject": subject, "text": text}}


#: Of each kind of job: its artifacts, and what the mail says. What its playbook publishes is in test_awx.py.
JOB_MAILS: list[tuple[str, dict[str, Any], str, list[str]]] = [
    (
        NOTHING,
        left("nothing was ordered", "Nothing was ordered. It says why."),
        "nothing was ordered",
        ["Nothing was ordered. It says why."],
    ),
    (
        RUN,
        left("in doubt: a", "Orders in doubt: a\nNone is sent again."),
        "in doubt: a",
        ["Orders in doubt: a", "None is sent again."],
    ),
    (IN_DOUBT, left("in doubt: web01", "Orders in doubt: web01"), "in doubt: web01", ["Orders in doubt: web01"]),
    (SETTLING, left("'web01'", "It was to settle it."), "'web01'", ["It was to settle it."]),
    # Jobs that were canceled, or lost their containers.
    (
        "Settle an order (check)",
        {},
        "nothing was ordered",
        ["It was ended before it could say what it left. Nothing was ordered or recorded."],
    ),
    *(
        (
            template,
            {},
            "may have left orders in doubt",
            [
                "It was ended before it could say what it left. It may have left orders in doubt:",
                'launch "Hosting Reseller: Orders in doubt" some minutes after this mail.',
            ],
        )
        for template in (RUN, IN_DOUBT, SETTLING)
    ),
]


@pytest.mark.parametrize(("template", "artifacts", "subject", "words"), JOB_MAILS)
def test_mail_about_a_job_says_what_the_job_left(
    template: str, artifacts: dict[str, Any], subject: str, words: list[str]
) -> None:
    # Whatever somebody has renamed the template to.
    for name, launcher in ((f"{PREFIX}{template}", "alice"), ("Bestellung, Schritt 2", None)):
        (mail,) = job_mails(template, artifacts, launcher, name)
        assert mail.subject == f"{name}: failed, {subject}"
        assert mail.body.splitlines() == [
            f"Job {name} (number 42): failed",
            *(["Launched by alice"] if launcher else []),
            *words,
            "https://awx.example.com/#/jobs/playbook/42",
        ]


def test_each_failure_of_a_workflow_has_one_mail() -> None:
    """A check job of an order is red if everything is there, too: the job after it has the mail."""
    for workflow in WORKFLOWS:
        jobs = {node["identifier"]: node["unified_job_template"]["name"] for node in workflow["workflow_nodes"]}
        mailing = [name for name, job in jobs.items() if job and job_mails(job.removeprefix(PREFIX), {}, None)]
        assert mailing == (["run", "nothing"] if workflow in ORDERING else ["check", "run"])
    assert job_mails(IN_DOUBT, {}, None)


def test_advice_of_awx_is_there_for_each_kind_of_failure_and_names_templates_that_exist() -> None:
    advice = SHARED["awx_in_awx"]
    assert advice.keys() == {*FAILURE_KINDS}
    texts = [*advice.values(), str(entries("notifications")), *(path.read_text(encoding="utf-8") for path in NAMING)]
    named = {name for text in texts for name in re.findall(r'"(Hosting Reseller: [^"{]+)"', text)}
    assert len(named) > 2
    assert named <= {PREFIX + each for each in (*TEMPLATES, *entries("workflows"))}


@pytest.mark.parametrize(
    ("decision", "subject", "words"),
    [
        ("approved", "approved, the run job starts", "The run job of this workflow job starts now."),
        ("denied", "denied", ", and the workflow ends as failed.\nIf it is still wanted, launch it again."),
        ("timed_out", "expired without an approval", ", and the workflow ends as failed.\nIf it is still wanted, "),
    ],
)
def test_mail_about_an_approval_says_what_is(decision: Decision, subject: str, words: str) -> None:
    for workflow in ("VPS", SETTLE):
        waits, ended = approval_mails(workflow, decision)
        assert waits.subject == f"{PREFIX}{workflow} (approve): waits for an approval"
        assert "ends with what would be ordered or recorded. Nothing is, before an approval." in waits.body
        assert ended.subject == f"{PREFIX}{workflow} (approve): {subject}"
        assert words in ended.body
        assert ("Nothing was ordered or recorded," in ended.body) is (decision != "approved")
        assert all(mail.body.endswith("\nhttps://awx.example.com/#/jobs/workflow/41") for mail in (waits, ended))


def test_mails_are_accepted_by_awx_and_contain_no_answers_of_a_survey() -> None:
    (mail,) = entries("notifications").values()
    needed = {"host", "port", "username", "password", "use_tls", "use_ssl", "sender", "recipients"}
    assert needed <= mail["notification_configuration"].keys()
    events = dict(mail["messages"])
    approvals = events.pop("workflow_approval")
    assert {*events} == {"started", "success", "error"}
    assert {*approvals} == {"running", "approved", "timed_out", "denied"}
    for text in (*events.values(), *approvals.values()):
        assert {*text} == {"message", "body"}
        assert "\n" not in text["message"]
        assert all(checked(each) for each in text.values())
    # It has the answers to the survey. A name is only shown, and never read: somebody may change it.
    for text in (*events.values(), *approvals.values()):
        assert not any(word in each for each in text.values() for word in ("job_metadata", "in job.name", "split"))


@pytest.mark.parametrize("bundle", BUNDLES)
def test_surveys_ask_for_all_that_the_playbooks_use(bundle: str) -> None:
    key = TEMPLATES[f"{bundle} (run)"]["extra_vars"]["order_bundle"]
    unread = (ROOT / f"playbooks/vars/awx_{key}.yml").read_text(encoding="utf-8")
    own = yaml.safe_load(unread)
    used: set[str] = set()
    while names := set(re.findall(r"(?:order|awx)_\w+", unread)) - used:
        used |= names
        unread = "".join(str(SHARED.get(name, "")) for name in names)
    questions = {question["question_name"]: question["variable"] for question in SURVEYS[bundle]["spec"]}
    shared_ones = {"order_secrets", "order_l2vpn_ids"}
    assert {*questions.values()} - shared_ones == {name for name in used if name.startswith("order_")} - shared_ones
    assert own["awx_question"] in questions


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=[each["name"] for each in WORKFLOWS])
def test_nodes_of_a_workflow(workflow: dict[str, Any]) -> None:
    nodes = {node["identifier"]: node for node in workflow["workflow_nodes"]}
    ordering = workflow in ORDERING
    what = {name: node["unified_job_template"] for name, node in nodes.items()}
    # An approval that is made with the workflow would be changed in each run.
    assert not what["approve"]["name"]
    assert what["approve"]["type"] != "workflow_approval"
    (approval,) = workflow["simplified_workflow_nodes"]
    assert approval["identifier"] == "approve"
    assert approval["approval_node"]["timeout"].__class__ is int
    assert "(check)" in approval["approval_node"]["description"]
    assert ("It ends with the plan," in approval["approval_node"]["description"]) is ordering
    # With links among these, infra.aap_configuration would report each of them as changed.
    assert not {"success_nodes", "failure_nodes", "always_nodes"} & approval.keys()
    for half in ("check", "run"):
        assert what[half]["name"] == f"{workflow['name']} ({half})"
        # A node's job_type would be ignored, as no template asks for it.
        assert "job_type" not in nodes[half]
    assert "extra_data" not in nodes["run"]
    assert nodes["check"].get("extra_data") == ({"order_skips_approval": True} if ordering else None)
    # All workflows follow the same paths.
    related = {name: node.get("related", {}) for name, node in nodes.items()}
    same = {node["identifier"]: node.get("related", {}) for node in ORDERING[0]["workflow_nodes"]}
    if not ordering:
        # A settlement sends nothing, so nothing follows a job that failed.
        same = {name: {"success_nodes": same[name]["success_nodes"]} for name in ("check", "approve")} | {"run": {}}
    assert related == same


def test_nothing_that_is_launched_can_stand_for_the_approved_plan() -> None:
    names = {"order_skips_approval", "order_max_orders"}
    for playbook in ("awx_check", "awx_settle"):
        for task in yaml.safe_load((ROOT / f"playbooks/{playbook}.yml").read_text(encoding="utf-8"))[0]["tasks"]:
            names.update(task.get("ansible.builtin.set_stats", {}).get("data", ()))
    assert names > {"approved_plan", "approved_settlement"}
    for workflow in WORKFLOWS:
        assert workflow["ask_variables_on_launch"] is False
        asked = {question["variable"] for question in workflow["survey_spec"]["spec"]}
        assert not names & {*asked, *workflow.get("extra_vars", {})}


# Applied


@pytest.fixture
def modules() -> Path:
    """Where the modules of awx.awx are."""
    if not (PLACE / COLLECTION).is_dir():
        pytest.skip("needs awx.awx, which `make pytest` fetches")
    return PLACE / COLLECTION / "plugins/modules"


def test_modules_of_awx_awx_have_the_options_that_are_given(modules: Path) -> None:
    (play,) = yaml.safe_load((ROOT / "awx/apply.yml").read_text(encoding="utf-8"))
    applied = [(key, task[key]) for task in play["tasks"] for key in task if key.startswith("awx.awx.")]
    assert len(applied) > 10
    for name, given in applied:
        text = (modules / f"{name.rpartition('.')[2]}.py").read_text(encoding="utf-8")
        documentation = re.split(r"^DOCUMENTATION = r?('''|\"\"\")", text, flags=re.MULTILINE)[2]
        options = yaml.safe_load(re.split("'''|\"\"\"", documentation)[0])["options"]
        known = options.keys() | {alias for option in options.values() for alias in option.get("aliases", ())}
        assert given.keys() <= known, name
        assert {option for option, each in options.items() if each.get("required")} <= given.keys(), name


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize("missing", ["RESELLER_API_KEY", "RESELLER_LEDGER"])
def test_a_credential_that_cannot_be_filled_is_told_before_anything_is_changed(tmp_path: Path, missing: str) -> None:
    variables = {
        "ANSIBLE_COLLECTIONS_PATH": f"{PLACE}:{ROOT}/.cache",
        # Nothing listens there: a request would fail with another message.
        "CONTROLLER_HOST": "http://127.0.0.1:9",
        "RESELLER_BASE_URL": "https://portal.example.com",
        "RESELLER_API_KEY": "sim-key-7w3k9z1v5q2x4m8r",
        "RESELLER_ORGANIZATION_ID": "4711",
        "RESELLER_LEDGER": "postgresql://orders@db.example.com/ledger",
        "PGPASSWORD": "the-db-password",
    }
    variables[missing] = ""
    env = environment(tmp_path, variables)
    command = [PROGRAM, ROOT / "awx/apply.yml"]
    done = subprocess.run(command, env=env, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode != 0
    assert "Set RESELLER_BASE_URL, RESELLER_API_KEY" in done.stdout
    assert "the-db-password" not in done.stdout + done.stderr


# The execution environment


def build(*arguments: str | Path) -> str:
    """What ansible-builder prints."""
    command = [Path(sys.executable).with_name("ansible-builder"), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def test_ansible_builder_finds_all_python_libraries() -> None:
    found = yaml.safe_load(build("introspect", ROOT / ".cache"))
    libraries = {re.split(r"[>=< ]", line)[0] for line in found["python"]}
    # PyYAML is left out by the builder, since ansible-core brings it.
    assert {"requests", "jsonschema", "dnspython", "psycopg[binary]"} <= libraries
    assert any(line.startswith("ca-certificates") for line in found["system"])


def test_ansible_builder_makes_a_build_context(tmp_path: Path) -> None:
    build("create", "--file", ROOT / "execution-environment.yml", "--context", tmp_path)
    collections = yaml.safe_load((tmp_path / "_build/requirements.yml").read_text(encoding="utf-8"))
    assert [each["name"] for each in collections["collections"]] == ["https://git.example.com/hosting-reseller.git"]
    # Collections from repositories need git, which the base image lacks.
    (containerfile,) = tmp_path.glob("*file")
    galaxy = containerfile.read_text(encoding="utf-8").partition("AS galaxy")[2]
    assert galaxy.index("install -y git-core") < galaxy.index("ansible-galaxy collection install")
