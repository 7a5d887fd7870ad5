# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Python keeps the compiled files of the collection, also where Ansible's importer loads its plugins."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SHOWN = """
import json, sys
from ansible.plugins.loader import action_loader, init_plugin_loader
init_plugin_loader([sys.argv[1]])
plugin = action_loader.get("hosting.reseller.reseller_contracts", class_only=True)
ours = {name: module for name, module in sys.modules.items() if name.startswith("ansible_collections.hosting.")}
print(json.dumps([plugin.__module__, {name: getattr(module, "__cached__", None) for name, module in ours.items()}]))
"""


def test_python_keeps_compiled_files_when_ansible_loads_a_plugin() -> None:
    command = [sys.executable, "-c", SHOWN, str(ROOT / ".cache")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    plugin, cached = json.loads(done.stdout)
    prefix = plugin.partition(".plugins.")[0] + ".plugins."
    for name in ("module_utils._tasks.contracts", "module_utils._core.text", "plugin_utils._in_process"):
        assert cached[prefix + name].endswith(".pyc"), name
