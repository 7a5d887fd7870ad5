# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Strikes a run at an exact point of the protocol, from inside its own process. The product knows nothing of it.

A fault is a mapping: ``point`` and ``name`` (of the order) say where, ``token`` is a file whose removal says who (of
many runs, the first that comes there), and ``deed`` the signal that the process sends itself: SIGKILL, SIGTERM, SIGINT.

``mutant`` breaks the protocol itself, to see that the campaign notices; ``clock`` is by how many seconds the clock of
the process is wrong; ``patience`` is for how many seconds it tries to get back a lost database server.
"""

from __future__ import annotations

import contextlib
import http.client
import importlib
import os
import signal
import threading
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from types import ModuleType
from typing import Any

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
UTILS = "ansible_collections.hosting.reseller.plugins.module_utils."

Fault = Mapping[str, Any]

_placing = threading.local()


def strike(fault: Fault) -> None:
    """Do the deed, once among all runs."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(fault["token"])
        os.kill(os.getpid(), getattr(signal, fault["deed"]))


def at(fault: Fault, point: str, *names: str | None) -> None:
    if fault.get("point") == point and fault["name"] in names:
        strike(fault)


def patch_ledger(module: ModuleType, fault: Fault) -> None:
    ledger = module.Ledger
    if fault.get("mutant"):
        mutate(ledger, fault["mutant"])
    exchange = ledger.exchange

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

    ledger.exchange = struck


def mutate(ledger: Any, mutant: str) -> None:
    """Break the protocol: ``no_claim`` leaves out the claim, ``late_claim`` writes it after the request."""
    exchange = ledger.exchange
    remembered: dict[str, Any] = {}

    def unclaimed(self: Any, outcomes: Any, requests: Any, **_options: Any) -> Any:
        remembered.update({request.name: request for request in requests})
        if mutant == "late_claim":
            exchange(self, {}, [remembered[name] for name in outcomes], longest=0.0)
        records, _standing = exchange(self, outcomes, [], longest=0.0)
        found = self.find([request.name for request in requests])
        standing = [found.get(request.name) for request in requests]
        free = [None if record is None or record.status in ("rejected", "not_sent") else record for record in standing]
        return records, free

    ledger.exchange = unclaimed


def patch_sender(module: ModuleType) -> None:
    send = module.OrderSender.send

    def named(self: Any, delivery: Any, pace: Any) -> None:
        _placing.name = delivery.item.name
        try:
            send(self, delivery, pace)
        finally:
            _placing.name = None

    module.OrderSender.send = named


def patch_client(module: ModuleType, fault: Fault) -> None:
    send_once = module.Client.send_once

    def struck(self: Any, *args: Any, **options: Any) -> Any:
        answer = send_once(self, *args, **options)
        at(fault, "received", _name())
        return answer

    module.Client.send_once = struck


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


def set_clock(rows: ModuleType, off: float) -> None:
    """Have this process, and what the ledger writes, read a clock that is wrong by so many seconds."""
    right, error = time.time, timedelta(seconds=off)

    class Wrong(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) + error

    rows.datetime = Wrong  # type: ignore[attr-defined]
    time.time = lambda: right() + off


def install(fault: Fault) -> None:
    """Strike in this process, whose modules are imported already."""

    def module(name: str) -> ModuleType:
        return importlib.import_module(f"{UTILS}{name}")

    if "clock" in fault:
        set_clock(module("_ledger.rows"), fault["clock"])
    if "patience" in fault:
        module("_ledger.postgresql").PATIENCE = fault["patience"]  # type: ignore[attr-defined]
    patch_wire(fault)
    patch_ledger(module("_ledger.store"), fault)
    patch_sender(module("_placing.orders"))
    patch_client(module("_http.client"), fault)
