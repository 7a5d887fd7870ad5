# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What of a measure counts against its goal."""

from __future__ import annotations

import pytest

from bench.plays import Spent
from bench.rows import ROWS, Row
from bench.run import Round, met

START = next(row for row in ROWS if row.name == "start")
MEMORY = next(row for row in ROWS if row.megabytes)


@pytest.mark.parametrize(
    ("row", "rounds", "good"),
    [
        (START, [Round(Spent(2.0), Spent(3.0), Spent(2.7))], True),
        (START, [Round(Spent(2.0), Spent(3.0), Spent(2.5))], False),
        (START, [Round(Spent(2.0), Spent(3.0), Spent(2.5)), Round(Spent(2.0), Spent(2.8), Spent(2.5))], True),
        (MEMORY, [Round(Spent(1.0, 100), Spent(1.1, 240), None)], True),
        (MEMORY, [Round(Spent(1.0, 100), Spent(1.1, 260), None)], False),
        (MEMORY, [Round(Spent(1.0, 100), Spent(1.3, 100), None)], False),
    ],
    ids=["above the floor", "too much above it", "best of two rounds", "memory", "too much memory", "no floor"],
)
def test_best_round_above_its_floor_counts(row: Row, rounds: list[Round], good: bool) -> None:
    assert met(row, rounds) is good
