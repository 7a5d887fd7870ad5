# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter stack_contracts: orders from a stack, or all that is wrong with it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.hosting.reseller.plugins.filter.stack_contracts import stack_contracts

TEXT = """
end_user: __self__
contracts:
  vps:
    - {hostname: a.example.org, product: VPS M, template: debian-12}
    - {hostname: b.example.org, product: VPS M}
"""
STACK = {"end_user": "__self__", "contracts": {"webhosting": [{"name": name, "product": "W"} for name in "abc"]}}


def test_a_mapping_and_a_text() -> None:
    assert [order["name"] for order in stack_contracts(STACK)] == ["a", "b", "c"]
    assert [order["name"] for order in stack_contracts(STACK, names=["c", "a"])] == ["a", "c"]
    (one, two) = stack_contracts(TEXT, defaults={"vps": {"template": "x"}})
    assert (one["settings"]["template"], two["settings"]["template"]) == ("debian-12", "x")


def test_problems_have_their_lines() -> None:
    with pytest.raises(
        AnsibleFilterError, match=r"has 1 problem\(s\):\nline:6:7: contracts.vps\[1\].template: required"
    ):
        stack_contracts(TEXT)


@pytest.mark.parametrize("option", ["defaults", "secrets", "l2vpn_ids"])
def test_options_that_are_no_mappings(option: str) -> None:
    given: dict[str, Any] = {option: ["x"]}
    with pytest.raises(AnsibleFilterError, match=f"{option} is a mapping, not a list"):
        stack_contracts(STACK, **given)
