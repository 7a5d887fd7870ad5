# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Named operations in each ledger: claimed as orders are, and never among them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Filter,
    NamedOperation,
    Outcome,
    shown_operation,
)
from tests.support.ledgers import claim, record
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request


def test_operations_and_orders_share_one_space_of_names(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    asked = NamedOperation("web01", "https://portal.example.com", "4200", "POST /api/keys", "hmac-sha256:0", "7")
    assert claim(ours, [asked]) == [None]
    (standing,) = claim(ours, [request("web01")])
    assert (standing and standing.kind) == "operation"
    assert claim(ours, [request("web00")]) == [None]
    (standing,) = claim(theirs, [asked])
    assert standing is not None
    assert (standing.kind, standing.status, standing.operation) == ("operation", "pending", asked)
    with pytest.raises(ResellerError, match="The operation web01 is being sent, or cut off"):
        theirs.remove("web01")
    record(ours, "web00", Outcome("ordered"))
    record(ours, "web01", Outcome("in_doubt", "Lost."))
    assert [record.name for record in theirs.select(Filter())] == ["web00"]
    assert theirs.select(Filter(statuses=["in_doubt"])) == []
    (doubtful,) = theirs.select(Filter(["web01"], ["in_doubt"], kind="operation"))
    assert doubtful.operation == asked
    record(ours, "web01", Outcome("ordered"))
    (done,) = theirs.select(Filter(statuses=["ordered"], kind="operation"))
    shown = shown_operation(done)
    assert shown | {"status": "done", "operation": "POST /api/keys", "organization_id": "4200"} == shown
    assert theirs.look_up(["WEB01"])[1] == {"WEB01": "web01"}
    # A claim that was released leaves its name to either.
    claim(ours, [request("free")])
    record(ours, "free", Outcome("rejected", "No."))
    assert claim(theirs, [replace(asked, name="free")]) == [None]
    assert theirs.find(["free"])["free"].kind == "operation"
