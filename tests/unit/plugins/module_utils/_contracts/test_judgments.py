# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a list of contracts settles, and what it does not: each rule, veto and hostile record with its own row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.judgments import Judgment
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reconciling import ExistingContracts
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import ListedIds, Record
from tests.support.contract_lists import (
    NOT_FOUND,
    VPS,
    VPS_L,
    WEBHOSTING,
    Respond,
    bought,
    order,
    reads_items,
    reconciler_of,
)

WEB, DB = "web01.example.org", "db01.example.org"
USER, OTHER_USER = "3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11", "9d0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b99"
STRANGER = "aa0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9baa"
OWN = "4711"


def raw(id_: str = "c1", hostname: str | None = WEB, product: str = VPS, **more: Any) -> dict[str, Any]:
    return {"id": id_, "hostname": hostname, "product": {"id": product}, "createdAt": "2026-11-21T12:00:05Z", **more}


def before(*ids: str, absent: bool = True) -> ListedIds:
    """What was read before the order: contracts with these ids, of which none showed its natural key, or some."""
    return ListedIds(frozenset(ids), absent=absent)


class Row(NamedTuple):
    """A ledger, what the service lists, and what becomes of the first order: settled with an id, or why not."""

    ledger: Sequence[Record]
    listed: Sequence[dict[str, Any]] | Respond
    expected: str
    words: str = ""


CONTROL = bought("c9", "control.example.org")
CONTROL_RAW = raw("c9", "control.example.org")


