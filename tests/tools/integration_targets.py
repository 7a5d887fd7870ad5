# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run ansible-test integration against the simulator, on a copy of the checkout, with the Python that runs this script.

python -m tests.tools.integration_targets [target ...]
"""

from __future__ import annotations

import string
import sys

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.tools.sanity import ROOT, copy_checkout, run_ansible_test

TREE = ROOT / ".cache" / "integration" / "ansible_collections" / "hosting" / "reseller"


def configuration(base_url: str) -> str:
    """The content of integration_config.yml: ansible-test hands on no variables of the environment."""
    template = (TREE / "tests/integration/integration_config.yml.template").read_text(encoding="utf-8")
    known = {"API_KEY": data.API_KEY, "ORGANIZATION_ID": data.ORGANIZATION_ID, "END_USER": data.END_USER}
    return string.Template(template).substitute(known, BASE_URL=base_url)


def main() -> int:
    copy_checkout(TREE)
    with Simulator() as simulator:
        config = TREE / "tests/integration/integration_config.yml"
        config.write_text(configuration(simulator.base_url), encoding="utf-8")
        return run_ansible_test(TREE, "integration", *sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
