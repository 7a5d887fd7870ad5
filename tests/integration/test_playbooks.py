# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbooks that list products and orders, and that move a ledger."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.support import playbooks

ORDER = playbooks.vps(end_user=data.END_USER)


def test_products_and_orders_are_listed_within_a_terminal(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    env = {**start_simulator("apiplatform").env, "RESELLER_LEDGER": str(tmp_path / "ledger.db")}
    first = {"hosts": "localhost", "gather_facts": False, "tasks": [ORDER]}
    book = tmp_path / "order.yml"
    book.write_text(json.dumps([first]), encoding="utf-8")
    listing = (str(book), "hosting.reseller.products", "hosting.reseller.ledger")
    play = playbooks.command(tmp_path, env, *listing)
    assert play.status == 0, play.output
    shown = [line.strip('", ') for line in play.output.splitlines()]
    assert "cpu_cores  integer, 1 to 10, step 1, required" in shown
    assert "NAME                          STATUS    PRODUCT            SINCE" in shown
    assert any(line.startswith("web01.example.org             ordered   VPS M              20") for line in shown)
    assert "skipping" not in play.output
    listed = play.output.partition("PLAY [List what was ordered]")[2]
    assert max(len(line) for line in listed.splitlines() if "**" not in line and "ok=" not in line) <= 80


@pytest.mark.full
def test_ledger_is_moved(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    old, new, env = tmp_path / "old.db", tmp_path / "new" / "ledger.db", start_simulator("plain").env
    assert playbooks.run(tmp_path, ORDER, {**env, "RESELLER_LEDGER": str(old)}).result["changed"]
    moving = {"RESELLER_LEDGER_FROM": str(old), "RESELLER_LEDGER_TO": str(new)}
    for arguments, changes in ((["--check"], True), ([], True), ([], False)):
        moved = playbooks.command(tmp_path, moving, *arguments, "hosting.reseller.move_ledger")
        assert moved.status == 0, moved.output
        assert any(result.get("changed") for result in moved.results) == changes
    assert not playbooks.run(tmp_path, ORDER, {**env, "RESELLER_LEDGER": str(new)}).result["changed"]
