# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.hosting.reseller.plugins.plugin_utils._in_process import InProcessAction
from ansible_collections.probe.probe.plugins.module_utils.probe import TASK


class ActionModule(InProcessAction):
    """The probe in the controller's process."""

    TASK = TASK
    MODULE = "probe.probe.probe"
