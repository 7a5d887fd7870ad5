# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finding and reading OpenAPI documents: ways to publish one, what is none, and that the worst of pages end."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    PublishedReferenceError,
    UnreachableError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, Field
from ansible_collections.hosting.reseller.plugins.module_utils._service.document_search import (
    MOST_ADDRESSES,
    MOST_LEADS,
    embedded_documents,
    find_document,
    is_openapi,
    leads_in,
    read_document,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.openapi_document import OpenApiDocument
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from tests.support.clocks import HurriedClocks

# Documents

YAML = b"""
openapi: 3.1
info: {title: Portal, version: 1.10, date: 2026-01-31}
paths:
  /a: &item {post: {responses: {201: {description: no}}}}
  /same: *item
  /other: {x-zone: 0012, x-off: off, x-empty: , x-true: true}
x-tag: !!python/object/apply:os.system ['true']
"""


def nested(levels: int) -> bytes:
    """YAML in which each level has the one before nine times."""
    lines = ["openapi: 3.0.0", "a0: &a0 [x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, levels)]
    return "\n".join(lines).encode()


def test_yaml_is_read_as_json_would_say_it() -> None:
    """Its tags do nothing."""
    document = read_document(YAML)
    assert document["info"] == {"title": "Portal", "version": 1.1, "date": "2026-01-31"}
    assert document["paths"]["/same"] == {"post": {"responses": {"201": {"description": "no"}}}}
    assert document["paths"]["/other"] == {"x-zone": "0012", "x-off": "off", "x-empty": None, "x-true": True}
    assert document["x-tag"] == ["true"]
    assert read_document(nested(4))["a1"] == [["x", "x"]] * 9


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<!DOCTYPE html><p>openapi: 3.0.0", "neither JSON nor YAML"),
        (b'{"openapi": "3.0.0"', "neither JSON nor YAML of an OpenAPI document .*delimiter"),
        (b'{"hydra:member": []}', "but an object {hydra:member: a list}"),
        (b'{"openapi": "4.0.0", "paths": {}}', "version 2.0 or 3"),
        (b'{"openapi": "3.0.0", "paths": []}', "with paths"),
        (b'{"openapi":"3.0.0","paths":{},"a":' + b"[" * 110 + b"]" * 110 + b"}", "nested deeper than 100 levels"),
        (b"[" * 400_000, "nested deeper than 100 levels"),
        (b"[" * 1_000_000, "more than 500000 values"),
        (b"openapi: 3.0.0\npaths: [", "YAML is broken"),
        (b"openapi: 3.0.0\na: &a [*a]", "grows by its aliases"),
        (nested(9), "grows by its aliases"),
        (b"openapi: 3.0.0\na: " + b"[" * 100_000, "too deep|nesting depth"),
        (b"openapi: 3.0.0\n" + b"# comment\n" * 900_000, "too large"),
    ],
)
def test_body_without_a_document_is_described(body: bytes, reason: str) -> None:
    with pytest.raises(PublishedReferenceError, match=reason) as caught:
        read_document(body)
    assert len(caught.value.message) < 500


@pytest.mark.full
@given(
    st.one_of(st.binary(), st.text().map(str.encode), st.text().map(lambda text: f"openapi: 3.0.0\n{text}".encode()))
)
def test_any_bytes_are_a_document_or_a_typed_error(body: bytes) -> None:
    try:
        document = read_document(body)
    except PublishedReferenceError:
        return
    assert is_openapi(document)
    json.dumps(document)


# Pages

HOST = "https://portal.example:8443"
PAGE = f"{HOST}/base/api/docs/"
TEXT = '{"openapi": "3.0.0", "paths": {}, "info": {"title": "a </b> & \\"c\\""}}'
EMBEDDED = {"openapi": "3.0.0", "paths": {}, "info": {"title": 'a </b> & "c"'}}
#: The same with other members first.
REVERSED = json.dumps(dict(reversed(EMBEDDED.items())))
NESTED = '<script>show({"openapi":"3.0.0","paths":{},"a":%s})</script>'


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        (f'<script id="swagger-data" type="application/json">{{"url": "/x", "spec": {TEXT}}}</script>', 1),
        (
            f'<script>var options = {{"swaggerDoc": {TEXT}, "customOptions": {{}}}}; url = options.swaggerUrl</script>',
            1,
        ),
        (f'<script>const c = {{"dom_id":"#app","spec":{REVERSED},"presets":[Bundle.presets.apis]}}</script>', 1),
        (f'<script>x = {{"openapi": "4", y: {{"swagger": "2</script><script>{TEXT}</script>', 1),
        ('<script>x = {"openapi": "3.1.0", "info": {}}</script>', 0),
        # The bounds of one that stands alone.
        (NESTED % ("[" * 90 + "]" * 90), 1),
        (NESTED % ("[" * 110 + "]" * 110), 0),
    ],
)
def test_embedded_documents(text: str, documents: int) -> None:
    embedded = [*embedded_documents(f"<!DOCTYPE html><html><body>{text}</body></html>")]
    assert len(embedded) == documents
    assert all(document == EMBEDDED or "a" in document for document in embedded)


