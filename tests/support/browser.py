# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measures and prints HTML pages in a headless Chromium.

All pages are measured in one run, each in a frame as wide as the screen it is looked at on: media queries go by the
frame. A static server serves them, since frames of files may not be read.
"""

from __future__ import annotations

import functools
import html
import http.server
import json
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = next((path for path in map(shutil.which, NAMES) if path), None)
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage")
LIMIT = 300

#: What a page is asked: what is off it makes it wider than its frame, unless it scrolls in a box of its own.
MEASURE = """
function measure(frame) {
  const page = frame.contentDocument;
  return {page: frame.dataset.page, width: frame.width * 1, content: page.documentElement.scrollWidth,
    viewport: !!page.querySelector('meta[name=viewport]')};
}
window.addEventListener('load', () => {
  document.getElementById('result').textContent = JSON.stringify([...document.querySelectorAll('iframe')].map(measure));
});
"""


@dataclass(frozen=True)
class Screen:
    """How wide a page is at a width in pixels."""

    page: str
    width: int
    content: int
    viewport: bool


def measure(folder: Path, pages: Sequence[str], widths: Sequence[int]) -> list[Screen]:
    """Measure each page of a folder at each width."""
    frames = "".join(
        f'<iframe src="/{html.escape(page)}" data-page="{html.escape(page)}" width="{width}" height="800"></iframe>'
        for page in pages
        for width in widths
    )
    harness = "<!DOCTYPE html><meta charset=utf-8><pre id=result></pre>"
    harness += f"<script>{MEASURE}</script>{frames}"
    with _served(folder, harness) as address:
        dom = _chromium("--dump-dom", f"{address}/.harness").stdout
    found = re.search(r'(?s)<pre id="result">(.*?)</pre>', dom)
    if not found or not found[1]:
        raise RuntimeError(f"Chromium measured nothing: {dom[:500]}")
    return [Screen(**each) for each in json.loads(html.unescape(found[1]))]


def _chromium(*arguments: str) -> subprocess.CompletedProcess[str]:
    if CHROMIUM is None:
        raise RuntimeError("no Chromium was found")
    with tempfile.TemporaryDirectory() as profile:
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT)


@contextmanager
def _served(folder: Path, harness: str) -> Iterator[str]:
    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/.harness":
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(harness.encode())

        def log_message(self, *arguments: object) -> None:
            """Print nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
