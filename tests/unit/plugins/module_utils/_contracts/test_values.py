# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The values that records show, the form in which they are compared, and whose a contract is by them."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.contract_list import ShownContract
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.values import (
    comparable,
    leaves,
    says_ended,
    says_over,
)
from tests.support.contract_lists import OWN, bought, reads_items, reconciler_of


def test_leaves_have_their_places_and_are_bounded() -> None:
    assert list(leaves({"a": {"b": [1, None]}, "c/d": "x"})) == [(("a", "b", "*"), 1), (("c/d",), "x")]
    assert len(list(leaves({str(number): number for number in range(50_000)}))) == 20_000
    deep: dict[str, Any] = {}
    for _level in range(50):
        deep = {"a": deep, "b": 1}
    assert len(list(leaves(deep))) == 16


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Web01.Example.org.", "web01.example.org", True),
        ("M\u00dcLLER.example", "xn--mller-kva.example", True),
        ("stra\u00dfe.example", "strasse.example", False),
        # What is too long for a name is compared as it is.
        ("\u4e2d" * 20_000 + ".", "\u4e2d" * 20_000, True),
    ],
)
def test_form_in_which_values_are_compared(one: Any, other: Any, same: bool) -> None:
    assert (comparable(one) == comparable(other)) is same


#: What a record says of itself: that its contract has ended or never was, and that it is over.
SAID: list[tuple[dict[str, Any], bool, bool]] = [
    *(({"status": word}, True, True) for word in ("cancelled", "canceled", "deleted")),
    *(({"status": word}, False, True) for word in ("Terminated", "expired", "ended", "closed")),
    *(({"status": word}, True, False) for word in ("FAILED", "provisioning_failed", "Payment rejected.")),
    *(({"status": f"{word} to the end of term"}, True, False) for word in ("cancelled", "not cancelled")),
    *(({"kind": word}, True, False) for word in ("quote", "Offer")),
    *(({name: word}, True, False) for name, word in (("state", "failed"), ("art", "Angebot"), ("type", "quotation"))),
    ({"isDraft": True}, True, False),
    ({"status": "cancelled", "endsAt": "9999-01-31T00:00:00Z"}, True, False),
    ({"contractState": "ended", "endedAt": "2020-01-01"}, False, True),
    ({"state": "terminated", "validUntil": "9999-01-31"}, False, False),
    ({"status": "active", "deletedAt": "2026-11-21", "error": "no disk", "failed": False, "isDraft": 0}, False, False),
    ({"hostname": "failed.example.org", "email": "draft@example.org", "quoteId": 7, "cancelable": True}, False, False),
    ({"comment": "The old one was deleted, and this one took its place last week."}, False, False),
    *(({"server": {"status": word}}, False, False) for word in ("failed", "deleted")),
    ({"paymentStatus": "expired"}, False, False),
]


@pytest.mark.parametrize(("raw", "ended", "over"), SAID)
def test_what_a_record_says_of_itself(raw: dict[str, Any], ended: bool, over: bool) -> None:
    ((name, value), *_more) = raw.items()
    said = f"{name}: {value}"
    named = [{"name": name, "value": value} for name, value in raw.items()]
    for shown in (raw, {"type": "contracts", "attributes": raw}, {"attributes": named}):
        assert (says_ended(shown), says_over(shown)) == (said if ended else None, said if over else None)


@pytest.mark.parametrize("name", ["previous", "parentId", "replaces", "renewedFrom", "predecessor"])
def test_id_of_another_contract_is_none_of_a_record(name: str) -> None:
    assert ShownContract("", {"vertrag": "V-1", name: "V-9"}, {"id": "7"}).all_ids == {"vertrag": "V-1", "id": "7"}


# Whose a contract is: no end user is read from a place that does not say so.

ID = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
ERIKA, MAX = "d19f51a8-e747-452b-89a9-286bfa544c77", "85c6fa90-c539-4eb3-ad3a-5991a524246b"
SELF = "__self__"


BESIDE = (ERIKA, {"by": ERIKA})


@pytest.mark.parametrize(
    ("shown", "recorded", "said", "expected"),
    [
        pytest.param({"endUser": ERIKA.upper()}, None, None, ERIKA, id="an end user"),
        pytest.param({"owner": f"/api/end_users/{ERIKA}", "createdBy": MAX}, None, None, ERIKA, id="an IRI"),
        pytest.param({"customer": {"id": ERIKA, "organization": OWN}}, None, None, ERIKA, id="with its organization"),
        pytest.param({"end_user": SELF, "createdBy": ERIKA}, None, None, SELF, id="in the word of the specification"),
        pytest.param({"owner": {"id": int(OWN), "name": "Hoster"}}, None, None, SELF, id="the own organization"),
        pytest.param({"createdBy": ERIKA}, None, None, None, id="whoever made it"),
        pytest.param({"organization": OWN, "ram": int(OWN)}, None, None, None, id="our organization elsewhere"),
        pytest.param({"by": ERIKA}, BESIDE, None, None, id="where a recorded contract shows its end user"),
        pytest.param({"customer": 77}, None, ERIKA, ERIKA, id="the user says whose the list is"),
        pytest.param({"createdBy": MAX}, None, SELF, SELF, id="the user says ours"),
        pytest.param({"customer": 77}, None, SELF, None, id="the user says ours, it says whose it is"),
        pytest.param({"endUser": MAX}, None, SELF, MAX, id="it says more than the user"),
    ],
)
def test_owner_is_who_the_record_plainly_shows_or_the_user_says(
    shown: dict[str, Any], recorded: tuple[str, dict[str, Any]] | None, said: str | None, expected: str | None
) -> None:
    """``recorded`` is the contract of an end user in the same list, ``said`` whose the list is."""
    user, beside = recorded or (None, {})
    listed = reads_items([{"id": "c0", "hostname": "db0", **beside}, {"id": ID, "hostname": "web02", **shown}])
    records = [bought("c0", "db0", end_user=user)] if user else []
    reconciler, _client = reconciler_of(records, listed, {said: OWN} if said else None)
    found = reconciler.listings()[OWN].find(ID)
    assert found is not None
    assert found.end_user == expected
