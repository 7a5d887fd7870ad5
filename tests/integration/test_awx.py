# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check, approve and run as AWX does: the shipped job templates, by ansible-runner, each job with a HOME of its own.

Nothing of one job reaches the next but what AWX keeps: the artifacts of set_stats, and whatever is in a database.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import ansible_runner
import pytest
import yaml

from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.support import playbooks
from tests.support.awx import ExtraVarsDumper, configuration, launched
from tests.support.playbooks import ROOT

#: What AWX shows of one event's output (EVENT_STDOUT_MAX_BYTES_DISPLAY).
MOST_OF_AN_EVENT = 1024
PASSWORD = 'kœnig "Lear" & \\7'
AUTHCODE = "auth/code+4711=x"
WORKFLOW = "815"

HOSTNAMES = [f"web{number:02}.example.org" for number in range(12)]
VPS = {"order_hostnames": "\n".join([*HOSTNAMES, ""]), "order_product": "VPS M"}
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
#: For each bundle: answers to its survey, and the orders that they stand for.
BUNDLES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "Configurable VPS": (
        {
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
        },
        ["build01.example.org"],
    ),
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
#: The one that runs without --full: it has a password.
SHORT_FORM = "Configurable VPS"
IN_CLEAR = f"contracts: {{configurable_vps: [{{hostname: a.example.org, password: {json.dumps(PASSWORD)}}}]}}"


@dataclass
class Job:
    """A finished job: whether it succeeded, what it printed, what AWX shows of its events, and its set_stats."""

    id: str
    succeeded: bool
    output: str
    pieces: list[str]
    artifacts: dict[str, Any]


@dataclass
class Awx:
    """Launches jobs below a folder; ``env`` is what the credential injects."""

    folder: Path
    env: Mapping[str, str]
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(4711))

    def run(self, name: str, answers: Mapping[str, Any], checked: Job | None = None) -> Job:
        """Launch a job template with these answers and the artifacts of the job before it."""
        number = str(next(self.numbers))
        template, variables = launched(name, {**(checked.artifacts if checked else {}), **answers})
        variables |= {"awx_job_id": int(number), "awx_workflow_job_id": int(WORKFLOW)}
        home = self.folder / number
        home.mkdir()
        # What a person has typed in is kept by AWX itself, which removes it here after the job.
        given = home / "env"
        given.mkdir()
        text = yaml.dump(variables, Dumper=ExtraVarsDumper, allow_unicode=True)
        (given / "extravars").write_text(text, encoding="utf-8")
        injected = {
            **self.env,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "JOB_ID": number,
            "ANSIBLE_CACHE_PLUGIN": "jsonfile",
            "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(home / "fact_cache"),
        }
        runner = ansible_runner.run(
            private_data_dir=str(home),
            project_dir=str(ROOT),
            playbook=template["playbook"],
            ident=number,
            envvars=playbooks.environment(home, injected),
            cmdline="-vv --check" if template["job_type"] == "check" else "-vv",
            quiet=True,
        )
        shutil.rmtree(given)
        # Its note of the command has the environment, which AWX masks.
        (home / "artifacts" / number / "command").unlink()
        events = list(runner.events)
        stats = [event["event_data"] for event in events if event["event"] == "playbook_on_stats"]
        artifacts = stats[0].get("artifact_data", {}) if stats else {}
        pieces = [event["stdout"][:MOST_OF_AN_EVENT] for event in events]
        return Job(number, runner.status == "successful", runner.stdout.read(), pieces, artifacts)


@pytest.fixture
def service(request: pytest.FixtureRequest, start_simulator: SimulatorFactory) -> Simulator:
    return start_simulator(getattr(request, "param", "apiplatform"))


