# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What documentation pages and their scripts lead to, and that the worst of them end."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from contextlib import closing
from typing import TypeAlias

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
    Lead,
    embedded_documents,
    find_document,
    is_openapi,
    leads_in,
    read_document,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.openapi_document import OpenApiDocument
from ansible_collections.hosting.reseller.plugins.module_utils._service.order_shape import order_shape
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer

# Documents

YAML = b"""
openapi: 3.1
info: {title: Portal, version: 1.10, date: 2026-01-31}
paths:
  /api/reseller/contracts: &item
    post:
      responses:
        201: {description: no}
  /same: *item
  /other:
    x-zone: 0012
    x-off: off
    x-empty:
    x-true: true
"""


def test_yaml_is_read_as_json_would_say_it() -> None:
    document = read_document(YAML)
    assert document["info"] == {"title": "Portal", "version": 1.1, "date": "2026-01-31"}
    assert document["paths"]["/same"] == {"post": {"responses": {"201": {"description": "no"}}}}
    assert document["paths"]["/other"] == {
        "x-zone": "0012",
        "x-off": "off",
        "x-empty": None,
        "x-true": True,
    }


def nested(levels: int, first: str, each: str) -> bytes:
    """YAML in which each level has the one before nine times."""
    lines = ["openapi: 3.0.0", f"a0: &a0 {first}"]
    lines += [f"a{level}: &a{level} {each % ', '.join([f'*a{level - 1}'] * 9)}" for level in range(1, levels)]
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<!DOCTYPE html><p>openapi: 3.0.0", "neither JSON nor YAML"),
        (b'{"openapi": "3.0.0"', "neither JSON nor YAML of an OpenAPI document .*delimiter"),
        (b'{"hydra:member": []}', "but an object {hydra:member: a list}"),
        (b'{"openapi": "4.0.0", "paths": {}}', "version 2.0 or 3"),
        (b'{"openapi": "3.0.0", "paths": []}', "with paths"),
        (b"[" * 400_000, "nested deeper than 100 levels"),
        (b"[" * 1_000_000, "more than 500000 values"),
        (b"openapi: 3.0.0\npaths: [", "YAML is broken"),
        (b"openapi: 3.0.0\na: &a [*a]", "grows by its aliases"),
        (nested(9, "[x, x]", "[%s]"), "grows by its aliases"),
        (b"openapi: 3.0.0\na: " + b"[" * 100_000, "too deep|nesting depth"),
        (b"openapi: 3.0.0\n" + b"# comment\n" * 900_000, "too large"),
    ],
)
def test_what_is_no_document_is_told_apart(body: bytes, said: str) -> None:
    with pytest.raises(PublishedReferenceError, match=said) as caught:
        read_document(body)
    assert len(caught.value.message) < 500


def test_aliases_are_read_and_tags_do_nothing() -> None:
    assert read_document(nested(4, "[x, x]", "[%s]"))["a1"] == [["x", "x"]] * 9
    assert read_document(b"openapi: 3.0.0\na: !!python/object/apply:os.system ['true']")["a"] == ["true"]


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

PAGE = "https://portal.example:8443/base/api/docs/"
HOST = "https://portal.example:8443"
TEXT = '{"openapi": "3.0.0", "paths": {}, "info": {"title": "a </b> & \\"c\\""}}'
EMBEDDED = {"openapi": "3.0.0", "paths": {}, "info": {"title": 'a </b> & "c"'}}
#: The same with other members first.
REVERSED = json.dumps(dict(reversed(EMBEDDED.items())))


@pytest.mark.parametrize(
    "page",
    [
        f'<script id="swagger-data" type="application/json">{{"url": "/x", "spec": {TEXT}}}</script>',
        f'<script>var options = {{"swaggerDoc": {TEXT}, "customOptions": {{}}}}; url = options.swaggerUrl</script>',
        f'<script>const c = {{"dom_id":"#app","spec":{REVERSED},"presets":[Bundle.presets.apis]}}</script>',
        f'<script>x = {{"openapi": "4", y: {{"swagger": "2</script><script>{TEXT}</script>',
    ],
)
def test_embedded_document(page: str) -> None:
    assert [*embedded_documents(f"<!DOCTYPE html><html><body>{page}</body></html>")] == [EMBEDDED]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("ui({url:'',specUrl:'../v3'})", "/base/api/v3"),
        ('ui({url: "\\u002fapi\\u002Dx"})', "/api-x"),
        ("ui({swaggerUrl: window.swaggerUrl || '/api/spec'})", "/api/spec"),
        ("ui({validatorUrl: '/a.json', oauth2RedirectUrl: '/b', url: '/c'})", "/c"),
        ("load('/x'); ui({\"spec-url\": '//portal.example:8443/y#top'})", "/y"),
        ("ui({url: `/${unknown}`})", None),
        ("ui({url: 'http://[x'})", None),
        ("import('/a.js'); load('/b.css', 'text/html', '/swagger.png')", None),
        ('<a href="/openapi.json">Log out</a><link rel=stylesheet href=/b>', None),
    ],
)
def test_best_address_in_a_text(text: str, first: str | None) -> None:
    assert leads_in(text, PAGE)[:1] == ([] if first is None else [(HOST + first, "")])


