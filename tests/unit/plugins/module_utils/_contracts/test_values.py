# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The values that records show, and the form in which they are compared."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.elements import addresses_in
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.values import (
    comparable,
    ids_by_place,
    latest_time,
    leaves,
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


NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2026-11-21T13:00:00+01:00", NOON),
        (int(NOON.timestamp()), NOON),
        (int(NOON.timestamp()) * 1000, NOON),
        # Without a zone, the latest that it can mean.
        ("2026-11-21 00:00:00", NOON),
        ("2026-11-21", None),
        ("2026-13-41T12:00:00Z", None),
    ],
)
def test_times_are_read(value: Any, time: datetime | None) -> None:
    assert latest_time({"a": value, "b": {"c": "2020-01-01T00:00:00Z"} if time else None}) == time
