# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What documentation pages and their scripts tell, and that the worst of them end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._reference.docs_page import (
    Lead,
    Leads,
    is_reference_link,
    read_page,
    read_script,
)

PAGE = "https://portal.example:8443/base/api/docs/"
HOST = "https://portal.example:8443"
TEXT = '{"openapi": "3.0.0", "paths": {}, "info": {"title": "a </b> & \\"c\\""}}'
DOCUMENT = {"openapi": "3.0.0", "paths": {}, "info": {"title": 'a </b> & "c"'}}


def script(text: str) -> Leads:
    findings = Leads(PAGE)
    read_script(text, findings)
    return findings


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


@pytest.mark.parametrize(
    "page",
    [
        f'<script id="swagger-data" type="application/json">{TEXT}</script>',
        f'<script id="swagger-data" type="application/json">{escaped(TEXT)}</script>',
        f'<script id="swagger-data" type="application/json">{escaped(f"""{{"spec": {TEXT}}}""")}</script>',
        f'<script>var options = {{"swaggerDoc": {TEXT}, "customOptions": {{}}}}; url = options.swaggerUrl</script>',
        f'<script>const __redoc_state = {{\'menu\': [], "spec": {{"data": {TEXT}}}}};</script>',
        f"<script>Scalar.createApiReference('#app', {{content: `{TEXT.replace(chr(92), chr(92) * 2)}`}})</script>",
        f"<elements-api apiDescriptionDocument='{escaped(TEXT)}'></elements-api>",
        f'<script id=api-reference data-configuration="{escaped(f"""{{"spec": {{"content": {TEXT}}}}}""")}"></script>',
    ],
)
def test_an_embedded_document(page: str) -> None:
    assert read_page(f"<!DOCTYPE html><html><body>{page}</body></html>", PAGE).documents == [DOCUMENT]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ('ui({url: "/openapi.json"})', "/openapi.json"),
        ('ui({specUrl: "../v3"})', "/base/api/v3"),
        ("ui({url: '\\/api\\/x'})", "/api/x"),
        ('ui({url: "\\u002fapi\\x2fx"})', "/api/x"),
        ('ui({"spec-url": "//portal.example:8443/api/x#top"})', "/api/x"),
        ('ui({url: location.protocol + "//" + location.host + "/api" + "/x"})', "/api/x"),
        ("ui({url: `${window.location.origin}/api/x`})", "/api/x"),
        ("ui({swaggerUrl: window.swaggerUrl || '/api/x'})", "/api/x"),
        ("ui({url: resolve('./json').replace('a/json', 'json')})", "/base/api/docs/json"),
        ("const spec = await fetch(`/v3/api-docs`)", "/v3/api-docs"),
        ("""JSON.parse('{"urls":[{"url":"v1.json","name":"V1"}]}')""", "/base/api/docs/v1.json"),
        ("ui({validatorUrl: '/a.json', oauth2RedirectUrl: '/b', url: '/c'})", "/c"),
        ("load('application/openapi+json', 'a.js', '/manifest.json', '/x')", "/x"),
    ],
)
def test_best_address_in_a_script(text: str, first: str) -> None:
    found = sorted(script(text).found.values(), key=lambda lead: lead.kind != "document")
    assert found[0].url == HOST + first


@pytest.mark.parametrize(
    "text",
    [
        "ui({url: compute()})",
        "ui({url: '/'})",
        "ui({url: `/${unknown}`})",
        "ui({url: `/users/{id}`})",
        "ui({url: 'http://[x'})",
        "ui({validatorUrl: '/v', logo: '/l.json'})",
        "import('/a.js'); load('/b.css', 'text/html', '/swagger.png')",
    ],
)
def test_what_is_no_address_is_no_lead(text: str) -> None:
    assert script(text).found == {}


def test_relative_address_is_tried_against_the_page_and_below_it() -> None:
    leads = Leads(f"{HOST}/api/docs")
    leads.add(Lead("openapi.json"))
    assert [*leads.found] == [f"{HOST}/api/openapi.json", f"{HOST}/api/docs/openapi.json"]


def test_address_with_a_name_is_one_of_a_document_wherever_else_it_stands() -> None:
    assert [lead.kind for lead in script("load('/x'); ui({url: '/x'})").found.values()] == ["document"]