ROWS = {
    # Newcomers
    "newcomer, nothing recorded": Row([order()], [raw()], "c1", "before the order, and now c1 does"),
    "newcomer with its domain beside it": Row([order()], [raw(domain="example.org")], "c1"),
    "order without an id": Row([order(status="ordered")], [raw()], "c1"),
    # Nothing before
    "not looked for before": Row([order(evidence=None)], [raw()], "ambiguous", "no complete list was read before"),
    "others before": Row(
        [order(evidence=before("old", absent=False))], [raw("old"), raw()], "ambiguous", "not known that none showed"
    ),
    "there before under another of its ids": Row(
        [order(evidence=before("u1"))], [raw("9", uuid="u1")], "unseen", "was there before the order"
    ),
    "beside others that were there before": Row([order(evidence=before("c9"))], [raw("c9", DB), raw()], "c1"),
    "newcomer that another order is settled with, by another of its ids": Row(
        [order(), order(name="b", possible_id="u1")], reads_items([raw(uuid="u1")], "id", "uuid"), "unseen", "c1 is not"
    ),
    "two newcomers": Row([order()], [raw("a"), raw("b")], "ambiguous", "2 contracts may be it: a, b"),
    # Where
    "L2VPN of one host": Row(
        [order(), CONTROL],
        [CONTROL_RAW, {"id": "l1", "product": {"id": VPS}, "members": [{"hostname": WEB}]}],
        "ambiguous",
        "where recorded contracts show their hostname",
    ),
    "name where recorded contracts show theirs, apart from one": Row(
        [order(), CONTROL, bought("c8", "old.example.org")],
        [
            *({"id": "c9", "rechner": "control.example.org", "product": VPS}, {"id": "c8", "product": VPS}),
            {"id": "c1", "rechner": WEB, "note": DB, "product": VPS},
        ],
        "c1",
    ),
    "reverse name of another host": Row(
        [order()], [raw(hostname=DB, ips=[{"ip": "192.0.2.1", "hostname": WEB}])], "ambiguous", "its hostname is db01"
    ),
    "reverse name of its own": Row(
        [order(), CONTROL],
        [raw("c9", "control.example.org", ips=[{"rdns": "a.example.net"}]), raw(ips=[{"rdns": "b.example.net"}])],
        "c1",
    ),
    # Product
    "another product": Row([order()], [raw(product=VPS_L)], "unseen", "another product"),
    "embedded upgrades": Row([order()], [raw(upgrades=[{"id": VPS_L}])], "ambiguous", "which product"),
    "embedded upgrades beside a recorded one": Row(
        [order(), CONTROL], [{**CONTROL_RAW, "upgrades": [{"id": VPS_L}]}, raw(upgrades=[{"id": VPS_L}])], "c1"
    ),
    # Whose
    "end user shown": Row([order(end_user=USER)], [raw(owner=USER.upper())], "c1"),
    "two end users": Row(
        [order(end_user=USER), order(DB, name="b", end_user=OTHER_USER)],
        [raw(owner=USER, createdBy=OTHER_USER)],
        "ambiguous",
        "shows 2 end users",
    ),
    "own contract for an end user's order": Row(
        [order(end_user=USER)], [raw(owner="__self__")], "ambiguous", "does not show its end user"
    ),
    "another end user": Row(
        [order(), order(DB, name="b", end_user=USER)], [raw(owner=USER)], "unseen", "another end user"
    ),
    "UUID where a known end user stands": Row(
        [order(), order(DB, name="b", end_user=USER)],
        [raw("c2", "x.example.org", belongsTo=USER), raw(belongsTo=STRANGER), raw("c3", belongsTo=None)],
        "c3",
    ),
    "end user whose contract another one made": Row(
        [order(end_user=USER)],
        [raw("c2", "x.example.org", belongsTo=USER, by=USER), raw(belongsTo=USER, by=STRANGER)],
        "c1",
    ),
    "name at the element called hostname, beside others": Row([order()], [raw(note=DB, dns=["ns.example.net"])], "c1"),
    "name beside others at elements of no meaning": Row(
        [order()], [raw(hostname=None, label=WEB, note=DB)], "ambiguous", "not as its only name"
    ),
    "unknown end user beside a recorded one": Row(
        [order(), CONTROL], [{**CONTROL_RAW, "image": STRANGER}, raw(owner=STRANGER)], "ambiguous", "lacks"
    ),
    "UUID where own contracts have one": Row(
        [order(), CONTROL], [{**CONTROL_RAW, "image": OTHER_USER}, raw(image=STRANGER)], "c1"
    ),
    # What it says of itself
    "failed": Row([order()], [raw(status="failed")], "ambiguous", "it says status: failed"),
    # Ids
    "own organization's id": Row([order(possible_id=OWN)], reads_items([raw(OWN, uuid="u1")], "uuid", "id"), "u1"),
    "item of something else": Row(
        [order()],
        lambda wanted, _o: [raw()] if wanted is None else raw(hostname=DB) if wanted == "c1" else NOT_FOUND,
        "ambiguous",
        "is not proven",
    ),
    # Rivals
    "recorded under another name": Row([order(), bought("c1", DB)], [raw()], "unseen", f"the contract of {DB}"),
    "like an order in progress": Row(
        [order(), order(name="b", status="pending", alive=True)], [raw()], "ambiguous", "may as well be that of b"
    ),
    "like an order in doubt of another organization": Row(
        [order(), order(name="b", organization_id="9")], [raw()], "ambiguous", "may as well be that of b"
    ),
    "beside an order that its response settles": Row(
        [order(), order(name="b", possible_id="c2")], [raw(), raw("c2")], "c1"
    ),
    "like a released order": Row([order(), order(name="b", status="rejected")], [raw()], "c1"),
    "incomplete list": Row(
        [order()],
        lambda wanted, _o: {"data": [raw()], "total": 9},
        "ambiguous",
        "The list of contracts is not complete",
    ),
    # Told ids
    "id in a response, where contracts are listed alone": Row(
        [order(evidence=before(absent=False), possible_id="c1"), CONTROL],
        lambda wanted, _o: NOT_FOUND if wanted else [CONTROL_RAW, raw()],
        "c1",
        "told the id c1",
    ),
    "id in a response": Row([order(evidence=before(absent=False), possible_id="c1")], [raw()], "c1", "told the id c1"),
    "id in a response, not looked for before": Row(
        [order(evidence=None, possible_id="c1")], [raw()], "ambiguous", "the list was not read before the order"
    ),
    "id in a response that was there before": Row(
        [order(evidence=before("c1"), possible_id="c1")], [raw()], "unseen", "was there before"
    ),
    "id in a response of what failed": Row(
        [order(possible_id="c1")], [raw(status="failed")], "ambiguous", "but it says status"
    ),
    "id in a response that the list lacks": Row(
        [order(possible_id="c1")],
        lambda wanted, _o: [] if wanted is None else raw() if wanted == "c1" else NOT_FOUND,
        "c1",
    ),
    "id in a response at a service that shows anything": Row(
        [order(possible_id="c7")], lambda wanted, _o: raw(wanted) if wanted else [raw("c9", DB)], "unseen"
    ),
    "id in a response of another host": Row(
        [order(possible_id="c2")], [raw("c2", DB), raw()], "c1", "before the order"
    ),
    "word in a response for webhosting": Row(
        [order(None, possible_id="c1")], [raw(hostname=None, product=WEBHOSTING)], "c1", "told the id c1"
    ),
    "number in a response for webhosting": Row(
        [order(None, possible_id="17")], [raw("17", None, WEBHOSTING)], "ambiguous", "nothing tells it from another"
    ),
    "webhosting": Row([order(None)], [raw(hostname=None, product=WEBHOSTING)], "ambiguous", "nothing tells it"),
}


