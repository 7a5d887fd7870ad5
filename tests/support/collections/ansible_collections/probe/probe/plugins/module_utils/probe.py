# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task with options of every kind, to see that both ways of running tasks treat them alike."""

from __future__ import annotations

import warnings
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import Context, Task
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError


def run(context: Context) -> dict[str, Any]:
    """Do what the options say: warn, fail, or return all options."""
    params = context.params
    for warning in params["warnings"] or ():
        context.warn(warning)
    warnings.warn("Python's own warnings are for developers", UserWarning, stacklevel=1)
    if params["failure"]:
        raise ConfigurationError(params["failure"], why=params["returned"])
    return {"returned": params["returned"], "options": dict(params), "check": context.check_mode, "diffs": context.diff}


INNER = {
    "required": {"type": "str", "required": True},
    "number": {"type": "int"},
    "going": {"type": "str", "removed_in_version": "9.0.0", "removed_from_collection": "probe.probe"},
    "hidden": {"type": "str", "no_log": True},
    "default": {"type": "str", "default": "inner"},
}
SPEC = {
    "text": {
        "type": "str",
        "aliases": ["words", "old_text"],
        "deprecated_aliases": [{"name": "old_text", "version": "9.0.0", "collection_name": "probe.probe"}],
    },
    "going": {"type": "str", "removed_in_version": "9.0.0", "removed_from_collection": "probe.probe"},
    "gone_on": {"type": "str", "removed_at_date": "2031-02-03", "removed_from_collection": "probe.probe"},
    "hidden": {"type": "str", "no_log": True},
    "integer": {"type": "int", "choices": [1, 2, 3]},
    "number": {"type": "float", "default": 1.5},
    "truth": {"type": "bool"},
    "json": {"type": "json"},
    "path": {"type": "path"},
    "raw": {"type": "raw"},
    "size": {"type": "bytes"},
    "bits": {"type": "bits"},
    "words_of": {"type": "list", "elements": "str"},
    "numbers": {"type": "list", "elements": "int"},
    "paths": {"type": "list", "elements": "path"},
    "one": {"type": "dict", "options": INNER, "mutually_exclusive": [["number", "hidden"]], "apply_defaults": True},
    "many": {"type": "list", "elements": "dict", "options": INNER, "required_together": [["number", "hidden"]]},
    "warnings": {"type": "list", "elements": "str"},
    "failure": {"type": "str"},
    "returned": {"type": "raw"},
}
SPEC["one"]["options"] = {**INNER, "required": {"type": "str", "default": "given"}}
TASK = Task(
    SPEC,
    run,
    {
        "mutually_exclusive": [["truth", "json"]],
        "required_together": [["size", "bits"]],
        "required_one_of": [["text", "raw", "failure"]],
        "required_if": [["integer", 3, ["path"]]],
        "required_by": {"paths": ["words_of"]},
    },
)
