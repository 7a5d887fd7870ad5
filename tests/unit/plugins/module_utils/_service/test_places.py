# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Places in records, and the forms in which values are compared."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._service.places import (
    at,
    comparable,
    forms,
    id_key,
    inside,
    is_name_like,
    leaves,
    only_at,
    texts_at,
)

RECORD: dict[str, Any] = {
    "server": {"hostname": "web01"},
    "ipv4": [{"address": "192.0.2.1"}, {"address": "192.0.2.2"}],
    "settings": [{"name": "hostname", "value": "web02"}, {"name": "ram", "value": 4}],
    "options": [{"key": "hostname", "value": "web03"}],
    "@odata.nextLink": "/next",
    "nothing": None,
}


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("server.hostname", ["web01"]),
        ("ipv4.*.address", ["192.0.2.1", "192.0.2.2"]),
        ("settings.hostname", ["web02"]),
        ("options.hostname", ["web03"]),
        ("@odata.nextLink", ["/next"]),
        *((place, []) for place in ("nothing", "server", "server.name", "ipv4.address", "ipv4.*", "", None)),
    ],
)
def test_single_values_at_a_place(place: str | None, found: list[Any]) -> None:
    assert at(RECORD, place) == found


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("ipv4.*.address", ["192.0.2.1", "192.0.2.2"]),
        ("server.hostname", ["web01"]),
        ("ips", ["192.0.2.3", "2001:db8::1"]),
        ("ips.*", ["192.0.2.3", "2001:db8::1"]),
        *((place, []) for place in ("ipv4", "settings.ram", "nothing", "server", "", None)),
    ],
)
def test_texts_at_a_place_are_also_those_of_a_list(place: str | None, found: list[str]) -> None:
    assert texts_at({**RECORD, "ips": ["192.0.2.3", "2001:db8::1", None, 7]}, place) == found


def test_null_and_objects_stand_at_a_place_too() -> None:
    assert inside(RECORD, "nothing") == [None]
    assert inside(RECORD, "server") == [{"hostname": "web01"}]
    assert inside([1], "") == [[1]]


def test_only_one_value_is_read_where_one_is_meant() -> None:
    assert only_at({"a": [{"b": "x"}, {"b": "x"}]}, "a.*.b") == "x"
    assert only_at(RECORD, "ipv4.*.address") is None


def test_leaves_have_their_places_and_are_bounded() -> None:
    assert leaves({"a": {"b": [1, None]}, "c/d": "x"}) == [("a.b.*", 1), ("c/d", "x")]
    assert leaves({"a": None}, nulls=True) == [("a", None)]
    assert len(leaves({str(number): {"a": 1, "b": 2} for number in range(50_000)})) <= 20_001
    deep: dict[str, Any] = {}
    for _level in range(50):
        deep = {"a": deep, "b": 1}
    assert len(leaves(deep)) == 16


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Web01.Example.org.", "web01.example.org", True),
        ("M\u00dcLLER.example", "xn--mller-kva.example", True),
        # The same letter in two ways of writing it.
        ("mu\u0308ller.example", "m\u00fcller.example", True),
        ("stra\u00dfe.example", "strasse.example", False),
        # What is too long for a name is compared as it is.
        ("\u4e2d" * 20_000 + ".", "\u4e2d" * 20_000, True),
    ],
)
def test_form_in_which_values_are_compared(one: Any, other: Any, same: bool) -> None:
    assert (comparable(one) == comparable(other)) is same


def test_forms_of_an_iri_have_the_id_at_its_end() -> None:
    assert forms("/api/users/U7") == {"/api/users/u7", "u7"}
    assert forms(True) == frozenset()
    assert (id_key("V-1"), id_key("D19F51A8-E747-452B-89A9-286BFA544C77")[0]) == ("V-1", "d")


@pytest.mark.parametrize(
    ("text", "like"),
    [("web02.example.org", True), ("web02", False), ("VPS M", False), (None, False), ("192.0.2.1", False)],
)
def test_what_can_be_a_name_as_the_wanted_one_is(text: str | None, like: bool) -> None:
    assert is_name_like(text, "web01.example.org") is like
    assert is_name_like("web02", "web01")