def test_several_definitions_and_settings() -> None:
    found = script('ui({ urls: [{url: "/a", name: "A"}, {"name": "B", "url": "/b"},], configUrl: "/settings" });')
    assert {*found.found} == {f"{HOST}/a", f"{HOST}/b", f"{HOST}/settings"}


SCRIPTS = ("/swagger-ui-bundle.js", "/x.js", "./swagger-initializer.js", "/redoc.standalone.js", "/docs.js")


@pytest.mark.parametrize(
    ("page", "leads"),
    [
        ("<redoc spec-url='/a.yaml'></redoc>", ["/a.yaml"]),
        ("<script id=api-reference data-url=/a></script>", ["/a"]),
        ('<script id=api-reference data-configuration=\'{"url":"/a"}\'></script>', ["/a"]),
        ('<script type="text/template">x = {url: "/a"}</script>', []),
        ("<base href=/other/><redoc spec-url=a></redoc>", ["/other/a"]),
        ("<link rel=service-desc href=/a>", ["/a"]),
        ('<link rel=alternate type="application/vnd.oai.openapi+json" href=/a>', ["/a"]),
        ('<link rel=alternate type="application/rss+xml" href=/a><link rel=stylesheet href=/b>', []),
        ("<a href=/api/docs.jsonopenapi>OpenAPI</a><a href=/imprint.html>x</a>", ["/api/docs.jsonopenapi"]),
        ('<meta http-equiv="Refresh" content="0; URL=\'/swagger/\'">', ["/swagger/"]),
        ("<iframe src=/swagger/index.html></iframe>", ["/swagger/index.html"]),
        (
            "".join(f"<script src={source}></script>" for source in SCRIPTS),
            ["/x.js", "/base/api/docs/swagger-initializer.js", "/docs.js"],
        ),
    ],
)
def test_elements_of_a_page(page: str, leads: list[str]) -> None:
    assert [*read_page(page, PAGE).found] == [HOST + path for path in leads]


@pytest.mark.parametrize(
    ("relation", "media_type", "is_reference"),
    [
        ("service-desc", "", True),
        ("describedby", "application/openapi+yaml", True),
        ("alternate", "text/html", False),
        ("http://www.w3.org/ns/hydra/core#apiDocumentation", "application/ld+json", False),
        ("next", "", False),
    ],
)
def test_links(relation: str, media_type: str, is_reference: bool) -> None:
    assert is_reference_link(relation, media_type) is is_reference


BIG = 100_000


@pytest.mark.parametrize(
    "page",
    [
        "<!--" * BIG,
        "<![" * BIG,
        "<![x[",
        "<!DOCTYPE [" * BIG,
        "<script>" * BIG,
        "<script>" + '"\\"' * BIG + "</script>",
        "<script>" + "`${" * BIG + "</script>",
        "<script>url=`" + "${" * BIG + "`</script>",
        "<script>" + '{"a":' * BIG + "</script>",
        "<script>" + '{"a":1,b}' * BIG + "</script>",
        "<script>url=" + "'a'+" * BIG + "</script>",
        "<script type=application/json>" + '{"spec":' * BIG + "</script>",
        "<a href=x.json>" * BIG,
    ],
)
def test_pages_that_are_meant_to_do_harm_end(page: str) -> None:
    found = read_page(page, PAGE)
    assert len(found.found) < 100
    assert not found.documents


FRAGMENTS = """
    <script> </script> <!-- --> <base href= <link rel=service-desc href= > " ' ` { } [ ] ( ) : = + , ; || ?? / // /* */
    \\ \\u{ ${ url urls configUrl spec-url swaggerDoc "url" window.location.origin type="application/json" <redoc &quot;
    {"openapi":"3.0.0","paths":{}} http://[ //x /a .json <![CDATA[ ]]> <? \n
"""
PIECES = st.lists(st.sampled_from(FRAGMENTS.split()) | st.text(max_size=5), max_size=40)


@given(PIECES, st.sampled_from(["", " "]))
def test_any_page_is_read(pieces: list[str], between: str) -> None:
    page = between.join(pieces)
    found: list[Any] = [read_page(page, PAGE), script(page), read_page(f"<script>{page}</script>", PAGE)]
    for leads in found:
        assert all(url.startswith(("http://", "https://")) for url in leads.found)
