# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contract_info: contracts read back from each shape of service, and waiting until they are ready."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.unit.plugins.module_utils._tasks.conftest import Bench, Ran

#: Where each shape shows its state and the addresses, and what it says of a server that is ready.
STATUS = {"apiplatform": "/status", "laravel": "/state", "plain": "/state/name"}
ADDRESSES = {"apiplatform": "/ipAddresses", "laravel": "/network", "plain": "/ips"}


@pytest.fixture
def shaped(simulator: Simulator, tmp_path: Path) -> Bench:
    """A service of each shape."""
    return Bench(simulator, tmp_path)


def info(bench: Bench, *, check: bool = False, **options: Any) -> Ran:
    return bench.run("reseller_contract_info", check, **options)


def ids(ran: Ran) -> list[str]:
    return [each["id"] for each in ran["contracts"]]


def test_contracts_are_read_with_what_their_values_tell(shaped: Bench) -> None:
    shape = shaped.service.shape
    first = shaped.order("web01.example.com", end_user=data.END_USER)["contract_id"]
    second = shaped.order("web02.example.com", end_user=data.END_USER, product=data.VPS_S)["contract_id"]
    stranger = shaped.service.add_contract(data.VPS_L, {"hostname": "db01"}, end_user=data.END_USER, age=9000)
    result = info(
        shaped,
        end_user=data.END_USER,
        organizations={data.END_USER: int(data.END_USER_ORGANIZATION_ID)},
        elements={"status": STATUS[shape], "addresses": ADDRESSES[shape]},
    )
    assert not result.failed, result.msg
    assert (result["complete"], result.warnings) == (True, [])
    assert ids(result) == [second, first, stranger]
    newest, _first, oldest = result["contracts"]
    assert (newest["name"], newest["product"], newest["end_user"]) == ("web02.example.com", data.VPS_S, data.END_USER)
    assert (oldest["name"], oldest["hostname"], oldest["product"]) == (None, "db01", data.VPS_L)
    assert oldest["status"] == "active"
    assert [address.partition(".")[0] for address in oldest["addresses"]] == ["203", "2001:db8::3"]
    assert oldest["presence"] == "present"
    assert result["unclear"] == {}


def test_contract_of_each_end_user_is_read_in_its_organization(
    start_simulator: SimulatorFactory, tmp_path: Path
) -> None:
    bench = Bench(start_simulator("apiplatform"), tmp_path)
    own, others = bench.order("own")["contract_id"], bench.order("theirs", end_user=data.END_USER)["contract_id"]
    organizations = {data.END_USER: data.END_USER_ORGANIZATION_ID}
    result = info(bench, names=["theirs", "own"], organizations=organizations)
    assert [(each["id"], each["presence"], each["organization_id"]) for each in result["contracts"]] == [
        (others, "present", data.END_USER_ORGANIZATION_ID),
        (own, "present", data.ORGANIZATION_ID),
    ]
    everywhere = info(bench, organizations=organizations)
    assert sorted(ids(everywhere)) == sorted([own, others])
    # Without its organization it is not seen, which proves nothing.
    unseen = info(bench, names=["theirs"])["contracts"][0]
    assert (unseen["presence"], unseen["raw"]) == ("unseen", {})
    assert "check organization_id, organizations and contracts_path" in unseen["why"]
    for asked in ({}, {"end_user": data.END_USER}):
        partly = info(bench, **asked)
        assert not partly["complete"]
        assert (
            f"Set organizations to the IDs of their organizations, by end user: {data.END_USER}"
            in partly["why_incomplete"]
        )
    assert info(bench, end_user="__self__")["complete"]


