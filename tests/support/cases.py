# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What people meet, as data: each file of tests/cases is the table of one test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).parents[1] / "cases"


def rows(kind: str) -> list[dict[str, Any]]:
    """The rows of a file. ``met`` says where such a thing is met, ``right`` what is right."""
    return list(yaml.safe_load((FOLDER / f"{kind}.yml").read_text(encoding="utf-8")))


def cases(kind: str) -> pytest.MarkDecorator:
    """Run a test with each row of a file as ``case``."""
    return pytest.mark.parametrize("case", [pytest.param(row, id=row["met"]) for row in rows(kind)])
