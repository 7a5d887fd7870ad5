# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What all errors and warnings have in common, as far as their texts stand where they are raised."""

from __future__ import annotations

import ast
import re
from typing import get_args

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import FAILURE_KINDS, Source
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Status
from ansible_collections.hosting.reseller.plugins.module_utils._orders.plan import ACTIONS
from tests.support.documentation import text_of
from tests.tools.words import ROOT, WHOLE, messages

#: Lists show the first line alone. What the code fills in counts as one character.
LONGEST = 100
#: What a user can put right: an option, or the ledger.
MENDABLE = re.compile(r"^(Configuration|Ledger)Error$")
#: How a sentence begins that says what to do.
TO_DO = re.compile(
    r"(?m)(?:^|[.:;,] )(?i:Add|Adopt|Ask|Before|Check|Choose|Copy|Correct|Did you mean|Do not|Give|If|Install|Leave"
    r"|Look|Make|Mount|Move|Name|Only if|Put|Remove|Rename|Repeat|Restore|Run|Set|Settle|Start|Stop|Take|Type|Use|Wait"
    r"|Write)\b|^…"
)
#: What says itself what would be right, or cannot be reached by an option.
PLAIN = re.compile(
    r"must be|\bneeds\b|\bno meaning\b|is a date|There is no|cannot be (read|written as)|not UTF-8"
    r"|for reading only|is closed"
)
CLOSED_SETS = {
    "source": get_args(Source),
    "status": (*get_args(Status), "done"),
    "action": [each.name for each in ACTIONS.values()],
    "failure.kind": FAILURE_KINDS,
}


def test_first_line_of_each_message_fits_a_list() -> None:
    found = [(place, text) for place, text, _arguments in messages(WHOLE)]
    assert len(found) > 150
    assert [(place, text) for place, text in found if len(text.splitlines()[0]) > LONGEST] == []


def says_what_to_do(arguments: list[ast.expr]) -> bool:
    """True if the texts do, or if a part that is made elsewhere may."""
    if any(not isinstance(each, ast.Constant | ast.JoinedStr | ast.BinOp) for each in arguments):
        return True
    text = "\n".join(map(text_of, arguments))
    # The first line says what is wrong.
    return bool(TO_DO.search(text, 1) or PLAIN.search(text))


def test_messages_on_options_and_ledgers_say_what_to_do() -> None:
    found = {place: arguments for place, _text, arguments in messages(MENDABLE)}
    assert len(found) > 50
    assert [place for place, arguments in found.items() if not says_what_to_do(arguments)] == []


@pytest.mark.parametrize(
    ("call", "good"),
    [
        ("E('name is empty. Give one.')", True),
        ("E('name is empty.', advice)", True),
        ("E(f'state must be {choices}.')", True),
        ("E(f'name {name} is too long. Nothing was sent.')", False),
        ("E('Give is not a valid name.')", False),
    ],
)
def test_what_to_do_is_found(call: str, good: bool) -> None:
    parsed = ast.parse(call, mode="eval").body
    assert isinstance(parsed, ast.Call)
    assert says_what_to_do(parsed.args) is good


def test_texts_on_removing_a_record_say_the_same_task() -> None:
    said = [text for _place, text, _arguments in messages(re.compile("."))] + [
        path.read_text(encoding="utf-8") for path in (ROOT / "docs/docsite/rst").glob("*.rst")
    ]
    places = [found[0] for text in said for found in re.finditer(r"[Rr]emove[^.]*reseller_record[^.]*", text)]
    assert len(places) > 2
    assert [each for each in places if "reseller_record: state: absent" not in each] == []


@pytest.mark.parametrize("values", CLOSED_SETS.values(), ids=CLOSED_SETS)
def test_closed_sets_of_values_are_listed_in_the_glossary_or_with_what_to_do(values: tuple[str, ...]) -> None:
    guide, kinds = (
        (ROOT / f"docs/docsite/rst/{name}.rst").read_text(encoding="utf-8")
        for name in ("specification", "troubleshooting")
    )
    glossary = guide[guide.index("Words of the collection") : guide.index("Terms of the API")]
    listed = re.findall(r"   \* - ``(\w+)``\n", kinds)
    assert [value for value in values if f"``{value}``" not in glossary and value not in listed] == []
