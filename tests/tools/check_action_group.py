# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fail unless the action group of meta/runtime.yml lists exactly the modules of plugins/modules."""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
GROUP = "reseller"


def problems(listed: list[str], modules: set[str]) -> list[str]:
    """Name every difference between the names in the group and the modules that exist."""
    found = [f"{name} is missing from the action group" for name in sorted(modules - set(listed))]
    found += [f"{name} is in the action group, but there is no such module" for name in sorted(set(listed) - modules)]
    if listed != sorted(set(listed)):
        found.append("the names are not sorted, or one is there twice")
    return found


def main() -> int:
    runtime = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))
    modules = {path.stem for path in (ROOT / "plugins" / "modules").glob("*.py") if path.stem != "__init__"}
    found = problems(runtime["action_groups"][GROUP], modules)
    for problem in found:
        print(f"meta/runtime.yml: action_groups.{GROUP}: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
