# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every role against every shape: a dry run from nothing, the orders, and a second run that changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.support import playbooks
from tests.support.playbooks import Play

CONTACT = {
    "label": "customer-4711",
    "first_name": "Erika",
    "last_name": "Mustermann",
    "company_name": "",
    "street": "Heidestr. 17",
    "postal_code": "51147",
    "city": "Köln",
    "country": "DE",
    "telephone": "+49.2211234567",
    "email": "erika@example.org",
}
PASSWORD = "correct-horse-battery"
CONFIGURED = {"template_name": "debian-12", "username": "admin", "password": PASSWORD}

#: What each role is given, and how many contracts that makes.
ROLES: dict[str, tuple[dict[str, Any], int]] = {
    "vps": (
        {
            "vps_product": "VPS M",
            "vps_template": "debian-12",
            "vps_contracts": [{"hostname": "web01.example.org"}, {"hostname": "web02.example.org", "product": "VPS S"}],
        },
        2,
    ),
    "configurable_vps": (
        {
            "configurable_vps_10g_upgrade": True,
            "configurable_vps_contracts": [
                {"hostname": "build01.example.org", "10g_upgrade": False, **CONFIGURED},
                {"hostname": "build02.example.org", "ram": 2048, **CONFIGURED},
            ],
        },
        2,
    ),
    "webhosting": ({"webhosting_product": "Webhosting Start", "webhosting_name": "customer-4711/homepage"}, 1),
    "domain": (
        {
            "domain_contacts": {"erika": CONTACT},
            "domain_contact": "erika",
            "domain_contracts": [{"domain": "example.org"}, {"domain": "example.com", "ownercRef": data.OWNER_CONTACT}],
        },
        2,
    ),
    "dedicated_server": (
        {
            "dedicated_server_product": "Dedicated Server E-2388",
            "dedicated_server_template": "debian-12",
            "dedicated_server_hostname": "db01.example.org",
            "dedicated_server_ip4_count": 2,
        },
        1,
    ),
    "web_presence": (
        {
            "web_presence_domain": "shop.example",
            "web_presence_more_domains": ["shop.example.com"],
            "web_presence_authcodes": {"shop.example.com": "secret-code-1", "example.net": "not-asked-for"},
            "web_presence_product": "Webhosting Start",
            "web_presence_contact": CONTACT,
            "web_presence_action": "transfer",
        },
        3,
    ),
}
CLUSTER = {
    "dedicated_cluster_end_user": data.END_USER,
    "dedicated_cluster_product": "Dedicated Server E-2388",
    "dedicated_cluster_template": "debian-12",
    "dedicated_cluster_ip4_count": 1,
    "dedicated_cluster_servers": [
        {"hostname": "db01.example.org"},
        {"hostname": "db02.example.org", "ip4_subnet_size": 29},
        {"hostname": "db03.example.org"},
    ],
}


def play_role(folder: Path, simulator: Simulator, role: str, variables: dict[str, Any], *arguments: str) -> Play:
    """Run a role, and show what it returned."""
    tasks = [
        {"ansible.builtin.include_role": {"name": f"hosting.reseller.{role}"}, "vars": variables},
        {"ansible.builtin.debug": {"var": f"{role}_results"}},
        {"ansible.builtin.debug": {"var": f"{role}_l2vpn_id"}},
    ]
    return playbooks.run(folder, tasks, simulator.env, *arguments, ignore_errors=False)


def returned(play: Play, variable: str) -> Any:
    """What a debug task showed of a variable."""
    return next(result[variable] for result in play.results if variable in result)


def summary(play: Play) -> tuple[int, bool]:
    """The exit status, and whether anything changed."""
    assert "Traceback" not in play.output, play.output
    return play.status, any(play.changed)


def play_all(folder: Path, simulator: Simulator, *arguments: str) -> Play:
    """Run all roles of ROLES in one play."""
    tasks: list[dict[str, Any]] = []
    for role, (variables, _count) in ROLES.items():
        given = {**variables, f"{role}_end_user": data.END_USER}
        tasks += [
            {"ansible.builtin.include_role": {"name": f"hosting.reseller.{role}"}, "vars": given},
            {"ansible.builtin.debug": {"var": f"{role}_results"}},
        ]
    tasks.append({"ansible.builtin.debug": {"var": "dedicated_server_l2vpn_id"}})
    return playbooks.run(folder, tasks, simulator.env, *arguments, ignore_errors=False)


