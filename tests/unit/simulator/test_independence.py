# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The simulator shares no code with what it tests, and runs where only the collection is installed."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from tests.support.playbooks import ROOT

SIMULATOR = ROOT / "playbooks/files/simulator"


def imported() -> Iterator[str]:
    """The top-level modules that the simulator imports from elsewhere."""
    for path in SIMULATOR.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                # Two dots lead from shapes to the simulator, three from there out of it.
                assert node.level <= len(path.relative_to(SIMULATOR).parts), path
                if node.level == 0:
                    yield str(node.module).partition(".")[0]


def test_simulator_imports_only_the_standard_library_and_requirements_of_the_collection() -> None:
    requirements = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert {"requests", "PyYAML"} <= set(re.findall(r"(?m)^[\w-]+", requirements))
    assert set(imported()) - sys.stdlib_module_names == {"requests", "yaml"}
