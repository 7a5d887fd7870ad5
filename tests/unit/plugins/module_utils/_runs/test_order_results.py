# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of a task that orders: its keys, its diff, and errors that say how to go on."""

from __future__ import annotations

import pytest
import yaml

from tests.support.order_examples import CONTACT
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, VPS, Bench

pytestmark = FOR_OWN

WEB = "web01.example.org"
ORDER = {"name": WEB, "product": VPS, "product_name": "VPS M", "product_type": "vps", "end_user": "__self__"}
NOT_YET = ("end_user_name", "contract_id", "ordered_at", "certain_at", "since")
SERVER = {"end_user": "__self__", "product": VPS, "settings": {"hostname": WEB, "template": "debian-12"}}


def test_order_to_place_and_one_that_is_recorded(bench: Bench) -> None:
    planned = bench.run("reseller_contract", True, **SERVER, additional_elements={"note": "x"})
    assert (planned["changed"], planned["contract_id"]) == (True, None)
    assert planned["order"] == {**ORDER, "status": "planned", **dict.fromkeys(NOT_YET)}
    assert planned["request"]["body"]["note"] == "x"
    assert [planned[name] for name in ("contract", "contract_when_ordered", "presence")] == [None] * 3
    assert planned["diff"]["before"] == ""
    shown = {**ORDER, "settings": SERVER["settings"], "additional_elements": {"note": "x"}}
    assert yaml.safe_load(planned["diff"]["after"]).items() >= shown.items()
    made = bench.order(WEB)["contract_id"]
    changed = {"hostname": WEB, "template": "debian-13"}
    again = bench.run("reseller_contract", True, **{**SERVER, "settings": changed, "on_drift": "warn"})
    assert (again["changed"], again["contract_id"], again["order"]["status"]) == (False, made, "ordered")
    assert again["differences"] == [{"path": "settings.template", "recorded": "debian-12", "requested": "debian-13"}]
    assert again["diff"]["before"] == again["diff"]["after"]
    assert yaml.safe_load(again["diff"]["before"]) == {**ORDER, "contract_id": made}


def test_element_that_no_request_was_made_for_is_shown_as_unknown(bench: Bench) -> None:
    described = bench.described(order={"end_user": "endUser"})
    options = {"validation": "specification", "product_type": "vps", "service": described}
    shown = bench.run("reseller_contract", True, **SERVER, **options)["request"]
    assert shown["url"] == f"{bench.service.base_url}/api/reseller/contracts"
    assert list(shown["body"])[:2] == ["endUser", "(product element: not yet known)"]


def test_diff_shows_one_contact_once_and_by_its_fields(bench: Bench) -> None:
    domain = {"domain": "example.org", "action": "register", "ownercData": CONTACT, "admincData": dict(CONTACT)}
    options = {"end_user": "__self__", "product_type": "domain", "settings": domain, "verify_nameservers": False}
    ran = bench.run("reseller_contract", True, **options)
    shown = yaml.safe_load(ran["diff"]["after"])["settings"]
    assert shown["ownercData"] == CONTACT
    assert shown["admincData"] == "the same as ownercData"


@pytest.mark.parametrize(
    ("recorded", "requested", "offered"),
    [
        ("https://old.example", "https://new.example", True),
        ("http://127.0.0.1:8080", "https://new.example", False),
        ("https://old.example", "http://localhost:8080", False),
        ("http://localhost:1", "http://127.0.0.1:1", True),
    ],
)
def test_moving_is_offered_but_for_a_trial_on_this_machine(
    bench: Bench, recorded: str, requested: str, offered: bool
) -> None:
    known = {"organization_id": "4200", **SERVER}
    bench.adopt(WEB, contract_id="c-1", base_url=recorded, product_type="vps", **known)
    refused = bench.order(WEB, base_url=requested)
    assert f"recorded for {recorded}, and this is {requested}. A service for tests needs a ledger of" in refused.msg
    line = f"hosting.reseller.reseller_ledger -a 'state=readdressed from={recorded} to={requested}"
    assert (line in refused.msg) is offered