def test_relative_address_is_tried_against_the_page_and_below_it() -> None:
    found = leads_in('url: "openapi.json"', f"{HOST}/api/docs")
    assert [lead.url for lead in found] == [f"{HOST}/api/openapi.json", f"{HOST}/api/docs/openapi.json"]


BUNDLES = ("/swagger-ui-bundle.js", "/redoc.standalone.js", "https://cdn.example/init.js")


@pytest.mark.parametrize(
    ("sources", "script"),
    [
        ((*BUNDLES, "./swagger-initializer.js", "/docs.js?v=1"), f"{PAGE}swagger-initializer.js"),
        (("/a.js", *BUNDLES, "/docs.js?v=1"), f"{HOST}/docs.js?v=1"),
        (("?script=", *BUNDLES), f"{PAGE}?script="),
        (BUNDLES, None),
    ],
)
def test_one_script_of_a_page_may_start_it(sources: tuple[str, ...], script: str | None) -> None:
    page = "".join(f'<script src="{source}"></script>' for source in sources)
    assert leads_in(page, PAGE) == ([Lead(script, PAGE)] if script else [])
    assert leads_in(f"{page}<script>ui({{url: '/x'}})</script>", PAGE)[0] == Lead(f"{HOST}/x")


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


@pytest.mark.parametrize("depth", [90, 110])
def test_embedded_document_has_the_bounds_of_one_that_stands_alone(depth: int) -> None:
    text = '{"openapi":"3.0.0","paths":{},"a":' + "[" * depth + "]" * depth + "}"
    assert len([*embedded_documents(f"<script>show({text})</script>")]) == (depth < 100)
    if depth > 100:
        with pytest.raises(PublishedReferenceError, match="nested deeper than 100 levels"):
            read_document(text.encode())


def test_deadline_is_looked_at_within_a_page() -> None:
    page, looks = '<script>{"openapi":"3.0.0","a":' * 1000, []

    def look() -> None:
        looks.append(1)
        if len(looks) == 3:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        [*embedded_documents(page, look)]


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


API_KEY = "key-0123456789"
PATH = "/api/reseller/contracts"
SCHEMA = {"type": "object", "properties": {"forUser": {"type": "string"}, "productUuid": {"type": "string"}}}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Portal"},
    "paths": {PATH: {"post": {"requestBody": {"content": {"application/json": {"schema": SCHEMA}}}}}},
}
OTHER = {"swagger": "2.0", "info": {"title": "Other"}, "paths": {"/status": {"get": {"summary": "Status"}}}}
HTML = {"Content-Type": "text/html; charset=utf-8"}
Site: TypeAlias = Mapping[str, "Reply | Mapping[str, Reply]"]


def page(body: str) -> Reply:
    return Reply(f"<!DOCTYPE html><html><body>{body}</body></html>".encode(), headers=HTML)


def script(text: str) -> Reply:
    return Reply(text.encode(), headers={"Content-Type": "text/javascript"})


def serve(site: Site, otherwise: Reply | None = None) -> ScriptedServer:
    """A server of paths; a path may have one reply for each ``Accept``."""

    def answer(request: Received) -> Reply:
        found = site.get(request.path, otherwise or Reply({"error": "not found"}, 404))
        if isinstance(found, Reply):
            return found
        accepted = [each.partition(";")[0].strip() for each in request.headers["Accept"].split(",")]
        return next((found[each] for each in accepted if each in found), Reply({"error": "not acceptable"}, 406))

    return ScriptedServer(answer)


def find(server: ScriptedServer, prefix: str = "", **said: str | None) -> OpenApiDocument:
    fields = {name: Field(value, "file") for name, value in said.items()}
    config = ServiceConfig(base_url=server.url + prefix, api_key=API_KEY, organization_id="42", timeout=10)
    with closing(Client(config)) as client:
        return find_document(client, Description("/etc/service.yml", fields))


