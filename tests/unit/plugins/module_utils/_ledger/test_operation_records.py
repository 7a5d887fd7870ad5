# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Named operations in each ledger: claimed as orders are, and never among them."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    ConfigurationError,
    InFlightError,
    LedgerError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.operation_records import (
    NamedOperation,
    Operations,
    key_of,
    shown_operation,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._order.order import check_name
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request


def operation(name: str, digest: str = "hmac-sha256:0") -> NamedOperation:
    return NamedOperation(name, "POST /api/keys", "/api/keys", digest, "https://service.example", "4200", "17", None)


def test_operation_is_claimed_once_and_its_outcome_is_kept(store: Store) -> None:
    ours, theirs = Operations(store.open()), Operations(store.open())
    assert ours.claim(operation("a")) is None
    standing = theirs.claim(operation("a"))
    assert standing is not None
    assert (standing.name, standing.status, standing.alive) == ("a", "pending", True)
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
        "4200",
        "/api/keys",
    )
    assert shown["awx_job_id"] == "17"


def test_operation_of_a_run_that_died_is_in_doubt_until_it_is_settled(store: Store) -> None:
    with store.open() as ours:
        Operations(ours).claim(operation("a"))
        Operations(ours).claim(operation("b"))
    theirs = Operations(store.open())
    assert [record.name for record in theirs.select(statuses=["in_doubt"])] == ["a", "b"]
    theirs.settle("a", "Told by a person.")
    theirs.remove("b")
    assert [record.name for record in theirs.select(statuses=["done"])] == ["a"]
    assert theirs.claim(operation("b")) is None


def test_operations_and_orders_of_one_name_are_apart(store: Store) -> None:
    ledger = store.open()
    operations = Operations(ledger)
    assert operations.claim(operation("web01")) is None
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
    operations = Operations(ledger)
    assert operations.differing_in_case("key") is None
    operations.claim(operation("Key"))
    assert operations.differing_in_case("key") == "Key"


def test_moved_ledger_must_hold_its_operations(store: Store) -> None:
    ledger = store.open()
    Operations(ledger).claim(operation("a"))
    with pytest.raises(LedgerError, match="1 orders that the ledger elsewhere lacks"):
        ledger.move("elsewhere", [])
    ledger.move("elsewhere", [key_of("a")])
