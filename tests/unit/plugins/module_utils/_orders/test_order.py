# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A wish becomes an order: its name, its product, its settings, its request body, and what of it may be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.catalogue import Product
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError, ViolationsError
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import (
    AllowSecond,
    Order,
    RequestedOrder,
    body,
    check_name,
)
from ansible_collections.hosting.reseller.plugins.module_utils._orders.preparing import checked_request, prepare
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.recognition import MASK
from ansible_collections.hosting.reseller.plugins.module_utils._service.order_shape import OrderShape
from tests.support.cases import cases
from tests.support.order_examples import CONFIG, PRODUCT, order_of
from tests.support.order_examples import SETTINGS as SETTINGS_OF

USER, DOMAIN = "d19f51a8-e747-452b-89a9-286bfa544c77", PRODUCT_TYPES["domain"].product_id or ""
CONFIGURABLE = PRODUCT_TYPES["configurable_vps"].product_id or ""
SETTINGS = {"hostname": "web01", "template": "debian-12"}
CONFIGURED = SETTINGS_OF["configurable_vps"]
SHAPE = OrderShape("endUser", "product", elements=("endUser", "product", "settings", "costCentre", "note"))


def wish(**changes: Any) -> RequestedOrder:
    return RequestedOrder(**{"end_user": "__self__", "product": PRODUCT, "settings": SETTINGS, **changes})


def prepared(
    requested: RequestedOrder,
    kind: str = "vps",
    options: Sequence[str | dict[str, Any]] | None = None,
    *,
    shape: OrderShape = SHAPE,
) -> Order:
    """As the planner prepares an order of a product whose record has these options."""
    listed = [{"name": option} if isinstance(option, str) else option for option in options or ()]
    product = Product(requested.product or "", ("A product",), {} if options is None else {"options": listed})
    return prepare(checked_request(requested), product, PRODUCT_TYPES[kind], shape, CONFIG)[0]


def wrong(requested: RequestedOrder, *args: Any, **known: Any) -> list[tuple[str, str, str]]:
    """All that is wrong: the path, the source of the rule, and the rule."""
    with pytest.raises(ViolationsError) as caught:
        prepared(requested, *args, **known)
    return [(violation.path, violation.source, violation.rule) for violation in caught.value.violations]


UNREADABLE = {"options": "see our web page"}


@pytest.mark.parametrize(
    ("changes", "kind", "record", "shape", "warned"),
    [
        ({"settings": SETTINGS}, "vps", UNREADABLE, SHAPE, "are missing or unreadable"),
        ({"settings": {}}, "webhosting", UNREADABLE, SHAPE, ""),
        # An element that may bill the wrong one.
        ({}, "vps", {"options": [*SETTINGS]}, replace(SHAPE, warnings=("It names no kundin.",)), "It names no kundin."),
    ],
)
def test_doubts_about_an_order_are_warnings(
    changes: dict[str, Any], kind: str, record: dict[str, Any], shape: OrderShape, warned: str
) -> None:
    requested, product = checked_request(wish(name="shop", **changes)), Product(PRODUCT, ("A product",), record)
    warnings = prepare(requested, product, PRODUCT_TYPES[kind], shape, CONFIG)[1]
    assert (warned in "".join(warnings), bool(warnings)) == (True, bool(warned))


# What can be told without a catalogue


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
    assert checked_request(wish(**changes)).name == name


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "bu\u0308ro"}, "looks the same.\nWrite it as 'b\u00fcro'."),
        ({"name": " web01"}, "plain name"),
        ({"name": CONFIGURED["password"], "settings": CONFIGURED}, "equals one of its secrets"),
        ({"end_user": "self"}, "__self__"),
        ({"end_user": USER + "\n"}, "is not a UUID"),
        ({"product": None}, "product is missing"),
        ({"product": DOMAIN.upper(), "product_type": "vps"}, "Correct one of them"),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused_with_what_to_do(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        checked_request(wish(**changes))
    assert words in caught.value.message
    assert CONFIGURED["password"] not in caught.value.message


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        (False, AllowSecond()),
        (True, AllowSecond(recorded=True)),
        ("yes", AllowSecond(recorded=True)),
        ("no", AllowSecond()),
        ([], AllowSecond()),
        (["1013", 1014, " a-1 "], AllowSecond(ids=frozenset({"1013", "1014", "a-1"}))),
        *((wrong, None) for wrong in ("warn", "1013", '["1013"]', None, {}, 2, [True], [""], [None], [["1013"]])),
    ],
)
def test_allow_second_is_a_boolean_or_a_list_of_ids(value: Any, meaning: AllowSecond | None) -> None:
    if meaning is not None:
        assert checked_request(wish(allow_second=value)).second == meaning
        return
    with pytest.raises(ConfigurationError, match="is neither true, false nor a list of contract IDs"):
        checked_request(wish(allow_second=value))


