# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task of the collection is, whether a module or an action plugin runs it."""

from __future__ import annotations

import functools
import multiprocessing.util
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._cache import Cache
from ansible_collections.hosting.reseller.plugins.module_utils._config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._interrupts import Interrupts
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import opening
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.contract import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._nameservers import nameserver_violations
from ansible_collections.hosting.reseller.plugins.module_utils._pace import Pace
from ansible_collections.hosting.reseller.plugins.module_utils._planning import Planner
from ansible_collections.hosting.reseller.plugins.module_utils._service import Knowledge, Service

Result = dict[str, Any]


class Shared:
    """Services and ledgers that outlive a task: those of one process, each for what it was opened with.

    A connection must not cross a fork, so a process forgets what its parent shared. Ledgers are closed when the process
    ends, also one that was forked by multiprocessing.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._services: dict[Any, Service] = {}
        self._ledgers: dict[Any, Ledger] = {}

    def service(self, key: Any, make: Callable[[], Service]) -> Service:
        """The service that was made for this key, or a new one."""
        self._forget_after_fork()
        if key not in self._services:
            self._services[key] = make()
        return self._services[key]

    def ledger(self, key: Any, make: Callable[[], Ledger]) -> Ledger:
        """The ledger that was opened for this key, or a new one."""
        self._forget_after_fork()
        if key not in self._ledgers:
            if not self._ledgers:
                multiprocessing.util.Finalize(self, self.close_ledgers, exitpriority=1)
            self._ledgers[key] = make()
        return self._ledgers[key]

    def close_ledgers(self) -> None:
        """End the runs of these ledgers: what they have claimed and not recorded is in doubt from now on."""
        self._forget_after_fork()
        while self._ledgers:
            self._ledgers.popitem()[1].close()

    def _forget_after_fork(self) -> None:
        if self._owner != os.getpid():
            self._owner, self._services, self._ledgers = os.getpid(), {}, {}


@dataclass
class Context:
    """The surroundings of one task: its options, how it runs, and where its words go.

    ``params`` are validated options, ``environ`` the environment that the task sees. ``progress`` tells a person how
    far a long task is, ``urgent`` what is to be read even while the run is being ended. ``result`` is the descriptor of
    the pipe that the result is written to, if there is one. ``interrupted`` is the signal that a task held back, to be
    obeyed once its result is told. Services and ledgers that are opened here are closed by ``close``.
    """

    params: Mapping[str, Any]
    check_mode: bool
    diff: bool
    environ: Mapping[str, str]
    warn: Callable[[str], None]
    progress: Callable[[str], None] = lambda line: None
    urgent: Callable[[str], None] = lambda line: None
    result: int | None = None
    interrupted: int | None = None
    shared: Shared | None = None
    _opened: list[Service | Ledger] = field(default_factory=list)

    def config(self) -> ServiceConfig:
        """Where the service is. Raises ConfigurationError."""
        return ServiceConfig.from_options(self.params)

    def service(self, pool_size: int = 1) -> Service:
        """The service that the options name; nothing is asked of it yet. Raises ConfigurationError."""
        params = self.params
        knowledge = Knowledge(
            end_user_element=params.get("end_user_element") or None,
            product_element=params.get("product_element") or None,
            catalogue_max_age=float(params.get("catalogue_max_age", 0)),
            refresh=params.get("refresh", True),
        )
        config, folder = self.config(), opening.cache_folder(params.get("ledger"), self.environ)

        def make() -> Service:
            return Service(config, Cache(folder), knowledge, pool_size=pool_size)

        if self.shared is not None:
            return self.shared.service((config, knowledge, folder, pool_size), make)
        service = make()
        self._opened.append(service)
        return service

    def ledger(self, *, writing: bool) -> Ledger:
        """The ledger that the options name; in check mode only read, with a warning where it could not be written.

        Raises LedgerError.
        """
        address = self.params.get("ledger")
        if writing:
            self._warn_of(address)
        writing = writing and not self.check_mode

        def make() -> Ledger:
            return opening.open_ledger(address, environ=self.environ, writing=writing)

        # One that is only read may be a file that nobody had made yet, or that others replace.
        if self.shared is not None and writing:
            return self.shared.ledger((address, os.getcwd(), frozenset(self.environ.items())), make)
        ledger = make()
        self._opened.append(ledger)
        return ledger

    def _warn_of(self, address: str | None) -> None:
        """Tell what may go wrong with a ledger that is written to, or would be without check mode."""
        if advice := opening.relative(address, environ=self.environ):
            self.warn(advice)
        if self.check_mode and (reason := opening.hindrance(address, environ=self.environ)):
            self.warn(f"Without check mode, this task would be refused. {reason}")

    def job(self) -> dict[str, str | None]:
        """The AWX job that this task belongs to. AWX names it by extra variables, and the job also by JOB_ID."""
        return {
            "awx_job_id": self.params.get("awx_job_id") or self.environ.get("JOB_ID") or None,
            "awx_workflow_job_id": self.params.get("awx_workflow_job_id") or None,
        }

    def planner(self, service: Service, ledger: Ledger) -> Planner:
        """What plans orders; it asks a domain's nameservers through the resolvers and port that the options name."""
        preflight = functools.partial(
            nameserver_violations,
            resolvers=self.params["nameserver_resolvers"],
            port=self.params["nameserver_port"],
        )
        return Planner(service, ledger, offline=self.check_mode, preflight=preflight)

    @contextmanager
    def signals_held(self, pace: Pace) -> Iterator[Interrupts]:
        """A signal stops the pace instead of the process, and is kept in ``interrupted``."""
        interrupts = Interrupts(pace.stop, self.result)
        try:
            with interrupts:
                yield interrupts
        finally:
            self.interrupted = interrupts.first

    def close(self) -> None:
        while self._opened:
            self._opened.pop().close()


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


__all__ = ["Context", "Result", "Shared", "Task"]
