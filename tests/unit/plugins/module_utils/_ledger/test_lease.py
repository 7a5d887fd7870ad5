# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A claim is under way until its deadline, whatever becomes of its run and of the clocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger import lease, ledger_tables
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.lease import Clock, later, seconds_left
from tests.support.ledgers import claim
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request

CLAIMED, DEADLINE = "2026-11-21T10:00:00Z", "2026-11-21T10:02:00Z"
ON_BOOT = Clock(CLAIMED, "boot", 1000.0)


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
    assert seconds_left(claimed, DEADLINE, clock, waited) == left


def test_deadline_is_never_early() -> None:
    assert later("2026-12-31T23:59:59Z", 180.5) == "2027-01-01T00:03:01Z"


def test_clocks_of_this_machine() -> None:
    found = lease.clock_here()
    assert str(found.boot_id).startswith(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    assert 0 <= lease.boot_time() - found.boot_time < 60


@pytest.mark.parametrize(
    ("time", "boot_id", "passed", "status"),
    [
        ("2099-01-01T00:00:00Z", "same", 59.0, "pending"),
        ("2020-01-01T00:00:00Z", "same", 62.0, "in_doubt"),
        ("2020-01-01T00:00:00Z", "another", 62.0, "pending"),
        ("2099-01-01T00:00:00Z", "another", 0.0, "in_doubt"),
    ],
)
def test_claim_in_a_file_is_decided_by_the_boot_time_on_the_same_boot(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch, time: str, boot_id: str, passed: float, status: str
) -> None:
    claim(sqlite_store.open(), [request("a")], longest=60.0)
    here = lease.clock_here()
    there = Clock(time, here.boot_id if boot_id == "same" else boot_id, here.boot_time + passed)
    monkeypatch.setattr(ledger_tables, "clock_here", lambda: there)
    reader: Any = sqlite_store.open(writing=False)
    found = reader.find(["a"])["a"]
    assert found.status == status
    if status == "pending":
        # It says when it is certain by the clock that is set now.
        assert str(found.certain_at)[:4] == time[:4]


def test_claim_that_lies_in_the_future_is_waited_for_by_the_own_clock(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(sqlite_store.open(), [request("a")], longest=60.0)
    monkeypatch.setattr(ledger_tables, "clock_here", lambda: Clock("2020-01-01T00:00:00Z", "another"))
    ledger: Any = sqlite_store.open(writing=False)
    assert ledger.find(["a"])["a"].status == "pending"
    ledger._database._seen = {key: seen - 62 for key, seen in ledger._database._seen.items()}
    assert ledger.find(["a"])["a"].status == "in_doubt"
