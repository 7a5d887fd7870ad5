# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Chromium, which shows pages as people see them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = next((path for path in map(shutil.which, NAMES) if path), None)
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium was found, so no page was looked at: make browser"
)


def _run(folder: Path, *arguments: str) -> str:
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={folder}/profile", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


def dom(folder: Path, page: Path) -> str:
    """What has become of a page after its programs ran; ``folder`` is for what Chromium keeps."""
    return _run(folder, "--allow-file-access-from-files", "--dump-dom", page.as_uri())


def printed_pages(folder: Path, page: Path) -> int:
    """How many sheets a page takes."""
    sheets = folder / "printed.pdf"
    _run(folder, f"--print-to-pdf={sheets}", "--no-pdf-header-footer", page.as_uri())
    return len(re.findall(rb"/Type\s*/Page\b", sheets.read_bytes()))
