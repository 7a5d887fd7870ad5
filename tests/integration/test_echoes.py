# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a service tells once goes into the file that a task names and nowhere else, and no terminal obeys it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.support.echoes import CONTRACT
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
    assert [found for found in runner.files() if b"ToldOnce" in found.read_bytes()] == []


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
