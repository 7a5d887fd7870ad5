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
    paths = tmp_path / "unit", tmp_path / "others"
    files = {
        **reach.measured(*paths, "plugins/action"),
        **reach.measured(*paths, "plugins/module_utils/_product_types"),
    }
    assert files[REGISTRY].unit_alone == {registry[0], registry[2]}
    assert files[REGISTRY].unreached == {*registry[3:]}
    assert files[ACTION].unreached == files[ACTION].statements
    lines = list(reach.table({name: files[name] for name in (ACTION, REGISTRY)}))
    own, statements = len(files[ACTION].statements), len(registry)
    assert [line.split() for line in lines[1:]] == [
        ["_product_types", str(statements), "2", f"{200 / statements:.1f}", str(statements - 3)],
        ["action", str(own), "0", "0.0", str(own)],
        ["together", str(own + statements), "2", f"{200 / (own + statements):.1f}", str(own + statements - 3)],
    ]
