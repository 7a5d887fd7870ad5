# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documentation site as a browser shows it, on a phone and on a laptop. `make docs` builds it first."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from tests.site.browser import dom, needs_chromium
from tests.support.playbooks import ROOT

#: What each page is asked. What is off it makes it wider than its frame, unless it scrolls in a box of its own.
MEASURE = """
function measure(frame) {
  const page = frame.contentDocument;
  return {page: frame.src, width: frame.width * 1, content: page.documentElement.scrollWidth,
    viewport: !!page.querySelector('meta[name=viewport]'),
    cut: [...page.querySelectorAll('.highlight pre')].filter(code => code.scrollWidth > code.clientWidth + 1).length};
}
window.addEventListener('load', () => {
  document.getElementById('result').textContent = JSON.stringify([...document.querySelectorAll('iframe')].map(measure));
});
"""

SITE = ROOT / ".cache/docs/build/html"
PHONE, LAPTOP = 400, 1280
PAGES = sorted(str(page.relative_to(SITE)) for page in SITE.rglob("*.html"))
OTHER_WAYS = re.compile(r"collection install hosting[.]reseller|galaxy[.]ansible[.]com|git clone")


def page(name: str) -> str:
    return (SITE / name).read_text(encoding="utf-8")


def measured(folder: Path) -> list[dict[str, Any]]:
    """How wide each page is on each screen: in a frame as wide as that, since media queries go by the frame."""
    addresses = [(SITE / name).as_uri() for name in PAGES]
    frames = [f'<iframe src="{page}" width="{width}" height="800">' for page in addresses for width in (PHONE, LAPTOP)]
    harness = folder / "harness.html"
    harness.write_text(f"<!DOCTYPE html><pre id=result></pre><script>{MEASURE}</script>{'</iframe>'.join(frames)}")
    shown = dom(folder, harness)
    found = re.search(r'(?s)<pre id="result">(.*?)</pre>', shown)
    assert found, f"Chromium measured nothing: {shown[:500]}"
    screens: list[dict[str, Any]] = json.loads(html.unescape(found[1]))
    return screens


@needs_chromium
def test_nothing_is_wider_than_the_screen(tmp_path: Path) -> None:
    screens = measured(tmp_path)
    assert len(screens) == 2 * len(PAGES) > 60
    assert [each for each in screens if each["content"] > each["width"] or not each["viewport"]] == []


@needs_chromium
def test_no_code_is_cut_off_on_a_phone(tmp_path: Path) -> None:
    screens = measured(tmp_path)
    assert [each["page"] for each in screens if each["width"] == PHONE and each["cut"]] == []


def test_drawings_have_a_dark_copy() -> None:
    for name in ("index.html", "docsite/in_doubt.html", "docsite/awx.html"):
        shown = re.findall(r'<img [^>]*class="([\w-]+)" src="[^"]*/([\w-]+)\.svg"', page(name).replace("\n", " "))
        drawings = {file for _mode, file in shown if not file.endswith("-dark")} - {"terminal"}
        assert drawings, name
        for file in drawings:
            assert {("only-light", file), ("only-dark", f"{file}-dark")} <= set(shown), name


def test_reference_lists_every_module_role_and_plugin() -> None:
    text = page("reference.html")
    for each in PAGES:
        if re.search(r"_(module|role|inventory|filter|lookup)\.html$", each):
            assert f'href="{each}"' in text, each


def test_every_page_has_navigation_that_marks_it_and_a_search() -> None:
    for name in PAGES:
        text = page(name)
        assert 'role="search"' in text or name == "search.html", name
        if name not in ("index.html", "search.html"):
            assert re.search(r'<li class="toctree-l\d [^"]*current-page">', text), name
    assert (SITE / "searchindex.js").stat().st_size > 10_000


def test_every_role_has_an_example_and_every_page_one_way_to_install() -> None:
    roles = [each for each in PAGES if each.endswith("_role.html")]
    assert len(roles) == len(list((ROOT / "roles").iterdir()))
    for name in roles:
        assert "hosting.reseller." + name.removesuffix("_role.html") in page(name), name
        assert {"example", "results"} <= set(re.findall(r'<section id="([\w-]+)"', page(name))), name
    elsewhere = [name for name in PAGES if OTHER_WAYS.search(page(name))]
    assert elsewhere == []


def test_nothing_is_loaded_from_elsewhere() -> None:
    loaded = r'(?:src="|<link [^>]*rel="(?:stylesheet|preload|icon)"[^>]*href=")https?://[^"]*'
    assert {name: found for name in PAGES if (found := re.findall(loaded, page(name)))} == {}
