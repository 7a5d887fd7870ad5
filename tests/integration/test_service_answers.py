# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever the service answers, its kind is told apart from the others, with what to do about it."""

from __future__ import annotations

import re
from typing import Any

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.support.playbooks import order


def vps(host: str, **options: Any) -> dict[str, Any]:
    settings = {"hostname": host, "template": "debian-12"}
    return order(**{"end_user": data.SELF, "product": "VPS M", "settings": settings, **options})


#: The fault of the catalogue, the status in the result, and what the error says.
READING: list[tuple[str, dict[str, Any], int | None, list[str]]] = [
    ("status", {"status": 403, "body": {"message": "No"}}, 403, ["(403 Forbidden): No", "organization_id"]),
    ("html", {"status": 200, "title": "Log in"}, 200, ["an HTML page", "Check base_url", "login page"]),
    ("big", {}, 200, ["no list of products is recognized", "an object {"]),
    ("drop_before", {}, None, ["the answer was lost", "reset"]),
    ("too_many", {}, 429, ["429 Too Many Requests"]),
]
#: The fault of an order, what becomes of the order, and what is said.
PLACING: list[tuple[str, dict[str, Any], str, list[str]]] = [
    (
        "status",
        {"status": 422, "body": {"message": "No"}},
        "rejected",
        ["422 Unprocessable", "Correct what the service"],
    ),
    ("redirect", {"location": "https://elsewhere.example/x"}, "rejected", ["elsewhere.example", "is not followed"]),
    ("html", {}, "in_doubt", ["in doubt", "502 Bad Gateway", "hosting.reseller.reseller_ledger"]),
    ("drop_after", {}, "in_doubt", ["in doubt", "the answer was lost", "customer portal"]),
    ("empty", {"status": 201}, "ordered", ["accepted the order", "an empty body"]),
    ("truncated", {}, "in_doubt", ["does not prove that it was placed", "cut off"]),
    ("says_no", {}, "in_doubt", ["does not prove that it was placed", "success in it is false", "sold out"]),
]


def test_each_answer_is_told_as_what_it_is(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    for kind, fault, _rest, _rest in READING:
        simulator.arm(kind, on="products", **fault)
    hosts = [f"host{number}" for number in range(len(PLACING))]
    for host, (kind, fault, _rest, _rest) in zip(hosts, PLACING, strict=True):
        simulator.arm(kind, match={"hostname": host}, **fault)
    reading = [vps(f"read{number}", read_retries=0, catalogue_max_age=0) for number in range(len(READING))]
    tasks = [vps(host) for host in hosts]
    results = runner.table([*reading, *tasks], simulator.env)
    for (_kind, _fault, status, said), result in zip(READING, results, strict=False):
        assert (result["changed"], result.get("status")) == (False, status), result["msg"]
        assert all(words in result["msg"] for words in said), result["msg"]
    for host, (_kind, _fault, outcome, said), result in zip(hosts, PLACING, results[len(READING) :], strict=True):
        told = "\n".join([result.get("msg", ""), *result.get("warnings", [])])
        assert result["order"]["status"] == outcome, told
        assert all(words in told for words in said), told
        if outcome == "in_doubt":
            first, where, reason, *_more, advice, line = result["msg"].split("\n")
            assert first == f"Order {host} is in doubt: the service may have accepted it. It is not sent again."
            target = f"POST {simulator.base_url}/api/reseller/contracts, vps for {data.SELF}."
            assert re.fullmatch(rf"Claimed at [-0-9]+T[:0-9]+Z: {re.escape(target)}", where)
            assert reason.startswith("Reason: ")
            assert advice == (
                "Check the customer portal. If the contract exists, run this line. If it does not and never will, run "
                "it with absent instead of ordered."
            )
            options = f"name={host} state=ordered ledger={runner.ledger}"
            assert line == f"ansible localhost -m hosting.reseller.reseller_ledger -a '{options}'"
    assert len(simulator.requests("POST")) == len(PLACING)
    again = runner.table(tasks, simulator.env)
    outcomes = [outcome for _rest, _rest, outcome, _rest in PLACING]
    assert [result["changed"] for result in again] == [outcome == "rejected" for outcome in outcomes]
    assert len(simulator.requests("POST")) == len(PLACING) + outcomes.count("rejected")


def test_wrong_credentials_and_addresses(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("apiplatform")
    tasks = [
        vps("a", api_key="sim-key-unknown"),
        vps("b", organization_id=data.FOREIGN_ORGANIZATION_ID),
        vps("c", base_url=f"{simulator.base_url}/elsewhere"),
        vps("d", api_key="sim-key-unknown", validation="documented", product=data.VPS_M, product_type="vps"),
    ]
    results = runner.table(tasks, simulator.env)
    assert [result.get("status") for result in results[:3]] == [401, 403, 404]
    rejected = ["the request for its products"] * 3 + ["the order"]
    advice = ["Check api_key: ", "Check that the API key may do this, and ", "Check base_url ", "Check api_key: "]
    for result, what, said in zip(results, rejected, advice, strict=True):
        assert result["msg"].startswith(f"The service rejected {what} ({result['status']} ")
        assert result["msg"].split("\n")[1].startswith(said)
    assert not simulator.orders()
    assert all(result["request_id"] for result in results[:2])
