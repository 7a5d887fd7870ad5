# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a claim keeps for the service's own list of contracts, and what settles many orders at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import InFlightError, LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import rows
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    ClaimEvidence,
    Filter,
    Outcome,
    Record,
    Request,
    Settlement,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request, settle

EVIDENCE = ClaimEvidence("a-marker", ("c-1", "c-2"), complete=True)
PLACED = Outcome("ordered", "Settled by what the service lists.", "c-9")


def evidence_of(ledger: Ledger, name: str = "a") -> ClaimEvidence | None:
    held = ledger.find([name])[name].request
    assert held is not None
    return held.evidence


def claim(ledger: Ledger, name: str = "a", evidence: ClaimEvidence | None = EVIDENCE) -> None:
    assert ledger.claim([replace(request(name), evidence=evidence)]) == [None]


def test_evidence_is_kept_with_its_claim(store: Store) -> None:
    kept = (EVIDENCE, ClaimEvidence(), ClaimEvidence("m"), ClaimEvidence(None, (), True), None)
    with store.open() as ours:
        for number, evidence in enumerate(kept):
            claim(ours, f"order-{number}", evidence)
    reader = store.open(writing=False)
    assert tuple(evidence_of(reader, f"order-{number}") for number in range(len(kept))) == kept
    assert reader.find(["order-0"])["order-0"].request == request("order-0")


def test_evidence_and_a_told_id_outlast_the_outcome(store: Store) -> None:
    ours = store.open()
    claim(ours)
    ours.record("a", Outcome("in_doubt", "Lost.", told_id="c-9"))
    standing = store.open(writing=False).find(["a"])["a"]
    assert (standing.outcome.told_id, standing.outcome.contract_id) == ("c-9", None)
    assert evidence_of(ours) == EVIDENCE


def test_another_claim_of_the_name_has_its_own_evidence(store: Store) -> None:
    ours = store.open()
    claim(ours)
    ours.record("a", Outcome("rejected", "No."))
    claim(store.open(), evidence=None)
    assert evidence_of(ours) is None


def test_evidence_of_another_form_is_none(store: Store) -> None:
    ours = store.open()
    claim(ours)
    for held in ("[]", "{}", '"text"'):
        ours._run(lambda each, held=held: each.query(f"UPDATE {rows.ORDERS} SET evidence = ?", [held]), writing=True)
        assert evidence_of(ours) is None


def test_partly_known_request_is_kept_as_such(store: Store) -> None:
    ledger = store.open()
    for name, partial in (("a", True), ("b", False)):
        settle(ledger, name, replace(PLACED, contract_id=name), replace(request(name), partial=partial))
    held = ledger.find(["a", "b"])
    assert [getattr(held[name].request, "partial", None) for name in ("a", "b")] == [True, False]


def in_doubt(store: Store, *names: str) -> list[Record]:
    with store.open() as ours:
        for name in names:
            claim(ours, name)
    found = store.open(writing=False).find(names)
    return [found[name] for name in names]


def test_many_are_settled_and_adopted_in_one_transaction(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    doubtful = in_doubt(store, "a", "b")
    ledger, transactions = store.open(), []
    run = ledger._run
    monkeypatch.setattr(
        ledger, "_run", lambda work, writing: (transactions.append(writing), run(work, writing=writing))[1]
    )
    words = [Settlement(each.name, replace(PLACED, contract_id=each.name), None, each) for each in doubtful]
    words += [Settlement(f"n{number}", replace(PLACED, contract_id=f"c{number}")) for number in range(40)]
    assert ledger.settle(words) == [None] * 42
    assert transactions == [True]
    found = ledger.select(Filter(statuses=["ordered"]))
    assert len(found) == 42
    settled = ledger.find(["a"])["a"]
    assert (settled.outcome.contract_id, settled.request, settled.ordered_at) == ("a", request("a"), settled.claimed_at)
    # What is written already is no obstacle: the answer to a commit may have been lost.
    assert ledger.settle(words) == [None] * 42
    assert ledger.select(Filter(statuses=["ordered"])) == found


def _change(store: Store, what: str) -> None:
    ledger = store.open()
    if what == "settled":
        settle(ledger, "a", Outcome("ordered", contract_id="c-5"), None)
    elif what == "removed":
        ledger.remove("a")
    elif what == "ordered again":
        ledger.remove("a")
        claim(ledger)
    else:
        settle(ledger, "b", Outcome("ordered", contract_id="c-9"), None)


@pytest.mark.parametrize("what", ["settled", "removed", "ordered again", "contract of another"])
def test_what_has_changed_since_it_was_read_is_left(store: Store, what: str) -> None:
    (doubtful,) = in_doubt(store, "a")
    _change(store, what)
    before = {record.name: record for record in store.open(writing=False).select(Filter())}
    (in_the_way,) = store.open().settle([Settlement("a", PLACED, None, doubtful)])
    assert in_the_way is not None
    assert in_the_way.name == ("b" if what == "contract of another" else "a")
    assert {record.name: record for record in store.open(writing=False).select(Filter())} == before


def test_contract_is_not_given_to_two_names_at_once(store: Store) -> None:
    first, second = store.open().settle([Settlement("a", PLACED), Settlement("b", PLACED)])
    assert (first, second and second.name) == (None, "a")
    assert store.open(writing=False).names() == ["a"]


def test_adopted_name_that_is_recorded_meanwhile_is_left(store: Store) -> None:
    ledger = store.open()
    settle(ledger, "a", Outcome("ordered", contract_id="c-1"), None)
    (in_the_way,) = ledger.settle([Settlement("a", PLACED)])
    assert in_the_way is not None
    assert in_the_way.outcome.contract_id == "c-1"


def test_duplicate_under_another_name_is_not_adopted(store: Store) -> None:
    ledger = store.open()
    about = '["domain",null,"example.org"]'
    settle(ledger, "a", Outcome("ordered"), _about("a", about))
    (in_the_way,) = ledger.settle([Settlement("b", PLACED, _about("b", about))])
    assert in_the_way is not None
    assert in_the_way.name == "a"
    assert ledger.settle([Settlement("b", PLACED, _about("b", about), again=True)]) == [None]


def _about(name: str, identity: str) -> Request:
    return replace(request(name), identity=identity)


def test_order_in_progress_is_not_settled(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    claim(ours)
    standing = theirs.find(["a"])["a"]
    with pytest.raises(InFlightError):
        theirs.settle([Settlement("b", PLACED), Settlement("a", replace(PLACED, contract_id="c-8"), None, standing)])
    assert theirs.names() == ["a"]


def test_nothing_is_settled_in_a_ledger_that_is_read(sqlite_store: Store) -> None:
    sqlite_store.open().close()
    with pytest.raises(LedgerError, match="reading only"):
        sqlite_store.open(writing=False).settle([Settlement("a", PLACED)])


def test_pending_is_no_settlement(sqlite_store: Store) -> None:
    pending: Any = Settlement("a", Outcome("pending"))
    with pytest.raises(ValueError, match="cannot be pending"):
        sqlite_store.open().settle([pending])