def test_only_a_listed_id_is_allowed() -> None:
    second = AllowSecond(ids=frozenset({"AB-1"}))
    assert (second.allows("ab-1"), second.allows("ab-2")) == (True, False)


# Preparing


def test_all_that_is_wrong_is_told_at_once_with_its_source() -> None:
    asked = wish(
        settings={"hostname": "web_01", "template": "debian-12", "size": "L", "colour": "red"},
        additional_elements={"product": "x", "note": "a", "nope": 1},
    )
    options = ["hostname", {"name": "template", "values": ["debian-13"]}, "size", "cpu_cores"]
    assert [(path, source) for path, source, _rule in wrong(asked, "vps", options)] == [
        ("product_type", "catalogue"),
        ("settings.hostname", "specification"),
        ("settings.colour", "specification"),
        ("settings.template", "catalogue"),
        ("additional_elements.product", "openapi"),
        ("additional_elements.nope", "openapi"),
    ]


def test_what_breaks_a_rule_of_the_specification_is_told_once_whatever_the_catalogue_says() -> None:
    options = [*({"name": name, "min": 2048} if name == "ram" else name for name in CONFIGURED)]
    broken = wrong(wish(settings={**CONFIGURED, "ram": 100}), "configurable_vps", options)
    assert [(path, source) for path, source, _rule in broken] == [("settings.ram", "specification")]


@pytest.mark.parametrize(
    ("org_max_ram", "listed", "source"), [(8192, None, "specification"), (None, 8192, "catalogue")]
)
def test_the_organization_s_maximum_is_the_user_s_or_the_live_one(
    org_max_ram: int | None, listed: int | None, source: str
) -> None:
    options = [{"name": name, **({"max": listed} if name == "ram" and listed else {})} for name in CONFIGURED]
    asked = wish(settings={**CONFIGURED, "ram": 9216}, org_max_ram=org_max_ram)
    ((path, *of, _rule),) = wrong(asked, "configurable_vps", options)
    assert (path, of) == ("settings.ram", [source])


@pytest.mark.parametrize(
    ("requested", "kind", "options", "said"),
    [
        (wish(), "vps", ["hostname", "template", "cpu_cores"], "cpu_cores for A product, settings of the product type"),
        (wish(), "vps", ["cpu_cores", "domain"], "cpu_cores, domain for A product, settings of other product types"),
        # Settings of no type, and of all that orders of this product may be.
        (wish(), "vps", ["hostname", "template", "username", "password", "php_version"], None),
        (wish(settings={**SETTINGS, "ip4_count": 1}), "dedicated_server", ["hostname", "template"], None),
        (wish(validation="specification"), "vps", ["cpu_cores", "domain"], None),
        # The UUID of the specification decides whatever the options are.
        (wish(settings=CONFIGURED, product=CONFIGURABLE), "configurable_vps", [*CONFIGURED, "ip4_count"], None),
    ],
)
def test_options_that_contradict_the_product_type(
    requested: RequestedOrder, kind: str, options: list[str], said: str | None
) -> None:
    if said is None:
        assert prepared(requested, kind, options).kind.name == kind
        return
    path, _source, rule = wrong(requested, kind, options)[0]
    assert (path, said in rule) == ("product_type", True)


def test_l2vpn_that_another_order_makes_is_called_that_of_its_server() -> None:
    joining = wish(settings={**SETTINGS, "ip4_count": 1}, l2vpn_of="db01")
    assert prepared(joining, "dedicated_server").settings["existing_l2vpn"] == "that of db01"


def test_listed_prices_are_those_of_the_product_and_of_what_is_chosen() -> None:
    choices = [{"value": "debian-12", "label": "D"}, {"value": "windows", "label": "W", "price": "9.90"}]
    options = [
        {"name": "hostname", "price": {"net": 1}},
        {"name": "template", "choices": choices},
        {"name": "backup_window", "price": "2.00"},
    ]
    product = Product(PRODUCT, ("VPS M",), {"monthlyPrice": "4,90 €", "setup_fee": 0, "options": options})
    requested = checked_request(wish(settings={**SETTINGS, "template": "windows"}))
    order, _warnings = prepare(requested, product, PRODUCT_TYPES["vps"], SHAPE, CONFIG)
    assert order.listed_prices == {
        "product": {"monthlyPrice": "4,90 €", "setup_fee": 0},
        "settings.hostname": {"price": {"net": 1}},
        "settings.template": {"price": "9.90"},
    }
    assert prepared(wish()).listed_prices is None


