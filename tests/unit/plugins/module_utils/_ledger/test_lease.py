# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A claim is under way until its deadline, whatever becomes of its run and of the clocks."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from unittest.mock import Mock

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.clocks import Clocks
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import Clock
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.ledger_tables import later, seconds_left
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.sqlite import SqliteSession
from tests.support.clocks import HurriedClocks
from tests.support.ledgers import claim
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request

CLAIMED, DEADLINE = "2026-11-21T10:00:00Z", "2026-11-21T10:02:00Z"
ON_BOOT = Clock(CLAIMED, "boot", 1000.0)
DECADE = 3e8


class ClocksOfAnotherBoot(HurriedClocks):
    def boot_id(self) -> str:
        return "another"


@pytest.mark.parametrize(
    ("claimed", "clock", "waited", "left"),
    [
        # By the time alone: of a server, or after another boot.
        (Clock(CLAIMED), Clock(CLAIMED), 0.0, 120.0),
        (Clock(CLAIMED), Clock("2026-11-21T10:01:59Z"), 500.0, 1.0),
        (Clock(CLAIMED), Clock(DEADLINE), 0.0, 0.0),
        (ON_BOOT, Clock("2026-11-21T10:00:30Z", "another", 3.0), 0.0, 90.0),
        # The clock was set back: as long as the claim was, by the reader's own clock.
        (Clock(CLAIMED), Clock("2026-11-20T10:00:00Z"), 0.0, 120.0),
        (ON_BOOT, Clock("2026-11-20T10:00:00Z", "another", 3.0), 119.0, 1.0),
        (Clock(CLAIMED), Clock("2026-11-20T10:00:00Z"), 120.0, 0.0),
        # On the same boot, what nobody sets decides, wherever the time was set to.
        (ON_BOOT, Clock("2026-11-20T10:00:00Z", "boot", 1119.0), 500.0, 1.0),
        (ON_BOOT, Clock("2027-11-21T10:00:00Z", "boot", 1030.0), 0.0, 90.0),
        (ON_BOOT, Clock(CLAIMED, "boot", 1120.0), 0.0, 0.0),
        # A boot ID that says nothing: the clock went back with it.
        (ON_BOOT, Clock("2026-11-21T10:01:00Z", "boot", 3.0), 0.0, 60.0),
    ],
)
def test_seconds_left_of_a_claim(claimed: Clock, clock: Clock, waited: float, left: float) -> None:
    assert seconds_left(claimed, DEADLINE, clock, lambda: waited) == left


def test_deadline_is_never_early() -> None:
    assert later("2026-12-31T23:59:59Z", 180.5) == "2027-01-01T00:03:01Z"


def test_clocks_of_this_machine() -> None:
    found = SqliteSession(Mock(), Clocks()).clock()
    assert str(found.boot_id).startswith(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    assert 0 <= Clocks().since_boot() - found.boot_time < 60


@pytest.mark.parametrize(
    ("set_to", "is_same_boot", "passed", "status"),
    [
        (DECADE, True, 55.0, "pending"),
        (-DECADE, True, 62.0, "in_doubt"),
        (-DECADE, False, 62.0, "pending"),
        (DECADE, False, 0.0, "in_doubt"),
    ],
)
def test_claim_in_a_file_is_decided_by_the_boot_time_on_the_same_boot(
    sqlite_store: Store, set_to: float, is_same_boot: bool, passed: float, status: str
) -> None:
    claim(sqlite_store.open(), [request("a")], longest=60.0)
    clocks = sqlite_store.clocks = HurriedClocks() if is_same_boot else ClocksOfAnotherBoot()
    clocks.pass_(set_to, "wall")
    clocks.pass_(passed, "since_boot")
    ledger = sqlite_store.open(writing=False)
    found = ledger.find(["a"])["a"]
    assert found.status == status
    # It is stored as pending, and listed as what it is.
    listed = [each for each in ("pending", "in_doubt") if ledger.select(Filter(statuses=[each]))]
    assert listed == [status]
    if status == "pending":
        # It says when it is certain by the clock that is set now.
        left = datetime.fromisoformat(str(found.certain_at)).timestamp() - clocks.wall()
        assert 0 < left < 120


def test_claim_that_lies_in_the_future_is_waited_for_by_the_own_clock(sqlite_store: Store) -> None:
    claim(sqlite_store.open(), [request("a")], longest=60.0)
    clocks = sqlite_store.clocks = ClocksOfAnotherBoot()
    clocks.pass_(-DECADE, "wall")
    ledger = sqlite_store.open(writing=False)
    assert ledger.find(["a"])["a"].status == "pending"
    clocks.pass_(62, "monotonic")
    assert ledger.find(["a"])["a"].status == "in_doubt"
