# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_nameservers_info in real playbooks, against a real DNS server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.simulator import data
from tests.simulator.examples import SETTINGS
from tests.simulator.fixtures import SimulatorFactory
from tests.support import playbooks
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
    common = {"domain": DOMAIN, "resolvers": [server.place("127.0.0.53")], "port": server.port, "dns_timeout": 20}
    return {"hosting.reseller.reseller_nameservers_info": {**common, **options}}


def test_it_reports_and_does_not_fail(server: DnsServer, tmp_path: Path) -> None:
    tasks = [
        task(server, nameservers=[GOOD, OTHER]),
        task(server, nameservers=f"{OTHER.upper()} {GOOD}."),
        {**task(server, nameservers=[GOOD, OTHER]), "check_mode": True},
        task(server, nameservers=[GOOD, REFUSING, "ns4.example.net"]),
    ]
    play = playbooks.run(tmp_path, tasks, {})
    assert play.status == 0, play.output
    listed, text, dry, bad = play.results
    for good in (listed, text, dry):
        assert (good["ok"], good["changed"], good["problems"]) == (True, False, [])
    assert [each["name"] for each in text["servers"]] == [OTHER, GOOD]

    assert bad["ok"] is False
    assert [each["status"] for each in bad["servers"]] == ["other_set", "refused", "unresolvable"]
    assert bad["servers"][0]["missing"] == [REFUSING, "ns4.example.net"]
    assert bad["servers"][0]["unexpected"] == [OTHER]
    assert bad["servers"][1]["addresses"] == [
        {
            "address": "127.0.0.4",
            "status": "refused",
            "nameservers": [],
            "message": "refused the NS query of example.org (REFUSED)",
        }
    ]
    assert [each.split(" ")[0] for each in bad["problems"][:2]] == [GOOD, REFUSING]
    assert bad["problems"][2].startswith(
        "ns4.example.net does not exist (NXDOMAIN) according to the resolvers named in this"
    )


def test_a_stack_tells_which_nameservers_are_not_ready(
    server: DnsServer, tmp_path: Path, start_simulator: SimulatorFactory
) -> None:
    def stack(*nameservers: str) -> dict[str, Any]:
        told = {**SETTINGS[data.DOMAIN], "domain": DOMAIN, "nameservers": list(nameservers)}
        options = {"stack": {"end_user": data.END_USER, "contracts": {"domain": [told]}}, "on_problems": "report"}
        asked = {"nameserver_resolvers": [server.place("127.0.0.53")], "nameserver_port": server.port}
        return {"hosting.reseller.reseller_stack_info": {**options, **asked}}

    simulator = start_simulator("apiplatform")
    bad, good = playbooks.run(tmp_path, [stack(GOOD, REFUSING), stack(GOOD, OTHER)], simulator.env).results
    assert [problem["path"] for problem in bad["problems"]] == ["contracts.domain[0].nameservers"] * 2
    assert "refused the NS query of example.org" in bad["problems"][1]["message"]
    assert good["problems"] == []
    assert good["plan"][0]["action"] == "order"
