# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One thing under two names is found, and claimed once, in each ledger; and no outcome loses a contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.identity import identity, record_to_write
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Outcome,
    Record,
    Settlement,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.transaction import Transaction
from tests.support.ledgers import claim, record
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import in_the_way, names_in, request, settle

CUSTOMER = "d19f51a8-e747-452b-89a9-286bfa544c77"
ORDERED = Outcome("ordered", contract_id="c-1", contract={"id": "c-1"})


def domain(name: str, value: str = "example.org", **changes: Any) -> StoredRequest:
    return request(name, **{"product_type": "domain", "identity": identity("domain", value), **changes})


def host(name: str, value: str = "web01.example.org", **changes: Any) -> StoredRequest:
    end_user = changes.get("end_user", CUSTOMER)
    return request(name, **{"end_user": end_user, "identity": identity("hostname", value, end_user), **changes})


ELSEWHERE: dict[str, Any] = {"service": "https://other.example", "organization_id": "org-2"}
OURS: dict[str, Any] = {"end_user": "__self__"}
NOBODYS: dict[str, Any] = {"identity": identity("hostname", "web01.example.org"), "end_user": ""}
#: What is recorded, what is requested, and whether that is the same.
PAIRS: dict[str, tuple[StoredRequest, StoredRequest, bool]] = {
    "a domain elsewhere": (domain("a", "Example.ORG"), domain("b", end_user=CUSTOMER, **ELSEWHERE), True),
    "another domain": (domain("a"), domain("b", "example.com"), False),
    "a host and an end user in capitals": (host("a"), host("b", "WEB01.example.org", end_user=CUSTOMER.upper()), True),
    "a host of another end user": (host("a"), host("b", **OURS), False),
    "a host of the same end user elsewhere": (host("a"), host("b", **ELSEWHERE), True),
    "our own host at another address": (
        host("a", **OURS),
        host("b", **{**ELSEWHERE, **OURS, "organization_id": ""}),
        True,
    ),
    "our own host of another organization": (host("a", **OURS), host("b", organization_id="org-2", **OURS), False),
    "a host and a domain of one name": (host("a", "example.org"), domain("b"), False),
    "a host of an end user that is not known": (host("a", **NOBODYS), host("b"), True),
    "a thing of which only the name is known": (
        request("a", identity=identity(None, "example.org")),
        domain("b"),
        True,
    ),
    "the same name": (domain("a"), domain("a"), False),
    "two that have no identity": (request("a"), request("b"), False),
}


@pytest.mark.parametrize("case", PAIRS)
def test_what_is_the_same_under_another_name(sqlite_store: Store, case: str) -> None:
    known, wanted, same = PAIRS[case]
    ledger, other = sqlite_store.open(), sqlite_store.open()
    assert claim(ledger, [known]) == [None]
    for status in ("pending", "in_doubt", "ordered"):
        if status != "pending":
            record(ledger, "a", Outcome(status))
        found = other.duplicates([wanted])
        assert {name: (record.name, record.status) for name, record in found.items()} == (
            {"b": ("a", status)} if same else {}
        )
    # A second one that is wanted.
    second = replace(wanted, name="c", may_be_second=True)
    assert in_the_way(other, wanted, second) == ["a" if same or wanted.name == "a" else None, None]
    assert set(names_in(other)) == ({"a", "c"} if same else {"a", "c", wanted.name})


RUNS = 4


def test_of_many_runs_that_make_the_ledger_and_claim_one_thing_under_their_own_names_one_wins(store: Store) -> None:
    runs = [store.starting() for _rest in range(RUNS)]
    for number, run in enumerate(runs):
        run.tell("open")
        run.tell("claim same", "domain.example", f"order-{number}", f"alias-{number}")
    assert [run.answer() for run in runs] == ["open"] * RUNS
    answers = [run.answer() for run in runs]
    (name,) = names_in(store.open())
    assert answers.count([None, name]) == 1, answers
    assert answers.count([name, name]) == RUNS - 1, answers


