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

#: What a page is asked. An element that can be scrolled into view in a box of its own is not off the page, and neither
#: is what is fixed beside it until it is opened, like a phone's navigation.
MEASURE = """
function boxed(element, page) {
  for (let at = element; at && at !== page.body; at = at.parentElement) {
    const style = page.defaultView.getComputedStyle(at);
    if (style.position === 'fixed' || style.visibility === 'hidden') return true;
    if (at !== element && style.overflowX !== 'visible') return true;
  }
  return false;
}
function measure(frame) {
  const page = frame.contentDocument, width = page.documentElement.clientWidth;
  const name = e => e.tagName.toLowerCase() + (e.className ? '.' + e.className : '') + ': '
    + e.textContent.trim().slice(0, 60);
  const all = [...page.body.querySelectorAll('*')].filter(e => e.getClientRects().length);
  const off = all.filter(e => { const r = e.getBoundingClientRect();
    return r.width > 1 && (r.right > width + 1 || r.left < -1) && !boxed(e, page); });
  const cut = all.filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0
    && ['auto', 'scroll', 'hidden', 'clip'].includes(page.defaultView.getComputedStyle(e).overflowX));
  const narrow = all.filter(e => ['TD', 'TH', 'DD'].includes(e.tagName) && e.textContent.trim().length > 3
    && e.getBoundingClientRect().width < 30);
  return {page: frame.dataset.page, width: frame.width * 1, content: page.documentElement.scrollWidth,
    off: off.slice(0, 5).map(name), cut: cut.slice(0, 5).map(name), narrow: narrow.slice(0, 5).map(name),
    viewport: !!page.querySelector('meta[name=viewport]')};
}
window.addEventListener('load', () => {
  document.getElementById('result').textContent = JSON.stringify([...document.querySelectorAll('iframe')].map(measure));
});
"""


@dataclass(frozen=True)
class Screen:
    """How a page looks at a width in pixels.

    What is `off` the page, `cut` in a box that scrolls, or too `narrow`.
    """

    page: str
    width: int
    content: int
    off: tuple[str, ...]
    cut: tuple[str, ...]
    narrow: tuple[str, ...]
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
    screens = json.loads(html.unescape(found[1]))
    return [
        Screen(**{key: tuple(value) if isinstance(value, list) else value for key, value in each.items()})
        for each in screens
    ]


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
