# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an API documentation page or a script of it: documents in it, and addresses that may lead to one. Pure.

Neither markup nor JavaScript is understood. Every quoted text is a lead; that an OpenAPI document is there proves it.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Literal, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

from .._core.text import fold
from .document import openapi_version

#: Texts of a page that are looked at, leads that are kept, and characters read of what turns out to be no JSON.
MOST_TEXTS = 20_000
MOST_LEADS = 50
MOST_READ = 50_000_000

#: The names of what holds the address of a reference, and of what holds another one.
_KEYS = re.compile(r"url|spec|definition|openapi|swagger|schema|config")
_OTHER_KEYS = re.compile(r"validator|redirect|auth|token|logo|image|icon|css|style|terms|contact|licen|home|text")
_REFERENCES = re.compile(
    r"open-?api|swagger|api-?docs?(?![a-z])|schema|(?<![a-z])(?:spec|reference|json|ya?ml|docs?)(?![a-z])"
)
_REFERENCE_FILES = (".json", ".yaml", ".yml", ".jsonopenapi")
_SCRIPT_FILES = (".js", ".mjs")
_OTHER_FILES = re.compile(
    r"\.(?:m?js|css|png|jpe?g|gif|svg|ico|map|txt|php|woff2?|webmanifest)\Z|(?:^|/)(?:manifest|package)\.json\Z"
)
_MEDIA_TYPE = re.compile(r"(?:application|text|image|multipart|font|audio|video)/")
_NO_ADDRESS = re.compile(r"[{}()\[\]*|,;$\\]")
#: Parts of the names of the viewers' own files, which hold megabytes and no settings.
_BUNDLES = re.compile(r"bundle|standalone|preset|jquery|polyfill|vendor|rapidoc|react|\.min\.")

#: How an object begins, also in a text, and the member by which one is a document.
_OBJECT = re.compile(r'\{\s*"|"\{\s*\\"')
_VERSION = re.compile(r'(?:openapi|swagger)\\?"\s*:')
#: What an object that turns out to be none costs at least, in characters.
_FAILURE = 20_000
#: A slash or any character as PHP and other templates escape it in scripts.
_ESCAPED = re.compile(r"\\(?:(/)|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
#: A text in quotes, or an attribute's path without, and the name that stands before it.
_TEXT = re.compile(
    r"""(?:(?<![\w$-])["'`]?([\w$-]{1,60})["'`]?\s{0,9}[:=]\s{0,9})?(["'`])([^\s"'`<>]{0,500})\2"""
    r"""|(?<![\w-])([\w-]{1,60})=((?:\.{0,2}/|https?:/)[^\s"'`<>]{1,500})"""
)


class Lead(NamedTuple):
    """An absolute URL that may lead to a reference: a document by its name or that of its place, or a page's script."""

    url: str
    #: The page of a script; empty for what may be a document.
    page: str = ""


def embedded_documents(text: str) -> Iterator[Mapping[str, Any]]:
    """The OpenAPI documents in the text of a page or script, also with HTML's entities for its quotes.

    They are found by what they are, whatever object or text they are a member of.
    """
    for source in dict.fromkeys((text, html.unescape(text))):
        last = max((found.start() for found in _VERSION.finditer(source)), default=-1)
        at, left = 0, MOST_READ
        while left > 0 and (begin := _OBJECT.search(source, at, last)) is not None:
            try:
                value, at = json.JSONDecoder().raw_decode(source, begin.start())
            except (ValueError, RecursionError) as error:
                at = begin.end() - 1
                read = error.pos - begin.start() if isinstance(error, json.JSONDecodeError) else 0
                left -= max(read, _FAILURE)
            else:
                yield from _documents_in(value)


def _documents_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """The documents anywhere in a JSON value."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping) and openapi_version(value) is not None and "paths" in value:
            yield value
        elif isinstance(value, (Mapping, list)):
            waiting += value.values() if isinstance(value, Mapping) else value
        elif isinstance(value, str) and value.startswith("{") and _VERSION.search(value):
            try:
                waiting.append(json.loads(value))
            except (ValueError, RecursionError):
                continue


def leads_in(text: str, page: str, *, is_script: bool = False) -> list[Lead]:
    """What the text of a page, or of a script that it loads, may lead to.

    Relative addresses are tried against the page's URL, and against the page as a folder.
    """
    bases = [page] if urlsplit(page).path.endswith("/") else [page, f"{urldefrag(page).url}/"]
    found: dict[str, Lead] = {}
    plain = _ESCAPED.sub(_character, text if is_script else html.unescape(text))
    for each in islice(_TEXT.finditer(plain), MOST_TEXTS):
        key, address = each[1] or each[4] or "", (each[3] or each[5] or "").rpartition("}")[2]
        leads = _leads(fold(key), address, is_script=is_script)
        if leads is None or len(found) >= MOST_LEADS:
            continue
        for base in bases:
            url = absolute(base, address)
            if url and urlsplit(url).path not in ("", "/") and url not in (page, f"{page}/"):
                is_only_script = leads == "script" and (url not in found or found[url].page)
                found[url] = Lead(url, page if is_only_script else "")
    return [*found.values()]


def absolute(base: str, address: str) -> str | None:
    """The http or https URL that ``address`` means on a page with this base, without its fragment."""
    try:
        url = urldefrag(urljoin(base, address.strip())).url
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return url if usable and url.isprintable() else None


def _leads(key: str, address: str, *, is_script: bool) -> Literal["document", "script"] | None:
    """What an address is for, by its own look and by what it is called; ``None`` for what is no address."""
    path = re.split(r"[?#]", address, maxsplit=1)[0].lower()
    if key == "src" and path.endswith(_SCRIPT_FILES) and not is_script:
        return None if _BUNDLES.search(path.rpartition("/")[2]) else "script"
    if _OTHER_FILES.search(path) or _MEDIA_TYPE.match(path) or _NO_ADDRESS.search(address) or _OTHER_KEYS.search(key):
        return None
    is_rooted = address.startswith(("/", "./", "../", "http://", "https://"))
    is_named = path.endswith(_REFERENCE_FILES) or ("/" in path and bool(_REFERENCES.search(address.lower())))
    return "document" if is_named or (_KEYS.search(key) and (is_rooted or "url" in key)) else None


def _character(escaped: re.Match[str]) -> str:
    return escaped[1] or chr(int(escaped[2] or escaped[3], 16))
