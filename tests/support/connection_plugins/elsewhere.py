# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A connection plugin to a machine that is never there, as persistent as those to network devices."""

from __future__ import annotations

from typing import Any, NoReturn

from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.connection import ConnectionBase

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


class Connection(ConnectionBase):  # type: ignore[misc]
    transport = "elsewhere"
    has_pipelining = False
    #: Ansible starts a process and a socket for such a host, unless the action says that it needs no connection.
    force_persistence = True

    def _connect(self) -> NoReturn:
        raise AnsibleConnectionFailure("a connection was attempted")

    def exec_command(self, cmd: str, in_data: Any = None, sudoable: bool = True) -> NoReturn:
        self._connect()

    def put_file(self, in_path: str, out_path: str) -> NoReturn:
        self._connect()

    def fetch_file(self, in_path: str, out_path: str) -> NoReturn:
        self._connect()

    def close(self) -> None:
        """Nothing to close."""
