# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service whose answers are not those of the requests: late, swapped, and of others' contracts."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from playbooks.files.simulator.data import VPS_M as VPS
from playbooks.files.simulator.http_server import Peer, Received, SocketServer
from tests.integration.conftest import described
from tests.support.playbooks import Runner

OTHER_PRODUCT, END_USERS = (
    "99999999-1111-4222-8333-444444444444",
    [f"aaaaaaaa-1111-4222-8333-00000000000{at}" for at in range(4)],
)
PRODUCTS = json.dumps([{"id": each, "name": each, "options": []} for each in (VPS, OTHER_PRODUCT)]).encode()
CLUSTERS = {"web01.example.org": "0f3c1d9e-8a51-4c39-9d2a-0f3c1d9e8a51"}
CLUSTERS["web02.example.org"] = "7e0b8f44-55aa-4f7e-8c11-7e0b8f4455aa"


class Posts:
    """A service on raw sockets that answers orders as ``answer`` says, by host name, and does so on kept connections.

    ``late``: an order that follows a read on its connection gets an answer that the read left behind.
    """

    def __init__(self, answer: Callable[[str], tuple[str, Any]], *, late: str = "") -> None:
        self._answer = answer
        self._late = late

    def __call__(self, peer: Peer) -> None:
        late = ""
        while request := peer.read_request():
            received = Received.of(request)
            status, body = "200 OK" if received.path.endswith("/products") else "404 Not Found", PRODUCTS
            if received.method == "POST":
                status, content = self._answer(json.loads(received.body)["settings"]["hostname"])
                status, body = (late, b"{}") if late else (status, json.dumps(content).encode())
            peer.answer(status, body)
            late = self._late


def order_two(runner: Runner, server: SocketServer, **options: Any) -> None:
    """Order two servers in one task."""
    contracts = [
        {"end_user": "__self__", "product": VPS, "product_type": "vps", "settings": {"hostname": name, "template": "d"}}
        for name in CLUSTERS
    ]
    task = {"hosting.reseller.reseller_contracts": {"contracts": contracts, "on_error": "continue", **options}}
    runner.table([task], described(runner, server.url))
    posts = [each for each in server.requests if each.startswith(b"POST")]
    assert len(posts) == len(CLUSTERS)


def by_name(runner: Runner, server: SocketServer) -> dict[str, dict[str, Any]]:
    """What the ledger has of each order."""
    (listed,) = runner.table([{"hosting.reseller.reseller_ledger_info": {}}], described(runner, server.url))
    return {each["name"]: each for each in listed["records"]}


def test_late_answers_on_kept_connections_are_those_of_no_order(runner: Runner) -> None:
    """The catalogue's connection owes a 429: an order that took it for its own would be sent twice."""
    answers = Posts(lambda name: ("201 Created", {"id": f"c-{name}", "hostname": name}), late="429 Too Many Requests")
    with SocketServer(answers) as server:
        order_two(runner, server)
        records = by_name(runner, server)
    assert {name: each["contract_id"] for name, each in records.items()} == {name: f"c-{name}" for name in CLUSTERS}


@pytest.mark.parametrize(("status", "recorded"), [("201 Created", "ordered"), ("200 OK", "in_doubt")])
def test_swapped_answers_of_two_orders_tell_neither_an_id_nor_an_l2vpn(
    runner: Runner, status: str, recorded: str
) -> None:
    """Servers would join the L2VPN of the other cluster."""
    both = threading.Barrier(2)

    def answer(name: str) -> tuple[str, Any]:
        both.wait(20.0)
        (other,) = CLUSTERS.keys() - {name}
        return status, {"id": f"c-{other}", "hostname": other, "l2vpn": CLUSTERS[other]}

    with SocketServer(Posts(answer)) as server:
        order_two(runner, server, concurrency=2)
        records = by_name(runner, server)
    for name in CLUSTERS:
        found = records[name]
        assert (found["status"], found["contract_id"], found["l2vpn_id"]) == (recorded, None, None)


def test_record_of_an_end_user_or_product_that_the_run_knows_tells_no_id(runner: Runner) -> None:
    """From the ledger, from the orders of the same task, and from the catalogue that it has read."""
    recorded, mine, beside, unknown = END_USERS
    answers = {
        "first.example.org": {"id": 1, "customer": recorded},
        "ledger.example.org": {"id": 2, "customer": recorded},
        "beside.example.org": {"id": 3, "customer": mine},
        "catalogue.example.org": {"id": 4, "product": OTHER_PRODUCT},
        "unknown.example.org": {"id": 5, "customer": unknown},
    }

    def task(**end_users: str) -> dict[str, Any]:
        contracts = [
            {
                "end_user": each,
                "product": VPS,
                "product_type": "vps",
                "settings": {"hostname": f"{name}.example.org", "template": "d"},
            }
            for name, each in end_users.items()
        ]
        return {"hosting.reseller.reseller_contracts": {"contracts": contracts}}

    with SocketServer(Posts(lambda name: ("201 Created", answers[name]))) as server:
        tasks = [task(first=recorded), task(ledger=mine, beside=beside, catalogue=mine, unknown=mine)]
        runner.table(tasks, described(runner, server.url))
        records = by_name(runner, server)
    assert [records[name]["contract_id"] for name in answers] == ["1", None, None, None, "5"]
    assert {each["status"] for each in records.values()} == {"ordered"}
