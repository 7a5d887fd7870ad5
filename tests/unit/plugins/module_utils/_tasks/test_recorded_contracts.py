# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What tasks return of recorded contracts, and what they look up where that is required."""

from __future__ import annotations

from playbooks.files.simulator import data
from tests.unit.plugins.module_utils._tasks.conftest import Bench

FIRST, SECOND = "control1.example.org", "control2.example.org"


def test_contract_is_what_the_service_shows_and_what_it_showed_when_it_was_ordered(bench: Bench) -> None:
    ordered = bench.order(FIRST)
    assert ordered["contract"]["settings"]["hostname"] == FIRST
    kept = {"id": ordered["contract_id"], "productId": ordered["order"]["product"]}
    assert {name: ordered["contract_when_ordered"][name] for name in kept} == kept
    assert (ordered["presence"], ordered["why"]) == (None, None)
    again = bench.order(FIRST)
    assert (again["contract"], again["contract_when_ordered"]) == (None, ordered["contract_when_ordered"])
    assert (again["presence"], again["why"]) == (None, None)
    bench.service.change_contract(ordered["contract_id"], state={"name": "active"})
    shown = bench.order(FIRST, read_back=True)
    assert shown["contract"]["state"] == {"name": "active"}
    assert (shown["contract_when_ordered"], shown["presence"]) == (ordered["contract_when_ordered"], "present")


def test_contract_that_is_not_seen_is_warned_of(controlled: Bench) -> None:
    assert controlled.order(FIRST, read_back=True).warnings == []
    controlled.service.remove_contract(controlled.ids[0])
    unseen = controlled.order(FIRST, read_back=True)
    assert (unseen["presence"], unseen["contract"], unseen["changed"]) == ("unseen", None, False)
    assert "404" in unseen["why"]
    assert f"{FIRST} is recorded, and its contract {controlled.ids[0]} is not seen any more." in unseen.warnings[0]
    results = controlled.batch(FIRST, SECOND, read_back=True)["results"]
    assert [each["presence"] for each in results] == ["unseen", "present"]
    controlled.service.behave(list_status=403, item_status=403)
    assert controlled.order(SECOND, read_back=True)["presence"] == "unseen"
    controlled.adopt("shop", end_user=data.END_USER, product_type="webhosting", product=data.WEBHOSTING_START)
    unknown = controlled.web_hosting("shop", read_back=True)
    assert (unknown["presence"], unknown["why"]) == ("unseen", "The ledger has no ID of its contract.")


def test_contract_that_shows_that_it_ended_is_warned_of(controlled: Bench) -> None:
    controlled.service.change_contract(controlled.ids[0], status="cancelled")
    ended = controlled.order(FIRST, read_back=True)
    assert (ended["presence"], ended["why"], ended["changed"]) == ("present", "It says status: cancelled.", False)
    assert f"its contract {controlled.ids[0]} has ended" in ended.warnings[0]
    assert ended["contract"]["status"] == "cancelled"
