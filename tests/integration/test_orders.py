# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every product type is shown, ordered once and not again, by a user who knows nothing but the document.

What an accident leaves is found: contracts are read back without being asked, and nothing else changes.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import each_shape
from tests.support.described import end_users, service_file
from tests.support.lives import Life
from tests.support.order_examples import CONTACT, CONTACT_DATA, PRODUCTS, SETTINGS, settings
from tests.support.playbooks import Runner, order, vps

# As the catalogue and the document name them. The contact is written as a mapping, and arrives as a string.
ORDERS: dict[str, dict[str, Any]] = {
    data.VPS: {"product": "VPS M"},
    data.CONFIGURABLE_VPS: {"product_type": "configurable_vps"},
    data.DEDICATED_SERVER: {"product": "Dedicated Server E-2388"},
    data.WEBHOSTING: {"product": "Webhosting Start", "name": "customer-1001/homepage"},
    data.DOMAIN: {"product_type": "domain"},
}
NAMES = ["web01.customer.example", "app01.customer.example", "db01.customer.example"]
NAMES += ["customer-1001/homepage", "customer.example"]
TASKS = [
    order(end_user=data.END_USER, settings=settings(product_type), **options)
    for product_type, options in ORDERS.items()
]
TASKS[-1]["hosting.reseller.reseller_contract"]["settings"]["ownercData"] = CONTACT


@each_shape
def test_every_product_type_is_shown_ordered_and_not_ordered_again(runner: Runner, simulator: Simulator) -> None:
    # So that all of these orders are compared with what the service lists.
    users = end_users({data.END_USER: data.END_USER_ORGANIZATION_ID})
    file = service_file(runner.folder, simulator.base_url, end_users=users)
    env = {**simulator.env, "RESELLER_SERVICE": file}

    shown = runner.run(TASKS, env, "--check", "--diff")
    assert shown.changed == [True] * 5, shown.output
    assert not simulator.requests("POST")
    assert [result["order"]["name"] for result in shown.results] == NAMES
    assert {result["order"]["status"] for result in shown.results} == {"planned"}
    for result, (product_type, sent) in zip(shown.results, SETTINGS.items(), strict=True):
        assert result["order"]["product_type"] == product_type
        assert result["request"] == {
            "method": "POST",
            "url": f"{simulator.base_url}/api/reseller/contracts",
            "body": expected_body(simulator, product_type, sent, masked=True),
        }
        assert result["diff"]["before"] == ""
        for setting, value in sent.items():
            # A contact is shown field by field below its setting.
            after = ":\n    " if setting.endswith("Data") else ": "
            assert f"  {setting}{after}" in result["diff"]["after"]
            assert f"{setting}:" in shown.output
            if isinstance(value, int):
                assert f"{setting}: {json.dumps(value)}" in shown.output

    placed = runner.run(TASKS, env)
    assert placed.changed == [True] * 5, placed.output
    assert placed.status == 0
    assert placed.output.count("[WARNING]") == placed.output.count("A new ledger was made") == 1
    orders = simulator.orders()
    assert [found["body"] for found in orders] == [
        expected_body(simulator, product_type, sent) for product_type, sent in SETTINGS.items()
    ]
    assert [result["contract_id"] for result in placed.results] == [found["id"] for found in orders]
    assert {found["organization"] for found in orders} == {data.END_USER_ORGANIZATION_ID}
    new_l2vpns = simulator.new_l2vpns()
    assert len(new_l2vpns) == 1
    # The shape "plain" does not tell the new L2VPN.
    assert placed.results[2]["l2vpn_id"] in ({None} if simulator.shape == "plain" else new_l2vpns)

    asked = len(simulator.requests())
    for arguments in ((), ("--check", "--diff")):
        again = runner.run(TASKS, env, *arguments)
        assert again.changed == [False] * 5, again.output
        assert [result["contract_id"] for result in again.results] == [found["id"] for found in orders]
        assert [result["order"]["status"] for result in again.results] == ["ordered"] * 5
        assert len(simulator.requests()) == asked


def expected_body(
    simulator: Simulator, product_type: str, sent: dict[str, Any], *, masked: bool = False
) -> dict[str, Any]:
    """What the document asks for, with the element names of the shape."""
    elements = {
        simulator.end_user_element: data.END_USER,
        simulator.product_element: PRODUCTS[product_type],
    }
    shown = {name: "********" if masked and name == "password" else value for name, value in sent.items()}
    return {**elements, "settings": shown} if sent else elements


# Read back

LIST = "/api/reseller/contracts"
HOST = "web01.example.org"
WITHOUT_REFERENCE = settings(data.DOMAIN, admincRef=..., admincData=CONTACT_DATA)
DOMAIN = order(end_user=data.SELF, product_type="domain", settings=WITHOUT_REFERENCE)
UNREAD = "[WARNING]: 1 order is not compared with what the service lists."


@each_shape
def test_lost_ledger_buys_nothing_again(runner: Runner, simulator: Simulator, life: Life) -> None:
    env = replace(life, is_told=True).env(simulator, runner.folder)
    tasks = [vps(HOST), DOMAIN]
    for task in tasks:
        task["hosting.reseller.reseller_contract"]["end_user"] = life.end_user
    assert runner.run(tasks, env).changed == [True, True]
    # What this user has seen is lost, too.
    env["XDG_STATE_HOME"], env["RESELLER_LEDGER"] = (
        str(runner.folder / name) for name in ("home", "another/ledger.db")
    )
    for arguments in (("--check",), ()):
        for result in runner.table(tasks, env, *arguments):
            assert "the service has a contract like it that the ledger lacks" in result["msg"]
            assert result["failure"]["kind"] == "duplicate"
    assert len(simulator.orders()) == len(simulator.requests("POST")) == 2


def test_orders_go_where_the_list_cannot_be_read(runner: Runner, simulator: Simulator) -> None:
    for number in range(25):
        simulator.add_contract(data.VPS_M, {"hostname": f"other{number}.example.org"}, age=86400.0)
    simulator.arm("answer", method="GET", on=f"{LIST}?page=2", times=-1, status=500)
    play = runner.run([vps(HOST), vps("web02.example.org")], simulator.env, "-v")
    assert play.changed == [True, True], play.output
    assert all(result["read_back"]["read"] is False and result["read_back"]["why"] for result in play.results)
    # Said once in a run; and -v shows why.
    assert play.output.count(UNREAD) == 1
    assert '"why": "' in play.output
    # Nothing of it is kept for the second task of the run, which tries again as often.
    methods = [request.method for request in simulator.requests() if request.path == LIST]
    first = methods.index("POST")
    assert methods[first + 1 :] == methods[: first + 1], methods
    another = runner.run(vps("web03.example.org"), simulator.env)
    assert (another.changed, UNREAD in another.output) == ([True], True), another.output
