# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger: the whole ledger, and the address of the service in it."""

from __future__ import annotations

from playbooks.files.simulator import data
from tests.unit.plugins.module_utils._tasks.conftest import CONTRACT, FOR_OWN, SERVICE, Desk, Ran, request

pytestmark = FOR_OWN


def test_ledger_is_not_moved_to_the_address_of_a_service(desk: Desk) -> None:
    for options, words in (
        ({"to": "https://portal.example.com"}, "Did you mean state: readdressed?"),
        ({"to": "/srv/new.db", "from": "https://portal.example.com"}, "from is for state: readdressed, not for moved."),
    ):
        result = desk.run("reseller_ledger", state="moved", **options)
        assert (words in result.msg, result["changed"]) == (True, False)


def test_service_that_moved_keeps_its_orders(desk: Desk) -> None:
    desk.leave_ordered("web01")
    desk.leave_in_doubt(request("other", service="https://other.example"))
    url = desk.service.base_url
    wanted = {"end_user": data.END_USER, "product": data.VPS_M, "on_drift": "warn"}
    wanted["settings"] = request("web01").settings

    def move(old: str, new: str = url, *, check: bool = False) -> Ran:
        return desk.run("reseller_ledger", check, **{"state": "readdressed", "from": old, "to": new})

    assert f"base_url: recorded '{SERVICE}'" in desk.buy(**wanted).msg
    old = SERVICE.upper() + ":443/"
    for moved in (move(old, check=True), move(old)):
        assert (moved["changed"], moved["readdressed"]) == (True, 1)
        assert (f"{SERVICE}: 1" in moved["diff"]["before"], f"{url}: 1" in moved["diff"]["after"]) == (True, True)
    assert not move(old)["changed"]
    assert desk.buy(**wanted)["contract_id"] == CONTRACT
    unknown = move("https://nowhere.example", "https://new.example").msg
    assert "No order is recorded for the service https://nowhere.example. Nothing was changed." in unknown
    assert "https://other.example (1)" in unknown
    assert "from and to are the same address" in move(url, url + "/").msg
