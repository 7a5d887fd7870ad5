# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory plugins ledger and contracts, as ansible-inventory lists them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.conftest import SimulatorFactory
from tests.integration.conftest import in_shape
from tests.support.described import end_users, service_file
from tests.support.order_examples import settings
from tests.support.playbooks import Runner, order, vps

CUSTOMER_GROUP = f"reseller_end_user_{data.END_USER.replace('-', '_')}"
SERVER, DOMAIN = settings(data.DEDICATED_SERVER, hostname="db01"), settings(data.DOMAIN, domain="example.org")
ADOPTED = {"name": "adopted", "state": "present", "end_user": "__self__", "product_type": "configurable_vps"}
#: A VPS, a dedicated server, a domain, an order in doubt, and two adopted contracts.
ORDERS = [
    vps("web01"),
    order(end_user=data.END_USER, product="Dedicated Server E-2388", settings=SERVER, name="db"),
    order(end_user=data.END_USER, product_type="domain", settings=DOMAIN),
    vps("doubtful", read_back=False),
    {"hosting.reseller.reseller_record": ADOPTED},
    {"hosting.reseller.reseller_record": {"name": "unknown", "state": "present"}},
]


def inventory(
    runner: Runner, name: str, env: Mapping[str, str], *others: str, **config: Any
) -> tuple[dict[str, Any], str]:
    """What ansible-inventory lists by a file of this name, after ``others``, and what it warns of."""
    plugin = "ledger" if "ledger" in name else "contracts"
    config = {"plugin": f"hosting.reseller.{plugin}", **config}
    (runner.folder / name).write_text(json.dumps(config), encoding="utf-8")
    return runner.inventory(env, *others, "-i", name)


def hosts(listed: Mapping[str, Any], group: str) -> list[str]:
    return sorted(listed.get(group, {}).get("hosts", []))


@in_shape("laravel")
def test_servers_of_the_ledger_are_hosts_in_groups(runner: Runner, simulator: Simulator) -> None:
    simulator.arm("drop_after", match={"hostname": "doubtful"})
    runner.run(ORDERS, simulator.env)
    listed, warnings = inventory(runner, "reseller_ledger.yml", {})
    variables = listed["_meta"]["hostvars"]
    assert sorted(variables) == ["adopted", "db01", "web01"]
    assert hosts(listed, "reseller_type_vps") == ["web01"]
    assert hosts(listed, "reseller_type_dedicated_server") == ["db01"]
    assert hosts(listed, "reseller_type_configurable_vps") == ["adopted"]
    assert hosts(listed, "reseller_end_user___self__") == ["adopted", "web01"]
    assert hosts(listed, CUSTOMER_GROUP) == ["db01"]
    told = {
        "reseller_name": "db",
        "reseller_contract_id": simulator.orders()[1]["id"],
        "reseller_product": data.DEDICATED_FRANKFURT,
        "reseller_product_type": "dedicated_server",
        "reseller_end_user": data.END_USER,
        "reseller_l2vpn_id": simulator.new_l2vpns().pop(),
        "reseller_status": "ordered",
        "reseller_settings": SERVER,
    }
    assert {key: variables["db01"][key] for key in told} == told
    assert variables["db01"]["reseller_ordered_at"].endswith("Z")
    assert "WARNING" not in warnings

    # What a terminal would obey is replaced.
    with sqlite3.connect(runner.ledger) as connection:
        connection.execute("UPDATE hosting_reseller_orders SET reason = ? WHERE name = 'doubtful'", ["Lost\x1b[2J."])
        connection.execute("INSERT INTO hosting_reseller_meta VALUES ('moved_to', '/srv/new.db')")
    chosen = {"product_types": ["vps", "domain"], "statuses": ["ordered", "in_doubt"], "ledger": str(runner.ledger)}
    listed, warnings = inventory(runner, "our.reseller_ledger.yaml", {"RESELLER_LEDGER": ""}, **chosen)
    assert "was moved to /srv/new.db" in warnings
    assert sorted(listed["_meta"]["hostvars"]) == ["doubtful", "example.org", "web01"]
    assert hosts(listed, "reseller_type_domain") == ["example.org"]
    assert listed["_meta"]["hostvars"]["doubtful"]["reseller_reason"] == "Lost\ufffd[2J."


def test_ledger_that_cannot_be_meant_is_an_error_and_is_not_made(runner: Runner, postgresql_dsn: str) -> None:
    # Ansible alone takes no notice of an option that went, or is misspelled.
    for config, told in (
        ({"product_type": ["vps"]}, "product_type: did you mean product_types?"),
        ({"ledger": str(runner.ledger)}, "There is no ledger at"),
        ({"ledger": postgresql_dsn}, "order something first"),
    ):
        listed, warnings = inventory(runner, "reseller_ledger.yml", {"RESELLER_LEDGER": ""}, **config)
        assert listed["_meta"]["hostvars"] == {}
        assert told in warnings
    assert postgresql_dsn.partition("@")[0].rpartition(":")[2] not in warnings
    assert not runner.ledger.parent.exists()


@in_shape("laravel")
def test_servers_have_what_the_service_shows(runner: Runner, simulator: Simulator) -> None:
    runner.run([vps("web01"), vps("db01", end_user=data.END_USER), vps("old01")], simulator.env)
    web, _db, old = simulator.orders()
    simulator.remove_contract(old["id"])
    simulator.add_contract(data.VPS_M, {"hostname": "byhand", "rootPassword": "Tr0ub4dor&3"}, age=9000)
    # What the service calls a network is not searched for addresses. Who knows its records says where they are.
    compose = {"compose": {"ansible_host": "reseller_shown.network.addresses | select('match', '203') | first"}}
    found, said = inventory(runner, "reseller_contracts.yml", simulator.env, **compose)
    hosts = found["_meta"]["hostvars"]
    assert sorted(hosts) == ["db01", "old01", "web01"]
    told = {
        "ansible_host": "203.0.113.2",
        "reseller_presence": "present",
        "reseller_status": "ordered",
    }
    assert {key: hosts["web01"][key] for key in told} == told
    assert hosts["web01"]["reseller_shown"]["uuid"] == web["id"]
    # The list of the own organization does not show the end user's; absence makes no host vanish.
    assert sorted(found["reseller_unseen"]["hosts"]) == ["db01", "old01"]
    assert "WARNING" not in said, said

    # What has no known address has no ansible_host: the name could be that of another server.
    shown = {"compose": {"ansible_host": "reseller_ipv4_addresses | first"}}
    found, said = inventory(runner, "reseller_ledger.yml", simulator.env, **shown)
    assert "ansible_host" not in found["_meta"]["hostvars"]["old01"]
    assert "WARNING" not in said, said

    theirs = end_users({data.END_USER: data.END_USER_ORGANIZATION_ID})
    wider = {"service": service_file(runner.folder, simulator.base_url, end_users=theirs)}
    found, _said = inventory(runner, "reseller_contracts.yml", simulator.env, **wider)
    hosts = found["_meta"]["hostvars"]
    assert hosts["db01"]["reseller_presence"] == "present"
    assert hosts["db01"].keys() == hosts["web01"].keys()
    assert "Tr0ub4dor" not in json.dumps(found)


def test_without_such_an_operation_hosts_are_those_of_the_ledger(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("laravel", no_contracts=True)
    runner.run(vps("web01"), simulator.env)
    found, said = inventory(runner, "reseller_contracts.yml", simulator.env)
    assert sorted(found["_meta"]["hostvars"]) == ["web01"]
    assert "The hosts are those of the ledger alone" in said
