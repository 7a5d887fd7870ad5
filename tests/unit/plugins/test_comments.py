# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A file that a comment or a docstring names exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NAMED = re.compile(r"(?<![\w/.*{}=@-])(?:[\w.-]+/)*[\w-]+\.(?:json|md|py|rst|toml|ya?ml)\b")
#: Files of users, in examples of plugins.
EXAMPLES = {"inventory/reseller_contracts.yml", "inventory/reseller_ledger.yml"}
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def test_a_file_that_a_comment_names_exists() -> None:
    found = [path for top in ROOT.glob("[A-Za-z]*") for path in (top.rglob("*") if top.is_dir() else [top])]
    files = [path.relative_to(ROOT) for path in found if path.is_file()]
    known = {str(Path(*path.parts[start:])) for path in files for start in range(len(path.parts))}
    named = [
        (str(path), name)
        for path in files
        if path.suffix in (".py", ".yml", ".toml") or path.name == "Makefile"
        for comment in _comments(path)
        for name in NAMED.findall(comment)
    ]
    assert len(named) > 20
    assert [(path, name) for path, name in named if name not in known | EXAMPLES] == []


def _comments(path: Path) -> Iterator[str]:
    text = (ROOT / path).read_text(encoding="utf-8")
    yield from re.findall(r"(?m)(?:^|\s)#:?\s(.*)", text)
    for node in ast.walk(ast.parse(text)) if path.suffix == ".py" else ():
        if isinstance(node, DOCUMENTED):
            yield ast.get_docstring(node) or ""
