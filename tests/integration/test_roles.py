# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Roles: what they refuse and how they say it, and the L2VPN of a cluster. Molecule orders with each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import in_shape
from tests.support.order_examples import CONTACT
from tests.support.playbooks import Runner, stack, vps

WEB_PRESENCE = {
    "web_presence_domain": "shop.example",
    "web_presence_more_domains": ["shop.example.com"],
    "web_presence_authcodes": {"shop.example.com": "secret-code-1", "example.net": "not-asked-for"},
    "web_presence_product": "Webhosting Start",
    "web_presence_contact": CONTACT,
}
SERVER = {"dedicated_server_product": "Dedicated Server E-2388", "dedicated_server_ip4_count": 1}
SERVER_DEFAULTS = {**SERVER, "dedicated_server_template": "debian-12"}
ONE = {"dedicated_server_servers": [{"hostname": "web01.example.org"}]}
CLUSTER = {
    "dedicated_server_end_user": data.END_USER,
    "dedicated_server_product": "Dedicated Server E-2388",
    "dedicated_server_template": "debian-12",
    "dedicated_server_ip4_count": 1,
    "dedicated_server_servers": [
        {"hostname": "db01.example.org"},
        {"hostname": "db02.example.org", "ip4_subnet_size": 29},
        {"hostname": "db03.example.org"},
    ],
}
INLINE = {"customer_stack_inline": stack("web01.example.org")}
UNDEFINED = "'plan_of_an_earlier_play' is undefined"


def include(role: str, variables: dict[str, Any]) -> dict[str, Any]:
    given = {f"{role}_end_user": data.END_USER, **variables}
    return {"ansible.builtin.include_role": {"name": f"hosting.reseller.{role}"}, "vars": given}


@in_shape("laravel")
def test_web_presence_gives_each_domain_its_own_code(runner: Runner, simulator: Simulator) -> None:
    tasks = [include("web_presence", WEB_PRESENCE), {"ansible.builtin.debug": {"var": "web_presence_results"}}]
    play = runner.run(tasks, simulator.env, ignore_errors=False)
    assert play.status == 0, play.output
    assert "secret-code-1" not in play.output + str(play.results)
    ordered = [order["settings"] or {} for order in simulator.orders()]
    # A domain comes before what is of no use without it. A code makes no domain.
    assert [each.get("domain") for each in ordered] == ["shop.example", "shop.example.com", None]
    assert [each.get("action") for each in ordered] == ["register", "transfer", None]
    assert [each.get("authcode") for each in ordered] == [None, "secret-code-1", None]
    assert [result["changed"] for result in play.results[-1]["web_presence_results"]] == [True] * 3


@pytest.mark.full
@in_shape("laravel")
def test_second_inclusion_tells_nothing_of_the_first(runner: Runner, simulator: Simulator) -> None:
    good = {**SERVER_DEFAULTS, **ONE}
    failing = {
        **good,
        "dedicated_server_servers": [{"hostname": "web02.example.org"}],
        "dedicated_server_max_orders": 0,
    }
    misspelled = {**good, "dedicated_server_server": []}
    shown = "{{ [dedicated_server_results | map(attribute='name') | list, dedicated_server_lines] }}"
    show = {"ansible.builtin.debug": {"msg": shown}}
    tasks = [
        include("dedicated_server", good),
        show,
        *({"block": [include("dedicated_server", each)], "rescue": [show]} for each in (failing, misspelled)),
    ]
    play = runner.run(tasks, simulator.env, ignore_errors=False)
    kept = [result["msg"] for result in play.results if isinstance(result.get("msg"), list)]
    told = [each for each in kept if each and isinstance(each[0], list)]
    assert [each[0] for each in told] == [["web01.example.org"], ["web02.example.org"], []]
    assert told[1][1] == ["'web02.example.org': Dedicated Server E-2388, not sent"]
    assert told[2][1] == []
    assert "Did you mean dedicated_server_servers?" in play.output
    assert len(simulator.orders()) == 1


