# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the examples out of the documentation: README files, guides, and the EXAMPLES of plugins.

A block of YAML is run, unless it is a fragment: marked by ``<!-- fragment -->`` on the line before it in Markdown, by
``:class: fragment`` in reStructuredText, or with three dots where something is left out. A comment in its first line
that names a file (``# order.yml``) says what it is saved as.
"""

from __future__ import annotations

import ast
import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.support.playbooks import ROOT

_MARKDOWN = re.compile(
    r"^(?P<mark><!-- fragment -->\n+)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_RST = re.compile(
    r"^(?P<indent> *)\.\. code-block:: (?P<language>\S+)\n(?P<options>(?:(?P=indent) +:\w+:.*\n)*)\n"
    r"(?P<text>(?:(?:(?P=indent)   .*)?\n)+)",
    re.MULTILINE,
)
_FILE = re.compile(r"# (?P<name>[\w./~-]+\.ya?ml)\b")
_LEFT_OUT = re.compile(r"(^|[\s,])\.\.\.([\s,}]|$)", re.MULTILINE)
_YAML = ("yaml", "yaml+jinja")


class Loader(yaml.SafeLoader):
    """Reads Ansible's own tags (``!unsafe``, ``!vault``) as what they are put on."""


Loader.add_multi_constructor("!", lambda loader, _suffix, node: loader.construct_scalar(node))


@dataclass(frozen=True)
class Block:
    """A piece of code in a document: where it is, its language, and whether it is marked as a fragment."""

    source: str
    line: int
    language: str
    text: str
    marked: bool = False

    def __str__(self) -> str:
        return f"{self.source}:{self.line}"

    @property
    def fragment(self) -> bool:
        return self.marked or bool(_LEFT_OUT.search(self.text))

    @property
    def file_name(self) -> str | None:
        found = _FILE.match(self.text)
        return found["name"] if found else None

    def documents(self) -> list[Any]:
        """The YAML documents that it holds."""
        return [document for document in yaml.load_all(self.text, Loader) if document is not None]


def sources() -> list[str]:
    """All documents that may hold examples, as paths in the checkout."""
    patterns = ("README.md", "CONTRIBUTING.md", "roles/*/README.md", "docs/docsite/rst/*.rst")
    patterns += tuple(f"plugins/{kind}/[!_]*.py" for kind in ("modules", "filter", "lookup", "inventory"))
    return sorted(str(path.relative_to(ROOT)) for pattern in patterns for path in ROOT.glob(pattern))


def blocks(source: str) -> list[Block]:
    """All pieces of code of a document, in its order."""
    text = (ROOT / source).read_text(encoding="utf-8")
    reader = {".md": _markdown, ".rst": _rst, ".py": _examples}[Path(source).suffix]
    return list(reader(source, text))


def yaml_blocks(source: str) -> list[Block]:
    return [block for block in blocks(source) if block.language in _YAML]


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _markdown(source: str, text: str) -> Iterator[Block]:
    for found in _MARKDOWN.finditer(text):
        yield Block(source, _line(text, found.start("text")), found["language"], found["text"], bool(found["mark"]))


def _rst(source: str, text: str) -> Iterator[Block]:
    for found in _RST.finditer(f"{text}\n"):
        fragment = ":class: fragment" in found["options"]
        code = textwrap.dedent(found["text"]).strip("\n") + "\n"
        yield Block(source, _line(text, found.start("text")), found["language"], code, fragment)


def _examples(source: str, text: str) -> Iterator[Block]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXAMPLES":
            yield Block(source, node.lineno, "yaml", str(ast.literal_eval(node.value)).lstrip("\n"))


def commands(console: str) -> Iterator[tuple[list[str], list[str]]]:
    """Each command of a console, in words, and the lines that follow it."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _rest, shown = part.replace("\\\n", " ").partition("\n")
        yield shlex.split(command, comments=True), shown.splitlines()


def literal_column(source: str) -> list[str]:
    """The literals in the first column of the list tables of a guide, without their marks."""
    text = (ROOT / source).read_text(encoding="utf-8")
    cells = re.findall(r"^   \* - ``(.+)``$", text, re.MULTILINE)
    return [literal for cell in cells for literal in re.split("``(?:, | or )``", cell)]


def text_of(node: ast.expr) -> str:
    """The text of an expression, with ``…`` for what is filled in."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return text_of(node.left) + text_of(node.right)
    return text_of(node.body) if isinstance(node, ast.IfExp) else "…"


def messages() -> list[str]:
    """All texts in the code and the playbooks of the collection, with ``…`` for what code fills in."""
    found = []
    for path in (ROOT / "plugins").rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        found += [text_of(node) for node in nodes if isinstance(node, ast.Constant | ast.JoinedStr)]
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "playbooks").rglob("*.yml"))
    found += [re.sub(r"\{\{.*?\}\}", "…", text) for text in texts]
    return found