def result_of(judgment: Judgment) -> str:
    """The id of the contract that settles the order, or why there is none."""
    return judgment.contract.id if judgment.contract else "ambiguous" if judgment.candidates else "unseen"


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_judgment(row: Row) -> None:
    respond = row.listed if callable(row.listed) else reads_items(row.listed)
    found = reconciler_of(row.ledger, respond)[0].judgments[0]
    assert result_of(found) == row.expected, found.evidence
    assert row.words in " ".join(found.evidence)
    assert all(sentence.endswith(".") for sentence in found.evidence)


FOREIGN = [
    {"id": 4, "vertragsnummer": "V-9", "rechner": "control.example.org", "tarif": VPS},
    {"id": 5, "vertragsnummer": "V-1", "rechner": DB, "tarif": VPS},
]


def existing(wanted: Record, listed: Sequence[dict[str, Any]] | Respond, *ledger: Record) -> ExistingContracts:
    """The contracts in a list before an order."""
    assert wanted.request is not None
    respond = listed if callable(listed) else reads_items(listed)
    return reconciler_of(ledger, respond)[0].existing(wanted.request)


@pytest.mark.parametrize(
    ("ledger", "listed", "listed_ids", "absent", "words"),
    [
        ([], [raw("c2", DB)], ["c2"], True, ""),
        ([], [raw("c2", DB), raw()], ["c2", "c1"], False, ""),
        # All ids, those at the place of recorded ones and those beside them.
        ([bought("V-9", "control.example.org")], FOREIGN, ["V-9", "V-1", "4", "5"], True, ""),
        # A list that shows no hostname does not tell that one is missing in it.
        ([], [raw("c2", None)], ["c2"], False, "No contract that is listed shows a hostname"),
        ([CONTROL], [raw("c9", None, label="x")], ["c9"], False, "No contract that is listed shows a hostname"),
        ([], lambda wanted, _o: {"data": [raw("c2", DB)], "total": 9}, None, False, "is not complete"),
    ],
)
def test_what_is_noted_before_an_order(
    ledger: list[Record], listed: Any, listed_ids: list[str] | None, absent: bool, words: str
) -> None:
    found = existing(order(), listed, *ledger)
    assert found.evidence == (None if listed_ids is None else before(*listed_ids, absent=absent))
    assert words in found.unclear
    assert bool(found.unclear) is bool(words)


def without_id(end_user: str) -> Record:
    return order(None, name="blog", status="ordered", end_user=end_user)


BLOG, BLOG_RAW = order(None, end_user=USER), raw("w", None, WEBHOSTING, belongsTo=USER)
#: An order, what the service has already, whether the order is refused, and what is recorded.
LIKE: dict[str, tuple[Any, ...]] = {
    "host": (order(), raw(), True),
    "host with another product": (order(), raw(product=VPS_L), False),
    "host without a product": (order(), raw(product=""), True),
    "host as a peer of another one": (order(), raw(hostname=DB, peers=[WEB]), False),
    "host of another end user": (order(end_user=USER), raw(owner=OTHER_USER), False),
    "host of the end user": (order(end_user=USER), raw(owner=USER), True),
    "host of nobody that is known": (order(end_user=USER), raw(), True),
    "host that is over": (order(), raw(status="cancelled"), False),
    "host that failed": (order(), raw(status="failed"), True),
    "host that is cancelled to an end": (order(), raw(status="cancelled", endsOn="9999-12-31"), True),
    "webhosting of nobody that is known": (order(None, end_user=USER), raw("w", None, WEBHOSTING), False),
    "webhosting of the end user": (BLOG, BLOG_RAW, True),
    "webhosting of the end user, who has one without an id": (BLOG, BLOG_RAW, False, without_id(USER)),
    "webhosting of the end user, and another has one without an id": (BLOG, BLOG_RAW, True, without_id(OTHER_USER)),
    "webhosting of ours": (order(None), raw("w", None, WEBHOSTING), True),
    "two of the end user, who has one without an id": (
        BLOG,
        [BLOG_RAW, {**BLOG_RAW, "id": "v"}],
        True,
        without_id(USER),
    ),
    "host that is recorded as something else": (order(), raw(), True, bought("c1", None)),
}


