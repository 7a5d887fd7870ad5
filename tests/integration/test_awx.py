# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check, approve and run as in AWX: the shipped job templates, by ansible-runner, each in a fresh environment."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.support import playbooks
from tests.support.awx import Awx, Job, configuration

#: What AWX shows of one event's output (EVENT_STDOUT_MAX_BYTES_DISPLAY).
MOST_OF_AN_EVENT = 1024
PASSWORD = 'kœnig "Lear" & \\7'
AUTHCODE = "auth/code+4711=x"
WORKFLOW = "815"

VPS = {"order_hostnames": "web01.example.org\nweb02.example.org\n", "order_product": "VPS M"}
CONFIGURABLE = {
    "order_hostnames": "build01.example.org",
    "order_cpu_cores": 2,
    "order_ram": 4096,
    "order_disk_size": 50,
    "order_ipv4_addresses": 1,
    "order_traffic": 1024,
    "order_backup_count": 5,
    "order_snapshot_count": 2,
    "order_ha_upgrade": "no",
    "order_10g_upgrade": "no",
    "order_username": "admin",
    "order_password": PASSWORD,
    "order_end_user": data.END_USER,
}
CLUSTER = {
    "order_hostnames": "db01.example.org\ndb02.example.org\ndb03.example.org",
    "order_product": "Dedicated Server E-2388",
    "order_ip4_count": 1,
}
CONTACT = {
    "order_contact": """
label: "customer-4711"
first_name: "Erika"
last_name: "Mustermann"
company_name: ""
street: "Heidestraße 17"
postal_code: "01067"
city: "Dresden"
country: "NO"
telephone: "+49.221123456"
email: "erika@example.org"
"""
}
REFERENCES = {"order_owner_ref": data.OWNER_CONTACT, "order_admin_ref": data.ADMIN_CONTACT}
STACK = f"""
end_user: {data.END_USER}
contracts:
  vps:
    - hostname: app01.example.org
      product: VPS M
      template: debian-12
  configurable_vps:
    - {{hostname: build02.example.org, cpu_cores: 1, ram: 1024, disk_size: 10, username: admin, ipv4_addresses: 1,
       template_name: debian-12, traffic_display: 128, backup_count: 5, snapshot_count: 2, ha_upgrade: false,
       10g_upgrade: false}}
"""

#: For each bundle that no other test runs: answers to its survey, and the orders that they stand for.
BUNDLES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "Dedicated server": (
        {"order_hostname": "db01.example.org", "order_product": "Dedicated Server E-2388", "order_ip4_subnet_size": 29},
        ["db01.example.org"],
    ),
    "Dedicated cluster": (CLUSTER, ["db01.example.org", "db02.example.org", "db03.example.org"]),
    "Webhosting": (
        {"order_name": "customer-4711/homepage", "order_product": "Webhosting Start"},
        ["customer-4711/homepage"],
    ),
    "Domain": (
        {"order_domains": "example.org example.net", "order_authcode": AUTHCODE, "order_action": "transfer", **CONTACT},
        ["example.org", "example.net"],
    ),
    "Web presence": (
        {"order_domain": "example.org", "order_product": "Webhosting Start", **REFERENCES},
        ["example.org", "example.org/webhosting"],
    ),
    "Customer stack": (
        {"order_stack": STACK, "order_secrets": json.dumps({"build02.example.org": {"password": PASSWORD}})},
        ["app01.example.org", "build02.example.org"],
    ),
}
#: The one that runs without --full: it has contacts and secrets.
SHORT_FORM = "Domain"


@pytest.fixture
def service(start_simulator: SimulatorFactory) -> Simulator:
    return start_simulator("apiplatform")


@pytest.fixture
def make_awx(tmp_path: Path, postgresql_dsn: str) -> Iterator[Callable[[Simulator], Awx]]:
    """Makes AWX with a credential for a service. After the test, all that its jobs left is searched for secrets."""
    made = []

    def make(service: Simulator) -> Awx:
        # What the credential type injects; its optional fields are empty.
        injected = {"RESELLER_LEDGER": postgresql_dsn, "RESELLER_END_USER_ELEMENT": "", "RESELLER_PRODUCT_ELEMENT": ""}
        made.append(Awx(tmp_path, {**service.env, **injected}))
        return made[-1]

    yield make
    password = str(urlsplit(postgresql_dsn).password)
    for awx in made:
        assert awx.jobs
        for job in awx.jobs:
            assert not found_secrets(job, [data.API_KEY, password, PASSWORD, AUTHCODE])


