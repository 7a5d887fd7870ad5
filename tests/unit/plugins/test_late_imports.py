# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""While an order is sent and recorded, nothing is imported: an import that fails there would leave it in doubt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.conftest import SimulatorFactory
from tests.unit.plugins.test_layers import PACKAGE

#: What an order does not import: what other tasks need, what only some orders need, libraries for other ledgers and
#: for nameservers, and threads.
UNUSED = (
    *(f"{PACKAGE}.{name}" for name in ("_stack", "_contracts.reconciling", "_requests")),
    "concurrent.futures",
    "dns",
    "psycopg",
)

#: Places an order as an action plugin does. Prints the result, what was imported, and what of that between the claim
#: and the record of the outcome.
PROGRAM = f"""
import importlib, json, sys
options = json.load(sys.stdin)
importlib.import_module("{PACKAGE}._tasks.contract")
late, claims = [], []
from {PACKAGE}._ledger.store import Ledger
from tests.support.tasks import Runner

def exchange(self, outcomes, requests, *, known=Ledger.exchange, **options):
    found = known(self, outcomes, requests, **options)
    claims[:] = requests
    return found

Ledger.exchange = exchange
sys.addaudithook(lambda event, what: late.append(what[0]) if event == "import" and claims else None)
result = Runner(options).run("reseller_contract", {{}})
print(json.dumps([result, sorted(sys.modules), late]))
"""


def run(program: str, given: str = "") -> str:
    """What a program prints in a process of its own."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, input=given, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout


def order(service: Simulator, folder: Path, hostname: str) -> tuple[dict[str, Any], list[str], list[str]]:
    """Order a VPS in a process of its own, with the ledger in a folder."""
    options = {
        "base_url": service.base_url,
        "api_key": data.API_KEY,
        "organization_id": data.ORGANIZATION_ID,
        "ledger": str(folder / "ledger/ledger.db"),
        "end_user": data.END_USER,
        "product": data.VPS_M,
        "settings": {"hostname": hostname, "template": "debian-12"},
    }
    result, imported, late = json.loads(run(PROGRAM, json.dumps(options)))
    return result, imported, late


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ({}, "ordered"),
        ({"kind": "answer", "status": 422}, "rejected"),
        ({"kind": "answer", "status": 500}, "in_doubt"),
        ({"kind": "answer", "status": 201, "body": "", "process": True}, "ordered"),
    ],
    ids=["placed", "refused", "lost", "silent"],
)
def test_nothing_is_imported_while_an_order_is_sent_or_recorded(
    start_simulator: SimulatorFactory, tmp_path: Path, fault: dict[str, Any], status: str
) -> None:
    service = start_simulator("plain")
    if fault:
        # Not the list, which is read before.
        service.arm(**fault, match={"hostname": "web01"})
    result, _imported, late = order(service, tmp_path, "web01")
    assert result["order"]["status"] == status
    # Libraries import parts of themselves when a connection is made; those of this collection are what can be missing.
    assert [name for name in late if name.startswith(PACKAGE)] == []


def test_order_imports_what_it_needs(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    """At a service that lists no contracts: the others are read back."""
    service = start_simulator("plain", no_contracts=True)
    order(service, tmp_path, "web01")
    _result, imported, _late = order(service, tmp_path, "web02")
    assert [name for name in imported if name.startswith(UNUSED)] == []


def test_a_task_that_reads_the_ledger_alone_imports_nothing_that_talks_to_a_service() -> None:
    imported = run(f"import sys, {PACKAGE}._tasks.ledger_info; print(*sys.modules)").split()
    assert not {"requests", "jsonschema"} & {*imported}
