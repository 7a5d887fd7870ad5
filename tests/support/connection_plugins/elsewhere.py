# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A connection plugin to a machine that is never there, as persistent as those to network devices."""

from __future__ import annotations

from typing import NoReturn

from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.connection import local

DOCUMENTATION = """
name: elsewhere
short_description: A machine that nobody can reach
description: For tests of what must make no connection.
options:
  persistent_log_messages:
    description: Not used.
    type: bool
    default: false
"""


class Connection(local.Connection):  # type: ignore[misc]
    #: Ansible starts a process and a socket for such a host, unless the action says that it needs no connection.
    force_persistence = True

    def _connect(self) -> NoReturn:
        raise AnsibleConnectionFailure("a connection was attempted")
