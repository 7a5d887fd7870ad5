# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever the service answers, its kind is told apart from the others, with what to do about it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.examples import CONTACT, settings
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.support.playbooks import order


def vps(host: str, **options: Any) -> dict[str, Any]:
    settings = {"hostname": host, "template": "debian-12"}
    return order(**{"end_user": data.SELF, "product": "VPS M", "settings": settings, **options})


def refusal(status: int) -> tuple[str, dict[str, Any]]:
    return "status", {"status": status, "body": {"message": "Not like this"}}


#: The fault of the catalogue, the status in the result, and what the error says.
READING: list[tuple[str, dict[str, Any], int | None, list[str]]] = [
    (*refusal(401), 401, ["(401 Unauthorized): Not like this", "Check api_key", "Profile > API Keys"]),
    (*refusal(403), 403, ["(403 Forbidden): Not like this", "organization_id"]),
    # After a failure the service is asked once more.
    ("html", {"times": 2}, 502, ["502 Bad Gateway", "The service failed"]),
    ("html", {"status": 200, "title": "Log in"}, 200, ["an HTML page", "Check base_url", "login page"]),
    (
        "redirect",
        {"location": "https://elsewhere.example/"},
        307,
        ["another origin", "elsewhere.example", "set base_url"],
    ),
    ("big", {}, 200, ["no list of products is recognized", "an object {"]),
    ("drop_before", {}, None, ["the answer was lost", "reset"]),
    ("too_many", {}, 429, ["429 Too Many Requests"]),
]


