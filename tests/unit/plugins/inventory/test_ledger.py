# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The groups and addresses of the inventory plugins' hosts."""

from __future__ import annotations

import contextlib
import gc
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.inventory.ledger import (
    end_user_group,
    shown,
    without_collecting_garbage,
)
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
        ({"ips": ["127.0.0.1", "0.0.0.0", "::", "::1", "::ffff:127.0.0.1", "198.51.100.7"]}, ["198.51.100.7"], []),
        ({"id": "4711", "state": "new"}, [], []),
        (None, [], []),
    ],
)
def test_addresses_of_a_server(contract: Any, ipv4: list[str], ipv6: list[str]) -> None:
    assert by_version(addresses_in(contract)) == {4: ipv4, 6: ipv6}


@pytest.mark.parametrize(
    "more",
    [
        {"settings": {"hostname": "a", "rootPassword": "Quite-Secret-1"}},
        {"contract": {"note": "the-key of-the-ledger"}},
        {"product_name": "VPS the-key"},
        {"product_name": "VPS\x1b[31m"},
    ],
    ids=["by name", "in a response", "in a text", "not legible"],
)
def test_an_order_is_shown_without_secrets_and_control_characters(more: dict[str, Any]) -> None:
    plain = [{"name": f"web{number}", "settings": {"hostname": "a"}, "contract": None} for number in range(600)]
    masked = list(shown([*plain, {**plain[0], **more}], {"the-key"}))
    assert masked[:-1] == plain
    assert masked[-1].keys() == {**plain[0], **more}.keys()
    assert not any(each in str(masked[-1]) for each in ("Quite-Secret-1", "the-key", "x1b"))


def test_garbage_is_collected_again_after_an_error() -> None:
    collecting = []
    with contextlib.suppress(ValueError), without_collecting_garbage():
        collecting.append(gc.isenabled())
        raise ValueError
    assert [*collecting, gc.isenabled()] == [False, True]
