# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the OpenAPI document: where the file says, else behind ``{base_url}/api/docs`` and in a few usual places.

It is read from JSON or YAML that may be malformed or hostile. Of a documentation page (Swagger UI, Nelmio, API
Platform, FastAPI, drf-spectacular, springdoc, NestJS), the address or document is read that it, or the one script that
starts it, is given. Everything more exotic is for the file. All requests go to the origin of base_url: the API key is
sent nowhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

from .._core.errors import (
    Advice,
    LostAnswerError,
    PublishedReferenceError,
    ServiceError,
    UnreachableError,
)
from .._core.text import check_bounds, clean, describe_json
from .._http.client import Client
from .._http.transport import MEGABYTE
from .description import Description
from .openapi_document import OpenApiDocument

_VERSION = re.compile(r"(2\.0|3\.[0-2](\.\d+)?)(-\w+)?", re.ASCII)
#: A body without such a line is not handed to the YAML parser at all.
_YAML_HEAD = re.compile(r"""^["']?(openapi|swagger)["']?[ \t]*:""", re.MULTILINE)
#: Characters of a YAML document, values in it once its aliases are written out, and how deep they may be nested.
_YAML_LENGTH, _YAML_VALUES, _YAML_DEPTH = 8_000_000, 500_000, 200
#: What YAML says without quotes, but means as JSON does.
_JSON_VALUE = re.compile(r"true|false|null|-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][-+]?[0-9]{1,2})?")
_TOO_LARGE = "a YAML document that is too large, too deep or grows by its aliases"
#: Addresses of a page that are looked at, and objects that may be JSON.
MOST_LEADS, _MOST_OBJECTS = 50, 200
#: Bytes of a page that are looked at.
_MOST_OF_PAGE = 2 * MEGABYTE
#: An address that an interface is given: the first text of the expression.
_GIVEN = re.compile(
    r"""(?<![\w-])(?:(?:spec|config|swagger|open-?api|schema)-?)?url["']?\s{0,9}[:=]"""
    r"""[^"'`,;<>]{0,80}["'`]([^\s"'`<>]{1,500})["'`]""",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"""<script\b[^>]{0,500}?\ssrc\s{0,9}=\s{0,9}["']?([^\s"'<>]{1,500})""", re.IGNORECASE)
#: Parts of the names of the interfaces' own files, which hold megabytes and no settings.
_BUNDLES = re.compile(r"bundle|standalone|preset|jquery|polyfill|vendor|react|\.min\.")
_NO_ADDRESS = re.compile(r"[{}()\[\]*|,;$\\]|\.(?:m?js|css|png|svg|ico|html?)\Z")
#: How an object begins, and the member by which one is a document.
_OBJECT = re.compile(r'\{\s*"')
_MEMBER = re.compile(r'"(?:openapi|swagger)"\s*:')
#: A slash or any character as PHP and other templates escape it in scripts.
_ESCAPED = re.compile(r"\\(?:(/)|u([0-9a-fA-F]{4}))")
_ACCEPTED = "application/vnd.openapi+json, application/json;q=0.9, application/yaml;q=0.8, text/yaml;q=0.8, */*;q=0.1"
_DOCS = "api/docs"
#: Where a document usually is if no page leads to it.
_USUAL_NAMES = (
    *("api/docs.json", "api/docs-json", "api/docs/openapi.json", "api/doc.json", "api/openapi.json", "openapi.json"),
)
#: Addresses that one search requests.
MOST_ADDRESSES = 14
_MOST_REDIRECTS = 2
_ADVICE = "set openapi_url in the service's file to its address, or order.end_user and order.product to their names."


# Documents


def is_openapi(value: object) -> bool:
    """Return whether a value is an OpenAPI document of a known version."""
    number = value.get("openapi", value.get("swagger")) if isinstance(value, Mapping) else None
    is_known = isinstance(number, (str, float)) and _VERSION.fullmatch(str(number))
    # 3.1 allows a document without paths, which describes no operation.
    return isinstance(value, Mapping) and bool(is_known) and isinstance(value.get("paths", {}), Mapping)


