# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever is wrong, there is one clear error that says what to do, and nothing is sent that should not be."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.examples import settings
from tests.simulator.fixtures import SimulatorFactory
from tests.support.playbooks import vps

#: A mistake for each part of the collection: what is wrong, the order, and what the error says, reason and advice.
WRONG: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no base_url": (vps(base_url=""), ["base_url is missing or empty", "RESELLER_BASE_URL"]),
    "unresolved": (
        vps(base_url="https://no-such-host.invalid"),
        ["no-such-host.invalid", "was not sent", "Check base_url"],
    ),
    "wrong key": (vps(api_key="sim-key-unknown"), ["rejected the request for its products (401", "Check api_key: "]),
    "end_user": (vps(end_user="customer-4711"), ["neither a UUID nor __self__", "Give the end user's UUID"]),
    "unknown product": (vps(product="VPS XXL"), ["lists no product", "'VPS XXL'", "'VPS L'"]),
    "misspelt hostname": (
        vps(settings={"hostnam": "a", "template": "debian-12"}),
        ["settings.hostnam: ", "did you mean hostname?"],
    ),
    "a configurable one's": (
        vps(settings=settings(data.CONFIGURABLE_VPS)),
        ["breaks 12 rules. ", "settings.cpu_cores: cpu_cores belongs to configurable_vps, not to vps"],
    ),
    "unlisted template": (
        vps(settings={"hostname": "a", "template": "debian12"}),
        ["settings.template", "that the catalogue lists", "did you mean debian-12", "(catalogue)"],
    ),
    "no element": (
        vps(additional_elements={"voucher": 1}),
        ["additional_elements.voucher", "the published reference names no such element"],
    ),
    "unknown option": (vps(api_token="x"), ["Unsupported parameters", "api_token"]),
    "no time": (vps(timeout=0), ["timeout must be from 0.001 to 86400 seconds (given: 0)"]),
    "no time for DNS": (
        {"hosting.reseller.reseller_nameservers_info": {"domain": "a.example", "nameservers": "b", "dns_timeout": 0}},
        ["dns_timeout must be from 0.001 to 600 seconds (given: 0)"],
    ),
    # ansible-core itself has no answer to it.
    "a huge number": (vps(org_max_ram=10**400), ["org_max_ram must be from 1024 to 1000000000 MB (given: inf)"]),
    "gone": (vps(wait_in_flight=7), ["wait_in_flight: this option is gone. Remove it"]),
}


def test_wrong_input_is_one_clear_error_and_sends_nothing(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    *results, shown = runner.table([*(task for task, _rest in WRONG.values()), ledger_info()], simulator.env)
    wrong = {
        name: result.get("msg")
        for (name, (_rest, said)), result in zip(WRONG.items(), results, strict=True)
        if result["changed"] or not all(words in result["msg"] for words in said)
    }
    assert not wrong, "\n\n".join(f"{name}: {message}" for name, message in wrong.items())
    assert not simulator.requests("POST")
    # Not so much as a claim is left behind.
    assert shown["orders"] == []


def ledger_info() -> dict[str, Any]:
    return {"name": "Show", "hosting.reseller.reseller_ledger_info": {}}


def test_missing_libraries_are_named_at_once(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    # A module that is None cannot be imported.
    hook = "import sys\nsys.modules.update(requests=None, dns=None)\n"
    (runner.folder / "sitecustomize.py").write_text(hook)
    refused, listed = runner.table([vps(), ledger_info()], {**simulator.env, "PYTHONPATH": str(runner.folder)})
    first, reason, where, pip = refused["msg"].splitlines()
    assert first == "The Python library requests, needed to reach the service, cannot be imported. Nothing was sent."
    assert reason.endswith("Also missing: dnspython.")
    python = where.removeprefix("Ansible runs in ").partition(". Install what is missing there")[0]
    assert Path(python).parent.samefile(Path(sys.executable).parent)
    assert pip.strip() == f"{python} -m pip install requests dnspython"
    assert listed["orders"] == []
    assert not simulator.requests()
