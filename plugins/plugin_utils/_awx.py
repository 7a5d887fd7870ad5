# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What to do about an error where it is read in AWX: with the means of the people there. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..module_utils._core.advice import AdviceKey

#: The names of all job templates of awx/configuration.yml begin with this.
_TEMPLATES = "Hosting Reseller: "
_TEMPLATE_NAME = "awx_job_template_name"
#: Variables that are set in a job, all of one line. ansible-runner alone sets AWX_ISOLATED_DATA_DIR.
_JOBS = (("AWX_ISOLATED_DATA_DIR", "JOB_ID"), ("INVENTORY_UPDATE_ID",))

WORDS: Mapping[AdviceKey, str] = {
    "again": "Launch the workflow again. Nothing is ordered twice.",
    "approve": "Launch the workflow again, and approve the new plan.",
    "max_orders": (
        "A lost ledger makes the plan larger. If the plan is right, ask an administrator of AWX to raise "
        "awx_reseller_max_orders."
    ),
    "results": "All that is known of each order is in the output of the failed task.",
    "settle": (
        'Launch the workflow "Hosting Reseller: Settle an order". '
        'The template "Hosting Reseller: Orders in doubt" lists all of them.'
    ),
}


def words_of(environ: Mapping[str, str], variables: Mapping[str, Any]) -> Mapping[AdviceKey, str]:
    """The table for a task with this environment and these variables: none outside of AWX, or in a template of others.

    Who writes a playbook and its template reads what its options are called.
    """
    in_awx = any(all(environ.get(name) for name in names) for names in _JOBS)
    template = str(variables.get(_TEMPLATE_NAME) or _TEMPLATES)
    return WORDS if in_awx and template.startswith(_TEMPLATES) else {}
