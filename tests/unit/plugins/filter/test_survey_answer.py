# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.filter.survey_answer import survey_answer


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, {}),
        (" \n\t", {}),
        ('postal_code: "01067"\ncountry: "NO"', {"postal_code": "01067", "country": "NO"}),
        ("web01.example.org: {password: 'a{{ b }}{% c'}", {"web01.example.org": {"password": "a{{ b }}{% c"}}),
    ],
)
def test_answer_is_read(answer: str | None, expected: dict[str, Any]) -> None:
    assert survey_answer(answer, "Contact") == {"mapping": expected, "problem": None}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("label: Erika: Mustermann", '"Contact" is not valid YAML: line 1 column 13.'),
        ("Mustermann: 1\nMustermann: 2", '"Contact" is not valid YAML: line 2 column 1.'),
        ("Erika Mustermann", '"Contact" is not a mapping.'),
    ],
)
def test_unreadable_answer_names_question_and_place_and_quotes_nothing(answer: str, said: str) -> None:
    read = survey_answer(answer, "Contact")
    assert read["mapping"] == {}
    assert said in read["problem"]
    assert "Mustermann" not in read["problem"]


def test_secret_in_clear_is_refused_without_its_value() -> None:
    answer = "contracts:\n  configurable_vps:\n    - {hostname: a, password: hunter2}"
    refused = survey_answer(answer, "Stack", in_clear=True)
    assert refused["mapping"] == {}
    assert '"Stack" contains a secret: contracts.configurable_vps[0].password (line 3).' in refused["problem"]
    assert "hunter2" not in refused["problem"]
    for text, in_clear in ((answer, False), ("defaults: [{password: ''}, {password: null}]", True)):
        assert survey_answer(text, "Stack", in_clear=in_clear)["problem"] is None
