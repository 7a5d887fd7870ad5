# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A module ships only what it uses: Ansible zips every file that a module imports, wherever, and what these import."""

from __future__ import annotations

import re

import pytest

from tests.unit.plugins.test_layers import PACKAGE, PLUGINS, imports

#: How many files of module_utils each module may ship, with room for some that are split, and the packages of which it
#: ships none.
BOUNDS = {
    "reseller_contract": (122, "_stack"),
    "reseller_contract_info": (82, "_order _placing _stack _results"),
    "reseller_contracts": (128, "_stack"),
    # What is adopted is checked as an order is.
    "reseller_ledger": (60, "_catalogue _placing _stack _results"),
    "reseller_ledger_info": (43, "_http _catalogue _product_options _reference _order _placing _stack _results"),
    "reseller_nameservers_info": (
        30,
        "_http _ledger _catalogue _product_options _reference _order _placing _stack _results",
    ),
    "reseller_operation": (96, "_order _stack"),
    "reseller_operation_info": (72, "_order _stack"),
    "reseller_products_info": (63, "_placing _stack _results"),
    "reseller_reconcile": (110, "_placing _stack _results"),
    "reseller_reference_info": (48, "_ledger _catalogue _order _placing _stack _results"),
    "reseller_stack": (136, ""),
    "reseller_stack_info": (135, ""),
}


def shipped(module: str) -> set[str]:
    """The files of module_utils that Ansible sends with a module, as paths below module_utils."""
    source = (PLUGINS / "modules" / f"{module}.py").read_text(encoding="utf-8")
    waiting = re.findall(rf"from {re.escape(PACKAGE)}\.([\w.]+) import", source)
    found: set[str] = set()
    while waiting:
        path = PLUGINS / "module_utils" / f"{waiting.pop().replace('.', '/')}.py"
        name = path.relative_to(PLUGINS / "module_utils").as_posix()
        if path.is_file() and name not in found:
            found.add(name)
            waiting += [each.removeprefix(f"{PACKAGE}.") for each in imports(path) if each.startswith(f"{PACKAGE}.")]
    return found


def test_every_module_has_a_bound() -> None:
    assert sorted(BOUNDS) == sorted(path.stem for path in (PLUGINS / "modules").glob("*.py"))


@pytest.mark.parametrize("module", BOUNDS)
def test_module_ships_only_what_it_uses(module: str) -> None:
    most, unused = BOUNDS[module]
    files = shipped(module)
    assert f"_tasks/{module.removeprefix('reseller_')}.py" in files
    assert not [name for name in files if name.split("/")[0] in unused.split()]
    assert len(files) <= most, sorted(files)