BUNDLES = "<script src=/swagger-ui-bundle.js></script><script src='/redoc.standalone.js'></script>"
BUNDLES += '<script src="https://cdn.example/init.js"></script>'


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("ui({url:'',specUrl:'../v3'})", f"{HOST}/base/api/v3"),
        ('ui({url: "\\u002fapi\\u002Dx"})', f"{HOST}/api-x"),
        ("ui({swaggerUrl: window.swaggerUrl || '/api/spec'})", f"{HOST}/api/spec"),
        ("ui({validatorUrl: '/a.json', oauth2RedirectUrl: '/b', url: '/c'})", f"{HOST}/c"),
        ("load('/x'); ui({\"spec-url\": '//portal.example:8443/y#top'})", f"{HOST}/y"),
        ("ui({url: `/${unknown}`})", None),
        ("ui({url: 'http://[x'})", None),
        ("import('/a.js'); load('/b.css', 'text/html', '/swagger.png')", None),
        ('<a href="/openapi.json">Log out</a><link rel=stylesheet href=/b>', None),
        # One script of a page may start it, and comes after what the page itself says.
        (
            f"{BUNDLES}<script src=./swagger-initializer.js></script><script src=/docs.js>",
            f"{PAGE}swagger-initializer.js",
        ),
        (f"<script src=/a.js></script>{BUNDLES}<script src='/docs.js?v=1'></script>", f"{HOST}/docs.js?v=1"),
        (f"<script src='?script='></script>{BUNDLES}", f"{PAGE}?script="),
        (BUNDLES, None),
        ("<script src=/init.js></script><script>ui({url: '/x'})</script>", f"{HOST}/x"),
    ],
)
def test_best_address_in_a_page(text: str, first: str | None) -> None:
    assert [lead.url for lead in leads_in(text, PAGE)][:1] == ([first] if first else [])


def test_relative_address_is_tried_against_the_page_and_below_it() -> None:
    leads = leads_in('url: "openapi.json"', f"{HOST}/api/docs")
    assert [lead.url for lead in leads] == [f"{HOST}/api/openapi.json", f"{HOST}/api/docs/openapi.json"]


BIG = 100_000


@pytest.mark.parametrize(
    "page",
    [
        '"\\"' * BIG,
        '{"openapi":"' * BIG,
        '{"openapi":"3.0.0","a":' * BIG,
        "a" * 10 * BIG,
        "".join(f"'/{number}.json'" for number in range(1000)),
    ],
)
def test_pages_that_are_meant_to_do_harm_end(page: str) -> None:
    assert len(leads_in(page, PAGE)) <= MOST_LEADS + 1
    assert not [*embedded_documents(page)]


def test_deadline_is_looked_at_within_a_page() -> None:
    page = embedded_documents('<script>{"openapi":"3.0.0","a":' * 1000, [None, None].pop)
    with pytest.raises(IndexError):
        list(page)


FRAGMENTS = """
    <script> </script> <!-- --> <base href= <link rel=service-desc href= > " ' ` { } [ ] ( ) : = + , ; || ?? / // /* */
    \\ \\u{ \\ud800 ${ url urls configUrl spec-url "url" window.location.origin src type="application/json" &quot;
    {"openapi":"3.0.0","paths":{}} http://[ //x /a .json .js <![CDATA[ ]]> <? \n
"""
PIECES = st.lists(st.sampled_from(FRAGMENTS.split()) | st.text(max_size=5), max_size=40)


