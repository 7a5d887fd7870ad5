# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What ansible-doc lists of the settings is what the schemas say."""

from __future__ import annotations

import ast

import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from tests.tools import settings_block


def test_the_documentation_lists_the_settings_of_the_schemas() -> None:
    text = settings_block.MODULE.read_text(encoding="utf-8")
    assert settings_block.BEGIN in text
    assert settings_block.written(text) == text, "run make generate"


def test_every_setting_is_documented_with_its_range() -> None:
    nodes = ast.parse(settings_block.MODULE.read_text(encoding="utf-8")).body
    (text,) = [
        ast.literal_eval(node.value)
        for node in nodes
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "DOCUMENTATION"
    ]
    told = yaml.safe_load(text)["options"]["settings"]["description"]
    assert all(isinstance(each, str) for each in told)
    for kind in PRODUCT_TYPES.values():
        for name, rule in kind.settings.items():
            assert any(each.startswith(f"C({name}) - ") and rule["description"] in each for each in told), name
    assert "C(cpu_cores) - Number of CPU cores. Value: an integer, 1 to 10, step 1. Required." in told
