# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a task of the collection in the controller's process instead of as a module, where that gives the same result.

A module is zipped, started and imported anew for each task and loop item. Here the libraries are imported once, in the
process that forks the workers, and one connection to the service serves a whole loop.
"""

from __future__ import annotations

import datetime
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from ansible import constants as C  # noqa: N812 - the name that all of Ansible uses
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import remove_values
from ansible.module_utils.errors import UnsupportedError
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.hosting.reseller.plugins.module_utils import _transport
from ansible_collections.hosting.reseller.plugins.module_utils._documented import JSONSCHEMA_ERROR
from ansible_collections.hosting.reseller.plugins.module_utils._errors import ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._hiding import hidden_params, maskable, overmasked
from ansible_collections.hosting.reseller.plugins.module_utils._secrets import masked
from ansible_collections.hosting.reseller.plugins.module_utils._task import Context, Shared, Task

display = Display()

#: Values of ansible_python_interpreter that leave the choice to Ansible.
_DISCOVERY = ("auto", "auto_silent", "auto_legacy", "auto_legacy_silent")
#: Variables of an AWX job that are options of the modules that order.
_JOB_VARIABLES = ("awx_job_id", "awx_workflow_job_id")

#: What one worker process shares between the items of a loop: a session with the service, and what was learned of it.
_shared = Shared()


class InProcessAction(ActionBase):  # type: ignore[misc]
    """An adapter of one Task. Subclasses say which, and which module does the same elsewhere."""

    TASK: ClassVar[Task]
    MODULE: ClassVar[str]

    _supports_check_mode = True
    _supports_async = True
    _requires_connection = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        variables = task_vars or {}
        arguments = {**self._job_arguments(variables), **self._task.args}
        if not self._runs_here(variables):
            wrap_async = bool(self._task.async_val) and not self._connection.has_native_async
            executed = self._execute_module(
                module_name=self.MODULE, module_args=arguments, task_vars=variables, wrap_async=wrap_async
            )
            return {**result, **executed}
        extra: dict[str, Any] = {}
        self._compute_environment_string(extra)
        with _as_a_module_would(self._loader.get_basedir(), extra):
            return {**result, **self._run_here(as_module_input(arguments))}

    def _job_arguments(self, variables: Mapping[str, Any]) -> dict[str, str]:
        known = [name for name in _JOB_VARIABLES if name in self.TASK.argument_spec]
        return {name: str(variables[name]) for name in known if variables.get(name)}

    def _runs_here(self, variables: Mapping[str, Any]) -> bool:
        return (
            self._connection.transport in ("local", "ansible.builtin.local")
            and self._connection.become is None
            and not self._task.async_val
            and _transport.IMPORT_ERROR is None
            and JSONSCHEMA_ERROR is None
            and self._interpreter_is_ours(variables)
        )

    def _interpreter_is_ours(self, variables: Mapping[str, Any]) -> bool:
        wanted = variables.get("ansible_python_interpreter") or C.config.get_config_value(
            "INTERPRETER_PYTHON", variables=dict(variables)
        )
        wanted = str(self._templar.template(wanted)).strip()
        if wanted in _DISCOVERY:
            return True
        found = shutil.which(wanted)
        return found is not None and os.path.abspath(found) == os.path.abspath(sys.executable)

    def _run_here(self, arguments: dict[str, Any]) -> dict[str, Any]:
        validated = ArgumentSpecValidator(self.TASK.argument_spec, **self.TASK.constraints).validate(arguments)
        params: dict[str, Any] = {**arguments, **validated.validated_parameters}
        warnings: list[str] = []
        if validated.error_messages:
            message = validated.errors.msg
            if isinstance(validated.errors[0], UnsupportedError):
                message = f"Unsupported parameters for ({self.MODULE}) module: {message}"
            outcome: dict[str, Any] = {"failed": True, "msg": message}
        else:
            outcome = self._outcome(params, warnings)
        outcome["invocation"] = {"module_args": hidden_params(params)}
        if warnings:
            outcome["warnings"] = warnings
        no_log_values = (validated._no_log_values | maskable(params)) - overmasked(params)
        shown: dict[str, Any] = remove_values(outcome, no_log_values)
        return shown

    def _outcome(self, params: dict[str, Any], warnings: list[str]) -> dict[str, Any]:
        context = Context(
            params=params,
            check_mode=bool(self._task.check_mode),
            diff=bool(self._task.diff),
            environ=os.environ,
            warn=warnings.append,
            progress=display.display,
            shared=_shared,
        )
        secrets = maskable(params)
        try:
            shown: dict[str, Any] = masked(self.TASK.run(context), secrets)
        except ResellerError as error:
            shown = {**masked({**error.results, "msg": error.message}, secrets), "failed": True}
        finally:
            context.close()
        return {"changed": False, **shown}


def as_module_input(value: Any) -> Any:
    """Plain JSON values, as a module would receive them: without tags, and with dates as text."""
    if isinstance(value, Mapping):
        return {str(as_module_input(key)): as_module_input(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [as_module_input(item) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    for plain in (int, float):
        if isinstance(value, plain):
            return plain(value)
    # Before ansible-core 2.19 a text that must not be templated is a kind of str, which str() hands on as it is.
    return str.__str__(value) if isinstance(value, str) else str(value)


@contextmanager
def _as_a_module_would(folder: str, extra: Mapping[str, Any]) -> Iterator[None]:
    """The environment and the working folder of a local module, for as long as the task runs."""
    environment, here = dict(os.environ), os.getcwd()
    os.environ.update({str(name): str(value) for name, value in extra.items()})
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(environment)


__all__ = ["InProcessAction", "as_module_input"]
