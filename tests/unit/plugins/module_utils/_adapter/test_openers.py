# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The one ledger of all tasks: that a new one, a lost one, an older one and a moved one are told of."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.support.tasks import Runner, runner_for

STACK = {"end_user": data.END_USER, "contracts": {"webhosting": [{"name": "shop", "product": "Webhosting Start"}]}}
ORDER = {"end_user": data.END_USER, "product": "VPS M", "settings": {"hostname": "web01", "template": "debian-12"}}
#: Each task that opens a ledger.
OPENING: list[tuple[str, dict[str, Any]]] = [
    ("reseller_contract", ORDER),
    ("reseller_contracts", {"contracts": [ORDER]}),
    ("reseller_ledger", {"name": "web01", "state": "ordered"}),
    ("reseller_ledger", {"state": "accepted"}),
    ("reseller_ledger_info", {}),
    ("reseller_stack_info", {"stack": STACK}),
]


@dataclass
class Desk:
    """Runs tasks of a ledger in a folder."""

    simulator: Simulator
    folder: Path
    runner: Runner

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger" / "ledger.db"

    def order(self, hostname: str = "web01", *, check: bool = False, **options: Any) -> dict[str, Any]:
        settings = {"hostname": hostname, "template": "debian-12"}
        return self.runner.run("reseller_contract", {**ORDER, "settings": settings, **options}, check=check)

    def info(self, **options: Any) -> dict[str, Any]:
        return self.runner.run("reseller_ledger_info", options)

    def tell(self, state: str, *, check: bool = False, **options: Any) -> dict[str, Any]:
        return self.runner.run("reseller_ledger", {"state": state, **options}, check=check, diff=True)

    def snapshot(self) -> Mapping[str, tuple[int, int]]:
        """All files where the ledger is, and when each was written."""
        found = {str(path): path.stat() for path in (self.ledger.parent, *self.ledger.parent.rglob("*"))}
        return {path: (status.st_mtime_ns, status.st_mode) for path, status in found.items()}


@pytest.fixture
def desk(start_simulator: SimulatorFactory, tmp_path: Path) -> Desk:
    simulator = start_simulator("plain")
    runner = runner_for(simulator.base_url, str(tmp_path / "ledger" / "ledger.db"), api_key=data.API_KEY)
    runner.environ = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return Desk(simulator, tmp_path, runner)


def test_run_that_makes_a_ledger_says_so_once(desk: Desk) -> None:
    desk.order(check=True)
    assert [f"There is no ledger at {desk.ledger} yet." in text for text in desk.runner.warnings] == [True]
    assert desk.order()["changed"]
    (warning,) = desk.runner.warnings
    assert warning.startswith(f"A new ledger was made: {desk.ledger}.")
    assert "Orders recorded elsewhere are missing in it" in warning
    assert (desk.order()["changed"], desk.runner.warnings) == (False, [])


def test_nightly_job_can_demand_that_the_ledger_is_there(desk: Desk) -> None:
    desk.runner.options = {**desk.runner.options, "new_ledger": "refuse"}
    for refused in (desk.order(), desk.order(check=True), desk.info()):
        assert refused["msg"].startswith(f"There is no ledger at {desk.ledger}, and new_ledger is refuse.")
    assert not desk.ledger.parent.exists()
    # One in which nothing was ever recorded counts as new.
    with open_ledger(location_of(str(desk.ledger), {}), writing=True) as ledger:
        ledger.make()
    for refused in (desk.order(), desk.order(check=True), desk.info(), desk.tell("ordered", name="web01")):
        assert refused["msg"].startswith(f"Nothing was ever recorded in the ledger {desk.ledger}, and new_ledger is")
    assert desk.order(new_ledger="allow")["changed"]
    assert desk.runner.warnings[0].startswith(f"A new ledger was made: {desk.ledger}.")
    assert not desk.order()["changed"]


def test_what_changes_nothing_makes_no_ledger_and_says_nothing_of_a_new_one(desk: Desk) -> None:
    moved = {"state": "moved", "from": "https://old.example", "to": "https://new.example"}
    tasks: list[tuple[str, dict[str, Any]]] = [
        ("reseller_contract", {**ORDER, "product": "VPS of another service"}),
        ("reseller_contract", {**ORDER, "settings": {"hostname": "not a hostname"}}),
        *(("reseller_ledger", each) for each in ({"name": "web01", "state": "absent"}, {"state": "accepted"}, moved)),
    ]
    for module, options in tasks:
        assert not desk.runner.run(module, options)["changed"]
        assert not [text for text in desk.runner.warnings if "ew ledger" in text]
    assert not desk.ledger.parent.exists()
    # Adopting a contract is the first change.
    assert desk.tell("ordered", name="web01", end_user=data.END_USER)["changed"]
    assert f"A new ledger was made: {desk.ledger}." in "".join(desk.runner.warnings)


def test_ledger_that_went_back_in_time_is_refused_until_it_is_accepted(desk: Desk) -> None:
    desk.order("a")
    backup = shutil.copy(desk.ledger, desk.folder)
    desk.order("b")
    shutil.copy(backup, desk.ledger)
    refused = [desk.order("b", new_ledger="allow", check=check)["msg"] for check in (True, False)]
    assert [each["name"] for each in desk.info()["orders"]] == ["a"]
    for told in (*refused, *desk.runner.warnings):
        assert "went back in time" in told
        assert "Do not order anything until the ledger has been restored" in told
    assert desk.tell("ordered", name="b")["changed"]
    assert "went back in time" in desk.runner.warnings[0]
    assert "newest: b" in desk.tell("accepted", check=True)["diff"]["after"]
    assert desk.tell("accepted")["changed"]
    assert [desk.order(name)["changed"] for name in ("b", "c")] == [False, True]


def test_ledger_that_was_moved_is_used_again_once_it_is_accepted(desk: Desk) -> None:
    new = str(desk.folder / "new" / "ledger.db")
    desk.order()
    assert [desk.tell("retired", moved_to=new, check=check)["changed"] for check in (True, False)] == [True, True]
    refused = desk.order(check=True)["msg"]
    desk.info()
    for told in (refused, *desk.runner.warnings):
        assert f"was moved to {new}. Nothing was sent." in told
    for check in (True, False):
        diff = desk.tell("accepted", check=check)["diff"]
        assert (f"moved_to: {new}" in diff["before"], "moved_to: null" in diff["after"]) == (True, True)
        assert f"was moved to {new}. By accepting it, you put it into use again." in desk.runner.warnings[0]
    assert (desk.order()["changed"], len(desk.simulator.orders())) == (False, 1)


def test_check_mode_makes_nothing_where_the_ledger_is(desk: Desk) -> None:
    for module, options in OPENING:
        assert "failed" not in desk.runner.run(module, options, check=True)
    assert not desk.ledger.parent.exists()
    desk.order()
    before = desk.snapshot()
    for name in ("web01", "web02"):
        desk.order(name, check=True)
    desk.tell("absent", name="web01", contract_id=desk.simulator.orders()[0]["id"], check=True)
    desk.info()
    assert desk.snapshot() == before
