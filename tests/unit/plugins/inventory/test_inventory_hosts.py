# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The hosts of the inventory plugins: one for each order, which acts on nothing else, their groups and addresses."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.inventory.data import InventoryData

from ansible_collections.hosting.reseller.plugins.inventory.ledger import InventoryModule, end_user_group, shown
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Cancellation,
    Outcome,
    Record,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, Field
from ansible_collections.hosting.reseller.plugins.plugin_utils._inventory_hosts import (
    addresses_in,
    by_version,
    host_names,
    is_host_name,
    why_not_known,
)


def order(name: str, hostname: str | None = None, contract_id: str | None = None) -> dict[str, Any]:
    settings = None if hostname is None else {"hostname": hostname}
    return {"name": name, "settings": settings, "contract_id": contract_id, "status": "ordered"}


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ([order("adopted"), {**order("bare"), "settings": {}}], ["adopted", "bare"]),
        ([order("a", "web01"), order("b", "web01"), order("c", "web02")], ["a", "b", "web02"]),
        ([order("web01", "web01"), order("b", "web01")], ["web01", "b"]),
        ([order("x", "h"), order("y", "x")], ["h", "y"]),
        ([order("production", "all", "c-1")], ["c-1"]),
        # What cannot be a host name gives way to the order name, then to the contract id.
        ([order("a", "localhost")], ["a"]),
        ([order("-oProxyCommand=id", "-oProxyCommand=id", "4711")], ["4711"]),
        ([order("-x", "web_01"), order("my server")], [None, None]),
    ],
)
def test_every_order_has_a_host_of_its_own(orders: list[dict[str, Any]], expected: list[str | None]) -> None:
    assert host_names(orders, groups={"all", "ungrouped", "production"}) == expected


NAMES = ["web01.example.com", "4711", "0f3c2b1a-1111-4222-8333-944445555666", "a_b"]


@pytest.mark.parametrize(
    "name",
    [
        *NAMES,
        *("", "--", "a b", "a\n", "web[01:20]", "web*", "!web", "~web", "a,b", "a:22", "::1", "../x", "a@b", "{{ x }}"),
        *("web01.", ".web01", "wéb01", "web\u202e01", "@file"),
        *("LOCALHOST", "Localhost.LocalDomain", "db.localhost", "localhost6", "ip6-loopback"),
        *("127.0.0.1", "127.1", "0x7f000001", "2130706433", "017700000001", "0"),
    ],
)
def test_host_name_means_nothing_else(name: str) -> None:
    assert is_host_name(name) is (name in NAMES)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("203.0.113.7/24", ("203.0.113.7",)),
        (["2001:db8::1", "203.0.113.7", "203.0.113.7"], ("2001:db8::1", "203.0.113.7")),
        ({"ips": [{"address": "203.0.113.7", "gateway": "203.0.113.1", "netmask": "255.255.255.0"}]}, ("203.0.113.7",)),
        ([{"key": "ip", "value": "203.0.113.7"}, {"key": "gateway", "value": "203.0.113.1"}], ("203.0.113.7",)),
        ({"network": {"addresses": ["203.0.113.7"], "gateway": "203.0.113.1"}}, ("203.0.113.7",)),
        ({"networks": [{"network": "203.0.113.0/24", "ip": "203.0.113.7/24"}]}, ("203.0.113.7",)),
        ({"network": "203.0.113.0", "networks": ["203.0.113.0", "203.0.113.16/28"]}, ()),
        ({"ip6_subnet": "2001:db8::/64", "block": "203.0.113.0/28", "dns": ["203.0.113.53"]}, ()),
        (7, ()),
    ],
)
def test_addresses_are_the_servers_own(value: Any, found: tuple[str, ...]) -> None:
    assert addresses_in(value) == found


def test_addresses_of_this_machine_are_not_those_of_a_server() -> None:
    addresses = ["127.0.0.1", "0.0.0.0", "::", "::1", "::ffff:127.0.0.1", "198.51.100.7", "2001:db8::7"]
    assert by_version(addresses) == {4: ["198.51.100.7"], 6: ["2001:db8::7"]}


ORDERED = Record("web01", Outcome("ordered", contract_id="c-1", address="192.0.2.7"), None, None, None, None, "")
GIVEN = Description("service.yml", {"contracts.address": Field("ip", "file")})


@pytest.mark.parametrize(
    ("record", "described", "why"),
    [
        (ORDERED, GIVEN, ""),
        # It was certain when it was kept.
        (ORDERED, Description(), ""),
        (ORDERED._replace(outcome=Outcome("ordered")), GIVEN, "The ledger has no address of it."),
        (ORDERED._replace(outcome=Outcome("ordered")), Description(), "contracts.address is not given"),
        (ORDERED._replace(outcome=Outcome("in_doubt", address="192.0.2.7")), GIVEN, "It is in doubt."),
        (ORDERED._replace(cancelled=Cancellation("2026-11-28T00:00:00Z", "cancel web01")), GIVEN, "It was canceled at"),
    ],
)
def test_host_of_the_ledger_has_an_address_or_a_reason(record: Record, described: Description, why: str) -> None:
    said = why_not_known(record, described)
    assert said.startswith(why)
    assert bool(said) == bool(why)


# Groups, addresses, and what is shown


def test_a_group_name_can_be_used_in_patterns_and_variables() -> None:
    group = end_user_group("3F0C7D3E-8a54-4a0e-9f5e-2f6a3a1f9b11")
    assert group == "reseller_end_user_3f0c7d3e_8a54_4a0e_9f5e_2f6a3a1f9b11"


@pytest.mark.parametrize(
    "more",
    [
        {"settings": {"hostname": "a", "rootPassword": "Quite-Secret-1"}},
        {"contract": [{"name": "password", "value": "Quite-Secret-1"}]},
        {"product_name": ' {"password": "Quite-Secret-1"}'},
        {"contract": {"state": "portal"}},
        {"contract": {"note": "the-key of-the-ledger"}},
        {"product_name": "VPS the-key"},
        {"product_name": "VPS\x1b[31m"},
    ],
    ids=["by name", "beside a name", "as JSON", "as a whole", "in a response", "in a text", "not legible"],
)
def test_an_order_is_shown_without_secrets_and_control_characters(more: dict[str, Any]) -> None:
    plain = [{"name": f"web{number}", "settings": {"hostname": "a"}, "contract": None} for number in range(600)]
    masked = list(shown([*plain, {**plain[0], **more}], {"the-key", "portal"}))
    assert masked[:-1] == plain
    assert masked[-1].keys() == {**plain[0], **more}.keys()
    assert not any(each in str(masked[-1]) for each in ("Quite-Secret-1", "the-key", "portal", "x1b"))


def test_warnings_show_a_foreign_hostname_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin, warnings = InventoryModule(), list[str]()
    plugin.inventory = InventoryData()
    monkeypatch.setattr(plugin.display, "warning", warnings.append)
    hostname = "web01\x1b[2J\nAll hosts are there.\u202e"
    plugin._warn_of_names([{"name": "web", "settings": {"hostname": hostname}}], ["web"])
    (warning,) = warnings
    assert "web01 [2J All hosts are there. (web)" in warning
    assert warning.isprintable()
