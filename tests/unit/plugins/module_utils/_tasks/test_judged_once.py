# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""In one task, each order is made once of what the playbook says, and is judged by the specification once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._checks import setting_rules
from ansible_collections.hosting.reseller.plugins.module_utils._order.order import RequestedOrder
from tests.unit.plugins.module_utils._tasks.conftest import Bench, Ran

NAMES = ("web01.example.org", "web02.example.org")
GOOD, WRONG, MISSPELLED = {"template": "debian-12"}, {"template": ""}, {"template": "debian-12", "colour": "red"}
MODULES = ("reseller_contract", "reseller_contracts", "reseller_stack", "reseller_stack_info")


def run(bench: Bench, module: str, settings: dict[str, Any]) -> Ran:
    """Run a task for one order (reseller_contract) or two."""
    orders = [{"product": "VPS M", "settings": {"hostname": name, **settings}} for name in NAMES]
    if module == "reseller_contract":
        return bench.run(module, end_user="__self__", product_type="vps", **orders[0])
    if module == "reseller_contracts":
        defaults = {"end_user": "__self__", "product_type": "vps"}
        return bench.run(module, defaults=defaults, contracts=orders)
    return bench.run(module, stack={"end_user": "__self__", "contracts": {"vps": orders}})


@pytest.mark.parametrize("settings", [GOOD, WRONG, MISSPELLED], ids=["good", "broken rule", "unknown setting"])
@pytest.mark.parametrize("module", MODULES)
def test_each_order_is_judged_once(
    module: str, settings: dict[str, Any], bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where what was kept of the catalogue is read anew, as for a product that is given by name."""
    assert bench.order("web00.example.org", product="VPS M")["changed"]
    judged, judge = Counter[str](), setting_rules.check_specification_rules
    made, make = Counter[str](), RequestedOrder.__init__

    def judging(kind: Any, given: Any, **options: Any) -> Any:
        judged[given["hostname"]] += 1
        return judge(kind, given, **options)

    def making(self: RequestedOrder, *args: Any, **options: Any) -> None:
        make(self, *args, **options)
        made[self.settings["hostname"]] += 1

    monkeypatch.setattr(setting_rules, "check_specification_rules", judging)
    monkeypatch.setattr(RequestedOrder, "__init__", making)
    ran = run(bench, module, settings)
    once = dict.fromkeys(NAMES[:1] if module == "reseller_contract" else NAMES, 1)
    assert judged == once
    if module.startswith("reseller_stack"):
        assert made == once
    assert ran.failed == (settings is not GOOD)
    if not ran.failed and module != "reseller_stack_info":
        judged.clear()
        assert not run(bench, module, settings)["changed"]
        assert judged == once
