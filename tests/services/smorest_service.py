# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service made with flask-smorest: marshmallow's schemas, X-Pagination, its page and its errors."""

from __future__ import annotations

import json
import sys
import uuid
from pathlib import Path
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask, Response, jsonify, request
from flask.views import MethodView
from flask_smorest import Api, Blueprint, abort
from marshmallow import RAISE, Schema, ValidationError, fields, validate
from wsgi import serve

DATA = json.loads(Path(__file__).with_name("catalogue.json").read_text(encoding="utf-8"))
PRODUCTS = {product["id"]: product for product in DATA["products"]}
HOSTNAME = validate.Regexp(r"^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*$")
TEMPLATE = validate.OneOf(DATA["templates"])


def step(size: int) -> Any:
    def check(value: int) -> None:
        if value % size:
            raise ValidationError(f"Must be a multiple of {size}.")

    return check


def between(least: int, most: int | None = None) -> validate.Range:
    return validate.Range(least, most)


SETTINGS = {
    "vps": Schema.from_dict(
        {
            "hostname": fields.String(required=True, validate=[HOSTNAME, validate.Length(max=253)]),
            "template": fields.String(required=True, validate=TEMPLATE),
        },
        name="Vps",
    ),
    "configurable_vps": Schema.from_dict(
        {
            "cpu_cores": fields.Integer(required=True, strict=True, validate=between(1, 10)),
            "ram": fields.Integer(required=True, validate=[between(1024, DATA["org_max_ram"]), step(1024)]),
            "disk_size": fields.Integer(required=True, validate=[between(10, 1000), step(10)]),
            "username": fields.String(required=True, validate=[validate.Regexp("^[A-Za-z0-9]{3,32}$")]),
            "password": fields.String(required=True, load_only=True),
            "template_name": fields.String(required=True, validate=TEMPLATE),
            "hostname": fields.String(required=True, validate=HOSTNAME),
            "ipv4_addresses": fields.Integer(required=True, validate=between(1, 10)),
            "traffic_display": fields.Integer(required=True, validate=[between(128), step(128)]),
            "backup_count": fields.Integer(required=True, validate=between(5)),
            "snapshot_count": fields.Integer(required=True, validate=between(2)),
            "ha_upgrade": fields.Boolean(required=True),
            "10g_upgrade": fields.Boolean(required=True),
        },
        name="ConfigurableVps",
    ),
    "dedicated_server": Schema.from_dict(
        {
            "hostname": fields.String(required=True, validate=HOSTNAME),
            "template": fields.String(required=True, validate=TEMPLATE),
            "ip4_subnet_size": fields.Integer(validate=between(25, 29)),
            "ip4_count": fields.Integer(allow_none=True, validate=between(1, 10)),
            "ip6_subnet_size": fields.Integer(validate=between(48, 64)),
            "existing_l2vpn": fields.UUID(),
        },
        name="DedicatedServer",
    ),
    "webhosting": Schema.from_dict({}, name="Webhosting"),
    "domain": Schema.from_dict(
        {
            "domain": fields.String(required=True),
            "action": fields.String(required=True, validate=validate.OneOf(["register", "transfer"])),
            **{
                name: fields.String()
                for name in ("authcode", "nameservers", "ownercRef", "ownercData", "admincRef", "admincData")
            },
        },
        name="Domain",
    ),
}


def described(schema: type[Schema]) -> dict[str, Any]:
    """The schema as apispec writes it."""
    spec = APISpec("", "", "3.0.3", plugins=[MarshmallowPlugin()])
    spec.components.schema("Settings", schema=schema)
    found: dict[str, Any] = spec.to_dict()["components"]["schemas"]["Settings"]
    return found


class ProductSchema(Schema):
    id = fields.UUID()
    name = fields.String()
    options = fields.Dict()


class OrderSchema(Schema):
    class Meta:
        unknown = RAISE

    endUser = fields.String(  # noqa: N815 - the names of this service
        required=True, metadata={"description": "UUID of the end-user, or __self__"}
    )
    productId = fields.UUID(required=True)  # noqa: N815
    settings = fields.Dict(load_default=dict)


class ContractSchema(Schema):
    id = fields.UUID()
    status = fields.String()


app = Flask(__name__)
app.config |= {
    "API_TITLE": "Portal",
    "API_VERSION": "v1",
    "OPENAPI_VERSION": "3.0.3",
    "OPENAPI_URL_PREFIX": "/api",
    "OPENAPI_JSON_PATH": "reference.json",
    "OPENAPI_SWAGGER_UI_PATH": "/docs",
    "OPENAPI_SWAGGER_UI_URL": "/static/swagger-ui/",
}
api = Api(app)
blueprint = Blueprint("reseller", "reseller", url_prefix="/api/reseller")
orders: list[dict[str, Any]] = []


@blueprint.before_request
def signed_in() -> None:
    given = (request.headers.get("X-API-Key"), request.headers.get("X-Organization-ID"))
    if given != (DATA["api_key"], DATA["organization_id"]):
        abort(401, message="The API key is not known.")


@blueprint.route("/products")
class Products(MethodView):
    @blueprint.response(200, ProductSchema(many=True))
    @blueprint.paginate(page_size=12)
    def get(self, pagination_parameters: Any) -> list[dict[str, Any]]:
        pagination_parameters.item_count = len(DATA["products"])
        listed = DATA["products"][pagination_parameters.first_item : pagination_parameters.last_item + 1]
        return [{**one, "options": described(SETTINGS[one["type"]])} for one in listed]


@blueprint.route("/contracts")
class Contracts(MethodView):
    @blueprint.arguments(OrderSchema)
    @blueprint.response(201, ContractSchema)
    def post(self, wanted: dict[str, Any]) -> dict[str, Any]:
        product = PRODUCTS.get(str(wanted["productId"]))
        if product is None:
            abort(404, message="There is no such product.")
        try:
            SETTINGS[product["type"]](unknown=RAISE).load(wanted["settings"])
        except ValidationError as error:
            abort(422, errors={"json": {"settings": error.messages}})
        orders.append({**wanted, "productId": str(wanted["productId"])})
        return {"id": uuid.uuid4(), "status": "new"}


@app.get("/_orders")
def placed() -> Response:
    return jsonify(orders)


api.register_blueprint(blueprint)

if __name__ == "__main__":
    serve(app, int(sys.argv[1]))