@pytest.mark.parametrize("status", ["rejected", "not_sent"])
def test_a_released_claim_is_no_duplicate(store: Store, status: Any) -> None:
    ledger = store.open()
    claim(ledger, [domain("a"), host("c")])
    record(ledger, "a", Outcome(status))
    record(ledger, "c", Outcome(status))
    assert ledger.duplicates([domain("b"), host("d")]) == {}
    assert claim(ledger, [domain("b"), host("d")]) == [None, None]
    # And now the first name is that of a duplicate, although it has a record.
    assert in_the_way(ledger, domain("a"), host("c")) == ["b", "d"]
    assert ledger.find(["a"])["a"].status == status


@pytest.mark.parametrize(
    ("name", "same"), [("Example.org", True), ("web01.example.org", True), ("shop/example.org", False)]
)
def test_a_contract_of_which_only_the_name_is_known_may_be_the_same(store: Store, name: str, same: bool) -> None:
    ledger = store.open()
    settle(ledger, name, ORDERED, None)
    wanted = [domain("b"), host("c")]
    assert {record.name for record in ledger.duplicates(wanted).values()} == ({name} if same else set())
    # Once it is told what it is, that alone counts.
    settle(ledger, name, ORDERED, request(name, product_type="webhosting"))
    assert ledger.duplicates(wanted) == {}


def test_an_adopted_contract_that_is_recorded_already(store: Store) -> None:
    ledger = store.open()
    assert settle(ledger, "a", ORDERED, domain("a")) is None
    assert settle(ledger, "b", ORDERED, domain("b")) == ledger.find(["a"])["a"]
    assert names_in(ledger) == ["a"]
    other = Outcome("ordered", contract_id="c-2")
    assert settle(ledger, "b", other, domain("b", may_be_second=True)) is None
    # What is recorded as two is settled as before.
    assert settle(ledger, "b", other, domain("b")) is None
    assert settle(ledger, "a", ORDERED, None) is None


@pytest.mark.parametrize(
    ("contract_id", "service", "same"),
    [
        ("c-1", "https://service.example", True),
        ("0197F7AC-5B1E-7C2F-B5D7-0F3A4E4F7F3C", "https://other.example", True),
        ("C-1", "https://service.example", True),
        ("c-1", "", True),
        ("c-1", "https://other.example", False),
        ("c-2", "https://service.example", False),
    ],
)
def test_a_contract_id_settles_one_order(store: Store, contract_id: str, service: str, same: bool) -> None:
    ledger = store.open()
    known = contract_id.swapcase() if same else "c-1"
    settlements = [
        Settlement("a", Outcome("ordered", contract_id=known), domain("a")),
        Settlement("b", Outcome("ordered", contract_id=contract_id), domain("b", "example.com", service=service)),
    ]
    assert [each and each.name for each in ledger.settle(settlements)] == [None, "a" if same else None]


DOUBT = Outcome("in_doubt", "Lost.")
WITHOUT_ID = Outcome("ordered", l2vpn_id=None)
DOUBTED = Outcome("in_doubt", "Another order has it.")


def answered(contract_id: str = "c-1", **changes: Any) -> Outcome:
    outcome = Outcome("ordered", contract_id=contract_id, l2vpn_id=CUSTOMER, without_id=WITHOUT_ID)
    return outcome._replace(**changes)


@pytest.mark.parametrize(
    ("contract_id", "service", "taken"),
    [
        ("C-1", "https://service.example", True),
        ("0197F7AC-5B1E-7C2F-B5D7-0F3A4E4F7F3C", "https://other.example", True),
        ("c-1", "https://other.example", False),
        ("c-2", "https://service.example", False),
    ],
)
@pytest.mark.parametrize(("without_id", "status"), [(WITHOUT_ID, "ordered"), (DOUBTED, "in_doubt")])
def test_contract_id_of_another_record_is_not_recorded(
    store: Store, contract_id: str, service: str, taken: bool, without_id: Outcome, status: str
) -> None:
    """Nor is anything else of the record that it is of, however much that shows."""
    ledger, known = store.open(), contract_id.swapcase() if taken else "c-1"
    claim(ledger, [domain("a"), domain("b", "example.com", service=service)])
    assert record(ledger, "a", answered(known)).outcome.contract_id == known
    found = record(ledger, "b", answered(contract_id, proven=True, without_id=without_id)).outcome
    assert (found.contract_id is None, found.l2vpn_id is None) == (taken, taken)
    assert found.status == (status if taken else "ordered")
    assert ledger.find(["a"])["a"].outcome.contract_id == known


