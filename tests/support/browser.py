# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measures and photographs HTML pages in a headless Chromium.

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
const rgba = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] + below[i] * (1 - top[3])).concat(1);
function background(element, page) {
  const layers = [], style = at => page.defaultView.getComputedStyle(at);
  for (let at = element; at; at = at.parentElement) layers.push(rgba(style(at).backgroundColor));
  return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
}
function luminance(color) {
  const [r, g, b] = color.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
}
function contrast(element, page) {
  const below = background(element, page), own = over(rgba(page.defaultView.getComputedStyle(element).color), below);
  const [low, high] = [luminance(own), luminance(below)].sort((a, b) => a - b);
  return (high + .05) / (low + .05);
}
function faint(all, page) {
  const seen = new Map();
  for (const e of all) {
    const said = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    const style = page.defaultView.getComputedStyle(e);
    if (!said || style.visibility === 'hidden' || style.opacity === '0') continue;
    if (e.closest('svg, [hidden], .headerlink')) continue;
    const ratio = contrast(e, page), large = parseFloat(style.fontSize) >= 24;
    if (ratio < (large ? 3 : 4.5)) {
      const where = e.tagName.toLowerCase() + (e.className ? '.' + e.className : '') + ' ' + ratio.toFixed(2);
      if (!seen.has(where)) seen.set(where, where + ': ' + e.textContent.trim().slice(0, 30));
    }
  }
  return [...seen.values()];
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
    faint: faint(all, page).slice(0, 8),
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

    What is `off` the page, `cut` in a box that scrolls, too `narrow`, or too `faint` to read: text whose contrast is
    less than 4.5, or 3 if it is large (WCAG 2, AA).
    """

    page: str
    width: int
    content: int
    off: tuple[str, ...]
    cut: tuple[str, ...]
    narrow: tuple[str, ...]
    faint: tuple[str, ...]
    viewport: bool


def measure(
    folder: Path, pages: Sequence[str], widths: Sequence[int], *, dark: bool = False, theme: str = "auto"
) -> list[Screen]:
    """Measure each page of a folder at each width, on a `dark` system, or with the theme that a reader chose."""
    frames = "".join(
        f'<iframe src="/{html.escape(page)}" data-page="{html.escape(page)}" width="{width}" height="800"></iframe>'
        for page in pages
        for width in widths
    )
    harness = "<!DOCTYPE html><meta charset=utf-8><pre id=result></pre>"
    harness += f"<script>localStorage.theme = '{theme}';{MEASURE}</script>{frames}"
    with _served(folder, harness) as address:
        dom = _chromium(_system(dark), "--dump-dom", f"{address}/.harness").stdout
    found = re.search(r'(?s)<pre id="result">(.*?)</pre>', dom)
    if not found or not found[1]:
        raise RuntimeError(f"Chromium measured nothing: {dom[:500]}")
    screens = json.loads(html.unescape(found[1]))
    return [
        Screen(**{key: tuple(value) if isinstance(value, list) else value for key, value in each.items()})
        for each in screens
    ]


def _system(dark: bool) -> str:
    return f"--blink-settings=preferredColorScheme={0 if dark else 1}"


def photograph(page: Path, picture: Path, width: int, height: int, *, dark: bool = False) -> None:
    """Write a PNG of the first `height` pixels of a page, `width` pixels wide, maybe on a `dark` system."""
    picture.parent.mkdir(parents=True, exist_ok=True)
    _chromium(_system(dark), f"--window-size={width},{height}", f"--screenshot={picture}", page.as_uri())


def print_to_pdf(page: Path, pdf: Path) -> None:
    """Print a page as a browser prints it."""
    _chromium("--no-pdf-header-footer", f"--print-to-pdf={pdf}", page.as_uri())


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
