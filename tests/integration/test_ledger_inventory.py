# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory plugin ledger, with real ansible-inventory and ansible-playbook processes and real ledgers."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome, Request
from tests.support import playbooks
from tests.support.ledgers import claim, record
from tests.unit.plugins.module_utils._ledger.runs import settle

CUSTOMER = "3F0C7D3E-8a54-4a0e-9f5e-2f6a3a1f9b11"
CUSTOMER_GROUP = "reseller_end_user_3f0c7d3e_8a54_4a0e_9f5e_2f6a3a1f9b11"
ORDERED = Outcome("ordered", contract_id="c-1", contract={"id": "c-1"}, l2vpn_id="l-1")


def request(name: str, product_type: str = "vps", end_user: str = "__self__", **settings: Any) -> Request:
    return Request(
        name=name,
        service="https://portal.example.com",
        organization_id="4200",
        end_user=end_user,
        product="6f1b8c1e-1111-4222-8333-944445555666",
        product_name="VPS M",
        product_type=product_type,
        settings=settings,
    )


def fill(address: str) -> None:
    """A VPS, a dedicated server, a domain, an order in doubt, and two adopted contracts."""
    with open_ledger(location_of(address, os.environ), writing=True) as ledger:
        placed = [
            request("web", hostname="web01.example.com", template="debian-12"),
            request("db", "dedicated_server", CUSTOMER, hostname="db01.example.com", template="ubuntu-24.04"),
            request("example.org", "domain", CUSTOMER, domain="example.org"),
            request("doubtful", hostname="doubtful.example.com"),
        ]
        claim(ledger, placed)
        for each in placed[:3]:
            record(ledger, each.name, ORDERED)
        record(ledger, "doubtful", Outcome("in_doubt", reason="The connection was lost\x1b[2J\u202e."))
        settle(ledger, "adopted", Outcome("ordered"), request("adopted", "configurable_vps"))
        settle(ledger, "unknown", Outcome("ordered"), None)


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    """The address of a ledger with orders."""
    address = str(tmp_path / "orders.db")
    fill(address)
    return address


def inventory(
    folder: Path, config: Mapping[str, Any], env: Mapping[str, str] | None = None, name: str = "reseller_ledger.yml"
) -> tuple[dict[str, Any], str]:
    """What ansible-inventory lists, and what it warns of."""
    (folder / name).write_text(json.dumps({"plugin": "hosting.reseller.ledger", **config}), encoding="utf-8")
    return playbooks.inventory(folder, {"RESELLER_LEDGER": "", **(env or {})}, "-i", name)


def hosts(listed: Mapping[str, Any], group: str) -> list[str]:
    return sorted(listed.get(group, {}).get("hosts", []))


def test_ordered_servers_are_hosts_in_groups(ledger: str, tmp_path: Path) -> None:
    listed, warnings = inventory(tmp_path, {"ledger": ledger})
    variables = listed["_meta"]["hostvars"]
    assert sorted(variables) == ["adopted", "db01.example.com", "web01.example.com"]
    assert hosts(listed, "reseller_type_vps") == ["web01.example.com"]
    assert hosts(listed, "reseller_type_dedicated_server") == ["db01.example.com"]
    assert hosts(listed, "reseller_type_configurable_vps") == ["adopted"]
    assert hosts(listed, "reseller_end_user___self__") == ["adopted", "web01.example.com"]
    assert hosts(listed, CUSTOMER_GROUP) == ["db01.example.com"]
    told = {
        "reseller_name": "db",
        "reseller_contract_id": "c-1",
        "reseller_product": "6f1b8c1e-1111-4222-8333-944445555666",
        "reseller_product_type": "dedicated_server",
        "reseller_end_user": CUSTOMER,
        "reseller_l2vpn_id": "l-1",
        "reseller_status": "ordered",
        "reseller_settings": {"hostname": "db01.example.com", "template": "ubuntu-24.04"},
    }
    assert {key: variables["db01.example.com"][key] for key in told} == told
    assert variables["db01.example.com"]["reseller_ordered_at"].endswith("Z")
    assert "WARNING" not in warnings


def test_types_and_statuses_can_be_chosen(ledger: str, tmp_path: Path) -> None:
    config = {"product_types": ["vps", "domain"], "statuses": ["ordered", "in_doubt"]}
    listed, _warnings = inventory(tmp_path, config, {"RESELLER_LEDGER": ledger}, name="our.reseller_ledger.yaml")
    assert sorted(listed["_meta"]["hostvars"]) == ["doubtful.example.com", "example.org", "web01.example.com"]
    assert hosts(listed, "reseller_type_domain") == ["example.org"]
    # What a terminal would obey is replaced.
    reason = listed["_meta"]["hostvars"]["doubtful.example.com"]["reseller_reason"]
    assert reason == "The connection was lost\ufffd[2J\ufffd."


def test_ledger_that_cannot_be_meant_is_an_error_and_is_not_made(tmp_path: Path, postgresql_dsn: str) -> None:
    # Ansible alone takes no notice of an option that went.
    for config, told in (
        ({"ledger": "orders.db"}, "The path of the ledger is relative: orders.db."),
        ({"read_retries": 0}, "read_retries: this option is gone. Remove it: a read is tried three more times."),
    ):
        _listed, warnings = inventory(tmp_path, config)
        assert told in warnings
    for address in (str(tmp_path / "nowhere" / "orders.db"), postgresql_dsn):
        listed, warnings = inventory(tmp_path, {"ledger": address})
        assert listed["_meta"]["hostvars"] == {}
        assert "There is no ledger at" in warnings
        assert "order something first" in warnings
    assert not (tmp_path / "nowhere").exists()
    assert not (tmp_path / "orders.db").exists()
    password = postgresql_dsn.partition("@")[0].rpartition(":")[2]
    assert password not in warnings
