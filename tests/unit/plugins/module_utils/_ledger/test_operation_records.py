# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Named operations in each ledger: claimed as orders are, and never among them."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    ConfigurationError,
    InFlightError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.operation_records import (
    KIND,
    Operations,
    key_of,
    shown_operation,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome, Record
from ansible_collections.hosting.reseller.plugins.module_utils._order.order import check_name
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request


class Named(Operations):
    """The operations in a ledger, and runs that send some."""

    def claim(self, name: str) -> Record | None:
        sent = {"path": "/api/keys", "digest": "hmac-sha256:0"}
        asked = request(key_of(name), product="POST /api/keys", product_type=KIND, end_user="", settings=sent)
        return self.ledger.claim([asked])[0]

    def record(self, name: str, outcome: Outcome) -> None:
        self.ledger.record(key_of(name), outcome)


def test_operation_is_claimed_once_and_its_outcome_is_kept(store: Store) -> None:
    ours, theirs = Named(store.open()), Named(store.open())
    assert ours.claim("a") is None
    standing = theirs.claim("a")
    assert standing is not None
    assert (standing.name, standing.status, standing.alive) == (key_of("a"), "pending", True)
    with pytest.raises(InFlightError, match="sending the operation a"):
        theirs.settle("a", "Told by a person.")
    with pytest.raises(InFlightError, match="sending the operation a"):
        theirs.remove("a")
    ours.record("a", Outcome("ordered"))
    found = theirs.find("a")
    assert found is not None
    shown = shown_operation(found)
    assert (shown["name"], shown["status"], shown["operation"]) == ("a", "done", "POST /api/keys")
    assert (shown["base_url"], shown["organization_id"], shown["path"]) == (
        "https://service.example",
        "org-1",
        "/api/keys",
    )
    assert shown["awx_job_id"] == "17"


def test_operation_of_a_run_that_died_is_in_doubt_until_it_is_settled(store: Store) -> None:
    with store.open() as ours:
        Named(ours).claim("a")
        Named(ours).claim("b")
    theirs = Named(store.open())
    assert [record.name for record in theirs.select(statuses=["in_doubt"])] == ["a", "b"]
    theirs.settle("a", "Told by a person.")
    theirs.remove("b")
    assert [record.name for record in theirs.select(statuses=["done"])] == ["a"]
    assert theirs.claim("b") is None


def test_operations_and_orders_of_one_name_are_apart(store: Store) -> None:
    ledger = store.open()
    operations = Named(ledger)
    assert operations.claim("web01") is None
    assert ledger.claim([request("web01")]) == [None]
    ledger.record("web01", Outcome("ordered"))
    operations.record("web01", Outcome("in_doubt", "Lost."))
    assert [record.name for record in ledger.select(Filter())] == ["web01"]
    assert ledger.select(Filter(statuses=["in_doubt"])) == []
    assert ledger.names() == ["web01"]
    assert [record.name for record in operations.select()] == ["web01"]
    assert ledger.select(Filter([key_of("web01")])) == []
    assert operations.select(["web02"]) == []


def test_no_order_can_have_the_key_of_an_operation() -> None:
    with pytest.raises(ConfigurationError):
        check_name(key_of("web01"))


def test_capitals_are_compared_among_operations_alone(store: Store) -> None:
    ledger = store.open()
    ledger.claim([request("KEY")])
    operations = Named(ledger)
    assert operations.differing_in_case("key") is None
    operations.claim("Key")
    assert operations.differing_in_case("key") == "Key"