def test_each_answer_to_the_question_for_products(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    for kind, fault, _rest, _rest in READING:
        simulator.arm(kind, on="products", **fault)
    tasks = [vps(f"host{number}", read_retries=0, catalogue_max_age=0) for number in range(len(READING))]
    results = runner.table(tasks, simulator.env)
    wrong = [
        f"{kind} {fault}: {result.get('status')}, {result.get('msg')}"
        for (kind, fault, status, said), result in zip(READING, results, strict=True)
        if result["changed"]
        or (status is not None and result["status"] != status)
        or not all(words in result["msg"] for words in said)
    ]
    assert not wrong, "\n\n".join(wrong)
    messages = [result["msg"] for result in results]
    assert len(set(messages)) == len(messages)
    assert not simulator.requests("POST")


#: The fault, what becomes of the order, and what is said.
PLACING: list[tuple[str, dict[str, Any], str, list[str]]] = [
    (*refusal(401), "rejected", ["401 Unauthorized", "Check api_key"]),
    (*refusal(422), "rejected", ["422 Unprocessable", "Correct what the service names"]),
    ("redirect", {"location": "https://elsewhere.example/x"}, "rejected", ["elsewhere.example", "is not followed"]),
    ("redirect", {"location": "/login", "status": 302}, "in_doubt", ["in doubt", "302 Found", "/login"]),
    (*refusal(500), "in_doubt", ["in doubt", "(500 Internal Server Error): Not like this", "run it with absent"]),
    ("html", {}, "in_doubt", ["in doubt", "502 Bad Gateway", "hosting.reseller.reseller_ledger"]),
    ("drop_after", {}, "in_doubt", ["in doubt", "the answer was lost", "customer portal"]),
    (*refusal(408), "in_doubt", ["in doubt", "(408 Request Timeout): Not like this"]),
    ("empty", {"status": 201}, "ordered", ["accepted the order", "an empty body"]),
    ("says_no", {"status": 201}, "ordered", ["accepted the order", "says otherwise: success in it is false"]),
    ("empty", {}, "in_doubt", ["does not prove that it was placed", "an empty body"]),
    ("truncated", {}, "in_doubt", ["does not prove that it was placed", "cut off", "expected))."]),
    ("big", {}, "in_doubt", ["does not prove that it was placed", "shows no contract", "filler: a string"]),
    ("says_no", {}, "in_doubt", ["does not prove that it was placed", "success in it is false", "sold out"]),
]


def test_each_answer_to_an_order(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    hosts = [f"host{number}" for number in range(len(PLACING))]
    for host, (kind, fault, _rest, _rest) in zip(hosts, PLACING, strict=True):
        simulator.arm(kind, match={"hostname": host}, **fault)
    tasks = [vps(host) for host in hosts]
    results = runner.table(tasks, simulator.env)
    wrong = []
    for host, (kind, fault, outcome, said), result in zip(hosts, PLACING, results, strict=True):
        told = "\n".join([result.get("msg", ""), *result.get("warnings", [])])
        if result["order"]["status"] != outcome or not all(words in told for words in said):
            wrong.append(f"{kind} {fault}: {result['order']['status']}, {told}")
        if outcome == "in_doubt":
            # What is known of the answer is there for a rescue block.
            status = {"drop_after": None, "html": 502}.get(kind, 200)
            assert result["status"] == fault.get("status", status)
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
        elif outcome == "rejected":
            first, *advice = result["msg"].split("\n")
            assert re.match(rf"The service (rejected|redirected) the order \({result['status']} ", first), first
            assert advice[0], "what to do has a line of its own"
    assert not wrong, "\n\n".join(wrong)
    sent = len(simulator.requests("POST"))
    assert sent == len(PLACING)

    again = runner.table(tasks, simulator.env)
    outcomes = [outcome for _rest, _rest, outcome, _rest in PLACING]
    assert [result["changed"] for result in again] == [outcome == "rejected" for outcome in outcomes]
    assert [result["order"]["status"] for result in again] == [
        "ordered" if outcome == "rejected" else outcome for outcome in outcomes
    ]
    assert len(simulator.requests("POST")) == sent + outcomes.count("rejected")


@pytest.mark.full
def test_what_the_service_says_of_a_setting_is_a_violation(runner: Runner, simulator: Simulator) -> None:
    """What nobody but the service can know: L2VPNs, contacts, a top-level domain's own rules. In every shape."""
    server = {"end_user": data.END_USER, "product": "Dedicated Server E-2388"}
    domain = {"end_user": data.SELF, "product_type": "domain"}
    wished = [
        ({**server, "settings": settings(data.DEDICATED_SERVER, existing_l2vpn=data.FOREIGN_L2VPN)}, "existing_l2vpn"),
        (
            {**server, "settings": settings(data.DEDICATED_SERVER, existing_l2vpn=data.L2VPN_ELSEWHERE)},
            "existing_l2vpn",
        ),
        ({**domain, "settings": settings(data.DOMAIN, admincRef="AC-unknown")}, "admincRef"),
        ({**domain, "settings": settings(data.DOMAIN, domain="a.swiss", ownercData=CONTACT)}, "ownercData"),
    ]
    results = runner.table([order(**options) for options, _rest in wished], simulator.env)
    for result, (_rest, setting) in zip(results, wished, strict=True):
        assert result["order"]["status"] == "rejected"
        assert result["status"] in (400, 422)
        assert {violation["path"] for violation in result["violations"]} == {f"settings.{setting}"}
        assert {violation["source"] for violation in result["violations"]} == {"service"}
        assert all(violation["rule"] in result["msg"] for violation in result["violations"])
        assert "Correct what the service names" in result["msg"]
    assert "FRA1" in results[1]["msg"]
    assert not simulator.orders()
    # The claim is gone: the corrected order is sent.
    corrected = {**server, "settings": settings(data.DEDICATED_SERVER, existing_l2vpn=data.L2VPN)}
    assert runner.run(order(**corrected), simulator.env).changed == [True]


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
    advice = [
        "Check api_key: the service does not accept it. Keys are made in the portal under Profile > API Keys.",
        "Check that the API key may do this, and organization_id: the organization must be your own or one of your",
        "Check base_url (the address before /api/reseller), organization_id, and that the end user, product and other",
        "Check api_key: the service does not accept it.",
    ]
    for result, what, said in zip(results, rejected, advice, strict=True):
        assert result["msg"].startswith(f"The service rejected {what} ({result['status']} ")
        assert result["msg"].split("\n")[1].startswith(said)
    assert not simulator.orders()
    assert all(result["request_id"] for result in results[:2])
