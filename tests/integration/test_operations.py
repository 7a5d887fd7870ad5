# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Published operations in real playbooks: nothing secret is shown or kept, however much is shown."""

from __future__ import annotations

from typing import Any

from tests.integration.conftest import Runner
from tests.support.http_server import ScriptedServer
from tests.support.portal import Portal

API_KEY = "portal-key-98aa1"
SECRETS = ("hush-hush-One1", "hush-hush-Two2", "hush-hush-Three3", "told-once-5577", API_KEY)


def test_secrets_are_neither_shown_nor_kept(runner: Runner) -> None:
    body = {"label": "x", "passphrase": SECRETS[0], "unlock": SECRETS[1], "note": SECRETS[2]}
    put: dict[str, Any] = {"operation": "putKey", "path_parameters": {"id": 1}, "secrets": ["note", "tags"]}
    rows = [
        ("reseller_operation", {"operation": "addKey", "name": "k", "body": body, "secrets": ["note"]}),
        ("reseller_operation", {**put, "query": {"tags": [SECRETS[2]]}, "body": body, "update_secrets": True}),
        ("reseller_operation", {**put, "body": {**body, "bits": "x"}}),
        ("reseller_operation_info", {"operation": "listKeys", "secrets": ["note", "tags"]}),
    ]
    with ScriptedServer(Portal()) as server:
        env = {
            "RESELLER_BASE_URL": server.url,
            "RESELLER_API_KEY": API_KEY,
            "RESELLER_ORGANIZATION_ID": "4200",
        }
        tasks = [{f"hosting.reseller.{module}": options} for module, options in rows]
        play = runner.run(tasks, env, "-vvvv", "--diff")
        assert ["msg" in result for result in play.results] == [False, False, True, False], play.output
        assert [request.method for request in server.requests if request.path != "/api/docs"] == [
            "POST",
            "GET",
            "PUT",
            "GET",
        ]
    kept = b"".join(path.read_bytes() for path in runner.files() if path.is_file() and not path.is_symlink())
    for secret in SECRETS:
        assert secret not in play.output, secret
        assert secret.encode() not in kept, secret
