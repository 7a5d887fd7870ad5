# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mistakes that people make, and what the message says to do about each of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.plugin_utils._documented_options import OptionsValidator
from ansible_collections.hosting.reseller.plugins.plugin_utils._in_process import check_version

#: What each module needs so that nothing else is wrong.
NEEDED = {
    "contract": {"end_user": "__self__"},
    "contracts": {"contracts": []},
    "record": {"name": "web01"},
    "operation": {"method": "GET", "path": "/x"},
}
CANCEL = (
    "a contract is not canceled here. Cancel it in the customer portal, or with reseller_operation if your service "
    "publishes that. Then remove its record:"
)
#: Module, options, and lines or parts of lines of the message.
OPTIONS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("contracts", {"end_user": "__self__"}, ["end_user: write it below defaults, or in each contract."]),
    ("contract", {"contracts": []}, ["contracts: reseller_contract does not have it. Use reseller_contracts."]),
    (
        "contract",
        {"defaults": {}},
        ["defaults: reseller_contract does not have it. Use reseller_contracts or reseller_st"],
    ),
    ("products_info", {"name": "VPS M"}, ["name: its option is product."]),
    ("contract_info", {"name": "web01"}, ["name: did you mean names?"]),
    *(
        (module, {"state": state}, [f"state: {CANCEL}", "reseller_record", "state", "absent"])
        for module in ("contract", "contracts", "stack")
        for state in ("absent", "present")
    ),
    (
        "contracts",
        {"contracts": {"web01": {"product": "VPS M"}}},
        ["'contracts' must be a list of mappings, not a mapping", "  contracts:\n    - end_user: …\n      product: …"],
    ),
    ("contract", {"settings": [{"hostname": "x"}]}, ["'settings' must be a mapping, not a list", "Remove the hyphens"]),
    ("contracts", {"contracts": [{"settings": [{"ram": 1}]}]}, ["'contracts[0].settings' must be a mapping, not a li"]),
    ("contract", {"timeout": "30s"}, ["'timeout' must be a number, not '30s'", "a number of seconds, without a unit"]),
    (
        "contract",
        {"org_max_ram": "8 GB"},
        ["'org_max_ram' must be a number, not '8 GB'", "number of MB, without a unit"],
    ),
    ("contract", {"product_type": "VPS"}, ["'product_type' must be one of vps, ", "Did you mean vps?"]),
    ("contracts", {"defaults": {"product_type": "VPS"}}, ["'defaults.product_type' must be one of vps, ", "mean vps?"]),
    ("record", {"state": "deleted"}, ["'state' must be one of present, absent, not 'deleted'", "Did you mean absent?"]),
    ("contract", {"validation": "documented"}, ["'validation' must be one of catalogue, specification"]),
]


@pytest.mark.parametrize(("module", "options", "parts"), OPTIONS)
def test_option_that_is_wrong_is_answered_with_what_to_write(
    module: str, options: dict[str, Any], parts: list[str]
) -> None:
    validator = OptionsValidator(f"reseller_{module}", {})
    try:
        _params, problem = validator.validated({**NEEDED.get(module, {}), **options})
    except ConfigurationError as error:
        problem = error.message
    assert problem is not None
    assert [part for part in parts if part not in problem] == []
    assert "Nothing was sent." in problem


def test_older_ansible_core_is_refused_with_both_versions() -> None:
    runtime = Path(__file__).parents[3] / "meta/runtime.yml"
    (least,) = re.findall(r"requires_ansible: '>=(.*)'", runtime.read_text())
    with pytest.raises(ConfigurationError, match=rf"2\.18\.5, is too old: {re.escape(least)} "):
        check_version("2.18.5")
    for newer in ("2.19.0rc1", "2.20.0", "3.0"):
        check_version(newer)
