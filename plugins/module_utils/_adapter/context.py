# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Defines a task of the collection."""

from __future__ import annotations

import multiprocessing.util
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from .interrupts import Interrupts

Result = dict[str, Any]


class Closable(Protocol):
    """Something to close when the task ends."""

    def close(self) -> None:
        """Release all resources."""


_Opened = TypeVar("_Opened", bound=Closable)


class Shared:
    """Services and ledgers that several tasks of one process share, each by the values it was opened with.

    A connection must not cross a fork, so a process forgets what its parent shared. Ledgers are closed when the process
    ends, also one that was forked by multiprocessing.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._services: dict[Any, Any] = {}
        self._ledgers: dict[Any, Closable] = {}

    def service(self, key: Any, make: Callable[[], _Opened]) -> _Opened:
        """The service that was opened for this key, or a new one."""
        self._forget_after_fork()
        if key not in self._services:
            self._services[key] = make()
        service: _Opened = self._services[key]
        return service

    def ledger(self, key: Any, make: Callable[[], _Opened]) -> _Opened:
        """The ledger that was opened for this key, or a new one."""
        self._forget_after_fork()
        if key not in self._ledgers:
            if not self._ledgers:
                multiprocessing.util.Finalize(self, self.close_ledgers, exitpriority=1)
            self._ledgers[key] = make()
        ledger: Any = self._ledgers[key]
        opened: _Opened = ledger
        return opened

    def close_ledgers(self) -> None:
        """End the runs of these ledgers. Claims without a recorded outcome are in doubt from now on."""
        self._forget_after_fork()
        while self._ledgers:
            self._ledgers.popitem()[1].close()

    def _forget_after_fork(self) -> None:
        if self._owner != os.getpid():
            self._owner, self._services, self._ledgers = os.getpid(), {}, {}


@dataclass
class Context:
    """The context of one task: its options, how it runs, and where its output goes.

    ``params`` are validated options, ``environ`` the environment that the task sees. ``progress`` tells a person how
    far a long task is, ``urgent`` what is to be read even while the run is being ended. ``interrupted`` is the signal
    that a task held back, to be obeyed once its result is told. What was ``opened`` for it is closed by ``close``.
    ``hidden`` are secrets among the options that only the task knows to be some.
    """

    params: Mapping[str, Any]
    check_mode: bool
    diff: bool
    environ: Mapping[str, str]
    warn: Callable[[str], None]
    progress: Callable[[str], None] = lambda line: None
    urgent: Callable[[str], None] = lambda line: None
    interrupted: int | None = None
    shared: Shared | None = None
    opened: list[Closable] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)

    def job(self) -> dict[str, str | None]:
        """The AWX job of this task. AWX sets extra variables for it, and JOB_ID for the job."""
        return {
            "awx_job_id": self.params.get("awx_job_id") or self.environ.get("JOB_ID") or None,
            "awx_workflow_job_id": self.params.get("awx_workflow_job_id") or None,
        }

    def open_service(self, key: Any, make: Callable[[], _Opened]) -> _Opened:
        """What was opened with the service for this key, where tasks share it, or a new one that ends with the task."""
        if self.shared is not None:
            return self.shared.service(key, make)
        opened = make()
        self.opened.append(opened)
        return opened

    @contextmanager
    def signals_held(self, stop: Callable[[], None]) -> Iterator[Interrupts]:
        """Make a signal call ``stop`` instead of ending the process, and keep it in ``interrupted``."""
        interrupts = Interrupts(stop)
        try:
            with interrupts:
                yield interrupts
        finally:
            self.interrupted = interrupts.first

    def close(self) -> None:
        while self.opened:
            self.opened.pop().close()


@dataclass(frozen=True)
class Task:
    """One module of the collection: its options and what it does with them.

    ``run`` returns the result and raises ResellerError and its kinds. Secrets in the result are masked by the adapter;
    ``describes``: what stands under a secret's name in it is a description, and none.
    """

    argument_spec: dict[str, dict[str, Any]]
    run: Callable[[Context], Result]
    constraints: Mapping[str, Any] = field(default_factory=dict)
    describes: bool = False
