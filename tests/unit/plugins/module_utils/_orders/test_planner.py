# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a run would do about each order, for every state of the ledger and every way in which an order is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    FailureKind,
    MissingLibraryError,
    ResellerError,
    ServiceError,
    Violation,
)
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Cancellation,
    NamedOperation,
    Outcome,
    Record,
)
from ansible_collections.hosting.reseller.plugins.module_utils._orders import planner
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import Order, RequestedOrder
from ansible_collections.hosting.reseller.plugins.module_utils._orders.placed_order import PlacedOrder
from ansible_collections.hosting.reseller.plugins.module_utils._orders.plan import plan_entry, plan_totals
from ansible_collections.hosting.reseller.plugins.module_utils._orders.planner import Planner, orders_to_send
from ansible_collections.hosting.reseller.plugins.module_utils._product_types import dialect
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from ansible_collections.hosting.reseller.plugins.module_utils._service.service import Service
from playbooks.files.simulator.http_server import Reply, ScriptedServer
from tests.support.described import elements
from tests.support.ledgers import record, remove
from tests.unit.plugins.module_utils._ledger.runs import settle
from tests.unit.plugins.module_utils._placing import conftest as placing

VPS, SHOP = "43444cec-30eb-4f99-a44d-4e7c1373723d", "b5c65dde-a2e9-455d-b1cc-3b09998965dd"
ODD, SERVER = "de1fc128-e7fa-42f8-b789-c12b84947105", "7b4f0c52-3d5c-4f0e-9d3e-0f1b2c3d4e5f"
CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
HOSTNAME = {"name": "hostname", "type": "string", "required": True}
TEMPLATE = {"name": "template", "type": "select", "required": True, "values": ["debian-12", "debian-13"]}
PIN = {"name": "pin", "type": "password"}
CATALOGUE = [
    {"id": VPS, "name": {"en": "VPS M", "de": "Virtueller Server M"}, "options": [HOSTNAME, TEMPLATE, PIN]},
    {"id": SHOP, "name": "Webhosting", "options": []},
    {
        "id": SERVER,
        "name": "Server",
        "options": [HOSTNAME, TEMPLATE, {"name": "ip4_count"}, {"name": "existing_l2vpn"}],
    },
    {"id": ODD, "name": "Odd", "options": [{"name": "colour", "type": "string"}]},
]
SETTINGS = {"hostname": "web01", "template": "debian-12"}
CUSTOMER = "d19f51a8-e747-452b-89a9-286bfa544c77"


def vps(**changes: Any) -> RequestedOrder:
    return RequestedOrder(
        **{"end_user": "__self__", "product": VPS, "product_type": "vps", "settings": SETTINGS, **changes}
    )


