# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.hosting.reseller.plugins.filter.survey_answer import survey_answer


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, {}),
        (" \n\t", {}),
        ("a: b", {"a": "b"}),
        ('postal_code: "01067"\ncountry: "NO"', {"postal_code": "01067", "country": "NO"}),
        ("web01.example.org: {password: 'a{{ b }}{% c'}", {"web01.example.org": {"password": "a{{ b }}{% c"}}),
    ],
)
def test_answer_is_read(answer: str | None, expected: dict[str, Any]) -> None:
    assert survey_answer(answer, "Contact") == expected


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ('first_name: "Erika\nlast_name: Mustermann', "line 2 column 22"),
        ("label: Erika: Mustermann", "line 1 column 13"),
        ("a: !Mustermann x", "line 1 column 4"),
        ("Mustermann: 1\nMustermann: 2", "line 2 column 1"),
    ],
)
def test_unreadable_answer_names_question_and_place_and_quotes_nothing(answer: str, place: str) -> None:
    with pytest.raises(AnsibleFilterError) as caught:
        survey_answer(answer, "Contact")
    message = str(caught.value)
    assert 'The answer to "Contact" is not valid YAML: ' in message
    assert place in message
    assert "Mustermann" not in message
    assert "Erika" not in message


@pytest.mark.parametrize("answer", ["web01.example.org", "- a", "42", "Erika Mustermann"])
def test_answer_that_is_no_mapping_is_refused(answer: str) -> None:
    with pytest.raises(AnsibleFilterError, match='The answer to "Secrets" is not a mapping') as caught:
        survey_answer(answer, "Secrets")
    assert answer not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        (
            "contracts:\n  configurable_vps:\n    - {hostname: a, password: hunter2}",
            "configurable_vps[0].password (line 3)",
        ),
        ("defaults:\n  domain:\n    authcode: hunter2", "defaults.domain.authcode (line 3)"),
    ],
)
def test_secret_in_clear_is_refused_without_its_value(answer: str, place: str) -> None:
    with pytest.raises(AnsibleFilterError) as caught:
        survey_answer(answer, "Stack", in_clear=True)
    message = str(caught.value)
    assert place in message
    assert '"Secrets"' in message
    assert "hunter2" not in message
    assert survey_answer(answer, "Secrets")


@pytest.mark.parametrize("value", ['""', "null", "true"])
def test_stack_without_a_secret_is_taken(value: str) -> None:
    assert survey_answer(f"defaults: {{vps: {{password: {value}}}}}", "Stack", in_clear=True)
