# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measures what orders cost, against `ansible.builtin.uri` and plain scripts.

    python -m bench.run [--rounds 5] [--cpu] [row ...]

Each round runs every side of every row once, one after the other, so that a machine that is busy for a while is so for
all of them. What counts are the ratios within a round; the table shows their medians and ranges, and the medians of the
times. How far a playbook that does nothing varies tells how much the machine's own noise is. It ends with 1 if a row
misses its goal in every round. A floor is what the same costs without the collection: what ours takes above it counts.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from .plays import Bench, Spent
from .rows import ROWS, Row


@dataclass(frozen=True)
class Round:
    """The sides of a row in one round, and its floor if it has one."""

    reference: Spent
    ours: Spent
    floor: Spent | None

    @property
    def ratio(self) -> float:
        """What ours takes above the floor of the same round, or all of it where there is no floor, in references."""
        least = self.floor.seconds if self.floor else 0.0
        return (self.ours.seconds - least) / self.reference.seconds


def measured_round(row: Row, bench: Bench) -> Round:
    reference, ours = row.measure(bench)
    return Round(reference, ours, row.floor[1](bench) if row.floor else None)


def met(row: Row, rounds: Sequence[Round]) -> bool:
    """True if the best round meets the goal."""
    best = min(each.ratio for each in rounds)
    return best <= row.goal and (row.megabytes is None or more_memory(rounds) <= row.megabytes)


def more_memory(rounds: Sequence[Round]) -> float:
    return min(each.ours.megabytes / each.reference.megabytes for each in rounds)


def shown(row: Row, rounds: Sequence[Round]) -> Iterator[str]:
    reference = statistics.median(each.reference.seconds for each in rounds)
    ours = statistics.median(each.ours.seconds for each in rounds)
    ratios = [each.ratio for each in rounds]
    spread = f"{min(ratios):.3f}-{max(ratios):.3f}"
    times = f"{reference * 1000:>9.2f} {ours * 1000:>9.2f} {statistics.median(ratios):>7.3f} {spread:>13}"
    yield f"{row.work:<50} {row.reference:<31} {times} {row.goal:>6} {'met' if met(row, rounds) else 'NOT MET'}"
    if row.floor:
        floors = [(each.floor.seconds, each.floor.seconds / each.reference.seconds) for each in rounds if each.floor]
        seconds, least = (statistics.median(values) for values in zip(*floors, strict=True))
        spread = f"{min(part for _s, part in floors):.3f}-{max(part for _s, part in floors):.3f}"
        yield f"{f'  its floor: {row.floor[0]}':<92} {seconds * 1000:>9.2f} {least:>7.3f} {spread:>13}"
    if row.megabytes is not None:
        few = statistics.median(each.reference.megabytes for each in rounds)
        many = statistics.median(each.ours.megabytes for each in rounds)
        memory = f"{few:>9.0f} {many:>9.0f} {more_memory(rounds):>7.3f} {'':>13} {row.megabytes:>6}"
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
    rounds: dict[str, list[Round]] = {row.name: [] for row in chosen}
    nothing: list[Spent] = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as started:
        bench = Bench(Path(folder), started, cpu=options.cpu)
        bench.nothing()
        for number in range(options.rounds):
            nothing.append(bench.nothing())
            for row in chosen:
                rounds[row.name].append(measured_round(row, bench))
                print(f"round {number + 1}: {row.name:<10} {rounds[row.name][-1].ratio:.3f}", file=sys.stderr)
    columns = f"{'work':<50} {'reference':<31} {'ref. ms':>9} {'ours ms':>9} {'ratio':>7} {'range':>13} {'goal':>6}"
    print("", columns, "-" * len(columns), sep="\n")
    for row in chosen:
        print(*shown(row, rounds[row.name]), sep="\n")
    print("", noise(nothing), sep="\n")
    sys.exit(any(not met(row, rounds[row.name]) for row in chosen))


if __name__ == "__main__":
    main()
