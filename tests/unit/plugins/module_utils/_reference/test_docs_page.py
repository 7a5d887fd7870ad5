# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What documentation pages and their scripts lead to, and that the worst of them end."""

from __future__ import annotations

import html
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._reference.docs_page import (
    MOST_LEADS,
    embedded_documents,
    leads_in,
)

PAGE = "https://portal.example:8443/base/api/docs/"
HOST = "https://portal.example:8443"
TEXT = '{"openapi": "3.0.0", "paths": {}, "info": {"title": "a </b> & \\"c\\""}}'
DOCUMENT = {"openapi": "3.0.0", "paths": {}, "info": {"title": 'a </b> & "c"'}}
#: The same with other members first.
REVERSED = json.dumps(dict(reversed(DOCUMENT.items())))


@pytest.mark.parametrize(
    "page",
    [
        f'<script id="swagger-data" type="application/json">{{"url": "/x", "spec": {TEXT}}}</script>',
        f'<script>var options = {{"swaggerDoc": {TEXT}, "customOptions": {{}}}}; url = options.swaggerUrl</script>',
        # As oRPC has it for Swagger UI, and for Scalar.
        f'<script>const c = {{"dom_id":"#app","spec":{REVERSED},"presets":[Bundle.presets.apis]}}</script>',
        f"<script>const c = {json.dumps({'content': REVERSED}).replace('/', chr(92) + 'u002F')}</script>",
        f"<elements-api apiDescriptionDocument='{html.escape(TEXT)}'></elements-api>",
        f'<script>x = {{"openapi": "4", y: {{"swagger": "2</script><script>{TEXT}</script>',
    ],
)
def test_embedded_document(page: str) -> None:
    assert [*embedded_documents(f"<!DOCTYPE html><html><body>{page}</body></html>")] == [DOCUMENT]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("ui({url:'',specUrl:'../v3'})", "/base/api/v3"),
        ('ui({url: "\\u002fapi\\u002Dx"})', "/api-x"),
        ("ui({swaggerUrl: window.swaggerUrl || '/api/spec'})", "/api/spec"),
        ("ui({url: resolve('./json').replace('a/json', 'json')})", "/base/api/docs/json"),
        ("ui({validatorUrl: '/a.json', oauth2RedirectUrl: '/b', url: '/c'})", "/c"),
        ("Redoc.init('/x.json', {})", "/x.json"),
        ("load('/x'); ui({\"spec-url\": '//portal.example:8443/y#top'})", "/y"),
        ("<redoc spec-url=/a.yaml></redoc>", "/a.yaml"),
        ('<script id=api-reference data-configuration="{&quot;url&quot;:&quot;/a&quot;}"></script>', "/a"),
        ('<meta http-equiv="Refresh" content="0; URL=/swagger/">', "/swagger/"),
        ('<elements-api apiDescriptionUrl="/x.yaml"></elements-api>', "/x.yaml"),
    ],
)
def test_best_address_in_a_text(text: str, first: str) -> None:
    assert leads_in(text, PAGE)[0].url == HOST + first


@pytest.mark.parametrize(
    "text",
    [
        "ui({url: '', x: compute()})",
        "ui({url: `/${unknown}`})",
        "ui({url: 'http://[x'})",
        "import('/a.js'); load('/b.css', 'text/html', '/swagger.png')",
        '<a href="/openapi.json">Log out</a><link rel=stylesheet href=/b>',
        "load('/openapi.json', 'swagger.json'); ui({validatorUrl: '/a.json', logo: {url: ''}})",
    ],
)
def test_what_is_no_address_is_no_lead(text: str) -> None:
    assert leads_in(text, PAGE) == []


def test_relative_address_is_tried_against_the_page_and_below_it() -> None:
    found = leads_in('url: "openapi.json"', f"{HOST}/api/docs")
    assert [lead.url for lead in found] == [f"{HOST}/api/openapi.json", f"{HOST}/api/docs/openapi.json"]


BUNDLES = ("/swagger-ui-bundle.js", "/redoc.standalone.js")


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
    assert leads_in(page, PAGE) == ([(script, PAGE)] if script else [])
    assert leads_in(f"{page}<script>ui({{url: '/x'}})</script>", PAGE)[0].url == f"{HOST}/x"
    assert leads_in(page, PAGE, is_script=True) == []


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


FRAGMENTS = """
    <script> </script> <!-- --> <base href= <link rel=service-desc href= > " ' ` { } [ ] ( ) : = + , ; || ?? / // /* */
    \\ \\u{ \\ud800 ${ url urls configUrl spec-url "url" window.location.origin src type="application/json" &quot;
    {"openapi":"3.0.0","paths":{}} http://[ //x /a .json .js <![CDATA[ ]]> <? \n
"""
PIECES = st.lists(st.sampled_from(FRAGMENTS.split()) | st.text(max_size=5), max_size=40)


@given(PIECES, st.sampled_from(["", " "]), st.booleans())
def test_any_text_is_read(pieces: list[str], between: str, is_script: bool) -> None:
    text = between.join(pieces)
    for lead in leads_in(text, PAGE, is_script=is_script):
        assert lead.url.startswith(("http://", "https://"))
        lead.url.encode()
    assert all(document["openapi"] for document in embedded_documents(text))
