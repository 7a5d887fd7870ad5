# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds orders that would be sent although their responses could not be saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .._order.planner import Step
from .answer_files import refused, unwritable


def refuse_unwritable(steps: Sequence[Step]) -> list[Step]:
    """The steps, with those refused that would be sent although their response could not be saved."""
    taken: set[str] = set()
    checked = []
    for step in steps:
        path = step.order.save_answer if step.order is not None and step.action == "order" else None
        if path is not None and step.error is None:
            twice = refused(path, "another order of this task has it") if path in taken else None
            error = twice or unwritable(path)
            taken.add(path)
            if error is not None:
                step = replace(step, action="refused", error=error)
        checked.append(step)
    return checked
