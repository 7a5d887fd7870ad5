# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """What the modules document about check mode, diff mode and idempotency.

    Every module takes the base fragment C(attributes), C(attributes.action_group), and either
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
    description:
      - A second run with the same options changes nothing and reports no change, unless something that the module reads has changed in between.
  action:
    description: Runs in the process of the controller, as an action plugin.
    support: full
  async:
    description: Supports C(async).
    support: none
    details:
      - Ansible refuses such a task. Nothing is sent.
  become:
    description: Runs as the user that C(become) names.
    support: none
    details:
      - Runs as the user who runs Ansible. C(become) has no effect.
  connection:
    description: Connects to the host of the task.
    support: none
    details:
      - No connection is made, and the host need not exist. The connection plugin has to be installed.
  delegation:
    description: Runs on the host that C(delegate_to) names.
    support: none
    details:
      - Runs on the controller, with the variables of the host of the play.
"""

    INFO_MODULE = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - This module only reads.
  diff_mode:
    support: N/A
    details:
      - This module changes nothing.
  idempotent:
    support: full
    details:
      - This module changes nothing.
"""

    ACTION_GROUP = r"""
options: {}
attributes:
  action_group:
    description:
      - Use C(group/hosting.reseller.reseller) in C(module_defaults) to set the options of connection and ledger for all modules at once.
      - A module takes those that it does not use, too.
    support: full
    membership:
      - hosting.reseller.reseller
"""
