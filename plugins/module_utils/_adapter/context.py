# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Defines a task of the collection."""

from __future__ import annotations

import multiprocessing
import multiprocessing.util
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NamedTuple, TypeVar, cast

Result = dict[str, Any]

_Opened = TypeVar("_Opened")

#: Ctrl-C, the request to end, and the end of the terminal or connection that the run was started from.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TIMED_OUT = (
    "The task's timeout (timeout, ANSIBLE_TASK_TIMEOUT) ran out while it was sending. Nothing more is sent. What was "
    "sent is waited for and recorded."
)


class Shared:
    """Services and ledgers that several tasks of one process share, each by the values it was opened with.

    ``since`` is when the process began to share: Ansible forks one for each task, with all items of its loop.
    A connection must not cross a fork, so a process forgets what its parent shared. All is closed when it ends.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._opened: dict[Any, Any] = {}
        self._kept: dict[Any, tuple[Any, float]] = {}
        self.since = time.time()

    def keep(self, key: Any, value: Any) -> None:
        """Keep a value that needs no closing: what is opened may be closed meanwhile, and opened again."""
        self._forget_after_fork()
        self._kept[key] = value, time.monotonic()

    def kept(self, key: Any, max_age: float) -> Any:
        """The value that was kept at most ``max_age`` seconds ago, or ``None``."""
        self._forget_after_fork()
        value, since = self._kept.get(key, (None, 0.0))
        return value if time.monotonic() - since <= max_age else None

    def opened(self, key: Any, make: Callable[[], _Opened]) -> _Opened:
        """Return what was opened for this key, or what ``make`` opens now."""
        self._forget_after_fork()
        if key not in self._opened:
            if not self._opened:
                multiprocessing.util.Finalize(self, self.close, exitpriority=1)
            self._opened[key] = make()
        return cast(_Opened, self._opened[key])

    def close(self) -> None:
        """Close all. Claims without a recorded outcome are in doubt from now on."""
        self._forget_after_fork()
        while self._opened:
            self._opened.popitem()[1].close()

    def _forget_after_fork(self) -> None:
        if self._owner != os.getpid():
            self._owner, self._opened, self._kept, self.since = os.getpid(), {}, {}, time.time()


@dataclass
class Context:
    """The context of one task: its options, how it runs, and where its output goes.

    ``params`` are validated options, ``environ`` the environment that the task sees. ``progress`` shows a person how
    far a long task is, ``urgent`` what is to be read even while the run is being ended. ``interrupted`` is a signal
    to be obeyed once the result is shown; ``timed_out``: Ansible's timeout of the task ran out while it was sending.
    ``job`` has the IDs of AWX jobs. ``shared`` outlives the task; ``at_end`` is closed when it ends. ``hidden`` are
    secrets among the options that only the task knows to be some.
    """

    params: Mapping[str, Any]
    check_mode: bool
    diff: bool
    environ: Mapping[str, str]
    warn: Callable[[str], None]
    progress: Callable[[str], None] = lambda line: None
    urgent: Callable[[str], None] = lambda line: None
    interrupted: int | None = None
    timed_out: bool = False
    job: Mapping[str, str | None] = field(default_factory=dict)
    shared: Shared = field(default_factory=Shared)
    at_end: ExitStack = field(default_factory=ExitStack)
    hidden: set[str] = field(default_factory=set)

    @contextmanager
    def signals_held(self, stop: Callable[[], None]) -> Iterator[None]:
        """Make a signal call ``stop`` instead of ending the process, and keep the first one in ``interrupted``.

        Signals that are ignored, as by ``nohup``, stay ignored. Ansible's timeout of the task, which is an alarm, calls
        ``stop``, too, and cuts nothing from then on: the result shows what was sent. To be used by the main thread.
        """

        def time_out(_number: int, _frame: FrameType | None) -> None:
            self.timed_out = True
            self.warn(TIMED_OUT)
            self.urgent(TIMED_OUT)
            stop()

        before = {each: signal.getsignal(each) for each in SIGNALS if signal.getsignal(each) is not signal.SIG_IGN}
        for each in before:
            signal.signal(each, lambda number, _frame: self._interrupt(number, stop))
        if callable(signal.getsignal(signal.SIGALRM)):
            # Ansible takes it away when the task has ended.
            signal.signal(signal.SIGALRM, time_out)
        try:
            self.check_parent(stop)
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def check_parent(self, stop: Callable[[], None]) -> None:
        """Stop a run whose parent has gone: not every signal that ends Ansible's main process reaches this one."""
        parent = multiprocessing.parent_process()
        if parent is not None and parent.pid != os.getppid():
            self._interrupt(signal.SIGTERM, stop)

    def _interrupt(self, number: int, stop: Callable[[], None]) -> None:
        if self.interrupted is None:
            self.interrupted = number
            stop()

    def close(self) -> None:
        """End the task, and with it what it would share."""
        self.at_end.close()
        self.shared.close()


class Task(NamedTuple):
    """The work of one module of the collection, whose documentation describes its options.

    ``run`` returns the result, or raises ResellerError. ``constraints`` are arguments of ArgumentSpecValidator that a
    documentation cannot have. ``describes``: what stands under a secret's name in the result is a description.
    """

    run: Callable[[Context], Result]
    constraints: Mapping[str, Any] = {}
    describes: bool = False
