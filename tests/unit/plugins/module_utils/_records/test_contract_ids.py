# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._records.contract_ids import contract_id, l2vpn_id

A = "0f3c1d9e-8a51-4c39-9d2a-0f3c1d9e8a51"
B = "7e0b8f44-55aa-4f7e-8c11-7e0b8f4455aa"


@pytest.mark.parametrize(
    ("body", "location", "expected"),
    [
        ({"uuid": A}, None, A),
        ({"id": 17, "uuid": A}, None, "17"),
        ({"@id": "/api/contracts/17", "@type": "Contract"}, None, "17"),
        ({"@id": "_:b0", "uuid": A}, None, A),
        ({"contract_id": "c-17"}, None, "c-17"),
        ({"contract": {"id": 17}}, None, "17"),
        ({"item": {"id": 17}}, None, "17"),
        ({"contract": "/api/contracts/17"}, None, "17"),
        ({"contract": "created", "id": 5}, None, "5"),
        ({"data": {"type": "contracts", "id": "17", "attributes": {}}}, None, "17"),
        ([{"id": 17}], None, "17"),
        ({"success": True, "result": {"contractId": 17}}, None, "17"),
        (A, None, A),
        ({"_links": {"self": {"href": "/api/contracts/17"}}}, None, "17"),
        # What is bought and by whom is not the contract.
        ({"product": {"id": A}, "status": "new"}, None, None),
        ({"id": "c-1", "item": {"id": "p-1"}}, None, "c-1"),
        # Nobody can tell which of two is meant, unless the header does.
        ({"id": 1, "data": {"id": "c-17"}}, None, None),
        ({"id": 1, "data": {"id": "c-17"}}, "/api/contracts/c-17", "c-17"),
        ({"contract_id": 1, "contractUuid": A}, None, None),
        ([{"id": 1}, {"id": 2}], None, None),
        # No ids.
        ({"id": True}, None, None),
        ({"id": "two words"}, None, None),
        # The header.
        (None, "/api/reseller/contracts/17/", "17"),
        (None, "contracts/17.jsonld", "17"),
        (None, "/portal/" + A, A),
        (None, "/api/reseller/contracts", None),
        (None, "/api/jobs/55", None),
        (None, "http://[bad", None),
        ({"id": 17}, "/api/contracts/18", "17"),
    ],
)
def test_contract_id(body: Any, location: str | None, expected: str | None) -> None:
    assert contract_id(body, location) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"l2vpn_id": A.upper()}, A),
        ({"l2vpn": {"id": 4, "uuid": A}}, A),
        ({"l2vpn": f"/api/l2vpns/{A}"}, A),
        ({"publicVlan": {"@id": f"/api/l2vpns/{A}"}}, A),
        ({"vlan": A, "l2vpn": B}, B),
        ({"data": {"contract": {"settings": {"l2vpn": A}}}}, None),
        ({"contract": {"settings": {"existing_l2vpn": A}}}, A),
        ({"data": {"relationships": {"l2vpn": {"data": {"type": "l2vpns", "id": A}}}}}, A),
        ({"a": {"l2vpn": A}, "b": {"l2vpn": B}}, None),
        ({"vlan": 2041}, None),
        (None, None),
    ],
)
def test_l2vpn_id(body: Any, expected: str | None) -> None:
    assert l2vpn_id(body) == expected
