# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is kept of a service between tasks: the reference that was found, or that there is none."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    ConfigurationError,
    PublishedReferenceError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._core.files import Cache
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._order.service import Service
from playbooks.files.simulator.http_server import Reply, ScriptedServer


def document(*elements: str) -> Reply:
    """A reference that names these elements of an order."""
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in elements}}
    post = {"requestBody": {"content": {"application/json": {"schema": schema}}}}
    return Reply(
        {"openapi": "3.1.0", "info": {"title": "Portal"}, "paths": {"/api/reseller/contracts": {"post": post}}}
    )


NONE, FOUND, REFUSED = Reply({"error": "not found"}, 404), document("endUser", "product"), {"error": "no"}


def learn(
    server: ScriptedServer,
    folder: Path,
    *,
    shape: bool = False,
    anew: bool = False,
    api_key: str = "key-0123456789",
    organization_id: str = "42",
) -> str | None:
    """What a new task learns, ``None`` if it finds nothing: the reference's title, or the end user's element."""
    config = ServiceConfig(base_url=server.url, api_key=api_key, organization_id=organization_id)
    with contextlib.closing(Service(config, Cache(folder), anew=anew)) as service:
        try:
            if shape:
                return service.with_fresh(service.shape, lambda _shape: ()).end_user_element
            return service.reference().info("title")
        except PublishedReferenceError:
            return None


@pytest.mark.parametrize(("reply", "title"), [(FOUND, "Portal"), (NONE, None)], ids=["found", "none"])
def test_what_was_found_is_kept_also_that_there_is_nothing(tmp_path: Path, reply: Reply, title: str | None) -> None:
    with ScriptedServer(lambda _request: reply) as server:
        assert [learn(server, tmp_path) for _task in range(3)] == [title] * 3
        once = len(server.requests)
        assert once == len({request.path for request in server.requests})
        assert learn(server, tmp_path, anew=True) == title
        assert len(server.requests) == 2 * once


@pytest.mark.parametrize(
    ("before", "shape"),
    [
        # A refusal or failure is not kept.
        *((Reply(REFUSED, status), False) for status in (401, 403, 502)),
        # What is kept is read anew where it fails an order.
        (NONE, True),
        (document(), True),
    ],
)
def test_what_fails_is_read_anew(tmp_path: Path, before: Reply, shape: bool) -> None:
    replies = [before]
    with ScriptedServer(lambda _request: replies[-1]) as server:
        assert [learn(server, tmp_path, shape=shape) for _task in range(2)] == [None] * 2
        replies.append(FOUND)
        assert learn(server, tmp_path, shape=shape) == ("endUser" if shape else "Portal")


@pytest.mark.parametrize("other", [{"api_key": "another-key-01"}, {"organization_id": "43"}], ids=[*"ko"])
def test_what_is_kept_belongs_to_one_key_and_organization(tmp_path: Path, other: dict[str, str]) -> None:
    with ScriptedServer(lambda _request: FOUND) as server:
        learn(server, tmp_path)
        learn(server, tmp_path, **other)
        once = len(server.requests) // 2
        learn(server, tmp_path, **other)
        assert len(server.requests) == 2 * once > 0
    assert not any("key" in path.name or "key" in path.read_text() for path in tmp_path.rglob("*.json"))


@pytest.mark.parametrize(("end_user", "product"), [("a", "a"), ("settings", None), (None, "settings")])
def test_options_that_cannot_be_meant_are_refused(end_user: str | None, product: str | None, tmp_path: Path) -> None:
    words = "are both 'a'" if end_user == product else "cannot be settings"
    with pytest.raises(ConfigurationError, match=words):
        Service(ServiceConfig("https://portal.example", "key-0123456789", "4200"), Cache(tmp_path), end_user, product)