def read_document(body: bytes) -> Mapping[str, Any]:
    """The OpenAPI document in a body.

    Raises PublishedReferenceError with a few words for what the body is instead.
    """
    try:
        text = body.decode(json.detect_encoding(body))
        check_bounds(text)
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        text = body.decode("utf-8-sig", "replace")
        if not _YAML_HEAD.search(text):
            reason = clean(str(error), 300)
            raise PublishedReferenceError(f"neither JSON nor YAML of an OpenAPI document ({reason})") from error
        value = _read_yaml(text)
    if not is_openapi(value):
        shown = clean(describe_json(value, 1), 300)
        raise PublishedReferenceError(f"no OpenAPI document of version 2.0 or 3 with paths, but {shown}")
    document: Mapping[str, Any] = value
    return document


def _read_yaml(text: str) -> Any:
    """The value of a YAML text, without its tags and merges: what JSON could say as well."""
    # Ansible has it. It is imported late, because few documents need it.
    import yaml

    if len(text) > _YAML_LENGTH:
        raise PublishedReferenceError(_TOO_LARGE)
    left = _YAML_VALUES

    def value_of(node: Any, depth: int) -> Any:
        nonlocal left
        left -= 1
        if left < 0 or depth > _YAML_DEPTH:
            raise PublishedReferenceError(_TOO_LARGE)
        if isinstance(node, yaml.MappingNode):
            # The keys of responses are numbers to YAML and names to OpenAPI.
            return {str(key.value): value_of(value, depth + 1) for key, value in node.value}
        if isinstance(node, yaml.SequenceNode):
            return [value_of(item, depth + 1) for item in node.value]
        plain = not node.style and (node.value or "null").replace("~", "null")
        return json.loads(plain) if plain and _JSON_VALUE.fullmatch(plain) else node.value

    loader, depth = getattr(yaml, "CBaseLoader", yaml.BaseLoader), 0
    try:
        for event in yaml.parse(text, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _YAML_DEPTH:
                # The composer would end the process.
                raise PublishedReferenceError(_TOO_LARGE)
        return value_of(yaml.compose(text, Loader=loader), 0)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PublishedReferenceError(f"no OpenAPI document: its YAML is broken ({clean(str(error), 300)})") from error


def embedded_documents(text: str, check: Callable[[], Any] = lambda: None) -> Iterator[Mapping[str, Any]]:
    """The OpenAPI documents in the text of a page or script, whatever object they are a member of.

    ``check`` is called before each object, and may raise. One that is too large or too deep is passed over.
    """
    last = max((member.start() + 1 for member in _MEMBER.finditer(text)), default=-1)
    at, left = 0, _MOST_OBJECTS
    while left and (begin := _OBJECT.search(text, at, last)) is not None:
        left -= 1
        check()
        try:
            value, at = json.JSONDecoder().raw_decode(text, begin.start())
            check_bounds(text[begin.start() : at])
        except (ValueError, RecursionError):
            at, value = begin.end() - 1, None
        values = [value]
        while values:
            value = values.pop()
            if is_openapi(value) and "paths" in value:
                yield value
            elif isinstance(value, (Mapping, list)):
                values += value.values() if isinstance(value, Mapping) else value


# Pages


class Lead(NamedTuple):
    """An absolute URL that may lead to a document. What a script names is relative to its ``page``."""

    url: str
    page: str = ""


def leads_in(text: str, page: str) -> list[Lead]:
    """Return what the text of a page, or of the script that starts it, is given, and after that the page's script.

    Relative addresses are tried against the page's URL, and against the page as a directory.
    """
    plain = _ESCAPED.sub(lambda escape: escape[1] or chr(int(escape[2], 16)), text)
    given = (match[1].rpartition("}")[2] for match in islice(_GIVEN.finditer(plain), MOST_LEADS))
    leads = [Lead(url) for address in given if not _NO_ADDRESS.search(address) for url in _meant(address, page)]
    # The script that starts the interface says so, or comes last. It is the service's own.
    own = [script for script in _SCRIPT.findall(plain) if "//" not in script]
    own = [script for script in own if not _BUNDLES.search(script.lower().rpartition("/")[2])]
    starting = ([script for script in own if "init" in script.lower()] or own)[-1:]
    return list(dict.fromkeys([*leads, *(Lead(url, page) for script in starting for url in _meant(script, page))]))


def _meant(address: str, page: str) -> Iterator[str]:
    """The http and https URLs that an address on a page may mean, without their fragments."""
    for base in [page] if urlsplit(page).path.endswith("/") else [page, f"{urldefrag(page).url}/"]:
        try:
            url = urldefrag(urljoin(base, address)).url
            parts = urlsplit(url)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            continue
        if usable and url.isprintable() and parts.path not in ("", "/") and url not in (page, f"{page}/"):
            yield url


# The search


def find_document(client: Client, described: Description) -> OpenApiDocument:
    """The OpenAPI document of a service, at ``openapi_url`` of its file, if that is given, and nowhere else then.

    One that describes orders is preferred. Raises PublishedReferenceError with all places that were tried, and
    UnreachableError.
    """
    given = described.get("openapi_url")
    if given is None and described.source("openapi_url") is not None:
        raise PublishedReferenceError("The service's file says that there is no OpenAPI document.", Advice(_ADVICE))
    search, without_orders = _Search(client), None
    with client.reading():
        for document in search.documents(given):
            if document.order is not None:
                return document
            without_orders = without_orders or document
    if without_orders is None:
        raise search.failure()
    return without_orders


class _Search:
    """One search. ``notes`` say what was found at each place instead."""

    def __init__(self, client: Client) -> None:
        self.notes: list[str] = []
        self._client = client
        self._requested: set[str] = set()
        self._left = MOST_ADDRESSES
        self._status: int | None = None

    def documents(self, given: str | None) -> Iterator[OpenApiDocument]:
        """Every OpenAPI document at a given address, or, without one, that can be found. Sends requests as needed."""
        leads = [Lead(self._client.url(given or _DOCS))]
        while leads and self._left > len(_USUAL_NAMES):
            documents, further = self._read(leads.pop(0))
            yield from documents
            leads = [*further, *leads]
        if leads:
            self.note("other places", f"{len(leads)} not tried, because the search was long enough")
        for path in () if given else _USUAL_NAMES:
            yield from self._read(Lead(self._client.url(path)))[0]

    def note(self, place: str, what: str) -> None:
        self.notes.append(f"{clean(place, 200)}: {clean(what, 300)}")

    def failure(self) -> PublishedReferenceError:
        """The error of a search without a result."""
        place = f"It is expected behind {self._client.config.base_url}/{_DOCS}."
        tried = "Places tried:" + "".join(f"\n  - {note}" for note in self.notes)
        if self._status in (401, 403):
            message = f"The service does not show its OpenAPI document to this API key (status {self._status})."
            advice = Advice(f"Check api_key, organization_id, and whether they may read it, or {_ADVICE}")
            return PublishedReferenceError(f"{message}\n{place}", advice, tried, status=self._status)
        message = "No OpenAPI document was found, so the order's elements are unknown."
        return PublishedReferenceError(f"{message}\n{place}", Advice(f"Check base_url, or {_ADVICE}"), tried)

    def _read(self, lead: Lead) -> tuple[list[OpenApiDocument], list[Lead]]:
        """The documents behind a lead, and further leads. Notes what is there instead. A lost answer ends a search."""
        # On the origin of base_url: a service behind a proxy may not know its own name.
        parts, base = urlsplit(lead.url), urlsplit(self._client.config.base_url)
        if parts.hostname != base.hostname:
            self.note(lead.url, "not read, because it is on another origin than base_url and would get the API key")
        url = parts._replace(scheme=base.scheme, netloc=base.netloc).geturl()
        if url in self._requested or self._left <= 0:
            return [], []
        self._left -= 1
        self._requested.add(url)
        try:
            answer = self._client.get(url, accept=_ACCEPTED, retries=1, max_redirects=_MOST_REDIRECTS)
        except UnreachableError:
            raise
        except (ServiceError, ValueError) as error:
            if isinstance(error, LostAnswerError):
                self._left = 0
            self.note(url, str(error))
            return [], []
        self._requested.add(answer.url)
        if not answer.ok:
            self._status = self._status or answer.status
            self.note(url, f"status {answer.status}")
            return [], []
        leads: list[Lead] = []
        try:
            documents = [read_document(answer.body)]
        except PublishedReferenceError as error:
            # A page, its script, or the settings of a viewer: ASCII in all the encodings that are in use.
            text = answer.body[:_MOST_OF_PAGE].decode("utf-8", "replace")
            documents = [*embedded_documents(text, lambda: self._client.check_deadline(answer.url))]
            leads = leads_in(text, lead.page or answer.url)
            is_page = answer.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
            if not (documents or leads):
                self.note(
                    answer.url, "a page without an OpenAPI document or a link to one" if is_page else error.message
                )
        return [OpenApiDocument(answer.url, document) for document in documents], leads
