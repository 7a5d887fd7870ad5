# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share: simulators, a PostgreSQL server where asked for, and no silent skips where CI is set."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import signal
import tempfile
from collections import ChainMap
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import PIPELINES
from playbooks.files.simulator.running import Simulator
from playbooks.files.simulator.shapes import SHAPES
from tests.support import forked_playbook, lives, playbooks
from tests.support import postgresql as postgresql_server
from tests.support.lives import Life
from tests.support.nursery import Nursery
from tests.support.postgresql import Server

SimulatorFactory = Callable[..., Simulator]

# Set by the process that was started as pytest; its workers (pytest-xdist) inherit it.
SHARED = "RESELLER_TESTS_SHARED"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="every trial of the fault campaign (more than 1,000), every playbook against all shapes",
    )
    parser.addoption(
        "--lives", default="", metavar="SEED", help="draw other users than those that each test always has"
    )


#: How many examples Hypothesis tries in each form, and for how long does not matter. In the short form they are the
#: same ones each time, so that a change is judged by what it changed.
EXAMPLES = {"short": 20, "full": 400}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for garbage neither among the thousands of tests nor while they are collected."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what runs with --full only."""
    if config.getoption("full"):
        return
    left_out = {item for item in items if item.get_closest_marker("full")}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def pytest_configure(config: pytest.Config) -> None:
    # For tests that call Ansible in this process; it is read when Ansible is imported first.
    os.environ.setdefault("ANSIBLE_CONFIG", str(Path(__file__).with_name("ansible.cfg")))
    # A script's background job ignores it, and so would all that is started here, and interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for form, examples in EXAMPLES.items():
        settings.register_profile(form, max_examples=examples, deadline=None, derandomize=form == "short")
    settings.load_profile("full" if config.getoption("full") else "short")
    if not config.getoption("full"):
        playbooks.nursery = Nursery(forked_playbook.__name__)
    if not is_worker(config):
        os.environ[SHARED] = tempfile.mkdtemp(prefix="reseller-tests-")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many states of small worlds were explored, over all workers."""
    reports = [each for each in terminalreporter.stats.get("passed", ()) if each.when == "call"]
    for line in [value for each in reports for name, value in each.user_properties if name == "explored"]:
        terminalreporter.write_line(f"explored: {line}")


def pytest_unconfigure(config: pytest.Config) -> None:
    if playbooks.nursery is not None:
        playbooks.nursery.close()
    if not is_worker(config) and (shared := os.environ.pop(SHARED, None)):
        postgresql_server.close_shared(Path(shared))
        shutil.rmtree(shared)


_homes = itertools.count()
#: Tests run as on a machine that keeps its files, wherever they run.
IN_PIPELINE = bool(os.environ.get("CI"))


@pytest.fixture(autouse=True)
def homes_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test learns of a service or a ledger must serve no other one, nor the person who runs the tests."""
    folder = Path(os.environ[SHARED], f"home-{os.getpid()}-{next(_homes)}")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    for name in PIPELINES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def start_simulator() -> Iterator[SimulatorFactory]:
    """Start a simulator, once with the same options: ``start_simulator("plain", no_contracts=True)``."""
    with ExitStack() as running:

        @cache
        def start(shape: str = "apiplatform", *, no_contracts: bool = False) -> Simulator:
            return running.enter_context(Simulator(shape, no_contracts=no_contracts))

        yield start


#: The shapes of services that the collection learns without a file.
LEARNED = sorted({*SHAPES} - {"house"})


@pytest.fixture(params=LEARNED)
def simulator(request: pytest.FixtureRequest, start_simulator: SimulatorFactory) -> Simulator:
    """A simulator with nothing ordered yet, once in each shape."""
    return start_simulator(request.param)


@pytest.fixture
def runner(tmp_path: Path) -> playbooks.Runner:
    """Runs playbooks in the folder of the test."""
    return playbooks.Runner(tmp_path)


@pytest.fixture(scope="session")
def postgresql() -> Server:
    """A real PostgreSQL server that all tests share. A test that stops or restarts its server starts one itself."""
    return postgresql_server.shared(Path(os.environ[SHARED]))


@pytest.fixture
def postgresql_dsn(postgresql: Server) -> Iterator[str]:
    """The address of an empty database that this test alone uses, on the shared server."""
    dsn = postgresql.create_database()
    yield dsn
    postgresql.drop_database(dsn)


@pytest.fixture
def life(request: pytest.FixtureRequest, tmp_path: Path) -> Life:
    """The user of a test, another one with each ``--lives SEED``. A test that fails shows who it was.

    A test that holds for some only says so: ``@pytest.mark.life(is_read=True)``. See ``Life``.
    """
    seed = request.config.getoption("lives")
    wanted = ChainMap(*(marker.kwargs for marker in request.node.iter_markers("life")))
    found = lives.drawn(f"{seed}{request.node.name}", **wanted)
    ledger = str(tmp_path / "ledger" / "ledger.db")
    if found.database:
        ledger = request.getfixturevalue("postgresql_dsn")
    found = replace(found, ledger=ledger)
    print(f"--lives {seed!r}: {found}")
    return found


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs programs that are not here."""
    for marker in item.iter_markers("programs"):
        missing = [str(name) for name in marker.args if shutil.which(name) is None]
        if missing:
            pytest.skip(f"needs {', '.join(missing)}")


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Where CI is set, turn a skip into a failure: there, all that tests need has to be there, but root."""
    for_root = os.geteuid() != 0 and "root" in str(report.longrepr)
    if IN_PIPELINE and report.skipped and not for_root and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, though CI is set: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # What no package manager of Python brings may be missing there, too.
    if item.get_closest_marker("programs") is None:
        refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    refuse_skip(report)
    return report
