# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contracts: many orders planned and validated as a whole, approved, and stopped without loss."""

from __future__ import annotations

import json
from typing import Any

import yaml

from playbooks.files.simulator import data
from tests.support.clocks import HurriedClocks
from tests.support.ledgers import claim, opened, record
from tests.support.order_examples import settings
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, VPS, Bench, Ran, vps

HOSTS = [f"web{number}.customer.example" for number in range(5)]
COUNTS = {"ordered": 0, "unchanged": 0, "differs": 0, "failed": 0, "in_doubt": 0, "pending": 0, "not_sent": 0}


def ordered(bench: Bench) -> list[str]:
    return sorted(order["settings"]["hostname"] for order in bench.service.orders())


def test_each_is_placed_once_and_reported_in_the_order_given(bench: Bench) -> None:
    names = [*HOSTS[::-1], "aaa.customer.example"]
    first = bench.batch(*names, concurrency=4)
    assert first.names("plan") == first.names("results") == names
    assert first["counts"] == {**COUNTS, "ordered": 6}
    ids = {order["settings"]["hostname"]: order["id"] for order in bench.service.orders()}
    assert {result["name"]: result["contract_id"] for result in first["results"]} == ids
    bench.service.reset()
    again = bench.batch(*names)
    assert (again["changed"], again["counts"]["unchanged"]) == (False, 6)
    assert [result["contract_id"] for result in again["results"]] == [ids[name] for name in names]
    assert not bench.service.requests(), "the ledger answers"


def test_order_that_another_run_is_placing_is_waited_for_where_nothing_else_is_to_be_sent(bench: Bench) -> None:
    name, clocks = HOSTS[0], HurriedClocks()
    bench.batch(name)
    placed = bench.records()[name]
    remove(bench, name)
    assert placed.request
    with opened(bench.ledger) as other:
        assert claim(other, [placed.request]) == [None]
        clocks.wait = lambda _seconds: record(other, name, placed.outcome)
        ran = bench.run(
            "reseller_contracts",
            clocks=clocks,
            defaults={"end_user": bench.life.end_user, "product": VPS},
            contracts=[vps(name)],
        )
    assert (ran.failed, ran["counts"], bench.sent) == (False, {**COUNTS, "unchanged": 1}, 1)
    assert ran["results"][0]["contract_id"] == placed.outcome.contract_id


def test_recorded_contract_that_differs_is_told_as_that(bench: Bench) -> None:
    bench.batch(*HOSTS[:2])
    differs, same = vps(HOSTS[0], "debian-13"), vps(HOSTS[1])
    cases: dict[str, dict[str, Any]] = {"warn": {}, "fail": {"on_error": "continue"}}
    for on_drift, options in cases.items():
        ran = bench.batch(contracts=[{**differs, "on_drift": on_drift}, same], **options)
        words = [line.rpartition(", contract")[0].rpartition(", ")[2] for line in ran["lines"]]
        assert words == ["differs", "there already"]
        assert [entry["action"] for entry in ran["plan"]] == ["differs", "none"]
        assert ran["counts"] == {**COUNTS, "unchanged": 1, "failed" if on_drift == "fail" else "differs": 1}
        assert ran.failed == (on_drift == "fail")


@FOR_OWN
def test_what_is_recorded_and_not_requested_is_listed(bench: Bench) -> None:
    theirs = vps("theirs.example", end_user=data.END_USER, product=VPS)
    bench.order("theirs.example", **theirs)
    bench.order("other.example")
    bench.service.arm("answer", status=422, body="{}", match={"hostname": "rejected.example"})
    assert bench.order("rejected.example").failed
    done = bench.batch(*HOSTS[:3])
    assert [each.partition(":")[0] for each in done["not_requested"]["lines"]] == ["'other.example'"]
    contract_id = bench.records()[HOSTS[2]].outcome.contract_id
    for check in (True, False):
        ran = bench.batch(*HOSTS[:2], check=check)
        assert (ran.failed, ran["changed"], ran["counts"]["unchanged"]) == (False, False, 2)
        found = ran["not_requested"]
        assert [each["name"] for each in found["orders"]] == ["other.example", HOSTS[2]]
        assert found["lines"][1].startswith(f"{HOSTS[2]!r}: VPS M, contract {contract_id}, since 20")
        assert (found["orders"][1]["contract_id"], found["count"]) == (contract_id, 2)
    assert bench.batch(contracts=[theirs])["not_requested"] == {"count": 0, "orders": [], "lines": []}
    # Of an empty list, the defaults say whose it is.
    assert bench.batch()["not_requested"]["count"] == 4


def test_of_many_that_are_not_requested_some_are_listed_and_all_are_counted(bench: Bench) -> None:
    bench.batch(*(f"many{number:02}.example" for number in range(25)))
    found = bench.batch("one.example", check=True)["not_requested"]
    assert (found["count"], len(found["orders"]), len(found["lines"])) == (25, 20, 21)


