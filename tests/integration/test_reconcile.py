# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading back in playbooks: a role that hands the options on, and the job of AWX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.support import playbooks
from tests.support.contract_service import VPS, ContractService
from tests.support.playbooks import ROOT, vps


def role(hostname: str, **options: Any) -> dict[str, Any]:
    contract = {"hostname": hostname, "product": VPS, "template": "debian-12"}
    given = {**options, "inline": {"end_user": "__self__", "contracts": {"vps": [contract]}}}
    variables = {f"customer_stack_{name}": value for name, value in given.items()}
    return {"ansible.builtin.include_role": {"name": "hosting.reseller.customer_stack"}, "vars": variables}


def test_role_hands_on_how_to_read_back(runner: Runner) -> None:
    with ContractService() as service:
        there = service.add("there.example.org")
        play = runner.run(
            [
                vps("control.example.org", product=VPS),
                role(hostname="lost1.example.org", read_back=True),
                role(hostname="marked.example.org", marker_element="note"),
                role(hostname="there.example.org", read_back=True, organizations={}),
            ],
            {**service.environ, "RESELLER_LEDGER": str(runner.ledger)},
        )
        assert "lost1.example.org: VPS M, ordered, contract " in play.output
        assert "the service has a contract like it that the ledger lacks" in play.output
        assert there in play.output
        assert [each["settings"]["hostname"].partition(".")[0] for each in service.sent] == [
            "control",
            "lost1",
            "marked",
        ]
        assert len(service.sent[-1]["note"]) == 32


@pytest.mark.full
def test_job_of_awx_lists_only_what_the_service_leaves_in_doubt(tmp_path: Path) -> None:
    with ContractService() as service:
        service.told = "id"
        env = {**service.environ, "RESELLER_LEDGER": str(tmp_path / "ledger" / "ledger.db")}
        playbooks.run(tmp_path, [vps(f"lost{number}.example.org", product=VPS) for number in (1, 2)], env)
        made = next(id_ for id_, each in service.contracts.items() if each["hostname"] == "lost1.example.org")
        job = str(ROOT / "playbooks/awx_in_doubt.yml")
        service.gone = {made}
        play = playbooks.command(tmp_path, env, job)
        assert play.status == 2
        assert "1 in doubt: lost1.example.org" in play.output
        assert "lost2.example.org is ordered, contract" in play.output
        service.gone = set()
        play = playbooks.command(tmp_path, env, job)
        assert "lost1.example.org is ordered, contract" in play.output
        assert "No order is in doubt" in play.output
        assert "lost2.example.org" not in play.output
        assert len(service.sent) == 2
