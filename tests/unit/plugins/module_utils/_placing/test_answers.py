# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers in the styles of real services, and how an order stands by each (tests/cases/answers.yml)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import Answer
from ansible_collections.hosting.reseller.plugins.module_utils._placing.outcomes import order_outcome, sent_order
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import Masker
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, Field
from tests.support.cases import cases
from tests.support.order_examples import order_of

PRODUCT = "43444cec-30eb-4f99-a44d-4e7c1373723d"
END_USER = "d19f51a8-e747-452b-89a9-286bfa544c77"
#: Another product and another end user that the run knows.
KNOWN = frozenset({PRODUCT, END_USER, "99999999-1111-4222-8333-444444444444", "aaaaaaaa-1111-4222-8333-444444444444"})
SETTINGS: dict[str, dict[str, Any]] = {
    "server": {"hostname": "web01.example.org", "template": "debian-12"},
    "domain": {"domain": "example.net", "action": "register"},
    "webhosting": {},
}


@cases("answers")
def test_answer_of_a_service_proves_what_it_shows(case: dict[str, Any]) -> None:
    order = replace(order_of("web01", SETTINGS[case.get("sent", "server")]), end_user=END_USER, product=PRODUCT)
    content = json.dumps(case["answer"]) if "answer" in case else case["text"]
    headers = {"Content-Type": case.get("type", "application/json"), "Location": case.get("location")}
    answer = Answer(
        case["status"],
        "https://portal.example.com/api/reseller/contracts",
        content.encode(),
        {name: text for name, text in headers.items() if text},
    )
    named = {"order.placed": case.get("placed"), "contracts.address": case.get("at")}
    described = Description("service.yml", {name: Field(each, "file") for name, each in named.items() if each})
    outcome = order_outcome(answer, Masker(), (), sent_order(order, KNOWN, described=described))
    assert outcome.status.replace("_", " ") == case["right"]
    assert (outcome.contract_id, outcome.possible_id) == (case.get("id"), case.get("possible"))
    assert outcome.address == case.get("address")
    said = outcome.warning or (outcome.error.message if outcome.error else "")
    assert case.get("said", "") in said
    assert bool(said) == ("id" not in case or "said" in case)
