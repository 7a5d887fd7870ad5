# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The running service: what is learned of it beside its file, and that it is asked once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import PublishedReferenceError, ServiceError
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, Field
from ansible_collections.hosting.reseller.plugins.module_utils._service.service import Service
from playbooks.files.simulator.http_server import Reply, ScriptedServer

CONTRACTS = "/api/reseller/contracts"


def document(*names: str, path: str = CONTRACTS, lists: bool = True) -> dict[str, Any]:
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in (*names, "settings")}}
    body = {"requestBody": {"content": {"application/json": {"schema": schema}}}}
    return {"openapi": "3.1.0", "paths": {path: {"post": body, **({"get": {}} if lists else {})}}}


@contextmanager
def service(reply: Reply, **in_file: Any) -> Iterator[tuple[ScriptedServer, Service]]:
    fields = {name.replace("__", "."): Field(value, "file", 1) for name, value in in_file.items()}
    with ScriptedServer(lambda request: reply) as server:
        config = ServiceConfig(server.url, "key-0123456789", "4200")
        with closing(Service(config, Description("/etc/service.yml", fields))) as opened:
            yield server, opened


@pytest.mark.parametrize(
    ("published", "learned"),
    [
        (document("customerUuid", "productUuid"), ("customerUuid", "productUuid", CONTRACTS)),
        # One of the two alone is not told.
        (document("productUuid", "x1", lists=False), (None, None, None)),
        # An equally likely one, and one name for both.
        (document("account", "memberId", "product"), (None, None, CONTRACTS)),
        (document(path="/v2/contracts"), (None, None, None)),
        ({"openapi": "3.1.0", "paths": {}}, (None, None, None)),
    ],
)
def test_document_tells_what_is_clear(published: dict[str, Any], learned: tuple[str | None, ...]) -> None:
    with service(Reply(published)) as (_server, opened):
        names = ("order.end_user", "order.product", "contracts.path")
        assert tuple(map(opened.description.get, names)) == learned
        assert {field.source for field in opened.description.fields.values()} <= {"openapi"}


def test_file_wins_and_its_null_is_not_learned() -> None:
    in_file = {"order__end_user": "payer", "contracts__path": None}
    with service(Reply(document("customer", "product")), **in_file) as (_server, opened):
        known = opened.description
        assert [known.get(name) for name in ("order.end_user", "order.product")] == ["payer", "product"]
        assert (known.get("contracts.path"), known.source("contracts.path")) == (None, "file")
        # What the file says stays apart.
        assert opened.described.get("order.product") is None


def test_service_without_a_document_is_what_its_file_says() -> None:
    with service(Reply(None, 404), order__product="product") as (server, opened):
        assert opened.description == opened.described
        before = len(server.requests)
        with pytest.raises(PublishedReferenceError):
            opened.openapi()
        assert len(server.requests) == before


def test_what_was_read_is_read_once_and_a_failure_again() -> None:
    reads: list[int] = []

    def read(of: Service) -> str:
        reads.append(1)
        if len(reads) == 1:
            raise ServiceError("no.")
        return of.config.organization_id

    with service(Reply(None, 404)) as (_server, opened):
        with pytest.raises(ServiceError):
            opened.once(read)
        assert [opened.once(read), opened.once(read), len(reads)] == ["4200", "4200", 2]
