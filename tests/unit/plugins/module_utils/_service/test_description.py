# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The usual names by which fields of records are learned."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._service.description import named_places
from ansible_collections.hosting.reseller.plugins.module_utils._service.places import leaves


@pytest.mark.parametrize(
    ("record", "field", "places"),
    [
        ({"Host_Name": "a", "server": {"fqdn": "a"}}, "hostname", ["Host_Name", "server.fqdn"]),
        (
            {"product": {"name": "VPS", "uuid": "u"}, "tariff": "t"},
            "product",
            ["product.uuid", "product.name", "tariff"],
        ),
        ({"id": 7, "contract": {"uuid": "u"}, "server": {"id": 8}}, "id", ["id", "contract.uuid"]),
        ({"servers": [{"hostname": "a"}], "hostname": ["a"]}, "hostname", []),
        ({"ips": ["192.0.2.1"], "server": {"ipv4": "192.0.2.1"}}, "address", ["server.ipv4", "ips.*"]),
        ({"status": {"name": None}}, "state", ["status.name"]),
    ],
)
def test_places_with_a_usual_name_come_by_how_telling_it_is(record: Any, field: str, places: list[str]) -> None:
    """An id nested elsewhere is that of another thing, and of all fields an address alone may be in a list."""
    assert named_places(place for place, _value in leaves(record, nulls=True))[field] == places