def title(found: OpenApiDocument) -> str:
    return str(found.document["info"]["title"])


def failure(server: ScriptedServer, **said: str | None) -> str:
    with pytest.raises(PublishedReferenceError) as caught:
        find(server, **said)
    return caught.value.message


INITIALIZER = "window.onload = function() { window.ui = SwaggerUIBundle({ url: %s, dom_id: '#swagger-ui' }); };"
PATTERNS: dict[str, Site] = {
    "negotiated, as JSON": {"/api/docs": {"application/json": Reply(DOCUMENT)}},
    "configUrl": {
        "/api/docs": page("<script>SwaggerUIBundle({configUrl: '/v3/api-docs/swagger-config'})</script>"),
        "/v3/api-docs/swagger-config": Reply({"configUrl": "/x", "urls": [{"url": "/v3/a"}, {"url": "/v3/b"}]}),
        "/v3/b": Reply(DOCUMENT),
    },
    "page that leads to another, which redirects": {
        "/api/docs": page('<script>ui({url: "/swagger"})</script>'),
        "/swagger": Reply(None, 302, {"Location": "/ui/"}),
        "/ui/": page("<script src='./static/init.js'></script>"),
        "/ui/static/init.js": script(INITIALIZER % "`spec`"),
        "/ui/spec": Reply(DOCUMENT),
    },
    "at an inner address that a proxy hides": {
        "/api/docs": page("<script>ui({url: 'http://backend.internal:8000/spec.json'})</script>"),
        "/spec.json": Reply(DOCUMENT),
    },
    "usual name below the page": {"/api/docs": page("<h1>API</h1>"), "/api/docs/openapi.json": Reply(DOCUMENT)},
    "beside the page of NestJS": {
        "/api/docs": page("<script src=x-init.js></script>"),
        "/api/docs-json": Reply(DOCUMENT),
    },
    "document in the script of NestJS": {
        "/api/docs": page("<script src='./docs/swagger-ui-init.js'></script>"),
        "/api/docs/swagger-ui-init.js": script(f"let options = {json.dumps({'swaggerDoc': DOCUMENT})};"),
    },
    "document in a viewer's settings": {
        "/api/docs": page("<script>ui({configUrl: '/config'})</script>"),
        "/config": Reply({"theme": "dark", "sources": [{"content": DOCUMENT}]}),
    },
    "relative to the page as a directory, in YAML": {
        "/api/docs": page("<script>ui({url: 'openapi.yaml'})</script>"),
        "/api/docs/openapi.yaml": Reply(yaml.safe_dump(DOCUMENT).encode(), headers={"Content-Type": "text/yaml"}),
    },
    "usual name at the root": {"/openapi.json": Reply(DOCUMENT)},
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_each_way_of_publishing(pattern: str) -> None:
    with serve(PATTERNS[pattern]) as server:
        document = find(server)
        shape = order_shape(document)
    assert (shape.end_user_element, shape.product_element) == ("forUser", "productUuid")
    assert (document.openapi, title(document)) == ("3.1.0", "Portal")
    assert document.url.startswith(f"{server.url}/")
    assert len(server.requests) <= MOST_ADDRESSES
    assert all(request.headers["X-API-Key"] == API_KEY for request in server.requests)


def test_a_service_below_a_path() -> None:
    site = {f"/portal{path}": reply for path, reply in PATTERNS["usual name at the root"].items()}
    with serve(site) as server:
        assert order_shape(find(server, "/portal")).end_user_element == "forUser"


#: Pages that say where their document is in ways of their own. Their owner writes its address into the file.
EXOTIC: dict[str, str] = {
    "Redoc by a script": "<script>Redoc.init('/x.json', {})</script>",
    "an attribute without quotes": "<redoc spec-url=/x.json></redoc>",
    "a document in a text": f"<script>const c = {json.dumps({'content': REVERSED})}</script>",
}


@pytest.mark.parametrize("text", EXOTIC.values(), ids=EXOTIC)
def test_address_in_a_way_of_its_own_is_for_the_file(text: str) -> None:
    with serve({"/api/docs": page(text), "/x.json": Reply(DOCUMENT)}) as server:
        message = failure(server)
        assert "set openapi_url in the service's file to its address" in message
        assert "a page without an OpenAPI document or a link to one" in message
        requested = len(server.requests)
        for url in ("/x.json", f"{server.url}/x.json"):
            assert order_shape(find(server, openapi_url=url)).end_user_element == "forUser"
    assert len(server.requests) == requested + 2


def test_file_says_where_the_document_is_or_that_there_is_none() -> None:
    """Nothing else is tried then."""
    ui = page("<script>ui({url: '/spec'})</script>")
    with serve({"/openapi.json": Reply(DOCUMENT), "/spec": Reply(DOCUMENT), "/ui": ui}) as server:
        assert "/missing: status 404" in failure(server, openapi_url="/missing")
        assert len(server.requests) == 1
        assert find(server, openapi_url="/ui").url == f"{server.url}/spec"
        before = len(server.requests)
        assert "The service's file says that there is no OpenAPI document." in failure(server, openapi_url=None)
        assert len(server.requests) == before


# A reference that does not help


def test_a_reference_without_orders_is_kept_in_reserve() -> None:
    with serve({"/api/docs": Reply(OTHER), "/openapi.json": Reply(DOCUMENT)}) as server:
        assert title(find(server)) == "Portal"
    with serve({"/api/docs": Reply(OTHER)}) as server:
        document = find(server)
    assert title(document) == "Other"
    with pytest.raises(PublishedReferenceError, match="does not describe POST /api/reseller/contracts"):
        order_shape(document)


def test_nothing_found_lists_every_place() -> None:
    site = {
        "/api/docs": page("<script src='init.js'></script><script>SwaggerUIBundle({url: '/spec'})</script>"),
        "/spec": Reply({"hello": 1}),
        "/openapi.json": Reply(None, 403),
    }
    with serve(site) as server:
        message = failure(server)
    for line in (
        f"{server.url}/spec: no OpenAPI document of version 2.0 or 3 with paths, but an object {{hello: a number}}",
        f"{server.url}/api/init.js: status 404",
        f"{server.url}/openapi.json: status 403",
        "order.end_user and order.product",
    ):
        assert line in message
    assert API_KEY not in message


@pytest.mark.parametrize("status", [401, 403])
def test_page_that_the_key_may_not_read_is_told_as_such(status: int) -> None:
    with serve({}, Reply({"error": "no"}, status)) as server, pytest.raises(PublishedReferenceError) as caught:
        find(server)
    assert f"does not show its OpenAPI document to this API key (status {status})" in caught.value.message
    assert len(server.requests) == 7
    with serve({"/api/docs": Reply(None, status), "/openapi.json": Reply(DOCUMENT)}) as server:
        assert title(find(server)) == "Portal"


# What is meant to do harm, or is broken


def test_another_origin_is_named_and_not_asked() -> None:
    with serve({}, Reply(DOCUMENT)) as foreign:
        there = foreign.url.replace("127.0.0.1", "localhost")
        url = f"{there}/openapi.json"
        site = {
            "/api/docs": page(f"<script>SwaggerUIBundle({{url: '{url}', configUrl: '{there}/c'}})</script>"),
            "/openapi.json": Reply(None, 302, {"Location": url}),
        }
        with serve(site) as server:
            message = failure(server)
    assert foreign.requests == []
    for line in (f"{url}: not read, because it is on another origin", f"{there}/c: not read", "redirect to another"):
        assert line in message


def test_search_ends_after_its_most_addresses_and_the_usual_ones_are_asked() -> None:
    urls = ", ".join(f"{{url: '/{number}'}}" for number in range(100))
    site: dict[str, Reply] = {"/api/docs": page(f"<script>x = {{urls: [{urls}]}}</script>")}
    with serve(site) as server:
        assert "not tried, because the search was long enough" in failure(server)
    assert len(server.requests) == MOST_ADDRESSES
    with serve({**site, "/openapi.json": Reply(DOCUMENT)}) as server:
        assert title(find(server)) == "Portal"


@pytest.mark.parametrize("status", [302, 503])
def test_redirects_and_repetitions_are_bounded(status: int) -> None:
    numbers = itertools.count()

    def answer(_request: Received) -> Reply:
        return Reply(None, status, {"Location": f"/loop/{next(numbers)}"} if status == 302 else {})

    with ScriptedServer(answer) as server:
        failure(server)
    assert len(server.requests) <= 21


def test_lost_answer_and_unreachable_service_end_the_search() -> None:
    def answer(_request: Received) -> Reply:
        raise ConnectionAbortedError

    with ScriptedServer(answer) as server:
        assert "the answer was lost" in failure(server)
    assert len(server.requests) <= 2
    with pytest.raises(UnreachableError):
        find(server)