@pytest.fixture
def awx(make_awx: Callable[[Simulator], Awx], service: Simulator) -> Awx:
    return make_awx(service)


def found_secrets(job: Job, secrets: list[str]) -> list[str]:
    """Where a secret stands, in whatever form, in anything that a job left."""
    found = []
    for path, content in job.left():
        for secret in secrets:
            escaped = json.dumps(secret)[1:-1]
            forms = {secret, escaped, json.dumps(escaped)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
            forms |= {repr(secret)[1:-1], quote(secret, safe=""), quote(secret)}
            forms |= {base64.b64encode(secret.encode()).decode().rstrip("=")}
            found += [f"{path}: {form}" for form in forms if form.encode() in content]
    return found


def recorded(folder: Path, awx: Awx) -> list[dict[str, Any]]:
    """The orders in the ledger, as reseller_ledger_info shows them."""
    play = playbooks.run(folder, {"name": "List", "hosting.reseller.reseller_ledger_info": {}}, awx.env)
    orders: list[dict[str, Any]] = play.result["orders"]
    return orders


def node(identifier: str) -> dict[str, Any]:
    """What a node of a workflow adds to the variables of its job."""
    nodes = configuration()["controller_workflows"][0]["workflow_nodes"]
    return dict(next(each for each in nodes if each["identifier"] == identifier)["extra_data"])


def in_workflow(answers: dict[str, Any], checked: Job | None = None) -> dict[str, Any]:
    """The variables of a job in a workflow: artifacts of the jobs before it, what its node adds, and the survey's."""
    return {**(checked.artifacts if checked else {}), **(node("run") if checked else {}), **answers}


def test_check_approve_run_orders_once(tmp_path: Path, awx: Awx, service: Simulator) -> None:
    checked = awx.run("Configurable VPS (check)", in_workflow(CONFIGURABLE), workflow=WORKFLOW)
    assert checked.status == "successful", checked.stdout
    assert service.orders() == []
    approved = checked.artifacts["approved_plan"]
    assert [(each["name"], each["action"]) for each in approved["plan"]] == [("build01.example.org", "order")]
    assert approved["plan_digest"] in checked.stdout
    assert checked.artifacts.keys() == {"approved_plan"}
    assert f" for {data.END_USER}, to order" in checked.stdout
    assert "1 to order, 0 there already" in checked.stdout

    ran = awx.run("Configurable VPS (run)", in_workflow(CONFIGURABLE, checked), workflow=WORKFLOW, verbosity=3)
    assert ran.status == "successful", ran.stdout
    assert [order["settings"]["password"] for order in service.orders()] == [PASSWORD]
    order = recorded(tmp_path, awx)[0]
    assert ran.artifacts == {"ordered_contracts": {"build01.example.org": order["contract_id"]}}
    assert f", ordered, contract {order['contract_id']}" in ran.stdout
    assert (order["status"], order["awx_job_id"], order["awx_workflow_job_id"]) == ("ordered", ran.id, WORKFLOW)

    again = awx.run("Configurable VPS (run)", in_workflow(CONFIGURABLE, checked), workflow=WORKFLOW)
    assert again.status == "successful", again.stdout
    assert again.changed == 0
    assert "0 ordered, 1 there already, of 1" in again.stdout
    assert len(service.requests("POST")) == 1


def test_with_nothing_to_order_a_workflow_ends_without_an_approval(awx: Awx, service: Simulator) -> None:
    assert awx.run("VPS (run)", VPS).status == "successful"
    checked = awx.run("VPS (check)", {**VPS, **node("check")}, workflow=WORKFLOW)
    assert checked.status == "failed"
    assert "Nothing to order: 2 there already." in checked.stdout
    after = awx.run("VPS (run)", {**checked.artifacts, **VPS, **node("nothing")}, workflow=WORKFLOW)
    assert after.status == "successful", after.stdout
    assert "0 ordered, 2 there already, of 2" in after.stdout
    # The same node orders nothing after a check job that failed for another reason.
    more = {**VPS, "order_hostnames": "web03.example.org"}
    planned = awx.run("VPS (check)", more).artifacts
    for artifacts in ({}, planned):
        refused = awx.run("VPS (run)", {**artifacts, **more, **node("nothing")}, workflow=WORKFLOW)
        assert refused.status == "failed"
    assert len(service.requests("POST")) == 2


def test_order_that_is_lost_is_listed_settled_and_ordered_again(awx: Awx, service: Simulator) -> None:
    # Where contracts cannot be read back, a person settles.
    service.behave(list_status=403, item_status=403)
    service.arm("hold", when="after", match={"hostname": "web02.example.org"})
    killed = awx.launch("VPS (run)", VPS, workflow=WORKFLOW)
    service.wait(held=1, timeout=600)
    killed.kill()
    killed.finish()
    service.release()
    service.disarm()
    listed = awx.run("Orders in doubt", {"order_job_failed": True}, workflow=WORKFLOW)
    assert listed.status == "failed"
    assert "web02.example.org: VPS M for __self__, in doubt since 20" in listed.stdout
    assert f"job {killed.id} of workflow job {WORKFLOW}" in listed.stdout
    assert listed.artifacts["orders_in_doubt"] == ["web02.example.org"]

    refused = awx.run("VPS (check)", {**VPS, **node("check")}, workflow=WORKFLOW)
    assert refused.status == "failed"
    assert "Hosting Reseller: Settle an order" in refused.stdout
    wrong = awx.run("Settle an order (check)", {"order_name": "web01.example.org", "order_outcome": "absent"})
    assert "is not in doubt: ordered" in wrong.stdout
    contract = service.orders()[-1]["id"]
    answers = {"order_name": "web02.example.org", "order_outcome": "ordered", "order_contract_id": contract}
    unapproved = awx.run("Settle an order (run)", {**answers, **node("run")})
    assert "nothing was approved" in unapproved.stdout
    checked = awx.run("Settle an order (check)", answers)
    assert f"To be recorded: ordered, contract {contract}" in checked.stdout
    settled = awx.run("Settle an order (run)", {**checked.artifacts, **answers, **node("run")})
    assert settled.status == "successful", settled.stdout
    after = awx.run("Orders in doubt", {"order_job_failed": True})
    assert "No order is in doubt" in after.stdout
    assert (after.status, "The job that orders failed" in after.stdout) == ("failed", True)

    more = {**VPS, "order_hostnames": VPS["order_hostnames"] + "web03.example.org"}
    checked = awx.run("VPS (check)", {**more, **node("check")}, workflow=WORKFLOW)
    assert "1 to order, 2 there already" in checked.stdout
    ran = awx.run("VPS (run)", {**checked.artifacts, **more, **node("run")}, workflow=WORKFLOW)
    assert ran.status == "successful", ran.stdout
    assert f"web02.example.org: VPS M, there already, contract {contract}" in ran.stdout
    assert "1 ordered, 2 there already, of 3" in ran.stdout
    assert len(service.orders()) == len(service.requests("POST")) == 3


def test_products_and_ledger_are_shown_in_pieces_that_awx_shows(awx: Awx, service: Simulator) -> None:
    names = [f"web{number:02}.example.org" for number in range(12)]
    assert awx.run("VPS (run)", {**VPS, "order_hostnames": " ".join(names)}).status == "successful"
    assert awx.run("Webhosting (run)", BUNDLES["Webhosting"][0]).status == "successful"
    for template, expected in (
        ("Ledger", [*names, "customer-4711/homepage"]),
        ("Products", ["VPS M", "Webhosting Start", data.OS_TEMPLATE]),
    ):
        shown = [event["stdout"][:MOST_OF_AN_EVENT] for event in awx.run(template, {}).events()]
        assert [name for name in expected if not any(name in text for text in shown)] == []


@pytest.mark.full
def test_what_no_longer_fits_is_refused(awx: Awx, service: Simulator) -> None:
    checked = awx.run("VPS (check)", in_workflow(VPS), workflow=WORKFLOW)
    for answers, difference in (
        ({"order_hostnames": "web01.example.org"}, "web02.example.org: approved, but no longer requested"),
        ({"order_hostnames": "web01.example.org web03.example.org"}, "web03.example.org: asked for now"),
        ({"order_template": "debian-13"}, "web01.example.org: the settings"),
        ({"order_end_user": data.END_USER}, f"end_user was __self__, and is {data.END_USER}"),
    ):
        ran = awx.run("VPS (run)", in_workflow({**VPS, **answers}, checked), workflow=WORKFLOW)
        assert ran.status == "failed"
        assert difference in ran.stdout
        assert "nothing was sent" in ran.stdout
    assert service.requests("POST") == []
    ran = awx.run("VPS (run)", in_workflow(VPS, checked), workflow=WORKFLOW)
    assert ran.status == "successful", ran.stdout
    assert len(service.orders()) == 2


@pytest.mark.full
def test_what_was_ordered_in_between_is_told(awx: Awx, service: Simulator) -> None:
    checked = awx.run("VPS (check)", in_workflow(VPS), workflow=WORKFLOW)
    other = awx.run("VPS (run)", {**VPS, "order_hostnames": "web01.example.org"})
    assert other.status == "successful", other.stdout
    ran = awx.run("VPS (run)", in_workflow(VPS, checked), workflow=WORKFLOW)
    assert ran.status == "failed"
    assert "web01.example.org: action was order, and is none" in ran.stdout
    assert len(service.orders()) == 1


@pytest.mark.full
def test_without_approval_a_workflow_orders_nothing(awx: Awx, service: Simulator) -> None:
    awx.project_version = "99.0.0"
    ran = awx.run("VPS (run)", {**VPS, "order_needs_approval": True}, workflow=WORKFLOW)
    assert ran.status == "failed"
    assert "No plan was approved" in ran.stdout
    assert "The project holds hosting.reseller 99.0.0, the image of the execution environment" in ran.stdout
    assert service.requests() == []


@pytest.mark.parametrize("ledger", ["", pytest.param("/root/ledger.db", marks=pytest.mark.full)])
def test_refuses_to_forget(awx: Awx, service: Simulator, ledger: str) -> None:
    ran = awx.run("VPS (run)", VPS, env={"RESELLER_LEDGER": ledger})
    assert ran.status == "failed"
    assert "would be lost with this job. Nothing was sent." in ran.stdout
    assert "postgresql://" in ran.stdout
    assert service.requests("POST") == []


@pytest.mark.full
def test_two_jobs_at_once_order_once(awx: Awx, service: Simulator) -> None:
    answers = {**VPS, "order_hostnames": "web01.example.org"}
    service.arm("hold", when="before")
    first = awx.launch("VPS (run)", answers)
    service.wait(held=1)
    # Another template, which AWX does not hold back: a stack that holds the same order.
    stack = (
        "{end_user: __self__, contracts: {vps: [{hostname: web01.example.org, product: VPS M, template: debian-12}]}}"
    )
    second = awx.launch("Customer stack (run)", {"order_stack": stack})
    deadline = time.monotonic() + 60
    while not second.has_started("Order what is not in the ledger yet") and time.monotonic() < deadline:
        time.sleep(0.05)
    service.release()
    jobs = [first.finish(), second.finish()]
    assert [job.status for job in jobs] == ["successful", "successful"], second.stdout
    assert [job.changed for job in jobs] == [1, 0]
    assert len(service.requests("POST")) == 1


@pytest.mark.parametrize(
    "bundle",
    [bundle if bundle == SHORT_FORM else pytest.param(bundle, marks=pytest.mark.full) for bundle in BUNDLES],
)
@pytest.mark.full
def test_the_survey_of_each_bundle_makes_a_plan_that_can_be_run(awx: Awx, service: Simulator, bundle: str) -> None:
    answers, names = BUNDLES[bundle]
    checked = awx.run(f"{bundle} (check)", in_workflow(answers), workflow=WORKFLOW)
    assert checked.status == "successful", checked.stdout
    plan = checked.artifacts["approved_plan"]["plan"]
    assert [(each["name"], each["action"]) for each in plan] == [(name, "order") for name in names]
    ran = awx.run(f"{bundle} (run)", in_workflow(answers, checked), workflow=WORKFLOW)
    assert ran.status == "successful", ran.stdout
    assert len(service.orders()) == len(names)
    if bundle == "Dedicated cluster":
        joined = {order["settings"].get("existing_l2vpn") for order in service.orders()[1:]}
        assert joined == {service.l2vpns()[-1]["id"]}
        again = awx.run(f"{bundle} (run)", in_workflow(answers, checked), workflow=WORKFLOW)
        assert (again.status, again.changed) == ("successful", 0), again.stdout
        assert len(service.orders()) == len(names)


@pytest.mark.full
def test_a_cluster_goes_on_when_somebody_looked_up_the_l2vpn(
    make_awx: Callable[[Simulator], Awx], start_simulator: SimulatorFactory
) -> None:
    service = start_simulator("plain")
    awx = make_awx(service)
    checked = awx.run("Dedicated cluster (check)", in_workflow(CLUSTER), workflow=WORKFLOW)
    ran = awx.run("Dedicated cluster (run)", in_workflow(CLUSTER, checked), workflow=WORKFLOW)
    assert ran.status == "failed"
    assert 'the answer to "L2VPNs"' in ran.stdout
    assert len(service.orders()) == 1

    answers = {**CLUSTER, "order_l2vpn_ids": f"db01.example.org: {service.l2vpns()[-1]['id']}"}
    checked = awx.run("Dedicated cluster (check)", in_workflow(answers), workflow=WORKFLOW)
    assert [each["action"] for each in checked.artifacts["approved_plan"]["plan"]] == ["none", "order", "order"]
    ran = awx.run("Dedicated cluster (run)", in_workflow(answers, checked), workflow=WORKFLOW)
    assert ran.status == "successful", ran.stdout
    assert len(service.orders()) == 3


@pytest.mark.full
def test_an_answer_of_digits_is_a_text_in_quotes_and_refused_without(awx: Awx, service: Simulator) -> None:
    without = {**CONFIGURABLE, "order_password": "0123456"}
    ran = awx.run("Configurable VPS (run)", without)
    # ansible-core 2.18 leaves it as it is.
    assert ran.status == "failed" or service.orders()[0]["settings"]["password"] == "0123456"
    quoted = {**CONFIGURABLE, "order_password": '"0123456"', "order_hostnames": "build03.example.org"}
    ran = awx.run("Configurable VPS (run)", quoted)
    assert ran.status == "successful", ran.stdout
    assert service.orders()[-1]["settings"]["password"] == "0123456"


@pytest.mark.full
def test_what_is_wrong_stops_the_check_job(awx: Awx, service: Simulator) -> None:
    checked = awx.run("VPS (check)", {**VPS, "order_hostnames": "web_01.example.org", "order_product": "VPS XXXL"})
    assert checked.status == "failed"
    assert "web_01.example.org" in checked.stdout
    assert "VPS XXXL" in checked.stdout
    assert checked.artifacts == {}
    assert service.orders() == []


IN_CLEAR = f"contracts: {{configurable_vps: [{{hostname: a.example.org, password: {json.dumps(PASSWORD)}}}]}}"


@pytest.mark.full
@pytest.mark.parametrize(
    ("bundle", "answers", "message"),
    [
        ("VPS", {**VPS, "order_hostnames": " \n "}, 'The answer to "Hostnames" is empty.'),
        (
            "Web presence",
            {"order_domain": "example.org", "order_product": "Webhosting Start", "order_parts": [], **REFERENCES},
            'The answer to "Order" is empty.',
        ),
        (
            "Customer stack",
            {"order_stack": "contracts: [\n"},
            'The answer to "Stack" is not valid YAML: line 2 column 1.',
        ),
        (
            "Domain",
            {"order_domains": "example.org", "order_contact": 'first_name: "Erika\n'},
            'The answer to "Contact" is not valid YAML: line 2 column 1.',
        ),
        ("VPS", {**VPS, "order_max_orders": 1}, "max_orders"),
        ("VPS", {**VPS, "order_product": "VPS XXXL"}, 'the answer to "Product": '),
    ],
)
def test_answers_that_cannot_be_ordered_stop_the_check_job(
    awx: Awx, service: Simulator, bundle: str, answers: dict[str, Any], message: str
) -> None:
    checked = awx.run(f"{bundle} (check)", answers, workflow=WORKFLOW)
    assert checked.status == "failed"
    assert message in " ".join(checked.stdout.split()), checked.stdout
    assert "Erika" not in checked.stdout
    assert "approved_plan" not in checked.artifacts
    assert service.orders() == []


@pytest.mark.full
def test_a_password_in_a_stack_is_refused_and_not_shown(tmp_path: Path, service: Simulator) -> None:
    # Without the search for secrets after the test: the answer itself is kept in clear text. So it is refused.
    awx = Awx(tmp_path, {**service.env, "RESELLER_LEDGER": "postgresql://localhost/none"})
    checked = awx.run("Customer stack (check)", {"order_stack": IN_CLEAR})
    assert checked.status == "failed"
    assert 'The answer to "Stack" holds a secret: contracts.configurable_vps[0].password (line 1).' in checked.stdout
    assert PASSWORD not in checked.stdout


@pytest.mark.full
def test_300_contracts_are_shown_in_pieces_that_awx_shows(awx: Awx) -> None:
    names = [f"web{number:03}.example.org" for number in range(300)]
    answers = {**VPS, "order_hostnames": "\n".join(names), "order_max_orders": 300}
    checked = awx.run("VPS (check)", answers, workflow=WORKFLOW)
    assert checked.status == "successful", checked.stdout
    shown = [event["stdout"][:MOST_OF_AN_EVENT] for event in checked.events()]
    assert [name for name in names if not any(f"{name}: VPS M for __self__, to order" in text for text in shown)] == []
    assert any("300 to order, 0 there already" in text for text in shown)
