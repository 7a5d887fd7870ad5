# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""End users by their names in the service's file."""

from __future__ import annotations

from typing import Any

import pytest

from playbooks.files.simulator import data
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, VPS, Bench

pytestmark = FOR_OWN

NAME, USER = "customer-4711", data.END_USER
HOST = {"hostname": "web01.example.org", "template": "debian-12"}
STACK = {"end_user": NAME, "contracts": {"vps": [{"product": VPS, **HOST}]}}


def entry(**more: Any) -> dict[str, Any]:
    return {NAME: {"id": USER, "organization_id": data.END_USER_ORGANIZATION_ID, **more}}


#: A module, what it takes, and where its result shows the end user.
ORDERING: dict[str, tuple[dict[str, Any], Any]] = {
    "reseller_contract": ({"end_user": NAME, "product": VPS, "settings": HOST}, lambda ran: ran["order"]),
    "reseller_contracts": (
        {"defaults": {"end_user": NAME, "product": VPS}, "contracts": [{"settings": HOST}]},
        lambda ran: ran["results"][0]["order"],
    ),
    "reseller_stack": ({"stack": STACK}, lambda ran: ran["results"][0]["order"]),
}


@pytest.mark.parametrize("module", ORDERING)
def test_name_is_ordered_as_its_uuid_and_shown_beside_it(bench: Bench, module: str) -> None:
    options, order_of = ORDERING[module]
    ran = bench.run(module, service=bench.described(end_users=entry()), read_back=False, **options)
    assert not ran.failed, ran.msg
    shown = {name: order_of(ran)[name] for name in ("end_user", "end_user_name")}
    assert shown == {"end_user": USER, "end_user_name": NAME}
    request = bench.records()["web01.example.org"].request
    assert request is not None
    assert (request.end_user, request.end_user_organization_id) == (USER, data.END_USER_ORGANIZATION_ID)
    assert [order["body"]["target"] for order in bench.service.orders()] == [USER]


@pytest.mark.parametrize("module", ["reseller_contracts", "reseller_stack"])
def test_plan_shows_uuid_and_name(bench: Bench, module: str) -> None:
    ran = bench.run(module, check=True, service=bench.described(end_users=entry()), **ORDERING[module][0])
    shown = [*ran["plan"], *([ran.result] if module == "reseller_stack" else [])]
    assert {(each["end_user"], each["end_user_name"]) for each in shown} == {(USER, NAME)}


def test_name_and_uuid_are_one_order(bench: Bench) -> None:
    service = bench.described(end_users=entry())
    assert bench.order("web01.example.org", end_user=NAME, service=service)["changed"]
    again = bench.order("web01.example.org", end_user=USER, service=service)
    assert (again.failed, again["changed"], again["order"]["end_user_name"]) == (False, False, NAME)


@pytest.mark.parametrize("module", ORDERING)
def test_unknown_name_is_refused_with_near_ones(bench: Bench, module: str) -> None:
    ran = bench.run(module, service=bench.described(end_users={"customer-4712": {"id": USER}}), **ORDERING[module][0])
    assert ran.failed
    assert "id you mean customer-4712?" in ran.msg
    assert bench.sent == 0


def test_digest_covers_the_organization_and_not_the_name(bench: Bench) -> None:
    def digest(end_users: dict[str, Any]) -> str:
        options = {"defaults": {"end_user": USER, "product": VPS}, "contracts": [{"settings": HOST}]}
        ran = bench.run("reseller_contracts", check=True, service=bench.described(end_users=end_users), **options)
        return str(ran["plan_digest"])

    first = digest(entry())
    assert digest({"other": entry()[NAME]}) == first
    assert digest(entry(organization_id="4299")) != first


def test_contracts_of_a_name_are_listed(bench: Bench) -> None:
    bench.add("web01.example.org", end_user=USER)
    bench.add("web02.example.org")
    service = bench.described(end_users=entry())
    ran = bench.run("reseller_contract_info", end_user=NAME, service=service)
    assert [(each["hostname"], each["end_user_name"]) for each in ran["contracts"]] == [("web01.example.org", NAME)]


@pytest.mark.parametrize(("given", "recorded"), [(NAME, USER), ("customer-47", None)])
def test_adopting_takes_a_name(bench: Bench, given: str, recorded: str | None) -> None:
    options = {"name": "web01", "state": "present", "contract_id": "1013", "end_user": given}
    ran = bench.run("reseller_record", service=bench.described(end_users=entry()), **options)
    assert ran.failed is (recorded is None)
    assert recorded is None or ran["record"]["end_user"] == recorded
    assert recorded is not None or f"Did you mean {NAME}?" in ran.msg


def test_records_show_the_name_beside_the_uuid_and_are_found_by_it(bench: Bench) -> None:
    bench.order("web01.example.org", end_user=USER, read_back=False)
    bench.order("web02.example.org")
    service = {"RESELLER_SERVICE": bench.described(end_users=entry())}
    listed = bench.run("reseller_ledger_info", environ=service)
    shown = {(each["name"], each["end_user"], each["end_user_name"]) for each in listed["records"]}
    assert shown == {("web01.example.org", USER, NAME), ("web02.example.org", "__self__", None)}
    for wanted in (NAME, USER):
        assert bench.run("reseller_ledger_info", environ=service, end_users=[wanted]).names("records") == [
            "web01.example.org"
        ]
    unknown = bench.run("reseller_ledger_info", environ=service, end_users=["customer-4712"])
    assert f"Did you mean {NAME}?" in unknown.msg


@pytest.mark.parametrize(
    ("text", "warns"), [("base_url: https://other.example", 0), ("base_url: [", 1), (None, 1)], ids=str
)
def test_records_are_listed_whatever_the_file_is(bench: Bench, text: str | None, warns: int) -> None:
    bench.order("web01.example.org", end_user=USER, read_back=False)
    path = bench.folder / "other.yml"
    if text:
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
    listed = bench.run("reseller_ledger_info", environ={"RESELLER_SERVICE": str(path)})
    assert [each["end_user_name"] for each in listed["records"]] == [None]
    assert [each.startswith("The names of end users are not known.") for each in listed.warnings] == [True] * warns
    assert bench.run("reseller_ledger_info", environ={"RESELLER_SERVICE": str(path)}, end_users=[USER]).names(
        "records"
    ) == ["web01.example.org"]
