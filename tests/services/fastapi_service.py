# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service made with FastAPI: pydantic's schemas as options, a bare list with limit and offset, its own errors."""

from __future__ import annotations

import json
import socket
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Query
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

DATA = json.loads(Path(__file__).with_name("catalogue.json").read_text(encoding="utf-8"))
Template = Literal[tuple(DATA["templates"])]
Hostname = Annotated[str, Field(max_length=253, pattern=r"^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*$")]


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=False)


class Vps(Settings):
    hostname: Hostname
    template: Template


class ConfigurableVps(Settings):
    cpu_cores: Annotated[int, Field(ge=1, le=10)]
    ram: Annotated[int, Field(ge=1024, le=DATA["org_max_ram"], multiple_of=1024, description="RAM in MB")]
    disk_size: Annotated[int, Field(ge=10, le=1000, multiple_of=10)]
    username: Annotated[str, Field(min_length=3, max_length=32, pattern="^[A-Za-z0-9]+$")]
    password: str
    template_name: Template
    hostname: Hostname
    ipv4_addresses: Annotated[int, Field(ge=1, le=10)]
    traffic_display: Annotated[int, Field(ge=128, multiple_of=128)]
    backup_count: Annotated[int, Field(ge=5)]
    snapshot_count: Annotated[int, Field(ge=2)]
    ha_upgrade: bool
    upgrade_10g: bool = Field(alias="10g_upgrade")


class DedicatedServer(Settings):
    hostname: Hostname
    template: Template
    ip4_subnet_size: Annotated[int, Field(ge=25, le=29)] | None = None
    ip4_count: Annotated[int, Field(ge=1, le=10)] | None = None
    ip6_subnet_size: Annotated[int, Field(ge=48, le=64)] | None = None
    existing_l2vpn: uuid.UUID | None = None


class Webhosting(Settings):
    pass


class Domain(Settings):
    domain: Annotated[str, Field(max_length=253)]
    action: Literal["register", "transfer"]
    authcode: str | None = None
    nameservers: str | None = None
    ownercRef: str | None = None  # noqa: N815 - the interface's names
    ownercData: str | None = None  # noqa: N815
    admincRef: str | None = None  # noqa: N815
    admincData: str | None = None  # noqa: N815


SETTINGS: dict[str, type[Settings]] = {
    "vps": Vps,
    "configurable_vps": ConfigurableVps,
    "dedicated_server": DedicatedServer,
    "webhosting": Webhosting,
    "domain": Domain,
}
PRODUCTS = {product["id"]: product for product in DATA["products"]}


class Product(BaseModel):
    id: uuid.UUID
    name: str
    options: dict[str, Any] = Field(description="JSON Schema of the settings")


class Order(BaseModel):
    end_user: uuid.UUID | Literal["__self__"] = Field(description="UUID of an end user, or `__self__`")
    product: uuid.UUID
    settings: dict[str, Any] = {}


class Contract(BaseModel):
    id: uuid.UUID
    product: uuid.UUID
    status: str


class Host(BaseModel):
    fqdn: str | None = None
    ips: list[str] = []


class ContractDetails(BaseModel):
    """A contract as it is read: not as it is answered to an order."""

    contract: uuid.UUID
    product: Product
    end_user: str
    host: Host
    state: Literal["pending", "active", "failed"]
    ordered_at: datetime


def signed_in(x_api_key: Annotated[str, Header()], x_organization_id: Annotated[str, Header()]) -> None:
    if (x_api_key, x_organization_id) != (DATA["api_key"], DATA["organization_id"]):
        raise HTTPException(401, "The API key is not known.")


app = FastAPI(title="Portal", docs_url="/api/docs", openapi_url="/api/openapi.json")
orders: list[dict[str, Any]] = []
contracts: list[ContractDetails] = []


@app.get("/api/reseller/products", dependencies=[Depends(signed_in)])
def products(limit: Annotated[int, Query(ge=1, le=100)] = 10, offset: Annotated[int, Query(ge=0)] = 0) -> list[Product]:
    return [
        Product(id=one["id"], name=one["name"], options=SETTINGS[one["type"]].model_json_schema())
        for one in DATA["products"][offset : offset + limit]
    ]


@app.post("/api/reseller/contracts", dependencies=[Depends(signed_in)], status_code=201)
def order(wanted: Order) -> Contract:
    product = PRODUCTS.get(str(wanted.product))
    if product is None:
        raise HTTPException(404, "There is no such product.")
    try:
        SETTINGS[product["type"]].model_validate(wanted.settings)
    except ValidationError as error:
        raise RequestValidationError(
            [{**each, "loc": ("body", "settings", *each["loc"])} for each in error.errors()]
        ) from error
    orders.append(wanted.model_dump(mode="json"))
    made = Contract(id=uuid.uuid4(), product=wanted.product, status="pending")
    contracts.append(
        ContractDetails(
            contract=made.id,
            product=Product(id=wanted.product, name=product["name"], options={}),
            end_user=str(wanted.end_user),
            host=Host(fqdn=wanted.settings.get("hostname"), ips=["198.51.100.7"]),
            state="active",
            ordered_at=datetime.now(UTC),
        )
    )
    return made


@app.get("/api/reseller/contracts", dependencies=[Depends(signed_in)])
def listed(
    limit: Annotated[int, Query(ge=1, le=100)] = 10, offset: Annotated[int, Query(ge=0)] = 0
) -> list[ContractDetails]:
    return contracts[offset : offset + limit]


@app.get("/api/reseller/contracts/{contract_id}", dependencies=[Depends(signed_in)])
def shown(contract_id: uuid.UUID) -> ContractDetails:
    found = next((each for each in contracts if each.contract == contract_id), None)
    if found is None:
        raise HTTPException(404, "There is no such contract.")
    return found


@app.get("/_orders", include_in_schema=False)
def placed() -> list[dict[str, Any]]:
    return orders


if __name__ == "__main__":
    listening = socket.socket(fileno=int(sys.argv[1]))
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
