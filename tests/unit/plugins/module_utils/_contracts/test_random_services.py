# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a lost order becomes at random services: nothing wrong is settled that some rule could tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from random import Random

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.catalogue import Catalogue, Product
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.judging import Judge
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reading import ContractReader
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reconciling import Reconciler
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    ListedIds,
    Outcome,
    Record,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, Field
from ansible_collections.hosting.reseller.plugins.module_utils._service.receipts import SentOrder, read_receipt
from tests.support.random_services import OWN, PRODUCTS, SERVICE, Contract, ListedService, RandomService, Story, story

CLAIMED = "2026-11-21T12:00:00Z"
SHORT, FULL = range(50), range(120, 2120)


def request_of(
    name: str, product: str, owner: str, key: str | None, evidence: ListedIds | None = None
) -> StoredRequest:
    product_name, kind = PRODUCTS[product]
    settings = {} if key is None else {"domain" if kind == "domain" else "hostname": key}
    return StoredRequest(name, SERVICE, OWN, owner, product, product_name, kind, settings=settings, evidence=evidence)


def recorded(service: RandomService, contract: Contract) -> Record:
    request = request_of(f"order {contract.at}", contract.product, contract.owner, contract.key)
    outcome = Outcome("ordered", contract_id=service.id_of(contract))
    return Record(request.name, outcome, request, "run", CLAIMED, None, CLAIMED)


Describe = Callable[[RandomService], Description]


def learned(_service: RandomService) -> Description:
    """Nothing: the OpenAPI document tells the path."""
    return Description()


def given(service: RandomService) -> Description:
    """The file of somebody who saw one contract."""
    return Description("file", {f"contracts.{name}": Field(value, "file") for name, value in service.fields.items()})


def wrong(service: RandomService) -> Description:
    """The same file with two of its places exchanged, another two at each service."""
    fields = service.fields
    names = [each for each in ("id", "hostname", "product", "end_user") if each in fields]
    draw = Random(f"mistake {service.own_uuid}")
    one, other = draw.sample(names, 2)
    exchanged = {**fields, one: fields[other], other: fields[one]}
    return Description("file", {f"contracts.{name}": Field(value, "file") for name, value in exchanged.items()})


def reconciler_of(service: RandomService, records: list[Record], describe: Describe) -> Reconciler:
    reader = ContractReader(ListedService(service, describe(service), service.document))
    reader.read([OWN])
    products = [Product(id_, (name,), {}) for id_, (name, _kind) in PRODUCTS.items()]
    return Reconciler(reader, records, Catalogue(products))


def id_in_answer(service: RandomService, contract: Contract) -> str | None:
    """The ID that the answer to its order tells, as far as that was not held against what was sent."""
    sent = SentOrder(parameter=service.parameter if service.has_items else "")
    return read_receipt(service.answer_to(contract), None, 201, sent).contract_id


class Probe:
    """Counts over stories. ``wrong`` are the numbers of those that were settled wrongly although a rule could tell."""

    def __init__(self, numbers: Iterable[int], describe: Describe) -> None:
        self.describe = describe
        self.counts: Counter[str] = Counter()
        self.wrong: list[int] = []
        for number in numbers:
            drawn = story(number)
            before = [recorded(drawn.service, each) for each in drawn.recorded]
            self._check_lists(reconciler_of(drawn.service, before, self.describe), drawn.service)
            if self._is_sent(drawn, before):
                self._after(number, drawn, before)

    def _check_lists(self, reconciler: Reconciler, service: RandomService) -> None:
        """Compare what a list shows with what there is."""
        (listing,) = reconciler.lists().values()
        complete = not listing.why_incomplete
        self.counts["complete"] += complete
        self.counts["falsely complete"] += complete and len(listing.contracts) != len(service.contracts)
        ids = {*map(service.id_of, service.contracts)}
        found = reconciler.unrecorded({})
        proven = [each.contract.id for each in found if "is not proven" not in "".join(each.doubts)]
        self.counts["wrong ids"] += sum(each not in ids for each in proven)
        for each in service.contracts[:1]:
            found = id_in_answer(service, each)
            self.counts["ids of answers"] += found is not None
            self.counts["wrong ids of answers"] += found not in (None, service.id_of(each))

    def _is_sent(self, drawn: Story, before: list[Record]) -> bool:
        """Whether the order is sent, by what the list shows before it."""
        request = request_of("new", drawn.product, drawn.owner, drawn.key)
        found = reconciler_of(drawn.service, before, self.describe).existing(request)
        self.counts["warned"] += bool(found.unread)
        if drawn.duplicate:
            # Webhosting shows no name, so that only its owner and its product tell it.
            self.counts["clear duplicates sent"] += drawn.key is not None and not found.unrecorded
            self.counts["duplicates sent"] += not found.unrecorded
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
        judge = Judge(reconciler_of(service, [*before, lost], self.describe))
        (judgment,) = judge.judgments(["new"])
        if judgment.contract is None:
            self.counts["open"] += 1
        elif drawn.made is not None and judgment.contract.id == service.id_of(drawn.made):
            self.counts["right"] += 1
        else:
            self.counts["wrong"] += 1
            self.counts[f"wrong: {drawn.undecidable or 'a rule could tell'}"] += 1
            self.wrong += [] if drawn.undecidable else [number]


#: Of 1,000 services: at most, and at least.
MOST = {"wrong": 5, "refused": 19, "duplicates sent": 22}
LEAST: dict[str, dict[str, int]] = {
    "learned": {"right": 180, "complete": 880, "ids of answers": 700},
    "given": {"right": 328, "complete": 1000},
    "wrong": {},
}
NEVER = ("falsely complete", "wrong ids of answers", "clear duplicates sent")
#: A wrong file takes what it says for ids, and settles nothing by them.
NEVER_KNOWN = (*NEVER, "wrong ids")


@pytest.mark.parametrize("describe", [learned, given, wrong], ids=lambda each: each.__name__)
@pytest.mark.parametrize("numbers", [SHORT, pytest.param(FULL, marks=pytest.mark.full)], ids=["short", "full"])
def test_random_services(numbers: range, describe: Describe) -> None:
    """The counts, and the numbers of the stories to look at, stand in the message."""
    probe, services = Probe(numbers, describe), len(numbers)
    counts, name = probe.counts, describe.__name__
    never = [each for each in (NEVER if describe is wrong else NEVER_KNOWN) if counts[each]]
    assert (probe.wrong, never) == ([], []), counts
    # A few services are no sample of two in a hundred.
    most = MOST if describe is not wrong and numbers is FULL else {}
    assert {each: counts[each] for each in most if counts[each] * 1000 > most[each] * services} == {}, counts
    least = LEAST[name] if numbers is FULL else {}
    assert {each: counts[each] for each in least if counts[each] * 1000 < least[each] * services} == {}, counts
