# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the Python version before a module imports anything else of the collection.

It looks whether its Python is new enough for the rest, and has it compile each file once. Every Python that
ansible-core starts modules with has to be able to run this file.
"""

from __future__ import annotations

import os
import sys
import zipimport
from typing import Any

from ansible.module_utils.basic import AnsibleModule

OLDEST = (3, 10)


class _Optionless(AnsibleModule):  # type: ignore[misc]
    """A module that forgets its options: which of them are secret is not known here."""

    params: dict[str, Any]

    def _load_params(self) -> None:
        super()._load_params()
        self.params = {name: value for name, value in self.params.items() if name.startswith("_ansible_")}


class _Importer(zipimport.zipimporter):
    """Names the file of what it imports without compiling it for that.

    Ansible sends a module as a zip of source files, and most of a module's time goes into compiling them. Python's own
    importer of zips does so twice: to tell a file's name, and to run it.
    """

    def get_filename(self, fullname: str) -> str:
        path = os.path.join(self.archive, self.prefix + fullname.rpartition(".")[2])
        return os.path.join(path, "__init__.py") if self.is_package(fullname) else path + ".py"


def prepare_python() -> None:
    """Leave the module with one error where its Python is too old to import the rest. Else compile each file once."""
    if sys.version_info < OLDEST:
        _refuse_old_python()
    plain = zipimport.zipimporter
    sys.path_hooks[:] = [_Importer if hook is plain else hook for hook in sys.path_hooks]
    for path in [path for path, importer in sys.path_importer_cache.items() if isinstance(importer, plain)]:
        del sys.path_importer_cache[path]


def _refuse_old_python() -> None:
    needed, found = (".".join(map(str, version[:2])) for version in (OLDEST, sys.version_info))
    _Optionless(argument_spec={}, supports_check_mode=True).fail_json(
        msg=(
            f"This task needs Python {needed} or newer, but this is {found}. Nothing was sent.\n"
            f"Host: {os.uname().nodename}. Python: {sys.executable}.\n"
            "Use delegate_to: localhost, or set ansible_python_interpreter to a newer Python with the collection's "
            "libraries."
        )
    )
