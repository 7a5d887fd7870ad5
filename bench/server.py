# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service for benchmarks: it answers every order after a fixed time, and costs next to nothing itself.

    python -m bench.server [--latency 50] [--products 200] [--contracts 500] [--certificate FILE]

It prints its address. ``GET /counts`` tells how many requests of which kind it was sent.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import ssl
import uuid
from collections import Counter
from typing import Any

from playbooks.files.simulator.data import VPS_M as VPS

CONTRACTS = "/api/reseller/contracts"
REFERENCE: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Fixed", "version": "1"},
    "paths": {
        CONTRACTS: {
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["endUser", "product"],
                                "properties": {
                                    "endUser": {"type": "string", "description": "UUID of an end-user, or __self__"},
                                    "product": {"type": "string", "format": "uuid", "description": "The product"},
                                    "settings": {"type": "object"},
                                },
                            }
                        }
                    }
                }
            }
        }
    },
}


def reference(*, lists_contracts: bool) -> dict[str, Any]:
    """The OpenAPI document."""
    reads = {"get": {"responses": {"200": {"description": "All contracts"}}}} if lists_contracts else {}
    return {**REFERENCE, "paths": {CONTRACTS: {**REFERENCE["paths"][CONTRACTS], **reads}}}


def listed(contracts: int) -> list[dict[str, object]]:
    """Contracts of as many hosts, each of another end user."""
    names = [f"old{number}" for number in range(contracts)]
    return [
        {
            "id": str(uuid.uuid5(uuid.NAMESPACE_DNS, name)),
            "hostname": f"{name}.example.com",
            "product": VPS,
            "endUser": str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
            "status": "active",
            "createdAt": "2026-11-01T12:00:00Z",
        }
        for name in names
    ]


def catalogue(products: int) -> list[dict[str, object]]:
    """A VPS with the name VPS M, and others like it."""
    templates = [f"debian-{release}" for release in range(1, 14)]
    return [
        {
            "id": VPS if number == 0 else str(uuid.uuid5(uuid.NAMESPACE_OID, str(number))),
            "name": "VPS M" if number == 0 else f"VPS {number}",
            "options": [
                {"name": "hostname", "type": "string", "required": True},
                {"name": "template", "type": "select", "required": True, "values": templates},
            ],
        }
        for number in range(products)
    ]


class Service(asyncio.Protocol):
    """One connection. Requests have a Content-Length or no body; they may come in pieces, one after the other."""

    counts: Counter[str] = Counter()
    numbers = itertools.count()
    bodies: dict[str, bytes]
    latency = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.received = b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, _separator, rest = self.received.partition(b"\r\n\r\n")
            length = 0
            for line in head.split(b"\r\n")[1:]:
                name, _colon, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if len(rest) < length:
                return
            self.received = rest[length:]
            method, path, _version = head.split(b" ", 2)
            self.answer(method.decode(), path.decode())

    def answer(self, method: str, path: str) -> None:
        if path == "/counts":
            self.send(200, json.dumps(self.counts).encode())
            return
        self.counts[f"{method} {path}"] += 1
        if method == "POST":
            body = b'{"id":"%s"}' % str(uuid.UUID(int=next(self.numbers))).encode()
            if self.latency:
                asyncio.get_running_loop().call_later(self.latency, self.send, 201, body)
            else:
                self.send(201, body)
        else:
            self.send(200, self.bodies[path]) if path in self.bodies else self.send(404, b"{}")

    def send(self, status: int, body: bytes) -> None:
        head = f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.transport.write(head.encode() + body)


async def serve(latency: float, products: int, contracts: int, certificate: str | None) -> None:
    tls = None
    if certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
    Service.latency = latency
    Service.bodies = {
        "/api/docs": json.dumps(reference(lists_contracts=contracts > 0)).encode(),
        "/api/reseller/products": json.dumps(catalogue(products)).encode(),
    }
    if contracts:
        Service.bodies[CONTRACTS] = json.dumps(listed(contracts)).encode()
    server = await asyncio.get_running_loop().create_server(Service, "127.0.0.1", 0, backlog=512, ssl=tls)
    print(f"{'https' if tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--latency", type=float, default=0.0, help="milliseconds before an order is answered")
    parser.add_argument("--products", type=int, default=20, help="size of the catalogue")
    parser.add_argument("--contracts", type=int, default=0, help="how many it lists; it publishes no list of none")
    parser.add_argument("--certificate", help="speak TLS, with the key and the certificates in this file")
    options = parser.parse_args()
    asyncio.run(serve(options.latency / 1000, options.products, options.contracts, options.certificate))


if __name__ == "__main__":
    main()
