# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What documentation pages and their scripts tell, and that the worst of them end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._reference.docs_findings import PageFindings
from ansible_collections.hosting.reseller.plugins.module_utils._reference.docs_page import is_reference_link, read_page
from ansible_collections.hosting.reseller.plugins.module_utils._reference.docs_script import read_script

PAGE = "https://portal.example:8443/base/api/docs/"
HOST = "https://portal.example:8443"
TEXT = '{"openapi": "3.0.0", "paths": {}, "info": {"title": "a </b> & \\"c\\""}}'
DOCUMENT = {"openapi": "3.0.0", "paths": {}, "info": {"title": 'a </b> & "c"'}}


def script(text: str) -> PageFindings:
    findings = PageFindings(PAGE)
    read_script(text, findings)
    return findings


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


@pytest.mark.parametrize(
    "page",
    [
        f'<script id="swagger-data" type="application/json">{TEXT}</script>',
        f'<script id="swagger-data" type="application/json">{{"format": "json", "spec": {TEXT}}}</script>',
        f'<script id="swagger-data" type="application/json">{escaped(TEXT)}</script>',
        f'<script id="swagger-data" type="application/json">{escaped(f"""{{"spec": {TEXT}}}""")}</script>',
        f'<script type="application/json" id=data>\n\n {TEXT} \n</script>',
        f'<script>var options = {{"swaggerDoc": {TEXT}, "customOptions": {{}}}}; url = options.swaggerUrl</script>',
        f'<script>SwaggerUIBundle({{"spec": {TEXT}, dom_id: "#swagger-ui"}})</script>',
        f"<script>const spec = {TEXT};\nSwaggerUIBundle({{spec: spec}})</script>",
        f"<script>SwaggerUIBundle({{spec:{TEXT}}})</script>",
        f'<script>const __redoc_state = {{\'menu\': [], "spec": {{"data": {TEXT}}}}};</script>',
        f"<script>Scalar.createApiReference('#app', {{content: `{TEXT.replace(chr(92), chr(92) * 2)}`}})</script>",
        f"<elements-api apiDescriptionDocument='{escaped(TEXT)}'></elements-api>",
        f'<script id=api-reference data-configuration="{escaped(f"""{{"spec": {{"content": {TEXT}}}}}""")}"></script>',
    ],
)
def test_an_embedded_document(page: str) -> None:
    assert read_page(f"<!DOCTYPE html><html><body>{page}</body></html>", PAGE).documents == [DOCUMENT]


@pytest.mark.parametrize(
    ("expression", "url"),
    [
        ('"/openapi.json"', "/openapi.json"),
        ("'openapi.json'", "/base/api/docs/openapi.json"),
        ('"../v3"', "/base/api/v3"),
        ("`/api/x`", "/api/x"),
        ("'\\/api\\/x'", "/api/x"),
        ('"\\u002fapi\\x2f\\u{78}"', "/api/x"),
        (f'"{HOST}/api/x"', "/api/x"),
        ('"//portal.example:8443/api/x#top"', "/api/x"),
        ('window.location.origin + "/api/x"', "/api/x"),
        ('location.protocol + "//" + location.host + "/api" + "/x"', "/api/x"),
        ("`${window.location.origin}/api/x`", "/api/x"),
        ('document.location.pathname + "x"', "/base/api/docs/x"),
        ("window.swaggerUrl || '/api/x'", "/api/x"),
        ("params.get('url') ?? `/api/x`", "/api/x"),
        ("base + 'x'", "/api/x"),
        ("`${base}x`", "/api/x"),
    ],
)
@pytest.mark.parametrize("key", ["url", "'url'", '"url"', "'spec-url'", "swaggerUrl", "specUrl"])
def test_a_url_in_a_script(key: str, expression: str, url: str) -> None:
    text = f"const base = '/api/'\nwindow.ui = SwaggerUIBundle({{ {key}: {expression}, dom_id: '#swagger-ui' }})"
    assert script(text).urls == [HOST + url]


@pytest.mark.parametrize(
    "expression",
    [
        "compute('x')",
        "'a' + compute()",
        "`${compute()}`",
        "null",
        "''",
        "'/'",
        "location.origin",
        "x[0]",
        "`/${unknown}`",
        "'http://[x'",
    ],
)
def test_what_is_not_understood_is_no_url(expression: str) -> None:
    assert script(f"SwaggerUIBundle({{url: {expression}}})").urls == []


def test_several_definitions_and_their_settings() -> None:
    found = script(
        """
        // url: "/commented"
        /* url: "/commented too" */
        window.ui = SwaggerUIBundle({
          validatorUrl: "/validator", oauth2RedirectUrl: location.origin + "/oauth2-redirect.html",
          urls: [{url: "/a", name: "A"}, {"name": "B", "url": "/b"},],
          configUrl: "/settings", pattern: /url: "\\/no"/, half: 4 / 2,
          "urls.primaryName": "B" });
        urls.push({ name: 'C', url: "/c" });
        if (url == "/d" || url === "/d") go(url => "/d");
        """
    )
    assert found.urls == [f"{HOST}/a", f"{HOST}/b", f"{HOST}/c"]
    assert found.configs == [f"{HOST}/settings"]


def test_settings_as_json_within_a_string() -> None:
    text = """var configObject = JSON.parse('{"urls":[{"url":"v1.json","name":"V1"}],"configUrl":"\\/c"}');"""
    found = script(text)
    assert found.urls == [f"{HOST}/base/api/docs/v1.json"]
    assert found.configs == [f"{HOST}/c"]


