# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The least that a task can do which never orders twice: a durable change, the request, and another durable change.

It checks nothing. Before an order it reads the catalogue, as one by the name of its product has to, once for a loop.
What it takes is a floor for an order as a task or a loop's item. With ``contracts`` it is one for many orders in one
task: sent by 16 threads, with one durable change for all that end and begin at the same time, and with as much shown of
each as ours shows. Unless it is ``ordering``, it is one for a task that has nothing to order.
"""

from __future__ import annotations

import json
import queue
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any

import jsonschema  # noqa: F401 - to have it imported, as an order has
import requests
from ansible.plugins.action import ActionBase

THREADS = 16
Contract = dict[str, Any]
UUID = "12345678-1234-1234-1234-123456789012"
#: What a task shows of an order that it would send: its entry of ``plan``, and that of ``results`` with its line.
KNOWN = {"name": "web0.example.com", "product": UUID, "product_name": "VPS M", "product_type": "vps", "end_user": UUID}
BODY = {"endUser": UUID, "product": UUID, "settings": {"hostname": "web0.example.com", "template": "debian-12"}}
ENTRY = {**KNOWN, "number": 0, "action": "order", "fingerprint": "0123456789abcdef"}
ENTRY |= dict.fromkeys(("billing", "certain_at", "listed_prices", "end_user_name"))
RESULT: Contract = {
    "name": "web0.example.com",
    "failed": False,
    "changed": True,
    "order": {
        **KNOWN,
        "status": "planned",
        **dict.fromkeys(("contract_id", "ordered_at", "certain_at", "since", "end_user_name")),
    },
    "request": {"method": "POST", "url": "http://127.0.0.1:8080/api/reseller/contracts", "body": BODY},
    "differences": [],
    "evidence": [],
    **dict.fromkeys(("msg", "failure", "contract_id", "contract", "contract_when_ordered", "contract_state")),
    **dict.fromkeys(("address", "waits_for", "presence", "read_back", "l2vpn_id", "cancelled")),
}
SHOWN = {"plan": ENTRY, "results": RESULT, "lines": "'web0.example.com': VPS M, not sent"}
#: Read anew for each order, which takes less time than to copy it.
TEXTS = {part: json.dumps(shown) for part, shown in SHOWN.items()}


@cache
def opened(ledger: str) -> tuple[sqlite3.Connection, requests.Session]:
    """What the items of a loop share. A task of its own runs in a process of its own."""
    connection = sqlite3.connect(ledger, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA journal_mode = PERSIST")
    connection.execute("CREATE TABLE IF NOT EXISTS orders (name TEXT PRIMARY KEY, id TEXT)")
    session = requests.Session()
    session.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=THREADS))
    return connection, session


@cache
def catalogue(url: str, session: requests.Session, ca_path: str | bool) -> Any:
    return session.get(f"{url.removesuffix('/contracts')}/products", timeout=30, verify=ca_path).json()


def change(connection: sqlite3.Connection, ended: dict[str, Contract], begun: list[str]) -> None:
    connection.execute("BEGIN")
    connection.executemany("INSERT OR REPLACE INTO orders (name) VALUES (?)", [(name,) for name in begun])
    outcomes = [(contract["id"], name) for name, contract in ended.items()]
    connection.executemany("UPDATE orders SET id = ? WHERE name = ?", outcomes)
    connection.execute("COMMIT")


def order_all(names: list[str], connection: sqlite3.Connection, send: Callable[[str], Contract]) -> None:
    left, under_way = names[::-1], dict[Future[Contract], str]()
    answered: queue.SimpleQueue[Future[Contract]] = queue.SimpleQueue()
    ended = dict[str, Contract]()
    with ThreadPoolExecutor(THREADS) as pool:
        while left or under_way or ended:
            begun = [left.pop() for _each in range(min(len(left), THREADS - len(under_way)))]
            change(connection, ended, begun)
            for name in begun:
                future = pool.submit(send, name)
                under_way[future] = name
                future.add_done_callback(answered.put)
            done = [answered.get() for _each in range(max(answered.qsize(), bool(under_way)))]
            ended = {under_way.pop(future): future.result() for future in done}


class ActionModule(ActionBase):  # type: ignore[misc]
    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        options = self._task.args
        # Given with each request, since a variable of the environment takes the place of the session's.
        ca_path = options.get("ca_path", True)
        connection, session = opened(options["ledger"])

        def send(name: str) -> Contract:
            body = {**options["body"], "settings": {**options["body"]["settings"], "hostname": name}}
            answer = session.post(options["url"], json=body, headers=options["headers"], timeout=30, verify=ca_path)
            answer.raise_for_status()
            contract: Contract = answer.json()
            return contract

        if options["ordering"]:
            catalogue(options["url"], session, ca_path)
        if "contracts" in options:
            if options["ordering"]:
                order_all([each["settings"]["hostname"] for each in options["contracts"]], connection, send)
            shown = {part: [json.loads(text) for _each in options["contracts"]] for part, text in TEXTS.items()}
            return {"changed": True, **shown}
        name = options["name"]
        change(connection, {}, [name])
        contract = send(name)
        change(connection, {name: contract}, [])
        return {"changed": True, "contract_id": contract["id"]}
