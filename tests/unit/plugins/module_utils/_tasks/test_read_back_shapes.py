# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Orders whose answers are lost, read back from a service of each kind, in each envelope and with each way to page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.simulator import data
from tests.simulator.running import Simulator
from tests.support.tasks import Runner

WEB = "web01.example.org"


def runner_of(simulator: Simulator, folder: Path) -> Runner:
    options = {
        "base_url": simulator.base_url,
        "api_key": data.API_KEY,
        "organization_id": data.ORGANIZATION_ID,
        "ledger": str(folder / "ledger.db"),
    }
    return Runner(options, {"XDG_CACHE_HOME": str(folder)})


def order(runner: Runner, hostname: str, **options: Any) -> dict[str, Any]:
    asked = {"end_user": "__self__", "product": data.VPS_M, "settings": {"hostname": hostname, "template": "debian-12"}}
    return runner.run("reseller_contract", {**asked, **options})


def test_lost_order_is_settled_at_the_end_of_its_run(simulator: Simulator, tmp_path: Path) -> None:
    runner = runner_of(simulator, tmp_path)
    simulator.add_contract(data.VPS_M, {"hostname": "web02.example.org", "template": "debian-12"}, age=7200.0)
    simulator.arm("drop_after", match={"hostname": WEB})
    done = order(runner, WEB, read_back=True)
    assert not done.get("failed"), done["msg"]
    assert "before the order" in done["evidence"][0]
    assert done["contract_id"] in [each["id"] for each in simulator.orders()]
    placed = [each["id"] for each in simulator.orders() if each["settings"]["hostname"] == WEB]
    assert len(placed) == 1
    again = order(runner, WEB, read_back=True)
    assert (again["changed"], again["contract_id"]) == (False, done["contract_id"])
    assert len(simulator.orders()) == 1
