# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes each task result as a line of JSON, as a playbook would see it after masking."""

from __future__ import annotations

DOCUMENTATION = """
name: record
type: notification
short_description: Record task results
description: Writes each result, loop items and warnings included, to the file named by RECORDED_RESULTS.
"""

import json
import multiprocessing
import os
from typing import Any

from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):
    """Knows all ends that a task or a loop item can come to."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "record"

    def _write(self, entry: dict[str, Any]) -> None:
        with open(os.environ["RECORDED_RESULTS"], "a", encoding="utf-8") as file:
            file.write(json.dumps(entry, default=str) + "\n")

    def _record(self, result: Any, ignore_errors: bool = False) -> None:
        self._write({"action": result.task.resolved_action, "result": result.result})
        if "COVERAGE_PROCESS_CONFIG" in os.environ:
            # Ansible ends its workers as soon as it has their results, before they have written what they ran.
            for worker in multiprocessing.active_children():
                worker.join(60)

    v2_runner_on_ok = v2_runner_on_failed = v2_runner_on_unreachable = v2_runner_on_skipped = _record

    def v2_playbook_on_stats(self, stats: Any) -> None:
        if artifacts := stats.custom.get("_run"):
            self._write({"artifacts": artifacts})