#: Who fails, with what, and what is said of it: by the module, with the path of its option, or by Ansible.
FAILURES: list[tuple[str, dict[str, Any], str]] = [
    (
        "dedicated_server",
        {**ONE, **SERVER},
        "contracts.dedicated_server[0].template: required",
    ),
    ("dedicated_server", {**SERVER_DEFAULTS, **ONE, "dedicated_server_max_orders": 0}, "but max_orders is 0"),
    (
        "dedicated_server",
        {**CLUSTER, "dedicated_server_l2vpn_id": ""},
        "contracts.dedicated_server[0]: the id of its L2VPN is a UUID",
    ),
    # An approval that is undefined is not left out.
    ("web_presence", {**WEB_PRESENCE, "web_presence_approved_plan": "{{ plan_of_an_earlier_play }}"}, UNDEFINED),
    ("customer_stack", {**INLINE, "customer_stack_approved_plan": "{{ plan_of_an_earlier_play }}"}, UNDEFINED),
]


@in_shape("laravel")
def test_errors_name_the_option_of_the_module_with_its_path(runner: Runner, simulator: Simulator) -> None:
    rescue = [{"ansible.builtin.debug": {"msg": "It failed: {{ ansible_failed_result.msg }}"}}]
    tasks = [{"block": [include(role, given)], "rescue": rescue} for role, given, _expected in FAILURES]
    play = runner.run(tasks, simulator.env, ignore_errors=False)
    told = [str(result["msg"]) for result in play.results if str(result.get("msg")).startswith("It failed:")]
    for message, (_role, _given, expected) in zip(told, FAILURES, strict=True):
        assert expected in message
    assert simulator.orders() == []


def role(hostname: str, **options: Any) -> dict[str, Any]:
    given = {**options, "inline": stack(hostname)}
    variables = {f"customer_stack_{name}": value for name, value in given.items()}
    return {"ansible.builtin.include_role": {"name": "hosting.reseller.customer_stack"}, "vars": variables}


@in_shape("laravel")
def test_bundle_orders_an_approved_plan_and_names_nothing_else(runner: Runner, simulator: Simulator) -> None:
    """What else is recorded for the end user is printed by customer_stack alone."""
    file = str(runner.folder / "plan.json")
    other = vps("other.example.org", end_user=data.END_USER)
    server = include("dedicated_server", {**SERVER_DEFAULTS, **ONE, "dedicated_server_plan_file": file})
    seen = {"ansible.builtin.include_role": {"name": "hosting.reseller.customer_stack"}, "vars": dict(INLINE)}
    seen["vars"]["customer_stack_inline"] = {**stack("other.example.org"), "end_user": data.END_USER}
    assert runner.run(other, simulator.env).result["changed"]
    checked = runner.run([server], simulator.env, "--check", ignore_errors=False)
    digest = json.loads(Path(file).read_text("utf-8"))["plan_digest"]
    refused = runner.run([server], simulator.env)
    assert "approved_plan is missing or empty. Nothing was sent." in refused.output
    server["vars"]["dedicated_server_approved_plan"] = digest
    done = runner.run([server], simulator.env, ignore_errors=False)
    assert (done.status, len(simulator.orders())) == (0, 2), done.output
    told = runner.run([seen], simulator.env, "--check", ignore_errors=False)
    assert ["Not in this file" in play.output for play in (checked, refused, done, told)] == [False] * 3 + [True]


@in_shape("plain")
def test_role_hands_on_how_to_read_back(runner: Runner, simulator: Simulator) -> None:
    there = simulator.add_contract(data.VPS_M, {"hostname": "there.example.org"})
    simulator.arm("answer", status=500, process=True, match={"hostname": "lost1.example.org"})
    tasks = [
        vps("control.example.org", product=data.VPS_M),
        role(hostname="lost1.example.org", read_back=True),
        role(hostname="there.example.org", read_back=True),
    ]
    play = runner.run(tasks, simulator.env)
    assert "'lost1.example.org': VPS M, ordered, contract " in play.output
    assert "the service has a contract like it that the ledger lacks" in play.output
    assert there in play.output
    names = [each["settings"]["hostname"].partition(".")[0] for each in simulator.orders()]
    assert names == ["control", "lost1"]