def test_everything_is_validated_before_anything_is_sent(bench: Bench) -> None:
    contracts = [
        vps(HOSTS[0]),
        vps("-.example", "none"),
        {"product": "VPS XXXXL", "name": "unknown product", "settings": {"hostname": "a.example"}},
        {"settings": {}},
        {"end_user": "nobody", "name": "nobody"},
    ]
    result = bench.batch(contracts=contracts, on_error="continue")
    assert "4 of 5 orders cannot be placed. Nothing was sent" in result.msg
    paths = {violation["path"] for violation in result["violations"]}
    assert {"contracts[1].settings.hostname", "contracts[1].settings.template"} <= paths
    assert [entry["action"] for entry in result["plan"]] == ["order"] + ["refused"] * 4
    for index, name in ((2, "unknown product"), (4, "nobody")):
        assert f"contracts[{index}] ({name}): {result['results'][index]['msg'].splitlines()[0]}" in result.msg
    assert "contracts[3]: settings.hostname: required" in result.msg
    assert (result["changed"], result["counts"]["failed"], bench.sent) == (False, 4, 0)


def approved(bench: Bench, seen: Any, **changes: Any) -> dict[str, Any]:
    """The options that approve a plan, in a file of its own, by its digest."""
    kept = {name: seen[name] for name in ("plan", "plan_digest")} | changes
    file = bench.folder / "plan.json"
    file.write_text(json.dumps(kept), encoding="utf-8")
    return {"plan_file": str(file), "approved_plan": seen["plan_digest"]}


def begun(bench: Bench, sent: int) -> Ran:
    """The approved plan of all hosts, of which so many orders were sent, and the next one was rejected."""
    seen = bench.batch(*HOSTS, check=True)
    bench.service.arm("answer", status=422, body="{}", match={"hostname": HOSTS[sent]})
    assert bench.batch(*HOSTS, approved_plan=seen["plan_digest"], concurrency=1).failed
    assert ordered(bench)[-sent:] == HOSTS[:sent]
    return seen


def remove(bench: Bench, name: str) -> None:
    contract_id = bench.records()[name].outcome.contract_id
    assert bench.run("reseller_record", name=name, state="absent", contract_id=contract_id)["changed"]


def test_approval_orders_each_name_once(bench: Bench) -> None:
    seen = begun(bench, 2)
    resumed = approved(bench, seen)
    remove(bench, HOSTS[0])
    # What was never claimed is sent. What was is named, and has no second order.
    rest = bench.batch(*HOSTS, **resumed, read_back=False)
    assert (rest["counts"]["ordered"], rest["counts"]["failed"]) == (len(HOSTS) - 2, 1)
    assert "make and approve a new plan" in rest["results"][0]["msg"]
    assert ordered(bench).count(HOSTS[0]) == 1
    # Nor does its digest alone approve it again: a check run after it makes another one.
    refused = bench.batch(HOSTS[0], approved_plan=seen["plan_digest"], read_back=False)
    assert f"would be ordered now: {HOSTS[0]!r}" in refused.msg
    for times in (2, 3):
        anew = bench.batch(HOSTS[0], check=True, read_back=False)["plan_digest"]
        assert bench.batch(HOSTS[0], approved_plan=anew, read_back=False)["changed"]
        assert ordered(bench).count(HOSTS[0]) == times
        remove(bench, HOSTS[0])
        assert not bench.batch(HOSTS[0], approved_plan=anew, read_back=False)["changed"]


def test_plan_that_cannot_be_placed_as_a_whole_cannot_be_approved(bench: Bench) -> None:
    bench.lost("doubt.example")
    bench.order("there.example")
    hosts = [vps("new.example"), vps("doubt.example")]
    for contracts, line in (
        (hosts, "'doubt.example': in doubt. Settle it, or leave it out."),
        ([hosts[0], vps("there.example", "debian-13")], "'there.example': differs from the record."),
        ([hosts[0], vps("bad_.example")], "'bad_.example': refused."),
    ):
        seen = bench.batch(contracts=contracts, check=True, on_error="continue")
        assert seen["plan_digest"] is None
        # An invalid order fails the task, and is named there.
        assert line in "".join(seen.warnings) or "bad_" in seen.msg
    refused = bench.batch(contracts=hosts, on_error="continue", approved_plan="plan-2:new:0")
    assert "The plan has no digest, so it cannot be approved. Nothing was sent." in refused.msg
    assert "'doubt.example': in doubt. Settle it, or leave it out." in refused.msg
    drifted = [{**hosts[0]}, {**vps("there.example", "debian-13"), "on_drift": "warn"}]
    assert bench.batch(contracts=drifted, check=True)["plan_digest"]


