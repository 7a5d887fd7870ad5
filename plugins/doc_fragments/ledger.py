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
      - Location of the ledger, which records every order, so that a second run does not order again.
      - The absolute path of a file (SQLite), also with V(~) or environment variables, or C(postgresql://user:password@host/database).
      - A PostgreSQL server on another machine must show a trusted certificate. Add C(?sslrootcert=/a/file) for your own, or a weaker C(sslmode).
      - By default E(RESELLER_LEDGER), otherwise C(hosting.reseller/ledger.db) in E(XDG_STATE_HOME) (C(~/.local/state)).
      - Use PostgreSQL if several machines order, or if files vanish with the job, as in AWX. A file must be on a local file system.
      - A file belongs to one user, and a task that orders refuses one that others could change. Several users share PostgreSQL.
      - A file that would be lost with a job or a container is refused. E(AWX_ISOLATED_DATA_DIR) shows that it is a job.
    type: str
  new_ledger:
    description:
      - Whether to create a ledger if there is none. By default E(RESELLER_NEW_LEDGER), otherwise only a user's first ledger is created.
      - So a missing one is refused where this user has used another ledger, trials with a service on this machine aside, in a job, and where
        C(CI), C(GITHUB_ACTIONS), C(GITLAB_CI), C(JENKINS_URL), C(BUILDKITE) or C(TF_BUILD) is set. There, the default ledger is never created.
      - V(allow) creates one. Set it for one run, never in defaults. V(refuse) creates none.
      - A ledger that this user has used there is never silently replaced. See O(hosting.reseller.reseller_ledger#module:state=accepted).
    type: str
    choices: [allow, refuse]
requirements:
  - psycopg >= 3.2.2 (for a ledger in PostgreSQL)
"""
