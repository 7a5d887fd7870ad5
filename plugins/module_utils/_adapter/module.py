# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Builds AnsibleModule, and turns typed errors into failed tasks. No other file does."""

from __future__ import annotations

import os
import sys
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.common.parameters import remove_values

from .._core.errors import ResellerError
from .argspec import explained
from .context import Context, Result, Task
from .no_log import Masking


class ResellerModule(AnsibleModule):  # type: ignore[misc]
    """AnsibleModule that also masks secrets in free-form options, which no argument spec can name.

    They would else be shown by the log of the target, by arguments errors and by ``invocation`` at -vvv.
    """

    params: dict[str, Any]
    no_log_values: set[str]
    describes = False
    hidden: frozenset[str] | set[str] = frozenset()

    def fail_json(self, msg: str, **kwargs: Any) -> None:
        super().fail_json(explained(msg), **kwargs)

    def _log_invocation(self) -> None:
        shown = self.params
        self.params = Masking(shown).params()
        try:
            super()._log_invocation()
        finally:
            self.params = shown

    def _return_formatted(self, kwargs: dict[str, Any]) -> None:
        masking = Masking(self.params, describes=self.describes, hidden=self.hidden)
        self.no_log_values = masking.left_to_ansible(self.no_log_values)
        super()._return_formatted(masking.shown(kwargs))


def run_module(task: Task) -> None:
    """Run a task as a module: check its options, run it, and exit with its result or its error."""
    module = ResellerModule(argument_spec=task.argument_spec, supports_check_mode=True, **task.constraints)
    module.describes = task.describes

    def warn(text: str) -> None:
        masking = Masking(module.params, hidden=module.hidden)
        # ansible-core 2.19 and later mask no warnings.
        module.warn(remove_values(masking.text(text), masking.left_to_ansible(module.no_log_values)))

    context = Context(
        params=module.params,
        check_mode=module.check_mode,
        diff=module._diff,
        environ=os.environ,
        warn=warn,
        result=sys.stdout.fileno(),
    )
    module.hidden = context.hidden
    failure: ResellerError | None = None
    result: Result = {}
    try:
        result = task.run(context)
    except ResellerError as error:
        failure = error
    finally:
        context.close()
    # Not from within the handler: ansible-core would show a traceback at -vvv, which tells nothing about the order.
    if failure is not None:
        module.fail_json(msg=failure.message, **failure.results)
    module.exit_json(**result)
