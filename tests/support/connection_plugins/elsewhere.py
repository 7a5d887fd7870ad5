# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A connection plugin to what counts as another machine, though it is this one."""

from __future__ import annotations

from ansible.plugins.connection.local import Connection as Local

DOCUMENTATION = """
name: elsewhere
short_description: A machine that is not the controller
description: For tests of what depends on the connection alone.
options: {}
"""


class Connection(Local):  # type: ignore[misc]
    transport = "elsewhere"
