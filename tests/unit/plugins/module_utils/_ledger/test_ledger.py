# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every ledger promises, for each of them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError, ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import (
    Actor,
    Clock,
    History,
    Run,
    Token,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.identity import identity
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.ledger_tables import (
    COLUMNS,
    ORDERS,
    record_of,
    row_of,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Cancellation,
    Filter,
    ListedIds,
    NamedOperation,
    Outcome,
    Record,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.transaction import Transaction
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._locations.moving import accept, retire
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import open_ledger
from tests.support.ledgers import await_doubt, claim, record, remove
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import in_the_way, request, settle

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
ORDERED = Outcome("ordered", None, "c-1", {"id": "c-1", "list": [1, None, "ü\0"]}, "l-1")


def one(ledger: Ledger, name: str) -> Record:
    return ledger.find([name])[name]


def test_a_claim_is_pending_for_others_until_it_is_recorded(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    known_of_it = {"partial": True, "approved_by": "plan", "listed_prices": {"price": 1}}
    wanted = request("a", identity=identity("hostname", "A", "E"), **known_of_it)
    assert claim(ours, [wanted]) == [None]
    assert claim(theirs, [request("a", end_user="other")]) == [recorded := one(ours, "a")]
    assert (recorded.status, recorded.alive, recorded.request) == ("pending", True, wanted)
    assert TIME.fullmatch(recorded.claimed_at or "")

    record(ours, "a", ORDERED)
    assert claim(theirs, [request("a")]) == [recorded := one(ours, "a")]
    assert (recorded.status, recorded.outcome, recorded.request) == ("ordered", ORDERED, wanted)
    assert TIME.fullmatch(recorded.ordered_at or "")
    # Some parts do not count for what was requested.
    assert {name: getattr(recorded.request, name) for name in known_of_it} == known_of_it


def test_outcomes_are_recorded_with_the_next_claims_or_neither_is_written(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    assert claim(ours, [request("a"), request("b")]) == [None, None]
    records, prevented = ours.exchange({"a": ORDERED}, [request("c"), request("a")], longest=0.0)
    assert prevented[0] is None
    assert prevented[1] == records["a"] == one(theirs, "a")
    assert one(theirs, "c").status == "pending"
    moved: Any = theirs
    moved.run(lambda transaction: transaction.set_meta("moved_to", "elsewhere"), writing=True)
    with pytest.raises(LedgerError, match="moved to elsewhere"):
        ours.exchange({"b": ORDERED}, [request("d")], longest=0.0)
    assert one(theirs, "b").status == "pending"
    assert theirs.find(["d"]) == {}
    assert record(ours, "b", ORDERED).status == "ordered"


def listed(name: str, *ids: str, **changes: Any) -> StoredRequest:
    return request(name, evidence=ListedIds(frozenset(ids)), **changes)


def kept_lists(store: Store) -> list[frozenset[str]]:
    return [frozenset(hashes.split()) for _digest, hashes in store.state()[2]]


def test_lists_are_kept_once_as_keyed_hashes_while_a_claim_is_not_certain(store: Store) -> None:
    ours = store.open()
    assert claim(ours, [listed("lost", "a", "b"), listed("placed", "a", "b")]) == [None, None]
    first = ListedIds(frozenset("ab")).kept(ours.digest_key)
    assert first.ids.isdisjoint({"a", "b"})
    assert first.ids.isdisjoint(ListedIds(frozenset("ab")).kept(b"another key").ids)
    ours.exchange({"placed": ORDERED}, [listed("late", "a", "b")], longest=0.0)
    record(ours, "lost", Outcome("in_doubt", "No answer."))
    assert kept_lists(store) == [first.ids]
    found = {each.name: each.request and each.request.evidence for each in store.open(writing=False).select(Filter())}
    assert found == {"lost": first, "placed": None, "late": first}
    assert [first.has(each) for each in "abc"] == [True, True, False]
    # Another run's list is kept beside it, until nothing refers to the first one any more.
    theirs = store.open()
    claim(theirs, [listed("other", "c")])
    assert len(kept_lists(store)) == 2
    record(ours, "late", Outcome("rejected", "No."))
    settle(theirs, "lost", Outcome("ordered", contract_id="c-2"))
    assert kept_lists(store) == [ListedIds(frozenset("c")).kept(ours.digest_key).ids]
    record(theirs, "other", Outcome("in_doubt", "No answer."))
    remove(theirs, "other")
    assert kept_lists(store) == []


def test_an_order_without_an_id_has_its_list_until_its_run_ends(store: Store) -> None:
    ours = store.open()
    claim(ours, [listed("a", "c-1"), listed("b", "c-1")])
    record(ours, "a", Outcome("ordered"))
    record(ours, "b", ORDERED)
    assert kept_lists(store) == []

    def evidence(ledger: Ledger) -> list[ListedIds | None]:
        return [each.request.evidence for each in ledger.select(Filter()) if each.request]

    (noted, nothing) = evidence(ours)
    assert noted is not None
    assert (noted.has("c-1"), noted.has("c-2"), nothing) == (True, False, None)
    assert evidence(store.open()) == [None, None]
    # Whoever settles it ends that.
    settle(ours, "a", Outcome("ordered", contract_id="c-9"))
    assert evidence(ours) == [None, None]


def test_number_of_a_name_is_kept_for_good_and_only_its_own_run_takes_it_back(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    claim(ours, [request(name) for name in ("placed", "lost", "rejected", "not sent", "killed")])
    record(ours, "placed", ORDERED)
    record(ours, "lost", Outcome("in_doubt", "No answer."))
    record(ours, "rejected", Outcome("rejected", "No."))
    record(ours, "not sent", Outcome("not_sent", "No."))
    numbers = {"placed": 1, "lost": 1, "rejected": 0, "not sent": 0, "killed": 1, "adopted": 0, "PLACED ": 1}
    assert theirs.numbers([*numbers]) == numbers
    # A person takes nothing back, neither by settling nor by removing.
    settle(theirs, "lost", ORDERED)
    settle(theirs, "adopted", Outcome("ordered", contract_id="c-2"))
    remove(theirs, "placed")
    assert theirs.numbers([*numbers]) == numbers
    claim(theirs, [request("PLACED"), request("rejected")])
    assert store.open(writing=False).numbers(["placed", "rejected"]) == {"placed": 2, "rejected": 1}


def test_claim_that_was_removed_counts_for_good_though_its_run_then_releases_it(store: Store) -> None:
    """Else one approval would order the name twice: plan, claim and late release make the plan's number again."""
    ours, theirs = store.open(), store.open()
    claim(ours, [request("a")])
    forget(store, "a")
    planned = theirs.numbers(["a"])
    assert planned == {"a": 1}
    claim(theirs, [request("a", number=planned["a"])])
    record(theirs, "a", ORDERED)
    remove(theirs, "a")
    record(ours, "a", Outcome("not_sent", "Too late."))
    with pytest.raises(LedgerError, match="a was claimed since the plan was made"):
        claim(theirs, [request("a", number=planned["a"])])


def test_claim_of_another_number_than_its_plan_says_is_refused_and_nothing_is_written(store: Store) -> None:
    ours = store.open()
    claim(ours, [request("a", number=0)])
    record(ours, "a", Outcome("not_sent", "No."))
    assert claim(ours, [request("a", number=0)]) == [None]
    record(ours, "a", ORDERED)
    remove(ours, "a")
    for number, words in ((0, "a was claimed since the plan was made"), (2, "The ledger is older than the plan")):
        with pytest.raises(LedgerError, match=rf"{words}(?s:.*): 1 claims of a, {number} in the plan"):
            claim(ours, [request("b", number=0), request("a", number=number)])
    assert ours.find(["a", "b"]) == {}
    assert ours.numbers(["a", "b"]) == {"a": 1, "b": 0}
    assert claim(ours, [request("a", number=1)]) == [None]
    # What another run has claimed is no matter of numbers: it stands in the way.
    assert claim(store.open(), [request("a", number=1)]) == [one(ours, "a")]


def test_what_is_done_by_hand_is_kept_with_who_did_it_and_what_it_was_before(store: Store) -> None:
    ours, them = store.open(), Actor("operator", "17", "16")
    claim(
        ours,
        [request("lost"), NamedOperation("cancel lost (c-1, 1)", "https://h", "1", "DELETE /x", "d", cancels="lost")],
    )
    record(ours, "lost", Outcome("in_doubt", "No answer."))
    theirs = store.open(actor=them)
    lost = one(theirs, "lost").as_dict()
    settle(theirs, "lost", ORDERED)
    settled = one(theirs, "lost").as_dict()
    settle(theirs, "adopted", Outcome("ordered", contract_id="c-2"))
    record(ours, "cancel lost (c-1, 1)", Outcome("ordered", until="2027-01-31", contract={"state": "cancelled"}))
    theirs.readdress("https://service.example", "https://new.example")
    theirs.readdress("https://service.example", "https://new.example")
    remove(theirs, "lost")
    reader = store.open(writing=False)
    events = reader.events()
    assert [(each.action, each.name, each.actor) for each in events] == [
        ("settled", "lost", them),
        ("adopted", "adopted", them),
        ("cancelled", "lost", Actor()),
        ("readdressed", None, them),
        ("removed", "lost", them),
    ]
    assert (events[0].before, events[0].after) == (lost, settled)
    assert events[1].before is None
    assert (events[3].before, events[3].after) == (
        {"base_url": "https://service.example"},
        {"base_url": "https://new.example"},
    )
    assert events[4].after is None
    assert {TIME.fullmatch(each.at) is not None for each in events} == {True}
    assert {each.host for each in events} == {os.uname().nodename}
    assert [each.action for each in reader.events("LOST")] == ["settled", "cancelled", "removed"]
    assert events[4].as_dict()["actor"] == {"user": "operator", "awx_job_id": "17", "awx_workflow_job_id": "16"}


@pytest.mark.parametrize("by_hand", [False, True])
def test_cancellation_that_is_done_marks_the_order(store: Store, by_hand: bool) -> None:
    ours = store.open()
    cancel = NamedOperation("cancel a (c-1, 1)", "https://h", "1", "DELETE /x", "d", cancels="a")
    claim(ours, [request("a")])
    record(ours, "a", ORDERED)
    claim(ours, [cancel])
    record(ours, "cancel a (c-1, 1)", Outcome("in_doubt", "No answer."))
    assert one(ours, "a").cancelled is None
    done = Outcome("ordered", until="2027-01-31", contract={"state": "cancelled"})
    if by_hand:
        settle(store.open(), "cancel a (c-1, 1)", done)
    else:
        record(ours, "cancel a (c-1, 1)", done)
    found = one(ours, "a")
    assert found.cancelled == Cancellation(found.updated_at, "cancel a (c-1, 1)", "2027-01-31", {"state": "cancelled"})
    assert (found.status, found.outcome) == ("ordered", ORDERED)


def test_late_outcome_of_a_cancellation_does_not_mark_what_was_ordered_under_that_name_since(
    sqlite_store: Store,
) -> None:
    ours, theirs = sqlite_store.open(), sqlite_store.open()
    claim(ours, [request("a")])
    record(ours, "a", ORDERED)
    claim(ours, [NamedOperation("cancel a", "https://h", "1", "DELETE /x", "d", cancels="a")])
    remove(theirs, "a")
    sqlite_store.clocks.pass_(1e9, "wall")
    claim(theirs, [request("a")])
    record(ours, "cancel a", Outcome("ordered"))
    record(theirs, "a", Outcome("ordered", contract_id="c-2"))
    assert one(theirs, "a").cancelled is None


@pytest.mark.parametrize(
    ("services", "real"),
    [(["http://127.0.0.1:8080", "http://localhost"], None), (["http://localhost", "https://a.example"], "yes")],
)
@pytest.mark.parametrize("adopting", [False, True])
def test_ledger_of_services_on_this_machine_alone_is_a_trial(
    store: Store, services: list[str], real: str | None, adopting: bool
) -> None:
    ledger = store.open()
    for number, service in enumerate(services):
        wanted = request(f"web{number}", service=service)
        if adopting:
            settle(ledger, wanted.name, Outcome("ordered", contract_id=f"c-{number}"), wanted)
        else:
            claim(ledger, [wanted])
            record(ledger, wanted.name, Outcome("not_sent", "No."))
        if number == 0:
            assert ledger.seen.real is None
    assert (ledger.seen.real, store.open(writing=False).history().real) == (real, real)


def test_claim_ends_with_its_run_unless_a_request_of_it_may_be_under_way(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    claim(ours, [request("ended"), request("under way"), request("recorded")])
    record(ours, "recorded", ORDERED)
    ours.under_way |= {"under way", "recorded"}
    if not os.fork():
        # What the other process has claimed is not ended, and its connection stays as it is.
        ours.close()
        os._exit(0)
    os.wait()
    assert {each.name: each.status for each in theirs.select(Filter())}["ended"] == "pending"
    assert one(ours, "ended").status == "pending"
    ours.close()
    statuses = {each.name: each.status for each in theirs.select(Filter())}
    assert statuses == {"ended": "in_doubt", "under way": "pending", "recorded": "ordered"}


def test_names_for_end_users_are_those_of_the_service_and_the_own_organization(store: Store) -> None:
    ours = store.open()
    here = {"service": "https://here", "organization_id": "1"}
    cases: dict[str, dict[str, Any]] = {
        "own": here,
        "theirs": {**here, "end_user": "ABC", "organization_id": "2"},
        "another's": {**here, "end_user": "def"},
        "of another organization": {**here, "organization_id": "2"},
        "elsewhere": {**here, "service": "https://there"},
        "released": here,
        "adopted": {**here, "service": "", "organization_id": ""},
    }
    for name, values in cases.items():
        claim(ours, [request(name, **values)])
    record(ours, "released", Outcome("not_sent", "No."))
    reader = store.open(writing=False)
    assert sorted(reader.read(Transaction.names_for, ["__self__"], "https://here", "1")) == ["adopted", "own"]
    both = reader.read(Transaction.names_for, ["abc", "__self__"], "https://here", "1")
    assert sorted(both) == ["adopted", "own", "theirs"]
    assert reader.read(Transaction.names_for, [], "https://here", "1") == []


@pytest.mark.parametrize("status", ["rejected", "not_sent"])
def test_a_released_claim_keeps_its_reason_and_is_free(store: Store, status: Any) -> None:
    ours = store.open()
    claim(ours, [request("a")])
    record(ours, "a", Outcome(status, "The reason."))
    assert one(ours, "a").outcome == Outcome(status, "The reason.")
    for ledger in (store.open(), ours):
        assert claim(ledger, [request("a", product="other")]) == [None]
        recorded = one(ours, "a")
        assert (recorded.status, recorded.outcome.reason) == ("pending", None)
        assert recorded.request == request("a", product="other")
        record(ledger, "a", Outcome(status, "The reason."))


def test_a_group_is_claimed_as_far_as_it_is_free(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    claim(theirs, [request("b")])
    wanted = [request("c"), request("b"), request("a", end_user="first"), request("a", end_user="second")]
    wanted += [request(name, identity=identity("domain", "example.org")) for name in ("z", "y")]
    assert in_the_way(ours, *wanted) == [None, "b", None, "a", None, "z"]
    assert one(ours, "a").request == request("a", end_user="first")
    assert claim(ours, []) == []


def test_what_strange_services_say_is_recorded(store: Store) -> None:
    ours = store.open()
    claim(ours, [request("a")])
    written = record(ours, "a", Outcome("ordered", "half \udcff, nil \0", "id\0", {"\0": "\ud800"}))
    found = one(ours, "a")
    assert written == found
    assert (found.status, found.outcome.contract) == ("ordered", {"\0": "\ud800"})
    assert "half ?" in (found.outcome.reason or "")


#: Names, and others that look like them.
ALIKE = {
    "Shop/Main": ["shop/main", "shop//main", "Shop/Main/", "Shop/Main.", "\uff33hop\uff0fMain", "shop / main /."],
    "Straße 1": ["STRASSE 1", "strasse  1", "Stra\xdfe\xa01", "\u017ftrasse 1", "straße \u2460"],
    "a.example.org": ["A.EXAMPLE.ORG.", "a\u2024example.org"],
}
UNLIKE = ["Shop-Main", "shopmain", "shop/main/2", "strasse 2", "a.example.com", "a-example.org"]


def test_names_that_look_alike_do_not_answer_for_each_other(store: Store) -> None:
    ours = store.open()
    claim(ours, [request(name) for name in (*ALIKE, "Released", "same")])
    record(ours, "Released", Outcome("rejected", "No credit."))
    others = {other: name for name, forms in ALIKE.items() for other in forms}
    wanted = [*others, *UNLIKE, "released", "same", *(f"n{number}" for number in range(600)), "Shop/Main"]
    records, found = ours.look_up(wanted)
    assert {name: each.name for name, each in found.items()} == {**others, "same": "same", "Shop/Main": "Shop/Main"}
    assert [*records] == ["same", "Shop/Main"]
    assert store.open(writing=False).look_up([]) == ({}, {})
    # Another run looked for them before that one claimed.
    names = (*others, "RELEASED", "Shop/Main", "n1")
    assert in_the_way(store.open(), *map(request, names)) == [*others.values(), None, "Shop/Main", None]
    # Where two that look alike were adopted, each name is its own.
    assert [settle(ours, name, Outcome("ordered")) for name in ("sAme", "SAME")] == [None, None]
    assert in_the_way(store.open(), *map(request, ("SAME", "same", "sAme"))) == ["SAME", "same", "sAme"]


#: What each run looks up: the column, what else it asks of the rows, and the index that finds them.
LOOKED_UP = [
    ("folded_name", "", "orders_folded_name"),
    ("subject", " AND status NOT IN ('rejected')", "orders_subject"),
    ("lower(end_user)", "", "orders_end_user"),
    ("lower(contract_id)", " AND status = 'ordered'", "orders_contract_id"),
    ("listed", "", "orders_listed"),
]


def test_ledger_of_a_million_orders_is_searched_by_its_indexes(store: Store) -> None:
    explain = "EXPLAIN" if "://" in store.address else "EXPLAIN QUERY PLAN"

    def explained(transaction: Transaction) -> None:
        if explain == "EXPLAIN":
            transaction.query("SET LOCAL enable_seqscan = off")
        for column, condition, index in LOOKED_UP:
            plan: Any = Mock(query=lambda statement, bound: transaction.query(f"{explain} {statement}", bound))
            found = Transaction.rows_with(plan, f"SELECT * FROM {ORDERS}", column, ["a", "b"], condition)
            assert re.search(index, str(found)), found

    ledger: Any = store.open()
    ledger.run(explained, writing=False)


def test_a_reader_writes_nothing(store: Store) -> None:
    ours = store.open()
    claim(ours, [request("a")])
    reader = store.open(writing=False)
    for write in (lambda: claim(reader, [request("b")]), lambda: remove(reader, "a")):
        with pytest.raises(LedgerError, match="for reading only"):
            write()
    assert [(record.name, record.status) for record in reader.select(Filter())] == [("a", "pending")]


def test_missing_ledger_is_read_as_soon_as_another_run_has_made_it(store: Store) -> None:
    before = open_ledger(location_of(store.address, {}), "check")
    assert (before.exists, before.find(["a"])) == (False, {})
    ours = store.open()
    assert (before.find(["a"]), before.exists) == ({}, True)
    claim(ours, [request("a")])
    assert before.find(["a"]) == ours.find(["a"])
    assert (before.id, before.digest_key) == (ours.id, ours.digest_key)
    before.close()


def test_adopting_and_correcting_a_contract(store: Store) -> None:
    ours = store.open()
    settle(ours, "a", Outcome("ordered"), None)
    assert (one(ours, "a").request, one(ours, "a").ordered_at) == (None, None)
    settle(ours, "a", Outcome("ordered", contract_id="c-1", contract={"id": "c-1"}), request("a"))
    for contract_id in ("c-2", None):
        settle(ours, "a", Outcome("ordered", contract_id=contract_id), None)
        assert one(ours, "a").outcome == Outcome("ordered", contract_id=contract_id)
    assert one(ours, "a").request == request("a")


def forget(store: Store, name: str) -> None:
    """What a person does who takes a run for dead that is not: only a lost lock makes that possible."""
    ledger: Any = store.open()
    ledger.run(lambda transaction: transaction.query(f"DELETE FROM {ORDERS} WHERE name = ?", [name]), writing=True)
    ledger.close()


def test_record_that_changed_since_it_was_read_is_not_removed(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    claim(ours, [request("a")])
    record(ours, "a", Outcome("in_doubt", "The answer was lost."))
    seen = one(theirs, "a")
    assert settle(ours, "a", ORDERED) is None
    left = theirs.remove(seen)
    assert left is not None
    assert left.status == one(theirs, "a").status == "ordered"


def test_a_removed_claim_is_made_again_with_its_outcome(store: Store) -> None:
    outcomes = [ORDERED, Outcome("in_doubt", "Lost."), Outcome("rejected", "No."), Outcome("not_sent", "No.")]
    ours = store.open()
    claim(ours, [request(outcome.status) for outcome in outcomes])
    for outcome in outcomes:
        forget(store, outcome.status)
        written = record(ours, outcome.status, outcome)
        assert written == one(ours, outcome.status)
        assert (written.outcome, written.request) == (outcome, request(outcome.status))
        assert written.claimed_at is not None


@pytest.mark.parametrize(("told", "again"), [("c-1", False), (None, False), ("c-2", True)])
def test_contract_that_was_settled_and_removed_meanwhile_is_recorded_again_only_if_it_is_another(
    store: Store, told: str | None, again: bool
) -> None:
    ours, theirs = store.open(), store.open()
    claim(ours, [request("a")])
    await_doubt(theirs, "a")
    settle(theirs, "a", ORDERED)
    remove(theirs, "a")
    assert record(ours, "a", Outcome("ordered", contract_id=told)).outcome.contract_id == told
    assert ("a" in theirs.find(["a"])) is again


def test_claim_that_was_removed_and_adopted_has_its_request_again_with_its_outcome(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    claim(ours, [request("a")])
    await_doubt(theirs, "a")
    remove(theirs, "a")
    settle(theirs, "a", ORDERED)
    assert one(theirs, "a").request is None
    assert record(ours, "a", ORDERED).request == one(theirs, "a").request == request("a")


def test_each_change_leaves_a_token_that_stays(store: Store) -> None:
    ledger, tokens = store.open(), []
    assert ledger.history() == History(ledger.place)
    changes: list[Callable[[], object]] = [
        lambda: claim(ledger, [request("a"), request("b")]),
        lambda: record(ledger, "a", Outcome("ordered")),
        lambda: settle(ledger, "c", Outcome("ordered")),
        lambda: remove(ledger, "c"),
        lambda: ledger.readdress("https://service.example", "https://new.example"),
    ]
    for change in changes:
        change()
        assert ledger.seen.token == store.open(writing=False).history().token
        tokens.append(ledger.seen.token)
    assert [token.number for token in tokens if token] == sorted({token.number for token in tokens if token})
    assert claim(ledger, [request("a")]) != [None]
    assert ledger.seen.token == tokens[-1]
    other = store.open()
    assert (other.id, other.address) == (ledger.id, ledger.address)
    never = Token("nobody", 1)
    assert other.history([never, *filter(None, tokens)]).lacks == {never}
    assert other.history().host == os.uname().nodename


def test_ledger_is_moved_once_nothing_is_pending(store: Store) -> None:
    ledger, mover, new = store.open(), store.open(), Mock(place="/new/ledger.db", address="/new/ledger.db")
    claim(ledger, [request("a")])
    with pytest.raises(ResellerError, match="The order a is being placed, or cut off: certain at "):
        retire(mover, new)
    assert ledger.history().moved_to is None
    record(ledger, "a", Outcome("ordered"))
    retire(mover, new)
    for change in (lambda: remove(ledger, "a"), lambda: settle(ledger, "a", ORDERED)):
        with pytest.raises(LedgerError, match=r"was moved to /new/ledger\.db\. Nothing was sent\."):
            change()
    # What was sent before is still recorded.
    record(ledger, "a", Outcome("ordered", contract_id="c-1"))
    accept(mover, {}, {})
    assert claim(ledger, [request("b")]) == [None]


def test_operations_and_orders_share_one_space_of_names(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    wanted = NamedOperation("web01", "https://portal.example.com", "4200", "POST /api/keys", "hmac-sha256:0", "7")
    assert claim(ours, [wanted]) == [None]
    assert in_the_way(ours, request("web01"), request("web00")) == ["web01", None]
    assert claim(theirs, [wanted]) == [recorded := one(ours, "web01")]
    assert (recorded.kind, recorded.status, recorded.operation) == ("operation", "pending", wanted)
    with pytest.raises(ResellerError, match="The operation web01 is being sent, or cut off"):
        remove(theirs, "web01")
    record(ours, "web00", Outcome("ordered"))
    record(ours, "web01", Outcome("in_doubt", "Lost."))
    assert [record.name for record in theirs.select(Filter())] == ["web00"]
    assert theirs.select(Filter(statuses=["in_doubt"])) == []
    (doubtful,) = theirs.select(Filter(["web01"], ["in_doubt"], kind="operation"))
    assert doubtful.operation == wanted
    record(ours, "web01", Outcome("ordered"))
    (done,) = theirs.select(Filter(statuses=["ordered"], kind="operation"))
    shown = done.as_dict()
    assert shown | {"status": "done", "operation": "POST /api/keys", "organization_id": "4200"} == shown
    assert theirs.look_up(["WEB01"]) == ({}, {"WEB01": one(ours, "web01")})
    # A claim that was released leaves its name to either.
    claim(ours, [request("free")])
    record(ours, "free", Outcome("rejected", "No."))
    assert claim(theirs, [replace(wanted, name="free")]) == [None]
    assert theirs.find(["free"])["free"].kind == "operation"


CLAIMED = "2026-11-21T10:00:00Z"
PENDING = Record("a", Outcome("pending"), request("a"), "mine", CLAIMED, None, CLAIMED, deadline="2026-11-21T10:02:00Z")
ROW = dict(zip(COLUMNS, row_of(PENDING), strict=True))


@pytest.mark.parametrize(
    ("column", "value"), [("identity", "["), ("settings", "{"), ("cancelled", "[1]"), ("deadline", "soon")]
)
def test_a_damaged_record_is_named(column: str, value: str) -> None:
    with pytest.raises(LedgerError, match=rf"record of the order a was damaged\.\nIts {column} is not valid"):
        record_of({**ROW, column: value}, "", Run("reader"), Clock(CLAIMED), {})