# Molecule's scenarios do that, too, role by role.
@pytest.mark.full
def test_roles_converge_once(simulator: Simulator, tmp_path: Path) -> None:
    before = {l2vpn["id"] for l2vpn in simulator.l2vpns()}
    dry = play_all(tmp_path, simulator, "--check", "--diff")
    assert summary(dry) == (0, True), dry.output
    assert simulator.orders() == []

    real = play_all(tmp_path, simulator)
    assert summary(real) == (0, True), real.output
    for role, (_variables, count) in ROLES.items():
        for play in (dry, real):
            assert [result["changed"] for result in returned(play, f"{role}_results")] == [True] * count, role
    ordered = simulator.orders()
    assert len(ordered) == sum(count for _variables, count in ROLES.values())
    assert {order["end_user"] for order in ordered} == {data.END_USER}

    again = play_all(tmp_path, simulator)
    assert summary(again) == (0, False), again.output
    assert simulator.orders() == ordered

    for play in (dry, real, again):
        for secret in (PASSWORD, "secret-code-1"):
            assert secret not in play.output
            assert secret not in str(play.results)

    given = [order["settings"] or {} for order in ordered]
    settings = {each.get("hostname") or each.get("domain"): each for each in given}
    # A contract's own settings win over those of the role.
    first, second = settings["build01.example.org"], settings["build02.example.org"]
    assert (first["10g_upgrade"], second["10g_upgrade"]) == (False, True)
    assert (first["ram"], second["ram"]) == (1024, 2048)
    assert first["password"] == PASSWORD
    # An auth code goes to its own domain, and makes no domain.
    assert "authcode" not in settings["shop.example"]
    assert settings["shop.example.com"]["authcode"] == "secret-code-1"
    assert settings["example.com"]["ownercRef"] == data.OWNER_CONTACT

    created = {l2vpn["id"] for l2vpn in simulator.l2vpns()} - before
    assert len(created) == 1
    told = returned(real, "dedicated_server_l2vpn_id")
    if simulator.shape == "plain":
        # Before ansible-core 2.19, a template that gives null is an empty text.
        assert told in (None, "")
    else:
        assert told == created.pop()


def test_a_dedicated_server_takes_an_existing_l2vpn(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    simulator = start_simulator("plain")
    before = simulator.l2vpns()
    variables = {
        **ROLES["dedicated_server"][0],
        "dedicated_server_end_user": data.END_USER,
        "dedicated_server_existing_l2vpn": data.L2VPN,
    }
    assert play_role(tmp_path, simulator, "dedicated_server", variables).status == 0
    assert simulator.orders()[0]["settings"]["existing_l2vpn"] == data.L2VPN
    assert simulator.l2vpns() == before


def joined(simulator: Simulator) -> dict[str, str | None]:
    """Which L2VPN each ordered server was told to join, by host name."""
    orders = [order["settings"] for order in simulator.orders()]
    return {settings["hostname"].partition(".")[0]: settings.get("existing_l2vpn") for settings in orders}


@pytest.mark.full
def test_a_cluster_shares_one_new_l2vpn(simulator: Simulator, tmp_path: Path) -> None:
    before = {l2vpn["id"] for l2vpn in simulator.l2vpns()}
    dry = play_role(tmp_path, simulator, "dedicated_cluster", CLUSTER, "--check")
    assert summary(dry) == (0, True), dry.output
    assert "db02.example.org joins the L2VPN of db01.example.org" in dry.output
    assert simulator.orders() == []

    first = play_role(tmp_path, simulator, "dedicated_cluster", CLUSTER)
    created = {l2vpn["id"] for l2vpn in simulator.l2vpns()} - before
    assert len(created) == 1
    l2vpn = created.pop()
    given = CLUSTER
    if simulator.shape == "plain":
        assert first.status != 0
        assert "dedicated_cluster_l2vpn_id" in first.output
        assert joined(simulator) == {"db01": None}
        still = play_role(tmp_path, simulator, "dedicated_cluster", CLUSTER)
        assert still.status != 0
        assert joined(simulator) == {"db01": None}
        given = {**CLUSTER, "dedicated_cluster_l2vpn_id": l2vpn}
        first = play_role(tmp_path, simulator, "dedicated_cluster", given)
    assert summary(first) == (0, True), first.output
    assert joined(simulator) == {"db01": None, "db02": l2vpn, "db03": l2vpn}
    assert returned(first, "dedicated_cluster_l2vpn_id") == l2vpn
    assert len(returned(first, "dedicated_cluster_results")) == 3

    # With the variable or without: the ledger knows which L2VPN was joined.
    for variables in (given, CLUSTER):
        again = play_role(tmp_path, simulator, "dedicated_cluster", variables)
        assert summary(again) == (0, False), again.output
    assert len(simulator.orders()) == 3


def test_a_cluster_is_checked_as_a_whole_before_the_first_order(
    start_simulator: SimulatorFactory, tmp_path: Path
) -> None:
    simulator = start_simulator("apiplatform")
    wrong = [*CLUSTER["dedicated_cluster_servers"][:2], {"hostname": "db03.example.org", "template": "debian-99"}]
    play = play_role(tmp_path, simulator, "dedicated_cluster", {**CLUSTER, "dedicated_cluster_servers": wrong})
    assert play.status != 0
    assert "contracts.dedicated_server[2].template" in play.output
    assert simulator.orders() == []

    limited = play_role(tmp_path, simulator, "dedicated_cluster", {**CLUSTER, "dedicated_cluster_max_orders": 2})
    assert limited.status != 0
    assert "max_orders allows 2" in limited.output
    assert simulator.orders() == []


def test_a_variable_that_is_missing_is_named(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    play = play_role(tmp_path, start_simulator("plain"), "vps", {"vps_contracts": []})
    assert play.status != 0
    assert "vps_end_user" in play.output
