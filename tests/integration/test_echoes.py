# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a service says steers no terminal."""

from __future__ import annotations

import json

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.support.http_server import Received, Reply, ScriptedServer


def test_service_cannot_steer_the_terminal(runner: Runner) -> None:
    bad = "\x1b[2J\x9b31m\u202egnp\u200b\u2066x\x07\r"
    answers = {
        "created": Reply({"id": "c-1", "note": bad, bad: bad}, 201),
        "refused": Reply({"message": f"no {bad}", "errors": {f"settings.{bad}": [bad]}}, 422),
    }

    def answer(request: Received) -> Reply:
        if request.method == "GET":
            return Reply({"message": bad}, 404)
        return answers[json.loads(request.body)["settings"]["hostname"]]

    vps = {"end_user": "__self__", "product": data.VPS_M, "product_type": "vps", "validation": "documented"}
    entries = [{"settings": {"hostname": host, "template": "debian-12"}} for host in answers]
    with ScriptedServer(answer) as server:
        elements = {"end_user_element": "forUser", "product_element": "productUuid"}
        service = {"base_url": server.url, "api_key": data.API_KEY, "organization_id": data.ORGANIZATION_ID}
        options = {**service, **elements, "contracts": entries, "defaults": vps, "on_error": "continue"}
        play = runner.run({"hosting.reseller.reseller_contracts": options}, {}, "-vvvv", "--diff")
    assert play.result["counts"]["ordered"] == 1
    told = json.dumps(play.results, ensure_ascii=False) + play.output
    for character in set(bad) - set("[2J31mgnpx\r"):
        assert character not in told, hex(ord(character))
        assert json.dumps(character)[1:-1] not in told, hex(ord(character))