@pytest.fixture
def awx(service: Simulator, tmp_path: Path, postgresql_dsn: str) -> Iterator[Awx]:
    """AWX with a credential for the service. After the test, all that its jobs left is searched for secrets."""
    # What the credential type injects; its optional fields are empty.
    injected = {"RESELLER_LEDGER": postgresql_dsn, "RESELLER_END_USER_ELEMENT": "", "RESELLER_PRODUCT_ELEMENT": ""}
    yield Awx(tmp_path, {**service.env, **injected})
    left = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    for secret in (data.API_KEY, str(urlsplit(postgresql_dsn).password), PASSWORD, AUTHCODE):
        escaped = json.dumps(secret)[1:-1]
        forms = {secret, escaped, json.dumps(escaped)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
        forms |= {repr(secret)[1:-1], quote(secret, safe=""), base64.b64encode(secret.encode()).decode().rstrip("=")}
        assert [form for form in forms if any(form.encode() in content for content in left)] == []


def node(identifier: str) -> dict[str, Any]:
    """What a node of a workflow adds to the variables of its job."""
    nodes = configuration()["controller_workflows"][0]["workflow_nodes"]
    return dict(next(each for each in nodes if each["identifier"] == identifier)["extra_data"])


def test_workflow_orders_what_was_approved_and_settles_what_was_lost(awx: Awx, service: Simulator) -> None:
    # Contracts cannot be read back, so a person settles.
    service.behave(list_status=403, item_status=403)
    unapproved = awx.run("VPS (run)", {**VPS, **node("run")})
    assert "No plan was approved" in unapproved.output
    checked = awx.run("VPS (check)", {**VPS, **node("check")})
    assert checked.succeeded, checked.output
    approved = checked.artifacts["approved_plan"]
    assert [(each["name"], each["action"]) for each in approved["plan"]] == [(name, "order") for name in HOSTNAMES]
    assert f"12 to order, 0 there already. Plan digest: {approved['plan_digest']}" in checked.output
    changed = awx.run("VPS (run)", {**VPS, **node("run"), "order_hostnames": "web00.example.org"}, checked)
    assert "web01.example.org: approved, but no longer requested" in changed.output
    # The node of a workflow that has nothing to order orders nothing after another failure.
    other = awx.run("VPS (run)", {**VPS, **node("nothing")}, checked)
    assert not any(job.succeeded for job in (unapproved, changed, other))
    assert service.requests("POST") == []

    *placed, lost = HOSTNAMES
    service.arm("drop_after", match={"hostname": lost})
    ran = awx.run("VPS (run)", {**VPS, **node("run")}, checked)
    assert not ran.succeeded
    ids = {order["settings"]["hostname"]: order["id"] for order in service.orders()}
    assert ran.artifacts == {"ordered_contracts": {name: ids[name] for name in placed}}
    listed = awx.run("Orders in doubt", {})
    assert f"{lost}: VPS M for __self__, in doubt since 20" in listed.output
    assert f"job {ran.id} of workflow job {WORKFLOW}" in listed.output
    assert listed.artifacts["orders_in_doubt"] == [lost]
    assert not listed.succeeded

    wrong = awx.run("Settle an order (check)", {"order_name": placed[0], "order_outcome": "absent"})
    assert "is not in doubt: ordered" in wrong.output
    answers = {"order_name": lost, "order_outcome": "ordered", "order_contract_id": ids[lost]}
    assert "nothing was approved" in awx.run("Settle an order (run)", {**answers, **node("run")}).output
    settling = awx.run("Settle an order (check)", answers)
    assert f"To be recorded: ordered, contract {ids[lost]}" in settling.output
    assert awx.run("Settle an order (run)", {**answers, **node("run")}, settling).succeeded
    after = awx.run("Orders in doubt", {"order_job_failed": True})
    assert "No order is in doubt" in after.output
    assert (after.succeeded, "The job that orders failed" in after.output) == (False, True)

    # With nothing to order, the workflow ends without an approval.
    nothing = awx.run("VPS (check)", {**VPS, **node("check")})
    assert (nothing.succeeded, "Nothing to order: 12 there already." in nothing.output) == (False, True)
    ended = awx.run("VPS (run)", {**VPS, **node("nothing")}, nothing)
    assert (ended.succeeded, "0 ordered, 12 there already, of 12" in ended.output) == (True, True)
    assert len(service.requests("POST")) == 12
    pieces = awx.run("Ledger", {}).pieces
    assert [name for name in HOSTNAMES if not any(name in text for text in pieces)] == []


@pytest.mark.parametrize(
    "bundle",
    [bundle if bundle == SHORT_FORM else pytest.param(bundle, marks=pytest.mark.full) for bundle in BUNDLES],
)
def test_survey_of_each_bundle_makes_a_plan_that_can_be_run(awx: Awx, service: Simulator, bundle: str) -> None:
    answers, names = BUNDLES[bundle]
    checked = awx.run(f"{bundle} (check)", answers)
    assert checked.succeeded, checked.output
    plan = checked.artifacts["approved_plan"]["plan"]
    assert [(each["name"], each["action"]) for each in plan] == [(name, "order") for name in names]
    ran = awx.run(f"{bundle} (run)", {**answers, **node("run")}, checked)
    assert ran.succeeded, ran.output
    assert len(service.orders()) == len(names)
    if bundle == "Dedicated cluster":
        assert awx.run(f"{bundle} (run)", {**answers, **node("run")}, checked).succeeded
        assert len(service.orders()) == len(names)
        joined = {order["settings"].get("existing_l2vpn") for order in service.orders()[1:]}
        assert joined == {service.l2vpns()[-1]["id"]}
    if "password" in (service.orders()[-1]["settings"] or {}):
        assert service.orders()[-1]["settings"]["password"] == PASSWORD


@pytest.mark.full
@pytest.mark.parametrize("service", ["plain"], indirect=True)
def test_cluster_goes_on_when_somebody_looked_up_the_l2vpn(awx: Awx, service: Simulator) -> None:
    ran = awx.run("Dedicated cluster (run)", CLUSTER)
    assert 'the answer to "L2VPNs"' in ran.output
    assert (ran.succeeded, len(service.orders())) == (False, 1)
    found = {"order_l2vpn_ids": f"db01.example.org: {service.l2vpns()[-1]['id']}"}
    assert awx.run("Dedicated cluster (run)", {**CLUSTER, **found}).succeeded
    assert len(service.orders()) == 3


@pytest.mark.full
@pytest.mark.parametrize(
    ("bundle", "answers", "message"),
    [
        ("VPS", {**VPS, "order_hostnames": " \n "}, 'The answer to "Hostnames" is empty.'),
        (
            "Customer stack",
            {"order_stack": "contracts: [\n"},
            'The answer to "Stack" is not valid YAML: line 2 column 1.',
        ),
        ("VPS", {**VPS, "order_max_orders": 1}, "max_orders"),
        ("VPS", {**VPS, "order_product": "VPS XXXL"}, 'the answer to "Product": '),
        (
            "Customer stack",
            {"order_stack": IN_CLEAR},
            'The answer to "Stack" holds a secret: contracts.configurable_vps[0].password (line 1).',
        ),
    ],
)
def test_answers_that_cannot_be_ordered_stop_the_check_job(
    awx: Awx, service: Simulator, bundle: str, answers: dict[str, Any], message: str
) -> None:
    checked = awx.run(f"{bundle} (check)", answers)
    assert not checked.succeeded
    assert message in " ".join(checked.output.split()), checked.output
    assert "approved_plan" not in checked.artifacts
    assert service.orders() == []
