# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a documentation page and its scripts tell about where the published reference is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from .._core.text import fold
from .document import openapi_version, parse_json

#: Keys (folded) of the settings of Swagger UI, Redoc and their like that hold the reference's URL.
URL_KEYS = frozenset(
    {"url", "specurl", "swaggerurl", "openapiurl", "apidescriptionurl", "definitionurl", "documenturl", "schemaurl"}
)
CONFIG_KEYS = frozenset({"configurl"})
URL_LENGTH = 2000
#: URLs kept of one kind, entries of an object looked at, and how deep.
MOST_URLS = 50
MOST_ENTRIES = 500
DEPTH = 4
REFERENCE_ENDINGS = (".json", ".yaml", ".yml", ".jsonopenapi")
REFERENCE_NAMES = ("openapi", "swagger", "api-docs")
#: Endings of what is linked for other purposes.
OTHER_ENDINGS = (".js", ".mjs", ".css", ".html", ".htm", ".png", ".svg", ".ico", ".map", ".txt", ".php", ".webmanifest")
OTHER_FILES = ("manifest.json", "package.json", "swagger-config.json")


@dataclass
class PageFindings:
    """Documents, and absolute URLs in the order found.

    ``urls`` are said to be the reference's, ``hints`` only look like it; ``configs`` hold settings, ``scripts`` and
    ``pages`` may tell more. ``page`` is the page's URL, ``base`` what its relative URLs are relative to.
    """

    page: str
    base: str = ""
    documents: list[Mapping[str, Any]] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    configs: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.base = self.base or self.page

    def add(self, urls: list[str], value: object) -> None:
        """Add what a URL, perhaps a relative one, leads to; nothing for what leads nowhere else."""
        url = absolute(self.base, value)
        if url and url not in urls and len(urls) < MOST_URLS and urlsplit(url).path not in ("", "/"):
            urls.append(url)

    def add_setting(self, key: object, value: object) -> None:
        """Add the value of a setting of the page, if the key is one that matters."""
        if fold(key) in URL_KEYS:
            self.add(self.urls, value)
        elif fold(key) in CONFIG_KEYS:
            self.add(self.configs, value)

    def add_hint(self, value: str) -> None:
        """Add a URL if its file name looks like a reference's."""
        try:
            path = urlsplit(value).path.lower()
        except ValueError:
            return
        name = path.rpartition("/")[2]
        if path.startswith(("application/", "text/")) or name in OTHER_FILES or name.endswith(OTHER_ENDINGS):
            return
        if name.endswith(REFERENCE_ENDINGS) or ("/" in path and any(part in path for part in REFERENCE_NAMES)):
            self.add(self.hints, value)

    def inspect(self, value: object, depth: int = DEPTH) -> None:
        """Look through settings or data for a document and for URLs."""
        if openapi_version(value) is not None and isinstance(value, Mapping):
            self.documents.append(value)
        elif isinstance(value, Mapping) and depth:
            for key, item in list(value.items())[:MOST_ENTRIES]:
                if isinstance(item, str) and not item.lstrip().startswith("{"):
                    self.add_setting(key, item)
                else:
                    self.inspect(item, depth - 1)
        elif isinstance(value, list) and depth:
            for item in value[:MOST_ENTRIES]:
                self.inspect(item, depth - 1)
        elif isinstance(value, str) and depth:
            self.inspect_text(value, depth - 1)

    def inspect_text(self, text: str, depth: int = DEPTH) -> bool:
        """Look through a JSON text; false when it is none."""
        if not text.lstrip().startswith("{"):
            return False
        try:
            value = parse_json(text)
        except ValueError:
            return False
        self.inspect(value, depth)
        return True


def is_setting(key: object) -> bool:
    """Whether a key is one that Findings.add_setting heeds."""
    return fold(key) in URL_KEYS or fold(key) in CONFIG_KEYS


def absolute(base: str, value: object) -> str | None:
    """The http or https URL that ``value`` means on a page with this base, without its fragment."""
    if not isinstance(value, str) or not value.strip() or len(value) > URL_LENGTH:
        return None
    try:
        url = urldefrag(urljoin(base, value.strip())).url
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return url if usable and url.isprintable() else None


__all__ = ["PageFindings", "absolute", "is_setting"]
