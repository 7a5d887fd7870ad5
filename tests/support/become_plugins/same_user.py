# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A become plugin that asks nobody: what it runs is run as by any other become plugin, by the same user."""

from __future__ import annotations

from typing import Any

from ansible.plugins.become import BecomeBase

DOCUMENTATION = """
name: same_user
short_description: Becomes the user that one is
description: For tests of what depends on become alone.
options:
  become_user:
    description: Not used.
    vars:
      - name: ansible_become_user
    ini:
      - section: privilege_escalation
        key: become_user
  become_flags:
    description: Not used.
  become_exe:
    description: Not used.
  become_pass:
    description: Not used.
"""


class BecomeModule(BecomeBase):  # type: ignore[misc]
    name = "same_user"

    def build_become_command(self, cmd: str, shell: Any) -> str:
        super().build_become_command(cmd, shell)
        return self._build_success_command(cmd, shell)  # type: ignore[no-any-return]
