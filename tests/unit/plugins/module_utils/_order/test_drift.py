# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How a recorded order differs from what is asked now: setting by setting, without secrets and personal data."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Request
from ansible_collections.hosting.reseller.plugins.module_utils._order.drift import ABSENT, NOT_SHOWN, drift_of
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.ledger_values import (
    kept_elements,
    kept_settings,
)

KEY = b"k" * 32
CONFIG = ServiceConfig("https://portal.example.org", "key", "4200")
PRODUCT, OTHER = "43444cec-30eb-4f99-a44d-4e7c1373723d", "de1fc128-e7fa-42f8-b789-c12b84947105"
END_USER = "d19f51a8-e747-452b-89a9-286bfa544c77"
SETTINGS: dict[str, Any] = {"hostname": "web01", "template": "debian-12", "cpu_cores": 4, "plan": 4}
CONTACT = json.dumps({"first_name": "Erika", "last_name": "Mustermann"})
OTHER_CONTACT = json.dumps({"first_name": "Erika", "last_name": "Musterfrau"})

Found = dict[str, tuple[Any, Any]]


def found(
    before: dict[str, Any] | None = None,
    now: dict[str, Any] | None = None,
    *,
    secret_names: tuple[str, ...] = (),
    kind: str = "configurable_vps",
    elements: tuple[dict[str, Any], dict[str, Any]] = ({}, {}),
    config: ServiceConfig = CONFIG,
    recorded: dict[str, Any] | None = None,
    **wish: Any,
) -> Found:
    """What differs when ``before`` was ordered and ``now`` is asked (settings that are changed from the usual ones)."""
    settings = {name: value for name, value in {**SETTINGS, **(before or {})}.items() if value is not None}
    asked = {name: value for name, value in {**SETTINGS, **(now or {})}.items() if value is not None}
    request = Request(
        name="web01",
        service=CONFIG.base_url,
        organization_id=CONFIG.organization_id,
        end_user=END_USER,
        product=PRODUCT,
        product_name="VPS M",
        product_type=kind,
        settings=kept_settings(settings, KEY, secret_names),
        additional_elements=kept_elements(elements[0], KEY),
    )
    request = replace(request, **(recorded or {}))
    product_type = wish.get("product_type", kind)
    asking = replace(
        request,
        service=config.base_url,
        organization_id=config.organization_id,
        end_user=wish.get("end_user", END_USER),
        product=wish.get("product", PRODUCT),
        product_name=None,
        product_type=product_type,
        settings=kept_settings(asked, KEY),
        additional_elements=kept_elements(elements[1], KEY),
        partial=False,
    )
    told = drift_of(request, asking, PRODUCT_TYPES[product_type])
    return {each.path: (each.recorded, each.asked) for each in told}


SAME: dict[str, dict[str, Any]] = {
    "nothing": {},
    "the UUID in capitals": {"product": PRODUCT.upper(), "end_user": END_USER.upper()},
    "the product by its recorded name": {"product": "VPS M"},
    "another password": {"before": {"password": "one"}, "now": {"password": "two"}},
    "another value of what the live rules call secret": {
        "before": {"boot_word": "1"},
        "now": {"boot_word": "2"},
        "secret_names": ("boot_word",),
    },
    "a number as text where no documented rule says the type": {"now": {"plan": "4"}},
    "a boolean as text where no documented rule says the type": {"before": {"nat": True}, "now": {"nat": "true"}},
    "the same contact": {"before": {"ownercData": CONTACT}, "now": {"ownercData": CONTACT}},
    "the same elements": {"elements": ({"note": {"b": 1, "a": 2}}, {"note": {"a": 2, "b": 1}})},
}


@pytest.mark.parametrize("case", SAME)
def test_what_asks_for_the_same(case: str) -> None:
    assert found(**SAME[case]) == {}


DIFFERENT: dict[str, tuple[dict[str, Any], Found]] = {
    "a setting": ({"now": {"cpu_cores": 8}}, {"settings.cpu_cores": (4, 8)}),
    "a number as text where a documented rule says integer": (
        {"now": {"cpu_cores": "4"}},
        {"settings.cpu_cores": (4, "4")},
    ),
    "a documented setting more": ({"now": {"ram": 1024}}, {"settings.ram": (ABSENT, 1024)}),
    "an unknown setting more, which may be secret": (
        {"now": {"boot_word": "4711"}},
        {"settings.boot_word": (ABSENT, NOT_SHOWN)},
    ),
    "a contact": (
        {"before": {"ownercData": CONTACT}, "now": {"ownercData": OTHER_CONTACT}},
        {"settings.ownercData": (NOT_SHOWN, NOT_SHOWN)},
    ),
    "the end user": ({"end_user": "__self__"}, {"end_user": (END_USER, "__self__")}),
    "the product": ({"product": OTHER}, {"product": ("VPS M", OTHER)}),
    "the product, of an adopted contract": (
        {"product": "VPS L", "recorded": {"product_name": None}},
        {"product": (PRODUCT, "VPS L")},
    ),
    "the product type": ({"product_type": "vps"}, {"product_type": ("configurable_vps", "vps")}),
    "the service": (
        {"config": replace(CONFIG, base_url="https://staging.example.org")},
        {"base_url": (CONFIG.base_url, "https://staging.example.org")},
    ),
    "the organization": ({"config": replace(CONFIG, organization_id="4201")}, {"organization_id": ("4200", "4201")}),
    "an additional element": (
        {"elements": ({"note": "a"}, {"note": "b"})},
        {"additional_elements.note": (NOT_SHOWN, NOT_SHOWN)},
    ),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_what_asks_for_something_else(case: str) -> None:
    arguments, expected = DIFFERENT[case]
    assert found(**arguments) == expected


def test_of_an_adopted_contract_only_what_is_known_differs() -> None:
    partial = {"partial": True, "settings": {"hostname": "web01"}}
    assert found(recorded=partial, elements=({}, {"note": "x"})) == {}
    assert found(now={"hostname": "web02"}, recorded=partial).keys() == {"settings.hostname"}
    assert found(recorded={**partial, "product": OTHER, "product_name": None}).keys() == {"product"}
    unknown = {"end_user": "", "product": "", "product_type": "", "service": "", "organization_id": ""}
    assert found(recorded={**partial, **unknown, "product_name": None}) == {}


def test_what_is_not_said_of_a_contract_does_not_differ() -> None:
    recorded = Request("web01", "", "4200", END_USER, PRODUCT, None, "vps", settings={"hostname": "web01", "ram": 1024})
    said = Request("web01", "https://x.example", "", "", "", None, "", settings={"ram": 2048}, partial=True)
    assert [each.path for each in drift_of(recorded, said, None)] == ["settings.ram"]