def test_service_without_such_operations_is_used_as_before(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    bench = Bench(start_simulator("laravel", no_contracts=True), tmp_path)
    contract = bench.order("web01")["contract_id"]
    for options, found in (({}, []), ({"names": ["web01"]}, [contract])):
        result = info(bench, **options)
        assert (ids(result), result["complete"]) == (found, False)
        assert len(result.warnings) == 1
        assert "has no operation that reads contracts. So contracts cannot be read back" in result.warnings[0]
        assert result["unclear"] == {"list": result.warnings[0]}
    reads = [request for request in bench.service.requests("GET") if "/contracts" in request.path]
    assert reads == []
    failed = info(bench, names=["web01"], wait_for={"until": [{"pointer": "/state", "equals": "active"}]})
    assert failed["msg"] == result.warnings[0]


def test_waiting_ends_when_the_server_is_ready(shaped: Bench) -> None:
    shape = shaped.service.shape
    shaped.service.behave(ready_reads=3)
    contract = shaped.order("web01", end_user=data.END_USER)["contract_id"]
    options = {
        "names": ["web01"],
        "organizations": {data.END_USER: data.END_USER_ORGANIZATION_ID},
        "elements": {"addresses": ADDRESSES[shape], "status": STATUS[shape]},
        "wait_for": {
            "until": [
                {"pointer": STATUS[shape], "in": ["active", "suspended"]},
                {"pointer": f"{ADDRESSES[shape]}", "exists": True},
            ],
            "fail_on": [{"pointer": STATUS[shape], "equals": "failed"}],
            "interval": 0.01,
        },
    }
    # In check mode it looks once.
    looked = info(shaped, check=True, **options)
    assert (looked["wait"]["met"], looked["wait"]["reads"]) == (False, 1)
    assert looked["wait"]["unmet"][0] == f'web01: {STATUS[shape]} is "provisioning"'
    result = info(shaped, **options)
    assert not result.failed, result.msg
    assert result["wait"]["met"]
    assert result["wait"]["reads"] >= 1
    [found] = result["contracts"]
    assert (found["id"], found["status"]) == (contract, "active")
    assert found["addresses"]


#: What is waited for, how the message begins, and what else it says.
UNMET: list[tuple[dict[str, Any], str, str]] = [
    (
        {"until": [{"pointer": "/state/ready", "equals": True}], "timeout": 0},
        "web01 is not ready after 0 s: /state/ready is false.",
        "Raise wait_for.timeout",
    ),
    (
        {"until": [{"pointer": "/ips/0", "exists": True}], "timeout": 0.05, "interval": 0.02},
        "web01 is not ready after 0.05 s: /ips/0 is not shown.",
        "Waited for: /ips/0 exists.",
    ),
    (
        {
            "until": [{"pointer": "/state/ready", "equals": True}],
            "fail_on": [{"pointer": "/state/name", "in": ["provisioning"]}],
        },
        'web01 will not get ready: /state/name is "provisioning".',
        "Check it in the customer portal.",
    ),
]


def test_waiting_fails_with_what_was_seen(bench: Bench) -> None:
    bench.service.behave(ready_reads=999)
    bench.order("web01")
    for wait_for, first, says in UNMET:
        message = info(bench, names=["web01"], wait_for=wait_for)["msg"]
        assert message.startswith(first)
        assert says in message
        assert len(message.splitlines()[0]) <= 120
    assert "elements.hostnam: unknown key" in info(bench, elements={"hostnam": "/x"})["msg"]
    assert "is not a valid organization ID" in info(bench, organizations={data.END_USER: ""})["msg"]


def test_what_passes_is_waited_for_and_what_does_not_is_told(bench: Bench) -> None:
    bench.order("web01")
    options = {
        "names": ["web01"],
        "wait_for": {"until": [{"pointer": "/id", "exists": True}], "interval": 0.01},
    }
    # A 5xx is asked once more as plain JSON.
    for status, times in ((503, 4), (404, 2)):
        bench.service.arm("answer", status=status, times=times)
        result = info(bench, **options)
        assert not result.failed, result.msg
        assert result["wait"]["reads"] == 3
    bench.service.behave(item_status=403)
    assert "403" in info(bench, **options)["msg"]


def test_nothing_is_waited_for_before_the_order(bench: Bench) -> None:
    wait_for = {"until": [{"pointer": "/state/name", "equals": "active"}]}
    result = info(bench, check=True, names=["web01"], wait_for=wait_for)
    assert (result["wait"]["reads"], result["contracts"][0]["presence"]) == (0, "unseen")
    assert "not ordered yet" in result["contracts"][0]["why"]
    assert "No order named web01 is in the ledger" in info(bench, names=["web01"], wait_for=wait_for)["msg"]
    assert "wait_for needs names or contract_ids" in info(bench, wait_for=wait_for)["msg"]


def test_order_in_doubt_has_no_contract_to_show(bench: Bench) -> None:
    bench.service.arm("drop_after")
    assert bench.order("web01").failed
    [shown] = info(bench, names=["web01"])["contracts"]
    assert (shown["id"], shown["presence"]) == (None, "unseen")
    assert "in_doubt" in shown["why"]
    assert info(bench, contract_ids=[bench.service.orders()[0]["id"]])["contracts"][0]["presence"] == "present"


def test_secrets_in_records_are_masked(bench: Bench) -> None:
    contract = bench.service.add_contract(data.VPS_S, {"hostname": "web01", "rootPassword": "Tr0ub4dor&3"})
    result = info(bench, contract_ids=[contract])
    assert "Tr0ub4dor" not in str(result)
    assert result["contracts"][0]["raw"]["settings"]["rootPassword"] == "********"
    until = [{"pointer": "/settings", "equals": "ready"}]
    failed = info(bench, contract_ids=[contract], wait_for={"until": until, "timeout": 0})
    assert "rootPassword" in failed["msg"]
    assert "Tr0ub4dor" not in failed["msg"]
