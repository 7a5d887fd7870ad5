# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service made with django-ninja: its paginated list, pydantic's schemas as options, its page and its errors."""

from __future__ import annotations

import sys
import uuid
from typing import Any, Literal

import django
from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.urls import path

settings.configure(
    DEBUG=False,
    SECRET_KEY="of a test",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["ninja"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402 - Django is set up first
from ninja import Field, NinjaAPI, Schema  # noqa: E402
from ninja.errors import HttpError, ValidationError  # noqa: E402
from ninja.pagination import paginate  # noqa: E402
from ninja.security import APIKeyHeader  # noqa: E402
from pydantic import ValidationError as InvalidSettings  # noqa: E402
from pydantic_settings import DATA, PRODUCTS, SETTINGS  # noqa: E402
from wsgi import serve  # noqa: E402

orders: list[dict[str, Any]] = []


class Key(APIKeyHeader):
    param_name = "X-API-Key"

    def authenticate(self, request: HttpRequest, key: str | None) -> str | None:
        known = (key, request.headers.get("X-Organization-ID")) == (DATA["api_key"], DATA["organization_id"])
        return key if known else None


class Product(Schema):
    id: uuid.UUID
    name: str
    options: dict[str, Any]


class Order(Schema):
    end_user_id: uuid.UUID | Literal["__self__"]
    product_id: uuid.UUID
    settings: dict[str, Any] = Field(default_factory=dict)


class Contract(Schema):
    contract_id: uuid.UUID
    status: str


api = NinjaAPI(title="Portal", version="2", docs_url="docs", auth=Key())


@api.get("reseller/products", response=list[Product])
@paginate
def products(request: HttpRequest) -> list[dict[str, Any]]:
    return [{**one, "options": SETTINGS[one["type"]].model_json_schema()} for one in DATA["products"]]


@api.post("reseller/contracts", response={200: Contract})
def order(request: HttpRequest, payload: Order) -> dict[str, Any]:
    product = PRODUCTS.get(str(payload.product_id))
    if product is None:
        raise HttpError(404, "There is no such product.")
    try:
        SETTINGS[product["type"]].model_validate(payload.settings)
    except InvalidSettings as error:
        raise ValidationError(
            [
                {"type": each["type"], "loc": ("body", "payload", "settings", *each["loc"]), "msg": each["msg"]}
                for each in error.errors()
            ]
        ) from error
    orders.append(payload.dict())
    return {"contract_id": uuid.uuid4(), "status": "pending"}


urlpatterns = [path("api/", api.urls), path("_orders", lambda request: JsonResponse(orders, safe=False))]

if __name__ == "__main__":
    serve(get_wsgi_application(), int(sys.argv[1]))
