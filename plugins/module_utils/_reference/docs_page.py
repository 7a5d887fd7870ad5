# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an API documentation page: documents in it, and addresses that may lead to one. Pure.

No JavaScript is understood. Every address in a text is a lead; that an OpenAPI document is there proves it.
"""

from __future__ import annotations

import contextlib
import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, Literal, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

from .._core.text import fold
from .document import json_at, openapi_version, parse_json

#: Tags after which a page is not read on, literals looked at in a script, entries of an object, and how deep.
MOST_TAGS = 200_000
MOST_LITERALS = 20_000
#: Attempts to read a JSON object in a script where there is none; each costs as much as the text is long.
MOST_FAILURES = 1000
MOST_ENTRIES = 500
DEPTH = 4
MOST_LEADS = 50
LONGEST_ADDRESS = 2000

_KEYS = re.compile(r"url|href|spec|definition|document|description|openapi|swagger|schema|config|content")
_OTHER_KEYS = re.compile(
    r"validator|redirect|oauth|auth|token|logo|image|img|icon|css|style|font|terms|contact|licen|home|avatar|title|text"
)
_REFERENCES = re.compile(
    r"open-?api|swagger|api-?docs?(?![a-z])|schema|(?<![a-z])(?:spec|reference|json|ya?ml|docs?)(?![a-z])"
)
_REFERENCE_FILES = (".json", ".yaml", ".yml", ".jsonopenapi")
_OTHER_FILES = re.compile(
    r"\.(?:m?js|css|html?|png|jpe?g|gif|svg|ico|map|txt|php|woff2?|webmanifest)\Z|(?:^|/)(?:manifest|package)\.json\Z"
)
_MEDIA_TYPE = re.compile(r"(?:application|text|image|multipart|font|audio|video)/")

SCRIPT_TYPES = ("", "module", "text/javascript", "application/javascript", "application/x-javascript", "text/babel")
LINKING = frozenset({"service-desc", "openapi", "swagger"})
#: Parts of the names of the viewers' own files, which hold megabytes and no settings.
_BUNDLES = re.compile(r"bundle|standalone|preset|jquery|polyfill|vendor|rapidoc|react|\.min\.")

_JSON = re.compile(r'\{\s*"')
_ESCAPED_SLASH = re.compile(r"\\(?:/|u002f|x2f|u\{2f\})", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
#: A string, whatever is around it; and the name that it is given to, up to the end of the text before it.
_LITERAL = re.compile(r"""(["'`])([^\s"'`<>\\]{1,500})\1""")
_JOINT = re.compile(r"""(["'`])\s*\+\s*\1""")
_KEY = re.compile(r"""([\w$-]+)["'`]?\s*[:=]\s*[^,;{}\n]*\Z""")
_KEY_DISTANCE = 80


class Lead(NamedTuple):
    """An absolute URL that may lead to a reference: a document by its name or that of its element, or another."""

    url: str
    kind: Literal["document", "script", "page", "other"] = "document"


@dataclass
class Leads:
    """What a page, a script or settings tell. ``page`` is the page's URL; its addresses are relative to ``base``."""

    page: str
    base: str = ""
    documents: list[Mapping[str, Any]] = field(default_factory=list)
    found: dict[str, Lead] = field(default_factory=dict)
    seen: set[Lead] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.base = self.base or self.page

    def add(self, lead: Lead) -> None:
        """Add what an address leads to; a relative one is tried against the page, and against the page as a folder."""
        if len(self.found) >= MOST_LEADS or lead in self.seen:
            return
        self.seen.add(lead)
        bases = [self.base]
        if self.base == self.page and not urlsplit(self.page).path.endswith("/"):
            bases.append(f"{urldefrag(self.page).url}/")
        for base in bases:
            url = absolute(base, lead.url)
            known = url in self.found and lead.kind != "document"
            if url and not known and urlsplit(url).path not in ("", "/") and url not in (self.page, f"{self.page}/"):
                self.found[url] = Lead(url, lead.kind)

    def add_value(self, key: object, value: str) -> None:
        """Add a string that has a name, or none, if it may be the address of a reference."""
        if "${" in value:
            value = value.rpartition("}")[2]
            if not value.startswith("/"):
                return
        is_document = _is_document(fold(key), value)
        if is_document is not None:
            self.add(Lead(value, "document" if is_document else "other"))

    def inspect(self, value: object, depth: int = DEPTH, key: object = None) -> None:
        """Search settings or data for documents and addresses."""
        if openapi_version(value) is not None and isinstance(value, Mapping):
            self.documents.append(value)
        elif isinstance(value, Mapping) and depth:
            for name, item in list(value.items())[:MOST_ENTRIES]:
                self.inspect(item, depth - 1, name)
        elif isinstance(value, list) and depth:
            for item in value[:MOST_ENTRIES]:
                self.inspect(item, depth - 1, key)
        elif isinstance(value, str) and depth and not self.inspect_text(value, depth - 1):
            self.add_value(key, value)

    def inspect_text(self, text: str, depth: int = DEPTH) -> bool:
        """Search a JSON text. ``False`` if it is not JSON."""
        if not text.lstrip().startswith("{"):
            return False
        try:
            value = parse_json(text)
        except ValueError:
            return False
        self.inspect(value, depth)
        return True


def read_page(text: str, url: str) -> Leads:
    """What the page at ``url`` (its final one, after redirects) tells, however broken it is."""
    reader = _PageReader(Leads(url))
    # html.parser gives up on some broken declarations with an AssertionError.
    with contextlib.suppress(_Enough, AssertionError):
        reader.feed(text)
    # The parser is not closed: an unfinished end tells nothing and may be costly to read.
    return reader.leads


def read_script(text: str, leads: Leads) -> None:
    """Add what a script contains. Its relative addresses are relative to the page, as in a browser."""
    rest = _ESCAPED_SLASH.sub("/", "".join(_without_json(text, leads)))
    rest = _JOINT.sub("", rest)
    for count, literal in enumerate(_LITERAL.finditer(rest)):
        if count >= MOST_LITERALS:
            break
        before = rest[max(0, literal.start() - _KEY_DISTANCE) : literal.start()]
        key = _KEY.search(before)
        leads.add_value(key[1] if key else None, literal[2])


def is_reference_link(relation: str, media_type: str) -> bool:
    """Whether a link of this relation and media type leads to an API description (RFC 8631)."""
    relations = set(relation.lower().split())
    return bool(relations & LINKING) or (
        bool(relations & {"alternate", "describedby"}) and any(name in media_type.lower() for name in LINKING)
    )


def absolute(base: str, address: str) -> str | None:
    """The http or https URL that ``address`` means on a page with this base, without its fragment."""
    if not address.strip() or len(address) > LONGEST_ADDRESS:
        return None
    try:
        url = urldefrag(urljoin(base, address.strip())).url
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return url if usable and url.isprintable() else None


def _is_document(key: str, value: str) -> bool | None:
    """Whether a string's name or its own look tells that it is the address of a reference; ``None`` for no address."""
    path = re.split(r"[?#]", value, maxsplit=1)[0].lower()
    if _OTHER_FILES.search(path) or _MEDIA_TYPE.match(path) or re.search(r"[{}()\[\]*|,;$\s]", value):
        return None
    is_rooted = value.startswith(("/", "./", "../", "http://", "https://"))
    is_named = path.endswith(_REFERENCE_FILES) or ("/" in path and bool(_REFERENCES.search(value.lower())))
    is_keyed = bool(_KEYS.search(key)) and (is_rooted or "url" in key or "href" in key)
    if (is_named or is_keyed) and not _OTHER_KEYS.search(key):
        return True
    return False if is_rooted and not key else None


def _without_json(text: str, leads: Leads) -> Iterator[str]:
    """The script without the JSON objects in it, which are looked through. Every failed attempt is paid for."""
    work, begin, failures = 3 * len(text), 0, 0
    for found in _JSON.finditer(text):
        at = found.start()
        if at < begin:
            continue
        if work <= 0 or failures >= MOST_FAILURES:
            break
        # Within a string, a backslash stands before each of the object's own.
        quoted = at > 0 and text[at - 1] in "\"'`"
        source, start = (_ESCAPE.sub(r"\1", text[at:]), 0) if quoted else (text, at)
        work -= len(source) if quoted else 0
        try:
            value, end = json_at(source, start)
        except json.JSONDecodeError as error:
            work -= max(error.pos - start, 0)
            failures += 1
            continue
        except ValueError:
            break
        work -= end - start
        leads.inspect(value)
        if not quoted:
            yield text[begin:at]
            begin = end
    yield text[begin:]


class _Enough(Exception):
    pass


class _PageReader(HTMLParser):
    def __init__(self, leads: Leads) -> None:
        super().__init__(convert_charrefs=True)
        self.leads = leads
        self._tags = 0
        self._script: dict[str, str] | None = None
        self._content: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tags += 1
        if self._tags > MOST_TAGS:
            raise _Enough
        given = {name: value for name, value in attrs if value is not None}
        if tag == "script":
            self._script, self._content = given, []
            if given.get("type", "").strip().lower() in SCRIPT_TYPES:
                self._add_script(given.get("src", ""))
        elif tag == "base" and self.leads.base == self.leads.page and "href" in given:
            self.leads.base = absolute(self.leads.page, given["href"]) or self.leads.page
        elif not self._is_link(tag, given):
            return
        for name, value in given.items():
            if name not in ("src", "href", "content", "class", "style", "id", "integrity"):
                self.leads.inspect(value, key=name)

    def _is_link(self, tag: str, given: dict[str, str]) -> bool:
        """Add what a link leads to; whether the other attributes are worth a look."""
        leads, address = self.leads, given.get("href", "")
        relation, media_type = given.get("rel", ""), given.get("type", "")
        if (tag == "link" and is_reference_link(relation, media_type)) or (tag == "a" and _is_document("", address)):
            leads.add(Lead(address))
        elif tag in ("iframe", "frame"):
            leads.add(Lead(given.get("src", ""), "page"))
        elif tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            name, _rest, target = given.get("content", "").partition(";")[2].strip().partition("=")
            if name.strip().lower() == "url":
                leads.add(Lead(target.strip().strip("'\""), "page"))
        return tag not in ("link", "a", "iframe", "frame", "meta", "img")

    def _add_script(self, source: str) -> None:
        name = re.split(r"[?#]", source, maxsplit=1)[0].lower().rpartition("/")[2]
        if not _BUNDLES.search(name):
            self.leads.add(Lead(source, "script"))

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
            is_json = self.leads.inspect_text(text) or self.leads.inspect_text(html.unescape(text))
            if not is_json and kind in SCRIPT_TYPES:
                read_script(text, self.leads)
