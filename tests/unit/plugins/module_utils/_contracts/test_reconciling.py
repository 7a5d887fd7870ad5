# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One ledger against several organizations: which list speaks of which order, and what each contract may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.contract import Listing, ShownContract
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reader import Presence
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reconciling import Reconciler
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    ClaimEvidence,
    Outcome,
    Record,
    Request,
)

PRODUCT = "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a"
USER, OTHER_USER = "3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11", "9d0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b99"
SERVICE, OWN = "https://portal.example.org", "4711"
ORGANIZATIONS = {USER: "4712", OTHER_USER: "4713"}
SEEN = ClaimEvidence(None, (), complete=True)


@dataclass
class Lists:
    """Lists by organization; what was asked is kept."""

    lists: Mapping[str, Listing]
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)

    def listing(self, organization_id: str) -> Listing:
        return self.lists[organization_id]

    def presence(self, contract_id: str, organization_id: str, end_user: str | None) -> Presence:
        self.asked.append((contract_id, organization_id, end_user))
        return Presence("gone", "It is gone.")

    def organization_of(self, end_user: str, own: str) -> str:
        return ORGANIZATIONS.get(end_user, own)


def record(name: str, status: Any = "in_doubt", end_user: str = "__self__", **changes: Any) -> Record:
    outcome = Outcome(status, contract_id=changes.pop("contract_id", None))
    request = Request(
        name=name,
        service=changes.pop("service", SERVICE),
        organization_id=changes.pop("organization_id", OWN),
        end_user=end_user,
        product=PRODUCT,
        product_name="VPS M",
        product_type="vps",
        settings={"hostname": changes.pop("hostname", "web01.example.org")},
        evidence=SEEN,
    )
    time = "2026-11-21T12:00:00Z"
    return Record(name, outcome, request, "run", time, None, time, **changes)


def shown(id_: str, **changes: Any) -> ShownContract:
    return ShownContract(id_, **{"product": PRODUCT, "hostname": "web01.example.org", **changes})


def lists(**contracts: list[ShownContract]) -> Lists:
    def listing(organization: str) -> Listing:
        return Listing(tuple(contracts.get(f"o{organization}", ())), complete=True, clock_off=0.0)

    return Lists({each: listing(each) for each in (OWN, *ORGANIZATIONS.values())})


def reconciler(reader: Lists, *records: Record) -> Reconciler:
    return Reconciler(reader, records, base_url=SERVICE, organization_id=OWN, organizations=ORGANIZATIONS)


def settled(found: Reconciler) -> dict[str, str]:
    return {each.name: each.contract.id for each in found.verdicts() if each.contract is not None}


def test_each_order_is_looked_for_in_the_organization_of_its_end_user() -> None:
    reader = lists(o4711=[shown("own")], o4712=[shown("theirs")], o4713=[shown("others")])
    found = reconciler(reader, record("a"), record("b", end_user=USER), record("c", end_user=OTHER_USER))
    # Without an end user in the records, the contract of one organization might be that of another's order.
    assert settled(found) == {}
    reader = lists(
        o4711=[shown("own", end_user="__self__")],
        o4712=[shown("theirs", end_user=USER)],
        o4713=[shown("others", end_user=OTHER_USER)],
    )
    found = reconciler(reader, record("a"), record("b", end_user=USER), record("c", end_user=OTHER_USER))
    assert settled(found) == {"a": "own", "b": "theirs", "c": "others"}


def test_contract_that_two_organizations_show_is_not_given_twice() -> None:
    both = shown("both", raw={"note": "m"})
    reader = lists(o4711=[both], o4712=[both])
    assert settled(reconciler(reader, record("a"), record("b", end_user=USER))) == {}


def test_orders_of_others_are_told_and_left() -> None:
    reader = lists(o4711=[shown("own")])
    found = reconciler(reader, record("a", service="https://other.example.org"), record("b", organization_id="9"))
    assert settled(found) == {}
    assert [each.result for each in found.verdicts()] == ["unseen", "unseen"]
    assert "https://other.example.org" in found.verdicts(["a"])[0].evidence[0]


def test_contract_recorded_in_another_organization_is_known() -> None:
    reader = lists(o4711=[shown("own", end_user="__self__")])
    held = record("b", "ordered", contract_id="own", organization_id="9")
    found = reconciler(reader, record("a"), held)
    assert settled(found) == {}
    assert found.unrecorded() == []


def test_order_in_progress_and_one_without_an_id_are_rivals() -> None:
    reader = lists(o4711=[shown("own", end_user="__self__")])
    for rival in (record("b", "pending", alive=True), record("b", "ordered")):
        found = reconciler(reader, record("a"), rival)
        assert settled(found) == {}
        assert [each.claimed_by for each in found.unrecorded()] == [("a", "b")]
    assert settled(reconciler(reader, record("a"), record("b", "rejected"))) == {"a": "own"}


def test_only_what_a_complete_list_lacks_is_asked_for() -> None:
    reader = lists(o4712=[shown("theirs", end_user=USER)])
    records = [
        record("a", "ordered", contract_id="gone", end_user=USER),
        record("b", "ordered", contract_id="theirs", end_user=USER),
        record("c", "ordered"),
        record("d", "ordered", contract_id="else", organization_id="9"),
    ]
    gone, mismatched = reconciler(reader, *records).changed()
    assert [each.name for each in gone] == ["a"]
    assert mismatched == []
    assert reader.asked == [("gone", "4712", USER)]
    reader.lists = {**reader.lists, "4712": Listing((), complete=False)}
    assert reconciler(reader, *records).changed() == ([], [])
    assert len(reader.asked) == 1


def test_unrecorded_contracts_are_those_of_all_organizations_once() -> None:
    both = shown("both", hostname="db.example.org")
    reader = lists(o4711=[both, shown("own", organization=OWN)], o4712=[both, shown("theirs")])
    found = reconciler(reader).unrecorded()
    assert [(each.contract.id, each.end_user) for each in found] == [
        ("both", None),
        ("own", "__self__"),
        ("theirs", USER),
    ]
