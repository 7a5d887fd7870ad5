# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever a service repeats in whatever form: no secret is in any output or file, no contact data in any file."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.support.echoes import CONTACT, CONTRACT, FORMS, PERSONAL, replies, secret
from tests.support.http_server import Received, Reply, ScriptedServer
from tests.support.playbooks import Play, order

PRODUCT = "43444cec-30eb-4f99-a44d-4e7c1373723d"
API_KEY = "KyBegin3fQ-KyEnd7mX"


def server_of(answers: Mapping[str, Reply]) -> ScriptedServer:
    def answer(request: Received) -> Reply:
        if request.method == "GET":
            return Reply({"message": API_KEY}, 404)
        sent = json.loads(request.body)["settings"]
        return answers[sent.get("hostname") or sent["domain"].removesuffix(".example")]

    return ScriptedServer(answer)


def leaks(where: str, text: str, parts: list[str] | tuple[str, ...]) -> list[str]:
    return [f"{part} in {where}: …{text[max(0, text.find(part) - 200) :][:400]}…" for part in parts if part in text]


def leaks_of_files(runner: Runner, parts: list[str] | tuple[str, ...]) -> list[str]:
    return [
        leak for path in runner.files() for leak in leaks(str(path), path.read_bytes().decode(errors="replace"), parts)
    ]


def run(runner: Runner, url: str, tasks: list[dict[str, Any]]) -> Play:
    environment = {
        "RESELLER_BASE_URL": url,
        "RESELLER_API_KEY": API_KEY,
        "RESELLER_ORGANIZATION_ID": "4200",
        "RESELLER_END_USER_ELEMENT": "forUser",
        "RESELLER_PRODUCT_ELEMENT": "productUuid",
    }
    return runner.run(tasks, environment, "-vvvv", "--diff")


def contracts(entries: list[dict[str, Any]]) -> dict[str, Any]:
    options = {"contracts": entries, "on_error": "continue", "defaults": {"end_user": "__self__"}}
    return {"hosting.reseller.reseller_contracts": options}


def test_no_form_of_a_secret_is_shown_or_kept(runner: Runner) -> None:
    chance = random.Random(0)
    answers: dict[str, Reply] = {}
    entries, parts = [], ["KyBegin3fQ", "KyEnd7mX"]
    for form, written in FORMS.items():
        password, found = secret(chance)
        parts += found
        made = replies(f"{written(password)} {written(API_KEY)}", form)
        answers |= made
        for name in made:
            settings = {"hostname": name, "template": "debian-12"}
            elements = {"rootPw": password}
            entries.append(
                {
                    "product": PRODUCT,
                    "product_type": "vps",
                    "validation": "documented",
                    "settings": settings,
                    "additional_elements": elements,
                }
            )
    with server_of(answers) as server:
        first = run(runner, server.url, [contracts(entries)])
        again = run(runner, server.url, [contracts(entries), {"hosting.reseller.reseller_ledger_info": {}}])
    told = {result["name"]: result for result in first.results[0]["results"]}
    assert told.keys() == answers.keys(), first.output
    assert {result["order"]["status"] for result in told.values()} == {"ordered", "rejected", "in_doubt"}
    assert "********" in json.dumps(told["slashes-created"]["contract"])
    for play in (first, again):
        assert leaks("output", play.output, parts) == []
        assert leaks("results", json.dumps(play.results, ensure_ascii=False), parts) == []
    assert leaks_of_files(runner, parts) == []


def test_no_form_of_contact_data_is_kept_or_quoted(runner: Runner) -> None:
    answers: dict[str, Reply] = {}
    for form, written in FORMS.items():
        answers |= replies(written(" and ".join(CONTACT.values())), form)
    entries = [
        {
            "product_type": "domain",
            "validation": "documented",
            "settings": {
                "domain": f"{name}.example",
                "action": "register",
                "ownercData": CONTACT,
                "admincData": CONTACT,
            },
        }
        for name in answers
    ]
    with server_of(answers) as server:
        play = run(runner, server.url, [contracts(entries)])
    statuses = {result["order"]["status"] for result in play.results[0]["results"]}
    assert statuses == {"ordered", "rejected", "in_doubt"}, play.output
    messages = [str(result.get("msg")) for result in play.results[0]["results"]]
    assert [leak for message in messages for leak in leaks("message", message, PERSONAL)] == []
    assert any("(contact data, not kept)" in message for message in messages)
    (runner.folder / "playbook.yml").unlink()
    assert leaks_of_files(runner, PERSONAL) == []
    # The label is the caller's own, and the country nobody's.
    listed = run(runner, "http://127.0.0.1:9", [{"hosting.reseller.reseller_ledger_info": {}}])
    kept = json.dumps(listed.results[0]["orders"])
    assert "c-4711" in kept
    assert leaks("ledger", kept, PERSONAL) == []


@pytest.mark.full
def test_answer_is_saved_on_the_host_that_orders(runner: Runner) -> None:
    """And check mode says whether it could be."""
    body = {"id": CONTRACT, "rootPw": "kT9xToldOnce"}
    path = runner.folder / "answer.json"
    task = order(
        end_user="__self__",
        product=PRODUCT,
        product_type="vps",
        validation="documented",
        settings={"hostname": "one", "template": "debian-12"},
        save_answer=str(path),
    )
    with server_of({"one": Reply(body, 201)}) as server:
        missing = json.loads(json.dumps(task))
        missing["hosting.reseller.reseller_contract"]["save_answer"] = str(runner.folder / "no" / "where")
        dry = run(runner, server.url, [{**task, "check_mode": True}, {**missing, "check_mode": True}, missing])
        assert not path.exists()
        refused = ["save_answer" in (result.get("msg") or "") for result in dry.results]
        assert refused == [False, True, True], dry.output
        play = run(runner, server.url, [task, task])
        assert play.changed == [True, False], play.output
        assert len([request for request in server.requests if request.method == "POST"]) == 1
    assert json.loads(path.read_bytes()) == body
    assert path.stat().st_mode & 0o777 == 0o600
    assert "ToldOnce" not in play.output
    path.unlink()
    assert leaks_of_files(runner, ["ToldOnce"]) == []


def test_service_cannot_steer_the_terminal(runner: Runner) -> None:
    bad = "\x1b[2J\x9b31m\u202egnp\u200b\u2066x\x07\r"
    answers = {
        "created": Reply({"id": CONTRACT, "note": bad, bad: bad}, 201),
        "refused": Reply({"message": f"no {bad}", "errors": {f"settings.{bad}": [bad]}}, 422),
    }
    entries = [
        {
            "product": PRODUCT,
            "product_type": "vps",
            "validation": "documented",
            "settings": {"hostname": host, "template": "debian-12"},
        }
        for host in answers
    ]
    with server_of(answers) as server:
        play = run(runner, server.url, [contracts(entries)])
    told = json.dumps(play.results, ensure_ascii=False) + play.output
    for character in set(bad) - set("[2J31mgnpx\r"):
        assert character not in told, hex(ord(character))
        assert json.dumps(character)[1:-1] not in told, hex(ord(character))
