# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares what a module returns with its RETURN. Everything that runs tasks in tests calls `undocumented`."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

MODULES = Path(__file__).resolve().parents[2] / "plugins/modules"
#: What Ansible itself documents of every module, and what it adds.
COMMON = {
    *("attempts", "censored", "changed", "deprecations", "diff", "exception", "failed", "failed_when_result"),
    *("failed_when_suppressed_exception", "false_condition", "invocation", "msg", "results", "retries", "skip_reason"),
    *("skipped", "skipped_reason", "warnings"),
}
ANSIBLE = ("_ansible", "ansible_")


@functools.cache
def documented(module: str) -> Mapping[str, Any]:
    """RETURN of a module, without its collection."""
    for node in ast.parse((MODULES / f"{module}.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "RETURN":
            found: Mapping[str, Any] = yaml.safe_load(ast.literal_eval(node.value)) or {}
            return found
    raise AssertionError(f"{module} has no RETURN")


def undocumented(module: str, result: Mapping[str, Any]) -> list[str]:
    """The keys of a result that RETURN does not describe, as paths: at the top, and where it has `contains`."""
    own = {key: value for key, value in result.items() if key not in COMMON and not key.startswith(ANSIBLE)}
    return sorted(set(_missing(documented(module.rpartition(".")[2]), own, "")))


def _missing(described: Mapping[str, Any], value: Mapping[str, Any], path: str) -> Iterator[str]:
    for key, inner in value.items():
        if key not in described:
            yield f"{path}{key}"
            continue
        contains = (described[key] or {}).get("contains")
        for each in inner if isinstance(inner, list) else [inner]:
            if contains and isinstance(each, Mapping):
                yield from _missing(contains, each, f"{path}{key}.")
