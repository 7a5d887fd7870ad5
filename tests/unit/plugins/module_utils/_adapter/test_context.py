# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task does with signals while it sends."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import SIGNALS, TIMED_OUT, Context


class CutError(BaseException):
    """What Ansible raises when the timeout of a task runs out."""


def cut(_number: int, _frame: object) -> None:
    raise CutError


@pytest.fixture
def handlers() -> Iterator[None]:
    """Handlers that end the task, as Ansible and Python have them."""
    before = {number: signal.signal(number, cut) for number in (*SIGNALS, signal.SIGALRM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def context(told: list[str]) -> Context:
    return Context({}, check_mode=False, diff=False, environ={}, warn=told.append)


@pytest.mark.parametrize("number", SIGNALS)
def test_signal_is_held_while_a_task_sends_and_obeyed_later(handlers: None, context: Context, number: int) -> None:
    stopped: list[bool] = []
    with context.signals_held(lambda: stopped.append(True)):
        signal.raise_signal(number)
    assert (stopped, context.interrupted, context.timed_out) == ([True], number, False)
    with pytest.raises(CutError):
        signal.raise_signal(number)


def test_timeout_of_the_task_stops_sending_and_cuts_nothing(handlers: None, context: Context, told: list[str]) -> None:
    stopped: list[bool] = []
    with context.signals_held(lambda: stopped.append(True)):
        signal.raise_signal(signal.SIGALRM)
    assert (stopped, context.interrupted, context.timed_out, told) == ([True], None, True, [TIMED_OUT])


def test_timeout_does_not_take_the_result_of_a_task_that_has_sent(handlers: None, context: Context) -> None:
    with context.signals_held(lambda: None):
        pass
    signal.raise_signal(signal.SIGALRM)
    assert context.timed_out


def test_task_without_a_timeout_leaves_its_alarm_alone(context: Context) -> None:
    before = signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with context.signals_held(lambda: None):
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    signal.signal(signal.SIGALRM, before)
