# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One identity: the same thing under another name, another thing under the same name, and which product is meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.product import Product
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import DuplicateError, ViolationsError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._order.order import RequestedOrder
from ansible_collections.hosting.reseller.plugins.module_utils._order.planner import Step
from ansible_collections.hosting.reseller.plugins.module_utils._order.targets import type_violation
from ansible_collections.hosting.reseller.plugins.module_utils._placing.orders import OrderSender
from ansible_collections.hosting.reseller.plugins.module_utils._placing.placer import Placer
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from tests.unit.plugins.module_utils._order.test_planner import ODD, SETTINGS, VPS, Bench, vps

CUSTOMER = "d19f51a8-e747-452b-89a9-286bfa544c77"
CONFIGURABLE = "fb8663c7-70b6-4d81-9750-c0d2b5697107"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with open_ledger(location_of(str(tmp_path / "ledger.db"), {}), writing=True) as ledger:
        found = Bench(tmp_path, ledger)
        with found.server:
            yield found


def domain(value: str = "example.org", **changes: Any) -> RequestedOrder:
    settings = {"domain": value, "action": "register", "ownercRef": "OC-1", "admincRef": "AC-1"}
    return RequestedOrder(
        **{"end_user": CUSTOMER, "product_type": "domain", "validation": "documented", "settings": settings, **changes}
    )


def refused(step: Step) -> str:
    assert step.action == "refused"
    assert isinstance(step.error, DuplicateError)
    return step.error.message


# The same under another name


@pytest.mark.parametrize("outcome", [None, Outcome("in_doubt"), Outcome("ordered", contract_id="c-1")])
def test_a_recorded_host_under_another_name_is_refused(outcome: Outcome | None, bench: Bench) -> None:
    bench.claim(vps(), outcome)
    message = refused(bench.step(vps(name="other")))
    first, *rest = message.splitlines()
    assert first == "Order other is for the same hostname as web01: web01. This order was not sent."
    assert "Set on_duplicate to warn or ignore only to buy a second one" in rest[1]
    assert refused(bench.step(vps(settings={**SETTINGS, "hostname": "WEB01"}, name="capitals")))
    assert bench.step(vps(name="other", end_user=CUSTOMER)).action == "order"


@pytest.mark.parametrize("status", ["rejected", "not_sent"])
def test_what_was_not_placed_is_no_duplicate(status: Any, bench: Bench) -> None:
    bench.claim(vps(), Outcome(status))
    assert bench.step(vps(name="other")).action == "order"


def test_a_second_host_is_ordered_if_that_is_wanted(bench: Bench) -> None:
    bench.place(vps())
    warned = bench.step(vps(name="other", on_duplicate="warn"))
    assert warned.action == "order"
    assert any("is for the same hostname as web01" in warning for warning in warned.warnings)
    ignored = bench.step(vps(name="other", on_duplicate="ignore"))
    assert (ignored.action, ignored.warnings) == ("order", ())
    bench.place(vps(name="other", on_duplicate="ignore"))
    # Both are recorded now: neither is new.
    assert [step.action for step in bench.plan(vps(), vps(name="other"))] == ["none", "none"]


@pytest.mark.parametrize("on_duplicate", ["fail", "warn", "ignore"])
@pytest.mark.parametrize("outcome", [None, Outcome("in_doubt"), Outcome("ordered")])
def test_a_domain_is_never_bought_twice(on_duplicate: Any, outcome: Outcome | None, bench: Bench) -> None:
    bench.claim(domain(), outcome)
    message = refused(bench.step(domain("Example.ORG", name="other", end_user="__self__", on_duplicate=on_duplicate)))
    assert "never bought twice while its order stands, whatever on_duplicate says" in message
    if outcome:
        bench.ledger.remove("example.org")
        assert bench.step(domain(name="other")).action == "order"


def test_what_is_asked_twice_in_one_task_is_refused_once(bench: Bench) -> None:
    wishes = [
        vps(name="a"),
        domain(),
        vps(name="b"),
        domain(name="d", on_duplicate="ignore"),
        vps(name="c", on_duplicate="warn"),
    ]
    steps = bench.plan(*wishes)
    assert [step.action for step in steps] == ["order", "order", "refused", "refused", "order"]
    assert "a is requested in the same task" in refused(steps[2])
    assert "is for the same domain as example.org" in refused(steps[3])


def test_a_webhosting_has_no_twin(bench: Bench) -> None:
    shop = RequestedOrder(end_user="__self__", product="Webhosting", product_type="webhosting", name="a")
    bench.place(shop)
    assert (
        bench.step(
            RequestedOrder(end_user="__self__", product="Webhosting", product_type="webhosting", name="b")
        ).action
        == "order"
    )


