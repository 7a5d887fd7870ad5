# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No text is made of a raw answer. mypy keeps it from what takes an Answer; these tests look at the rest."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PLUGINS = Path(__file__).resolve().parents[3] / "plugins"
#: What a function may do with a raw answer beside making an Answer of it: look at it, and save it.
FOR_ALL = {"status", "ok", "masked", "retry_after", "is_empty"}
#: Functions that make or shorten text.
TEXTS = {"clean", "brief", "describe_json", "one_line", "legible", "str", "repr", "format"}


@cache
def functions() -> list[tuple[str, ast.FunctionDef]]:
    return [
        (f"{path.relative_to(PLUGINS)}: {node.name}", node)
        for path in sorted(PLUGINS.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]


def makers(name: str, *, given: bool = False) -> list[str]:
    """The functions that call this, with arguments if ``given``, each once."""
    return sorted(
        {
            place
            for place, node in functions()
            for each in ast.walk(node)
            if isinstance(each, ast.Call) and ast.unparse(each.func) == name
            if each.args or each.keywords or not given
        }
    )


def names_of(node: ast.FunctionDef) -> set[str]:
    """The parameters that are raw answers, and the variables that have one from a call which returns one."""
    given = {each.arg for each in node.args.args if each.annotation and "RawAnswer" in ast.unparse(each.annotation)}
    for each in ast.walk(node):
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            made = ast.unparse(each.value)
            if any(call in made for call in (".post(", ".send_once(", "._send(", "exchange(", "delivery.answer")):
                given.add(each.targets[0].id)
    return given


def raw_parts(node: ast.AST, names: set[str]) -> Iterator[str]:
    """What of raw answers stands in a part of the code."""
    for each in ast.walk(node):
        is_raw = isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in names
        if is_raw and each.attr not in FOR_ALL:
            yield ast.unparse(each)
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name) and node.value.id in names:
        yield ast.unparse(node)


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.FormattedValue) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TEXTS
    )


def test_text_is_made_of_masked_answers_alone() -> None:
    raw = {place: (node, names) for place, node in functions() if (names := names_of(node))}
    assert len(raw) > 10
    found = {
        place: parts
        for place, (node, names) in raw.items()
        if (parts := [part for text in ast.walk(node) if is_text(text) for part in raw_parts(text, names)])
    }
    # It looks for media types, in which the request is sent again.
    assert found == {"module_utils/_placing/outcomes.py: named_types": ["answer.body"]}


def test_only_masking_makes_an_answer_that_may_be_shown() -> None:
    assert makers("Answer") == ["module_utils/_http/transport.py: masked"]


def test_one_place_makes_the_masker_of_a_request() -> None:
    """Others hide by names alone, the secrets in the options of a task, or what is shown or kept of an order."""
    assert makers("Masker", given=True) == [
        "inventory/ledger.py: _add_hosts",
        "inventory/ledger.py: shown",
        "module_utils/_adapter/context.py: task_masker",
        "module_utils/_http/config.py: masker",
        "module_utils/_orders/order.py: masker",
        "module_utils/_requests/operation_call.py: shown_body",
        "module_utils/_secrets/masker.py: kept_settings",
    ]
