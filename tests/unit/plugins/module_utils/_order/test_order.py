# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A wish becomes an order: its name, its target, its settings, its request body, and what of it may be shown."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.option import Choice, Option
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError, Violation
from ansible_collections.hosting.reseller.plugins.module_utils._order.order import (
    Order,
    RequestedOrder,
    Target,
    body,
    check_requested,
    masked_settings,
    order_name,
    order_secrets,
    prepare,
)
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from ansible_collections.hosting.reseller.plugins.module_utils._reference.order_shape import OrderShape, own_elements
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.needles import MASK
from tests.simulator.examples import CONTACT

VPS, USER = "43444cec-30eb-4f99-a44d-4e7c1373723d", "d19f51a8-e747-452b-89a9-286bfa544c77"
CONFIGURATOR, DOMAIN = PRODUCT_TYPES["configurable_vps"].product_id, PRODUCT_TYPES["domain"].product_id
SETTINGS = {"hostname": "web01", "template": "debian-12"}
CONFIGURED: dict[str, Any] = {
    "cpu_cores": "4",
    "ram": 4096,
    "disk_size": 80,
    "username": "deploy",
    "password": "Quite-Secret-1",
    "template_name": "debian-12",
    "hostname": "app01.example.org",
    "ipv4_addresses": 1,
    "traffic_display": 1024,
    "backup_count": 5,
    "snapshot_count": 2,
    "ha_upgrade": "no",
    "10g_upgrade": False,
}
SHAPE = OrderShape("endUser", "product", elements=("endUser", "product", "settings", "costCentre", "note"))


def prepared(
    requested: RequestedOrder, target: Target, options: list[Option] | None, shape: OrderShape | None, **changes: Any
) -> tuple[Order, list[Violation]]:
    """As the planner prepares an order."""
    own = own_elements(shape.end_user_element, shape.product_element) if shape else own_elements(None, None)
    return prepare(requested, target, options, shape, own, **changes)


def wish(**changes: Any) -> RequestedOrder:
    return RequestedOrder(**{"end_user": "__self__", "product": VPS, "settings": SETTINGS, **changes})


def target(kind: str = "vps") -> Target:
    return Target(VPS, "VPS M", PRODUCT_TYPES[kind])


def paths(violations: list[Violation]) -> set[str]:
    return {violation.path for violation in violations}