@pytest.mark.parametrize(
    ("first", "second", "keeps"),
    [
        (answered(), answered("C-1"), []),
        (answered(proven=True), answered(proven=True), []),
        (answered(proven=True), answered(), ["a"]),
        (answered(), answered(proven=True), ["b"]),
        (answered(), answered("c-2"), ["a", "b"]),
        (answered(), DOUBT, ["a"]),
    ],
)
def test_contract_id_of_two_answers_at_once_is_that_of_the_one_that_shows_its_order_or_of_neither(
    store: Store, first: Outcome, second: Outcome, keeps: list[str]
) -> None:
    ledger = store.open()
    claim(ledger, [domain("a"), domain("b", "example.com")])
    records = ledger.exchange({"a": first, "b": second}, [], longest=0.0)[0]
    assert [name for name in ("a", "b") if records[name].outcome.contract_id] == keeps
    assert records == ledger.find(["a", "b"])


def test_outcome_that_is_recorded_again_keeps_its_id(store: Store) -> None:
    ledger = store.open()
    claim(ledger, [domain("a")])
    for _commit in range(2):
        assert record(ledger, "a", answered()).outcome.contract_id == "c-1"


def test_known_ids_are_the_end_users_and_products_of_all_orders(store: Store) -> None:
    ledger = store.open()
    claim(ledger, [domain("a", product="P-1"), host("b", product="p-2")])
    assert ledger.known_ids(["p-1", "p-2", "p-3", CUSTOMER.lower()]) == {"p-1", "p-2", CUSTOMER.lower()}


def test_a_service_that_moved(store: Store) -> None:
    ledger = store.open()
    claim(ledger, [domain("a"), domain("b", "example.com", service="https://other.example"), domain("c", "c.example")])
    settle(ledger, "d", ORDERED, None)
    assert ledger.read(Transaction.services) == {"https://service.example": 2, "https://other.example": 1}
    ledger.readdress("https://service.example", "https://new.example")
    assert ledger.read(Transaction.services) == {"https://new.example": 2, "https://other.example": 1}
    # A run that is placing an order meanwhile records it at its new place.
    record(ledger, "a", ORDERED)
    kept = ledger.find(["a"])["a"].request
    assert kept is not None
    assert kept.service == "https://new.example"
    assert ledger.duplicates([domain("x", service="https://new.example")]).keys() == {"x"}


TIME = "2026-11-21T10:00:00Z"
MINE, OTHERS, PERSONS = "mine", "another", None

UNNAMED = Outcome("ordered")
REJECTED = Outcome("rejected", "No.")
NOT_SENT = Outcome("not_sent", "No way.")
PENDING = Outcome("pending")
OTHER = Outcome("ordered", contract_id="c-2")

LEAVE, REFUSE, WRITE = "leave", "refuse", "write"


@pytest.mark.parametrize(
    ("whose", "kept", "own", "expected"),
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
def test_what_is_written_over_what(whose: str | None, kept: Outcome, own: Outcome, expected: Any) -> None:
    recorded = Record("a", kept, request("a"), whose, TIME, None, TIME)
    claimed = recorded._replace(run_id=MINE)
    if expected == REFUSE:
        with pytest.raises(LedgerError, match="may exist twice") as caught:
            record_to_write(recorded, claimed, own)
        for outcome in (kept, own):
            assert (outcome.contract_id or outcome.status) in caught.value.message
    else:
        wanted = {LEAVE: None, WRITE: own}.get(expected, expected) if isinstance(expected, str) else expected
        written = record_to_write(recorded, claimed, own)
        assert (written and written.outcome) == wanted