@pytest.mark.parametrize("wishes", [(vps(), vps(name="b")), (domain(), domain(name="b", on_duplicate="ignore"))])
def test_what_was_claimed_since_the_plan_is_not_sent(
    wishes: tuple[RequestedOrder, RequestedOrder], bench: Bench
) -> None:
    orders = [bench.step(wish).order for wish in wishes]
    placer = Placer(OrderSender(bench.service()), bench.ledger, wait_in_flight=0.0)
    first, second = orders
    assert first is not None
    assert second is not None
    placer.place(first)
    with pytest.raises(DuplicateError, match="This order was not sent"):
        placer.place(second)
    assert [request.method for request in bench.server.requests].count("POST") == 1
    assert bench.ledger.names() == [first.name]


# Another under the same name


@pytest.mark.parametrize("on_drift", ["fail", "warn", "ignore"])
@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"end_user": CUSTOMER}, "end_user"),
        ({"product": ODD}, "product"),
        ({"product": "Odd"}, "product"),
    ],
)
def test_another_contract_under_a_recorded_name_always_fails(
    on_drift: Any, changes: dict[str, Any], path: str, bench: Bench
) -> None:
    bench.place(vps())
    step = bench.step(vps(on_drift=on_drift, **changes))
    assert (step.action, [difference.path for difference in step.differences]) == ("drift", [path])


@pytest.mark.parametrize(("on_drift", "action"), [("fail", "drift"), ("warn", "none"), ("ignore", "none")])
def test_other_settings_are_what_the_user_says_of_them(on_drift: Any, action: str, bench: Bench) -> None:
    bench.place(vps())
    step = bench.step(vps(on_drift=on_drift, settings={**SETTINGS, "template": "debian-13"}))
    assert (step.action, [difference.path for difference in step.differences]) == (action, ["settings.template"])


def test_a_name_that_is_another_product_by_now_is_another_product(bench: Bench) -> None:
    bench.place(vps(product="VPS M"))
    assert bench.step(vps(product="VPS M")).action == "none"
    assert bench.server.requests == [], "the record answers"
    bench.catalogue = [{"id": ODD, "name": "VPS M", "options": []}]
    known = bench.service()
    known.catalogue()
    (step,) = bench.plan(vps(product="VPS M", on_drift="ignore"), service=known)
    assert [(each.path, each.recorded) for each in step.differences] == [("product", "VPS M")]
    assert step.action == "drift"


# Which product is meant


def product(product_id: str, *names: str) -> Product:
    return Product(product_id, ("A product",), {"options": [{"name": name, "type": "string"} for name in names]})


@pytest.mark.parametrize(
    ("kind", "names", "said"),
    [
        (
            "vps",
            ["hostname", "template", "cpu_cores"],
            "cpu_cores for A product, settings of the product type configurable_vps",
        ),
        (
            "configurable_vps",
            ["hostname", "ip4_count"],
            "ip4_count for A product, settings of the product type dedicated_server",
        ),
        ("webhosting", ["domain"], "domain for A product, settings of the product type domain"),
        ("vps", ["cpu_cores", "domain"], "cpu_cores, domain for A product, settings of other product types"),
        ("configurable_vps", ["hostname", "template"], "settings of the product type vps or dedicated_server"),
        ("dedicated_server", ["hostname", "template"], None),
        ("vps", [], None),
        ("vps", ["hostname", "colour"], None),
        ("vps", ["hostname", "template", "username", "password"], None),
    ],
)
def test_options_that_contradict_the_product_type(kind: str, names: list[str], said: str | None) -> None:
    found = type_violation(product(VPS, *names), PRODUCT_TYPES[kind])
    assert (said is None) == (found is None)
    assert said is None or (found is not None and said in found.rule and found.path == "product_type")


def test_a_documented_uuid_alone_decides() -> None:
    assert type_violation(product(CONFIGURABLE, "hostname", "ip4_count"), PRODUCT_TYPES["configurable_vps"]) is None


def test_a_contradiction_is_told_with_all_else_and_overridden_by_the_user(bench: Bench) -> None:
    wish = vps(product_type="configurable_vps")
    error = bench.step(wish).error
    assert isinstance(error, ViolationsError)
    assert error.violations[0].path == "product_type"
    assert len(error.violations) > 1
    documented = bench.step(
        vps(product_type="dedicated_server", settings={**SETTINGS, "ip4_count": 1}, validation="documented")
    )
    assert documented.action == "order"


def test_a_documented_product_by_its_name_is_of_its_type(bench: Bench) -> None:
    bench.add_product(CONFIGURABLE, "VPS-Konfigurator", ["hostname", "template"])
    error = bench.step(vps(product="VPS-Konfigurator")).error
    assert error is not None
    assert "product_type is vps, but VPS-Konfigurator is the documented configurable VPS" in error.message
    error = bench.step(vps(product="VPS-Konfigurator", product_type=None)).error
    assert isinstance(error, ViolationsError)
    assert "settings.cpu_cores" in [violation.path for violation in error.violations]
