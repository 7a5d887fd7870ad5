# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task judges each order once, and reads only what it needs: of the service, and by an index of the ledger."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._ledger import sqlite
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.ledger_tables import ORDERS
from ansible_collections.hosting.reseller.plugins.module_utils._orders import preparing
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import RequestedOrder
from playbooks.files.simulator import data
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, IN_FILE, Bench, Ran, vps

# Of each order, once

NAMES = ("web01.example.org", "web02.example.org")
GOOD, WRONG, MISSPELLED = {"template": "debian-12"}, {"template": ""}, {"template": "debian-12", "colour": "red"}
MODULES = ("reseller_contract", "reseller_contracts", "reseller_stack")


def run(bench: Bench, module: str, settings: dict[str, Any]) -> Ran:
    """Run a task for one order (reseller_contract) or two."""
    orders = [{"product": "VPS M", "settings": {"hostname": name, **settings}} for name in NAMES]
    if module == "reseller_contract":
        return bench.run(module, end_user="__self__", product_type="vps", **orders[0])
    if module == "reseller_contracts":
        defaults = {"end_user": "__self__", "product_type": "vps"}
        return bench.run(module, defaults=defaults, contracts=orders)
    return bench.run(module, stack={"end_user": "__self__", "contracts": {"vps": orders}})


@pytest.mark.parametrize("settings", [GOOD, WRONG, MISSPELLED], ids=["good", "broken rule", "unknown setting"])
@pytest.mark.parametrize("module", MODULES)
def test_each_order_is_judged_once(
    module: str, settings: dict[str, Any], bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where what was kept of the catalogue is read anew, as for a product that is given by name."""
    assert bench.order("web00.example.org", product="VPS M")["changed"]
    judged, judge = Counter[str](), preparing.check_specification_rules
    made, make = Counter[str](), RequestedOrder.__init__

    def judging(kind: Any, given: Any, **options: Any) -> Any:
        judged[given["hostname"]] += 1
        return judge(kind, given, **options)

    def making(self: RequestedOrder, *args: Any, **options: Any) -> None:
        make(self, *args, **options)
        made[self.settings["hostname"]] += 1

    monkeypatch.setattr(preparing, "check_specification_rules", judging)
    monkeypatch.setattr(RequestedOrder, "__init__", making)
    ran = run(bench, module, settings)
    once = dict.fromkeys(NAMES[:1] if module == "reseller_contract" else NAMES, 1)
    assert judged == once
    if module == "reseller_stack":
        assert made == once
    assert ran.failed == (settings is not GOOD)
    if not ran.failed:
        judged.clear()
        assert not run(bench, module, settings)["changed"]
        assert judged == once


# Of the service

DOCS = "/api/docs"


def test_each_task_reads_the_openapi_document_once(bench: Bench) -> None:
    """So an element that it names by now is sent."""
    published = yaml.safe_load(bench.service.service.shape.document)  # type: ignore[attr-defined]
    del published["components"]["schemas"]["Order"]["properties"]["note"]
    bench.service.arm("answer", method="GET", on=DOCS, status=200, body=published, times=-1)
    note = {"additional_elements": {"note": "shop"}}
    assert "names no such element" in bench.order(NAMES[0], **note).msg
    bench.service.disarm()
    before = bench.reads(DOCS)
    assert bench.order(NAMES[0], **note)["changed"]
    assert (bench.service.orders()[-1]["body"]["note"], bench.reads(DOCS)) == ("shop", before + 1)
    for reads in (2, 3):
        assert "note" in bench.run("reseller_service_info")["order"]["elements"]
        assert bench.reads(DOCS) == before + reads


# Of the ledger

HOSTS = [f"web{number}.example.org" for number in range(3)]


OWN = {"end_user": "__self__", "product": data.VPS_M}
#: Modules and options of tasks that send nothing, once HOSTS are ordered.
TASKS = {
    "one": ("reseller_contract", vps(HOSTS[0], **OWN)),
    "one by the name of its product": ("reseller_contract", vps(HOSTS[0], **{**OWN, "product": "VPS M"})),
    "one that is looked up": ("reseller_contract", vps(HOSTS[0], **OWN, read_back=True)),
    "one that differs": ("reseller_contract", vps(HOSTS[0], **{**OWN, "product": data.VPS_L})),
    "many": ("reseller_contracts", {"contracts": [*map(vps, HOSTS)], "defaults": OWN}),
    "a settled one": ("reseller_record", {"name": HOSTS[0], "state": "present"}),
    "by name": ("reseller_ledger_info", {"names": HOSTS[:2]}),
    "by end user": ("reseller_ledger_info", {"end_users": ["__self__"]}),
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
@IN_FILE
@FOR_OWN
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
