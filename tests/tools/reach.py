# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print, for each package, how many statements no test reaches but a unit test, and which.

    python -m tests.tools.reach UNIT OTHERS

Each argument is a data file of coverage: what unit tests have run, and what all other tests have run. Such statements
are a promise that no playbook has needed so far: test it as a user would meet it, or end it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import NamedTuple

import coverage

ROOT = Path(__file__).resolve().parents[2]


class Lines(NamedTuple):
    """The numbers of a file's lines with a statement: all, those that only unit tests run, and those that none runs."""

    statements: set[int]
    unit_alone: set[int]
    unreached: set[int]


def package(name: str) -> str:
    """Return the package of a file that is named from plugins on: one of module_utils, or another kind of plugin."""
    kind, *rest = PurePath(name).parts[1:]
    return rest[0] if kind == "module_utils" and len(rest) > 1 else kind


def table(files: Mapping[str, Lines]) -> Iterator[str]:
    """Return a row for each package, with the sum below: statements, reached by unit tests alone, and by no test."""
    counts: Counter[tuple[str, int]] = Counter()
    for name, lines in files.items():
        for at, found in enumerate(lines):
            counts.update({(package(name), at): len(found), ("together", at): len(found)})
    names = sorted({name for name, _at in counts} - {"together"})
    yield f"{'package':<18}{'statements':>10}{'unit alone':>12}{'%':>6}{'none':>7}"
    for name in (*names, "together"):
        statements, alone, none = (counts[name, at] for at in range(3))
        yield f"{name:<18}{statements:>10}{alone:>12}{100 * alone / max(statements, 1):>6.1f}{none:>7}"


def measured(unit: Path, others: Path, folder: str = "plugins") -> dict[str, Lines]:
    """Return the lines of each file below a folder, by its path in the checkout."""
    unit_run, other_run = (_executed(data_file) for data_file in (unit, others))
    files = {}
    reader = coverage.Coverage(data_file=None)
    for path in sorted((ROOT / folder).rglob("*.py")):
        name, known = str(path.relative_to(ROOT)), {*reader.analysis2(str(path))[1]}
        by_unit, by_others = known & unit_run.get(name, set()), known & other_run.get(name, set())
        files[name] = Lines(known, by_unit - by_others, known - by_unit - by_others)
    return files


def _executed(data_file: Path) -> dict[str, set[int]]:
    data = coverage.CoverageData(str(data_file))
    data.read()
    # The tests import the collection through a link.
    return {str(Path(name).resolve().relative_to(ROOT)): {*(data.lines(name) or ())} for name in data.measured_files()}


def main() -> None:
    unit, others = map(Path, sys.argv[1:])
    files = measured(unit, others)
    print("Statements that no test reaches but a unit test (unit alone), or that no test reaches (none):")
    print(*table(files), sep="\n")
    places = unit.with_name("unit_alone.txt")
    alone = {name: sorted(lines.unit_alone) for name, lines in files.items() if lines.unit_alone}
    places.write_text("".join(f"{name}: {lines}\n" for name, lines in alone.items()), encoding="utf-8")
    print(f"Their lines: {places}")


if __name__ == "__main__":
    main()
