# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The options that all modules share, and those that several modules share."""

    # How a stack is given and checked.
    STACK = r"""
options:
  path:
    description:
      - Path of the stack file on the controller. With O(content), the path is only shown in messages.
      - If O(content) is not given, the file must not contain secrets in plain text, such as C(password) or C(authcode). Move them to O(secrets), or
        encrypt the file with ansible-vault and pass its text as O(content).
    type: path
  content:
    description: Content of the stack file, for a file that was read (and decrypted) elsewhere. Its values are not quoted in errors.
    type: str
  stack:
    description: The stack as data, with the keys of a stack file.
    type: dict
  defaults:
    description:
      - Values for contracts that do not set them, by product type, such as C(vps) or C(domain).
      - The C(defaults) of the stack take precedence over this option. An entry that is V(null) or empty counts as not given, except C(existing_l2vpn).
    type: dict
    default: {}
  secrets:
    description: Settings that are kept out of the stack, such as C(password) or C(authcode), by the name of the contract.
    type: dict
    default: {}
  l2vpn_ids:
    description:
      - UUIDs of L2VPNs that the service's response did not contain, by the name of the dedicated server that each was created with.
      - If a server with this name is not ordered yet, it joins the L2VPN.
    type: dict
    default: {}
  validation:
    description: Whether to check the rules of the catalogue in addition to those of the specification.
    type: str
    choices: [catalogue, specification]
    default: catalogue
  on_drift:
    description: What to do when the ledger has an order with this name but other values. See M(hosting.reseller.reseller_contract).
    type: str
    choices: [fail, warn]
    default: fail
  allow_second:
    description: Whether to buy a second one of the same thing, as in M(hosting.reseller.reseller_contract). It holds for all contracts of the stack.
    type: raw
    default: false
  verify_nameservers:
    description: Whether to query the nameservers of a domain before ordering the domain. See M(hosting.reseller.reseller_contract).
    type: bool
    default: true
requirements:
  - dnspython >= 2.4 (to query the nameservers of a domain)
"""

    # How many orders are sent in one task.
    MANY = r"""
options:
  concurrency:
    description: How many orders to send at the same time, from 1 to 32. If the service asks to slow down, all of them wait.
    type: int
    default: 4
  on_error:
    description:
      - What to do when an order fails. V(stop) sends no further orders.
      - It sends nothing at all if an order of the plan is in doubt or differs from its record in the ledger.
      - V(continue) sends all other orders, and the task fails at the end.
    type: str
    choices: [stop, continue]
    default: stop
  max_orders:
    description: Maximum number of orders to send. If the plan needs more, the task fails and sends nothing.
    type: int
  plan_file:
    description:
      - Absolute path of a file with the plan. In check mode, the task writes RV(plan) and RV(plan_digest) to it, for its owner alone.
      - A run reads it, so that it can list how the plan differs, and resume a plan of which orders were sent. It approves nothing by itself.
    type: path
  approved_plan:
    description:
      - The RV(plan_digest) that you approved. If the current plan differs, the task fails, lists the differences and sends nothing.
      - Required with O(plan_file), except in check mode, and never empty. An approval orders each name once.
      - A run that resumes O(plan_file) sends what was never claimed, or was rejected or not sent, if nothing else is requested.
    type: str
"""

    WAIT = r"""
options:
  wait:
    description:
      - Whether to wait until the contracts are ready, also those that are in the ledger already. It needs C(contracts.state) and C(contracts.ready)
        in the service's file, and a list of contracts that can be read. Without them, nothing is sent.
      - A state in C(contracts.failed) or C(contracts.ended) fails the task at once, and so does an ordered contract without a known ID.
      - Whatever the wait does, what was ordered stays ordered and recorded. Run again to wait on.
    type: bool
    default: false
  wait_timeout:
    description: Seconds to wait at most, in all. The list is read every few seconds, less often with time, and not before C(Retry-After).
    type: int
    default: 1800
"""

    READ_BACK = r"""
options:
  read_back:
    description:
      - Whether to read the service's list of contracts, by default within 10 requests and 10 seconds. V(false) never reads.
      - An order is refused if the list shows a contract like it that the ledger lacks. The list also settles what is in doubt.
      - If the list in which the contract would be is not read to its end, the task warns.
      - With V(true), nothing is sent without that list, and recorded orders are looked up.
    type: bool
"""
