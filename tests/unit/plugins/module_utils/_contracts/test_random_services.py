# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a lost order becomes at random services: nothing wrong is settled that some rule could tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reader import ContractReader
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reconciling import Reconciler
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    ListedIds,
    Outcome,
    Record,
    Request,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.receipts import SentOrder, read_receipt
from ansible_collections.hosting.reseller.plugins.module_utils._service.reference import Reference
from tests.support.random_services import OWN, PRODUCTS, SERVICE, Contract, RandomService, Story, story

CLAIMED = "2026-11-21T12:00:00Z"
SHORT, FULL = range(120), range(120, 2120)


def request_of(name: str, product: str, owner: str, key: str | None, evidence: ListedIds | None = None) -> Request:
    product_name, kind = PRODUCTS[product]
    settings = {} if key is None else {"domain" if kind == "domain" else "hostname": key}
    return Request(name, SERVICE, OWN, owner, product, product_name, kind, settings=settings, evidence=evidence)


def recorded(service: RandomService, contract: Contract) -> Record:
    request = request_of(f"order {contract.at}", contract.product, contract.owner, contract.key)
    outcome = Outcome("ordered", contract_id=service.id_of(contract))
    return Record(request.name, outcome, request, "run", CLAIMED, None, CLAIMED)


def id_in_answer(service: RandomService, contract: Contract) -> str | None:
    """The ID that the answer to its order tells, as far as that was not held against what was sent."""
    sent = SentOrder(parameter=service.parameter if service.has_items else "")
    return read_receipt(service.answer_to(contract), None, 201, sent).contract_id


def reconciler_of(service: RandomService, records: list[Record]) -> Reconciler:
    reference = Reference(SERVICE, service.document)
    names = {id_: name for id_, (name, _kind) in PRODUCTS.items()}
    return Reconciler(ContractReader(service, lambda: reference, records, products=lambda: names))


class Probe:
    """Counts over stories. ``wrong`` are the numbers of those that were settled wrongly although a rule could tell."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self.counts: Counter[str] = Counter()
        self.wrong: list[int] = []
        for number in numbers:
            drawn = story(number)
            before = [recorded(drawn.service, each) for each in drawn.recorded]
            self._check_lists(reconciler_of(drawn.service, before), drawn.service)
            if self._is_sent(drawn, before):
                self._after(number, drawn, before)

    def _check_lists(self, reconciler: Reconciler, service: RandomService) -> None:
        """Compare what a list shows with what there is."""
        (listing,) = reconciler.listings().values()
        self.counts["complete"] += listing.complete
        self.counts["falsely complete"] += listing.complete and len(listing.contracts) != len(service.contracts)
        ids = {*map(service.id_of, service.contracts)}
        proven = [each.contract.id for each in reconciler.unrecorded() if "is not proven" not in "".join(each.doubts)]
        self.counts["wrong ids"] += sum(each not in ids for each in proven)
        for each in service.contracts[:1]:
            found = id_in_answer(service, each)
            self.counts["ids of answers"] += found is not None
            self.counts["wrong ids of answers"] += found not in (None, service.id_of(each))

    def _is_sent(self, drawn: Story, before: list[Record]) -> bool:
        """Whether the order is sent, by what the list shows before it."""
        request = request_of("new", drawn.product, drawn.owner, drawn.key)
        found = reconciler_of(drawn.service, before).existing(request)
        self.counts["warned"] += bool(found.unclear)
        if drawn.duplicate:
            # Webhosting shows no name, so that only its owner and its product tell it.
            is_clear = drawn.key is not None and "not complete" not in found.unclear
            self.counts["clear duplicates sent"] += is_clear and not found.unrecorded
            return False
        self.counts["refused"] += bool(found.unrecorded)
        self.evidence = found.evidence
        return not found.unrecorded

    def _after(self, number: int, drawn: Story, before: list[Record]) -> None:
        """Judge the order whose answer was lost, by the list after it."""
        service, request = drawn.service, request_of("new", drawn.product, drawn.owner, drawn.key, self.evidence)
        service.contracts += drawn.after
        possible = None
        if drawn.made and drawn.is_answered:
            possible = id_in_answer(service, drawn.made)
        lost = Record("new", Outcome("in_doubt", possible_id=possible), request, "run", CLAIMED, None, CLAIMED)
        (judgment,) = (each for each in reconciler_of(service, [*before, lost]).judgments if each.name == "new")
        if judgment.contract is None:
            self.counts["open"] += 1
        elif drawn.made is not None and judgment.contract.id == service.id_of(drawn.made):
            self.counts["right"] += 1
        else:
            self.counts["wrong"] += 1
            self.counts[f"wrong: {drawn.undecidable or 'a rule could tell'}"] += 1
            self.wrong += [] if drawn.undecidable else [number]


#: Of 1,000 services: at most, and at least.
MOST = {"wrong": 5, "refused": 25, "warned": 240}
LEAST = {"right": 310, "complete": 950, "ids of answers": 700}
NEVER = ("falsely complete", "wrong ids", "wrong ids of answers", "clear duplicates sent")


@pytest.mark.parametrize("numbers", [SHORT, pytest.param(FULL, marks=pytest.mark.full)], ids=["short", "full"])
def test_random_services(numbers: range) -> None:
    """The counts, and the numbers of the stories to look at, stand in the message."""
    probe = Probe(numbers)
    counts, services = probe.counts, len(numbers)
    assert (probe.wrong, [name for name in NEVER if counts[name]]) == ([], []), counts
    assert {name: counts[name] for name, most in MOST.items() if counts[name] * 1000 > most * services} == {}, counts
    assert {name: counts[name] for name, least in LEAST.items() if counts[name] * 1000 < least * services} == {}, counts
