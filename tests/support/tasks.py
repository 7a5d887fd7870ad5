# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a task of the collection in this process, as an adapter does: options are checked, and secrets masked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import Context, Shared, task_masker
from ansible_collections.hosting.reseller.plugins.module_utils._adapter.options import check_options
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._core.text import legible
from ansible_collections.hosting.reseller.plugins.plugin_utils._documented_options import OptionsValidator
from tests.support.clocks import HurriedClocks
from tests.support.returned import undocumented

UTILS = "ansible_collections.hosting.reseller.plugins.module_utils._tasks."


@dataclass
class Runner:
    """Runs tasks with common options and an environment. ``warnings`` are those of the last task.

    Where the environment has no directories for state and configuration, the test's own ones serve.
    """

    options: Mapping[str, Any]
    environ: Mapping[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    #: For tasks that are items of one loop.
    shared: Shared | None = None
    #: What is waited for passes at once.
    clocks: HurriedClocks = field(default_factory=HurriedClocks)

    def run(
        self, module: str, options: Mapping[str, Any], *, check: bool = False, diff: bool = False
    ) -> dict[str, Any]:
        """The result of a task as Ansible would show it; ``failed`` and ``msg`` are in it where it failed."""
        task = import_module(f"{UTILS}{module.removeprefix('reseller_')}").TASK
        validator = OptionsValidator(module, task.constraints)
        # As with defaults of the action groups: each module has those that it takes.
        given = {name: value for name, value in self.options.items() if name in validator.argument_spec} | {**options}
        params, problem = validator.validated(given)
        if problem:
            raise AssertionError(problem)
        self.warnings = []
        own = {name: os.environ[name] for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME") if name in os.environ}
        context = Context(
            params=params,
            check_mode=check,
            diff=diff,
            environ={**own, **self.environ},
            warn=self.warnings.append,
            shared=self.shared or Shared(),
            clocks=self.clocks,
        )
        result: dict[str, Any] = {"changed": False}
        try:
            check_options(given)
            result |= task.run(context)
        except ResellerError as error:
            result |= {**error.results, "failure": error.failure, "msg": error.message, "failed": True}
        finally:
            context.at_end.close()
            context.shared.close()
        masker = task_masker(params, describes=task.describes, hidden=context.hidden)
        self.warnings = [legible(masker.text(warning)) for warning in self.warnings]
        if wrong := undocumented(module, result):
            raise AssertionError(f"RETURN of {module} does not describe {wrong}")
        return masker.result(result)


def runner_for(base_url: str, ledger: str, **more: Any) -> Runner:
    """A runner for a service, with this ledger."""
    options = {
        "base_url": base_url,
        "api_key": "test-key-7f3c9a1e",
        "organization_id": "4200",
        "ledger": ledger,
        "timeout": 10,
        **more,
    }
    return Runner(options)
