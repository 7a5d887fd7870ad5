# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

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
    assert survey_answer(answer, "Contact") == expected


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("label: Erika: Mustermann", '"Contact" is not valid YAML: line 1 column 13.'),
        ("Mustermann: 1\nMustermann: 2", '"Contact" is not valid YAML: line 2 column 1.'),
        ("Erika Mustermann", '"Contact" is not a mapping.'),
    ],
)
def test_unreadable_answer_names_question_and_place_and_quotes_nothing(answer: str, said: str) -> None:
    with pytest.raises(AnsibleFilterError, match=said) as caught:
        survey_answer(answer, "Contact")
    assert "Mustermann" not in str(caught.value)


def test_secret_in_clear_is_refused_without_its_value() -> None:
    answer = "contracts:\n  configurable_vps:\n    - {hostname: a, password: hunter2}"
    place = re.escape('"Stack" holds a secret: contracts.configurable_vps[0].password (line 3).')
    with pytest.raises(AnsibleFilterError, match=place) as caught:
        survey_answer(answer, "Stack", in_clear=True)
    assert "hunter2" not in str(caught.value)
    assert survey_answer(answer, "Secrets")
    assert survey_answer("defaults: [{password: ''}, {password: null}]", "Stack", in_clear=True)
