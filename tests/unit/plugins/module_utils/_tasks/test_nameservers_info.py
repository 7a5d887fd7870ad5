# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_nameservers_info, and the nameservers of a stack's domain, against a DNS server on loopback."""

from __future__ import annotations

from playbooks.files.simulator import data
from tests.support.dns_server import REFUSED, DnsServer, hosts, zone
from tests.support.order_examples import SETTINGS
from tests.unit.plugins.module_utils._tasks.conftest import Bench

GOOD, OTHER, REFUSING, UNKNOWN = (f"ns{number}.example.net" for number in range(1, 5))
RESOLVER, SERVING, DENYING = "127.0.0.53", "127.0.0.2", "127.0.0.4"
SCRIPTS = {
    RESOLVER: hosts({GOOD: [SERVING], OTHER: [SERVING], REFUSING: [DENYING]}),
    SERVING: zone("example.org", GOOD, OTHER),
    DENYING: REFUSED,
}


def test_nameservers_that_are_not_ready_are_told(bench: Bench) -> None:
    with DnsServer(SCRIPTS) as server:
        resolvers = [server.place(RESOLVER)]
        asked = {"domain": " example.org", "port": server.port, "dns_timeout": 20, "resolvers": resolvers}
        good, bad, wrong, empty = (
            bench.run("reseller_nameservers_info", nameservers=names, **asked)
            for names in ([f"{OTHER.upper()} {GOOD}."], [GOOD, REFUSING, UNKNOWN], ["-"], [])
        )
        domain = {**SETTINGS[data.DOMAIN], "domain": "example.org", "nameservers": [UNKNOWN, "ns5.example.net"]}
        stack = {"end_user": data.END_USER, "contracts": {"domain": [domain]}}
        described = bench.described(nameserver_resolvers=resolvers)
        planned = bench.run("reseller_stack", True, stack=stack, service=described)
    assert (good["ok"], good["changed"], good["problems"]) == (True, False, [])
    assert [each["name"] for each in good["servers"]] == [OTHER, GOOD]
    assert (bad["ok"], bad.failed) == (False, False)
    assert [each["ok"] for each in bad["servers"]] == [False] * 3
    (address,) = bad["servers"][1]["addresses"]
    assert address["message"].startswith("refused the NS query of example.org (REFUSED). ")
    assert (address["address"], address["ok"], address["nameservers"]) == (DENYING, False, [])
    assert [each.split(" ")[0] for each in bad["problems"]] == [GOOD, REFUSING, UNKNOWN]
    assert [each["path"] for each in wrong["violations"]] == ["nameservers"]
    assert "nameservers is empty" in empty.msg
    assert {problem["path"] for problem in planned["problems"]} == {"contracts.domain[0].nameservers"}
    assert f"{UNKNOWN} could not be looked up" in planned["problems"][0]["message"]
