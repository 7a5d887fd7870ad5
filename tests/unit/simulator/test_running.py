# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Starting, stopping and asking the simulator."""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from tests.simulator import data
from tests.simulator.nursery import ForkedSimulator, Nursery
from tests.simulator.running import ROOT, Simulator, SimulatorError


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_announces_itself_anywhere_and_ends_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.simulator", "--port", "0", "--shape", "plain"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("simulator listening on http://127.0.0.1:")
    port = int(line.strip().rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)):
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (0, "", "")


def test_terminal_shows_what_a_playbook_needs() -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "tests.simulator", "--port", "0", "--shape", "plain"]
    with subprocess.Popen(command, cwd=ROOT, stdout=theirs) as process, os.fdopen(ours) as terminal:
        os.close(theirs)
        address = terminal.readline().split()[-1]
        shown = [terminal.readline().strip() for _rest in range(9)]
        ledger = Path(shown[5].partition("export RESELLER_LEDGER=")[2])
        assert ledger.parent.stat().st_mode & 0o777 == 0o700
        process.terminate()
    assert not ledger.parent.exists()
    assert shown[2:5] == [
        f"export RESELLER_BASE_URL={address}",
        f"export RESELLER_API_KEY={data.API_KEY}",
        f"export RESELLER_ORGANIZATION_ID={data.ORGANIZATION_ID}",
    ]
    assert data.END_USER in shown[7]


def test_it_ends_while_a_request_is_held() -> None:
    simulator = Simulator("plain")
    simulator.start()
    simulator.arm("hold")
    process = simulator.process
    assert process is not None
    request = b"POST /api/reseller/contracts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
    port = int(simulator.base_url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request)
        simulator.wait(held=1)
        simulator.stop()
    assert process.returncode == 0


def test_it_ends_with_the_process_that_started_it() -> None:
    simulator = Simulator("plain")
    simulator.start()
    process = simulator.process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(60) == 0
    simulator.stop()


def test_a_wrong_option_is_an_error_that_says_so() -> None:
    with pytest.raises(SimulatorError, match="--shape"):
        Simulator("round").start()


def test_a_port_that_is_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SimulatorError, match=f"cannot listen on 127.0.0.1, port {port}: .*--port 0") as refused:
            Simulator("plain", port=port).start()
    assert "Traceback" not in str(refused.value)


def test_a_fork_is_a_simulator_of_its_own_and_ends_when_it_is_stopped(simulator_nursery: Nursery) -> None:
    one, other = (ForkedSimulator(simulator_nursery, "plain") for _rest in range(2))
    one.start()
    other.start()
    one.order(data.WEBHOSTING_START)
    assert (len(one.orders()), len(other.orders())) == (1, 0)
    one.stop()
    other.order(data.WEBHOSTING_START)
    assert len(other.orders()) == 1
    other.stop()
    for stopped in (one, other):
        with pytest.raises(requests.ConnectionError):
            requests.get(stopped.base_url, timeout=10)


def test_a_fork_that_does_not_start_says_so(simulator_nursery: Nursery) -> None:
    with pytest.raises(SimulatorError, match="usage"):
        ForkedSimulator(simulator_nursery, "round").start()


def test_requests_are_listed_and_forgotten(simulator: Simulator) -> None:
    simulator.get("/api/reseller/products?page=1")
    simulator.order(data.WEBHOSTING_START)
    simulator.order("nothing")
    listed = [(found["method"], found["path"], found["status"]) for found in simulator.requests()]
    success, refused = {"apiplatform": (201, 422), "laravel": (201, 422), "plain": (200, 400)}[simulator.shape]
    assert listed == [
        ("GET", "/api/reseller/products?page=1", 200),
        ("POST", "/api/reseller/contracts", success),
        ("POST", "/api/reseller/contracts", refused),
    ]
    simulator.reset()
    assert simulator.requests() == []
    assert simulator.orders() == []
    assert len(simulator.l2vpns()) == len(data.L2VPNS)