def test_plan_file_approves_nothing_by_itself(bench: Bench) -> None:
    file = bench.folder / "plan.json"
    # A plan that is not to be approved takes the place of an earlier one, too.
    seen = bench.batch(*HOSTS[:2], check=True, plan_file=str(file))
    assert seen["plan_digest"].startswith("plan-2:new:")
    assert json.loads(file.read_text("utf-8")) == {name: seen[name] for name in ("plan", "plan_digest")}
    for approval in ({}, {"approved_plan": ""}, {"approved_plan": None}):
        refused = bench.batch(*HOSTS[:2], plan_file=str(file), **approval)
        assert "approved_plan is missing or empty. Nothing was sent." in refused.msg
        # Check mode sends nothing, so it needs none.
        assert not bench.batch(*HOSTS[:2], check=True, plan_file=str(file), **approval).failed
    assert "is not an absolute path" in bench.batch(HOSTS[0], check=True, plan_file="plan.json").msg
    assert bench.sent == 0
    assert bench.batch(*HOSTS[:2], plan_file=str(file), approved_plan=seen["plan_digest"])["changed"]


def test_resumed_plan_sends_what_was_approved_and_nothing_else(bench: Bench) -> None:
    seen = begun(bench, 1)
    # The digest alone approves the whole plan.
    assert "give that as plan_file" in bench.batch(*HOSTS, approved_plan=seen["plan_digest"]).msg
    bought, others = ordered(bench), [*map(vps, HOSTS[1:])]
    refused = bench.batch(contracts=[*others, vps("new.example")], **approved(bench, seen))
    assert refused["plan_differences"] == ["'new.example': requested now (order), but not in the approved list"]
    assert ordered(bench) == bought
    # What the digest does not cover is shown from the run.
    cheap = {"listed_prices": {"product": {"price": "0.01"}}, "product_name": "A bargain"}
    shown = bench.batch(contracts=others, **approved(bench, seen, plan=[{**each, **cheap} for each in seen["plan"]]))
    assert (shown["changed"], "bargain" in str(shown.result), "0.01" in str(shown.result)) == (True, False, False)


@FOR_OWN
def test_plan_that_is_not_allowed_sends_nothing(bench: Bench) -> None:
    """More than max_orders, another plan than the approved one, a name twice, and one in doubt."""
    first, second, third, *_rest = HOSTS
    bench.lost("doubt.example")
    seen = bench.batch(*HOSTS[:3], check=True)
    changed, moved = vps(first, "debian-13"), vps(second, end_user=data.END_USER)
    other = {"contracts": [changed, moved, vps("new.example.com")], **approved(bench, seen)}
    malformed = "approved_plan is not a valid plan digest. Nothing was sent."
    for check in (False, True):
        for hosts, options, words in (
            (HOSTS[:3], {"max_orders": 2}, "3 orders, but max_orders is 2. Nothing was sent."),
            (HOSTS[:2], {"approved_plan": seen["plan_digest"]}, seen["plan_digest"]),
            ([first], {"approved_plan": "yes"}, malformed),
            ([first], {"approved_plan": "plan-2:0"}, "The plan is no longer the approved one."),
            ([first, first.upper()], {}, f"The name {first.upper()!r} is like that of contracts[0], {first!r}."),
            ([first, first], {}, f"The name {first!r} is also that of contracts[0], {first!r}."),
            ([first, "doubt.example"], {}, "1 of 2 orders cannot be placed. Nothing was sent"),
        ):
            result = bench.batch(*hosts, check=check, **options)
            assert (words in result.msg, result["changed"]) == (True, False)
        assert [each["order"]["status"] for each in result["results"]] == ["not_sent", "in_doubt"]
        assert [each["action"] for each in result["plan"]] == ["order", "in_doubt"]
    assert bench.batch(**other)["plan_differences"] == [
        f"'{third}': approved, but no longer requested",
        f"'{first}': the settings, additional elements, service or organization differ",
        f"'{second}': end_user was {data.SELF}, and is {data.END_USER}",
        "'new.example.com': requested now (order), but not in the approved list",
    ]
    assert bench.sent == 1

    # The approved plan is ordered. What is there already counts as nothing and needs no approval.
    done, again = (bench.batch(*HOSTS[:3], approved_plan=seen["plan_digest"], max_orders=3) for _time in range(2))
    assert (done["plan_digest"], done["counts"]["ordered"]) == (seen["plan_digest"], 3)
    assert (again["plan_digest"] != seen["plan_digest"], again["counts"]["unchanged"]) == (True, 3)
    assert not again.failed
    # What is in doubt is passed over where that is wanted.
    passed = bench.batch("doubt.example", "new.example.com", on_error="continue")
    assert passed["counts"] == {**COUNTS, "ordered": 1, "in_doubt": 1}


