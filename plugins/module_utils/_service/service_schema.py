# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The JSON Schema of a service's file: what it may say, and what editors show of that. null: there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

_NAMES = r"\S(?:.*\S)?"
#: Dotted names; * is any position of a list, which one field alone may have.
_PLACE = rf"^(?!(?:.*\.)?\*(?:\.|$)){_NAMES}$"
_ELEMENT = r"^(?!settings$)\S+$"
#: A path below base_url, without a query and without steps that lead elsewhere.
_PATH = r"^/(?![/\\])(?!(?:[^?#]*/)?\.\.?(?:/|$))[^\s?#\\]*$"


def _text(description: str, pattern: str = f"^{_NAMES}$") -> Schema:
    return {"description": description, "type": ["string", "null"], "pattern": pattern}


def _places(**whose: str) -> Mapping[str, Schema]:
    return {name: _text(f"the place of {each}, as dotted names", _PLACE) for name, each in whose.items()}


def _list(description: str, *types: str) -> Schema:
    return {"description": description, "type": ["array", "null"], "minItems": 1, "items": {"type": [*types]}}


def _states(meaning: str) -> Schema:
    return _list(f"a list of the states, in quotes, that mean that a contract {meaning}", "string")


def _megabytes(whose: str) -> Schema:
    what = f"the maximum RAM in MB that {whose} may order for one configurable VPS, at least 1024"
    return {"description": what, "type": ["integer", "null"], "minimum": 1024}


def _mapping(description: str, properties: Mapping[str, Schema], *required: str) -> dict[str, Any]:
    kinds = ["object", "null"]
    made = {"description": description, "type": kinds, "properties": {**properties}, "required": [*required]}
    return {**made, "additionalProperties": False}


_NAME: Schema = {"type": "string", "pattern": f"^{_NAMES}$"}
_AT: Schema = {"description": "a place, as dotted names", "type": "string", "pattern": _PLACE}
_STATUS: Schema = {"description": "a status from 200 to 299", "type": "integer", "minimum": 200, "maximum": 299}
_FORMS: tuple[Mapping[str, Schema], ...] = (
    {"link": _AT},
    {"parameter": _NAME, "first": {"type": "integer", "minimum": 0}},
    {"offset": _NAME, "limit": _NAME},
    {"cursor": _AT, "parameter": _NAME},
)
_NEXT: Schema = {
    "description": "null, or a mapping with link, parameter and first, offset and limit, or cursor and parameter",
    "anyOf": [{"type": "null"}, *({**_mapping("", form, *form), "type": "object"} for form in _FORMS)],
}
_OWNED = "a boolean: whether contracts that show no owner belong to the organization whose list it is"

PARTS: Mapping[str, Mapping[str, Any]] = {
    "order": _mapping(
        "how an order is written and confirmed",
        {
            "end_user": _text("the name of the request element for the end user, which is not settings", _ELEMENT),
            "product": _text("the name of the request element for the product, which is not settings", _ELEMENT),
            "placed": _mapping(
                "the status of a response that confirms an order, and the place of the contract's id in it",
                {"status": _STATUS, "id": _AT},
                *("status", "id"),
            ),
        },
    ),
    "products": _mapping(
        "where the catalogue shows products",
        _places(records="the list of products", id="a product's UUID", name="a product's name", options="its options"),
    ),
    "contracts": _mapping(
        "where the service shows contracts",
        {
            "path": _text("a path below base_url that lists contracts, without a query", _PATH),
            "next": _NEXT,
            **_places(
                records="the list of contracts",
                total="the number of all contracts",
                id="a contract's ID",
                hostname="a server's hostname",
                domain="a domain's name",
                product="a contract's product",
                end_user="the UUID of a contract's end user",
                state="a contract's state",
                ends_at="the last day of a contract that was canceled to one",
            ),
            "own": _list("a list of the values that own contracts show at end_user", *("string", "integer", "null")),
            "owned_by_list": {"description": _OWNED, "type": ["boolean", "null"]},
            "ready": _states("can be used"),
            "failed": _states("failed"),
            "ended": _states("is over"),
            "address": _text("the place of a server's address, as dotted names; * is any position of a list"),
        },
    ),
    "cancel": _mapping(
        "the request that cancels a contract",
        {
            "method": {"description": "DELETE, POST, PUT or PATCH", "enum": ["DELETE", "POST", "PUT", "PATCH"]},
            "path": {**_text("a path below base_url with {id}, the contract's ID", _PATH), "type": "string"},
            "body": {"description": "a mapping: the body of the request", "type": ["object", "null"]},
        },
        *("method", "path"),
    ),
}
_END_USER = _mapping(
    "a mapping with the end user's id",
    {
        "id": {"description": "the end user's UUID", "type": "string"},
        "organization_id": _text("the ID of the end user's organization, in quotes"),
        "org_max_ram": _megabytes("the end user's organization"),
    },
    "id",
)
SERVICE_SCHEMA: Schema = {
    **_mapping(
        "a mapping that describes one service",
        {
            "base_url": {**_text("the address of the service, as in the option base_url"), "type": "string"},
            "openapi_url": _text("the path or URL of the OpenAPI document, at base_url's own origin"),
            "nameserver_resolvers": _list("a list of resolvers that look up nameservers", "string"),
            "org_max_ram": _megabytes("your organization"),
            **PARTS,
            "end_users": {
                "description": "a mapping from names of your choice to end users",
                "type": ["object", "null"],
                "additionalProperties": {**_END_USER, "type": "object"},
            },
        },
        "base_url",
    ),
    "type": "object",
}
