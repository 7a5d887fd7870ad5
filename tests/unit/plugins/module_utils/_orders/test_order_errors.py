# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said of an order whose outcome could not be recorded."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order_errors import unrecorded_error


@pytest.mark.parametrize(
    ("ended", "said", "recorded"),
    [
        (Outcome("ordered", contract_id="c-1"), "The service accepted", {"state": "present", "contract_id": "c-1"}),
        (Outcome("in_doubt"), "It is unknown whether the service accepted", {"state": "present"}),
        (Outcome("rejected", "No credit."), "The service did not accept", {"state": "absent"}),
    ],
)
def test_outcome_that_is_not_recorded_is_told_with_what_records_it(
    ended: Outcome, said: str, recorded: dict[str, Any]
) -> None:
    error = unrecorded_error("web01", "order", ended, LedgerError("It is full."), "/ledger.db")
    assert error.message.startswith(f"{said} the order web01, but this could not be recorded.\n")
    assert (ended.contract_id or ended.reason or "It is full.") in error.message
    assert (error.kind, error.results["changed"]) == ("not_recorded", ended.status == "ordered")
    (task,) = yaml.safe_load(error.results["settle_with"])
    assert (
        task["hosting.reseller.reseller_record"].items()
        >= {"name": "web01", "ledger": "/ledger.db", **recorded}.items()
    )
