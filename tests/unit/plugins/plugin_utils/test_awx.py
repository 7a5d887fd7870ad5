# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from typing import Any, get_args

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.advice import AdviceKey
from ansible_collections.hosting.reseller.plugins.plugin_utils._awx import WORDS, words_of
from tests.support.awx import configuration

JOB = {"AWX_ISOLATED_DATA_DIR": "/runner/artifacts/7", "JOB_ID": "7"}


@pytest.mark.parametrize(
    ("environ", "variables", "in_awx"),
    [
        (JOB, {}, True),
        (JOB, {"awx_job_template_name": "Hosting Reseller: VPS (check)"}, True),
        ({"INVENTORY_UPDATE_ID": "7"}, {}, True),
        # A playbook of the user's own: its author reads the names of options.
        (JOB, {"awx_job_template_name": "Servers for 4711"}, False),
        ({}, {}, False),
        ({**JOB, "JOB_ID": ""}, {}, False),
        ({"AWX_ISOLATED_DATA_DIR": "/runner/artifacts/7"}, {}, False),
    ],
)
def test_words_of_awx_are_for_the_job_templates_of_the_configuration(
    environ: dict[str, str], variables: dict[str, Any], in_awx: bool
) -> None:
    assert words_of(environ, variables) == (WORDS if in_awx else {})


def test_there_is_a_sentence_for_each_advice() -> None:
    assert WORDS.keys() == {*get_args(AdviceKey)}
    assert all(re.fullmatch(r"[A-Z].+\.", words) for words in WORDS.values())


def test_words_of_awx_name_what_the_configuration_has() -> None:
    kinds = {"workflow": "workflows", "template": "templates", "credential": "credentials"}
    named = re.findall(r'(workflow|template|credential) "([^"]+)"', " ".join(WORDS.values()))
    assert {kind for kind, _name in named} == {*kinds}
    for kind, name in named:
        assert name in {each["name"] for each in configuration()[f"controller_{kinds[kind]}"]}
    fields = [each["label"] for each in configuration()["controller_credential_types"][0]["inputs"]["fields"]]
    asked = [
        question["question_name"]
        for each in configuration()["controller_workflows"]
        for question in each["survey_spec"]["spec"]
    ]
    others = set(re.findall(r'"([^"]+)"', " ".join(WORDS.values()))) - {name for _kind, name in named}
    assert others <= {*fields, *asked, "name: UUID"}
    assert set(re.findall(r"awx_reseller_\w+", " ".join(WORDS.values()))) <= configuration().keys()
