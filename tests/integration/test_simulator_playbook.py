# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook that starts and stops the simulated service, as its guide shows it."""

from __future__ import annotations

import re
import shlex
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from playbooks.files.simulator import data
from tests.support import documentation, playbooks
from tests.support.playbooks import PROGRAM, Play, Runner

GUIDE = "docs/docsite/rst/testing.rst"
PLAYBOOK = "hosting.reseller.simulator"


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def user(runner: Runner, port: int) -> Iterator[Runner]:
    """Somebody whose folder has the playbook of the first order, which the guide runs."""
    blocks = documentation.yaml_blocks("docs/docsite/rst/first_order.rst")
    (order,) = (block.text for block in blocks if block.file_name == "order.yml")
    runner.save("order.yml", order)
    yield runner
    if listening(port):
        run(runner, port, "-e", "state=stopped")


def run(user: Runner, port: int, *arguments: str, times: int = 1) -> Play:
    """Run the playbook, so many times in one process."""
    return user.command({}, *[PLAYBOOK] * times, "-e", f"listen_port={port}", *arguments)


def listening(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.full
def test_service_starts_once_takes_an_order_and_stops_once(user: Runner, port: int) -> None:
    started = run(user, port, times=2)
    assert (started.status, started.changed.count(True)) == (0, 1), started.output
    (exported,) = {*re.findall(r"In each terminal: source (\S+/exports)", started.output)}
    lines = Path(exported).read_text(encoding="utf-8").splitlines()
    exports = dict(shlex.split(line)[1].split("=", 1) for line in lines)
    assert exports["RESELLER_BASE_URL"] == f"http://127.0.0.1:{port}"
    assert Path(exported).parent.stat().st_mode & 0o077 == 0
    assert f"An end user is {data.END_USER}, whose organization is {data.END_USER_ORGANIZATION_ID}." in started.output
    ordered = user.command(exports, "order.yml", "order.yml")
    assert ordered.changed == [True, False], ordered.output
    stopped = run(user, port, "-e", "state=stopped", times=2)
    assert (stopped.status, stopped.changed.count(True)) == (0, 1), stopped.output
    assert not listening(port)
    assert not Path(exported).parent.exists()


@pytest.mark.full
def test_port_of_another_program_a_misspelled_state_and_another_shape_are_refused(user: Runner, port: int) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        taken = run(user, port)
    assert taken.status == 2
    assert f"cannot listen on port {port}" in taken.output
    assert "state is started or stopped, not stoped" in run(user, port, "-e", "state=stoped").output
    assert run(user, port).status == 0
    assert "A simulated service of another shape runs" in run(user, port, "-e", "shape=plain").output


@pytest.mark.full
@pytest.mark.programs("molecule")
def test_scenario_of_the_guide_runs_twice(user: Runner, port: int) -> None:
    for block in documentation.yaml_blocks(GUIDE):
        assert block.file_name
        # The port of this test for the default, which somebody may use on this machine.
        text = re.sub(
            r"(import_playbook: hosting.*\n)(  vars:\n)?", rf"\1  vars:\n    listen_port: {port}\n", block.text
        )
        user.save(block.file_name, text.replace("8080", str(port)))
    env = playbooks.environment(user.folder, {"PATH": f"{PROGRAM.parent}:/usr/bin:/bin"})
    for _time in range(2):
        command = [PROGRAM.with_name("molecule"), "test"]
        done = subprocess.run(command, cwd=user.folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert not listening(port)