@given(PIECES, st.sampled_from(["", " "]))
def test_any_text_is_read(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    for lead in leads_in(text, PAGE):
        assert lead.url.startswith(("http://", "https://"))
        lead.url.encode()
    assert all(document["openapi"] for document in embedded_documents(text))


# The search

API_KEY = "key-0123456789"
DOCUMENT = {"openapi": "3.1.0", "info": {"title": "Portal"}, "paths": {"/api/reseller/contracts": {"post": {}}}}
OTHER = {"swagger": "2.0", "info": {"title": "Other"}, "paths": {"/status": {"get": {"summary": "Status"}}}}
OTHERWISE = ""
NEGOTIATED = "negotiated"
#: What each path answers: a reply, a page, the text of a script, or JSON; and any other path.
Site = Mapping[str, Any]


def ui(settings: str) -> str:
    return f"<script>SwaggerUIBundle({{{settings}}})</script>"


def serve(site: Site) -> ScriptedServer:
    def answer(request: Received) -> Reply:
        body = site.get(request.path, site.get(OTHERWISE, Reply({"error": "not found"}, 404)))
        if body == NEGOTIATED:
            return Reply(DOCUMENT) if "application/json" in request.headers["Accept"] else Reply(None, 406)
        if not isinstance(body, str):
            return body if isinstance(body, Reply) else Reply(body)
        is_page = body.startswith("<")
        text = f"<!DOCTYPE html><html><body>{body}</body></html>" if is_page else body
        return Reply(text.encode(), headers={"Content-Type": "text/html" if is_page else "text/javascript"})

    return ScriptedServer(answer)


def find(server: ScriptedServer, prefix: str = "", **fields: str | None) -> OpenApiDocument:
    config = ServiceConfig(base_url=server.url + prefix, api_key=API_KEY, organization_id="42", timeout=10)
    with closing(Client(config, clocks=HurriedClocks())) as client:
        in_file = {name: Field(value, "file") for name, value in fields.items()}
        return find_document(client, Description("/etc/service.yml", in_file))


def title(document: OpenApiDocument) -> Any:
    return document.document["info"]["title"]


def failure(server: ScriptedServer, **fields: str | None) -> str:
    with pytest.raises(PublishedReferenceError) as caught:
        find(server, **fields)
    assert API_KEY not in caught.value.message
    return caught.value.message


INITIALIZER = "window.onload = function() { window.ui = SwaggerUIBundle({ url: `spec`, dom_id: '#swagger-ui' }); };"
MANY = ui("urls: [" + ", ".join(f"{{url: '/{number}'}}" for number in range(100)) + "]")
CONFIG = "/v3/api-docs/swagger-config"
NESTJS = f"let options = {json.dumps({'swaggerDoc': DOCUMENT})};"
PUBLISHED: dict[str, Site] = {
    "negotiated, as JSON": {"/api/docs": NEGOTIATED},
    "configUrl": {
        "/api/docs": ui(f"configUrl: '{CONFIG}'"),
        CONFIG: {"configUrl": "/x", "urls": [{"url": "/v3/a"}, {"url": "/v3/b"}]},
        "/v3/b": DOCUMENT,
    },
    "page that leads to another, which redirects": {
        "/api/docs": ui('url: "/swagger"'),
        "/swagger": Reply(None, 302, {"Location": "/ui/"}),
        "/ui/": "<script src='./static/init.js'></script>",
        "/ui/static/init.js": INITIALIZER,
        "/ui/spec": DOCUMENT,
    },
    "at an inner address": {"/api/docs": ui("url: 'http://backend.internal:8000/spec.json'"), "/spec.json": DOCUMENT},
    "usual name below the page": {"/api/docs": "<h1>API</h1>", "/api/docs/openapi.json": DOCUMENT},
    "beside the page of NestJS": {"/api/docs": "<script src=x-init.js></script>", "/api/docs-json": DOCUMENT},
    "in the script of NestJS": {
        "/api/docs": "<script src='./docs/ui-init.js'></script>",
        "/api/docs/ui-init.js": NESTJS,
    },
    "in a viewer's settings": {"/api/docs": ui("configUrl: '/x'"), "/x": {"sources": [{"content": DOCUMENT}]}},
    "below the page, in YAML": {"/api/docs": ui("url: 'o.yaml'"), "/api/docs/o.yaml": yaml.safe_dump(DOCUMENT)},
    "usual name at the root": {"/openapi.json": DOCUMENT},
    "behind one without orders": {"/api/docs": OTHER, "/openapi.json": DOCUMENT},
    "behind a page that the key may not read": {"/api/docs": Reply(None, 403), "/openapi.json": DOCUMENT},
    "behind more addresses than are tried": {"/api/docs": MANY, "/openapi.json": DOCUMENT},
}


@pytest.mark.parametrize("site", PUBLISHED.values(), ids=PUBLISHED)
def test_document_is_found_however_it_is_published(site: Site) -> None:
    with serve(site) as server:
        document = find(server)
    assert (document.openapi, title(document)) == ("3.1.0", "Portal")
    assert document.url.startswith(f"{server.url}/")
    assert len(server.requests) <= MOST_ADDRESSES
    assert all(request.headers["X-API-Key"] == API_KEY for request in server.requests)


def test_document_of_a_service_below_a_path_and_one_without_orders() -> None:
    with serve({"/portal/openapi.json": DOCUMENT, "/portal/api/docs": OTHER}) as server:
        assert title(find(server, "/portal")) == "Portal"
    with serve({"/api/docs": OTHER}) as server:
        assert title(find(server)) == "Other"


def test_file_says_where_the_document_is_or_that_there_is_none() -> None:
    """Nothing else is tried then."""
    with serve({"/openapi.json": DOCUMENT, "/spec": DOCUMENT, "/ui": ui("url: '/spec'")}) as server:
        assert "/missing: status 404" in failure(server, openapi_url="/missing")
        assert len(server.requests) == 1
        assert find(server, openapi_url="/ui").url == find(server, openapi_url=f"{server.url}/ui").url
        requests = len(server.requests)
        assert requests == 5
        assert "The service's file says that there is no OpenAPI document." in failure(server, openapi_url=None)
        assert len(server.requests) == requests


UNCLEAR = "a page without an OpenAPI document or a link to one", "set openapi_url in the service's file to its address"
NO_RIGHTS = "does not show its OpenAPI document to this API key (status {})"
NOTHING: Site = {
    "/api/docs": "<script src='init.js'></script><script>SwaggerUIBundle({url: '/spec'})</script>",
    "/spec": {"hello": 1},
    "/openapi.json": Reply(None, 403),
}
TRIED = (
    "/spec: no OpenAPI document of version 2.0 or 3 with paths, but an object {hello: a number}",
    *("/api/init.js: status 404", "/openapi.json: status 403", "order.end_user and order.product"),
)


@pytest.mark.parametrize(
    ("most", "site", "lines"),
    [
        # Pages that name their document in a way of their own are for the file.
        (7, {"/api/docs": "<script>Redoc.init('/x.json', {})</script>", "/x.json": DOCUMENT}, UNCLEAR),
        (7, {"/api/docs": "<redoc spec-url=/x.json></redoc>", "/x.json": DOCUMENT}, UNCLEAR),
        (7, {"/api/docs": f"<script>c = {json.dumps({'content': REVERSED})}</script>"}, UNCLEAR),
        (MOST_ADDRESSES, NOTHING, TRIED),
        (7, {OTHERWISE: Reply({"error": "no"}, 401)}, [NO_RIGHTS.format(401)]),
        (7, {OTHERWISE: Reply({"error": "no"}, 403)}, [NO_RIGHTS.format(403)]),
        (MOST_ADDRESSES, {"/api/docs": MANY}, ["not tried, because the search was long enough"]),
        (21, {OTHERWISE: Reply(None, 302, {"Location": "/loop"})}, ["redirect"]),
        (21, {OTHERWISE: Reply(None, 503)}, ["503"]),
        (2, {OTHERWISE: Reply(cut=True)}, ["the answer was lost"]),
    ],
)
def test_search_without_a_document_tells_what_it_tried(most: int, site: Site, lines: Sequence[str]) -> None:
    with serve(site) as server:
        message = failure(server)
    assert [line for line in lines if line not in message] == []
    assert len(server.requests) <= most


def test_unreachable_service_ends_the_search() -> None:
    with serve({}) as server:
        pass
    with pytest.raises(UnreachableError):
        find(server)


def test_another_origin_is_named_and_not_asked() -> None:
    with serve({OTHERWISE: DOCUMENT}) as foreign:
        there = foreign.url.replace("127.0.0.1", "localhost")
        site = {
            "/api/docs": ui(f"url: '{there}/openapi.json', configUrl: '{there}/c'"),
            "/openapi.json": Reply(None, 302, {"Location": f"{there}/openapi.json"}),
        }
        with serve(site) as server:
            message = failure(server)
    assert foreign.requests == []
    for line in (f"{there}/openapi.json: not read, because it is on another origin", f"{there}/c: not read"):
        assert line in message
    assert "redirect to another" in message
