# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task of the collection: its context, and what masks the secrets among its options."""

from __future__ import annotations

import multiprocessing
import multiprocessing.util
import os
import signal
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, TypeVar, cast

from .._core.clocks import Clocks
from .._core.errors import LedgerError
from .._locations.locations import read_address
from .._product_types.registry import SECRET_SETTINGS
from .._secrets.masker import Masker, secret_values
from .._secrets.recognition import SHORTEST, distinctive

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

    A connection must not cross a fork, so a process forgets what its parent shared. All is closed when it ends.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._opened: dict[Any, Any] = {}
        self._kept: dict[Any, Any] = {}

    @property
    def kept(self) -> dict[Any, Any]:
        """Values that need no closing, by their keys: what is opened may be closed meanwhile, and opened again."""
        self._forget_after_fork()
        return self._kept

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
            self._owner, self._opened, self._kept = os.getpid(), {}, {}


@dataclass
class Context:
    """The context of one task: its options, how it runs, and where its output goes."""

    #: The validated options.
    params: Mapping[str, Any]
    check_mode: bool
    diff: bool
    #: The environment that the task sees.
    environ: Mapping[str, str]
    warn: Callable[[str], None]
    #: Shows a person how far a long task is.
    progress: Callable[[str], None] = lambda line: None
    #: Shows what is to be read even while the run is being ended.
    urgent: Callable[[str], None] = lambda line: None
    #: The signal to be obeyed once the result is shown.
    interrupted: int | None = None
    #: Whether Ansible's timeout of the task ran out while it was sending.
    timed_out: bool = False
    #: The IDs of AWX jobs, and the user of AWX.
    job: Mapping[str, str | None] = field(default_factory=dict)
    user: str | None = None
    #: What outlives the task, and what is closed when it ends.
    shared: Shared = field(default_factory=Shared)
    at_end: ExitStack = field(default_factory=ExitStack)
    #: Secrets among the options that only the task knows to be some.
    hidden: set[str] = field(default_factory=set)
    clocks: Clocks = field(default_factory=Clocks)
    #: Returns the text of a file, decrypted where Ansible has the secret. Raises OSError.
    read_text: Callable[[str], str] = lambda path: Path(path).read_text(encoding="utf-8")

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

        before = {number: handler for number in SIGNALS if (handler := signal.getsignal(number)) is not signal.SIG_IGN}
        for number in before:
            signal.signal(number, lambda received, _frame: self._interrupt(received, stop))
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


class Task(NamedTuple):
    """The work of one module of the collection, whose documentation describes its options."""

    #: Returns the result, or raises ResellerError.
    run: Callable[[Context], Result]
    #: Arguments of ArgumentSpecValidator that a documentation cannot have.
    constraints: Mapping[str, Any] = {}
    #: Whether what stands under a secret's name in the result is a description.
    describes: bool = False


#: Options and settings that name something.
_NAMES = frozenset(
    {"name", "names", "hostname", "domain", "product", "product_type", "template", "template_name", "end_user"}
)


def secrets_in_options(params: Mapping[str, Any]) -> set[str]:
    """All secrets in the options that are long enough to be masked everywhere."""
    values = {name: value for name, value in params.items() if name != "secrets"}
    names = params.get("secrets")
    if isinstance(names, list):
        # Names of secrets in the parts of a request
        secrets = secret_values([params.get("query"), params.get("body")], [str(name) for name in names])
    else:
        secrets = secret_values({"secrets": names})
    # A misspelt name must not show what it was meant to hide.
    secrets |= secret_values(values, [name for name, _item in _items(values) if _like_a_secret(name)])
    secrets.update(ledger_secrets(params.get("ledger")))
    if params.get("state") != "readdressed":
        # Otherwise it is the address of a service.
        secrets.update(ledger_secrets(params.get("to")))
    return {secret for secret in secrets if len(secret) >= SHORTEST}


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    """All names at any depth with a value, and that. Of many orders, most options are not given."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            if item is not None and not isinstance(item, bool):
                yield str(name), item
                yield from _items(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _items(item)


@lru_cache(maxsize=1024)
def _like_a_secret(name: str) -> bool:
    # Looking for likeness is slow, and many orders have the same few names.
    return bool(get_close_matches(name.lower()[:60], SECRET_SETTINGS, n=1, cutoff=0.8))


def ledger_secrets(address: Any) -> Iterator[str]:
    """The passwords in the address of a database, and the whole, also of what only looks like one and is refused."""
    if not isinstance(address, str):
        return
    try:
        location = read_address(address)
    except LedgerError:
        is_path = address.startswith(("/", "~", ".", "$"))
        if "://" in address or "password" in address or ("@" in address and not is_path):
            yield address
        return
    if location.passwords:
        # libpq 17 and later removes whitespace around a password.
        yield from (address, *location.passwords, *map(str.strip, location.passwords))


def task_masker(params: Mapping[str, Any], *, describes: bool = False, hidden: Collection[str] = frozenset()) -> Masker:
    """Return what masks the secrets of a task's options in its results and messages.

    ``describes`` is that of the Task, ``hidden`` are secrets that nothing in the options shows to be some. A name stays
    as it is, also where a secret is a part of it. A plain word that is a password is masked by its name, and where the
    service repeats it, but not in texts of this collection.
    """
    secrets = secrets_in_options(params) | {secret for secret in hidden if len(secret) >= SHORTEST}
    named = (item for name, item in _items(params) if name in _NAMES)
    names = {name for item in named for name in (item if isinstance(item, list) else [item]) if isinstance(name, str)}
    distinct = set(filter(distinctive, secrets)) | (secrets & {params.get("api_key")})
    # An order whose name is a secret is refused, and its name not shown.
    whole = (names & secrets) | frozenset(hidden)
    return Masker(distinct, whole=whole, kept=names - secrets, by_name=not describes)
