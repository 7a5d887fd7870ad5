# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The site of the trials, how many there are, and the table of what they came to."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from playbooks.files.simulator.running import Simulator
from tests.faults.forked_task import nursery
from tests.faults.scene import HARMS, Row, Scene, Site, Store
from tests.faults.wire import Wire
from tests.support.lives import drawn
from tests.support.postgresql import Server

RESULT = "fault_trials"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("faults")
    group.addoption("--trials", type=int, default=0, metavar="N", help="trials of each case of the fault campaign")


@pytest.fixture(scope="session")
def site(postgresql: Server) -> Iterator[Site]:
    """One service and one source of runs for all trials of this process."""

    with (
        Simulator("plain") as simulator,
        Wire(simulator.base_url) as wire,
        closing(nursery()) as forked,
    ):
        yield Site(simulator, wire, forked, postgresql.create_database)


@pytest.fixture
def scene_of(site: Site, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., Scene]:
    """Sets a scene: an empty service, a user of its own, and a ledger that does not exist yet."""

    def make(row: Row, store: Store, number: int = 0, without: str = "") -> Scene:
        site.simulator.reset()
        site.wire.arm(None)
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        ledger = str(folder / "ledger" / "ledger.db") if store == "sqlite" else site.new_database()
        seed = f"{request.config.getoption('lives')}{request.node.name}{number}"
        life = drawn(seed, **{"database": store == "postgresql", **row.wanted})
        return Scene(site, replace(life, ledger=ledger), folder, number, without)

    return make


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table over all workers: their reports bring along what their trials came to."""
    rows: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == RESULT and report.when == "call":
                    ledger, kind, counts = value
                    rows[ledger, kind].update(counts)
                    rows["postgresql, sqlite", "all"].update(counts)
    if not rows:
        return
    columns = ("trials", "in doubt", *HARMS)
    terminalreporter.section("fault campaign")
    line = ("{:<19} {:<13}" + " {:>11}" * len(columns)).format
    terminalreporter.write_line(line("ledger", "fault", *columns))
    for row, counts in sorted(rows.items(), key=lambda each: (each[0][1] == "all", each[0])):
        terminalreporter.write_line(line(*row, *(counts[column] for column in columns)))