class Bench(placing.Bench):
    """Plans with one ledger and new services, as run after run does."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.status = 200
        self.catalogue: list[dict[str, Any]] = [*CATALOGUE]
        self.server = ScriptedServer(lambda request: Reply(self.catalogue, self.status))

    def service(self) -> Service:
        config = ServiceConfig(self.server.url, "key-0123456789", "4200")
        return Service(config, elements("endUser", "product"))

    def plan(self, *wishes: RequestedOrder, service: Service | None = None, **options: Any) -> list[PlacedOrder]:
        return Planner(service or self.service(), self.ledger, **options).plan(wishes)

    def step(self, wish: RequestedOrder, **options: Any) -> PlacedOrder:
        (step,) = self.plan(wish, **options)
        return step

    def order(self, wish: RequestedOrder) -> Order:
        order = self.step(wish).order
        assert order is not None
        return order

    def claim(self, wish: RequestedOrder, outcome: Outcome) -> None:
        """Have a run claim it, and end so."""
        order = self.order(wish)
        _ended, ((_delivery, in_the_way),) = self.placer(self.server.url).exchange([], [order])
        assert in_the_way is None
        record(self.ledger, order.name, outcome)
        self.server.requests.clear()

    def buy(self, wish: RequestedOrder) -> None:
        self.claim(wish, Outcome("ordered", contract_id=CONTRACT))

    def adopt(self, **unknown: Any) -> None:
        """Have a record of web01 of which this is known otherwise than of an order that was placed."""
        self.buy(vps())
        known = self.record("web01").request
        assert known is not None
        remove(self.ledger, "web01")
        settle(self.ledger, "web01", Outcome("ordered"), replace(known, partial=True, **unknown))


def refused(step: PlacedOrder, kind: FailureKind | None = None) -> str:
    """Why an order is refused."""
    assert step.state == "refused"
    assert step.error is not None
    assert kind in (step.error.kind, None)
    return step.error.message


CAPITALS = "is not in the ledger, but 'web01' is. This order was not sent.\nThe two names look alike"
DOUBT = "Order web01 is in doubt"
NEW = {**SETTINGS, "template": "debian-13"}
TWIN = "is for the same hostname as web01: web01."
#: How web01 is recorded, what is requested then, what a run does about it, and what it says of that.
RECORDED: list[tuple[Any, RequestedOrder, str, str]] = [
    ("rejected", vps(), "planned", ""),
    ("not_sent", vps(), "planned", ""),
    ("rejected", vps(name="other"), "planned", ""),
    ("in_doubt", vps(), "in_doubt", DOUBT),
    ("in_doubt", vps(settings={"hostname": "web01"}), "in_doubt", DOUBT),
    ("in_doubt", vps(on_drift="warn"), "in_doubt", DOUBT),
    ("ordered", vps(settings={**SETTINGS, "hostname": "WEB01"}), "refused", CAPITALS),
    ("ordered", vps(name="Web01"), "refused", CAPITALS),
    # The product by another of its names, and another product.
    ("ordered", vps(product="Virtueller Server M"), "recorded", ""),
    ("ordered", vps(product="Odd"), "differs", "product: recorded 'VPS M', requested 'Odd'"),
    ("ordered", vps(product="No such", on_drift="warn"), "differs", "product: recorded 'VPS M', requested 'No such'"),
    # Drift is what the user says of it, but for another contract.
    ("ordered", vps(settings=NEW), "differs", "settings.template: recorded 'debian-12', requested 'debian-13'"),
    ("ordered", vps(settings=NEW, on_drift="warn"), "warned", "Order web01 differs from its record in the ledger"),
    ("ordered", vps(settings=NEW, end_user=CUSTOMER, on_drift="warn"), "differs", "end_user: recorded '__self__'"),
    ("ordered", vps(settings=NEW, product="Odd", on_drift="warn"), "differs", "product: recorded 'VPS M'"),
    # The same under another name.
    ("ordered", vps(name="other"), "refused", f"Order other {TWIN} This order was not sent."),
    ("ordered", vps(name="other"), "refused", "Use the name web01 for that contract. Set allow_second to"),
    ("ordered", vps(name="other", settings={**SETTINGS, "hostname": "WEB01"}), "refused", "for the same hostname"),
    ("ordered", vps(name="other", allow_second="yes"), "planned", TWIN),
    ("ordered", vps(name="other", allow_second=["1013"]), "refused", "for the same hostname as"),
    (
        "ordered",
        vps(name="other", allow_second="please"),
        "refused",
        "allow_second 'please' is neither true, false nor",
    ),
    ("ordered", vps(name="other", end_user=CUSTOMER), "planned", ""),
]


@pytest.mark.parametrize(("status", "wish", "state", "told"), RECORDED)
def test_what_is_done_beside_a_record(status: Any, wish: RequestedOrder, state: str, told: str, bench: Bench) -> None:
    bench.claim(vps(), Outcome(status, contract_id=CONTRACT))
    step = bench.step(wish)
    said = step.error.message if step.error else "".join(step.warnings)
    # Only other settings are a warning where that is wanted.
    shown = "warned" if step.state == "differs" and not step.error else step.state
    assert (shown, told in said, bool(said)) == (state, True, bool(told)), said


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    found = Bench(tmp_path)
    with found.ledger, found.server:
        found.ledger.make()
        yield found


# The ledger's states


def test_a_recorded_order_is_answered_without_a_request(bench: Bench) -> None:
    bench.buy(vps())
    for wish in (vps(), vps(product="VPS M"), vps(product=VPS.upper()), vps(product_type=None, product="VPS M")):
        step = bench.step(wish)
        assert (step.state, step.differences, step.order) == ("recorded", (), None)
    assert refused(bench.step(vps(settings={"hostname": "web01"})), "invalid")
    assert bench.server.requests == []


def test_pending_order_is_planned_but_not_to_be_sent(bench: Bench) -> None:
    with bench.open() as other:
        bench.placer(bench.server.url, other).exchange([], [bench.order(vps())])
        step = bench.step(vps())
        assert (step.state, step.order is not None, orders_to_send([step])) == ("elsewhere", True, {})
        entry = plan_entry(step)
        assert entry["certain_at"] == step.record.deadline is not None
        assert plan_totals([step]) == "1 being placed, or cut off"
    assert bench.step(vps()).state == "in_doubt"


LEFT = "Another run was placing the order web01, but did not place it"


@pytest.mark.parametrize(
    ("status", "state", "kind", "words"),
    [
        ("pending", "elsewhere", "pending", "The order web01 is being placed, or cut off: certain at "),
        ("rejected", "rejected", "rejected", f"{LEFT} (No credit.)."),
        ("not_sent", "rejected", "unreachable", LEFT),
        ("in_doubt", "in_doubt", "in_doubt", DOUBT),
        ("ordered", "recorded", None, ""),
    ],
)
def test_order_that_another_run_was_placing(
    status: Any, state: str, kind: str | None, words: str, bench: Bench
) -> None:
    """As the ledger has it after the wait."""
    with bench.open() as other:
        bench.placer(bench.server.url, other).exchange([], [bench.order(vps())])
        planned = bench.plan(vps())
        if status != "pending":
            record(other, "web01", Outcome(status, "No credit." if status == "rejected" else None))
        (seen,) = Planner(bench.service(), bench.ledger).ended_elsewhere(planned)
        assert (seen.state, seen.error.kind if seen.error else None) == (state, kind)
        assert str(seen.error or "").startswith(words)


CANCELED = Cancellation("2026-11-21T14:03:20Z", "cancel web01")


@pytest.mark.parametrize(
    ("canceled", "open_request", "state", "kind", "over"),
    [
        # Its name can be ordered anew, in the place of the record.
        (CANCELED, None, "planned", None, CONTRACT),
        (None, "pending", "refused", "pending", None),
        (None, "in_doubt", "refused", "in_doubt", None),
    ],
)
def test_order_whose_contract_is_canceled(
    canceled: Any, open_request: Any, state: str, kind: str | None, over: str | None, bench: Bench
) -> None:
    bench.buy(vps())
    (held,) = bench.ledger.find(["web01"]).values()
    held = held._replace(cancelled=canceled)
    operation = NamedOperation("cancel web01", bench.server.url, "4200", "DELETE /x", "", cancels="web01")
    request = Record("cancel web01", Outcome(open_request), None, None, None, None, "", True, operation=operation)
    ledger: Any = SimpleNamespace(
        look_up=lambda names: ({}, {"web01": held}),
        open_cancellations=lambda records: {"web01": request} if open_request else {},
        duplicates=lambda orders: {},
    )
    (one,) = Planner(bench.service(), ledger).plan([vps()])
    assert (one.state, one.error and one.error.kind, one.order and one.order.over) == (state, kind, over)
    if canceled:
        placed = PlacedOrder(vps(name="web01"), "elsewhere")
        (ended,) = Planner(bench.service(), ledger).ended_elsewhere([placed])
        assert (ended.state, str(ended.error).startswith(LEFT)) == ("rejected", True)


def test_value_that_only_the_run_will_know_is_no_drift(bench: Bench) -> None:
    server = {"product": SERVER, "product_type": "dedicated_server", "end_user": "__self__"}
    joined = {**SETTINGS, "ip4_count": 1, "existing_l2vpn": CONTRACT}
    bench.buy(RequestedOrder(**server, settings=joined))
    for empty in (None, ""):
        wish = RequestedOrder(**server, settings={**joined, "existing_l2vpn": empty})
        assert bench.step(wish, check_mode=True).state == "recorded"


@pytest.mark.parametrize("field", ["end_user", "product_type", "service"])
def test_a_record_that_does_not_say_what_it_is_for_answers_no_order(bench: Bench, field: str) -> None:
    """Nothing of it may differ from what is asked, and it may be somebody else's all the same."""
    bench.adopt(**{field: ""})
    step = bench.step(vps())
    assert "its record does not say what it is for" in refused(step)
    option = "base_url" if field == "service" else field
    assert f"    {option}: …" in refused(step)
    assert step.error is not None
    (task,) = yaml.safe_load(str(step.error.results["settle_with"]))
    assert [*task["hosting.reseller.reseller_record"]] == ["name", "state", option, "ledger"]