def test_calls_with_what_looks_like_a_reference() -> None:
    found = script(
        "Redoc.init('spec/openapi.yaml', {}); fetch(`/v3/api-docs`); load('application/openapi+json', 'a.js')"
    )
    assert found.urls == []
    assert found.hints == [f"{HOST}/base/api/docs/spec/openapi.yaml", f"{HOST}/v3/api-docs"]


SCRIPTS = ("/swagger-ui-bundle.js", "/x.js", "./swagger-initializer.js", "/redoc.standalone.js", "/docs.js")


@pytest.mark.parametrize(
    ("page", "kind", "urls"),
    [
        ("<redoc spec-url='/a.yaml'></redoc>", "urls", ["/a.yaml"]),
        ("<rapi-doc SPEC-URL=/a></rapi-doc>", "urls", ["/a"]),
        ("<elements-api id=docs apiDescriptionUrl=/a />", "urls", ["/a"]),
        ("<script id=api-reference data-url=/a></script>", "urls", ["/a"]),
        ("<div id=swagger-ui data-url=/a></div><div id=map data-url=/b></div>", "urls", ["/a"]),
        ('<script id=api-reference data-configuration=\'{"url":"/a"}\'></script>', "urls", ["/a"]),
        ('<script id=swagger-settings type="application/json">{"url": "/a"}</script>', "urls", ["/a"]),
        ('<script type="application/ld+json">{"url": "/a"}</script>', "urls", []),
        ('<script type="text/template">x = {url: "/a"}</script>', "urls", []),
        ("<base href=/other/><redoc spec-url=a></redoc>", "urls", ["/other/a"]),
        ("<base href='http://[x'><redoc spec-url=/a></redoc>", "urls", ["/a"]),
        ("<link rel=service-desc href=/a>", "links", ["/a"]),
        ('<link rel=alternate type="application/vnd.oai.openapi+json" href=/a>', "links", ["/a"]),
        ('<link rel=alternate type="application/rss+xml" href=/a><link rel=stylesheet href=/b>', "links", []),
        ("<a href=/api/docs.jsonopenapi>OpenAPI</a><a href=/imprint.html>x</a>", "hints", ["/api/docs.jsonopenapi"]),
        ('<meta http-equiv="Refresh" content="0; URL=\'/swagger/\'">', "pages", ["/swagger/"]),
        ("<iframe src=/swagger/index.html></iframe>", "pages", ["/swagger/index.html"]),
        (
            "".join(f"<script src={source}></script>" for source in SCRIPTS),
            "scripts",
            ["/base/api/docs/swagger-initializer.js", "/docs.js", "/x.js"],
        ),
    ],
)
def test_elements_of_a_page(page: str, kind: str, urls: list[str]) -> None:
    assert getattr(read_page(page, PAGE), kind) == [HOST + url for url in urls]


@pytest.mark.parametrize(
    ("relation", "media_type", "is_reference"),
    [
        ("service-desc", "", True),
        ("Service-Desc alternate", "", True),
        ("describedby", "application/openapi+yaml", True),
        ("alternate", "text/html", False),
        ("http://www.w3.org/ns/hydra/core#apiDocumentation", "application/ld+json", False),
        ("next", "", False),
    ],
)
def test_links(relation: str, media_type: str, is_reference: bool) -> None:
    assert is_reference_link(relation, media_type) is is_reference


BIG = 300_000


@pytest.mark.parametrize(
    "page",
    [
        "<!--" * BIG,
        "<" * BIG,
        "<a " * BIG,
        "<![" * BIG,
        "<![x[",
        "<!DOCTYPE [" * BIG,
        "<script>" * BIG,
        "<script>" + '"\\"' * BIG,
        "<script>" + '"\\"' * BIG + "</script>",
        "<script>" + "/[" * BIG + "</script>",
        "<script>" + "/*" * BIG + "</script>",
        "<script>" + "`${" * BIG + "</script>",
        "<script>url=`" + "${" * BIG + "`</script>",
        "<script>" + '{"a":' * BIG + "</script>",
        "<script>" + '{"a":1,b}' * BIG + "</script>",
        "<script>" + "url=" * BIG + "</script>",
        "<script>url=" + "'a'+" * BIG + "</script>",
        "<script type=application/json>" + '{"spec":' * BIG + "</script>",
        "<a href=x.json>" * BIG,
    ],
)
def test_pages_that_are_meant_to_do_harm_end(page: str) -> None:
    found = read_page(page, PAGE)
    assert len(found.urls) + len(found.hints) < 100
    assert not found.documents


FRAGMENTS = """
    <script> </script> <!-- --> <base href= <link rel=service-desc href= > " ' ` { } [ ] ( ) : = + , ; || ?? / // /* */
    \\ \\u{ ${ url urls configUrl spec-url swaggerDoc "url" window.location.origin type="application/json" <redoc &quot;
    {"openapi":"3.0.0","paths":{}} http://[ //x /a .json <![CDATA[ ]]> <? \n
"""
PIECES = st.lists(st.sampled_from(FRAGMENTS.split()) | st.text(max_size=5), max_size=40)


@settings(max_examples=300, deadline=None)
@given(PIECES, st.sampled_from(["", " "]))
def test_any_page_is_read(pieces: list[str], between: str) -> None:
    page = between.join(pieces)
    found: list[Any] = [read_page(page, PAGE), script(page), read_page(f"<script>{page}</script>", PAGE)]
    for findings in found:
        for url in (*findings.urls, *findings.configs, *findings.hints, *findings.scripts, *findings.pages):
            assert url.startswith(("http://", "https://"))