# Identity


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "web01"),
        ({"name": "customer 4711/web"}, "customer 4711/web"),
        ({"name": ""}, "web01"),
        ({"settings": {"domain": "example.org", "action": "register"}}, "example.org"),
        ({"settings": {"hostname": ""}}, None),
    ],
)
def test_the_name_is_the_identity(changes: dict[str, Any], name: str | None) -> None:
    assert order_name(wish(**changes)) == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bu\u0308ro", "looks the same.\nWrite it as 'b\u00fcro'."),
        (" web01", "plain name"),
        ("\x1b[31mweb", "plain name"),
        ("x" * 256, "plain name"),
    ],
)
def test_a_name_that_looks_like_another_or_like_none_is_refused(name: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        order_name(wish(name=name))
    assert words in caught.value.message


# What can be told without a catalogue


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"end_user": "self"}, "__self__"),
        ({"end_user": USER + "\n"}, "neither a UUID"),
        ({"product": None}, "product is missing"),
        ({"product": DOMAIN, "product_type": "vps"}, "Correct one of them"),
        ({"product": (DOMAIN or "").upper(), "product_type": "vps"}, "Correct one of them"),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused_with_what_to_do(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_requested(wish(**changes))
    assert words in caught.value.message


def test_name_that_equals_a_secret_is_refused_and_not_shown() -> None:
    secret = CONFIGURED["password"]
    with pytest.raises(ConfigurationError, match="equals one of its secrets") as caught:
        check_requested(wish(name=secret, settings=CONFIGURED))
    assert secret not in caught.value.message


# Preparing


def test_all_that_is_wrong_is_told_at_once_with_its_source() -> None:
    options = [Option("hostname"), Option("template", choices=(Choice("debian-13", "Debian 13"),)), Option("size")]
    asked = wish(
        settings={"hostname": "web_01", "template": "debian-12", "size": "L", "colour": "red"},
        additional_elements={"product": "x", "note": "a", "nope": 1},
    )
    _order, violations = prepared(asked, target(), options, SHAPE)
    assert paths(violations) == {
        "settings.hostname",
        "settings.template",
        "settings.colour",
        "additional_elements.product",
        "additional_elements.nope",
    }
    assert {violation.path: violation.source for violation in violations}["settings.template"] == "live"


@pytest.mark.parametrize(("org_max_ram", "listed"), [(8192, None), (None, 8192)])
def test_the_organization_s_maximum_is_the_user_s_or_the_live_one(org_max_ram: int | None, listed: int | None) -> None:
    options = [Option(name, {"maximum": listed} if name == "ram" and listed else {}) for name in CONFIGURED]
    asked = wish(settings={**CONFIGURED, "ram": 9216}, org_max_ram=org_max_ram)
    _order, violations = prepared(asked, target("configurable_vps"), options, None)
    assert paths(violations) == {"settings.ram"}


@pytest.mark.parametrize(
    ("shape", "elements", "wrong"),
    [
        (None, {"anything": 1}, set()),
        (SHAPE, {"note": "x", "costCentre": 7}, set()),
        (OrderShape("endUser", "product", required=("costCentre",)), {}, {"additional_elements.costCentre"}),
        (SHAPE, {"note": float("nan")}, {"additional_elements.note"}),
        (SHAPE, {"note": "\ud800"}, {"additional_elements.note"}),
    ],
)
def test_additional_elements_are_those_of_the_published_reference(
    shape: OrderShape | None, elements: dict[str, Any], wrong: set[str]
) -> None:
    _order, violations = prepared(wish(additional_elements=elements), target(), None, shape)
    assert paths(violations) == wrong


@pytest.mark.parametrize(
    ("kind", "settings", "options", "told"),
    [
        (
            "configurable_vps",
            {**CONFIGURED, "ram": 9217},
            [Option(name, {"maximum": 8192} if name == "ram" else {}) for name in CONFIGURED],
            [("settings.ram", "documented")],
        ),
        (
            "domain",
            {
                "domain": "example.org",
                "action": "register",
                "ownercRef": "C-1",
                "admincData": {**CONTACT, "country": "D"},
            },
            [Option(name) for name in ("domain", "action", "ownercRef")]
            + [Option("admincData", {"contentMediaType": "application/json"})],
            [("settings.admincData.country", "documented")],
        ),
    ],
)
def test_one_mistake_is_told_once(
    kind: str, settings: dict[str, Any], options: list[Option], told: list[tuple[str, str]]
) -> None:
    _order, violations = prepared(wish(settings=settings), target(kind), options, None)
    assert [(violation.path, violation.source) for violation in violations] == told


# The request


def test_the_body_carries_the_documented_elements_under_the_service_s_names() -> None:
    order, _violations = prepared(wish(end_user=USER, additional_elements={"note": "x"}), target(), None, SHAPE)
    assert body(order, OrderShape("customer", "item")) == {
        "customer": USER,
        "item": VPS,
        "settings": SETTINGS,
        "note": "x",
    }


@pytest.mark.parametrize(("required", "expected"), [(False, {}), (True, {"settings": {}})])
def test_no_settings_are_sent_as_an_empty_object_only_where_they_are_required(
    required: bool, expected: dict[str, Any]
) -> None:
    order = Order("shop", "__self__", target("webhosting"), {}, {})
    sent = body(order, OrderShape("endUser", "product", settings_required=required))
    assert sent == {"endUser": "__self__", "product": VPS, **expected}


@pytest.mark.parametrize("element", ["customer", "settings"])
def test_an_additional_element_never_says_who_pays_for_what(element: str) -> None:
    """Also if the names of the elements were learned after the order was checked."""
    order = Order("web01", "__self__", target(), SETTINGS, {element: USER})
    with pytest.raises(ConfigurationError, match=f"additional_elements.{element} is what the option"):
        body(order, OrderShape("customer", "item"))
    _order, violations = prepared(
        wish(additional_elements={element: 1}), target(), None, OrderShape("customer", "item")
    )
    assert [violation.path for violation in violations] == [f"additional_elements.{element}"]


# Secrets


def test_secrets_by_name_and_by_the_live_rules_are_not_shown() -> None:
    options = [Option(name) for name in CONFIGURED] + [Option("pin", secret=True)]
    asked = wish(settings={**CONFIGURED, "pin": 4711}, additional_elements={"api_token": "abc-def"})
    order, violations = prepared(asked, target("configurable_vps"), options, None)
    assert violations == []
    assert order_secrets(order) == {"Quite-Secret-1", "4711", "abc-def"}
    shown = masked_settings(order)
    assert (shown["password"], shown["pin"], shown["username"]) == (MASK, MASK, "deploy")
    assert order.settings["password"] == "Quite-Secret-1"


@pytest.mark.parametrize(
    ("element", "shape", "elements", "words"),
    [
        ("note", SHAPE, {}, None),
        ("costCentre", OrderShape("endUser", "product", required=("costCentre",), elements=("costCentre",)), {}, None),
        ("notes", SHAPE, {}, "names no such element.*did you mean note"),
        ("note", OrderShape("endUser", "product"), {}, "names no such element"),
        ("note", SHAPE, {"note": "mine"}, "is in additional_elements, too"),
        ("product", SHAPE, {}, "is what the option product sets"),
    ],
)
def test_marker_needs_an_element_of_its_own(
    element: str, shape: OrderShape | None, elements: dict[str, Any], words: str | None
) -> None:
    order, violations = prepared(wish(additional_elements=elements), target(), None, shape, marker_element=element)
    assert order.marker_element == element
    assert [violation.path for violation in violations] == ([] if words is None else ["marker_element"])
    assert words is None or re.search(words, violations[0].rule)
