# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check, approve and run as AWX does: the shipped workflows, each job with a HOME of its own.

Nothing of one job reaches the next but what AWX keeps: the artifacts of set_stats, and whatever is in a database.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import ansible_runner
import psycopg
import pytest
import yaml

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import in_shape
from tests.support import order_examples, playbooks
from tests.support.awx import END_USER, PREFIX, Decision, Job, WorkflowJob, launched, run_workflow
from tests.support.playbooks import ROOT, Play, Runner

#: What AWX shows of one event's output (EVENT_STDOUT_MAX_BYTES_DISPLAY).
MOST_OF_AN_EVENT = 1024
PASSWORD = 'kœnig "Lear" & \\7'
AUTHCODE = "auth/code+4711=x"
WORKFLOW = "815"

SETTINGS = order_examples.SETTINGS[data.CONFIGURABLE_VPS]
HOSTNAMES = [f"web{number:02}.example.org" for number in range(12)]
VPS = {"order_hostnames": "\n".join([*HOSTNAMES, ""]), "order_product": "VPS M"}
CLUSTER = {
    "order_hostnames": "db01.example.org\ndb02.example.org\ndb03.example.org",
    "order_product": "Dedicated Server E-2388",
    "order_ip4": "1 address",
}
CONTACT = {"order_contact": yaml.safe_dump({**order_examples.CONTACT, "country": "NO"}, allow_unicode=True)}
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
            **{f"order_{name}": SETTINGS[name] for name in ("cpu_cores", "ram", "disk_size", "ipv4_addresses")},
            **{f"order_{name}": SETTINGS[name] for name in ("backup_count", "snapshot_count", "username")},
            "order_traffic": 1024,
            "order_ha_upgrade": "no",
            "order_10g_upgrade": "no",
            "order_password": PASSWORD,
            "order_end_user": END_USER,
        },
        ["build01.example.org"],
    ),
    "Dedicated server": (CLUSTER, ["db01.example.org", "db02.example.org", "db03.example.org"]),
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


class ExtraVarsDumper(yaml.SafeDumper):
    """Marks each text of a launch as AWX does, so that no answer to a survey is templated."""


ExtraVarsDumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("!unsafe", text, style="'"))
ExtraVarsDumper.ignore_aliases = lambda *_arguments: True  # type: ignore[method-assign]


@dataclass
class Awx:
    """Launches jobs below a folder; ``env`` is what the credential injects.

    With ``events``, ansible-runner runs the jobs, as in AWX. Without, they cost half of the time. ``verbosity`` shows
    all results, in which secrets are searched for; AWX's own is 0.
    """

    folder: Path
    env: Mapping[str, str]
    events: bool = False
    verbosity: int = 2
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(4711))

    def order(self, name: str, answers: Mapping[str, Any], decision: Decision = "approved") -> WorkflowJob:
        """Launch a workflow with these answers."""
        return run_workflow(name, answers, self.run, decision)

    def run(self, name: str, given: Mapping[str, Any]) -> Job:
        """Launch a job template with these variables."""
        home, injected, arguments = self._prepared(name, given)
        if self.events:
            job = run_with_events(home, injected, arguments)
        else:
            job = ended(home, Runner(home).command(injected, *arguments))
        # What a person has typed in is kept by AWX itself, which removes it here after the job.
        shutil.rmtree(home / "env")
        return job

    def watch(self, name: str, given: Mapping[str, Any], look: Callable[[str], None]) -> Job:
        """Launch a job template with these variables. ``look`` gets each line of its output at once."""
        home, injected, arguments = self._prepared(name, given)
        process, lines = Runner(home).start(injected, *arguments), list[str]()
        assert process.stdout
        for line in process.stdout:
            lines.append(line)
            look(line)
        play = Runner(home).finish(process)
        shutil.rmtree(home / "env")
        return ended(home, replace(play, output="".join(lines)))

    def kill(self, name: str, given: Mapping[str, Any], at: Callable[[], None]) -> str:
        """Launch a job template with these variables. Once ``at`` has returned, its container is lost.

        Return the number of the job.
        """
        home, injected, arguments = self._prepared(name, given)
        process = Runner(home).start(injected, *arguments)
        try:
            at()
        finally:
            # Ansible's workers have sessions of their own.
            workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
            for pid in (*map(int, workers), process.pid):
                os.kill(pid, signal.SIGKILL)
            (home / "results").write_text(process.communicate()[0], encoding="utf-8")
        shutil.rmtree(home / "env")
        return home.name

    def _prepared(self, name: str, given: Mapping[str, Any]) -> tuple[Path, dict[str, str], list[str]]:
        """A new job: its folder, its environment, and the arguments of ansible-playbook."""
        number = str(next(self.numbers))
        template, variables = launched(name, given)
        variables |= {"awx_job_id": int(number), "awx_workflow_job_id": int(WORKFLOW)}
        variables["awx_user_name"] = "alice"
        home = self.folder / number
        typed = home / "env" / "extravars"
        typed.parent.mkdir(parents=True)
        typed.write_text(yaml.dump(variables, Dumper=ExtraVarsDumper, allow_unicode=True), encoding="utf-8")
        injected = {
            **self.env,
            "JOB_ID": number,
            "ANSIBLE_CACHE_PLUGIN": "jsonfile",
            "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(home / "fact_cache"),
        }
        if not self.events:
            injected["AWX_ISOLATED_DATA_DIR"] = str(home / "artifacts")
        check = ["--check"] * (template["job_type"] == "check")
        return home, injected, [*["-v"] * self.verbosity, *check, "-e", f"@{typed}", str(ROOT / template["playbook"])]


