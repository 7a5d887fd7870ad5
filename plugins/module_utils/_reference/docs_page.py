# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an API documentation page: an embedded reference, or where it and what may tell of it are. Pure."""

from __future__ import annotations

import contextlib
import html
from html.parser import HTMLParser
from urllib.parse import urlsplit

from .._core.text import fold
from .docs_findings import PageFindings, absolute
from .docs_script import read_script

#: Tags after which a page is not read on.
MOST_TAGS = 200_000
SCRIPT_TYPES = ("", "module", "text/javascript", "application/javascript", "application/x-javascript", "text/babel")
LINKING = frozenset({"service-desc", "openapi", "swagger"})
#: Parts of the names of the viewers' own files, which hold megabytes and no settings.
BUNDLES = ("bundle", "standalone", "preset", "jquery", "polyfill", "vendor", "rapidoc", "react", ".min.")
LIKELY = ("swagger", "openapi", "redoc", "docs", "api", "config", "index", "main")


def read_page(text: str, url: str) -> PageFindings:
    """What the page at ``url`` (its final one, after redirects) tells, however broken it is."""
    reader = _PageReader(PageFindings(url))
    # html.parser gives up on some broken declarations with an AssertionError.
    with contextlib.suppress(_Enough, AssertionError):
        reader.feed(text)
    # The parser is not closed: an unfinished end tells nothing and may be costly to read.
    findings = reader.findings
    findings.scripts = sorted((script for script in findings.scripts if _rank(script) < 3), key=_rank)
    return findings


def is_reference_link(relation: str, media_type: str) -> bool:
    """Whether a link of this relation and media type leads to an API description (RFC 8631)."""
    relations = set(relation.lower().split())
    return bool(relations & LINKING) or (
        bool(relations & {"alternate", "describedby"}) and any(name in media_type.lower() for name in LINKING)
    )


class _Enough(Exception):
    pass


class _PageReader(HTMLParser):
    def __init__(self, findings: PageFindings) -> None:
        super().__init__(convert_charrefs=True)
        self.findings = findings
        self._tags = 0
        self._has_base = False
        self._script: dict[str, str] | None = None
        self._content: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tags += 1
        if self._tags > MOST_TAGS:
            raise _Enough
        given = {name: value for name, value in attrs if value is not None}
        self._read_attributes(tag, given)
        if tag == "script":
            self._script, self._content = given, []
            if given.get("type", "").strip().lower() in SCRIPT_TYPES:
                self.findings.add(self.findings.scripts, given.get("src"))
        elif tag == "base" and not self._has_base and "href" in given:
            self._has_base = True
            self.findings.base = absolute(self.findings.page, given["href"]) or self.findings.page
        else:
            self._read_links(tag, given)

    def _read_attributes(self, tag: str, given: dict[str, str]) -> None:
        """Attributes of the viewers' own elements: ``spec-url``, ``data-url``, ``apiDescriptionUrl``, …"""
        # Anything may have a URL; that of a script, or of an element named for a viewer, is the reference's.
        is_viewer = tag == "script" or any(part in fold(given.get("id", "")) for part in LIKELY)
        for name, value in given.items():
            if name != "url" and (name != "data-url" or is_viewer):
                self.findings.inspect_text(value)
                self.findings.add_setting(fold(name).removeprefix("data"), value)

    def _read_links(self, tag: str, given: dict[str, str]) -> None:
        findings = self.findings
        if tag == "link" and is_reference_link(given.get("rel", ""), given.get("type", "")):
            findings.add(findings.links, given.get("href"))
        elif tag == "a":
            findings.add_hint(given.get("href", ""))
        elif tag in ("iframe", "frame"):
            findings.add(findings.pages, given.get("src"))
        elif tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            name, _rest, target = given.get("content", "").partition(";")[2].strip().partition("=")
            if name.strip().lower() == "url":
                findings.add(findings.pages, target.strip().strip("'\""))

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self._content.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._script is not None:
            kind = self._script.get("type", "").partition(";")[0].strip().lower()
            text = "".join(self._content)
            self._script = None
            if kind == "application/ld+json":
                return
            findings = self.findings
            is_json = findings.inspect_text(text) or findings.inspect_text(html.unescape(text))
            if not is_json and kind in SCRIPT_TYPES:
                read_script(text, findings)


def _rank(script: str) -> int:
    """Which linked script to look into first; 3 for one that is not worth it."""
    name = urlsplit(script).path.lower().rpartition("/")[2]
    if "init" in name:
        return 0
    if any(part in name for part in BUNDLES):
        return 3
    return 1 if any(part in name for part in LIKELY) else 2


__all__ = ["is_reference_link", "read_page"]
