# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads files with Ansible's loader, which decrypts what ansible-vault encrypted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleError


def text_reader(loader: Any) -> Callable[[str], str]:
    """Return what reads a file with this loader. It raises OSError, also for a file that cannot be decrypted."""

    def read(path: str) -> str:
        # So that a missing file is told apart.
        with open(path, "rb"):
            pass
        try:
            return str(loader.get_text_file_contents(path))
        except AnsibleError as error:
            raise OSError(error.message) from error

    return read
