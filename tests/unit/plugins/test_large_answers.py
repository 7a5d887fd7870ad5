# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one answer of a hostile service may cost: memory of the process that reads it. It ends by itself."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._secrets.needles import NOT_SHOWN
from playbooks.files.simulator.http_server import Peer, Received, SocketServer

ROOT = Path(__file__).parents[3]
#: Megabytes that a process may take, with all that it imports. How the steps of masking grow is tested beside it.
MEGABYTES = 300
#: Seconds of a read, however busy the machine is.
LONG = 600
PRODUCTS, DOCS = "/api/reseller/products", "/api/docs"
#: Reads as the arguments say, and shows what failed.
READER = f"""
import json, sys
from tests.support.tasks import runner_for
base_url, ledger, module = sys.argv[1:]
result = runner_for(base_url, ledger, timeout={LONG / 10}).run(module, {{}})
# That of the parent counts in ru_maxrss.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps({{"megabytes": int(peak.split()[1]) / 1024, "shown": str(result)[:2000]}}))
"""

#: The body of an answer, and its content encodings, by the number of a request.
Bomb = Callable[[int], tuple[bytes, str]]


def many(item: bytes, count: int) -> Bomb:
    return lambda _number: (b"[" + b",".join([item] * count) + b"]", "")


def product(**options: Any) -> bytes:
    return json.dumps([{"id": "6cf8b5b2-2d11-4f7a-9b7e-6f3f0d5f7f11", "name": "VPS S", "options": options}]).encode()


@cache
def zipped(layers: int) -> bytes:
    body = b"[" + b"{}," * 20_000_000 + b"{}]"
    for _layer in range(layers):
        body = gzip.compress(body)
    return body


def settings(count: int) -> Bomb:
    return lambda _number: (product(**{f"setting_{n}": {"type": "integer", "minimum": 1} for n in range(count)}), "")


def endless(number: int) -> tuple[bytes, str]:
    """Pages of 100,000 records, each with a next one."""
    records = ",".join(f'{{"id":"{number}-{n}","name":"p{n}"}}' for n in range(100_000))
    return f'{{"data":[{records}],"next":"{PRODUCTS}?page={number + 1}"}}'.encode(), ""


def document(_number: int) -> tuple[bytes, str]:
    """An OpenAPI document with very many operations."""
    paths = {f"/p{n}": {"get": {"responses": {"200": {"description": "x"}}}} for n in range(120_000)}
    return json.dumps({"openapi": "3.0.0", "info": {}, "paths": paths}).encode(), ""


READS = {PRODUCTS: "reseller_products_info", DOCS: "reseller_service_info"}


LARGE, MANY, MUCH = "larger than this collection reads (8 MB)", "more than 100000 records", "more than 500000 values"
UNREAD = "'options': None"
#: Where the service answers with which bomb, and what the result says of it.
BOMBS: dict[str, tuple[str, Bomb, str]] = {
    "records within the values": (PRODUCTS, many(b'{"a":0}', 200_000), MANY),
    "gzip": (PRODUCTS, lambda _number: (zipped(1), "gzip"), LARGE),
    # What is masked in it takes more steps than a text may.
    "key": (PRODUCTS, many(b'"test-key-7f3c9a1e"', 400_000), NOT_SHOWN),
    "escapes": (PRODUCTS, many(b'"' + b"\\u0001" * 1_300_000 + b'"', 1), "no list of products is recognized"),
}
SLOW_BOMBS: dict[str, tuple[str, Bomb, str]] = {
    "values beyond those of a read": (PRODUCTS, many(b"{}", 2_700_000), "got more than 2000000 values"),
    "20 million records": (PRODUCTS, many(b"{}", 20_000_000), LARGE),
    "values within the size of a page": (PRODUCTS, many(b"{}", 900_000), MUCH),
    "60,000 settings": (PRODUCTS, settings(60_000), UNREAD),
    "gzip within gzip": (PRODUCTS, lambda _number: (zipped(2), "gzip, gzip"), "more than one content encoding"),
    "endless pages": (PRODUCTS, endless, MANY),
    "operations": (DOCS, document, "so the order's elements are unknown"),
}


def cost_of(path: str, bomb: Bomb, folder: Path) -> dict[str, Any]:
    """The memory (MB) of a process that reads this, and what it says."""
    bodies = [bomb(number) for number in range(2)]
    numbers = itertools.count()

    def script(peer: Peer) -> None:
        while request := peer.read_request():
            if Received.of(request).path != path:
                peer.answer("404 Not Found")
                continue
            body, encoding = bodies[next(numbers) % 2]
            peer.answer("200 OK", body, *([f"Content-Encoding: {encoding}"] if encoding else []))

    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / '.cache'}"}
    with SocketServer(script) as server:
        command = [sys.executable, "-c", READER, server.url, str(folder / "ledger.db"), READS[path]]
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True, timeout=LONG)
    cost: dict[str, Any] = json.loads(done.stdout)
    return cost


@pytest.mark.parametrize("name", [*BOMBS, *(pytest.param(name, marks=pytest.mark.full) for name in SLOW_BOMBS)])
def test_no_answer_costs_more_than_its_bounds(name: str, tmp_path: Path) -> None:
    path, bomb, says = {**BOMBS, **SLOW_BOMBS}[name]
    cost = cost_of(path, bomb, tmp_path)
    assert says in cost["shown"]
    assert cost["megabytes"] <= MEGABYTES
