# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_stack."""

from __future__ import annotations

import json
from typing import Any

from playbooks.files.simulator import data
from tests.unit.plugins.module_utils._tasks.conftest import VPS, Bench

WEB, BAD = "web01.example.org", "not a hostname"


def stack(*hostnames: str) -> dict[str, Any]:
    servers = [{"hostname": name, "product": VPS, "template": "debian-12"} for name in hostnames]
    return {"end_user": data.SELF, "contracts": {"vps": servers}}


def test_check_mode_returns_what_orders_the_plan(bench: Bench) -> None:
    planned = bench.run("reseller_stack", True, stack=stack(WEB))
    assert planned["problems"] == []
    assert f"approved_plan={planned['plan_digest']}" in planned["order_with"]
    assert planned["results"][0]["settings"] == {"hostname": WEB, "template": "debian-12"}
    assert bench.run("reseller_stack", stack=stack(WEB), approved_plan=planned["plan_digest"])["changed"]
    again = bench.run("reseller_stack", True, stack=stack(WEB))
    assert (again["order_with"], again["lines"][0].split(", ")[1]) == (None, "there already")


def test_stack_with_a_problem_is_planned_without_a_digest(bench: Bench) -> None:
    for check in (True, False):
        ran = bench.run("reseller_stack", check, stack=stack(WEB, BAD))
        assert ran.failed
        assert [each["path"] for each in ran["problems"]] == ["contracts.vps[1].hostname"]
        assert [each["action"] for each in ran["plan"]] == ["order", "refused"]
        assert (ran["plan_digest"], ran["order_with"]) == (None, None)
        assert [each["order"]["status"] for each in ran["results"]] == ["not_sent", "not_sent"]
    assert bench.sent == 0


def test_plan_file_of_a_stack_with_a_problem_has_no_digest(bench: Bench) -> None:
    file = bench.folder / "plan.json"
    options = {"plan_file": str(file)}
    planned = bench.run("reseller_stack", True, stack=stack(WEB), **options)
    assert f"customer_stack_plan_file={file}" in planned["order_with"]
    assert json.loads(file.read_text("utf-8"))["plan_digest"] == planned["plan_digest"]
    bench.run("reseller_stack", True, stack=stack(WEB, BAD), **options)
    assert json.loads(file.read_text("utf-8"))["plan_digest"] is None
    stale = bench.run("reseller_stack", stack=stack(WEB), approved_plan=planned["plan_digest"], **options)
    assert stale["plan_differences"] == ["plan_file holds another plan than the one with this digest"]
    assert bench.sent == 0
