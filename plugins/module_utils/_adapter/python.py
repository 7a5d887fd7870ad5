# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module does before it imports anything else: it looks whether its Python is new enough for the rest.

Every Python that ansible-core starts modules with has to be able to run this file.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from ansible.module_utils.basic import AnsibleModule

OLDEST = (3, 10)


class _Optionless(AnsibleModule):  # type: ignore[misc]
    """A module that forgets its options: which of them are secret is not known here."""

    params: dict[str, Any]

    def _load_params(self) -> None:
        super()._load_params()
        self.params = {name: value for name, value in self.params.items() if name.startswith("_ansible_")}


def refuse_old_python() -> None:
    """Leave the module with one error where its Python is too old to import the rest."""
    if sys.version_info >= OLDEST:
        return
    needed, found = (".".join(map(str, version[:2])) for version in (OLDEST, sys.version_info))
    _Optionless(argument_spec={}, supports_check_mode=True).fail_json(
        msg=(
            f"This task needs Python {needed} or newer, this is {found} at {sys.executable} on {os.uname().nodename}. "
            "Nothing was sent.\n"
            "Use delegate_to: localhost, or set ansible_python_interpreter to a newer Python with the collection's "
            "libraries."
        )
    )


__all__ = ["refuse_old_python"]
