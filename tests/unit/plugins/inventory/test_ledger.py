# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The groups and addresses of the inventory plugins' hosts."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.inventory.ledger import end_user_group
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.elements import (
    addresses_in,
    by_version,
)


@pytest.mark.parametrize(
    ("end_user", "group"),
    [
        ("3F0C7D3E-8a54-4a0e-9f5e-2f6a3a1f9b11", "reseller_end_user_3f0c7d3e_8a54_4a0e_9f5e_2f6a3a1f9b11"),
        ("__self__", "reseller_end_user___self__"),
    ],
)
def test_a_group_name_can_be_used_in_patterns_and_variables(end_user: str, group: str) -> None:
    assert end_user_group(end_user) == group
    assert group.isidentifier()


@pytest.mark.parametrize(
    ("contract", "ipv4", "ipv6"),
    [
        ({"ipv4_addresses": ["192.0.2.7", "192.0.2.8"]}, ["192.0.2.7", "192.0.2.8"], []),
        ({"data": {"ips": [{"address": "192.0.2.7/24", "gateway": "192.0.2.1"}]}}, ["192.0.2.7"], []),
        ({"ip": "192.0.2.7", "main_ip": "192.0.2.7", "ip6": "2001:db8::7/64"}, ["192.0.2.7"], ["2001:db8::7"]),
        ({"ip6_subnet": "2001:db8::/64", "block": "192.0.2.0/28", "dns": ["192.0.2.53"]}, [], []),
        ({"id": "4711", "state": "new"}, [], []),
        (None, [], []),
    ],
)
def test_addresses_of_a_server(contract: Any, ipv4: list[str], ipv6: list[str]) -> None:
    assert by_version(addresses_in(contract)) == {4: ipv4, 6: ipv6}
