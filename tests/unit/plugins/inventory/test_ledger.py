# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The groups and addresses of the inventory plugins' hosts."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.inventory.data import InventoryData

from ansible_collections.hosting.reseller.plugins.inventory.ledger import InventoryModule, end_user_group, shown


def test_a_group_name_can_be_used_in_patterns_and_variables() -> None:
    group = end_user_group("3F0C7D3E-8a54-4a0e-9f5e-2f6a3a1f9b11")
    assert group == "reseller_end_user_3f0c7d3e_8a54_4a0e_9f5e_2f6a3a1f9b11"


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


def test_warnings_show_a_foreign_hostname_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin, warnings = InventoryModule(), list[str]()
    plugin.inventory = InventoryData()
    monkeypatch.setattr(plugin.display, "warning", warnings.append)
    hostname = "web01\x1b[2J\nAll hosts are there.\u202e"
    plugin._warn_of_names([{"name": "web", "settings": {"hostname": hostname}}], ["web"])
    (warning,) = warnings
    assert "web01 [2J All hosts are there. (web)" in warning
    assert warning.isprintable()
