# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a claim keeps for the service's own list of contracts, and settling in one transaction."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import InFlightError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    ClaimEvidence,
    Filter,
    Outcome,
    Record,
    Settlement,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request, settle

EVIDENCE = ClaimEvidence("a-marker", ("c-1", "c-2"), complete=True)
PLACED = Outcome("ordered", "Settled by what the service lists.", "c-9")


def claim(ledger: Ledger, name: str = "a") -> None:
    assert ledger.claim([replace(request(name), evidence=EVIDENCE)]) == [None]


def test_evidence_and_a_told_id_outlast_the_outcome(store: Store) -> None:
    ours = store.open()
    claim(ours)
    ours.record("a", Outcome("in_doubt", "Lost.", told_id="c-9"))
    standing = store.open(writing=False).find(["a"])["a"]
    assert (standing.outcome.told_id, standing.outcome.contract_id) == ("c-9", None)
    assert standing.request is not None
    assert standing.request.evidence == EVIDENCE


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
    assert (settled.outcome.contract_id, settled.ordered_at, settled.run_id) == ("a", settled.claimed_at, None)
    assert settled.request == replace(request("a"), evidence=EVIDENCE)
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
    settlement = [Settlement("a", PLACED, None, doubtful)]
    (in_the_way,) = told = store.open().settle(settlement)
    assert in_the_way is not None
    assert store.open(writing=False).settle(settlement, really=False) == told
    assert in_the_way.name == ("b" if what == "contract of another" else "a")
    assert {record.name: record for record in store.open(writing=False).select(Filter())} == before


def test_contract_is_not_given_to_two_names_at_once(store: Store) -> None:
    both, nothing = [Settlement("a", PLACED), Settlement("b", PLACED)], store.open(writing=False)
    for ledger, really in ((nothing, False), (store.open(), True)):
        first, second = ledger.settle(both, really=really)
        assert (first, second and second.name) == (None, "a")
    assert store.open(writing=False).names() == ["a"]


def test_runs_that_settle_at_once_give_a_contract_to_one_name(store: Store) -> None:
    """Two names, or one thing under two names: one run waits until the other one's transaction has ended."""
    runs = [store.run() for _rest in range(6)]
    for what in ("contract", "domain"):
        for number, run in enumerate(runs):
            run.tell("adopt", f"{what}-{number}", what)
        answers = [run.answer() for run in runs]
        (name,) = {each for each in store.open().names() if each.startswith(what)}
        assert sorted(answers, key=str) == sorted([None, *[name] * 5], key=str)


def test_order_in_progress_is_not_settled(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    claim(ours)
    standing = theirs.find(["a"])["a"]
    with pytest.raises(InFlightError):
        theirs.settle([Settlement("b", PLACED), Settlement("a", replace(PLACED, contract_id="c-8"), None, standing)])
    assert theirs.names() == ["a"]
