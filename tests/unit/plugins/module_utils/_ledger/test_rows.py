# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.identity import identity
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    ClaimEvidence,
    ListedIds,
    NamedOperation,
    Outcome,
    Record,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.rows import (
    COLUMNS,
    Liveness,
    later,
    record_of,
    row_of,
)
from tests.unit.plugins.module_utils._ledger.runs import request

TIME = "2026-11-21T10:00:00Z"
BODY = {"id": "c-1"}

ORDERED = Outcome("ordered", contract_id="c-1", contract=BODY)
PENDING = Outcome("pending")
NAMED = NamedOperation("a", "https://h", "4200", "POST /x", "hmac-sha256:0", awx_job_id="7")
EVIDENCE = ClaimEvidence(ListedIds.of(["c-1"]), absent=True)


@pytest.mark.parametrize(
    "record",
    [
        Record("a", PENDING, request("a"), "mine", TIME, None, TIME, alive=True, deadline=TIME),
        Record("a", PENDING, request("a", evidence=EVIDENCE), "mine", TIME, None, TIME, alive=True),
        Record("a", ORDERED, request("a", approval="plan", listed_prices={"price": 1}), "mine", TIME, TIME, TIME),
        Record("a", ORDERED, request("a", identity=identity("hostname", "A", "E")), "mine", TIME, TIME, TIME),
        Record("a", ORDERED, None, "mine", TIME, TIME, TIME, operation=NAMED),
        Record("a", ORDERED, request("a", awx_job_id=None, settings={}, partial=True), "mine", TIME, TIME, TIME),
        Record("a", ORDERED._replace(l2vpn_id="l", contract=[1, {"x": None}]), None, None, None, None, TIME),
    ],
)
def test_a_row_is_the_whole_record(record: Record) -> None:
    row = dict(zip(COLUMNS, row_of(record), strict=True))
    found = record_of(row, "", Liveness({"mine"}), {EVIDENCE.before.digest: EVIDENCE.before})
    assert found == record
    for part in ("evidence", "approval", "listed_prices"):
        assert getattr(found.request, part, None) == getattr(record.request, part, None)


def test_a_damaged_record_is_named() -> None:
    row = row_of(Record("a", PENDING, request("a"), "mine", TIME, None, TIME))
    damaged = {column: value and value.replace("{", "") for column, value in zip(COLUMNS, row, strict=True)}
    with pytest.raises(LedgerError, match=r"record of the order a was damaged\.\nIts .* is not valid"):
        record_of(damaged, "", Liveness(()))


@pytest.mark.parametrize(
    ("runs", "status", "unseen"),
    [
        (Liveness({"mine"}), "pending", False),
        (Liveness(()), "in_doubt", False),
        (Liveness((), {"mine"}, "2026-11-21T10:01:59Z"), "pending", True),
        (Liveness((), {"mine"}, "2026-11-21T10:02:00Z"), "in_doubt", False),
        (Liveness((), {"another"}, TIME), "in_doubt", False),
    ],
)
def test_run_that_cannot_be_seen_is_under_way_until_the_deadline(runs: Liveness, status: str, unseen: bool) -> None:
    claim = Record("a", PENDING, request("a"), "mine", TIME, None, TIME, deadline="2026-11-21T10:02:00Z")
    found = record_of(dict(zip(COLUMNS, row_of(claim), strict=True)), "", runs)
    assert (found.status, found.unseen) == (status, unseen)


def test_deadline_is_never_early() -> None:
    assert later("2026-12-31T23:59:59Z", 180.5) == "2027-01-01T00:03:01Z"
