# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Has Python keep what it compiled of this collection.

Ansible's own importer compiles each file of a collection anew in every run: for a play with one task of this collection
that takes longer than all that the task itself computes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType

_PACKAGES = tuple(f"{__name__}.{package}." for package in ("module_utils", "plugin_utils"))
_finder = lru_cache(maxsize=None)(FileFinder)


class _KeptFiles:
    """Finds the files below these packages as Python does; all else is left to Ansible."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if path is None or not name.startswith(_PACKAGES):
            return None
        found = (_finder(folder, (SourceFileLoader, tuple(SOURCE_SUFFIXES))).find_spec(name) for folder in path)
        return next((spec for spec in found if spec is not None and spec.loader is not None), None)


_importers = [type(each).__name__ for each in sys.meta_path]
if "_AnsibleCollectionFinder" in _importers:
    sys.meta_path.insert(_importers.index("_AnsibleCollectionFinder"), _KeptFiles)
