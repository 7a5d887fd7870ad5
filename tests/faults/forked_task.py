# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of a task in forks of a process that has imported the collection (nursery.py).

A run can be struck at an exact point of the protocol, or lack a protection. The product knows nothing of either.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import threading
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import urllib3.connection

from ansible_collections.hosting.reseller.plugins.module_utils._http import config
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._locations import known_ledgers
from ansible_collections.hosting.reseller.plugins.module_utils._placing import sending as delivering
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import Masker
from tests.support.nursery import ROOT, Nursery
from tests.support.tasks import Runner

#: The points where a run can be struck, in their order. A run that is struck at one has done all that is before it.
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


def strike(fault: Mapping[str, Any]) -> None:
    """Strike in this process, also in the standard library that all HTTP goes through.

    ``point`` and ``name`` say where, ``sends`` is text of the request of that name, ``token`` is a file whose removal
    says who (of many runs, the first that comes there), and ``deed`` the signal that the process sends itself: SIGKILL,
    SIGTERM, SIGINT, SIGSTOP. Once there is a file ``clock``, the clocks that a delivery looks at are later by the
    seconds in it.
    """
    clock = Path(fault["clock"])

    def later(delivery: Any) -> tuple[float, float]:
        ahead = float(clock.read_text()) if clock.exists() else 0.0
        return delivery.clocks.wall() + ahead, delivery.clocks.since_boot() + ahead

    delivering.Delivery._now = property(later)  # type: ignore[assignment]
    exchange, send_once = Ledger.exchange, Client.send_once
    send, begin = http.client.HTTPConnection.send, http.client.HTTPResponse.begin
    connect = urllib3.connection.HTTPConnection._new_conn
    #: The name of the order, in the thread that sends it.
    sending = threading.local()
    claimed = set[str]()

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
        claimed.update(request.name for request, other in zip(requests, others, strict=True) if not other)
        at("after_claim", *claimed)
        return records, others

    def struck_connect(self: Any) -> Any:
        connection = connect(self)
        at("connected", *claimed)
        return connection

    def struck_send(self: Any, data: Any) -> None:
        # Only the body names an order; the head went out alone.
        sending.name = fault["name"] if fault["sends"].encode() in data else None
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
    urllib3.connection.HTTPConnection._new_conn = struck_connect  # type: ignore[method-assign]
    http.client.HTTPConnection.send = struck_send  # type: ignore[method-assign]
    http.client.HTTPResponse.begin = struck_begin  # type: ignore[method-assign]


# Without a protection, to see that the campaign notices its absence


def claim() -> None:
    """An order is claimed after its request, when its outcome is recorded."""
    exchange = Ledger.exchange
    kept: dict[str, Any] = {}

    def late(self: Any, outcomes: Any, requests: Any, **_options: Any) -> Any:
        kept.update({request.name: request for request in requests})
        exchange(self, {}, [kept[name] for name in outcomes], longest=0.0)
        records, _standing = exchange(self, outcomes, [], longest=0.0)
        found = self.find([request.name for request in requests])
        standing = [found.get(request.name) for request in requests]
        return records, [None if each is None or each.status in ("rejected", "not_sent") else each for each in standing]

    Ledger.exchange = late  # type: ignore[method-assign]


def record() -> None:
    """What the service answers is reported, and not recorded."""
    exchange = Ledger.exchange

    def forgetful(self: Any, outcomes: Any, requests: Any, **options: Any) -> Any:
        _records, standing = exchange(self, {}, requests, **options)
        found = self.find([*outcomes])
        return {name: found[name]._replace(outcome=outcome) for name, outcome in outcomes.items()}, standing

    Ledger.exchange = forgetful  # type: ignore[method-assign]


def sight() -> None:
    """What the user saw of the ledger is not known."""
    known: Any = known_ledgers
    known._read = lambda _path: None


def masking() -> None:
    """What the service says is shown and kept as it came."""

    def as_it_is(_self: Any, told: Any, *_read: Any) -> Any:
        return told

    masker: Any = Masker
    outcome: Any = Outcome
    masker.found_in = lambda _self, _text: False
    masker.text = masker.value = masker.result = masker.body = as_it_is
    outcome.masked = lambda kept, _masker: kept


PROTECTIONS: Mapping[str, Callable[[], None]] = {
    protection.__name__: protection for protection in (claim, record, sight, masking)
}


# The runs

PYTHONPATH = os.pathsep.join(map(str, (ROOT / ".cache", ROOT)))
#: No run takes that long; one that does hangs.
PATIENCE = 180.0


class Fork:
    """A run in a fork. ``pid`` is known at once; result() waits for its end."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.settimeout(PATIENCE)
        self._lines = connection.makefile("r", encoding="utf-8")
        self.pid = int(self._lines.readline())

    def result(self, patience: float = PATIENCE) -> dict[str, Any] | None:
        """What the task returned; ``None`` when its process was killed. Raises TimeoutError if it does not end."""
        self._connection.settimeout(patience)
        with self._connection, self._lines:
            line = self._lines.readline()
        if not line.endswith("\n"):
            return None
        result: dict[str, Any] = json.loads(line)
        if "crashed" in result:
            raise AssertionError(result["crashed"])
        return result

    @property
    def is_stopped(self) -> bool:
        """Whether a signal has stopped it (Linux shows that in the field behind its name)."""
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2].startswith("T")

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def nursery() -> Nursery:
    """Where runs of tasks are forked from; see serve() for what can be asked of one."""
    return Nursery(__name__, {"PYTHONPATH": PYTHONPATH, "ANSIBLE_CONFIG": str(ROOT / "tests/ansible.cfg")})


def run(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a task, with its warnings."""
    if wanted["without"]:
        PROTECTIONS[wanted["without"]]()
    if wanted["fault"]:
        strike(wanted["fault"])
    # Where a trial sets timeout, no request is waited for longer, one that orders included.
    config.ORDER_SECONDS = wanted["options"].get("timeout", config.ORDER_SECONDS)
    runner = Runner({}, os.environ)
    return {**runner.run(wanted["module"], wanted["options"]), "warnings": runner.warnings}


def preload() -> None:
    """Import what runs would import first."""
    for module in ("_tasks.contract", "_tasks.contracts", "_tasks.ledger", "_tasks.reconcile", "_ledger.postgresql"):
        import_module(f"ansible_collections.hosting.reseller.plugins.module_utils.{module}")


def serve(wanted: Mapping[str, Any], connection: socket.socket, _descriptors: list[int]) -> None:
    """Tell of this process, and, if it lives to, of the result as an adapter shows it.

    Wanted are ``module``, ``options``, ``environ``, ``fault`` and ``without``.
    """
    os.setsid()
    with connection, connection.makefile("w", encoding="utf-8") as lines:
        lines.write(f"{os.getpid()}\n")
        lines.flush()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RESELLER_", "XDG_", "AWX_"))}
        os.environ.clear()
        os.environ.update({**kept, **wanted["environ"]})
        try:
            result = run(wanted)
        except KeyboardInterrupt:
            os._exit(130)
        except Exception:  # noqa: BLE001 - whatever it is, the test is told
            result = {"crashed": traceback.format_exc()}
        lines.write(json.dumps(result, default=str) + "\n")
    os._exit(0)
