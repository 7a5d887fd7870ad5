# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The least that a task can do which never orders twice: a durable change, the request, and another durable change.

It checks nothing, and reads nothing of the service. What it takes is a floor for an order as a task or a loop's item.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import Any

import requests
from ansible.plugins.action import ActionBase


@cache
def opened(ledger: str) -> tuple[sqlite3.Connection, requests.Session]:
    """What the items of a loop share. A task of its own runs in a process of its own."""
    connection = sqlite3.connect(ledger, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA journal_mode = PERSIST")
    connection.execute("CREATE TABLE IF NOT EXISTS orders (name TEXT PRIMARY KEY, id TEXT)")
    return connection, requests.Session()


class ActionModule(ActionBase):  # type: ignore[misc]
    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        options = self._task.args
        connection, session = opened(options["ledger"])
        connection.execute("INSERT OR REPLACE INTO orders (name) VALUES (?)", [options["name"]])
        answer = session.post(options["url"], json=options["body"], headers=options["headers"], timeout=30)
        answer.raise_for_status()
        ordered = answer.json()["id"]
        connection.execute("UPDATE orders SET id = ? WHERE name = ?", [ordered, options["name"]])
        return {"changed": True, "contract_id": ordered}
