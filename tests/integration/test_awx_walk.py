# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The configuration, applied, and used by three ordinary users: an administrator, one who orders, one who approves."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.simulator.fixtures import SimulatorFactory
from tests.support.awx_apply import PREFIX, apply
from tests.support.awx_jobs import RunningAwx
from tests.support.awx_service import API

APPLIED = ("VPS", "Settle an order", "Orders in doubt")
ANSWERS = {
    "order_end_user": "__self__",
    "order_hostnames": "web01.example.org\nweb02.example.org",
    "order_product": "VPS M",
    "order_template": "debian-12",
}
RUNNING = ("running", "pending")
DEADLINE = 600


class Person:
    """Somebody at AWX's pages."""

    def __init__(self, awx: RunningAwx, token: str) -> None:
        self.awx = awx
        self._token = token

    def ask(self, path: str, data: dict[str, Any] | None = None) -> tuple[int, Any]:
        """GET a path below the API, or POST data to it."""
        request = urllib.request.Request(
            f"{self.awx.server.url}{API}{path}",
            data=None if data is None else json.dumps(data).encode(),
            headers={"Authorization": f"Bearer {self._token}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.loads(response.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def launch(self, kind: str, name: str, answers: dict[str, Any]) -> tuple[int, Any]:
        template = self.awx.named(kind, PREFIX + name)
        return self.ask(f"{kind}/{template['id']}/launch/", {"extra_vars": answers})

    def workflow(self, name: str, answers: dict[str, Any]) -> int:
        status, run = self.launch("workflow_job_templates", name, answers)
        assert status == 201, run
        return int(run["id"])

    def output(self, job: int) -> str:
        """What the page of a job shows."""
        status, events = self.ask(f"jobs/{job}/job_events/")
        assert status == 200, events
        return "\n".join(events["results"])

    def step(self, workflow: int, identifier: str, *, ended: bool = True) -> int:
        """The job of a workflow's node, once it is there, and has ended."""
        until = time.monotonic() + DEADLINE
        while time.monotonic() < until:
            run = self.awx.by_id("workflow_jobs", workflow)
            for node in run["nodes"]:
                job = node["job"]
                if node["identifier"] == identifier and job:
                    kind = "workflow_approvals" if identifier == "approve" else "jobs"
                    if not ended or kind != "jobs" or self.awx.by_id(kind, job)["status"] not in RUNNING:
                        return int(job)
            assert run["status"] == "running", f"{identifier} was not reached: {run['nodes']}"
            time.sleep(0.1)
        raise AssertionError(f"{identifier} did not come to an end")

    def end(self, workflow: int) -> str:
        until = time.monotonic() + DEADLINE
        while time.monotonic() < until and self.awx.by_id("workflow_jobs", workflow)["status"] == "running":
            time.sleep(0.1)
        return str(self.ask(f"workflow_jobs/{workflow}/")[1]["status"])


@pytest.mark.full
def test_three_ordinary_users_order_approve_lose_settle_and_order_again(
    tmp_path: Path, start_simulator: SimulatorFactory, postgresql_dsn: str
) -> None:
    service, awx = start_simulator("apiplatform"), RunningAwx(tmp_path)
    # Where contracts cannot be read back, a person settles.
    service.behave(list_status=403, item_status=403)
    credential = {**service.env, "RESELLER_LEDGER": postgresql_dsn}
    administrator = awx.make_user("administrator", administrator=True)
    with awx.server:
        status, output = apply(tmp_path, awx, APPLIED, "--tags", "credential_types", **credential)
        assert status == 0, output
        status, output = apply(tmp_path, awx, APPLIED, token=administrator, **credential)
        assert status == 0, output
        orderer = Person(awx, awx.make_user("orderer", teams=(f"{PREFIX}orders",)))
        approver = Person(awx, awx.make_user("approver", teams=(f"{PREFIX}approves",)))

        # Order, look, approve.
        assert approver.launch("workflow_job_templates", "VPS", ANSWERS)[0] == 403
        assert orderer.launch("job_templates", "VPS (run)", ANSWERS)[0] == 403
        assert orderer.launch("workflow_job_templates", "VPS", {**ANSWERS, "order_hostnames": ""})[0] == 400
        workflow = orderer.workflow("VPS", ANSWERS)
        check, approval = orderer.step(workflow, "check"), orderer.step(workflow, "approve")
        for person in (orderer, approver):
            shown = person.output(check)
            assert "web01.example.org: VPS M for __self__, to order" in shown
            assert "2 to order, 0 there already" in shown
        assert "(check)" in approver.ask(f"workflow_approvals/{approval}/")[1]["description"]
        assert orderer.ask(f"workflow_approvals/{approval}/approve/", {})[0] == 403
        assert service.requests("POST") == []
        # One is ordered, and while the other is on its way the job is killed.
        service.arm("hold", when="after", match={"hostname": "web02.example.org"})
        assert approver.ask(f"workflow_approvals/{approval}/approve/", {})[0] == 204
        job = orderer.step(workflow, "run", ended=False)
        service.wait(held=1, timeout=DEADLINE)
        awx.jobs[job].kill()
        service.release()
        doubtful = orderer.step(workflow, "in_doubt")
        assert orderer.end(workflow) == "failed"
        for person in (orderer, approver):
            listed = person.output(doubtful)
            assert "web02.example.org: VPS M for __self__, in doubt since 20" in listed
            assert f"job {job} of workflow job {workflow}" in listed
            assert "Settle an order" in listed
        assert approver.ask(f"jobs/{job}/job_events/")[0] == 403
        service.disarm()

        # A new order is refused by the check, which says what to do.
        again = orderer.workflow("VPS", ANSWERS)
        refused = orderer.step(again, "check")
        assert orderer.end(again) == "failed"
        assert "Hosting Reseller: Settle an order" in awx.jobs[refused].stdout

        # Settle: only what is in doubt, and only approved.
        wrong = orderer.workflow("Settle an order", {"order_name": "web01.example.org", "order_outcome": "absent"})
        assert "is not in doubt: ordered" in orderer.output(orderer.step(wrong, "check"))
        contract = service.orders()[-1]["id"]
        settling = orderer.workflow(
            "Settle an order",
            {"order_name": "web02.example.org", "order_outcome": "ordered", "order_contract_id": contract},
        )
        assert f"To be recorded: ordered, contract {contract}" in approver.output(approver.step(settling, "check"))
        settled = approver.step(settling, "approve")
        assert approver.ask(f"workflow_approvals/{settled}/approve/", {})[0] == 204
        assert approver.end(settling) == "successful", awx.jobs[orderer.step(settling, "run")].stdout
        status, launched = orderer.launch("job_templates", "Orders in doubt", {})
        assert status == 201, launched
        awx.jobs[launched["id"]].process.wait(DEADLINE)
        assert "No order is in doubt" in awx.jobs[launched["id"]].stdout

        # Order again, with one more.
        more = {**ANSWERS, "order_hostnames": ANSWERS["order_hostnames"] + "\nweb03.example.org"}
        last = orderer.workflow("VPS", more)
        assert "1 to order, 2 there already" in approver.output(approver.step(last, "check"))
        assert approver.ask(f"workflow_approvals/{approver.step(last, 'approve')}/approve/", {})[0] == 204
        run = orderer.step(last, "run")
        assert orderer.end(last) == "successful", awx.jobs[run].stdout
        assert "web03.example.org: VPS M, ordered, contract " in orderer.output(run)
        assert f"web02.example.org: VPS M, there already, contract {contract}" in orderer.output(run)
        ids = orderer.ask(f"jobs/{run}/")[1]["artifacts"]["ordered_contracts"]
        assert list(ids) == more["order_hostnames"].split()
        assert len(service.orders()) == len(service.requests("POST")) == 3

        # Applied again, nothing changes.
        status, output = apply(tmp_path, awx, APPLIED, token=administrator, **credential)
        assert status == 0, output
        assert "changed=0" in output, output
