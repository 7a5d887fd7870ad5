# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Nameservers in a real playbook, against a real DNS server: reseller_nameservers_info, and a stack's domains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.examples import SETTINGS
from tests.simulator.fixtures import SimulatorFactory
from tests.support.dns_server import REFUSED, DnsServer, hosts, truncated, zone

DOMAIN = "example.org"
GOOD, OTHER, REFUSING = "ns1.example.net", "ns2.example.net", "ns3.example.net"


@pytest.fixture(scope="module")
def server() -> Iterator[DnsServer]:
    """GOOD and OTHER serve the zone with both their names, GOOD by TCP only; REFUSING does not."""
    good = zone(DOMAIN, GOOD, OTHER)
    scripts = {
        "127.0.0.53": hosts({GOOD: ["127.0.0.2"], OTHER: ["127.0.0.3"], REFUSING: ["127.0.0.4"]}),
        "127.0.0.2": truncated(good),
        "127.0.0.3": good,
        "127.0.0.4": REFUSED,
    }
    with DnsServer(scripts) as running:
        yield running


def task(server: DnsServer, **options: Any) -> dict[str, Any]:
    resolvers = [server.place("127.0.0.53")]
    common = {"domain": DOMAIN, "nameserver_resolvers": resolvers, "port": server.port, "dns_timeout": 20}
    return {"hosting.reseller.reseller_nameservers_info": {**common, **options}}


def stack(server: DnsServer, *nameservers: str) -> dict[str, Any]:
    told = {**SETTINGS[data.DOMAIN], "domain": DOMAIN, "nameservers": list(nameservers)}
    options = {"stack": {"end_user": data.END_USER, "contracts": {"domain": [told]}}, "on_problems": "report"}
    return {"hosting.reseller.reseller_stack_info": {**options, "nameserver_resolvers": [server.place("127.0.0.53")]}}


def test_nameservers_that_are_not_ready_are_reported(
    server: DnsServer, runner: Runner, start_simulator: SimulatorFactory
) -> None:
    tasks = [
        task(server, nameservers=f"{OTHER.upper()} {GOOD}."),
        task(server, nameservers=[GOOD, REFUSING, "ns4.example.net"]),
        stack(server, "ns4.example.net", "ns5.example.net"),
    ]
    good, bad, bad_stack = runner.table(tasks, start_simulator("apiplatform").env, "--check")
    assert (good["ok"], good["changed"], good["problems"]) == (True, False, [])
    assert [each["name"] for each in good["servers"]] == [OTHER, GOOD]

    assert (bad["ok"], "failed" in bad) == (False, False)
    assert [each["status"] for each in bad["servers"]] == ["other_set", "refused", "unresolvable"]
    assert bad["servers"][0]["missing"] == [REFUSING, "ns4.example.net"]
    assert bad["servers"][0]["unexpected"] == [OTHER]
    (address,) = bad["servers"][1]["addresses"]
    refused = "refused the NS query of example.org (REFUSED)"
    assert address == {"address": "127.0.0.4", "status": "refused", "nameservers": [], "message": refused}
    assert [each.split(" ")[0] for each in bad["problems"]] == [GOOD, REFUSING, "ns4.example.net"]

    assert {problem["path"] for problem in bad_stack["problems"]} == {"contracts.domain[0].nameservers"}
    assert "ns4.example.net, ns5.example.net: does not exist (NXDOMAIN)" in bad_stack["problems"][0]["message"]
