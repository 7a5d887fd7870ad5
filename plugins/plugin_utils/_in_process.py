# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a task of the collection in the controller's process instead of as a module, where that gives the same result.

A module is zipped, started and imported anew for each task and loop item. Here the libraries are imported once, in the
process that forks the workers, and one connection to the service serves a whole loop.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import shutil
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, ClassVar

from ansible import constants as C  # noqa: N812 - the name that all of Ansible uses
from ansible.errors import AnsibleError
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import remove_values
from ansible.module_utils.errors import UnsupportedError
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ..module_utils._adapter import argspec, no_log
from ..module_utils._adapter.argspec import explained
from ..module_utils._adapter.context import Context, Shared, Task
from ..module_utils._adapter.interrupts import Interrupts
from ..module_utils._adapter.ledgers import CONTROLLER
from ..module_utils._adapter.no_log import Masking
from ..module_utils._core.errors import ConfigurationError, ResellerError
from ..module_utils._core.options import check_options
from ..module_utils._ledger import opening
from ._awx import with_awx_advice

display = Display()

try:
    # Made where the plugin is imported first: in the process that has the terminal.
    _terminal: int | None = os.dup(sys.__stderr__.fileno()) if sys.__stderr__ else None
except (OSError, ValueError):
    _terminal = None

#: Values of ansible_python_interpreter that leave the choice to Ansible.
_DISCOVERY = ("auto", "auto_silent", "auto_legacy", "auto_legacy_silent")
#: Variables of an AWX job that are options of the modules that order.
_JOB_VARIABLES = ("awx_job_id", "awx_workflow_job_id")

# What is imported and built once in the process that forks the workers, each of these would do for its own task.
opening.preload(os.environ.get("RESELLER_LEDGER"))

#: What one worker process shares between the items of a loop: the ledger, and a session with the service.
_shared = Shared()


