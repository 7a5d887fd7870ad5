# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whose a contract is, as its record says it: no end user is read from a place that does not say so."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.learned_places import owner_of, places_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Request
from tests.support.contract_lists import SERVICE, VPS

OWN = "4711"
ID = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
ERIKA, MAX = "d19f51a8-e747-452b-89a9-286bfa544c77", "85c6fa90-c539-4eb3-ad3a-5991a524246b"
UNKNOWN = "e2dec0dd-e738-4258-9521-37d4d0aae928"
SELF = "__self__"


def request(name: str, end_user: str) -> Request:
    return Request(name, SERVICE, OWN, end_user, VPS, None, "vps", settings={"hostname": name})


#: Recorded contracts beside which a record is read: whose they are, and what they show.
Rows = list[tuple[str, dict[str, Any]]]
NONE: Rows = []
TOLD: Rows = [(ERIKA, {"belongsTo": ERIKA, "by": ERIKA}), (MAX, {"belongsTo": MAX, "by": MAX})]
OURS: Rows = [(SELF, {"organizationId": OWN, "location": UNKNOWN})]

#: What a record shows beside its id, beside which recorded contracts, and whose it is.
CASES: dict[str, tuple[dict[str, Any], Rows, str | None]] = {
    "an end user": ({"endUser": ERIKA.upper()}, NONE, ERIKA),
    "an IRI": ({"owner": f"/api/end_users/{ERIKA}", "createdBy": MAX}, NONE, ERIKA),
    "an object with its organization": ({"customer": {"id": ERIKA, "organization": OWN}}, NONE, ERIKA),
    "ours, in the word of the specification": ({"end_user": SELF, "createdBy": ERIKA}, NONE, SELF),
    "ours, by the own organization as the owner": ({"owner": {"id": int(OWN), "name": "Hoster"}}, NONE, SELF),
    "ours, by the own organization": ({"enduser": None, "organization_id": int(OWN)}, NONE, SELF),
    "ours, beside recorded ones with the same place": ({"organizationId": OWN, "location": ERIKA}, OURS, SELF),
    "whoever made it": ({"createdBy": ERIKA}, NONE, None),
    "our organization beside an unknown end user": ({"organization": OWN, "belongsTo": UNKNOWN}, NONE, None),
    "our organization beside an end user by number": ({"organization": OWN, "customer": {"id": 77}}, NONE, None),
    "our organization elsewhere": ({"reseller": OWN, "ram": int(OWN)}, NONE, None),
    "two owners": ({"customer": ERIKA, "owner": MAX}, NONE, None),
    "where recorded contracts of two end users show theirs": ({"belongsTo": UNKNOWN, "by": UNKNOWN}, TOLD, UNKNOWN),
    "at one of the places where recorded contracts show theirs": ({"belongsTo": None, "by": ERIKA}, TOLD, None),
    "where one recorded contract shows its end user": ({"by": ERIKA}, TOLD[:1], None),
}


@pytest.mark.parametrize("case", CASES)
def test_owner_is_who_the_record_plainly_shows(case: str) -> None:
    shown, recorded, expected = CASES[case]
    places = places_of((raw, request("web01", user)) for user, raw in recorded)
    raw = {"id": ID, "hostname": "web02", **shown}
    assert owner_of(raw, places, OWN, said=None, others={ID, VPS}) == expected


@pytest.mark.parametrize(
    ("shown", "said", "expected"),
    [
        ({"customer": 77}, ERIKA, ERIKA),
        ({"createdBy": MAX}, SELF, SELF),
        ({"customer": 77}, SELF, None),
        ({"endUser": MAX}, SELF, MAX),
    ],
)
def test_user_says_whose_a_list_is(shown: dict[str, Any], said: str, expected: str | None) -> None:
    assert owner_of({"id": ID, **shown}, places_of([]), OWN, said=said, others={ID}) == expected
