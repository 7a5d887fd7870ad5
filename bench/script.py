# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person would write with requests and nothing else: the reference that the benchmark compares with.

python bench/script.py orders BASE_URL COUNT THREADS
python bench/script.py products BASE_URL
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import requests
from requests.adapters import HTTPAdapter

HEADERS = {"X-API-Key": "bench-key", "X-Organization-ID": "4711"}
PRODUCT = "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a"
END_USER = "3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11"


def main() -> None:
    what, base_url, *numbers = sys.argv[1:]
    session = requests.Session()
    session.headers.update(HEADERS)
    if what == "products":
        products = session.get(f"{base_url}/api/reseller/products", timeout=60).json()
        print(len(products))
        return
    count, threads = (int(number) for number in numbers)
    session.mount("http://", HTTPAdapter(pool_maxsize=threads))

    def order(number: int) -> str:
        settings = {"hostname": f"web{number}.example.com", "template": "debian-12"}
        body = {"endUser": END_USER, "product": PRODUCT, "settings": settings}
        answer = session.post(f"{base_url}/api/reseller/contracts", json=body, timeout=30)
        answer.raise_for_status()
        return str(answer.json()["id"])

    with ThreadPoolExecutor(threads) as pool:
        print(len(set(pool.map(order, range(count)))))


if __name__ == "__main__":
    main()
