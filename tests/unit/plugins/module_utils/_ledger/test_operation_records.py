# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Named operations in each ledger: claimed as orders are, and never among them."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.operation_records import (
    operations_in,
    shown_operation,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome
from tests.support.ledgers import claim, record
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request


def test_operations_and_orders_share_one_space_of_names(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    sent = {"path": "/api/keys", "digest": "hmac-sha256:0"}
    asked = request("web01", product="POST /api/keys", product_type="", end_user="", settings=sent)
    assert claim(ours, [asked], kind="operation") == [None]
    (standing,) = claim(ours, [request("web01")])
    assert (standing and standing.kind) == "operation"
    assert claim(ours, [request("web00")]) == [None]
    (standing,) = claim(theirs, [asked], kind="operation")
    assert standing is not None
    assert (standing.kind, standing.status, standing.request) == ("operation", "pending", asked)
    with pytest.raises(ResellerError, match="The operation web01 is being sent, or cut off"):
        theirs.remove("web01")
    record(ours, "web00", Outcome("ordered"))
    record(ours, "web01", Outcome("in_doubt", "Lost."), "operation")
    assert [record.name for record in theirs.select(Filter())] == ["web00"]
    assert theirs.select(Filter(statuses=["in_doubt"])) == []
    for names, statuses, found in (
        (None, ["in_doubt"], True),
        (None, ["ordered", "done"], False),
        (["web01"], None, True),
        (["web02"], None, False),
    ):
        assert [each.name for each in operations_in(theirs, names, statuses)] == ["web01"] * found
    record(ours, "web01", Outcome("ordered"), "operation")
    (done,) = operations_in(theirs, None, ["done"])
    shown = shown_operation(done)
    assert shown | {"status": "done", "operation": "POST /api/keys", "path": "/api/keys"} == shown
    assert operations_in(theirs, None, ["ordered"]) == []
    assert theirs.look_up(["WEB01"])[1] == {"WEB01": "web01"}
    # A claim that was released leaves its name to either.
    claim(ours, [request("free")])
    record(ours, "free", Outcome("rejected", "No."))
    assert claim(theirs, [request("free")], kind="operation") == [None]
    assert theirs.find(["free"])["free"].kind == "operation"
