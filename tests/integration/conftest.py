# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The service of each test, and where its runs may keep what they know."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import FileLocation
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import mount_of, why_forgotten
from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.conftest import LEARNED, SimulatorFactory
from tests.support.described import service_file
from tests.support.playbooks import Runner

SHORT_FORM = "apiplatform"
#: For tests that tell a service of each shape from the others.
each_shape = pytest.mark.parametrize(
    "shape", [SHORT_FORM, *(pytest.param(shape, marks=pytest.mark.full) for shape in sorted({*LEARNED} - {SHORT_FORM}))]
)


def in_shape(shape: str) -> pytest.MarkDecorator:
    """The service of a test, or of all tests of a file, has this shape."""
    return pytest.mark.parametrize("shape", [shape])


@pytest.fixture
def shape() -> str:
    return SHORT_FORM


@pytest.fixture
def simulator(shape: str, start_simulator: SimulatorFactory) -> Simulator:
    """A simulator with nothing ordered yet."""
    return start_simulator(shape)


def described(runner: Runner, base_url: str) -> dict[str, str]:
    """The environment for a service without an OpenAPI document. Its file has the elements of an order."""
    path = service_file(runner.folder, base_url, order={"end_user": "forUser", "product": "productUuid"})
    service = {"BASE_URL": base_url, "API_KEY": data.API_KEY, "ORGANIZATION_ID": data.ORGANIZATION_ID, "SERVICE": path}
    return {f"RESELLER_{name}": value for name, value in service.items()}


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    """A home for the default ledger. In a container whose files vanish that is not the folder of the test."""
    folder = tmp_path / "state"
    if why_forgotten(FileLocation(folder / "ledger.db", is_default=True), folder, mount_of(folder)) is None:
        yield folder
        return
    folder = Path("/dev/shm") / f"reseller-{tmp_path.name}-{os.getpid()}"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