def ended(home: Path, play: Play) -> Job:
    (home / "results").write_text(f"{play.output}{json.dumps(play.results)}", encoding="utf-8")
    return Job(home.name, play.status == 0, play.output, [], play.artifacts)


def run_with_events(home: Path, injected: Mapping[str, str], arguments: list[str]) -> Job:
    *options, playbook = arguments
    environ = playbooks.environment(home, injected)
    given = {"project_dir": str(ROOT), "playbook": playbook, "cmdline": " ".join(options), "envvars": environ}
    runner = ansible_runner.run(private_data_dir=str(home), ident=home.name, quiet=True, **given)
    # Its note of the command has the environment, which AWX masks.
    (home / "artifacts" / home.name / "command").unlink()
    events = list(runner.events)
    stats = [event["event_data"] for event in events if event["event"] == "playbook_on_stats"]
    pieces = [event["stdout"][:MOST_OF_AN_EVENT] for event in events]
    artifacts = stats[0].get("artifact_data", {})
    return Job(home.name, runner.status == "successful", runner.stdout.read(), pieces, artifacts)


@pytest.fixture
def awx(simulator: Simulator, tmp_path: Path, postgresql_dsn: str) -> Iterator[Awx]:
    """AWX with a credential for the simulator. After the test, all that its jobs left is searched for secrets."""
    # What the credential type injects: libpq's password beside the address, and the description as a file.
    parts = urlsplit(postgresql_dsn)
    password = parts.password or ""
    described = {"base_url": simulator.env["RESELLER_BASE_URL"], "end_users": {END_USER: {"id": data.END_USER}}}
    service = tmp_path / "service.yml"
    service.write_text(yaml.safe_dump(described), encoding="utf-8")
    service.chmod(0o600)
    address = parts._replace(netloc=parts.netloc.replace(f":{password}@", "@")).geturl()
    injected = {"RESELLER_LEDGER": address, "PGPASSWORD": password, "RESELLER_SERVICE": str(service)}
    injected["RESELLER_NEW_LEDGER"] = "allow"
    yield Awx(tmp_path, {**simulator.env, **injected})
    left = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    for secret in (data.API_KEY, password, PASSWORD, AUTHCODE):
        escaped = json.dumps(secret)[1:-1]
        forms = {secret, escaped, json.dumps(escaped)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
        forms |= {repr(secret)[1:-1], quote(secret, safe=""), base64.b64encode(secret.encode()).decode().rstrip("=")}
        assert [form for form in forms if any(form.encode() in content for content in left)] == []


@pytest.fixture
def events(pytestconfig: pytest.Config) -> bool:
    """Whether jobs whose shown events matter run in ansible-runner: with --full. Else their output stands for these."""
    return bool(pytestconfig.getoption("full"))


def told(job: Job) -> str:
    """What a failed job says first, as one line."""
    found = re.search(r"^\[ERROR\]: Task failed: Action failed: (.*?)^Origin: ", job.output, re.MULTILINE | re.DOTALL)
    assert found, job.output
    return " ".join(found[1].split())


GUIDE = (ROOT / "docs/docsite/rst/awx.rst").read_text(encoding="utf-8")
NOTHING_SENT = "Nothing was sent. The output of the job says why."
DOUBT = f"""Orders in doubt: {HOSTNAMES[-1]}
The service may have accepted them. None is sent again. To settle one, launch the workflow "{PREFIX}Settle an order".
"""


def not_ordered(ended: WorkflowJob) -> str:
    """What the job after a check job that failed says."""
    number = ended.jobs["check"].id
    return f"Nothing was ordered. The output of the check job, number {number}, says why."


def ends(job: Job) -> str:
    """What the last task of a job shows, as one line."""
    shown, _recap = job.output.split("PLAY RECAP")
    return " ".join(re.findall(r'"msg": "(.*)"$', shown, re.MULTILINE)[-1].split())


@pytest.mark.parametrize("bundle", [pytest.param("VPS", marks=pytest.mark.full), "Customer stack"])
def test_check_job_ends_with_the_plan_and_run_job_with_what_was_not_ordered(
    awx: Awx, simulator: Simulator, runner: Runner, bundle: str
) -> None:
    awx = replace(awx, verbosity=0)
    server = {"hostname": "old.example.org", "product": "VPS M", "template": "debian-12"}
    task = {"hosting.reseller.reseller_stack": {"stack": {"end_user": "__self__", "contracts": {"vps": [server]}}}}
    assert runner.run(task, awx.env).status == 0
    names = ["web00.example.org", "web01.example.org", "web02.example.org"]
    servers = [{**server, "hostname": name} for name in names]
    stack = yaml.safe_dump({"end_user": "__self__", "contracts": {"vps": servers}})
    answers = {"order_stack": stack} if bundle == "Customer stack" else {**VPS, "order_hostnames": " ".join(names)}
    checked = awx.run(f"{bundle} (check)", answers)
    *_others, first, second, third, number = re.findall(r'"msg": "(.*)"$', checked.output, re.MULTILINE)
    shown = [f"'{name}': VPS M for __self__, to order" for name in names]
    assert [first, second, third] == shown
    counted = "3 to order, 0 there already, 0 being placed, or cut off. Plan digest: plan-2:"
    assert number.startswith(counted)
    # A stack is all that its end user has. A survey asks for a part of it.
    assert ("Not in this stack: 'old.example.org': VPS M" in checked.output) == (bundle == "Customer stack")
    assert '"results":' not in checked.output

    simulator.arm("answer", status=422, body='{"message": "No credit."}', match={"hostname": names[1]})
    ran = awx.run(f"{bundle} (run)", {**answers, **checked.artifacts})
    assert ends(ran) == "1 ordered, 1 rejected, 1 not sent, of 3"
    reason = f"{names[1]}: The service rejected the order (422 Unprocessable Entity): No credit."
    assert told(ran).startswith(f"1 of 3 orders failed: 1 ordered, 1 not sent, 1 rejected. {reason}")
    assert '"results":' not in ran.output
    # The guide shows these lines.
    assert [each for each in (*shown, counted, ends(ran)) if f"\n      {each}" not in GUIDE] == []
    assert ran.artifacts["reseller_mail"] == {
        "subject": "no order is in doubt",
        "text": "1 ordered, 1 rejected, 1 not sent, of 3. No order is in doubt. The output of the job says why.",
    }
    assert "old.example.org" not in ran.output


def test_workflow_orders_what_was_approved_and_settles_what_was_lost(
    awx: Awx, simulator: Simulator, events: bool
) -> None:
    # Contracts cannot be read back, so a person settles.
    simulator.behave(list_status=403, item_status=403)
    # No job makes a ledger by itself, nor shows a plan that was made without one.
    by_itself = replace(awx, env={**awx.env, "RESELLER_NEW_LEDGER": ""})
    assert "and new_ledger is refuse. Nothing was sent." in by_itself.run("VPS (check)", VPS).output
    unapproved = awx.run("VPS (run)", VPS)
    assert told(unapproved).startswith("No plan was approved. Nothing was sent.")
    denied = awx.order("VPS", VPS, "denied")
    assert (*denied.jobs, denied.succeeded) == ("check", False)
    checked = denied.jobs["check"]
    assert checked.succeeded, checked.output
    approved = checked.artifacts["approved_plan"]
    assert [(each["name"], each["action"]) for each in approved["plan"]] == [(name, "order") for name in HOSTNAMES]
    counted = "12 to order, 0 there already, 0 being placed, or cut off."
    assert f"{counted} Plan digest: {approved['plan_digest']}" in checked.output
    changed = awx.run("VPS (run)", {**VPS, **checked.artifacts, "order_hostnames": "web00.example.org"})
    assert "'web01.example.org': approved, but no longer requested" in told(changed)
    for job in (unapproved, changed):
        assert (job.succeeded, job.artifacts["orders_in_doubt"]) == (False, [])
        assert job.artifacts["reseller_mail"] == {"subject": "nothing was sent", "text": NOTHING_SENT}
    assert simulator.requests("POST") == []

    *placed, lost = HOSTNAMES
    simulator.arm("drop_after", match={"hostname": lost})
    ordered = awx.order("VPS", VPS)
    assert ([*ordered.jobs], ordered.succeeded) == (["check", "run"], False)
    ran, listed = ordered.jobs["run"], awx.run("Orders in doubt", {})
    ids = {order["settings"]["hostname"]: order["id"] for order in simulator.orders()}
    ordered_ids = {name: ids[name] for name in placed}
    assert (ran.artifacts["ordered_contracts"], ran.artifacts["orders_in_doubt"]) == (ordered_ids, [lost])
    assert ends(ran) == "11 ordered, 1 in doubt, of 12"
    assert DOUBT in ordered.mails[2].body
    assert "FAILED - RETRYING" not in listed.output
    assert f"'{lost}': VPS M for __self__, in doubt since 20" in listed.output
    assert f"job {ran.id} of workflow job {WORKFLOW}" in listed.output
    # Its list cannot be read, which only somebody else can change.
    assert "403" in listed.output
    assert "An administrator changes the description of the service in the credential." in listed.output
    assert listed.artifacts["orders_in_doubt"] == [lost]
    assert [mail.subject for mail in ordered.mails[2:]] == [f"{PREFIX}VPS (run): failed, in doubt: {lost}"]
    # The line to run, and the one sentence for those who have no shell.
    assert f"reseller_record -a 'name={lost} state=present contract_id=unknown ledger=" in told(ran)
    assert "In AWX, launch the template that does it: see the guide." in told(ran)
    assert told(ran).endswith('the workflow "Hosting Reseller: Settle an order" settles.')

    # Until it is settled, nothing is ordered, and the mail names the order.
    again = awx.order("VPS", VPS)
    assert ([*again.jobs], again.succeeded) == (["check", "nothing"], False)
    assert f"contracts.vps[11] ({lost}): Order {lost} is in doubt" in told(again.jobs["check"])
    assert told(again.jobs["nothing"]) == not_ordered(again)
    assert [mail.subject for mail in again.mails] == [f"{PREFIX}Nothing to order: failed, in doubt: {lost}"]
    assert DOUBT in again.mails[0].body

    answers = {"order_name": lost, "order_outcome": "present", "order_contract_id": ids[lost]}
    alone = awx.run("Settle an order (run)", answers)
    assert "nothing was approved" in told(alone)
    refused = awx.run("Settle an order (check)", {**answers, "order_contract_id": "contract 7"})
    assert told(refused).startswith("contract_id 'contract 7' is not an ID")
    assert "In AWX, correct the answers to the survey." in told(refused)
    text = f"It was to settle the order '{lost}' as present. No order was sent.\n"
    text += "The output of the job says what is wrong, and what is recorded."
    assert alone.artifacts == {"reseller_mail": {"subject": f"'{lost}'", "text": text}}
    settled = awx.order("Settle an order", answers)
    assert settled.succeeded
    assert f"To be recorded: ordered, contract {ids[lost]}" in settled.jobs["check"].output
    # The check shows what the run records.
    shown = [re.findall(r"^[+]ordered_at: (.*)", job.output, re.MULTILINE) for job in settled.jobs.values()]
    assert shown[0] == shown[1] != []

    # With nothing to order, the workflow ends without an approval.
    ended = awx.order("VPS", VPS)
    assert ([*ended.jobs], ended.succeeded) == (["check", "nothing"], True)
    words = "Nothing is wrong: everything is there already. 12 there already. No approval is needed."
    assert told(ended.jobs["check"]).startswith(words)
    assert words.partition(". ")[0] in GUIDE
    nothing = ended.jobs["nothing"].output
    assert "Nothing to order: 12 there already. No approval was needed." in nothing
    assert all(f"'{name}': VPS M for __self__, there already" in nothing for name in HOSTNAMES)
    assert ended.mails == []
    assert len(simulator.requests("POST")) == 12
    shown = replace(awx, events=events).run("Ledger", {})
    pieces = shown.pieces or [shown.output]
    number = settled.jobs["run"].id
    done = rf"settled '{lost}' \(in doubt -> ordered, contract {ids[lost]}\) by alice"
    trail = rf"{done} at .*, AWX job {number}, AWX workflow job {WORKFLOW}"
    assert [text for text in pieces if re.search(trail, text)] != []
    assert [name for name in HOSTNAMES if not any(name in text for text in pieces)] == []


def set_claim(dsn: str, name: str, claimed: str, certain: str) -> None:
    """Set the times of a claim, each a distance from now."""
    at = "to_char((now() + %s::interval) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
    with psycopg.connect(dsn) as connection:
        query = f"UPDATE hosting_reseller_orders SET claimed_at = {at}, deadline = {at} WHERE name = %s"
        assert connection.execute(query, [claimed, certain, name]).rowcount == 1


@pytest.mark.full
def test_job_that_was_cut_off_while_it_ordered_is_told_as_that(
    awx: Awx, simulator: Simulator, postgresql_dsn: str
) -> None:
    simulator.behave(list_status=403, item_status=403)
    cut = {**VPS, "order_hostnames": "web01.example.org web02.example.org"}
    name = "web02.example.org"
    approved = {**cut, **awx.run("VPS (check)", cut).artifacts}
    simulator.arm("hold", match={"hostname": name})
    first = awx.kill("VPS (run)", approved, lambda: simulator.wait(held=1))
    words = "being placed, or cut off: certain at "
    # At once: it is nowhere there already.
    planned = awx.order("VPS", cut)
    checked = planned.jobs["check"]
    assert ([*planned.jobs], planned.succeeded) == (["check", "nothing"], False)
    time = r"\d\d:\d\d:\d\d UTC"
    assert re.search(rf"'{name}': VPS M for __self__, {words}{time}", checked.output), checked.output
    assert "0 to order, 1 there already, 1 being placed, or cut off." in checked.output
    assert re.match(rf"1 {words}{time}. Nothing was ordered. Launch the workflow again then.", told(checked))
    assert [mail.subject for mail in planned.mails] == [f"{PREFIX}Nothing to order: failed, nothing was ordered"]
    assert not_ordered(planned) in planned.mails[0].body
    # A run waits until no request of the claim can be under way.
    waits = re.compile(rf"AWX job {first} has claimed {name}\. Waiting until {time} at the latest\.")

    def expire(line: str) -> None:
        if waits.search(line):
            set_claim(postgresql_dsn, name, "-4 minutes", "-1 minute")

    waited = awx.watch("VPS (run)", approved, expire)
    assert waits.search(waited.output), waited.output
    assert ends(waited).endswith("1 there already, 1 in doubt, of 2")
    assert waited.artifacts["orders_in_doubt"] == [name]
    # So does the list.
    set_claim(postgresql_dsn, name, "-2 minutes", "10 seconds")
    listed = awx.run("Orders in doubt", {})
    assert f"'{name}': VPS M for __self__, {words}" in listed.output
    assert f"'{name}': VPS M for __self__, in doubt since 20" in listed.output
    assert listed.artifacts["orders_in_doubt"] == [name]
    assert listed.artifacts["reseller_mail"]["subject"] == f"in doubt: {name}"
    assert "RETRYING" not in listed.output
    assert not listed.succeeded
    simulator.release()
    assert len(simulator.requests("POST")) == 2


@pytest.mark.parametrize(
    "bundle",
    [bundle if bundle == SHORT_FORM else pytest.param(bundle, marks=pytest.mark.full) for bundle in BUNDLES],
)
def test_survey_of_each_bundle_makes_a_plan_that_can_be_run(
    awx: Awx, simulator: Simulator, bundle: str, events: bool
) -> None:
    answers, names = BUNDLES[bundle]
    ordered = replace(awx, events=events).order(bundle, answers)
    assert ordered.succeeded, [job.output for job in ordered.jobs.values()]
    plan = ordered.jobs["check"].artifacts["approved_plan"]["plan"]
    checked = ordered.jobs["check"]
    is_theirs = END_USER in answers.values() or bundle == "Customer stack"
    shown = any(f" for {END_USER} ({data.END_USER}), to order" in piece for piece in checked.pieces or [checked.output])
    assert shown == is_theirs
    # A guard that cannot work says so before the approval: the organization of that end user is not described.
    unread = rf'"msg": "\d orders? (is|are) not compared .* The organization of end user {data.END_USER} is not known'
    assert bool(re.search(unread, checked.output)) == is_theirs
    assert [(each["name"], each["action"]) for each in plan] == [(name, "order") for name in names]
    assert len(simulator.orders()) == len(names)
    if bundle == "Dedicated server":
        checked = ordered.jobs["check"].artifacts
        assert awx.run(f"{bundle} (run)", {**answers, **checked}).succeeded
        assert len(simulator.orders()) == len(names)
        joined = {order["settings"].get("existing_l2vpn") for order in simulator.orders()[1:]}
        assert joined == simulator.new_l2vpns()
    if "password" in (simulator.orders()[-1]["settings"] or {}):
        assert simulator.orders()[-1]["settings"]["password"] == PASSWORD


def test_single_server_has_the_same_plan_as_by_hand(awx: Awx, simulator: Simulator, runner: Runner) -> None:
    checked = awx.run("Dedicated server (check)", {**CLUSTER, "order_hostnames": "db01.example.org"})
    server = {"hostname": "db01.example.org", "template": "debian-12", "ip4_count": 1}
    server["product"] = CLUSTER["order_product"]
    stack = {"end_user": "__self__", "contracts": {"dedicated_server": [server]}}
    task = {"hosting.reseller.reseller_stack": {"stack": stack}}
    by_hand = runner.run(task, awx.env, "--check")
    assert by_hand.results[-1]["plan_digest"] == checked.artifacts["approved_plan"]["plan_digest"]
    assert simulator.orders() == []


@pytest.mark.full
@in_shape("plain")
def test_cluster_goes_on_when_somebody_looked_up_the_l2vpn(awx: Awx, simulator: Simulator) -> None:
    # The plan that was approved says that they join it, and is resumed.
    approved = {**CLUSTER, **awx.run("Dedicated server (check)", CLUSTER).artifacts}
    ran = awx.run("Dedicated server (run)", approved)
    assert "set l2vpn_ids to it (for db01.example.org)" in ran.output
    assert (ran.succeeded, len(simulator.orders())) == (False, 1)
    found = {"order_l2vpn_ids": f"db01.example.org: {simulator.new_l2vpns().pop()}"}
    assert awx.run("Dedicated server (run)", {**approved, **found}).succeeded
    assert len(simulator.orders()) == 3


MANY = {"order_hostnames": " ".join(f"web{number}.example.org" for number in range(51))}
#: The workflow, answers to its survey, and what the check job says, with … for what is left out.
REFUSED = [
    pytest.param(
        "Customer stack",
        {"order_stack": IN_CLEAR},
        'The answer to "Stack" contains a secret: contracts.configurable_vps[0].password (line 1). Nothing was … '
        'choose another one, and give it in the answer to "Secrets".',
        id="secret",
    ),
    *(
        pytest.param("VPS", {**VPS, **answers}, message, marks=pytest.mark.full)
        for answers, message in (
            (
                {"order_product": "VPS XXXL"},
                "The stack has 1 problem. Nothing was sent. option defaults.vps.product: …",
            ),
            ({"order_hostnames": " \n "}, 'The answer to "Hostnames" is empty. …'),
            ({"order_hostnames": "012345"}, "… contracts.vps[0].hostname: YAML has read it as an integer: quote it …"),
            (MANY, "The plan would send 51 orders, but max_orders is 50. Nothing was sent. …"),
        )
    ),
]


@pytest.mark.parametrize(("bundle", "answers", "message"), REFUSED)
def test_answers_that_cannot_be_ordered_stop_the_check_job(
    awx: Awx, simulator: Simulator, bundle: str, answers: dict[str, Any], message: str
) -> None:
    ended = awx.order(bundle, answers)
    assert ([*ended.jobs], ended.succeeded) == (["check", "nothing"], False)
    checked = ended.jobs["check"]
    assert re.fullmatch(re.escape(message).replace("…", ".*"), told(checked)), told(checked)
    assert "approved_plan" not in checked.artifacts
    assert told(ended.jobs["nothing"]) == not_ordered(ended)
    assert [mail.subject for mail in ended.mails] == [f"{PREFIX}Nothing to order: failed, nothing was ordered"]
    assert not_ordered(ended) in ended.mails[0].body
    assert simulator.orders() == []