def test_a_record_of_another_type_answers_no_order(bench: Bench) -> None:
    bench.adopt(product="", product_name=None, product_type="dedicated_server")
    step = bench.step(vps(product_type=None, product="VPS M"))
    assert step.state == "differs"
    assert [*map(str, step.differences)] == ["product_type: recorded 'dedicated_server', requested 'vps'"]


def test_a_secret_that_only_the_live_rules_know_is_no_drift_and_not_kept(bench: Bench) -> None:
    bench.buy(vps(settings={**SETTINGS, "pin": "4711-secret"}))
    assert bench.step(vps(settings={**SETTINGS, "pin": "4712-secret"})).differences == ()
    assert "4711-secret" not in str(bench.ledger.find(["web01"]))


# What is wrong with an order


def test_order_without_a_name_is_told_all_that_it_lacks(bench: Bench) -> None:
    nameless = RequestedOrder(end_user="__self__", product="Webhosting")
    assert refused(bench.step(nameless)).startswith("The order has no name.")
    assert "A webhosting order needs name." in refused(bench.step(nameless))
    assert "settings.hostnam: unknown" in refused(bench.step(vps(product_type=None, settings={"hostnam": "web01"})))
    told = refused(bench.step(vps(settings={"template": "beos"})))
    assert ("settings.hostname" in told, "settings.template" in told) == (True, True)


