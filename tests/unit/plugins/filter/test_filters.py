# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filters, as functions: contacts, answers to surveys, tables, and variables of roles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.hosting.reseller.plugins.filter.contact_data import FilterModule
from ansible_collections.hosting.reseller.plugins.filter.misspelled_variables import misspelled_variables
from ansible_collections.hosting.reseller.plugins.filter.survey_answer import survey_answer
from ansible_collections.hosting.reseller.plugins.filter.table_rows import table_rows
from ansible_collections.hosting.reseller.plugins.module_utils._product_types import dialect
from tests.support.cases import cases
from tests.support.order_examples import CONTACT

# contact_data

contact_data = FilterModule().filters()["contact_data"]


def test_all_that_is_wrong_is_told_at_once() -> None:
    wrong = {**CONTACT, "country": "DEU", "postal_code": 51147, "emial": "x@example.org"}
    del wrong["city"]
    with pytest.raises(AnsibleFilterError) as caught:
        contact_data(wrong)
    message = str(caught.value)
    assert "the contact breaks 4 rules. Nothing was sent.\n" in message
    for path in ("contact.country", "contact.postal_code", "contact.city", "contact.emial"):
        assert f"- {path}: " in message
    assert "ownercData" not in message


@pytest.mark.parametrize("given", [None, 4, [CONTACT], "", "no JSON", "[]", {}])
def test_what_is_no_contact_is_refused(given: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="contact"):
        contact_data(given)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect, "JSONSCHEMA_ERROR", ImportError("No module named 'jsonschema'"))
    with pytest.raises(AnsibleFilterError, match="pip install jsonschema"):
        contact_data(CONTACT)


# table_rows


@cases("tables")
def test_table_is_read_as_it_was_saved_or_refused(case: dict[str, Any]) -> None:
    if "refused" in case:
        with pytest.raises(AnsibleFilterError, match=case["refused"]):
            table_rows(case["given"])
    else:
        assert table_rows(case["given"]) == case["right"]


# survey_answer


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


# misspelled_variables, on every role of the collection

ROLES = Path(__file__).resolve().parents[4] / "roles"


def specs_of(role: str) -> dict[str, Any]:
    text = (ROLES / role / "meta/argument_specs.yml").read_text("utf-8")
    specs: dict[str, Any] = yaml.safe_load(text)["argument_specs"]
    return specs


@pytest.mark.parametrize(
    ("role", "name", "meant"),
    [
        ("web_presence", "web_presence_domains", ["web_presence_domain", "web_presence_more_domains"]),
        ("customer_stack", "customer_stack_plan", ["customer_stack_plan_file", "customer_stack_approved_plan"]),
    ],
)
def test_variable_that_is_nearly_one_of_the_role_is_told_with_it(role: str, name: str, meant: list[str]) -> None:
    assert misspelled_variables([name], specs_of(role), role) == [
        f"{name} is not a variable of the role {role}. Did you mean {' or '.join(meant)}?"
    ]


def test_other_variables_are_other_peoples() -> None:
    names = [
        "web_presence_of_mine",
        "my_web_presence_name",
        "web_presencename",
        "web_presence__name",
        "web_presence_name",
    ]
    assert misspelled_variables(names, specs_of("web_presence"), "web_presence") == []


@pytest.mark.parametrize("role", sorted(path.name for path in ROLES.iterdir()))
def test_what_a_role_returns_is_not_taken_for_an_input(role: str) -> None:
    more = {"dedicated_server": ["shared_l2vpn"], "customer_stack": ["planned"]}
    returned = {f"{role}_{name}" for name in ["results", "lines", "l2vpns", *more.get(role, [])]}
    assert not returned & {name for entry in specs_of(role).values() for name in entry["options"]}
    assert misspelled_variables(returned, specs_of(role), role) == []


@pytest.mark.parametrize("role", sorted(path.name for path in ROLES.iterdir()))
def test_no_role_has_a_default_for_what_costs_money(role: str) -> None:
    costly = ("cores", "ram", "disk_size", "addresses", "traffic_display", "_count", "upgrade", "subnet_size")
    defaults = ROLES / role / "defaults/main.yml"
    given = yaml.safe_load(defaults.read_text("utf-8")) if defaults.exists() else {}
    options = {name: option for entry in specs_of(role).values() for name, option in entry["options"].items()}
    with_default = [name for name, option in options.items() if "default" in option]
    assert [name for name in (*given, *with_default) if name.endswith(costly)] == []