@FOR_OWN
def test_check_mode_shows_the_plan(bench: Bench) -> None:
    bench.order("old.example.com")
    domain = settings(data.DOMAIN, domain="new.example", action="transfer", authcode="authorised-4711")
    contracts: list[dict[str, Any]] = [
        *(vps(f"{name}.example.com") for name in ("old", "new")),
        {"product": data.DOMAIN_DEFAULT, "end_user": data.END_USER, "settings": domain},
        # That of a server which check mode does not order.
        {"product": data.DEDICATED_FRANKFURT, "settings": settings(data.DEDICATED_SERVER, existing_l2vpn=None)},
    ]
    result = bench.batch(contracts=contracts, check=True)
    assert (result["changed"], result["counts"]["ordered"], result["plan"][2]["billing"]) == (True, 3, "yearly")
    before, after = (yaml.safe_load(result["diff"][side]) for side in ("before", "after"))
    assert result["diff"]["after_header"] == f"the plan: 3 to be ordered, 1 there already; {result['plan_digest']}"
    assert (list(before), before["old.example.com"]) == (["old.example.com"], after["old.example.com"])
    new = after["new.example.com"]
    assert (new["product_name"], new["end_user"], new["settings"]["template"]) == ("VPS M", data.SELF, "debian-12")
    assert (after["new.example"]["billed"], after["new.example"]["end_user"]) == ("yearly", data.END_USER)
    assert after["db01.customer.example"]["settings"]["existing_l2vpn"] == "(not known yet)"
    assert "authorised-4711" not in str(result)
    assert bench.sent == 1
    # What is recorded does not differ in a value that only the real run will know.
    server = contracts[3]
    joining = settings(data.DEDICATED_SERVER, existing_l2vpn=data.SELF_L2VPN)
    assert bench.batch(contracts=[{**server, "settings": joining}])["changed"]
    assert bench.batch(contracts=[server], check=True)["counts"]["unchanged"] == 1


def test_single_order_that_is_rejected_is_told_as_that(bench: Bench) -> None:
    bench.service.arm("answer", status=422, body='{"message": "No credit."}', match={"hostname": HOSTS[0]})
    first = bench.batch(HOSTS[0]).msg.splitlines()[0]
    assert first == f"{HOSTS[0]}: The service rejected the order (422 Unprocessable Entity): No credit."


def test_error_stops_what_was_not_begun(bench: Bench) -> None:
    bench.service.arm("answer", status=422, match={"hostname": HOSTS[1]})
    result = bench.batch(*HOSTS, concurrency=1)
    assert result["changed"]
    assert result["counts"] == {**COUNTS, "ordered": 1, "failed": 1, "not_sent": 3}
    assert "1 of 5 orders failed: 1 ordered, 3 not sent, 1 rejected" in result.msg
    assert [bool(entry.get("failed")) for entry in result["results"]] == [False, True, False, False, False]
    refused = result["results"][1]
    assert (refused["order"]["status"], refused["failure"]) == ("rejected", {"kind": "rejected", "status": 422})
    assert ordered(bench) == HOSTS[:1]
    assert result["lines"] == [
        f"{HOSTS[0]!r}: VPS M, ordered, contract {bench.ids[0]}",
        f"{HOSTS[1]!r}: VPS M, rejected",
        *(f"{name!r}: VPS M, not sent" for name in HOSTS[2:]),
    ]
    # The rest on the next run, which passes over what fails.
    bench.service.arm("answer", status=422, match={"hostname": HOSTS[3]})
    rest = bench.batch(*HOSTS, on_error="continue")
    assert rest["counts"] == {**COUNTS, "ordered": 3, "unchanged": 1, "failed": 1}
    assert ordered(bench) == [*HOSTS[:3], HOSTS[4]]


def test_failures_for_one_reason_are_one_line(bench: Bench) -> None:
    bench.service.arm("answer", status=422, body={"message": "No credit."}, times=4)
    assert bench.batch(*HOSTS, on_error="continue", concurrency=1).msg.splitlines()[1:] == [
        f"{HOSTS[0]}: (and 3 more) The service rejected the order (422 Unprocessable Entity): No credit.",
        "All that is known of each order is in results.",
        "Correct what the service names, and run again.",
    ]
    assert bench.batch(*HOSTS)["changed"]
    differ = [vps(name, "debian-13") for name in HOSTS]
    line = bench.batch(contracts=differ, on_error="continue").msg.splitlines()[1]
    assert line == f"{HOSTS[0]}: (and 4 more) settings.template: recorded 'debian-12', requested 'debian-13'"


def test_name_cannot_pass_for_the_words_of_a_line(bench: Bench) -> None:
    forged = vps(HOSTS[0], name="web01': VPS M, there already, 'x")
    assert bench.batch(contracts=[forged], check=True)["lines"] == [f'"{forged["name"]}": VPS M, not sent']
