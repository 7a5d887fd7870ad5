# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Builds the JSON Schema of stack files from the schemas of the product types. `product_types.py` writes it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._product_types.domain import CONTACT
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.product_type import ProductType
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES, SELF
from ansible_collections.hosting.reseller.plugins.module_utils._stack.stack_contracts import FREE, known_keys

SCHEMA = Path(__file__).resolve().parents[2] / "roles/customer_stack/files/customer_stack.schema.json"
#: No address: nothing is fetched by it.
ID = "urn:x-hosting-reseller:customer-stack"
NAME: Mapping[str, Any] = {"type": "string", "minLength": 1}


def own(title: str, description: str, **schema: Any) -> Mapping[str, Any]:
    """Return the schema of a value with what editors show of it."""
    return {"title": title, "description": description, **schema}


OWN: Mapping[str, Mapping[str, Any]] = {
    "name": own("Name of the order", "the name that identifies the order in the ledger", **NAME, maxLength=255),
    "product": own(
        "Product", "a name in products, or the name or UUID of a product in the catalogue", **NAME, pattern=r"\S"
    ),
    "settings": own("Additional settings", "settings that only the catalogue lists for the product", type="object"),
    "additional_elements": own("Additional elements", "additional elements of the request body", type="object"),
    "contact": own("OwnerC and AdminC", "the name in contacts that is both OwnerC and AdminC", **NAME),
    "owner": own("OwnerC", "the name in contacts that is OwnerC", **NAME),
    "admin": own("AdminC", "the name in contacts that is AdminC", **NAME),
    "l2vpn_of": own("L2VPN of another server", "the name of the dedicated server whose L2VPN this one joins", **NAME),
}
_SECRET = (
    "A secret is not safe in a file that is not encrypted. Put it into the variable customer_stack_secrets, or encrypt "
    "the file with ansible-vault."
)
#: Settings of which a contract may give only one, by kind. Editors and the role point at the later one.
EXCLUSIVE: Mapping[str, Sequence[Sequence[str]]] = {
    "dedicated_server": [("ip4_count", "ip4_subnet_size"), ("existing_l2vpn", "l2vpn_of")],
    "domain": [("ownercData", "ownercRef", "owner", "contact"), ("admincData", "admincRef", "admin")],
}
#: Settings of which one has to be given, by a contract or by the file's defaults for its kind.
ONE_OF: Mapping[str, tuple[str, str]] = {"dedicated_server": ("ip4_subnet_size", "ip4_count")}


def contract(kind: ProductType) -> dict[str, Any]:
    """What a contract of this kind may say. What is required may come from the defaults, and secrets from elsewhere:
    a contract alone cannot tell, so only the role that reads all of it asks for it.
    """
    known = {**OWN, **kind.settings}
    schema: dict[str, Any] = {
        "title": capitalized(kind.title),
        "description": f"A contract of this product type (section {kind.section} of the API specification)",
        "type": "object",
        "properties": {name: or_null(_value(name, known[name], kind)) for name in known_keys(kind)},
        "additionalProperties": False,
    }
    pairs = (pair for names in EXCLUSIVE.get(kind.name, ()) for pair in itertools.combinations(names, 2))
    rules = [{"if": {"allOf": [*map(given, pair)]}, "then": {"properties": {pair[1]: False}}} for pair in pairs]
    return {**schema, "allOf": rules} if rules else schema


def _value(name: str, rule: Mapping[str, Any], kind: ProductType) -> dict[str, Any]:
    value = for_editors(name, rule)
    if "array" in rule["type"]:
        # DNS tools write host names with a dot at the end, which is not sent.
        value["items"]["pattern"] = value["items"]["pattern"].removesuffix("$") + r"\.?$"
    return {**value, "deprecationMessage": _SECRET} if name in kind.secrets else value


def for_editors(name: str, rule: Mapping[str, Any]) -> dict[str, Any]:
    """A rule with what editors show of it: a title, and in place of a bare pattern what is meant."""
    made = {"title": capitalized(name.replace("_", " ")), **rule}
    made.pop("contentMediaType", None)
    if "pattern" in rule:
        made["patternErrorMessage"] = rule["description"]
    if "properties" in rule:
        made["properties"] = {each: for_editors(each, inner) for each, inner in rule["properties"].items()}
    if "items" in rule:
        made["items"] = for_editors("nameserver", rule["items"])
    return made


def capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same, where null unsets a default. Editors do not offer it, since it is no type of the value."""
    outside = {name: schema[name] for name in ("title", "description", "deprecationMessage") if name in schema}
    if "enum" in schema or schema["type"] == "boolean":
        outside["examples"] = schema.get("enum", [True, False])
    inside = {name: value for name, value in schema.items() if name not in outside}
    if isinstance(inside["type"], list) and "null" in inside["type"]:
        (inside["type"],) = [each for each in inside["type"] if each != "null"]
    return {**outside, "if": {"type": "null"}, "else": inside}


def given(name: str) -> dict[str, Any]:
    """Holds for a mapping in which this is given."""
    return {"required": [name], "properties": {name: {"not": {"type": "null"}}}}


def named(title: str, description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping of names to values of this schema."""
    return or_null(own(title, description, type="object", additionalProperties=schema))


def contracts(kind: ProductType) -> dict[str, Any]:
    """The list of a kind, in which no default can say what tells a contract apart."""
    each = {"$ref": f"#/$defs/{kind.name}", "required": [kind.identity or "name"]}
    about = own(f"Contracts: {kind.title}", "the contracts of this product type")
    return or_null({**about, "type": "array", "minItems": 1, "items": each})


def missing_settings() -> Iterator[dict[str, Any]]:
    """For settings of which one is needed, unless the file's defaults have it. Secrets may be elsewhere."""
    for name, alternatives in ONE_OF.items():
        either = {"anyOf": [*map(given, alternatives)]}
        yield _unless_by_default(name, either, either)


def _unless_by_default(kind: str, by_default: Mapping[str, Any], needed: Mapping[str, Any]) -> dict[str, Any]:
    """Each contract of this kind needs this, unless the defaults of its kind have it."""
    defaults = {"type": "object", "required": [kind], "properties": {kind: {"type": "object", **by_default}}}
    return {
        "if": {"required": ["defaults"], "properties": {"defaults": defaults}},
        "else": {"properties": {"contracts": {"properties": {kind: {"items": needed}}}}},
    }


def build() -> dict[str, Any]:
    """The schema of a stack file."""
    contact = {**for_editors("contact", CONTACT), "type": "object", "description": "the data of a contact"}
    product = {"type": "string", "pattern": r"\S", "description": "the name or UUID of a product in the catalogue"}
    own = f"{SELF} for the reseller's own organization"
    end_user_rule = f"the UUID of the end user, {own}, or a name of end_users in the service's file"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "Stack",
        "description": "All contracts of one end user, for the role hosting.reseller.customer_stack",
        "type": "object",
        "properties": {
            "end_user": {
                "title": "End user",
                "description": end_user_rule,
                "type": "string",
                "pattern": r"\S",
                "patternErrorMessage": end_user_rule,
                "examples": [SELF],
            },
            "contacts": named("Contacts", "contacts of domains, by a name of your choice", contact),
            "products": named("Products", "products, by a name of your choice", for_editors("product", product)),
            "defaults": or_null(
                {
                    "title": "Defaults",
                    "description": "values for contracts that do not set them, by product type",
                    "type": "object",
                    "properties": {name: {"$ref": f"#/$defs/{name}"} for name in PRODUCT_TYPES},
                    "additionalProperties": False,
                }
            ),
            "contracts": {
                "title": "Contracts",
                "description": "the contracts, by product type",
                "type": "object",
                "minProperties": 1,
                "properties": {name: contracts(kind) for name, kind in PRODUCT_TYPES.items()},
                "additionalProperties": False,
            },
        },
        "patternProperties": {f"^{FREE}": {}},
        "required": ["end_user", "contracts"],
        "additionalProperties": False,
        "allOf": [*missing_settings()],
        "$defs": {name: contract(kind) for name, kind in PRODUCT_TYPES.items()},
    }


def text() -> str:
    """The file."""
    return json.dumps(build(), indent=2, ensure_ascii=False) + "\n"
