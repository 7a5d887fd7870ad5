# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a list of contracts settles, and what it does not: each rank, veto and refusal with its own row."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.contract import Listing, ShownContract
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.evidence import (
    BeforeImage,
    Doubt,
    Scene,
    Terms,
    Verdict,
    judge,
)
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.likeness import Asked
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.records import moment_of

PRODUCT, OTHER_PRODUCT = "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a", "c0a8f3d4-5b6e-4f70-8a91-b2c3d4e5f607"
USER, OTHER_USER = "3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11", "9d0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b99"
HOST = "web01.example.org"
CLAIMED = datetime(2026, 11, 21, 12, 0, tzinfo=timezone.utc)
MARKER = "5e0f1c9d7b6a4e3f8a2b1c0d9e8f7a6b"
EMPTY = BeforeImage((), complete=True)


def shown(id_: str = "c1", after: float | None = 5.0, **changes: Any) -> ShownContract:
    made: dict[str, Any] = {
        "product": PRODUCT,
        "end_user": USER,
        "hostname": HOST,
        "created_at": None if after is None else CLAIMED + timedelta(seconds=after),
        "raw": {"id": id_, "hostname": changes.get("hostname", HOST)},
    }
    return ShownContract(id_, **{**made, **changes})


def unlearned(id_: str = "c1", **raw: Any) -> ShownContract:
    return ShownContract(id_, raw={"id": id_, "hostname": HOST, **raw})


def listing(*contracts: ShownContract, **changes: Any) -> Listing:
    return replace(Listing(contracts, complete=True, clock_off=0.0), **changes)


def doubt(name: str = HOST, **changes: Any) -> Doubt:
    asked = Asked(name, USER, PRODUCT, "VPS M", "hostname", HOST)
    return Doubt(**{"asked": asked, "claimed_at": CLAIMED, **changes})


def webhosting(name: str = "shop", **changes: Any) -> Doubt:
    return Doubt(**{"asked": Asked(name, USER, PRODUCT, "Webhosting S"), "claimed_at": CLAIMED, **changes})


def verdict_of(doubted: Doubt, seen: Listing, **scene: Any) -> Verdict:
    terms = Terms(strong=scene.pop("strong", False))
    return judge([doubted], Scene(seen, terms=terms, **scene))[0]


