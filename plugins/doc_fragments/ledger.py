# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Which ledger modules use."""

    DOCUMENTATION = r"""
options:
  ledger:
    description:
      - Absolute path of a file (SQLite), or C(postgresql://user:password@host/database). Other machines must show a trusted certificate.
      - By default E(RESELLER_LEDGER), otherwise C(hosting.reseller/ledger.db) in E(XDG_STATE_HOME) (C(~/.local/state)).
      - A file belongs to one user, on a local file system. Where several users or machines order, or files vanish with the job, use PostgreSQL.
    type: str
  new_ledger:
    description:
      - Whether to create a ledger if there is none. By default E(RESELLER_NEW_LEDGER), otherwise only a user's first one, and none in jobs and CI.
      - V(allow) creates one. Set it for one run, never in defaults. V(refuse) creates none.
      - A ledger that this user has used is never silently replaced. See O(hosting.reseller.reseller_ledger#module:state=accepted).
    type: str
    choices: [allow, refuse]
requirements:
  - psycopg >= 3.2.2 (for a ledger in PostgreSQL)
"""
