# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Failed tasks: the return value failure, on which a rescue can branch, and what is told of missing libraries."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import FAILURE_KINDS
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import StoredRequest
from playbooks.files.simulator.data import ORGANIZATION_ID
from playbooks.files.simulator.data import VPS_M as VPS
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import in_shape
from tests.support.described import service_file
from tests.support.ledgers import claim, opened
from tests.support.playbooks import Runner, vps

pytestmark = in_shape("plain")


def order(hostname: str, **options: Any) -> dict[str, Any]:
    return vps(hostname, **{"product": VPS, **options})


def module(module: str, /, **options: Any) -> dict[str, Any]:
    return {f"hosting.reseller.{module}": options}


def test_each_kind_of_failure_is_returned_by_a_task(runner: Runner, simulator: Simulator) -> None:
    lost, other = str(runner.folder / "lost" / "ledger.db"), str(runner.folder / "text")
    runner.save("text", "not a ledger")
    for hostname in ("refused01.example.org", "refused02.example.org"):
        simulator.arm("answer", status=422, match={"hostname": hostname})
    for hostname in ("lost01.example.org", "lost02.example.org"):
        simulator.arm("answer", status=500, match={"hostname": hostname})
    debian_13 = {"hostname": "web01.example.org", "template": "debian-13"}
    two = [
        {"end_user": "__self__", "product": VPS, "settings": {"hostname": name, "template": "debian-12"}}
        for name in ("refused02.example.org", "lost02.example.org")
    ]
    service = service_file(runner.folder, "http://127.0.0.1:1", order={"end_user": "a", "product": "b"})
    known = {"product_type": "vps", "validation": "specification", "service": service}
    with opened(runner.ledger) as ledger:
        theirs = StoredRequest("theirs.example.org", simulator.base_url, ORGANIZATION_ID, "__self__", VPS, None, "vps")
        assert claim(ledger, [theirs]) == [None]
        cases: list[tuple[dict[str, Any], str | None, int | None]] = [
            (order("web01.example.org"), None, None),
            (order("web01.example.org", settings=debian_13), "differs", None),
            (order("web01.example.org", name="another"), "duplicate", None),
            (order("web02.example.org", settings={"hostname": "web_02"}), "invalid", None),
            (module("reseller_stack", path="/missing.yml"), "configuration", None),
            # ansible-core itself has no answer to it.
            (order("web02.example.org", timeout=10**400), "configuration", None),
            ({**order("web02.example.org"), "async": 10}, "configuration", None),
            (order("web02.example.org", ledger=other), "ledger", None),
            (module("reseller_record", name="theirs.example.org", state="absent"), "pending", None),
            (order("refused01.example.org"), "rejected", 422),
            (order("lost01.example.org"), "in_doubt", 500),
            (module("reseller_contracts", contracts=two, on_error="continue", ledger=lost), "in_doubt", 500),
            (module("reseller_products_info", api_key="wrong-key-1234"), "service", 401),
            (order("web03.example.org", base_url="http://127.0.0.1:1", ledger=lost, **known), "unreachable", None),
        ]
        results = runner.table([task for task, _kind, _status in cases], simulator.env)
    failures = [result.get("failure") for result in results]
    assert failures == [kind and {"kind": kind, "status": status} for _task, kind, status in cases]
    # A ledger that fails in between is in test_placer.py, and waiting in test_waiting.py.
    others = {"not_recorded", "contract_failed", "not_ready"}
    assert {kind for _task, kind, _status in cases if kind} == set(FAILURE_KINDS) - others
    (several,) = [result for result in results if result.get("plan")]
    assert [each["failure"]["kind"] for each in several["results"]] == ["rejected", "in_doubt"]
    (delayed,) = [result["msg"] for (task, *_end), result in zip(cases, results, strict=True) if "async" in task]
    assert "Remove async and poll. reseller_contracts orders several" in delayed


def test_missing_libraries_are_named_at_once(runner: Runner, simulator: Simulator) -> None:
    # A module that is None cannot be imported.
    hook = "import sys\nsys.modules.update(requests=None, dns=None)\n"
    (runner.folder / "sitecustomize.py").write_text(hook)
    refused, listed = runner.table(
        [order("web01.example.org"), module("reseller_ledger_info")],
        {**simulator.env, "PYTHONPATH": str(runner.folder)},
    )
    first, reason, where, pip = refused["msg"].splitlines()
    assert first == "The Python library requests, needed to reach the service, cannot be imported. Nothing was sent."
    assert reason.endswith("Also missing: dnspython.")
    python = where.removeprefix("Ansible runs in ").partition(". Install what is missing there")[0]
    assert Path(python).parent.samefile(Path(sys.executable).parent)
    assert pip.strip() == f"{python} -m pip install requests dnspython"
    assert listed["records"] == []
    assert not simulator.requests()