@pytest.mark.parametrize("case", LIKE)
def test_what_is_like_an_order(case: str) -> None:
    wanted, listed, refused, *recorded = LIKE[case]
    found = existing(wanted, listed if isinstance(listed, list) else [listed], *recorded)
    assert bool(found.unrecorded) is refused
    assert bool(found.over) is ("is over" in case)


def test_new_end_user_with_a_lost_order_is_settled_in_a_list_without_end_users() -> None:
    """What an empty list, or one of own contracts, lacks before an order is new after it, whoever it is of."""
    lost = order(end_user=USER, evidence=existing(order(end_user=USER), [CONTROL_RAW]).evidence)
    (found,) = reconciler_of([lost], reads_items([CONTROL_RAW, raw(owner=USER)]))[0].judgments
    assert result_of(found) == "c1"


def test_first_order_needs_three_requests_and_later_ones_one() -> None:
    reconciler, client = reconciler_of([order()], reads_items([raw()]))
    assert reconciler.judgments[0].contract
    assert len(client.requests) == 3
    reconciler, client = reconciler_of([order(), CONTROL, order(DB)], reads_items([CONTROL_RAW, raw(), raw("c2", DB)]))
    assert [*map(result_of, reconciler.judgments)] == ["c1", "c2"]
    assert len(client.requests) == 1


@pytest.mark.parametrize("possible_id", [None, "c1"])
def test_one_contract_for_two_orders_is_nobodys(possible_id: str | None) -> None:
    orders = [order(name="a", possible_id=possible_id), order(name="b", possible_id=possible_id)]
    found = reconciler_of(orders, reads_items([raw()]))[0].judgments
    assert [*map(result_of, found)] == ["ambiguous"] * 2


def test_order_in_progress_is_left_alone() -> None:
    """Nor is its contract taken for that of anything else."""
    reconciler = reconciler_of([order(status="pending", alive=True)], reads_items([raw()]))[0]
    assert reconciler.judgments == []
    assert "It may be what web01.example.org bought" in str(reconciler.unrecorded()[0].doubts)


# Organizations


def in_organizations(lists: dict[str, list[dict[str, Any]]]) -> Respond:
    """A service that lists these records by the id of their organization."""
    return lambda wanted, organization: reads_items(lists.get(organization, []))(wanted, organization)


ORGANIZATIONS = {USER: "4712", OTHER_USER: "4713"}


def test_orders_of_others_are_reported_and_left() -> None:
    reconciler = reconciler_of(
        [order(service="https://other.example.org"), order(organization_id="9")], reads_items([raw()])
    )[0]
    assert [*map(result_of, reconciler.judgments)] == ["unseen", "unseen"]
    assert "https://other.example.org" in reconciler.judgments[0].evidence[0]


def test_what_a_list_lacks_is_unseen() -> None:
    orders = [
        bought("gone", DB, end_user=USER),
        bought("theirs", WEB, end_user=USER),
        bought("else", "x.example.org", organization_id="9"),
        order("y.example.org", status="ordered"),
    ]
    respond = in_organizations({"4712": [raw("theirs", owner=USER)]})
    reconciler, client = reconciler_of(orders, respond, ORGANIZATIONS)
    assert [each.name for each in reconciler.unseen(None)] == [DB]
    assert [path.rpartition("/")[2] for path in client.requests] == ["contracts", "gone"]


def test_unrecorded_contracts_are_those_of_all_organizations_once() -> None:
    both = raw("both", DB)
    respond = in_organizations({OWN: [both, raw("own")], "4712": [both, raw("theirs", "x.example.org")]})
    orders = [order(), order("z.example.org", end_user=USER, status="rejected")]
    found = reconciler_of(orders, respond, ORGANIZATIONS)[0].unrecorded()
    assert [(each.contract.id, each.contract.end_user, each.doubts) for each in found] == [
        ("both", None, ()),
        ("theirs", USER, ()),
    ]


@pytest.mark.parametrize(
    ("place", "ids", "proven"),
    [("uuid", ["u1", "u2"], True), ("id", ["17", "18"], True), ("none", ["17", "18"], False)],
)
def test_ids_of_unrecorded_contracts_are_those_that_read_them(place: str, ids: list[str], proven: bool) -> None:
    records = [raw("17", uuid="u1"), raw("18", DB, uuid="u2")]
    reconciler, client = reconciler_of([], reads_items(records, place))
    found = reconciler.unrecorded()
    assert [(each.contract.id, not each.doubts) for each in found] == [(id_, proven) for id_ in ids]
    assert len(client.requests) <= 4
