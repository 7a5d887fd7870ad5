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
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome, Record
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from tests.support.ledgers import claim, record
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import names_in, request


def claimed(ledger: Ledger, name: str) -> Record | None:
    sent = {"path": "/api/keys", "digest": "hmac-sha256:0"}
    asked = request(name, product="POST /api/keys", product_type="", end_user="", settings=sent)
    return claim(ledger, [asked], kind="operation")[0]


def test_operation_is_claimed_once_and_its_outcome_is_kept(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    assert claimed(ours, "a") is None
    standing = claimed(theirs, "a")
    assert standing is not None
    assert (standing.name, standing.status, standing.alive) == ("a", "pending", True)
    with pytest.raises(ResellerError, match="sending the operation a since"):
        theirs.remove("a", "operation")
    record(ours, "a", Outcome("ordered"), "operation")
    shown = shown_operation(theirs.find(["a"], "operation")["a"])
    expected = {
        "name": "a",
        "status": "done",
        "operation": "POST /api/keys",
        "path": "/api/keys",
        "base_url": "https://service.example",
        "organization_id": "org-1",
        "awx_job_id": "17",
    }
    assert shown | expected == shown


def test_operations_and_orders_of_one_name_are_apart(store: Store) -> None:
    ledger = store.open()
    assert claimed(ledger, "web01") is None
    assert claim(ledger, [request("web01")]) == [None]
    record(ledger, "web01", Outcome("ordered"))
    record(ledger, "web01", Outcome("in_doubt", "Lost."), "operation")
    assert [record.name for record in ledger.select(Filter())] == ["web01"]
    assert ledger.select(Filter(statuses=["in_doubt"])) == []
    assert names_in(ledger) == ["web01"]
    for names, statuses, found in (
        (None, None, True),
        (None, ["in_doubt"], True),
        (None, ["ordered", "done"], False),
        (["web01"], None, True),
        (["web02"], None, False),
    ):
        assert [each.name for each in operations_in(ledger, names, statuses)] == ["web01"] * found
    record(ledger, "web01", Outcome("ordered"), "operation")
    assert len(operations_in(ledger, None, ["done"])) == 1
    assert operations_in(ledger, None, ["ordered"]) == []
    ledger.remove("web01")
    assert ledger.look_up(["WEB01"]) == ({}, {})
    assert ledger.look_up(["WEB01"], "operation")[1] == {"WEB01": "web01"}
    assert [each.name for each in operations_in(ledger)] == ["web01"]
