# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup os_templates in real playbooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.support import playbooks

NAME = "hosting.reseller.os_templates"


def fact(expression: str) -> dict[str, Any]:
    return {"ansible.builtin.set_fact": {"found": "{{ " + expression + " }}"}}


def test_it_gives_the_names_of_the_live_catalogue(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    simulator = start_simulator("apiplatform")
    key = "wrong-key-0123456789"
    tasks = [
        fact(f"query('{NAME}')"),
        fact(f"lookup('{NAME}')"),
        fact(f"query('{NAME}', api_key='{key}', catalogue_max_age=0)"),
        fact(f"query('{NAME}', 'debian')"),
        fact(f"query('{NAME}', bas_url='x')"),
        fact(f"query('{NAME}', base_url='ftp://portal.example.com')"),
    ]
    play = playbooks.run(tmp_path, tasks, simulator.env)
    listed, joined = [result["ansible_facts"]["found"] for result in play.results[:2]]
    assert listed == sorted(data.OS_TEMPLATES)
    assert joined == ",".join(listed)
    assert simulator.requests("POST") == []
    assert not (tmp_path / "ledger" / "ledger.db").exists()

    refused, terms, unknown, address = [result["msg"] for result in play.results[2:]]
    assert "401" in refused or "403" in refused
    assert key not in refused
    assert "takes no terms" in terms
    assert "has no option bas_url" in unknown
    assert "no scheme https://" in address
