# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the portal does beside ordering, in each shape: published, with state behind it, and usable by tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.operations import END_USER_SERVER, FIRST_KEY, INVOICE_COUNT, ROUTES, SERVER
from tests.simulator.running import Simulator
from tests.support.tasks import Runner, runner_for

LABEL = "PUT /api/reseller/contracts/{id}/label"
RESET = "POST /api/reseller/servers/{id}/reset"
INVOICES = "GET /api/reseller/invoices"
DROP = "DELETE /api/reseller/ssh-keys/{id}"


def runner_of(simulator: Simulator, folder: Path) -> Runner:
    runner = runner_for(simulator.base_url, str(folder / "ledger.db"))
    runner.options = {**runner.options, "api_key": data.API_KEY}
    return runner


def sent(simulator: Simulator) -> list[str]:
    """The requests that are not the search for the reference, as method and path."""
    found = [f"{each['method']} {each['path']}" for each in simulator.requests()]
    return [each for each in found if "/api/reseller/" in each and "reference" not in each]


def test_a_dozen_operations_are_published_with_what_they_take(simulator: Simulator, tmp_path: Path) -> None:
    runner = runner_of(simulator, tmp_path)
    listed = runner.run("reseller_reference_info", {})["operations"]
    published = {(each["method"], each["path"]): each for each in listed}
    assert len(ROUTES) >= 12
    for route in ROUTES:
        found = published[route.method.upper(), route.path]
        assert (found["summary"], found["tags"]) == (route.summary, [route.tag])
    described = runner.run("reseller_reference_info", {"operation": LABEL})["operation"]
    assert [(each["name"], each["in"], each["required"]) for each in described["parameters"]] == [("id", "path", True)]
    assert "label: …  # string, at most 80 characters" in described["body"]["skeleton"]
    (task,) = yaml.safe_load(described["task"])
    assert task["hosting.reseller.reseller_operation"]["body"] == {"label": "…"}


@pytest.mark.parametrize(
    ("organization", "server"), [(data.ORGANIZATION_ID, SERVER), (data.END_USER_ORGANIZATION_ID, END_USER_SERVER)]
)
def test_contract_is_renamed_server_reset_and_invoices_are_read(
    simulator: Simulator, tmp_path: Path, organization: str, server: str
) -> None:
    runner = runner_of(simulator, tmp_path)
    own: dict[str, Any] = {"organization_id": organization}
    rename = {**own, "operation": LABEL, "path_parameters": {"id": server}, "body": {"label": "Shop"}}
    assert runner.run("reseller_operation", rename, check=True)["changed"]
    first, second = (runner.run("reseller_operation", rename) for _run in range(2))
    assert (first["sent"], second["sent"]) == (True, False)

    pointer = "/data/status" if simulator.shape == "laravel" else "/status"
    wait = {"until": [{"pointer": pointer, "equals": "done"}], "interval": 0.01}
    reset = {**own, "operation": RESET, "path_parameters": {"id": server}, "name": "reset", "wait_for": wait}
    first, second = (runner.run("reseller_operation", reset) for _run in range(2))
    assert (first["sent"], first["wait"]["met"], second["sent"], second["wait"]) == (True, True, False, None)

    read = runner.run("reseller_operation_info", {**own, "operation": INVOICES, "all_pages": True})
    assert (len(read["records"]), read["complete"]) == (INVOICE_COUNT, True)
    assert all(record["id"].startswith(organization) for record in read["records"])
    requests = sent(simulator)
    assert len([each for each in requests if each.startswith("PUT")]) == 1
    assert len([each for each in requests if each.startswith("POST")]) == 1
    acted = {each["headers"]["x-organization-id"] for each in simulator.requests() if "/reseller/" in each["path"]}
    assert acted == {organization}


def test_thing_of_another_organization_is_neither_changed_nor_believed_gone(
    start_simulator: SimulatorFactory, tmp_path: Path
) -> None:
    simulator = start_simulator("plain")
    runner = runner_of(simulator, tmp_path)
    drop = {"operation": DROP, "path_parameters": {"id": FIRST_KEY}}
    refused = runner.run("reseller_operation", {**drop, "organization_id": data.FOREIGN_ORGANIZATION_ID})
    assert refused["status"] == 403
    assert runner.run("reseller_operation", drop)["changed"]
    assert not runner.run("reseller_operation", drop)["changed"]


def test_upload_and_password_that_is_told_once(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    simulator = start_simulator("laravel")
    runner = runner_of(simulator, tmp_path)
    (tmp_path / "letter.txt").write_text("Dear sirs", encoding="utf-8")
    options = {"operation": "POST /api/reseller/documents", "repeatable": True, "body": {"title": "Letter"}}
    uploaded = runner.run("reseller_operation", {**options, "files": {"file": str(tmp_path / "letter.txt")}})
    assert uploaded["body"]["data"]["size"] > len("Dear sirs")
    missing = runner.run("reseller_operation", {**options, "files": {"file": str(tmp_path / "none.txt")}})
    assert "files.file: a file that can be read" in missing["msg"]
    assert "body.file: required" in runner.run("reseller_operation", options)["msg"]

    saved = tmp_path / "password.json"
    told = {"operation": "POST /api/reseller/servers/{id}/root-password", "path_parameters": {"id": SERVER}}
    result = runner.run("reseller_operation", {**told, "name": "password", "save_answer": str(saved)})
    assert result["body"]["data"]["root_password"] == "********"
    assert "Root-" in saved.read_text(encoding="utf-8")


def test_service_without_operations_says_so(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    simulator = start_simulator("plain", no_operations=True)
    result = runner_of(simulator, tmp_path).run("reseller_operation_info", {"operation": INVOICES})
    assert result["msg"].startswith(f"operation: the reference publishes no operation '{INVOICES}'")
    assert sent(simulator) == []
