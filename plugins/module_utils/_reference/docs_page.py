# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the page of an API documentation: what its interface is given, or the one script that starts it. Pure.

Interfaces (Swagger UI, Redoc, Scalar, RapiDoc, Elements) are given an address (``url``, ``urls``, ``configUrl``) or the
document itself. Neither markup nor JavaScript is understood; that an OpenAPI document is there proves an address.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

from .._core.text import json_in
from .document import openapi_version

#: Addresses of a page that are looked at, and objects that may be JSON.
MOST_LEADS = 50
MOST_OBJECTS = 200

#: What an interface is given: the first text of the expression, or an attribute's path without quotes.
_GIVEN = re.compile(
    r"""(?<![\w-])(?:(?:data-?|spec-?|config-?|swagger-?|open-?api-?|schema-?|api-?description-?|document-?)*"""
    r"""url["']?\s{0,9}[:=]|Redoc\.init\()\s{0,9}"""
    r"""(?:([./][^\s"'`<>,;]{1,500})|[^"'`,;<>]{0,80}["'`]([^\s"'`<>]{1,500})["'`])""",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"""<script\b[^>]{0,500}?\ssrc\s{0,9}=\s{0,9}["']?([^\s"'<>]{1,500})""", re.IGNORECASE)
#: Parts of the names of the interfaces' own files, which hold megabytes and no settings.
_BUNDLES = re.compile(r"bundle|standalone|preset|jquery|polyfill|vendor|rapidoc|react|\.min\.")
_NO_ADDRESS = re.compile(r"[{}()\[\]*|,;$\\]|\.(?:m?js|css|png|svg|ico|html?)\Z")

#: How an object begins, and the member by which one is a document, also in a text.
_OBJECT = re.compile(r'\{\s*"')
_VERSION = re.compile(r'(?:openapi|swagger)\\?"\s*:')
#: A slash or any character as PHP and other templates escape it in scripts.
_ESCAPED = re.compile(r"\\(?:(/)|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")


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
        at, left = 0, MOST_OBJECTS
        while left and (begin := _OBJECT.search(source, at, last)) is not None:
            left -= 1
            try:
                value, at = json.JSONDecoder().raw_decode(source, begin.start())
            except (ValueError, RecursionError):
                at = begin.end() - 1
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
        elif isinstance(value, str) and _VERSION.search(value):
            waiting.append(json_in(value))


def leads_in(text: str, page: str, *, is_script: bool = False) -> list[Lead]:
    """Return what the text of a page, or of the script that starts it, is given, and after that the page's script.

    Relative addresses are tried against the page's URL, and against the page as a directory.
    """
    plain = _ESCAPED.sub(_character, text if is_script else html.unescape(text))
    given = ((each[1] or each[2]).rpartition("}")[2] for each in islice(_GIVEN.finditer(plain), MOST_LEADS))
    found = [url for address in given if not _NO_ADDRESS.search(address) for url in _meant(address, page)]
    leads = [Lead(url) for url in dict.fromkeys(found)]
    if is_script:
        return leads
    scripts = [each[1] for each in _SCRIPT.finditer(plain) if not _BUNDLES.search(each[1].lower().rpartition("/")[2])]
    # The script that starts the interface says so, or comes last.
    starting = [each for each in scripts if "init" in each.lower()] or scripts
    return leads + [Lead(url, page) for url in (_meant(starting[-1], page) if starting else ())]


def _meant(address: str, page: str) -> Iterator[str]:
    """The http and https URLs that an address on a page may mean, without their fragments."""
    is_directory = urlsplit(page).path.endswith("/")
    for base in [page] if is_directory else [page, f"{urldefrag(page).url}/"]:
        try:
            url = urldefrag(urljoin(base, address)).url
            parts = urlsplit(url)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            continue
        if usable and url.isprintable() and parts.path not in ("", "/") and url not in (page, f"{page}/"):
            yield url


def _character(escaped: re.Match[str]) -> str:
    return escaped[1] or chr(int(escaped[2] or escaped[3], 16))
