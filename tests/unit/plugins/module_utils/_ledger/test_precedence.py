# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome, Record
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.precedence import outcome_to_write
from tests.unit.plugins.module_utils._ledger.runs import request

TIME = "2026-11-21T10:00:00Z"
MINE, OTHERS, PERSONS = "mine", "another", None

ORDERED = Outcome("ordered", contract_id="c-1", contract={"id": "c-1"})
UNNAMED = Outcome("ordered")
DOUBT = Outcome("in_doubt", "Lost.")
REJECTED = Outcome("rejected", "No.")
NOT_SENT = Outcome("not_sent", "No way.")
PENDING = Outcome("pending")
OTHER = Outcome("ordered", contract_id="c-2")

LEAVE, REFUSE, WRITE = "leave", "refuse", "write"


@pytest.mark.parametrize(
    ("whose", "kept", "told", "expected"),
    [
        (MINE, PENDING, ORDERED, WRITE),
        (MINE, PENDING, DOUBT, WRITE),
        (MINE, PENDING, NOT_SENT, WRITE),
        (MINE, DOUBT, ORDERED, WRITE),
        (MINE, REJECTED, DOUBT, WRITE),
        (MINE, ORDERED, DOUBT, LEAVE),
        (MINE, ORDERED, ORDERED, WRITE),
        (MINE, ORDERED, OTHER, REFUSE),
        (PERSONS, ORDERED, DOUBT, LEAVE),
        (PERSONS, ORDERED, REJECTED, LEAVE),
        (PERSONS, ORDERED, UNNAMED, ORDERED),
        (PERSONS, UNNAMED, ORDERED, WRITE),
        (PERSONS, OTHER, ORDERED, REFUSE),
        (PERSONS, NOT_SENT, DOUBT, WRITE),
        (OTHERS, PENDING, ORDERED, REFUSE),
        (OTHERS, PENDING, REJECTED, LEAVE),
        (OTHERS, DOUBT, ORDERED, REFUSE),
        (OTHERS, ORDERED, DOUBT, REFUSE),
        (OTHERS, ORDERED, REJECTED, LEAVE),
        (OTHERS, ORDERED, ORDERED, LEAVE),
        (OTHERS, ORDERED, OTHER, REFUSE),
        (OTHERS, UNNAMED, UNNAMED, REFUSE),
        (OTHERS, UNNAMED, ORDERED, REFUSE),
        (OTHERS, REJECTED, ORDERED, WRITE),
    ],
)
def test_what_is_written_over_what(whose: str | None, kept: Outcome, told: Outcome, expected: Any) -> None:
    standing = Record("a", kept, request("a"), whose, TIME, None, TIME)
    if expected == REFUSE:
        with pytest.raises(LedgerError, match="may exist twice") as caught:
            outcome_to_write(standing, MINE, told)
        for outcome in (kept, told):
            assert (outcome.contract_id or outcome.status) in caught.value.message
    else:
        wanted = {LEAVE: None, WRITE: told}.get(expected, expected) if isinstance(expected, str) else expected
        assert outcome_to_write(standing, MINE, told) == wanted
