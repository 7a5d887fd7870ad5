# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import yaml

from tests.support.playbooks import ROOT


def test_action_group_lists_every_module() -> None:
    runtime = yaml.safe_load((ROOT / "meta/runtime.yml").read_text(encoding="utf-8"))
    modules = sorted(path.stem for path in (ROOT / "plugins/modules").glob("*.py") if path.stem != "__init__")
    assert runtime["action_groups"]["reseller"] == modules
