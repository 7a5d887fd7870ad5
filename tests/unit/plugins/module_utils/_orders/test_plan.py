# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan: what of it is approved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Outcome,
    Record,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import RequestedOrder
from ansible_collections.hosting.reseller.plugins.module_utils._orders.placed_order import PlacedOrder
from ansible_collections.hosting.reseller.plugins.module_utils._orders.plan import (
    not_requested,
    plan_digest,
    plan_entry,
    why_not_approvable,
)
from tests.support.ledgers import claim, opened, record
from tests.support.order_examples import CONFIG, order_of

L2VPN = "7b4f0c52-3d5c-4f0e-9d3e-0f1b2c3d4e5f"
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
        ({"organization": "4299"}, False),
        # The L2VPN of a server is the same before and after its UUID is known.
        ({"settings": {"existing_l2vpn": L2VPN}}, True),
        ({"settings": {"existing_l2vpn": L2VPN.upper()}}, True),
        ({"settings": {"existing_l2vpn": L2VPN[::-1]}}, False),
    ],
)
def test_digest_is_of_all_that_would_be_sent_but_secrets(changes: dict[str, Any], same: bool) -> None:
    settings = {"hostname": "web01", "template": "debian-12", "password": "Quite-Secret-1", "licence": "L-1"}
    settings["existing_l2vpn"] = "that of db01"
    elements = {"note": "first", "apiToken": "t-1"}

    def digest(changes: dict[str, Any]) -> str:
        order = order_of(
            "web01",
            {**settings, **changes.get("settings", {})},
            config=replace(CONFIG, **changes.get("service", {})),
            additional_elements={**elements, **changes.get("elements", {})},
            end_user_organization_id=changes.get("organization"),
        )
        order = replace(order, secret_names=frozenset({"licence"}))
        planned = PlacedOrder(RequestedOrder("__self__", "web01"), "planned", order=order)
        return plan_digest([plan_entry(planned, 0, {L2VPN: "db01"})], LEDGER)

    assert (digest(changes) == digest({})) == same


NOW = "2026-11-21T14:01:00Z"
PENDING = Record("b", Outcome("pending"), None, "run", NOW, None, NOW, True, deadline="2026-11-21T14:03:20Z")


def test_what_keeps_a_plan_from_being_approved_is_listed() -> None:
    error = ResellerError("no")
    planned = [
        PlacedOrder(RequestedOrder("__self__", "a"), "planned"),
        PlacedOrder(RequestedOrder("__self__", "b"), "elsewhere", record=PENDING),
        PlacedOrder(RequestedOrder("__self__", "c"), "in_doubt", error=error),
        PlacedOrder(RequestedOrder("__self__", "d"), "differs", error=error),
        PlacedOrder(RequestedOrder("__self__", "e"), "differs"),
    ]
    assert why_not_approvable(planned) == [
        "'b': being placed, or cut off: certain at 14:03:20 UTC. Plan again then.",
        "'c': in doubt. Settle it, or leave it out.",
        "'d': differs from the record. Correct it, set on_drift to warn, or leave it out.",
    ]
    assert why_not_approvable(planned[:1]) == []


def test_what_is_recorded_and_not_requested_is_listed(tmp_path: Path) -> None:
    own = ("https://portal.example.org", "4200", "__self__", "p-1", "VPS M", "vps")
    with opened(tmp_path / "ledger.db") as ledger:
        names = [f"web{number:02}" for number in range(23)]
        claim(ledger, [StoredRequest(name, *own) for name in names])
        record(ledger, "web01", Outcome("ordered", contract_id="c-1"))
        found = not_requested(ledger, CONFIG, ["__self__"], {"web00", "web22"})
    assert (found["count"], len(found["orders"]), found["lines"][-1]) == (21, 20, "... and 1 more")
    assert found["lines"][0].startswith("'web01': VPS M, contract c-1, since 20")
    assert "'web00'" not in str(found["lines"])