# Further elements

PLAIN = OrderShape("endUser", "product")


@pytest.mark.parametrize(
    ("shape", "wanted", "path", "rule"),
    [
        (OrderShape("endUser", "product", required=("costCentre",)), {}, "costCentre", "requires this element"),
        (SHAPE, {"note": float("nan")}, "note", "what JSON cannot carry"),
        (SHAPE, {"note": "\ud800"}, "note", "what JSON cannot carry"),
        (PLAIN, {"settings": {}}, "settings", "is what the option settings sets"),
        (SHAPE, {"notes": 1}, "notes", "names no such element of an order; did you mean note?"),
    ],
)
def test_additional_elements_are_those_of_the_published_reference(
    shape: OrderShape, wanted: dict[str, Any], path: str, rule: str
) -> None:
    ((found, _source, told),) = wrong(wish(additional_elements=wanted), shape=shape)
    assert (found, rule in told) == (f"additional_elements.{path}", True)


def test_any_element_may_be_given_where_none_is_published() -> None:
    order = prepared(wish(additional_elements={"anything": 1}), shape=PLAIN)
    assert order.additional_elements == {"anything": 1}


# The request


@pytest.mark.parametrize("required", [False, True])
def test_no_settings_are_sent_as_an_empty_object_only_where_they_are_required(required: bool) -> None:
    sent = body(order_of("shop", {}, "webhosting"), OrderShape("endUser", "product", settings_required=required))
    assert sent == {"endUser": "__self__", "product": PRODUCT, **({"settings": {}} if required else {})}


@pytest.mark.parametrize("element", ["customer", "settings"])
def test_an_additional_element_never_says_who_pays_for_what(element: str) -> None:
    """Also if the names of the elements were learned after the order was checked."""
    with pytest.raises(ConfigurationError, match=f"additional_elements.{element} is what the option"):
        body(order_of("web01", SETTINGS, additional_elements={element: USER}), OrderShape("customer", "item"))


# Names


VALID = ["web01.example.org", "Kunde Müller / Webseite (2)", "日本 サーバー", "x" * 255, "\U0001f600"]
#: A variation selector, a blank of Braille, a change of the writing direction, what has no width, and other blanks.
INVISIBLE = ["\ufe0f", "\u2800", "\u202e", "\u200b", "\u00ad", "\u3164", "\u00a0", "\u2028", "\U000e0041"]
INVALID = ["x" * 256, " web01", "web01\n", "web\t01", "web\x1b[2J01", *(f"web{each}01" for each in INVISIBLE)]


@pytest.mark.parametrize("name", [*VALID, *INVALID], ids=ascii)
def test_name_has_only_characters_that_are_seen(name: str) -> None:
    if name in VALID:
        check_name(name)
    else:
        with pytest.raises(ConfigurationError, match="is not a valid name") as caught:
            check_name(name)
        # What is not seen is shown by its number.
        assert caught.value.message.splitlines()[0].isascii()


@cases("names")
def test_name_with_a_foreign_character_is_refused_with_it(case: dict[str, Any]) -> None:
    for name in case["given"]:
        with pytest.raises(ConfigurationError) as caught:
            check_name(name)
        assert case["says"] in caught.value.message


# Secrets


def test_secrets_by_name_and_by_the_live_rules_are_not_shown() -> None:
    settings = {**CONFIGURED, "pin": 4711, "note": "has Quite-Secret-1"}
    options = [*CONFIGURED, "note", {"name": "pin", "type": "password"}]
    asked = wish(settings=settings, additional_elements={"api_token": "abc-def"})
    order = prepared(asked, "configurable_vps", options, shape=PLAIN)
    assert order.secrets == {"Quite-Secret-1", "4711", "abc-def"}
    shown = order.masker.value(order.settings)
    assert (shown["password"], shown["pin"], shown["note"]) == (MASK, MASK, f"has {MASK}")
    assert order.settings["password"] == "Quite-Secret-1"


def test_user_name_that_equals_a_weak_password_is_shown() -> None:
    plain = order_of("web01", {"username": "deploy", "password": "deploy"})
    shown = plain.masker.value(plain.settings)
    assert shown == {"username": "deploy", "password": MASK}
