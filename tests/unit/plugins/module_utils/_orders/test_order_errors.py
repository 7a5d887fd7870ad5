# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said of an order that is recorded otherwise, or not, and the line that is offered."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.identity import ConflictError, identity
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Cancellation,
    Outcome,
    Record,
    Settlement,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._orders.drift import ABSENT, NOT_SHOWN, DriftedValue
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import Order
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order_errors import (
    drift_error,
    duplicate_error,
    listed_error,
    settlement_error,
    standing_error,
    unrecorded_error,
)
from tests.support.order_examples import order_of
from tests.support.pasting import arguments_of


@pytest.mark.parametrize(
    ("ended", "said", "recorded"),
    [
        (Outcome("ordered", contract_id="c-1"), "The service accepted", {"state": "present", "contract_id": "c-1"}),
        (Outcome("in_doubt"), "It is unknown whether the service accepted", {"state": "present"}),
        (Outcome("rejected", "No credit."), "The service did not accept", {"state": "absent"}),
    ],
)
def test_outcome_that_is_not_recorded_is_told_with_what_records_it(
    ended: Outcome, said: str, recorded: dict[str, Any]
) -> None:
    error = unrecorded_error("web01", "order", ended, LedgerError("It is full."), "/ledger.db")
    assert error.message.startswith(f"{said} the order web01, but this could not be recorded.\n")
    assert (ended.contract_id or ended.reason or "It is full.") in error.message
    assert (error.kind, error.results["changed"]) == ("not_recorded", ended.status == "ordered")
    (task,) = yaml.safe_load(error.results["settle_with"])
    options = task["hosting.reseller.reseller_record"]
    assert options.items() >= {"name": "web01", "ledger": "/ledger.db", **recorded}.items()
    # Where the ledger says otherwise, it is recorded under another name.
    conflict = unrecorded_error("web01", "order", ended, ConflictError("Two.", "c-0"), "/ledger.db")
    (task,) = yaml.safe_load(conflict.results["settle_with"])
    options = task["hosting.reseller.reseller_record"]
    assert (options["name"], options["state"]) == ("web01/2", "present")
    assert ("replaces: c-0" in conflict.message) is bool(ended.contract_id)


URL, OTHER = "https://portal.example.org", "https://other.example"
ORDER = StoredRequest("web01", URL, "4200", "__self__", "p-1", "VPS M", "vps", identity=identity("hostname", "web01"))
RECORD = Record("web01", Outcome("ordered", contract_id="c-1"), ORDER, None, None, None, "", ledger="/ledger.db")


@pytest.mark.parametrize(
    ("recorded", "requested", "said"),
    [
        (ORDER, {}, ["Use the name web01"]),
        (ORDER, {"service": OTHER}, [f"It is recorded for {URL}, and this is {OTHER}.", "state=readdressed"]),
        # That line would make orders of a trial those of the real service.
        (ORDER, {"service": "http://127.0.0.1:1"}, ["record its new address: reseller_ledger, state: readdressed."]),
        (replace(ORDER, end_user=""), {}, ["If web01 is something else, look it up", "end_user: …"]),
    ],
)
def test_duplicate_is_told_with_what_to_do(recorded: StoredRequest, requested: dict[str, Any], said: list[str]) -> None:
    wanted = replace(ORDER, name="b", **requested)
    message = duplicate_error(wanted, RECORD._replace(request=recorded), "This order was not sent.").message
    assert message.startswith("Order b is for the same hostname as web01: web01. This order was not sent.\n")
    assert "web01 is in the ledger: it is ordered, contract c-1." in message
    assert [each for each in said if each not in message] == []
    assert ("recorded for" in message) == ("service" in requested)


SERVER = order_of("web01", {"hostname": "web01"})
DOMAIN = order_of("example.org", {"domain": "example.org"}, "domain")


@pytest.mark.parametrize(
    ("order", "ids", "shown", "said"),
    [
        (SERVER, ["1013"], "contract 1013.", 'set allow_second to ["1013"].'),
        (SERVER, ["1013", ""], "contract 1013, a contract without a known ID.", 'set allow_second to ["1013"].'),
        (SERVER, [""], "a contract without a known ID.", "give contracts.id, or set read_back to false."),
        (
            DOMAIN,
            ["7"],
            "contract 7.",
            "A domain is never bought twice: only if that contract has ended, set read_back",
        ),
    ],
)
def test_contract_that_the_ledger_lacks_can_be_adopted(order: Order, ids: list[str], shown: str, said: str) -> None:
    message = listed_error(order, ids, "/ledger.db").message
    assert f"The service shows {shown}" in message
    assert (said in message, "hosting.reseller.reseller_record" in message) == (True, True)


@pytest.mark.parametrize(("order", "another"), [(SERVER, True), (DOMAIN, False)])
def test_canceled_contract_that_may_stand_is_told(order: Order, another: bool) -> None:
    error = standing_error(order, RECORD, Cancellation("2026-11-21", "cancel", "2026-12-31"), "It says active.")
    assert "canceled at 2026-11-21 to 2026-12-31. It says active." in error.message
    assert ("set allow_second to true" in error.message) is another


TEMPLATE = DriftedValue("settings.template", "debian-12", "debian-13")


@pytest.mark.parametrize(
    ("differences", "settings"),
    [
        ([TEMPLATE], {"template": "debian-13"}),
        ([TEMPLATE, DriftedValue("settings.beta", 1, ABSENT)], {"template": "debian-13", "beta": None}),
        # What cannot be taken over, or not as it is shown.
        ([TEMPLATE, DriftedValue("settings.hostname", "a", "b")], None),
        ([TEMPLATE, DriftedValue("settings.ownercData", NOT_SHOWN, NOT_SHOWN)], None),
        ([DriftedValue("settings.licence", ABSENT, NOT_SHOWN)], None),
        ([DriftedValue("additional_elements.note", "a", "b")], None),
    ],
)
def test_settings_that_differ_can_be_taken_over_if_all_can(
    differences: list[DriftedValue], settings: dict[str, Any] | None
) -> None:
    lines = drift_error(RECORD, differences).message.splitlines()
    offered = [arguments_of(shlex.split(line)[-1])["settings"] for line in lines if line.startswith("ansible ")]
    assert offered == ([] if settings is None else [settings])


@pytest.mark.parametrize(
    ("name", "contract_id", "said"),
    [
        ("web01", "c-2", "The order web01 was changed meanwhile: it is ordered."),
        ("b", "c-1", "Contract c-1 is recorded as web01. Nothing was recorded."),
        ("b", "c-2", "Order b is for the same hostname as web01: web01. Nothing was recorded."),
    ],
)
def test_settlement_that_another_record_prevents(name: str, contract_id: str, said: str) -> None:
    made = Settlement(name, Outcome("ordered", contract_id=contract_id), replace(ORDER, name=name))
    assert settlement_error(made, RECORD).message.startswith(said)
