# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The simulator as it runs: the service on a port of loopback, and what tests may do with it."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

import requests

from . import data
from .contracts import Behaviour
from .faults import Fault
from .http_server import Received, Reply, ScriptedServer
from .service import Service
from .shapes import shape_of

ADMIN = "/_simulator/"
#: The methods that can be called below ADMIN: their arguments are the members of a JSON object in the body.
COMMANDS = (
    "about",
    "orders",
    "arm",
    "disarm",
    "release",
    "behave",
    "add_contract",
    "change_contract",
    "remove_contract",
    "stop",
)


class Simulator:
    """A running simulator: ``with Simulator("plain") as simulator: ...``

    Attributes:
        base_url: its address, as a user would configure it
        env: the environment variables that a user would set
        exports: the lines that set them in a shell, with a ledger, where it runs by itself
        exports_file: a file with these lines, which is gone with the simulator
        stopped: set once somebody asked it to stop
    """

    def __init__(self, shape: str = "apiplatform", *, no_contracts: bool = False, port: int = 0) -> None:
        self.shape = shape
        self.service = Service(shape_of(shape, not no_contracts))
        self.end_user_element = self.service.shape.end_user_element
        self.product_element = self.service.shape.product_element
        self.order_media_type = self.service.shape.order_media_types[0]
        self.server = ScriptedServer(self.answer, port)
        self.base_url = self.server.url
        self.exports: list[str] = []
        self.exports_file: Path | None = None
        self.stopped = threading.Event()
        self.changed = threading.Condition()
        self.held: list[threading.Event] = []
        self.reset()

    def __enter__(self) -> Simulator:
        """Start it."""
        self.server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop it."""
        self.release()
        self.server.__exit__(kind, error, traceback)

    @property
    def env(self) -> dict[str, str]:
        """The environment variables that make the collection use this simulator."""
        return {
            "RESELLER_BASE_URL": self.base_url,
            "RESELLER_API_KEY": data.API_KEY,
            "RESELLER_ORGANIZATION_ID": data.ORGANIZATION_ID,
        }

    @property
    def headers(self) -> dict[str, str]:
        """Both headers of an authenticated request."""
        return {"X-API-Key": data.API_KEY, "X-Organization-ID": data.ORGANIZATION_ID}

    # Requests

    def answer(self, request: Received) -> Reply:
        """Answer a request, or do to it what an armed fault says."""
        if request.path.startswith(ADMIN):
            return self.administer(request)
        with self.changed:
            self.received.append(request)
            fault = self.fault_for(request)
            reply = self.service.answer(request) if fault is None or fault.processes else Reply(cut=True)
        if fault is None:
            return reply
        if fault.kind == "hold":
            self.hold()
            return reply
        return fault.reply(self.service.shape) if fault.kind == "answer" else Reply(cut=True)

    def fault_for(self, request: Received) -> Fault | None:
        """The first fault that hits a request; it is used up."""
        fault = next((each for each in self.faults if each.hits(request, self.service.shape)), None)
        if fault is not None and fault.times > 0:
            fault.times -= 1
        return fault

    def hold(self) -> None:
        """Wait for a release."""
        released = threading.Event()
        with self.changed:
            self.held.append(released)
            self.changed.notify_all()
        released.wait()

    def administer(self, request: Received) -> Reply:
        """Call one of COMMANDS for somebody who is outside this process."""
        name = request.path.removeprefix(ADMIN)
        if name not in COMMANDS:
            return Reply({"commands": COMMANDS}, 404)
        try:
            return Reply(getattr(self, name)(**json.loads(request.body or b"{}")))
        except (ValueError, TypeError, KeyError) as error:
            return Reply({"error": str(error)}, 400)

    # What tests do

    def order(
        self, product: str, settings: Any = None, *, end_user: str = data.SELF, elements: Any = None, **headers: str
    ) -> requests.Response:
        """A raw POST of an order, without any check on this side; no ``settings`` element when they are None.

        Each order has a connection of its own, so that a fault of one does not show in the next.
        """
        body = {self.end_user_element: end_user, self.product_element: product, **(elements or {})}
        if settings is not None:
            body["settings"] = settings
        return requests.post(
            self.base_url + "/api/reseller/contracts",
            data=json.dumps(body),
            headers={**self.headers, "Content-Type": self.order_media_type, **headers},
            timeout=130,
        )

    def orders(self) -> list[dict[str, Any]]:
        """Every accepted order, oldest first."""
        return [
            {
                "id": order.id,
                "organization": order.organization,
                "end_user": order.end_user,
                "product_type": order.product.type,
                "settings": order.body.get("settings"),
                "body": order.body,
            }
            for order in self.service.orders
        ]

    def requests(self, method: str | None = None) -> list[Received]:
        """The requests to the interface, those of one *method* when given."""
        return [request for request in self.received if method in (None, request.method)]

    def new_l2vpns(self) -> set[str]:
        """The L2VPNs that orders created."""
        return self.service.l2vpns.keys() - {known.id for known in data.L2VPNS}

    def about(self) -> dict[str, Any]:
        """Return what somebody who finds it running has to know."""
        return {
            "simulator": self.shape,
            "exports": self.exports,
            "exports_file": str(self.exports_file),
            "end_user": data.END_USER,
            "end_user_organization": data.END_USER_ORGANIZATION_ID,
            "template": data.OS_TEMPLATE,
        }

    def stop(self) -> None:
        """Let whoever started it in a process of its own end it."""
        self.stopped.set()

    def behave(self, **behaviour: Any) -> None:
        """Let reading contracts do other things: ``behave(ready_reads=2)``. See contracts.Behaviour."""
        self.service.contracts.behave(Behaviour(**behaviour))

    def add_contract(
        self,
        product: str,
        settings: Any,
        *,
        end_user: str = data.SELF,
        own: str = data.ORGANIZATION_ID,
        age: float = 0.0,
        **changes: Any,
    ) -> str:
        """Let somebody have bought a contract in the portal, *age* seconds ago, with changes to its record.

        For ``__self__``, it is that of the reseller with this *own* organization.

        Returns its id.
        """
        return self.service.contracts.add(product, settings, end_user, own, age, changes)

    def change_contract(self, contract: str, **changes: Any) -> None:
        """Let the record of a contract show other elements."""
        self.service.contracts.changes.setdefault(contract, {}).update(changes)

    def remove_contract(self, contract: str) -> None:
        """Let there be no such contract any more."""
        self.service.contracts.removed.add(contract)

    def reset(self) -> None:
        """Forget orders, requests, faults and new L2VPNs."""
        self.service = Service(self.service.shape)
        self.received: list[Received] = []
        #: In the order in which they were armed.
        self.faults: list[Fault] = []
        self.release()

    def arm(self, kind: Any, **fault: Any) -> None:
        """Arm a fault: ``arm("drop_after", match={"hostname": "web01"})``. See faults.Fault."""
        self.faults.append(Fault(kind, **fault))

    def disarm(self) -> None:
        """Disarm all faults. Held requests stay held."""
        self.faults.clear()

    def release(self) -> None:
        """Let held requests go on."""
        with self.changed:
            released, self.held = self.held, []
        for each in released:
            each.set()

    def wait(self, *, held: int, timeout: float = 30.0) -> None:
        """Wait until the service holds so many requests.

        Raises:
            TimeoutError: they did not come within *timeout* seconds
        """
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.held) >= held, timeout):
                raise TimeoutError(f"Waited {timeout:g} s for {held} held requests, but there are {len(self.held)}.")
