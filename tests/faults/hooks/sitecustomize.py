# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Loaded by every Python that has this folder on PYTHONPATH: strikes at a point of the protocol, if one is named."""

from __future__ import annotations

import json
import os

if os.environ.get("RESELLER_FAULT"):
    import fault_points  # type: ignore[import-not-found]

    fault_points.install_on_import(json.loads(os.environ["RESELLER_FAULT"]))
