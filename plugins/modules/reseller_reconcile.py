#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_reconcile
short_description: Compare the ledger with the contracts that the service shows
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Reads the contracts that the service shows, and settles orders in doubt by evidence. It never orders anything, and never removes a record.
  - It also adopts contracts that the ledger lacks, and reports recorded contracts that are gone or are something else now.
  - Contracts can be read only if the published reference of the service has an operation for it. If not, a warning says so, and nothing changes.
  - A contract that is shown may settle an order. A contract that is not shown proves nothing, because a list may lag behind.
  - What the elements of a contract mean is learned from contracts whose ids are in the ledger. Without such a contract, only a marker or an id
    that the service told settles an order.
options:
  names:
    description: Names of the orders to settle and to compare. By default all.
    type: list
    elements: str
  settle:
    description: Whether to write to the ledger what the evidence settles.
    type: bool
    default: true
  evidence:
    description:
      - What settles an order in doubt.
      - V(conclusive) takes the marker of the claim (R0), an id that the interrupted response told (R1), and the only new contract since before
        the order (R2).
      - V(strong) also takes the only contract that was created at the time of the order and has everything that it asked for (R3). Use it for
        orders that were sent without O(hosting.reseller.reseller_contract#module:read_back).
    type: str
    choices: [conclusive, strong]
    default: conclusive
  window:
    description: Seconds after its claim in which an order's contract may have been created.
    type: int
    default: 3600
  skew:
    description: Seconds before its claim in which an order's contract may have been created, because clocks differ.
    type: int
    default: 60
  adopt:
    description:
      - Contracts to adopt. Each is the id of a contract, or a mapping of C(contract_id) and C(name).
      - A contract that the ledger has already is left as it is.
    type: list
    elements: raw
  adopt_all:
    description:
      - Whether to adopt all contracts that the ledger lacks and that have a free name.
      - Run the task in check mode first, and set O(approve) to the RV(digest) that it returns.
    type: bool
    default: false
  adopt_names:
    description:
      - What an adopted contract is named by. Where the contract shows none, its other name or its id is used.
      - Orders are named by their hostname or domain by default, so that playbooks find contracts that are adopted by these.
    type: str
    choices: [hostname, domain, contract_id]
    default: hostname
  approve:
    description:
      - The RV(digest) of the list of contracts that you approved. If the current list differs, the task fails and writes nothing.
      - Required with O(adopt_all=true) outside check mode. A list with nothing to adopt needs no approval.
    type: str
attributes:
  check_mode:
    support: full
    details:
      - Reads from the service and lists what would be written.
  diff_mode:
    support: full
  idempotent:
    support: full
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.reseller.learning
  - hosting.reseller.reseller.reading
  - hosting.reseller.attributes
  - hosting.reseller.attributes.action_group
seealso:
  - module: hosting.reseller.reseller_ledger
  - module: hosting.reseller.reseller_ledger_info
"""

EXAMPLES = r"""
- name: Settle what the service's list of contracts proves
  hosting.reseller.reseller_reconcile:
  register: reconciled

- name: Show what is left for a person
  ansible.builtin.debug:
    msg: "{{ reconciled.ambiguous + reconciled.unseen }}"

- name: List the contracts that the ledger lacks
  hosting.reseller.reseller_reconcile:
    adopt_all: true
  check_mode: true
  register: found

- name: Adopt them, if the list is still the same
  hosting.reseller.reseller_reconcile:
    adopt_all: true
    approve: "{{ found.digest | default(omit, true) }}"
"""

RETURN = r"""
settled:
  description: Orders in doubt that are settled as ordered; in check mode, those that would be.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: The name of the order.
      type: str
    contract_id:
      description: The id of its contract.
      type: str
    rank:
      description: The rank of the evidence, V(R0) to V(R3).
      type: str
    evidence:
      description: What the verdict rests on, in sentences.
      type: list
      elements: str
adopted:
  description: Contracts that are adopted; in check mode, those that would be.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: The name under which the contract is recorded.
      type: str
    contract_id:
      description: The id of the contract.
      type: str
    product:
      description: The product, V(null) if it is not known.
      type: str
    product_type:
      description: The type of the product, V(null) if what was ordered is not known. Such a contract is recorded by its name and id alone.
      type: str
    end_user:
      description: The end-user target, V(null) if it is not known.
      type: str
    hostname:
      description: The hostname that the contract shows.
      type: str
    domain:
      description: The domain that the contract shows.
      type: str
    evidence:
      description: Why it is adopted, or why not, in sentences.
      type: list
      elements: str
ambiguous:
  description: Orders in doubt that a person has to settle. C(candidates) are the ids of contracts that may be what they bought.
  returned: success
  type: list
  elements: dict
unseen:
  description: Orders in doubt for which no contract is shown. That proves nothing.
  returned: success
  type: list
  elements: dict
gone:
  description:
    - Recorded contracts that the service does not know any more, with C(name), C(contract_id) and C(evidence). Their records stay.
    - Reported only if the service says so of the contract itself, its complete list agrees, and shows another recorded contract of the same end user.
  returned: success
  type: list
  elements: dict
mismatched:
  description: Recorded contracts that show another product, end user, hostname or domain than was ordered. Their records stay.
  returned: success
  type: list
  elements: dict
unrecorded:
  description: Contracts that the service shows and the ledger lacks, in the form of RV(adopted).
  returned: success
  type: list
  elements: dict
digest:
  description: A digest of what is, or would be, adopted, for O(approve). V(null) if there is nothing to adopt.
  returned: success, and on failure when the list is not the approved one
  type: str
complete:
  description: Whether the lists of contracts are complete. If not, nothing is settled, and nothing is gone.
  returned: success
  type: bool
unclear:
  description: Why elements of contracts could not be learned, by their roles.
  returned: success
  type: dict
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.reconcile import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
