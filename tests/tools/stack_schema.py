# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Generates the JSON Schema of a customer's stack file from the schemas of the product types; --check only compares."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / ".cache")]

from ansible_collections.hosting.reseller.plugins.module_utils._product_types.domain import CONTACT  # noqa: E402
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.fragments import DIALECT, UUID  # noqa: E402
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.product_type import ProductType  # noqa: E402
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES, SELF  # noqa: E402
from ansible_collections.hosting.reseller.plugins.module_utils._stack.stack import FREE, known_keys  # noqa: E402

SCHEMA = ROOT / "roles/customer_stack/files/customer_stack.schema.json"
NAME = {"type": "string", "minLength": 1}
OWN: Mapping[str, Mapping[str, Any]] = {
    "name": {
        **NAME,
        "maxLength": 255,
        "description": "The identity of the order in the ledger, by which a second run knows that it is the same",
    },
    "product": {
        **NAME,
        "pattern": r"\S",
        "description": "One of products, or the name or UUID of a product in the catalogue",
    },
    "settings": {"type": "object", "description": "Settings that only the catalogue lists for the product"},
    "additional_elements": {"type": "object", "description": "Further elements of the request body"},
    "contact": {**NAME, "description": "The one of contacts that is both OwnerC and AdminC"},
    "owner": {**NAME, "description": "The one of contacts that is OwnerC"},
    "admin": {**NAME, "description": "The one of contacts that is AdminC"},
    "l2vpn_of": {**NAME, "description": "The name of the dedicated server whose L2VPN this one joins"},
}


def contract(kind: ProductType) -> dict[str, Any]:
    """What a contract of this kind may say. What is required may come from the defaults, and secrets from elsewhere:
    a contract alone cannot tell, so only the role that reads all of it asks for it.
    """
    properties = {name: or_null({**OWN, **kind.settings}[name]) for name in known_keys(kind)}
    schema: dict[str, Any] = {"title": kind.title, "type": "object", "properties": properties}
    return {**schema, "additionalProperties": False, "description": f"Document section {kind.section}"}


def or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same, where null unsets a default."""
    types = schema["type"]
    listed = [types] if isinstance(types, str) else list(types)
    made = {**schema, "type": listed if "null" in listed else [*listed, "null"]}
    if "enum" in made:
        made["enum"] = [*made["enum"], None]
    return made


def identified(kind: ProductType) -> dict[str, Any]:
    """A contract in the list of its kind, where no default can say what tells it apart."""
    identity = kind.identity or "name"
    return {"$ref": f"#/$defs/{kind.name}", "required": [identity]}


def build() -> dict[str, Any]:
    """The schema of a stack file."""
    contact = {name: value for name, value in CONTACT.items() if name != "contentMediaType"}
    return {
        "$schema": DIALECT,
        "title": "A customer's stack",
        "description": "All that one customer gets, for the role hosting.reseller.customer_stack",
        "type": "object",
        "properties": {
            "end_user": {
                "description": f"The UUID of the end-user, or {SELF} for the reseller's own organization",
                "type": "string",
                "anyOf": [{"const": SELF}, {"format": "uuid", "pattern": UUID["pattern"]}],
            },
            "contacts": {
                "description": "The contacts of domains, by a name that contracts use for them",
                "type": ["object", "null"],
                "additionalProperties": {**contact, "type": "object", "description": "The data of a contact"},
            },
            "products": {
                "description": "Products, by a name that contracts use for them",
                "type": ["object", "null"],
                "additionalProperties": {
                    "type": "string",
                    "pattern": r"\S",
                    "description": "The name or UUID of a product in the catalogue",
                },
            },
            "defaults": {
                "description": "What contracts say that do not say it themselves, by kind",
                "type": ["object", "null"],
                "properties": {name: {"$ref": f"#/$defs/{name}"} for name in PRODUCT_TYPES},
                "additionalProperties": False,
            },
            "contracts": {
                "description": "The contracts, by kind",
                "type": "object",
                "minProperties": 1,
                "properties": {
                    name: {"type": ["array", "null"], "items": identified(kind)} for name, kind in PRODUCT_TYPES.items()
                },
                "additionalProperties": False,
            },
        },
        "patternProperties": {f"^{FREE}": {}},
        "required": ["end_user", "contracts"],
        "additionalProperties": False,
        "$defs": {name: contract(kind) for name, kind in PRODUCT_TYPES.items()},
    }


def text() -> str:
    """The file."""
    return json.dumps(build(), indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    if "--check" not in sys.argv[1:]:
        SCHEMA.parent.mkdir(parents=True, exist_ok=True)
        SCHEMA.write_text(text(), encoding="utf-8")
        return 0
    if SCHEMA.exists() and SCHEMA.read_text(encoding="utf-8") == text():
        return 0
    print(f"{SCHEMA.relative_to(ROOT)} is not what {Path(__file__).relative_to(ROOT)} generates: run it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
