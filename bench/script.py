# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person would write with requests or sqlite3 and nothing else: what the benchmark compares with.

python bench/script.py orders BASE_URL COUNT THREADS
python bench/script.py rows LEDGER COLUMN VALUE

``rows`` reads whole rows of a ledger, with their settings and contracts as values and not as text, and prints JSON.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor

HEADERS = {"X-API-Key": "bench-key", "X-Organization-ID": "4711"}
PRODUCT = "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a"
END_USER = "3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11"


def orders(base_url: str, count: int, threads: int) -> None:
    import requests
    from requests.adapters import HTTPAdapter

    session = requests.Session()
    session.headers.update(HEADERS)
    session.mount("http://", HTTPAdapter(pool_maxsize=threads))

    def order(number: int) -> str:
        settings = {"hostname": f"web{number}.example.com", "template": "debian-12"}
        body = {"endUser": END_USER, "product": PRODUCT, "settings": settings}
        answer = session.post(f"{base_url}/api/reseller/contracts", json=body, timeout=30)
        answer.raise_for_status()
        return str(answer.json()["id"])

    with ThreadPoolExecutor(threads) as pool:
        print(len(set(pool.map(order, range(count)))))


def rows(ledger: str, column: str, value: str) -> None:
    import sqlite3

    connection = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    found = connection.execute(f"SELECT * FROM hosting_reseller_orders WHERE {column} = ?", [value])
    parsed = ("settings", "additional_elements", "contract")
    listed = [
        {name: json.loads(row[name]) if name in parsed and row[name] else row[name] for name in row.keys()}  # noqa: SIM118
        for row in found
    ]
    print(json.dumps(listed))


if __name__ == "__main__":
    if sys.argv[1] == "orders":
        orders(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        rows(*sys.argv[2:])
