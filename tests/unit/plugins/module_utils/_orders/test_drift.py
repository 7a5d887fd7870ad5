# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How a recorded order differs from what is asked now: setting by setting, without secrets and personal data."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import StoredRequest
from ansible_collections.hosting.reseller.plugins.module_utils._orders.drift import ABSENT, NOT_SHOWN, drift_of
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import kept_elements, kept_settings

KEY = b"k" * 32
URL, PRODUCT = "https://portal.example.org", "43444cec-30eb-4f99-a44d-4e7c1373723d"
OTHER, END_USER = "de1fc128-e7fa-42f8-b789-c12b84947105", "d19f51a8-e747-452b-89a9-286bfa544c77"
RECORDED = StoredRequest("web01", URL, "4200", END_USER, PRODUCT, "VPS M", "configurable_vps")
SETTINGS: dict[str, Any] = {"hostname": "web01", "template": "debian-12", "cpu_cores": 4, "plan": 4}
CONTACT = json.dumps({"first_name": "Erika", "last_name": "Mustermann"})
HIDDEN = (NOT_SHOWN, NOT_SHOWN)
OTHER_CONTACT = json.dumps({"first_name": "Erika", "last_name": "Musterfrau"})


def settings(**changes: Any) -> dict[str, Any]:
    return {"settings": changes}


def note(value: Any) -> dict[str, Any]:
    return {"additional_elements": {"note": value}}


def kept(changes: dict[str, Any], secret_names: tuple[str, ...] = ()) -> StoredRequest:
    """What the ledger keeps of an order that differs so from the usual one."""
    own = {
        "settings": kept_settings({**SETTINGS, **changes.get("settings", {})}, KEY, secret_names),
        "additional_elements": kept_elements(changes.get("additional_elements", {}), KEY),
    }
    return replace(RECORDED, **{**changes, **own})


def found(recorded: StoredRequest, asked: StoredRequest) -> dict[str, tuple[Any, Any]]:
    drift = drift_of(recorded, replace(asked, product_name=None))
    return {each.path: (each.recorded, each.requested) for each in drift}


@pytest.mark.parametrize(
    ("before", "now", "differing"),
    [
        ({}, {"product": PRODUCT.upper(), "end_user": END_USER.upper()}, {}),
        (settings(password="one"), settings(password="two"), {}),
        # What the rules of the catalogue call secret.
        (settings(boot_word="1"), settings(boot_word="2"), {}),
        # As text where no rule of the specification says the type, and where one does.
        (settings(nat=True), settings(nat="true", plan="4"), {}),
        ({}, settings(cpu_cores="4"), {"settings.cpu_cores": (4, "4")}),
        ({}, settings(cpu_cores=8), {"settings.cpu_cores": (4, 8)}),
        ({}, settings(ram=1024), {"settings.ram": (ABSENT, 1024)}),
        # A setting that no rule of the specification names may be secret.
        ({}, settings(licence="4711"), {"settings.licence": (ABSENT, NOT_SHOWN)}),
        (settings(ownercData=CONTACT), settings(ownercData=CONTACT), {}),
        (settings(ownercData=CONTACT), settings(ownercData=OTHER_CONTACT), {"settings.ownercData": HIDDEN}),
        (note({"b": 1, "a": 2}), note({"a": 2, "b": 1}), {}),
        (note("a"), note("b"), {"additional_elements.note": HIDDEN}),
        ({}, {"end_user": "__self__"}, {"end_user": (END_USER, "__self__")}),
        ({}, {"product": OTHER}, {"product": ("VPS M", OTHER)}),
        ({"product_name": None}, {"product": "VPS L"}, {"product": (PRODUCT, "VPS L")}),
        ({}, {"product_type": "vps"}, {"product_type": ("configurable_vps", "vps")}),
        ({}, {"service": "https://staging.example.org"}, {"base_url": (URL, "https://staging.example.org")}),
        ({}, {"organization_id": "4201"}, {"organization_id": ("4200", "4201")}),
    ],
)
def test_what_asks_for_something_else(before: dict[str, Any], now: dict[str, Any], differing: dict[str, Any]) -> None:
    assert found(kept(before, secret_names=("boot_word",)), kept(now)) == differing


def test_of_an_adopted_contract_only_what_is_known_differs() -> None:
    adopted = replace(RECORDED, settings={"hostname": "web01"}, partial=True)
    assert found(adopted, kept(note("x"))) == {}
    assert found(adopted, kept(settings(hostname="web02"))).keys() == {"settings.hostname"}
    assert found(replace(adopted, product=OTHER, product_name=None), kept({})).keys() == {"product"}
    unknown = StoredRequest("web01", "", "", "", "", None, "", settings={"hostname": "web01"}, partial=True)
    assert found(unknown, kept({})) == {}
    # What is said of it may be as little.
    assert found(kept({}), replace(unknown, settings={"cpu_cores": 2})).keys() == {"settings.cpu_cores"}
