# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What all errors and warnings have in common, as far as their texts stand where they are raised."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import get_args

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import FAILURE_KINDS, Source
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Status
from ansible_collections.hosting.reseller.plugins.module_utils._order.order import Action
from tests.support.documentation import text_of
from tests.support.playbooks import ROOT

PLUGINS = ROOT / "plugins"
#: Lists show the first line alone. What the code fills in counts as one character.
LONGEST = 100
WHOLE = re.compile(r"Error$|^warn(ing)?$")
PARTS = re.compile(r"^(Violation|FileProblem)$")
#: The guides have one word for each thing, and these are others.
REPLACED = re.compile(
    r"\b(is|are) (no valid|none of)\b|\bwhite space\b|\bfolders?\b|\bforgets?\b|\bnobody\b|\bnot known here\b"
    r"|\bof now\b|\bby this run\b|\bwritten down\b|\bis no (UUID|JSON|URL|list)\b"
)


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


#: Words for things that have another word.
AVOIDED = re.compile(
    r"(?i)\bin[ _]flight\b|\bin progress\b|\bbeing placed by another run\b|\bpublished reference\b|\bmismatched\b"
    r"|\blive rules?\b|\bdocumented rules?\b|\bmarker_element\b|\border_timeout\b|\bledger_shared\b"
)
#: What no name in the code has as a word of it: the field has a noun for the thing.
RIDDLES = {"told", "asked", "standing", "having", "sight", "twins", "alike", "faces", "echoes"}
CLOSED_SETS = {
    "source": get_args(Source),
    "status": (*get_args(Status), "done"),
    "action": get_args(Action),
    "failure.kind": FAILURE_KINDS,
}


@pytest.mark.parametrize("values", CLOSED_SETS.values(), ids=CLOSED_SETS)
def test_closed_sets_of_values_are_listed_in_the_glossary(values: tuple[str, ...]) -> None:
    guide = (ROOT / "docs/docsite/rst/specification.rst").read_text(encoding="utf-8")
    glossary = guide[guide.index("Words of the collection") : guide.index("Terms of the API")]
    assert [value for value in values if f"``{value}``" not in glossary] == []


def test_words_to_avoid_stand_in_no_message_option_or_guide() -> None:
    guides = [*ROOT.glob("docs/docsite/rst/*.rst"), ROOT / "README.md", *ROOT.glob("roles/*/README.md")]
    pages = [*ROOT.glob("plugins/modules/*.py"), *ROOT.glob("plugins/doc_fragments/*.py")]
    texts = {path.name: path.read_text(encoding="utf-8") for path in (*guides, *pages)}
    texts |= dict(messages(WHOLE, PARTS))
    assert {place: match[0] for place, text in texts.items() if (match := AVOIDED.search(text))} == {}


def names_of(node: ast.AST) -> Iterator[str]:
    """The names in a node that hold a word to avoid."""
    for name in (getattr(node, field, None) for field in ("id", "arg", "name", "attr", "asname")):
        if isinstance(name, str) and RIDDLES & {word.lower() for word in re.findall("[A-Z]?[a-z]+", name)}:
            yield name


def slow_docstring_of(node: ast.AST) -> Iterator[str]:
    """The first line of a docstring that is neither a noun nor tells what is returned."""
    text = ast.get_docstring(node) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) else None
    if text and re.match(r"(What|Whether|Where|Who|How)\b", text):
        yield text.splitlines()[0]


@pytest.mark.parametrize("found_in", [names_of, slow_docstring_of])
def test_code_has_plain_names_and_says_what_it_returns(found_in: Callable[[ast.AST], Iterator[str]]) -> None:
    trees = {path.relative_to(PLUGINS): ast.parse(path.read_text(encoding="utf-8")) for path in PLUGINS.rglob("*.py")}
    assert [
        (str(path), each) for path, tree in trees.items() for node in ast.walk(tree) for each in found_in(node)
    ] == []
