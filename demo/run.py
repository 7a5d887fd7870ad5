# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Orders one product of each type from a simulated service: check mode, the orders, and a second run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playbooks.files.simulator.running import Simulator  # noqa: E402

#: What a summary need not show, also of a simulated order.
PRIVATE = re.compile(r"^(password|authcode|\w+Data)$")
NEXT = """
Next:
$ make simulator                                 # a simulated service for your own playbooks, in another terminal
$ ansible-galaxy collection install --force .    # install the collection; README.md has the first playbook
$ make test                                      # linters and a short form of all tests"""
RECAP = re.compile(r"changed=(\d+).*failed=(\d+)")
SHOWN = 110


def title(text: str) -> None:
    print(f"\n\033[1m==> {text}\033[0m" if sys.stdout.isatty() else f"\n==> {text}", flush=True)


def play(environment: dict[str, str], *arguments: str, changed: int) -> None:
    """Run a playbook, show what it says, and leave unless it changed just what it should."""
    program = Path(sys.executable).with_name("ansible-playbook")
    print("$ ansible-playbook " + " ".join(arguments), flush=True)
    process = subprocess.Popen(
        [program, *arguments], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    said = ""
    for line in process.stdout or ():
        print(line, end="", flush=True)
        said += line
    recap = RECAP.search(said)
    if process.wait() != 0 or recap is None or recap.groups() != (str(changed), "0"):
        sys.exit(f"The demo expected changed={changed} failed=0.")


def main() -> None:
    with Simulator("apiplatform") as simulator, tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            **simulator.env,
            "RESELLER_LEDGER": f"{folder}/ledger.db",
            "RESELLER_NEW_LEDGER": "allow",
            "XDG_STATE_HOME": f"{folder}/state",
            "XDG_CACHE_HOME": f"{folder}/cache",
            "DEMO_PASSWORD": "correct-horse-battery",
            "ANSIBLE_CONFIG": str(ROOT / "tests/ansible.cfg"),
        }
        title(f"A simulated service runs at {simulator.base_url}. Its catalogue:")
        play(environment, "demo/catalogue.yml", changed=0)
        title("Check mode shows the orders. Nothing is sent.")
        play(environment, "--check", "--diff", "demo/orders.yml", changed=5)
        title("The next run places the orders.")
        play(environment, "demo/orders.yml", changed=5)
        title("The last run sends nothing, because every order is already in the ledger.")
        play(environment, "demo/orders.yml", changed=0)
        title("The orders that the service received:")
        orders = simulator.orders()
        for order in orders:
            shown = {
                name: "********" if PRIVATE.match(name) else value for name, value in (order["settings"] or {}).items()
            }
            settings = json.dumps(shown, ensure_ascii=False)
            short = settings if len(settings) <= SHOWN else settings[: SHOWN - 1] + "…"
            print(f"{order['id']}  {order['product_type']:<17} for {order['end_user']}\n  {short}")
        if len(orders) != 5:
            sys.exit(f"The demo expected 5 orders at the service, but it received {len(orders)}.")
        print("\n5 orders, each placed once. Passwords and contacts are not shown.")
        print(NEXT)


if __name__ == "__main__":
    main()
