# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The application: the interface in front, FastAPI with the admin interface and the Swagger UI files behind it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body
from fastapi_offline import FastAPIOffline

from . import data
from .contracts import Behaviour, Contracts
from .faults import Fault
from .front import Front
from .service import Service
from .shapes.base import Shape

LONGEST_WAIT = 120.0


def build(shape: Shape) -> Front:
    """The whole application in this shape."""
    app = FastAPIOffline(
        docs_url="/_simulator/docs",
        redoc_url=None,
        openapi_url="/_simulator/openapi.json",
        title="Simulator",
        description="What tests may ask the simulator, beside the interface that it simulates.",
    )
    service = Service(shape)
    front, state = Front(service, app), service.state
    add_faults(app, front)
    add_contracts(app, service.contracts)

    @app.get("/_simulator/about")
    async def about() -> dict[str, Any]:
        """How the service is set up, with the credentials that it knows."""
        return {
            "shape": shape.key,
            "end_user_element": shape.end_user_element,
            "product_element": shape.product_element,
            "order_media_types": shape.order_media_types,
            "api_key": data.API_KEY,
            "organization_id": data.ORGANIZATION_ID,
            "end_users": [data.END_USER, data.OTHER_END_USER],
        }

    @app.get("/_simulator/orders")
    async def orders() -> list[dict[str, Any]]:
        """Every accepted order, oldest first."""
        return [order.public() for order in state.orders]

    @app.get("/_simulator/requests")
    async def requests() -> list[dict[str, Any]]:
        """The last 20,000 requests to the interface."""
        return [request.public() for request in state.requests]

    @app.get("/_simulator/l2vpns")
    async def l2vpns() -> list[data.L2vpn]:
        """All L2VPNs, with those that orders created."""
        return [*state.l2vpns.values()]

    @app.post("/_simulator/reset")
    async def reset() -> dict[str, bool]:
        """Forget orders, requests, faults and new L2VPNs; requests that are on their way are not processed."""
        front.reset()
        return {"reset": True}

    return front


def add_faults(app: FastAPIOffline, front: Front) -> None:
    """Add what the admin interface can do to requests that come."""
    state = front.service.state

    @app.post("/_simulator/faults", status_code=201)
    async def arm(fault: Fault) -> Fault:
        """Arm a fault."""
        front.faults.append(fault)
        return fault

    @app.delete("/_simulator/faults")
    async def disarm() -> dict[str, int]:
        """Disarm all faults. Held requests stay held."""
        count = len(front.faults)
        front.faults.clear()
        return {"disarmed": count}

    @app.post("/_simulator/release")
    async def release() -> dict[str, int]:
        """Let held requests go on."""
        return {"held": state.release()}

    @app.get("/_simulator/wait")
    async def wait(held: int, timeout: float = 30.0) -> dict[str, Any]:
        """Wait until so many requests are held; ``met`` tells whether they are."""
        met = await state.wait_for_held(held, min(timeout, LONGEST_WAIT))
        return {"met": met, "held": len(state.held)}


def add_contracts(app: FastAPIOffline, contracts: Contracts) -> None:
    """Add what the admin interface can do to contracts, and to how they are read."""

    @app.put("/_simulator/contracts")
    async def behave(behaviour: Behaviour) -> Behaviour:
        """Let reading contracts do what these fields say."""
        contracts.behave(behaviour)
        return behaviour

    @app.post("/_simulator/contracts")
    async def add(
        product: Annotated[str, Body()],
        settings: Annotated[dict[str, Any], Body()],
        end_user: Annotated[str, Body()] = data.SELF,
        age: Annotated[float, Body()] = 0.0,
        changes: Annotated[dict[str, Any], Body()] = {},  # noqa: B006 - FastAPI copies it
    ) -> dict[str, Any]:
        """Add a contract that somebody has bought in the portal, with changes to the record that is shown of it."""
        return contracts.add(product, settings, end_user, age, changes).public()

    @app.patch("/_simulator/contracts/{contract}")
    async def change(contract: str, changes: Annotated[dict[str, Any], Body()]) -> dict[str, Any]:
        """Let the record of a contract show other elements."""
        contracts.changes[contract] = {**contracts.changes.get(contract, {}), **changes}
        return contracts.changes[contract]

    @app.delete("/_simulator/contracts/{contract}")
    async def remove(contract: str) -> dict[str, str]:
        """Let there be no such contract any more."""
        contracts.removed.add(contract)
        return {"removed": contract}
