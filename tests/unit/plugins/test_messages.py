# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What all errors and warnings have in common, as far as their texts stand where they are raised."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PLUGINS = Path(__file__).resolve().parents[3] / "plugins"
#: Lists show the first line alone. What the code fills in counts as one character.
LONGEST = 100
WHOLE = re.compile(r"Error$|^warn(ing)?$")
PARTS = re.compile(r"^(Violation|StackProblem)$")
#: The guides have one word for each thing, and these are others.
REPLACED = re.compile(
    r"\b(is|are) (no valid|none of)\b|\bwhite space\b|\bfolders?\b|\bforgets?\b|\bnobody\b|\bnot known here\b"
    r"|\bof now\b|\bby this run\b|\bwritten down\b|\bis no (UUID|JSON|URL|list)\b"
)
#: What only people can do who write a playbook or run Ansible by hand.
BY_HAND = re.compile(
    r"\breseller_[a-z]+\b|RESELLER_|pip install|--diff|ansible-|\b[sS]et [a-z]+_[a-z_]+\b|option ledger"
)
#: What no job template of awx/configuration.yml runs: operations, and encrypted stack files.
OUTSIDE_OF_AWX = re.compile(r"operation|afterwards|stack_info\.py")


def text_of(node: ast.expr) -> str:
    """The text of an expression, with ``…`` for what is filled in."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return text_of(node.left) + text_of(node.right)
    return text_of(node.body) if isinstance(node, ast.IfExp) else "…"


def messages(*kinds: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Each text that calls of these kinds are given, with its place."""
    for path in sorted(PLUGINS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and any(kind.search(called) for kind in kinds):
                for text in map(text_of, node.args):
                    if " " in text:
                        yield f"{path.relative_to(PLUGINS)}:{node.lineno}", text


def test_first_line_of_each_message_fits_a_list() -> None:
    found = list(messages(WHOLE))
    assert len(found) > 150
    assert [(place, text) for place, text in found if len(text.splitlines()[0]) > LONGEST] == []


def test_messages_use_the_terms_of_the_guides() -> None:
    found = [(place, match[0]) for place, text in messages(WHOLE, PARTS) if (match := REPLACED.search(text))]
    assert found == [], "the guides have another word for it"


def test_advice_that_names_an_option_or_a_command_has_a_key() -> None:
    """So that AWX can tell in its place what its users can do."""
    found = [each for each in messages(WHOLE) if not OUTSIDE_OF_AWX.search(each[0])]
    assert len(found) > 150
    assert [(place, text) for place, text in found if BY_HAND.search(text)] == []