class InProcessAction(ActionBase):  # type: ignore[misc]
    """The adapter for one Task. Subclasses set the Task, and the module that does the same elsewhere."""

    TASK: ClassVar[Task]
    MODULE: ClassVar[str]
    SENDS_ORDERS: ClassVar[bool] = False
    _libraries_found: ClassVar[bool]
    _validator: ClassVar[ArgumentSpecValidator]

    _supports_check_mode = True
    _supports_async = True
    _requires_connection = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        no_log.preload(cls.TASK.argument_spec)
        cls._validator = ArgumentSpecValidator(cls.TASK.argument_spec, **cls.TASK.constraints)
        cls._libraries_found = cls.TASK.offline or _libraries_found()

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        variables = task_vars or {}
        arguments = {**self._job_arguments(variables), **self._task.args}
        try:
            # Before ansible-core converts them, which has no answer to an infinite integer.
            check_options(arguments)
        except ConfigurationError as error:
            return {**result, "failed": True, "changed": False, "msg": error.message}
        wrong = argspec.unusable(as_module_input(arguments), self.TASK.argument_spec)
        if wrong is not None:
            return {**result, "failed": True, "msg": wrong}
        if not self._runs_here(variables):
            return {**result, **with_awx_advice(self._run_as_module(arguments, variables), os.environ)}
        #: What a module would be told beside its options: check mode, whether to return its invocation, …
        internal_options: dict[str, Any] = {}
        self._update_module_args(self.MODULE, internal_options, variables)
        environment: dict[str, Any] = {}
        self._compute_environment_string(environment)
        with _as_a_module_would(self._loader.get_basedir(), environment):
            done = self._run_here(as_module_input(arguments), internal_options)
        return {**result, **with_awx_advice(done, os.environ)}

    def _job_arguments(self, variables: Mapping[str, Any]) -> dict[str, str]:
        known = [name for name in _JOB_VARIABLES if name in self.TASK.argument_spec]
        return {name: str(variables[name]) for name in known if variables.get(name)}

    def _runs_here(self, variables: Mapping[str, Any]) -> bool:
        return (
            self._is_the_controllers_own()
            and not self._task.async_val
            and self._libraries_found
            and self._interpreter_is_ours(variables)
        )

    def _interpreter_is_ours(self, variables: Mapping[str, Any]) -> bool:
        delegate = self._task.delegate_to
        host = variables["ansible_delegated_vars"][delegate] if delegate else variables
        wanted = C.config.get_config_value("INTERPRETER_PYTHON", variables=host)
        wanted = str(self._templar.template(wanted) or "").strip()
        return not wanted or wanted in _DISCOVERY or is_this_python(wanted)

    def _compute_environment_string(self, raw_environment_out: dict[str, Any] | None = None) -> str:
        """As in ActionBase; a task that runs on the controller, as the user who runs Ansible, is told so."""
        environment: dict[str, Any] = {}
        super()._compute_environment_string(environment)
        if self._is_the_controllers_own():
            environment[CONTROLLER] = str(os.geteuid())
        if raw_environment_out is not None:
            raw_environment_out.clear()
            raw_environment_out.update(environment)
        return str(self._connection._shell.env_prefix(**environment))

    def _is_the_controllers_own(self) -> bool:
        local = self._connection.transport in ("local", "ansible.builtin.local")
        return local and self._connection.become is None

    def _run_as_module(self, arguments: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        wrap_async = bool(self._task.async_val) and not self._connection.has_native_async
        result: dict[str, Any] = {}
        # A module that sends orders holds signals back, so its result is still worth waiting for.
        held = Interrupts(lambda: _pass_on(held))
        with held if self.SENDS_ORDERS and not wrap_async else nullcontext():
            try:
                result = self._execute_module(
                    module_name=self.MODULE, module_args=arguments, task_vars=variables, wrap_async=wrap_async
                )
            except AnsibleError as error:
                if held.first is None:
                    raise
                result = {"msg": f"The module was lost ({error}). What it sent is in its ledger."}
        if held.first is not None:
            _leave(held.first, result)
        return result

    def _run_here(self, arguments: dict[str, Any], internal_options: Mapping[str, Any]) -> dict[str, Any]:
        validated = self._validator.validate(arguments)
        params: dict[str, Any] = {**arguments, **validated.validated_parameters}
        hidden: set[str] = set()
        module_warnings = [
            f"Both option {each['option']} and its alias {each['alias']} are set." for each in validated._warnings
        ]
        held_signal: int | None = None
        if validated.error_messages:
            message = validated.errors.msg
            if isinstance(validated.errors[0], UnsupportedError):
                message = explained(f"Unsupported parameters for ({self.MODULE}) module: {message}")
            outcome: dict[str, Any] = {"failed": True, "msg": message}
        else:
            outcome, held_signal = self._outcome(params, internal_options, module_warnings, hidden)
        if module_warnings:
            outcome["warnings"] = module_warnings
        if validated._deprecations:
            outcome["deprecations"] = [
                {name: value for name, value in each.items() if value is not None} for each in validated._deprecations
            ]
        masking = Masking(params, describes=self.TASK.describes, hidden=hidden)
        # Not every release of ansible-core wants it; one that does not ask for it has always had it.
        shown = masking.shown(outcome, invocation=internal_options.get("_ansible_inject_invocation", True))
        unmasked = masking.left_to_ansible(validated._no_log_values)
        if unmasked:
            shown = remove_values(shown, unmasked)
        if held_signal is not None:
            _leave(held_signal, shown)
        return shown

    def _outcome(
        self,
        params: dict[str, Any],
        internal_options: Mapping[str, Any],
        module_warnings: list[str],
        hidden: set[str],
    ) -> tuple[dict[str, Any], int | None]:
        """The result with all secrets in it, and the signal that the task held back."""
        context = Context(
            params=params,
            check_mode=internal_options["_ansible_check_mode"],
            diff=bool(internal_options["_ansible_diff"]),
            environ=os.environ,
            warn=module_warnings.append,
            progress=_progress,
            urgent=_urgent,
            shared=_shared,
            hidden=hidden,
        )
        try:
            outcome = self.TASK.run(context)
        except ResellerError as error:
            outcome = {**error.results, "msg": error.message, "failed": True}
            # Whatever went wrong, the next item of a loop begins with a ledger that is in order.
            _shared.close_ledgers()
        except BaseException:
            _shared.close_ledgers()
            raise
        finally:
            context.close()
        return {"changed": False, **outcome}, context.interrupted


def _libraries_found() -> bool:
    """Whether the libraries are here that the service and the documented rules need; import and prepare them."""
    from ..module_utils._checks import documented
    from ..module_utils._http import connections, transport
    from ..module_utils._product_options import evidence

    if connections.IMPORT_ERROR is not None or documented.JSONSCHEMA_ERROR is not None:
        return False
    for prepared in (documented, evidence, transport):
        prepared.preload()
    return True


def _progress(line: str) -> None:
    if os.environ.get("AWX_ISOLATED_DATA_DIR"):
        # ansible-runner up to 2.4.0 wraps Display.display, and the wrapper writes to a worker's own stderr, which
        # ansible-core 2.19 and later warns of. This goes to the main process first.
        display.verbose(line, caplevel=-1)
    else:
        display.display(line, stderr=True)


def _urgent(text: str) -> None:
    """Tell a person something while Ansible is ending, when it shows nothing of its worker processes any more."""
    if _terminal is not None:
        with contextlib.suppress(OSError):
            os.write(_terminal, f"{text}\n".encode())


def _pass_on(held: Interrupts) -> None:
    """Pass a signal on to the module, where this process leads a group of its own (from ansible-core 2.19 on).

    Where it does not, Ctrl-C has reached the module already.
    """
    if held.first is not None and os.getpgrp() == os.getpid():
        os.killpg(0, held.first)
    _urgent("Stopping: nothing more is sent. The module's result is waited for.")


def _leave(signal_held: int, outcome: Mapping[str, Any]) -> None:
    """Tell how it ended, and end as the signal would have ended this process: nobody reads its result any more."""
    kind, entry = ("order", outcome["order"]) if outcome.get("order") else ("operation", outcome.get("record"))
    told = f"The {kind} {entry['name']} is recorded: {entry['status']}." if entry else "Nothing more was sent."
    _urgent(str(outcome.get("msg") or told))
    signal.raise_signal(signal_held)


def is_this_python(program: str) -> bool:
    """Whether a program is the running Python.

    Another name in the same folder is: ``python`` and ``python3``. The same program by another path is not, since a
    virtual environment is known by its path.
    """
    found = shutil.which(program)
    if found is None:
        return False
    wanted, ours = os.path.abspath(found), os.path.abspath(sys.executable)
    return os.path.dirname(wanted) == os.path.dirname(ours) and os.path.samefile(wanted, ours)


def as_module_input(value: Any) -> Any:
    """Plain JSON values as a module would receive them: without tags, with dates as strings."""
    if isinstance(value, str):
        # Before ansible-core 2.19 a text that must not be templated is a kind of str, which str() hands on as it is.
        return str.__str__(value)
    if isinstance(value, Mapping):
        return {_as_key(key): as_module_input(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [as_module_input(item) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    for plain in (int, float):
        if isinstance(value, plain):
            return plain(value)
    return str(value)


def _as_key(key: Any) -> str:
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    return str(as_module_input(key))


@contextmanager
def _as_a_module_would(folder: str, extra: Mapping[str, Any]) -> Iterator[None]:
    """The environment and the working folder of a local module, for as long as the task runs.

    What Python and its libraries warn of is not shown: of a module, Ansible shows the result alone.
    """
    environment, here = {str(name): os.environ.get(str(name)) for name in extra}, os.getcwd()
    os.environ.update({str(name): str(value) for name, value in extra.items()})
    os.chdir(folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.chdir(here)
        for name, value in environment.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


__all__ = ["InProcessAction", "as_module_input"]
