# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter contact_data in real playbooks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support import playbooks

CONTACT = {
    "label": "customer-4711",
    "first_name": "Erika",
    "last_name": "Mustermann",
    "company_name": "",
    "street": "Heidestraße 17",
    "postal_code": "51147",
    "city": "{{ city }}",
    "country": "DE",
    "telephone": "+49.221123456",
    "email": "erika@example.org",
}
RENDERED = {**CONTACT, "city": "Köln"}
DOCUMENTED = json.dumps(RENDERED, ensure_ascii=False, separators=(",", ":"))


def debug(**variables: str) -> dict[str, Any]:
    return {"ansible.builtin.set_fact": variables}


def test_it_makes_a_string_of_variables_that_are_templated_or_in_a_vault(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("vault", encoding="utf-8")
    made = subprocess.run(
        [
            Path(sys.executable).with_name("ansible-vault"),
            "encrypt_string",
            "--vault-password-file",
            "password",
            "Köln",
        ],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )
    (tmp_path / "vars.yml").write_text("city: " + made.stdout, encoding="utf-8")
    tasks = [
        debug(data="{{ contact | hosting.reseller.contact_data }}"),
        debug(data="{{ [contact | to_json] | map('hosting.reseller.contact_data') | first }}"),
        debug(data="{{ contact | combine({'country': 'DEU'}) | hosting.reseller.contact_data }}"),
    ]
    play = playbooks.run(
        tmp_path, tasks, {}, "--vault-password-file", "password", vars={"contact": CONTACT}, vars_files=["vars.yml"]
    )
    mapping, text, wrong = play.results
    assert mapping["ansible_facts"]["data"] == text["ansible_facts"]["data"] == DOCUMENTED
    assert "contact.country" in wrong["msg"]
