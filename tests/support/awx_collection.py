# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fetches the collection awx.awx, which no package on PyPI holds but the large one that is named ansible.

python -m tests.support.awx_collection FOLDER
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

#: The last one with awx.awx 24.6.1, the version of the AWX that the configuration is written for.
PACKAGE = "ansible==11.13.0"
COLLECTION = "ansible_collections/awx/awx"


def fetch(place: Path) -> None:
    """Bring the collection into a folder that can be named in ANSIBLE_COLLECTIONS_PATH."""
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*command, "--python-version=3.12", f"--dest={folder}", PACKAGE], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as content:
            content.extractall(folder, [name for name in content.namelist() if name.startswith(COLLECTION + "/")])
        (place / COLLECTION).parent.mkdir(parents=True, exist_ok=True)
        Path(folder, COLLECTION).rename(place / COLLECTION)


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
