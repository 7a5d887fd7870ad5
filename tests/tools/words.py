# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Report words for which the guides have another one, in messages, options, guides and code. It fails nothing.

python -m tests.tools.words
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.documentation import text_of

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = ROOT / "plugins"
#: What makes a message of its own, and what makes a part of one.
WHOLE = re.compile(r"Error$|^warn(ing)?$")
PARTS = re.compile(r"^(Violation|FileProblem)$")
#: The guides have one word for each thing, and these are others.
IN_MESSAGES = re.compile(
    r"\b(is|are) (no valid|none of)\b|\bwhite space\b|\bfolders?\b|\bforgets?\b|\bnobody\b|\bnot known here\b"
    r"|\bof now\b|\bby this run\b|\bwritten down\b|\bis no (UUID|JSON|URL|list)\b"
)
ANYWHERE = re.compile(
    r"(?i)\bin[ _]flight\b|\bin progress\b|\bbeing placed by another run\b|\bpublished reference\b|\bmismatched\b"
    r"|\blive rules?\b|\bdocumented rules?\b|\bmarker_element\b|\border_timeout\b|\bledger_shared\b"
)
#: The field has a noun for these things.
IN_NAMES = {"told", "asked", "standing", "having", "sight", "twins", "alike", "faces", "echoes"}
#: What users read.
READ = (
    "README.md",
    "docs/docsite/rst/*.rst",
    "roles/*/README.md",
    "plugins/modules/*.py",
    "plugins/doc_fragments/*.py",
)

Found = tuple[str, str]


def messages(*kinds: re.Pattern[str]) -> Iterator[tuple[str, str, list[ast.expr]]]:
    """Each text that calls of these kinds are given, with its place before it, and all arguments of the call."""
    for path in sorted(PLUGINS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and any(kind.search(called) for kind in kinds):
                for text in map(text_of, node.args):
                    if " " in text:
                        yield f"{path.relative_to(ROOT)}:{node.lineno}", text, node.args


def in_texts() -> Iterator[Found]:
    """Words of messages, guides and the documentation of plugins."""
    for place, text, _arguments in messages(WHOLE, PARTS):
        yield from ((place, found[0]) for kind in (IN_MESSAGES, ANYWHERE) for found in kind.finditer(text))
    for path in (path for pattern in READ for path in sorted(ROOT.glob(pattern))):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield from ((f"{path.relative_to(ROOT)}:{number}", found[0]) for found in ANYWHERE.finditer(line))


def in_code(place: str, tree: ast.AST) -> Iterator[Found]:
    """Names that are riddles, and docstrings that begin with neither a noun nor a verb."""
    for node in ast.walk(tree):
        for name in (getattr(node, field, None) for field in ("id", "arg", "name", "attr", "asname")):
            if isinstance(name, str) and IN_NAMES & {word.lower() for word in re.findall("[A-Z]?[a-z]+", name)}:
                yield f"{place}:{getattr(node, 'lineno', 1)}", name
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        text = ast.get_docstring(node) if documented else None
        if text and re.match(r"(What|Whether|Where|Who|How)\b", text):
            yield f"{place}:{getattr(node, 'lineno', 1)}", text.splitlines()[0]


def main() -> None:
    found = sorted({*in_texts()})
    for path in sorted(PLUGINS.rglob("*.py")):
        found += in_code(str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8")))
    print(*(f"{place}: {words}" for place, words in found), f"{len(found)} places to look at", sep="\n")


if __name__ == "__main__":
    main()
