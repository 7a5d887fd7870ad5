# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome, Record
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.rows import (
    COLUMNS,
    Liveness,
    later,
    record_of,
    row_of,
)
from tests.unit.plugins.module_utils._ledger.runs import request

TIME = "2026-11-21T10:00:00Z"
PENDING = Outcome("pending")


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