def test_nameservers_of_settings_that_keep_all_rules_are_queried_last(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Mapping[str, Any]] = []

    def queried(orders: Sequence[Mapping[str, Any]], **_options: Any) -> list[list[Violation]]:
        asked.extend(orders)
        return [[Violation("settings.nameservers", None, "not ready", "specification")] for _settings in orders]

    monkeypatch.setattr(planner, "nameserver_violations", queried)
    assert "not ready" in refused(bench.step(vps()))
    assert bench.step(vps(verify_nameservers=False)).state == "planned"
    bench.step(vps(settings={"hostname": "web01"}))
    assert asked == [SETTINGS]


def test_a_service_that_does_not_answer_fails_the_plan(bench: Bench) -> None:
    bench.status = 500
    with pytest.raises(ServiceError):
        bench.plan(vps())
    assert bench.step(vps(validation="specification")).state == "planned"


# Which product is meant


def test_a_type_that_is_not_said_is_inferred_or_asked_for(bench: Bench) -> None:
    assert bench.order(vps(product_type=None, product="VPS M")).kind.name == "vps"
    assert "cannot be inferred" in refused(bench.step(vps(product_type=None, product=ODD)))
    configurable = PRODUCT_TYPES["configurable_vps"].product_id
    bench.catalogue.append({"id": configurable, "name": "Konfigurator", "options": [HOSTNAME, TEMPLATE]})
    told = refused(bench.step(vps(product="Konfigurator")))
    assert "product_type is vps, but Konfigurator is the documented configurable VPS" in told


def test_a_dry_run_by_the_documented_rules_asks_nobody(bench: Bench) -> None:
    step = bench.step(vps(validation="specification"), check_mode=True)
    assert (step.state, step.order and step.order.product_name) == ("planned", None)
    for wish, words in (
        (vps(validation="specification", product="VPS M"), "given by name"),
        (vps(validation="specification", product_type=None), "its type is not known"),
        (vps(name=" web01"), "whitespace"),
    ):
        assert words in refused(bench.step(wish, check_mode=True))
    assert bench.server.requests == []
    # Outside check mode, the product is looked up.
    assert bench.step(vps(validation="specification", product="VPS M")).state == "planned"


def test_jsonschema_is_required_before_anything_is_requested(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect, "JSONSCHEMA_ERROR", ImportError("No module named 'jsonschema'"))
    with pytest.raises(MissingLibraryError):
        bench.plan(vps(product="VPS M", product_type=None))
    assert bench.server.requests == []


# The same under another name


def domain(value: str = "example.org", **changes: Any) -> RequestedOrder:
    settings = {"domain": value, "action": "register", "ownercRef": "OC-1", "admincRef": "AC-1"}
    wish = {"end_user": CUSTOMER, "product_type": "domain", "validation": "specification", "settings": settings}
    return RequestedOrder(**{**wish, **changes})


def test_a_domain_is_never_bought_twice(bench: Bench) -> None:
    bench.claim(domain(), Outcome("in_doubt"))
    for allowed in (False, True, ["1013"]):
        second = domain("Example.ORG", name="other", end_user="__self__", allow_second=allowed)
        message = refused(bench.step(second), "duplicate")
        assert "never bought twice while its order stands, whatever allow_second says" in message
    remove(bench.ledger, "example.org")
    assert bench.step(domain(name="other")).state == "planned"


def test_what_is_asked_twice_in_one_task_is_refused_once(bench: Bench) -> None:
    again = [vps(name="b"), domain(name="d", allow_second=True), vps(name="c", allow_second=True)]
    steps = bench.plan(vps(name="a"), domain(), *again)
    assert [step.state for step in steps] == ["planned", "planned", "refused", "refused", "planned"]
    assert "a is requested in the same task" in refused(steps[2])
    assert "is for the same domain as example.org" in refused(steps[3])
    # There may be any number of webhosting contracts.
    shops = [RequestedOrder("__self__", name, "Webhosting", "webhosting") for name in ("shop", "blog")]
    assert [step.state for step in bench.plan(*shops)] == ["planned", "planned"]
    # Names that look alike are one name, which is reported as that where orders are many.
    assert [step.state for step in bench.plan(vps(name="a"), vps(name="A"))] == ["planned", "planned"]


@pytest.mark.parametrize(("first", "second"), [(vps(), vps(name="b")), (domain(), domain(name="b", allow_second=True))])
def test_what_was_claimed_since_the_plan_is_not_sent(
    first: RequestedOrder, second: RequestedOrder, bench: Bench
) -> None:
    order = bench.order(second)
    bench.buy(first)
    with pytest.raises(ResellerError, match="This order was not sent"):
        bench.place(bench.server.url, order)
    assert (bench.server.requests, bench.ledger.find(["b"])) == ([], {})
