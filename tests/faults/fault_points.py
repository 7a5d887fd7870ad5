# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Strikes a run at an exact point of the protocol, from inside its own process. The product knows nothing of it.

A fault is a mapping: ``point`` and ``name`` (of the order) say where, ``token`` is a file whose removal says who (of
many runs, the first that comes there), and ``deed`` the signal that the process sends itself: SIGKILL, SIGTERM, SIGINT.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import threading
from collections.abc import Mapping
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._placing.sending import OrderSender

#: The points in their order. A run that is struck at one has done all that is before it.
POINTS = (
    "before_claim",
    "after_claim",
    "half_sent",
    "sent",
    "half_received",
    "received",
    "before_record",
    "after_record",
)

Fault = Mapping[str, Any]

_placing = threading.local()


def at(fault: Fault, point: str, *names: str | None) -> None:
    """Do the deed if this is the place, once among all runs."""
    if fault["point"] == point and fault["name"] in names:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fault["token"])
            os.kill(os.getpid(), getattr(signal, fault["deed"]))


def patch_ledger(fault: Fault) -> None:
    exchange = Ledger.exchange

    def struck(self: Any, outcomes: Any, requests: Any, **options: Any) -> Any:
        at(fault, "before_record", *outcomes)
        at(fault, "before_claim", *(request.name for request in requests))
        records, standing = exchange(self, outcomes, requests, **options)
        at(fault, "after_record", *outcomes)
        at(
            fault,
            "after_claim",
            *(request.name for request, other in zip(requests, standing, strict=True) if not other),
        )
        return records, standing

    Ledger.exchange = struck  # type: ignore[method-assign]


def patch_sender() -> None:
    send = OrderSender.send

    def named(self: Any, delivery: Any, pace: Any) -> None:
        _placing.name = delivery.item.name
        try:
            send(self, delivery, pace)
        finally:
            _placing.name = None

    OrderSender.send = named  # type: ignore[method-assign]


def patch_client(fault: Fault) -> None:
    send_once = Client.send_once

    def struck(self: Any, *args: Any, **options: Any) -> Any:
        answer = send_once(self, *args, **options)
        at(fault, "received", _name())
        return answer

    Client.send_once = struck  # type: ignore[method-assign]


def patch_wire(fault: Fault) -> None:
    """Strike in the middle of the request and of the answer, in the standard library that all HTTP goes through."""
    send, begin = http.client.HTTPConnection.send, http.client.HTTPResponse.begin

    def struck_send(self: Any, data: Any) -> None:
        if _name() is None:
            send(self, data)
            return
        if data.startswith(b"POST "):
            # The head goes out alone; what follows is the body.
            send(self, data)
            return
        send(self, data[: len(data) // 2])
        at(fault, "half_sent", _name())
        send(self, data[len(data) // 2 :])
        at(fault, "sent", _name())

    def struck_begin(self: Any) -> None:
        begin(self)
        at(fault, "half_received", _name())

    http.client.HTTPConnection.send = struck_send  # type: ignore[method-assign]
    http.client.HTTPResponse.begin = struck_begin  # type: ignore[method-assign]


def _name() -> str | None:
    return getattr(_placing, "name", None)


def install(fault: Fault) -> None:
    """Strike in this process."""
    patch_wire(fault)
    patch_ledger(fault)
    patch_sender()
    patch_client(fault)
