# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a message says to do where it is read in AWX. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping

from ..module_utils._core.errors import ApprovalError, ResellerError

#: Both are set in a job of AWX; ansible-runner alone sets the first one.
_OF_A_JOB = ("AWX_ISOLATED_DATA_DIR", "JOB_ID")
# As awx/configuration.yml names them.
_SETTLE = (
    'Launch the workflow "Hosting Reseller: Settle an order". '
    'The template "Hosting Reseller: Orders in doubt" lists all of them.'
)
_LAUNCH_AGAIN = "Launch the workflow again, and approve the new plan."
_MOST = (
    "A lost ledger makes the plan larger. If the plan is right, ask an administrator of AWX to raise "
    "awx_reseller_max_orders."
)


def message_of(error: ResellerError, environ: Mapping[str, str]) -> str:
    """The message of a failed task. In a job of AWX, its advice is what a person can do there, and no shell command."""
    if not (error.advice and all(environ.get(name) for name in _OF_A_JOB)):
        return error.message
    results = [error.results, *error.results.get("results", ())]
    if any(each.get("settle_with") for each in results):
        advice = _SETTLE
    else:
        advice = _LAUNCH_AGAIN if isinstance(error, ApprovalError) else _MOST
    return f"{error.without_advice.rstrip()}\n{advice}"
