# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measures what orders cost, against `ansible.builtin.uri` and plain scripts.

    python -m bench.run [--rounds 5] [--cpu] [row ...]

Each round runs every side of every row once, one after the other, so that a machine that is busy for a while is so for
all of them. What counts are the ratios within a round; the table shows their medians and ranges, and the medians of the
times. How far a playbook that does nothing varies tells how much the machine's own noise is. It ends with 1 if a row
misses its goal in every round.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from .plays import Bench, Spent
from .rows import ROWS, Row, Sides


def ratio(sides: Sides) -> float:
    return sides[1].seconds / sides[0].seconds


def met(row: Row, measured: Sequence[Sides]) -> bool:
    """Whether the best round meets the goal."""
    return min(map(ratio, measured)) <= row.goal and (row.megabytes is None or more_memory(measured) <= row.megabytes)


def more_memory(measured: Sequence[Sides]) -> float:
    return min(ours.megabytes / reference.megabytes for reference, ours in measured)


def shown(row: Row, measured: Sequence[Sides], floors: Sequence[Spent]) -> Iterator[str]:
    reference, ours = (statistics.median(sides[side].seconds for sides in measured) for side in (0, 1))
    ratios = [*map(ratio, measured)]
    spread = f"{min(ratios):.3f}-{max(ratios):.3f}"
    times = f"{reference * 1000:>9.2f} {ours * 1000:>9.2f} {statistics.median(ratios):>7.3f} {spread:>13}"
    yield f"{row.work:<50} {row.reference:<31} {times} {row.goal:>6} {'met' if met(row, measured) else 'NOT MET'}"
    if row.floor:
        least = [floor.seconds / sides[0].seconds for floor, sides in zip(floors, measured, strict=True)]
        spread = f"{min(least):.3f}-{max(least):.3f}"
        seconds = statistics.median(floor.seconds for floor in floors)
        at_least = f"{seconds * 1000:>9.2f} {statistics.median(least):>7.3f} {spread:>13}"
        yield f"{f'  its floor: {row.floor[0]}':<92} {at_least}"
    if row.megabytes is not None:
        few, many = (statistics.median(sides[side].megabytes for sides in measured) for side in (0, 1))
        memory = f"{few:>9.0f} {many:>9.0f} {more_memory(measured):>7.3f} {'':>13} {row.megabytes:>6}"
        yield f"{'  its peak memory (MB)':<82} {memory}"


def noise(nothing: Sequence[Spent]) -> str:
    times = [spent.seconds for spent in nothing]
    least, most, middle = min(times), max(times), statistics.median(times)
    span = f"{least * 1000:.0f}-{most * 1000:.0f} ms"
    return f"a playbook that does nothing: {span}, which is {(most - least) / middle:.0%} of the median"


def main() -> None:
    names = [row.name for row in ROWS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured")
    parser.add_argument("--cpu", action="store_true", help="compare the time of processors, on a busy machine")
    parser.add_argument("rows", nargs="*", metavar="row", help=f"only these: {', '.join(names)}")
    options = parser.parse_args()
    if unknown := set(options.rows) - set(names):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    chosen = [row for row in ROWS if not options.rows or row.name in options.rows]
    measured: dict[str, list[Sides]] = {row.name: [] for row in chosen}
    nothing: list[Spent] = []
    floors: dict[str, list[Spent]] = {row.name: [] for row in chosen}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as started:
        bench = Bench(Path(folder), started, cpu=options.cpu)
        bench.nothing()
        for number in range(options.rounds):
            nothing.append(bench.nothing())
            for row in chosen:
                measured[row.name].append(row.measure(bench))
                if row.floor:
                    floors[row.name].append(row.floor[1](bench))
                print(f"round {number + 1}: {row.name:<10} {ratio(measured[row.name][-1]):.3f}", file=sys.stderr)
    columns = f"{'work':<50} {'reference':<31} {'ref. ms':>9} {'ours ms':>9} {'ratio':>7} {'range':>13} {'goal':>6}"
    print("", columns, "-" * len(columns), sep="\n")
    for row in chosen:
        print(*shown(row, measured[row.name], floors[row.name]), sep="\n")
    print("", noise(nothing), sep="\n")
    sys.exit(any(not met(row, measured[row.name]) for row in chosen))


if __name__ == "__main__":
    main()
