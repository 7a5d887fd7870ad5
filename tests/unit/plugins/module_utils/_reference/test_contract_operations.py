# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which operations of a published reference read contracts, and what it tells of them."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._reference.contract_operations import (
    contract_operations,
)
from ansible_collections.hosting.reseller.plugins.module_utils._reference.published_operations import (
    PublishedOperations,
)

LIST, ITEM = "/api/reseller/contracts", "/api/reseller/contracts/{}"


def document(*paths: str) -> dict[str, Any]:
    """An OpenAPI document with GET on each of these paths."""
    return {"openapi": "3.1.0", "paths": {path: {"get": {"responses": {}}} for path in paths}}


@pytest.mark.parametrize(
    ("described", "path", "item_path"),
    [
        ({}, "/v2/servers/", "/v2/servers/{}/"),
        (document(LIST, f"{LIST}/{{id}}"), "/v2/servers", "/v2/servers/{}"),
        (document("/v2/servers", "/v2/servers/{id}/"), "/v2/servers", "/v2/servers/{}/"),
    ],
)
def test_given_path_lists_contracts_and_one_lies_below_it(described: dict[str, Any], path: str, item_path: str) -> None:
    found = contract_operations(PublishedOperations(described), path)
    assert (found.list_path, found.item_path) == (path, item_path)


@pytest.mark.parametrize(
    ("described", "list_path", "item_path"),
    [
        (document("/reseller/contracts/{id}"), None, ITEM),
        (document(f"{LIST}/", f"{LIST}/{{id}}/"), f"{LIST}/", f"{ITEM}/"),
        (document(LIST + "{._format}", LIST + "/{uuid}{._format}"), LIST, ITEM),
        # None of these reads contracts.
        (document("/api/reseller/products", f"{LIST}/{{id}}/renewals", f"{LIST}/export", "/api/contracts"), None, None),
        ({"openapi": "3.1.0", "paths": {LIST: {"post": {"responses": {}}}}}, None, None),
    ],
)
def test_operations_on_the_orders_path_are_found(
    described: dict[str, Any], list_path: str | None, item_path: str | None
) -> None:
    found = contract_operations(PublishedOperations(described))
    assert (found.list_path, found.item_path) == (list_path, item_path)


def test_parameters_of_the_list_are_told() -> None:
    described = document(LIST)
    described["paths"][LIST]["parameters"] = [{"name": "p", "in": "query", "schema": {"default": 1}}]
    described["paths"]["/v2/servers"] = described["paths"][LIST]
    for path in (None, "/v2/servers"):
        found = contract_operations(PublishedOperations(described), path)
        assert found.parameters == {"p": 1}
