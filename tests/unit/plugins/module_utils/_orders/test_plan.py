# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan: what of it is approved."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import RequestedOrder
from ansible_collections.hosting.reseller.plugins.module_utils._orders.placed_order import PlacedOrder
from ansible_collections.hosting.reseller.plugins.module_utils._orders.plan import plan_digest, plan_entry
from tests.support.order_examples import CONFIG, order_of

LEDGER: Any = SimpleNamespace(history=lambda: SimpleNamespace(token=None))


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"settings": {"password": "Another-Secret-2"}}, True),
        ({"settings": {"licence": "L-2"}}, True),
        ({"elements": {"apiToken": "t-2"}}, True),
        ({"settings": {"template": "debian-13"}}, False),
        ({"elements": {"note": "second"}}, False),
        ({"elements": {"note": None}}, False),
        ({"service": {"base_url": "https://other.example.org"}}, False),
        ({"service": {"organization_id": "4201"}}, False),
    ],
)
def test_digest_is_of_all_that_would_be_sent_but_secrets(changes: dict[str, Any], same: bool) -> None:
    settings = {"hostname": "web01", "template": "debian-12", "password": "Quite-Secret-1", "licence": "L-1"}
    elements = {"note": "first", "apiToken": "t-1"}

    def digest(changes: dict[str, Any]) -> str:
        order = order_of(
            "web01",
            {**settings, **changes.get("settings", {})},
            config=replace(CONFIG, **changes.get("service", {})),
            additional_elements={**elements, **changes.get("elements", {})},
        )
        order = replace(order, secret_names=frozenset({"licence"}))
        planned = PlacedOrder(RequestedOrder("__self__", "web01"), "planned", order=order)
        return plan_digest([plan_entry(planned)], LEDGER)

    assert (digest(changes) == digest({})) == same
