# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Attributes of the modules: check mode, diff mode and idempotency.

    Every module takes the base fragment C(attributes), the fragment of its action groups, and either
    C(attributes.info_module) or its own C(support) and C(details) for the three attributes of the base fragment.
    """

    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: With C(--check), reports what a run would do, and changes nothing.
  diff_mode:
    description: With C(--diff), shows what the run changes, or what it would change in check mode.
  idempotent:
    description: A second run with the same options changes nothing, unless what it reads has changed.
  action:
    description: Runs in the process of the controller, as an action plugin.
    support: full
    details:
      - Runs as the user who runs Ansible, with the variables of the host of the play, whatever C(become) says. That host need not exist.
      - Ansible prepares a connection to it that is not used. Where that fails, C(delegate_to=localhost) prepares the one to the controller.
  async:
    description: Supports C(async).
    support: none
    details: Ansible refuses such a task. Nothing is sent.
"""

    INFO_MODULE = r"""
options: {}
attributes:
  check_mode:
    support: full
    details: This module only reads.
  diff_mode:
    support: N/A
    details: This module changes nothing.
  idempotent:
    support: full
    details: This module changes nothing.
"""

    #: For modules that talk to the service, for those that use the ledger, and for those that do both.
    SERVICE_GROUP = r"""
options: {}
attributes:
  action_group:
    description: In C(module_defaults), C(group/hosting.reseller.reseller) sets the options of the connection for all modules that talk to the service.
    support: full
    membership:
      - hosting.reseller.reseller
"""

    LEDGER_GROUP = r"""
options: {}
attributes:
  action_group:
    description: In C(module_defaults), C(group/hosting.reseller.ledger) sets O(ledger) and O(new_ledger) for all modules that use the ledger.
    support: full
    membership:
      - hosting.reseller.ledger
"""

    BOTH_GROUPS = r"""
options: {}
attributes:
  action_group:
    description:
      - In C(module_defaults), C(group/hosting.reseller.reseller) sets the connection, and C(group/hosting.reseller.ledger) O(ledger) and O(new_ledger).
    support: full
    membership:
      - hosting.reseller.reseller
      - hosting.reseller.ledger
"""
