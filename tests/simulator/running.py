# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Starts the simulator as a process of its own and talks to its admin interface."""

from __future__ import annotations

import contextlib
import json
import socket
from types import TracebackType
from typing import Any

import requests

from tests.support.nursery import Nursery

from . import data

#: What is forked.
MODULE = "tests.simulator.__main__"

ANNOUNCEMENT = "simulator listening on "
START_SECONDS = 60.0
END_SECONDS = 10.0
ADMIN_SECONDS = 130.0


class SimulatorError(RuntimeError):
    """The simulator did not start, or a condition that was waited for did not come."""


class Simulator:
    """A running simulator: ``with Simulator("plain") as simulator: ...``

    Options are those of the command line: ``no_contracts=True``.

    Attributes:
        base_url: its address, as a user would configure it
        env: the environment variables that a user would set
    """

    def __init__(self, shape: str = "apiplatform", *, nursery: Nursery | None = None, **options: Any) -> None:
        self.shape = shape
        self.nursery, self.owns_nursery = nursery or Nursery(MODULE), nursery is None
        self.options = options
        self.base_url = ""
        self.end_user_element = self.product_element = self.order_media_type = ""
        self.connection: socket.socket | None = None
        self.session = requests.Session()
        self.session.trust_env = False

    def __enter__(self) -> Simulator:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop it."""
        self.stop()

    def arguments(self) -> list[str]:
        """The options of the command line."""
        found = ["--port", "0", "--shape", self.shape, "--end-with-stdin"]
        for name, value in self.options.items():
            flag = "--" + name.replace("_", "-")
            if value is True:
                found.append(flag)
            else:
                found += [flag, str(value)]
        return found

    def start(self) -> None:
        """Start the process and wait until it accepts connections.

        Raises:
            SimulatorError: it ended or said nothing; what it said is in the message
        """
        self.connection = self.nursery.fork(self.arguments())
        self.connection.settimeout(START_SECONDS)
        line = ""
        with self.connection.makefile("r", encoding="utf-8") as lines, contextlib.suppress(TimeoutError):
            line = lines.readline()
        if not line.startswith(ANNOUNCEMENT):
            self.stop()
            raise SimulatorError(f"The simulator did not start: {line or 'it said nothing'}")
        self.base_url = line.removeprefix(ANNOUNCEMENT).strip()
        about = self.about()
        self.end_user_element = about["end_user_element"]
        self.product_element = about["product_element"]
        self.order_media_type = about["order_media_types"][0]

    def stop(self) -> None:
        """End the process."""
        connection, self.connection = self.connection, None
        if connection is not None:
            with connection, contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(END_SECONDS)
                while connection.recv(65536):
                    pass
        self.session.close()
        if self.owns_nursery:
            self.nursery.close()

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
            timeout=ADMIN_SECONDS,
            allow_redirects=False,
        )

    def admin(self, method: str, path: str, **arguments: Any) -> Any:
        """Ask the admin interface."""
        answer = self.session.request(method, f"{self.base_url}/_simulator/{path}", timeout=ADMIN_SECONDS, **arguments)
        if answer.status_code == 422:
            raise SimulatorError(str(answer.json()["detail"]))
        answer.raise_for_status()
        return answer.json()

    def about(self) -> dict[str, Any]:
        """How the service is set up: element names and end-users."""
        found: dict[str, Any] = self.admin("GET", "about")
        return found

    def orders(self) -> list[dict[str, Any]]:
        """Every accepted order, oldest first."""
        found: list[dict[str, Any]] = self.admin("GET", "orders")
        return found

    def requests(self, method: str | None = None) -> list[dict[str, Any]]:
        """The requests to the interface (method, path, status, headers), those of one *method* when given."""
        found: list[dict[str, Any]] = self.admin("GET", "requests")
        return [request for request in found if method is None or request["method"] == method]

    def l2vpns(self) -> list[dict[str, str]]:
        """All L2VPNs, with those that orders created."""
        found: list[dict[str, str]] = self.admin("GET", "l2vpns")
        return found

    def behave(self, **behaviour: Any) -> None:
        """Let reading contracts do other things: ``behave(ready_reads=2)``. See contracts.Behaviour."""
        self.admin("PUT", "contracts", json=behaviour)

    def add_contract(
        self, product: str, settings: Any, *, end_user: str = data.SELF, age: float = 0.0, **changes: Any
    ) -> str:
        """Let somebody have bought a contract in the portal, *age* seconds ago, with changes to its record.

        Returns its id.
        """
        body = {"product": product, "settings": settings, "end_user": end_user, "age": age, "changes": changes}
        return str(self.admin("POST", "contracts", json=body)["id"])

    def change_contract(self, contract: str, **changes: Any) -> None:
        """Let the record of a contract show other elements."""
        self.admin("PATCH", f"contracts/{contract}", json=changes)

    def remove_contract(self, contract: str) -> None:
        """Let there be no such contract any more."""
        self.admin("DELETE", f"contracts/{contract}")

    def reset(self) -> None:
        """Forget orders, requests, faults and new L2VPNs; what is held or on its way is dropped unprocessed."""
        self.admin("POST", "reset")

    def arm(self, kind: str, **fault: Any) -> None:
        """Arm a fault: ``arm("drop_after", match={"hostname": "web01"})``. See faults.Fault."""
        self.admin("POST", "faults", json={"kind": kind, **fault})

    def disarm(self) -> None:
        """Disarm all faults."""
        self.admin("DELETE", "faults")

    def release(self) -> None:
        """Let held requests go on."""
        self.admin("POST", "release")

    def wait(self, *, held: int, timeout: float = 30.0) -> None:
        """Wait until the service holds so many requests.

        Raises:
            SimulatorError: they did not come within *timeout* seconds
        """
        found = self.admin("GET", "wait", params={"held": held, "timeout": timeout})
        if not found["met"]:
            raise SimulatorError(f"Waited {timeout:g} s for {held} held requests, but there are {found['held']}.")
