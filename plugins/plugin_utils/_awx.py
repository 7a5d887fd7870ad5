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
    "correct": "Correct the answers that the service names, and launch the workflow again.",
    "drift": "Answer as the ledger has it. To order another contract, answer with another hostname, domain or name.",
    "duplicate": (
        "To keep the recorded contract, remove this order from the answers. If the recorded order is in doubt, launch "
        'the workflow "Hosting Reseller: Settle an order".'
    ),
    "l2vpn": (
        'Look it up in the customer portal. Launch the workflow again, and answer "L2VPNs" with a line "name: UUID" '
        "for that server. Nothing is ordered twice."
    ),
    "max_orders": (
        "A lost ledger makes the plan larger. If the plan is right, ask an administrator of AWX to raise "
        "awx_reseller_max_orders."
    ),
    "nameservers": "Launch the workflow again when they respond.",
    "products": 'The template "Hosting Reseller: Products" lists what can be ordered.',
    "results": "All that is known of each order is in the output of the failed task.",
    "adopt": (
        "If it is this order's, ask an administrator to adopt it with reseller_ledger, outside of AWX. If that "
        "contract has ended, ask an administrator of AWX to set awx_reseller_read_back to false."
    ),
    "look": 'The template "Hosting Reseller: Ledger" lists all orders.',
    "read_back": "Ask an administrator of AWX to correct that, or to set awx_reseller_read_back to false.",
    "record": (
        "Check the customer portal. If the record is wrong, ask an administrator to correct it with reseller_ledger, "
        "outside of AWX."
    ),
    "settle": (
        'Launch the workflow "Hosting Reseller: Settle an order". '
        'The template "Hosting Reseller: Orders in doubt" lists all of them.'
    ),
    "settle_as": 'If it is, launch the workflow "Hosting Reseller: Settle an order", and answer with this contract ID.',
    "address": (
        "If the service has a new address, ask an administrator to record that with reseller_ledger and state: moved, "
        "outside of AWX."
    ),
    "connection": (
        'Ask an administrator of AWX to check the credential "Hosting Reseller": its fields "Base URL", "API key" and '
        '"Organization ID".'
    ),
    "elements": (
        'Ask an administrator of AWX to fill the fields "Request element of the end user" and "Request element of the '
        'product" of the credential "Hosting Reseller".'
    ),
    "ids": (
        "Check the end user, product and other IDs in the answers. If they are right, ask an administrator of AWX to "
        'check the fields "Base URL" and "Organization ID" of the credential "Hosting Reseller".'
    ),
    "ledger": 'Ask an administrator of AWX to correct the field "Ledger" of the credential "Hosting Reseller".',
    "libraries": (
        "Ask an administrator of AWX to rebuild the image of the execution environment, or to choose another execution "
        "environment."
    ),
    "network": (
        'Ask an administrator of AWX to check the field "Base URL" of the credential "Hosting Reseller", and whether '
        "jobs can reach that address (DNS, proxy, firewall, certificate)."
    ),
    "older_ledger": (
        'If there is an older ledger, order nothing. Ask an administrator of AWX to correct the field "Ledger" of the '
        'credential "Hosting Reseller".'
    ),
    "release": (
        "Ask an administrator of AWX to rebuild the image of the execution environment from the release that wrote the "
        "ledger, or from a newer one, and to update the project."
    ),
    "resolvers": "Ask an administrator of AWX to give jobs a DNS resolver.",
    "restore": "Order nothing until an administrator has restored the ledger.",
}


def words_of(environ: Mapping[str, str], variables: Mapping[str, Any]) -> Mapping[AdviceKey, str]:
    """The table for a task with this environment and these variables: none outside of AWX, or in a template of others.

    Who writes a playbook and its template reads what its options are called.
    """
    in_awx = any(all(environ.get(name) for name in names) for names in _JOBS)
    template = str(variables.get(_TEMPLATE_NAME) or _TEMPLATES)
    return WORDS if in_awx and template.startswith(_TEMPLATES) else {}