#: What is in doubt, what the service shows, what else is known: what becomes of it, and by which words.
ROWS: dict[str, tuple[Doubt, Listing, dict[str, Any], str, str]] = {
    "marker": (doubt(marker=MARKER), listing(unlearned(note=MARKER)), {}, "R0", "shows the marker"),
    "marker at its element": (doubt(marker=MARKER), listing(replace(unlearned(), marker=MARKER)), {}, "R0", "marker"),
    "marker of a webhosting": (webhosting(marker=MARKER), listing(unlearned(note=MARKER)), {}, "R0", "marker"),
    "marker beside a look-alike": (
        doubt(marker=MARKER),
        listing(shown("old"), shown("new", raw={"note": MARKER})),
        {},
        "R0",
        "contract new",
    ),
    "marker in two contracts": (
        doubt(marker=MARKER),
        listing(unlearned("a", note=MARKER), unlearned("b", note=MARKER)),
        {},
        "ambiguous",
        "2 contracts (a, b)",
    ),
    "marker at a contract of another order": (
        doubt(marker=MARKER),
        listing(unlearned(note=MARKER)),
        {"recorded": {"c1": "web02"}},
        "ambiguous",
        "it is the contract of web02",
    ),
    "marker at another product": (
        doubt(marker=MARKER),
        listing(shown(product=OTHER_PRODUCT, raw={"note": MARKER})),
        {},
        "ambiguous",
        "another product",
    ),
    "marker in an incomplete list": (
        doubt(marker=MARKER),
        listing(unlearned(note=MARKER), complete=False, why_incomplete="page 3 repeats"),
        {},
        "ambiguous",
        "page 3 repeats",
    ),
    "told id": (doubt(told_id="c1"), listing(unlearned()), {}, "R1", "told the id c1"),
    "told id in capitals": (doubt(told_id=USER.upper()), listing(unlearned(USER)), {}, "R1", "told the id"),
    "told id shown by itself": (doubt(told_id="c1", told=unlearned()), listing(), {}, "R1", "told the id c1"),
    "told id of a webhosting": (webhosting(told_id="c1"), listing(shown()), {}, "R1", "product Webhosting S"),
    "told id of another hostname": (
        doubt(told_id="c1"),
        listing(shown(hostname="db.example.org")),
        {},
        "unseen",
        "proves nothing",
    ),
    "told id of another contract, beside the right one": (
        doubt(told_id="c1", before=EMPTY),
        listing(shown(hostname="db.example.org"), shown("c2")),
        {},
        "R2",
        "contract c2",
    ),
    "told id of which nothing is known": (
        doubt(told_id="c1"),
        listing(ShownContract("c1", raw={"id": "c1"})),
        {},
        "ambiguous",
        "nothing that it shows was asked for",
    ),
    "told id that is recorded": (
        doubt(told_id="c1"),
        listing(shown()),
        {"recorded": {"c1": "web02"}},
        "unseen",
        "the contract of web02",
    ),
    "newcomer": (
        doubt(before=EMPTY),
        listing(shown()),
        {},
        "R2",
        "12:00:05Z, claimed at",
    ),
    "newcomer without a time": (doubt(before=EMPTY), listing(shown(after=None)), {}, "R2", "not there before"),
    "newcomer in other capitals": (doubt(before=EMPTY), listing(shown(hostname="Web01.example.org.")), {}, "R2", ""),
    "newcomer without a clock": (doubt(before=EMPTY), listing(shown(), clock_off=None), {}, "R2", ""),
    "newcomer whose product is shown by name": (doubt(before=EMPTY), listing(shown(product="VPS M")), {}, "R2", ""),
    "newcomer beside one that was there": (
        doubt(before=BeforeImage(("old",), complete=True)),
        listing(shown("old", after=None), shown("new")),
        {},
        "R2",
        "old is not it: it was there before",
    ),
    "newcomer beside an older one": (
        doubt(before=EMPTY),
        listing(shown("old", after=-61.0), shown("new")),
        {},
        "R2",
        "61 s before this order was claimed",
    ),
    "newcomer by the service's clock": (
        doubt(before=EMPTY),
        listing(shown(after=-195.0), clock_off=-200.0),
        {},
        "R2",
        "created at 2026-11-21T11:56:45Z",
    ),
    "only what was there before": (
        doubt(before=BeforeImage(("c1",), complete=True)),
        listing(shown()),
        {"strong": True},
        "unseen",
        "was there before",
    ),
    "only an old one": (doubt(), listing(shown(after=-86400.0)), {"strong": True}, "unseen", "before this order"),
    "two newcomers": (
        doubt(before=EMPTY),
        listing(shown("a"), shown("b")),
        {},
        "ambiguous",
        "2 contracts may be it: a, b",
    ),
    "newcomer too late": (doubt(before=EMPTY), listing(shown(after=3601.0)), {}, "ambiguous", "later than window"),
    "newcomer of a clock that is off": (
        doubt(before=EMPTY),
        listing(shown(after=605.0), clock_off=600.0),
        {},
        "ambiguous",
        "clock is 600 s off",
    ),
    "newcomer, with an incomplete image": (
        doubt(before=BeforeImage((), complete=False)),
        listing(shown()),
        {},
        "ambiguous",
        "only with evidence: strong",
    ),
    "newcomer in an incomplete list": (
        doubt(before=EMPTY),
        listing(shown(), complete=False, why_incomplete="one is repeated"),
        {"strong": True},
        "ambiguous",
        "not complete",
    ),
    "another product": (doubt(before=EMPTY), listing(shown(product=OTHER_PRODUCT)), {}, "unseen", "another product"),
    "another end user": (doubt(before=EMPTY), listing(shown(end_user=OTHER_USER)), {}, "unseen", "another end user"),
    "another hostname": (
        doubt(before=EMPTY),
        listing(shown(hostname="db.example.org")),
        {},
        "unseen",
        "proves nothing",
    ),
    "recorded under another name": (
        doubt(before=EMPTY),
        listing(shown()),
        {"recorded": {"c1": "web02"}},
        "unseen",
        "the contract of web02",
    ),
    "like an order in progress": (
        doubt(before=EMPTY),
        listing(shown()),
        {"rivals": [Asked("web02", USER, PRODUCT, None, "hostname", HOST)]},
        "ambiguous",
        "as well be that of web02",
    ),
    "unlike an order in progress": (
        doubt(before=EMPTY),
        listing(shown()),
        {"rivals": [Asked("web02", USER, PRODUCT, None, "hostname", "web02.example.org")]},
        "R2",
        "",
    ),
    "unlearned elements": (
        doubt(before=EMPTY),
        listing(unlearned(), unclear={"product": "no control contract"}),
        {"strong": True},
        "ambiguous",
        "product (no control contract)",
    ),
    "unlearned end user": (
        doubt(before=EMPTY),
        listing(shown(end_user=None)),
        {},
        "ambiguous",
        "end user (the contract",
    ),
    "time alone": (doubt(), listing(shown()), {}, "ambiguous", "only with evidence: strong"),
    "time alone, taken": (
        doubt(),
        listing(shown()),
        {"strong": True},
        "R3",
        "12:00:05Z, claimed at",
    ),
    "time alone, just before the claim": (
        doubt(),
        listing(shown(after=-60.0)),
        {"strong": True},
        "R3",
        "created at 2026-11-21T11:59",
    ),
    "time alone, of a clock that is off": (
        doubt(),
        listing(shown(after=605.0), clock_off=600.0),
        {"strong": True},
        "ambiguous",
        "R3 refused: the service's clock is 600 s off",
    ),
    "time alone, without a clock": (
        doubt(),
        listing(shown(), clock_off=None),
        {"strong": True},
        "ambiguous",
        "no Date",
    ),
    "no time": (
        doubt(),
        listing(shown(after=None), unclear={"created_at": "its times have no zone"}),
        {"strong": True},
        "ambiguous",
        "its times have no zone",
    ),
    "webhosting": (webhosting(before=EMPTY), listing(shown()), {"strong": True}, "ambiguous", "R4: contract c1"),
    "no contracts": (doubt(before=EMPTY), listing(), {"strong": True}, "unseen", "None of the 0 contracts"),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_verdict(row: tuple[Doubt, Listing, dict[str, Any], str, str]) -> None:
    doubted, seen, scene, expected, words = row
    found = verdict_of(doubted, seen, **scene)
    assert (found.rank if found.result == "settled" else found.result) == expected, found.evidence
    assert (found.contract is not None) == (found.result == "settled")
    assert words in " ".join(found.evidence)
    assert all(sentence.endswith(".") for sentence in found.evidence)


def test_contract_of_an_end_user_is_known_by_the_organization_it_was_read_in() -> None:
    own = replace(doubt(before=EMPTY).asked, end_user="__self__", organization="4711")
    asked = doubt(before=EMPTY, asked=own)
    assert verdict_of(asked, listing(shown(end_user=None)), read_in="4711").rank == "R2"
    assert verdict_of(asked, listing(shown(end_user=None)), read_in="4712").result == "ambiguous"
    assert verdict_of(asked, listing(shown(end_user=None, organization="4712")), read_in="4711").result == "unseen"
    assert verdict_of(asked, listing(shown(end_user=USER)), read_in="4711").result == "unseen"


@pytest.mark.parametrize("strong", [False, True])
def test_one_contract_for_two_orders_is_nobodys(strong: bool) -> None:
    two = [doubt("a", before=EMPTY), doubt("b", before=EMPTY)]
    found = judge(two, Scene(listing(shown()), terms=Terms(strong=strong)))
    assert [(each.result, each.contract) for each in found] == [("ambiguous", None)] * 2
    assert "that of b" in found[0].evidence[0]


def test_one_id_told_to_two_orders_is_nobodys() -> None:
    found = judge([doubt("a", told_id="c1"), doubt("b", told_id="c1")], Scene(listing(shown())))
    assert [each.result for each in found] == ["ambiguous", "ambiguous"]
    assert "that of a, b" in found[0].evidence[0]


def test_contract_with_a_marker_is_not_left_for_another_order() -> None:
    two = [doubt("a", before=EMPTY), doubt("b", marker=MARKER)]
    found = judge(two, Scene(listing(shown("c1", raw={"note": MARKER}), shown("c2"))))
    assert [(each.result, each.contract and each.contract.id) for each in found] == [
        ("settled", "c2"),
        ("settled", "c1"),
    ]


def test_order_that_its_marker_leaves_open_may_still_have_bought_a_look_alike() -> None:
    two = [doubt("a", before=EMPTY), doubt("b", marker=MARKER)]
    twice = [shown("c1"), unlearned("m1", note=MARKER), unlearned("m2", note=MARKER)]
    renamed = [replace(each, raw={**each.raw, "hostname": "x"}) if each.id != "c1" else each for each in twice]
    assert [each.result for each in judge(two, Scene(listing(*renamed)))] == ["ambiguous", "ambiguous"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2026-11-21T12:00:00Z", CLAIMED), ("2026-11-21T13:00:00+01:00", CLAIMED), ("", None), (None, None), ("x", None)],
)
def test_moment(text: str | None, expected: datetime | None) -> None:
    assert moment_of(text) == expected
