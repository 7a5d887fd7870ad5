# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print, for each package, how many statements no test reaches but a unit test, and which.

    python -m tests.tools.reach UNIT OTHERS

Each argument is a data file of coverage: what unit tests have run, and what all other tests have run. Such statements
are a promise that no playbook has needed so far: test it as a user would meet it, or end it.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePath
from typing import NamedTuple

import coverage

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = "plugins"
LIBRARY = "module_utils"


class Lines(NamedTuple):
    """The numbers of a file's lines with a statement: all, those that unit tests run, and those that others run."""

    statements: frozenset[int]
    unit: frozenset[int]
    others: frozenset[int]

    @property
    def unit_alone(self) -> frozenset[int]:
        return self.unit - self.others

    @property
    def unreached(self) -> frozenset[int]:
        return self.statements - self.unit - self.others


def package(name: str) -> str:
    """Return the package of a file that is named from plugins on: one of module_utils, or another kind of plugin."""
    kind, *rest = PurePath(name).parts[1:]
    return rest[0] if kind == LIBRARY and len(rest) > 1 else kind


def ranges(numbers: Collection[int]) -> str:
    """Return line numbers as ``3-5, 8``."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][-1] + 1:
            found[-1][1:] = [number]
        else:
            found.append([number])
    return ", ".join("-".join(map(str, each)) for each in found)


def table(files: Mapping[str, Lines]) -> Iterator[str]:
    """Return a row for each package, with the sum below: statements, reached by unit tests alone, and by no test."""
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for name, lines in files.items():
        for each in (package(name), "together"):
            found = (lines.statements, lines.unit_alone, lines.unreached)
            counts[each] = [old + len(new) for old, new in zip(counts[each], found, strict=True)]
    total = counts.pop("together", [0, 0, 0])
    yield f"{'package':<18}{'statements':>10}{'unit alone':>12}{'%':>6}{'none':>7}"
    for name, (statements, alone, none) in [*sorted(counts.items()), ("together", total)]:
        yield f"{name:<18}{statements:>10}{alone:>12}{100 * alone / max(statements, 1):>6.1f}{none:>7}"


def measured(unit: Path, others: Path) -> dict[str, Lines]:
    """Return the lines of each file of the collection, by its path in the checkout."""
    unit_run, other_run = (_executed(data_file) for data_file in (unit, others))
    files = {}
    reader = coverage.Coverage(data_file=None)
    for path in sorted((ROOT / PLUGINS).rglob("*.py")):
        _name, statements, _excluded, _missing, _text = reader.analysis2(str(path))
        name, known = str(path.relative_to(ROOT)), frozenset(statements)
        files[name] = Lines(known, known & unit_run.get(name, frozenset()), known & other_run.get(name, frozenset()))
    return files


def _executed(data_file: Path) -> dict[str, frozenset[int]]:
    data = coverage.CoverageData(str(data_file))
    data.read()
    # The tests import the collection through a link.
    names = {name: str(Path(name).resolve().relative_to(ROOT)) for name in data.measured_files()}
    return {short: frozenset(data.lines(name) or ()) for name, short in names.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("unit", type=Path)
    parser.add_argument("others", type=Path)
    given = parser.parse_args()
    files = measured(given.unit, given.others)
    print("Statements that no test reaches but a unit test (unit alone), or that no test reaches (none):")
    print(*table(files), sep="\n")
    places = given.unit.with_name("unit_alone.txt")
    alone = {name: ranges(lines.unit_alone) for name, lines in files.items() if lines.unit_alone}
    places.write_text("".join(f"{name}: {lines}\n" for name, lines in alone.items()), encoding="utf-8")
    print(f"Their lines: {places}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
