# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a message says in addition where it is read in AWX. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Both are set in a job of AWX; ansible-runner alone sets the first one.
_OF_A_JOB = ("AWX_ISOLATED_DATA_DIR", "JOB_ID")
#: As awx/configuration.yml names them.
_ADVICE = (
    'In AWX, launch the workflow "Hosting Reseller: Settle an order" instead. '
    'The template "Hosting Reseller: Orders in doubt" lists all of them.'
)


def with_awx_advice(result: dict[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """The result of a task. In AWX, an error about an order in doubt names the templates that settle it."""
    results = result.get("results") or ()
    doubtful = result.get("settle_with") or any(each.get("settle_with") for each in results)
    if not (doubtful and result.get("failed") and all(environ.get(name) for name in _OF_A_JOB)):
        return result
    return {**result, "msg": f"{str(result.get('msg') or '').rstrip()}\n{_ADVICE}"}


__all__ = ["with_awx_advice"]
