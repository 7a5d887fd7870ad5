# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ..module_utils._tasks.service_info import TASK
from ..plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    TASK = TASK
