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
from tests.support.described import end_users, house, service_file
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
    assert warnings.count("WARNING") == 1
    assert "3 of 3 hosts have no address" in warnings

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
    compose = {"compose": {"ansible_host": "reseller_ipv4_addresses | first"}}
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
    # What is composed is an address as any other.
    assert found["reseller_without_address"]["hosts"] == ["db01", "old01"]
    assert "reseller_why" not in hosts["web01"]
    assert "2 of 3 hosts have no address" in said

    theirs = end_users({data.END_USER: data.END_USER_ORGANIZATION_ID})
    wider = {"service": service_file(runner.folder, simulator.base_url, end_users=theirs)}
    found, _said = inventory(runner, "reseller_contracts.yml", simulator.env, **wider)
    hosts = found["_meta"]["hostvars"]
    assert hosts["db01"]["reseller_presence"] == "present"
    assert hosts["db01"].keys() == hosts["web01"].keys()
    assert "Tr0ub4dor" not in json.dumps(found)


@in_shape("house")
def test_described_address_becomes_that_of_the_host_and_ends_with_its_contract(
    runner: Runner, simulator: Simulator
) -> None:
    env = {**simulator.env, "RESELLER_SERVICE": service_file(runner.folder, simulator.base_url, **house())}

    def listed(kind: str) -> tuple[dict[str, Any], str]:
        """The variables of the host, and whether it is in the group of those without an address, and why."""
        found, said = inventory(runner, f"reseller_{kind}.yml", env)
        host = found["_meta"]["hostvars"]["web01.example.org"]
        is_without = hosts(found, "reseller_without_address") == ["web01.example.org"]
        assert is_without == ("ansible_host" not in host) == ("reseller_why" in host)
        assert is_without == ("1 of 1 hosts have no address, so that Ansible would connect to their names" in said)
        return host, host.get("reseller_why", "")

    simulator.behave(ready_reads=1000)
    server = vps("web01.example.org", end_user="shop")
    cancel = {
        "hosting.reseller.reseller_contract": {"state": "absent", "name": "web01.example.org", "end_user": "shop"}
    }
    assert runner.run(server, env).changed == [True]
    assert listed("contracts")[1] == "The service does not show its address yet."
    assert "The ledger has no address of it." in listed("ledger")[1]

    # Ready: the service's inventory shows it, and the ledger's once a task has looked.
    simulator.behave()
    assert listed("contracts")[0]["ansible_host"] == "203.0.113.2"
    assert "The ledger has no address of it." in listed("ledger")[1]
    shown = runner.run({"hosting.reseller.reseller_contract_info": {"end_user": "shop"}}, env)
    assert [each["address"] for each in shown.result["contracts"]] == ["203.0.113.2"]
    host, _why = listed("ledger")
    assert (host["ansible_host"], host["reseller_address"]) == ("203.0.113.2", "203.0.113.2")
    assert (host["reseller_end_user"], host["reseller_end_user_name"]) == (data.END_USER, "shop")

    # Canceled to a day that lies ahead, it is still there, and the ledger alone does not know for how long.
    simulator.behave(cancel_until="2099-12-31")
    assert runner.run(cancel, env).changed == [True], runner
    assert listed("contracts")[0]["ansible_host"] == "203.0.113.2"
    assert "It was canceled at" in listed("ledger")[1]
    simulator.remove_contract(simulator.orders()[0]["id"])
    assert "The service's lists do not show its contract. It was canceled at" in listed("contracts")[1]


def test_address_that_the_file_does_not_give_is_told(runner: Runner, simulator: Simulator) -> None:
    assert runner.run(vps(), simulator.env).changed == [True]
    for kind in ("contracts", "ledger"):
        found, said = inventory(runner, f"reseller_{kind}.yml", simulator.env)
        why = "contracts.address is not given in the service's file."
        assert found["_meta"]["hostvars"]["web01.example.org"]["reseller_why"] == why
        assert said.count("WARNING") == 1
        assert why in said


def test_without_such_an_operation_hosts_are_those_of_the_ledger(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("laravel", no_contracts=True)
    runner.run(vps("web01"), simulator.env)
    found, said = inventory(runner, "reseller_contracts.yml", simulator.env)
    assert sorted(found["_meta"]["hostvars"]) == ["web01"]
    assert "The hosts are those of the ledger alone" in said
