# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What `make coverage` prints of statements that no test reaches but a unit test."""

from __future__ import annotations

from pathlib import Path

import coverage

from tests.tools import reach

REGISTRY = "plugins/module_utils/_product_types/registry.py"
ACTION = "plugins/action/reseller_contract.py"


def test_statements_are_counted_by_the_tests_that_reach_them(tmp_path: Path) -> None:
    """From real data files, one of which names the collection by the link that tests import it through."""
    through_link = reach.ROOT / ".cache/ansible_collections/hosting/reseller"
    registry = coverage.Coverage(data_file=None).analysis2(str(reach.ROOT / REGISTRY))[1]
    for name, root, lines in (("unit", reach.ROOT, registry[:3]), ("others", through_link, registry[1:2])):
        data = coverage.CoverageData(str(tmp_path / name))
        # A comment is no statement.
        data.add_lines({str(root / REGISTRY): [1, *lines]})
        data.write()
    files = reach.measured(tmp_path / "unit", tmp_path / "others", "plugins/module_utils/_product_types")
    assert files[REGISTRY] == ({*registry}, {registry[0], registry[2]}, {*registry[3:]})
    shown = [line.split() for line in reach.table({REGISTRY: files[REGISTRY], ACTION: reach.Lines({1}, set(), {1})})]
    count = len(registry)
    assert shown[1:] == [
        ["_product_types", str(count), "2", f"{200 / count:.1f}", str(count - 3)],
        ["action", "1", "0", "0.0", "1"],
        ["together", str(count + 1), "2", f"{200 / (count + 1):.1f}", str(count - 2)],
    ]
