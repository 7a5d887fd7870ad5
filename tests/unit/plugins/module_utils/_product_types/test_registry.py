# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The registry of product types, and the schemas themselves."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._product_types.domain import CONTACT
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.product_type import ProductType
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import (
    CONTACT_SETTINGS,
    PRODUCT_TYPES,
    SECRET_SETTINGS,
    infer,
    product_type_of_id,
)
from tests.support import order_examples as examples

TYPES = list(PRODUCT_TYPES.values())

CONFIGURABLE = " ".join(examples.SETTINGS["configurable_vps"])
#: Typed from sections 2.2 and 4.3 of the API specification: section, UUID, settings, required ones.
DOCUMENTED: dict[str, tuple[str, str | None, str, str]] = {
    "vps": ("4.3.1", None, "hostname template", "hostname template"),
    "configurable_vps": ("4.3.2", "fb8663c7-70b6-4d81-9750-c0d2b5697107", CONFIGURABLE, CONFIGURABLE),
    "dedicated_server": (
        "4.3.3",
        None,
        "hostname template ip4_subnet_size ip4_count ip6_subnet_size existing_l2vpn",
        "hostname template",
    ),
    "webhosting": ("4.3.4", None, "", ""),
    "domain": (
        "4.3.5",
        "0d6d810e-dec2-4a06-8fe5-7d7698d97ae6",
        "domain action authcode nameservers ownercRef ownercData admincRef admincData",
        "domain action",
    ),
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_product_types_are_the_documented_ones(name: str) -> None:
    each = PRODUCT_TYPES[name]
    required = " ".join(each.schema["required"])
    assert product_type_of_id((each.product_id or "0d6d810e").upper()) is (each if each.product_id else None)
    assert (each.section, each.product_id, " ".join(each.settings), required) == DOCUMENTED[name]
    assert each.name == name


def test_contact_has_the_documented_fields_in_order() -> None:
    fields = list(examples.CONTACT)
    assert list(CONTACT["properties"]) == fields
    assert CONTACT["required"] == fields[:-1]


def test_what_orders_are_called_billed_and_hidden_by() -> None:
    documented = [PRODUCT_TYPES[name] for name in DOCUMENTED]
    assert [each.identity for each in documented] == ["hostname", "hostname", "hostname", None, "domain"]
    assert [each.name for each in documented if each.billing == "yearly"] == ["domain"]
    assert {name for each in documented for name in each.secrets} == {"password", "authcode"} <= SECRET_SETTINGS
    assert {name for each in documented for name in each.contacts} == {"ownercData", "admincData"} <= CONTACT_SETTINGS


@pytest.mark.parametrize("product_type", TYPES, ids=str)
def test_schema_is_complete_in_itself_and_every_part_says_its_rule(product_type: ProductType) -> None:
    jsonschema.Draft202012Validator.check_schema(product_type.schema)
    assert all(member["title"] for member in product_type.settings.values())
    patterns = re.findall(r'"pattern": ("(?:\\.|[^"])*")', json.dumps(product_type.schema))
    assert all(re.fullmatch(r"\^.*\$", json.loads(pattern)) for pattern in patterns)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        *[(settings, name) for name, (*_rest, settings, _required) in DOCUMENTED.items()],
        ("cpu_cores ram disk_size extra", "configurable_vps"),
        ("domain", None),
        ("hostname template_name", None),
        ("hostname template domain action", None),
    ],
)
def test_type_that_the_names_of_options_tell(options: str, name: str | None) -> None:
    found = infer(options.split())
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("domain", {"action": "register", "authcode": "x"}, "of use only with action: transfer"),
        ("domain", {"action": "transfer"}, "authcode is missing"),
        ("domain", {"action": "transfer", "authcode": "x"}, ""),
        ("vps", {}, ""),
    ],
)
def test_advice_about_settings(name: str, settings: dict[str, str], words: str) -> None:
    advice = PRODUCT_TYPES[name].advise(settings)
    assert len(advice) == bool(words)
    assert words in "".join(advice)
