# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The values that records show, and the form in which they are compared."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.elements import addresses_in
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.values import (
    all_ids,
    comparable,
    ids_by_place,
    leaves,
    says_ended,
)


def test_leaves_have_their_steps_and_are_bounded() -> None:
    assert list(leaves({"a": {"b": [1, None]}, "c/d": "x"})) == [(("a", "b", 0), 1), (("c/d",), "x")]
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
    ],
)
def test_form_in_which_values_are_compared(one: Any, other: Any, same: bool) -> None:
    assert (comparable(one) == comparable(other)) is same


@pytest.mark.parametrize(
    ("raw", "ids"),
    [
        ({"@id": "/api/reseller/contracts/c-1"}, {"@id": "c-1"}),
        ({"contractId": "c", "id": 7}, {"contractid": "c", "id": "7"}),
        ({"_links": {"self": {"href": "/api/reseller/contracts/c-1"}}}, {"(self)": "c-1"}),
        ({"contract": {"id": "c-1"}, "product": {"id": "p"}}, {}),
        ({"contract": "c-1"}, {"contract": "c-1"}),
        ({"id": None, "uuid": ""}, {}),
    ],
)
def test_ids_stand_at_the_top(raw: Any, ids: Any) -> None:
    assert ids_by_place(raw) == ids
    assert ids_by_place(raw, "k") == {"(key)": "k", **ids}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("203.0.113.7/24", ("203.0.113.7",)),
        (["2001:db8::1", "203.0.113.7", "203.0.113.7"], ("2001:db8::1", "203.0.113.7")),
        ({"ips": [{"address": "203.0.113.7", "gateway": "203.0.113.1", "netmask": "255.255.255.0"}]}, ("203.0.113.7",)),
        ({"ip6_subnet": "2001:db8::/64", "block": "203.0.113.0/28", "dns": ["203.0.113.53"]}, ()),
        (7, ()),
    ],
)
def test_addresses_are_the_servers_own(value: Any, found: tuple[str, ...]) -> None:
    assert addresses_in(value) == found


#: What tells that a contract has ended or never was, beside what does not.
ENDED: list[dict[str, Any]] = [
    *({"status": word} for word in ("FAILED", "provisioning_failed", "Payment rejected.", "cancelled", "canceled")),
    *({name: "2026-11-21"} for name in ("deletedAt", "cancelled_on", "error")),
    *({"kind": "quote"}, {"isDraft": True}),
]
NOT_ENDED: list[dict[str, Any]] = [
    {"status": "active", "deletedAt": None, "error": "", "failed": False, "isDraft": 0, "errors": []},
    {"hostname": "failed.example.org", "email": "draft@example.org", "quoteId": 7, "cancelable": True},
    {"comment": "The old one was deleted, and this one took its place last week."},
    {"server": {"status": "failed"}},
]


@pytest.mark.parametrize("raw", [*ENDED, *NOT_ENDED])
def test_what_a_record_says_of_itself(raw: dict[str, Any]) -> None:
    ((name, value), *_more) = raw.items()
    assert says_ended(raw) == (f"{name}: {value}" if raw in ENDED else None)
    assert says_ended({"type": "contracts", "attributes": raw}) == says_ended(raw)


def test_what_is_too_long_for_a_name_is_compared_as_it_is() -> None:
    text = "\u4e2d" * 20_000
    assert comparable(f"{text}.") == text


@pytest.mark.parametrize("name", ["previous", "parentId", "replaces", "renewedFrom", "predecessor"])
def test_id_of_another_contract_is_none_of_a_record(name: str) -> None:
    assert all_ids({"vertrag": "V-1", name: "V-9"}, {"id": "7"}) == {"vertrag": "V-1", "id": "7"}
