# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter contact_data and the lookup os_templates in a real playbook."""

from __future__ import annotations

from typing import Any

from ansible.parsing.vault import VaultLib, VaultSecret

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.support.order_examples import CONTACT, CONTACT_DATA
from tests.support.playbooks import Runner

OS_TEMPLATES = "hosting.reseller.os_templates"
WRONG_KEY = "wrong-key-0123456789"


def fact(expression: str) -> dict[str, Any]:
    return {"ansible.builtin.set_fact": {"found": f"{{{{ {expression} }}}}"}}


def test_values_of_both(runner: Runner, simulator: Simulator) -> None:
    runner.save("password", "of the vault")
    vaulted = VaultLib([("default", VaultSecret(b"of the vault"))]).encrypt(CONTACT["city"]).decode()
    text = "city: !vault |\n" + "".join(f"  {line}\n" for line in vaulted.splitlines())
    runner.save("vars.yml", text)
    tasks = [
        fact("contact | hosting.reseller.contact_data"),
        fact("[contact | to_json] | map('hosting.reseller.contact_data') | first"),
        fact(f"query('{OS_TEMPLATES}')"),
        fact(f"lookup('{OS_TEMPLATES}')"),
        fact("contact | combine({'country': 'DEU'}) | hosting.reseller.contact_data"),
        fact(f"query('{OS_TEMPLATES}', api_key='{WRONG_KEY}', organization_id='4711')"),
        fact(f"query('{OS_TEMPLATES}', 'debian')"),
        fact(f"query('{OS_TEMPLATES}', bas_url='x')"),
        fact(f"query('{OS_TEMPLATES}', timeout=0)"),
    ]
    given = {"vars": {"contact": {**CONTACT, "city": "{{ city }}"}}, "vars_files": ["vars.yml"]}
    results = runner.table(tasks, simulator.env, "--vault-password-file", str(runner.folder / "password"), **given)
    mapping, of_text, listed, joined = [result["ansible_facts"]["found"] for result in results[:4]]
    assert mapping == of_text == CONTACT_DATA
    assert listed == sorted(data.OS_TEMPLATES)
    assert joined == ",".join(listed)

    country, refused, terms, unknown, timeout = [result["msg"] for result in results[4:]]
    assert "contact.country" in country
    assert refused.count("some services answer 401") == 1, refused
    assert WRONG_KEY not in refused
    assert "takes no terms" in terms
    assert "has no option bas_url" in unknown
    assert "timeout must be from 0.001" in timeout
    assert simulator.requests("POST") == []
    assert not runner.ledger.exists()
