# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes values as YAML, for diffs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import MissingLibraryError

try:
    import yaml
except ImportError as error:
    _MISSING: ImportError | None = error
else:
    _MISSING = None


def as_yaml(value: Mapping[str, Any] | None) -> str:
    """A mapping as YAML, or an empty string without one. Raises MissingLibraryError without PyYAML."""
    if value is None:
        return ""
    if _MISSING is not None:
        raise MissingLibraryError("PyYAML", "to show a diff", str(_MISSING)) from _MISSING
    return str(yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True, width=1000))
