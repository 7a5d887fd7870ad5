# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
from ansible_collections.probe.probe.plugins.module_utils.probe import TASK

if __name__ == "__main__":
    run_module(TASK)
