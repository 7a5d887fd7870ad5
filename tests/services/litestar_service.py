# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service made with Litestar: its offset pagination, its page and its errors."""

from __future__ import annotations

import sys
import uuid
from typing import Annotated, Any, Literal

import uvicorn
from litestar import Litestar, Request, get, post
from litestar.exceptions import NotAuthorizedException, NotFoundException, ValidationException
from litestar.handlers.base import BaseRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import SwaggerRenderPlugin
from litestar.pagination import OffsetPagination
from litestar.params import Parameter
from pydantic import BaseModel, Field, ValidationError
from pydantic_settings import DATA, PRODUCTS, SETTINGS

orders: list[dict[str, Any]] = []


class Product(BaseModel):
    uuid: uuid.UUID
    title: str
    options: dict[str, Any]


class Order(BaseModel):
    enduser: uuid.UUID | Literal["__self__"]
    product: uuid.UUID
    settings: dict[str, Any] = Field(default_factory=dict)


class Contract(BaseModel):
    id: uuid.UUID
    state: str


def signed_in(request: Request[Any, Any, Any], handler: BaseRouteHandler) -> None:
    given = (request.headers.get("X-API-Key"), request.headers.get("X-Organization-ID"))
    if given != (DATA["api_key"], DATA["organization_id"]):
        raise NotAuthorizedException("The API key is not known.")


@get("/api/reseller/products", guards=[signed_in])
async def products(
    limit: Annotated[int, Parameter(ge=1, le=50, default=20)], offset: Annotated[int, Parameter(ge=0, default=0)]
) -> OffsetPagination[Product]:
    listed = DATA["products"][offset : offset + limit]
    items = [
        Product(uuid=one["id"], title=one["name"], options=SETTINGS[one["type"]].model_json_schema()) for one in listed
    ]
    return OffsetPagination(items=items, limit=limit, offset=offset, total=len(DATA["products"]))


@post("/api/reseller/contracts", guards=[signed_in])
async def order(data: Order) -> Contract:
    product = PRODUCTS.get(str(data.product))
    if product is None:
        raise NotFoundException("There is no such product.")
    try:
        SETTINGS[product["type"]].model_validate(data.settings)
    except ValidationError as error:
        raise ValidationException(
            "Validation failed for POST /api/reseller/contracts",
            extra=[
                {"message": each["msg"], "key": ".".join(["settings", *map(str, each["loc"])]), "source": "body"}
                for each in error.errors()
            ],
        ) from error
    orders.append(data.model_dump(mode="json"))
    return Contract(id=uuid.uuid4(), state="requested")


@get("/_orders", include_in_schema=False)
async def placed() -> list[dict[str, Any]]:
    return orders


app = Litestar(
    [products, order, placed],
    openapi_config=OpenAPIConfig(
        title="Portal", version="1.0.0", path="/api/docs", render_plugins=[SwaggerRenderPlugin(path="/")]
    ),
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
