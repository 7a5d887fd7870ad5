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


def install(fault: Mapping[str, Any]) -> None:
    """Strike in this process, also in the standard library that all HTTP goes through."""
    exchange, send_once = Ledger.exchange, Client.send_once
    send, begin = http.client.HTTPConnection.send, http.client.HTTPResponse.begin
    #: The name of the order, in the thread that sends it.
    sending = threading.local()

    def at(point: str, *names: str | None) -> None:
        """Do the deed if this is the place, once among all runs."""
        if fault["point"] == point and fault["name"] in names:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(fault["token"])
                os.kill(os.getpid(), getattr(signal, fault["deed"]))

    def struck_exchange(self: Any, outcomes: Any, requests: Any, **options: Any) -> Any:
        at("before_record", *outcomes)
        at("before_claim", *(request.name for request in requests))
        records, others = exchange(self, outcomes, requests, **options)
        at("after_record", *outcomes)
        at("after_claim", *(request.name for request, other in zip(requests, others, strict=True) if not other))
        return records, others

    def struck_send(self: Any, data: Any) -> None:
        # Only the body names the order; the head went out alone.
        sending.name = fault["name"] if fault["name"].encode() in data else None
        half = len(data) // 2 if sending.name else 0
        send(self, data[:half])
        at("half_sent", sending.name)
        send(self, data[half:])
        at("sent", sending.name)

    def struck_begin(self: Any) -> None:
        begin(self)
        at("half_received", sending.name)

    def struck_send_once(self: Any, *args: Any, **options: Any) -> Any:
        answer = send_once(self, *args, **options)
        at("received", sending.name)
        return answer

    Ledger.exchange, Client.send_once = struck_exchange, struck_send_once  # type: ignore[method-assign]
    http.client.HTTPConnection.send = struck_send  # type: ignore[method-assign]
    http.client.HTTPResponse.begin = struck_begin  # type: ignore[method-assign]
