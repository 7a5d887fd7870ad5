# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task that sends nothing reads only rows of the ledger that an index finds, however many there are."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger import sqlite
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import ORDERS
from playbooks.files.simulator import data
from tests.unit.plugins.module_utils._tasks.conftest import Bench

HOSTS = [f"web{number}.example.org" for number in range(3)]


def vps(hostname: str, **more: Any) -> dict[str, Any]:
    settings = {"hostname": hostname, "template": "debian-12"}
    return {"end_user": "__self__", "product": data.VPS_M, "settings": settings, **more}


#: Modules and options of tasks that send nothing, once HOSTS are ordered.
TASKS = {
    "one": ("reseller_contract", vps(HOSTS[0])),
    "one by the name of its product": ("reseller_contract", vps(HOSTS[0], product="VPS M")),
    "one that is looked up": ("reseller_contract", vps(HOSTS[0], read_back=True)),
    "one that differs": ("reseller_contract", vps(HOSTS[0], product=data.VPS_L)),
    "many": ("reseller_contracts", {"contracts": [vps(each) for each in HOSTS]}),
    "a settled one": ("reseller_record", {"name": HOSTS[0], "state": "present"}),
    "by name": ("reseller_ledger_info", {"name": HOSTS[:2]}),
    "by end user": ("reseller_ledger_info", {"end_user": "__self__"}),
}


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is executed in the file of a ledger."""
    executed: list[str] = []
    connected = sqlite.connect

    def connect(path: Path, mode: str) -> sqlite3.Connection:
        connection = connected(path, mode)
        connection.set_trace_callback(executed.append)
        return connection

    monkeypatch.setattr(sqlite, "connect", connect)
    return executed


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("check", [False, True], ids=["run", "check"])
def test_task_that_sends_nothing_reads_rows_by_an_index(
    bench: Bench, statements: list[str], task: str, check: bool
) -> None:
    assert bench.batch(*HOSTS)["counts"]["ordered"] == len(HOSTS)
    statements.clear()
    module, options = TASKS[task]
    ran = bench.run(module, check, **options)
    assert (ran["changed"], bench.sent) == (False, len(HOSTS))
    reading = [each for each in statements if ORDERS in each]
    assert reading
    with sqlite3.connect(bench.path) as connection:
        plans = [row[-1] for each in reading for row in connection.execute(f"EXPLAIN QUERY PLAN {each}")]
    assert [plan for plan in plans if not plan.startswith("SEARCH")] == []
    assert not any("integrity_check" in each for each in statements)
