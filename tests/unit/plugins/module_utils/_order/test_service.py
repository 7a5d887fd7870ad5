# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is kept of a service between tasks: the reference that was found, or that there is none."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.cache import Cache
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import PublishedReferenceError
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._order.service import Service
from tests.support.http_server import Received, Reply, ScriptedServer

DOCUMENT = {"openapi": "3.1.0", "info": {"title": "Portal"}, "paths": {"/api/reseller/contracts": {"post": {}}}}


def title(server: ScriptedServer, folder: Path, *, anew: bool = False) -> str | None:
    """The title of the reference that a new task learns."""
    config = ServiceConfig(base_url=server.url, api_key="key-0123456789", organization_id="42")
    service = Service(config, Cache(folder), anew=anew)
    try:
        return service.reference().title
    finally:
        service.close()


def test_reference_is_found_once_and_kept(tmp_path: Path) -> None:
    with ScriptedServer(lambda _request: Reply(DOCUMENT)) as server:
        assert [title(server, tmp_path) for _task in range(3)] == ["Portal"] * 3
        assert len(server.requests) == 1
        title(server, tmp_path, anew=True)
        assert len(server.requests) == 2


def test_that_there_is_no_reference_is_kept(tmp_path: Path) -> None:
    with ScriptedServer(lambda _request: Reply({"error": "not found"}, 404)) as server:
        for _task in range(3):
            with pytest.raises(PublishedReferenceError, match="No published reference"):
                title(server, tmp_path)
        once = len(server.requests)
        assert once == len({request.path for request in server.requests})
        with pytest.raises(PublishedReferenceError):
            title(server, tmp_path, anew=True)
        assert len(server.requests) == 2 * once


@pytest.mark.parametrize("status", [401, 403, 502])
def test_refusal_or_failure_is_not_kept(tmp_path: Path, status: int) -> None:
    failing = True

    def answer(_request: Received) -> Reply:
        return Reply({"error": "no"}, status) if failing else Reply(DOCUMENT)

    with ScriptedServer(answer) as server:
        with pytest.raises(PublishedReferenceError):
            title(server, tmp_path)
        failing = False
        assert title(server, tmp_path) == "Portal"


@pytest.mark.parametrize("before", [Reply({"error": "not found"}, 404), Reply(DOCUMENT)], ids=["none", "unclear"])
def test_kept_reference_that_fails_an_order_is_read_anew(tmp_path: Path, before: Reply) -> None:
    reply = before
    body = {"type": "object", "properties": {"endUser": {"type": "string"}, "product": {"type": "string"}}}
    post = {"requestBody": {"content": {"application/json": {"schema": body}}}}
    clear = {**DOCUMENT, "paths": {"/api/reseller/contracts": {"post": post}}}

    with ScriptedServer(lambda _request: reply) as server:
        config = ServiceConfig(base_url=server.url, api_key="key-0123456789", organization_id="42")

        def end_user_element() -> str:
            service = Service(config, Cache(tmp_path))
            with contextlib.closing(service):
                return service.shape().end_user_element

        for _task in range(2):
            with pytest.raises(PublishedReferenceError):
                end_user_element()
        reply = Reply(clear)
        assert end_user_element() == "endUser"
