# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The address of a server in the ledger: what the service showed when it was last looked at, without more requests."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from tests.support.described import PLAIN
from tests.unit.plugins.module_utils._tasks.conftest import IS_READ, VPS, Bench, Ran, vps

pytestmark = IS_READ

HOST, LIST = "web01.example.org", "/api/reseller/contracts"
SAID: dict[str, Any] = {**PLAIN, "path": LIST, "next": None, "state": "state.name", "ready": ["active"]}
THEIRS = {"product_type": "vps", "settings": {"hostname": HOST}}
SAID |= {"ended": ["cancelled"], "address": "ips.*"}


def described(bench: Bench, **contracts: Any) -> str:
    return bench.described(contracts={name: each for name, each in {**SAID, **contracts}.items() if each is not ...})


def address(bench: Bench) -> str | None:
    return bench.records()[HOST].outcome.address


def by_info(bench: Bench, **options: Any) -> Ran:
    return bench.run("reseller_contract_info", **options)


def by_read_back(bench: Bench, check: bool = False, **options: Any) -> Ran:
    return bench.run(
        "reseller_contract", check, end_user=bench.life.end_user, product=VPS, read_back=True, **vps(HOST), **options
    )


def by_wait(bench: Bench, check: bool = False, **options: Any) -> Ran:
    given = {"end_user": bench.life.end_user, "product": VPS, "wait": True, "wait_timeout": 30}
    return bench.run("reseller_contract", check, **given, **vps(HOST), **options)


LOOKS = pytest.mark.parametrize("look", [by_info, Bench.reconcile, by_read_back, by_wait])


@LOOKS
def test_look_at_a_recorded_server_keeps_its_address(bench: Bench, look: Callable[..., Ran]) -> None:
    bench.order(HOST)
    assert address(bench) is None
    assert not look(bench, service=described(bench), check=True).failed
    assert address(bench) is None
    ran = look(bench, service=described(bench))
    assert not ran.failed, ran.msg
    assert address(bench) == "203.0.113.2"
    # Later it is another one, or the contract is over.
    bench.service.change_contract(bench.ids[0], ips=["203.0.113.77"])
    seen = look(bench, service=described(bench))
    assert address(bench) == "203.0.113.77"
    if "order" in seen.result:
        assert seen["address"] == "203.0.113.77"
    bench.service.change_contract(bench.ids[0], state={"name": "cancelled"})
    look(bench, service=described(bench))
    assert address(bench) is None


@LOOKS
def test_address_costs_no_request(bench: Bench, look: Callable[..., Ran]) -> None:
    bench.order(HOST)
    sent = []
    for said in ({"address": ...}, {}):
        before = len(bench.service.requests())
        look(bench, service=described(bench, **said))
        sent.append(len(bench.service.requests()) - before)
    assert address(bench)
    assert sent[0] == sent[1]


@LOOKS
@pytest.mark.parametrize("without", [{"address": ...}, {"id": "settings.hostname"}])
def test_address_that_is_not_certain_is_not_kept_and_changes_nothing(
    bench: Bench, look: Callable[..., Ran], without: dict[str, Any]
) -> None:
    bench.order(HOST)
    look(bench, service=described(bench, **without))
    assert address(bench) is None
    look(bench, service=described(bench))
    look(bench, service=described(bench, **without))
    assert address(bench) == "203.0.113.2"


def test_address_in_the_response_to_an_order_is_kept(bench: Bench) -> None:
    answer = {"id": "c-1", "settings": {"hostname": HOST}, "ips": ["192.0.2.7"]}
    bench.service.arm("answer", method="POST", status=201, body=json.dumps(answer), process=True)
    ran = bench.order(HOST, service=described(bench))
    assert (ran["contract_id"], ran["address"], address(bench)) == ("c-1", "192.0.2.7", "192.0.2.7")
    # What a person records of the order does not lose it.
    bench.adopt(HOST, l2vpn_id="6e0a3bb4-1f33-4d0e-8f3a-0d3c9a8a0f01")
    assert address(bench) == "192.0.2.7"


def test_list_that_settles_an_order_keeps_its_address(bench: Bench) -> None:
    service = described(bench)
    bench.lose()
    lost = bench.order(HOST, service=service)
    assert lost["order"]["status"] == "ordered", lost.msg
    assert (lost["address"], address(bench)) == ("203.0.113.2", "203.0.113.2")


def test_ledger_that_cannot_be_written_fails_no_look(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.order(HOST)

    def refuse(*_given: Any) -> None:
        raise LedgerError("It is read-only.")

    monkeypatch.setattr(Ledger, "note_addresses", refuse)
    ran = by_info(bench, service=described(bench))
    assert ([each["address"] for each in ran["contracts"]], ran.warnings) == (["203.0.113.2"], [])
    assert address(bench) is None


def test_wait_shows_the_address_of_a_recorded_server_again(bench: Bench) -> None:
    bench.service.behave(ready_reads=3)
    assert by_wait(bench, service=described(bench))["address"] == "203.0.113.2"
    again = bench.order(HOST)
    assert (again["changed"], again["address"]) == (False, "203.0.113.2")


def test_id_that_nothing_proves_any_more_takes_no_address_away(bench: Bench) -> None:
    bench.adopt(HOST, contract_id=bench.add(HOST), end_user=bench.life.end_user, **THEIRS)
    by_info(bench, service=described(bench))
    kept = address(bench)
    by_info(bench, service=described(bench, id=...))
    assert (kept, address(bench)) == ("203.0.113.2", "203.0.113.2")
