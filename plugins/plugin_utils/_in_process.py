# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a task of the collection in the process of the controller, whatever host, connection or user it is written for.

The libraries are imported once, in the process that forks the workers, and one connection to the service serves a
whole loop.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from traceback import format_exc
from typing import Any, ClassVar

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.release import __version__ as ansible_version
from ansible.utils.display import Display

from ..module_utils._adapter.context import Context, Shared, Task, ledger_secrets, task_masker
from ..module_utils._adapter.options import check_options
from ..module_utils._core.errors import Advice, ConfigurationError, ResellerError
from ..module_utils._core.text import clean
from ._decrypted import text_reader
from ._documented_options import OptionsValidator

display = Display()

try:
    # Made where the plugin is imported first: in the process that has the terminal.
    _terminal: int | None = os.dup(sys.__stderr__.fileno()) if sys.__stderr__ else None
except (OSError, ValueError):
    _terminal = None

#: The ansible-core that meta/runtime.yml requires.
_LEAST_VERSION = "2.19.0"
#: Variables that AWX sets for its jobs.
_JOB_VARIABLES = ("awx_job_id", "awx_workflow_job_id")

_UNEXPECTED = (
    "The collection failed unexpectedly: {error}\n"
    "What was sent before is in the ledger. Run the task again, and report this with what -vvv shows."
)

#: What one worker process shares between the items of a loop: the ledger, and a session with the service.
_shared = Shared()


class InProcessAction(ActionBase):  # type: ignore[misc]
    """The adapter for one Task, which subclasses set."""

    TASK: ClassVar[Task]
    _validator: ClassVar[OptionsValidator]

    _supports_check_mode = True
    _requires_connection = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Mitogen's strategies make subclasses of action plugins, which are of the same task.
        if "TASK" in vars(cls):
            cls._validator = OptionsValidator(cls.__module__.rpartition(".")[2], cls.TASK.constraints)

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        try:
            result: dict[str, Any] = super().run(tmp, task_vars)
        except AnsibleActionFail as error:
            advice = "Remove async and poll. reseller_contracts orders several at the same time."
            return _failed(ConfigurationError(error.message, Advice(advice if self._task.async_val else "")))
        variables, environment = task_vars or {}, dict[str, Any]()
        self._compute_environment_string(environment)
        try:
            check_version(ansible_version)
            # Before ansible-core converts them, which has no answer to an infinite integer.
            check_options(self._task.args)
            arguments = as_plain(self._task.args)
            with _surroundings(self._loader.get_basedir(), environment):
                job = {name: str(variables[name]) for name in _JOB_VARIABLES if variables.get(name)}
                user = str(variables.get("awx_user_name") or "") or None
                done = self._done(arguments, {"awx_job_id": os.environ.get("JOB_ID") or None, **job}, user)
                return {**result, **done}
        except ConfigurationError as error:
            return {**result, **_failed(error)}

    def _done(self, arguments: dict[str, Any], job: Mapping[str, str | None], user: str | None) -> dict[str, Any]:
        """The result as it may be shown."""
        (params, problem), warned = self._validator.validated(arguments), list[str]()
        context = Context(
            params=params,
            check_mode=self._task.check_mode,
            diff=bool(self._task.diff),
            environ=dict(os.environ),
            warn=warned.append,
            progress=_progress,
            urgent=_urgent,
            shared=_shared,
            job=job,
            user=user,
            read_text=text_reader(self._loader),
            # An address without a password takes it from there.
            hidden={*ledger_secrets(os.environ.get("RESELLER_LEDGER"))},
        )
        outcome = _failed(ConfigurationError(problem)) if problem else self._outcome(context)
        if warned:
            outcome["warnings"] = warned
        masker = task_masker(context.params, describes=self.TASK.describes, hidden=context.hidden)
        shown: dict[str, Any] = masker.result(outcome)
        if context.interrupted is not None:
            _leave(context.interrupted, shown)
        return shown

    def _outcome(self, context: Context) -> dict[str, Any]:
        """The result with all secrets in it."""
        try:
            outcome = self.TASK.run(context)
        except ResellerError as error:
            outcome = _failed(error)
            # Whatever went wrong, the next item of a loop begins with a ledger that is in order.
            _shared.close()
        except BaseException as error:
            _shared.close()
            if not isinstance(error, Exception):
                raise
            # Ansible would show all of it, and a library's error may repeat what it was given.
            outcome = {"failed": True, "msg": _UNEXPECTED.format(error=repr(error)), "exception": format_exc()}
        finally:
            context.at_end.close()
        return {"changed": False, **outcome}


def check_version(version: str) -> None:
    """Raise ConfigurationError for an ansible-core that evaluates text of the service: Ansible only warns of it."""
    if tuple(map(int, version.split(".")[:2])) < tuple(map(int, _LEAST_VERSION.split(".")[:2])):
        raise ConfigurationError(
            f"This ansible-core, {version}, is too old: {_LEAST_VERSION} or newer is needed. Nothing was sent.",
            Advice("Install a newer ansible-core. It is the first one that never evaluates text from the service."),
        )


def _failed(error: ResellerError) -> dict[str, Any]:
    """The result of a task that failed."""
    return {"changed": False, **error.results, "failure": error.failure, "msg": error.message, "failed": True}


def _progress(line: str) -> None:
    if os.environ.get("AWX_ISOLATED_DATA_DIR"):
        # ansible-runner up to 2.4.0 wraps Display.display, and the wrapper writes to a worker's own stderr, which
        # Ansible warns of. This goes to the main process first.
        display.verbose(line, caplevel=-1)
    else:
        display.display(line, stderr=True)


def _urgent(text: str) -> None:
    """Tell a person something while Ansible is ending, when it shows nothing of its worker processes any more."""
    if _terminal is not None:
        with contextlib.suppress(OSError):
            os.write(_terminal, f"{text}\n".encode())


def _leave(signal_held: int, outcome: Mapping[str, Any]) -> None:
    """Tell how it ended, and end as the signal would have ended this process: nobody reads its result any more."""
    kind, entry = ("order", outcome["order"]) if outcome.get("order") else ("operation", outcome.get("record"))
    ended = f"The {kind} {entry['name']} is recorded: {entry['status']}." if entry else "Nothing more was sent."
    _urgent(str(outcome.get("msg") or ended))
    signal.raise_signal(signal_held)


def as_plain(value: Any) -> Any:
    """The options as plain JSON values: without tags, with dates as strings."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {_as_key(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [as_plain(item) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, datetime.date):
        # YAML reads an unquoted time as one. With Z it compares equal to what services show (RFC 3339).
        return value.isoformat().replace("+00:00", "Z")
    for plain in (int, float):
        if isinstance(value, plain):
            return plain(value)
    return str(value)


def _as_key(key: Any) -> str:
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    return str(as_plain(key))


@contextmanager
def _surroundings(folder: str, extra: Mapping[str, Any]) -> Iterator[None]:
    """The environment of the task while it runs, in the playbook's folder where the user may enter it.

    What Python and its libraries warn of is not shown. Raises ConfigurationError for what cannot be a variable.
    """
    before = dict(os.environ)
    try:
        for name, value in extra.items():
            _set_variable(str(name), str(value))
        with contextlib.suppress(OSError):
            os.chdir(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        # The next item of a loop may have others.
        os.environ.clear()
        os.environ.update(before)


def _set_variable(name: str, value: str) -> None:
    try:
        os.environ[name] = value
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"The task's environment has a variable that cannot be set: {clean(name, 40)!r}. Nothing was sent.\n"
            f"Reason: {error}.\nGive environment names without = and values without NUL characters."
        ) from error
