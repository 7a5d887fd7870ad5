# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Published operations against a small portal that counts requests, in all versions of OpenAPI where it matters."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._product_types import dialect
from tests.support.http_server import Received, Reply, ScriptedServer
from tests.support.portal import KEYS, ORDERS, VERSIONS, Portal, cut
from tests.support.tasks import runner_for

PUT: dict[str, Any] = {"operation": "PUT /api/reseller/keys/{id}", "path_parameters": {"id": 1}}
ADD: dict[str, Any] = {"operation": "addKey", "body": {"label": "deploy"}}
DROP: dict[str, Any] = {"operation": "DELETE /api/reseller/keys/{id}", "path_parameters": {"id": 1}}
DONE = [{"pointer": "/status", "equals": "done"}]
RESET: dict[str, Any] = {"operation": "reset", "path_parameters": {"id": 1}, "repeatable": True}


class Bench:
    """A portal, its server, and what runs tasks against it. ``instead`` may answer a request in the portal's place."""

    def __init__(self, folder: Path) -> None:
        self.portal = Portal()
        self.instead: Callable[[Received], Reply | None] = lambda request: None
        self.server = ScriptedServer(lambda request: self.instead(request) or self.portal(request))
        self.runner = runner_for(self.server.url, str(folder / "ledger" / "ledger.db"))

    def change(self, *, check: bool = False, diff: bool = False, **options: Any) -> dict[str, Any]:
        return self.runner.run("reseller_operation", options, check=check, diff=diff)

    def read(self, *, check: bool = False, **options: Any) -> dict[str, Any]:
        return self.runner.run("reseller_operation_info", options, check=check)

    def sent(self) -> list[str]:
        """The requests since the last look, without those of the reference."""
        requests = [each for each in self.server.requests if each.path.startswith("/api/reseller")]
        found = [f"{each.method} {each.target}" for each in requests]
        self.server.requests.clear()
        return found


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    with bench.server:
        yield bench


# Checked before it is sent


WRONG: list[tuple[dict[str, Any], str]] = [
    ({**PUT, "operation": "PUT /api/reseller/key/{id}"}, "PUT /api/reseller/keys/{id}"),
    ({**PUT, "operation": "PATCH /api/reseller/keys/{id}"}, "PUT /api/reseller/keys/{id}"),
    ({**PUT, "path_parameters": {"ident": 1}}, "no such parameter; it has id"),
    ({**PUT, "path_parameters": {"id": "one"}}, "path_parameters.id: an integer, not a string"),
    ({**PUT, "headers": {"X-Trase": "x"}}, "did you mean X-Trace?"),
    ({**PUT, "headers": {"x-api-key": "x"}}, "the collection sets this header itself"),
    ({**PUT, "headers": {"X-HTTP-Method-Override": "POST"}}, "the collection sets this header itself"),
    ({**PUT, "body": {"label": 12345}}, "body.label: a string, not an integer; quote it (given: 12345)"),
    ({**PUT, "body": {"label": "x", "bits": 0}}, "body.bits: more than 0"),
    ({**PUT, "body": None}, "body: required"),
    ({**DROP, "path_parameters": {"id": ""}}, "not empty"),
    ({**DROP, "path_parameters": {"id": None}}, "breaks 1 rule. It was not sent.\n  - path_parameters.id: required"),
    ({**PUT, "name": "x"}, "name: this means nothing for PUT"),
    ({**DROP, "compare": "exact"}, "compare: this means nothing for DELETE"),
    (ADD, "exactly one of name, unless and repeatable"),
    ({**ADD, "name": "x", "repeatable": True}, "exactly one of name, unless and repeatable"),
    ({**RESET, "operation": "getKey"}, "reseller_operation_info"),
]


@pytest.mark.parametrize("version", VERSIONS)
def test_wrong_request_is_refused_with_the_nearest_name(bench: Bench, version: str) -> None:
    bench.portal.version = version
    for options, told in WRONG:
        result = bench.change(**{"body": {"label": "x"} if "PUT" in options.get("operation", "") else None, **options})
        assert result.get("failed"), options
        assert told in result["msg"], options
        assert bench.sent() == [], options


def test_all_violations_are_told_at_once(bench: Bench) -> None:
    wrong = {**PUT, "query": {"tag": "x"}, "body": {"labl": "x", "bits": "many", "kind": "dsa"}}
    result = bench.change(**wrong)
    paths = [violation["path"] for violation in result["violations"]]
    assert paths == ["query.tag", "body.labl", "body.label", "body.bits", "body.kind"]
    assert {violation["source"] for violation in result["violations"]} == {"published"}
    assert bench.sent() == []


def test_what_is_not_supported_names_uri(bench: Bench) -> None:
    def change(document: dict[str, Any]) -> None:
        deep = {"name": "deep", "in": "query", "style": "deepObject", "schema": {"type": "object"}}
        document["paths"][KEYS]["get"]["parameters"] = [deep]
        document["paths"]["/api/reseller/xml"] = {"post": {"requestBody": {"content": {"text/xml": {}}}}}

    bench.portal.change = change
    xml = {"operation": "POST /api/reseller/xml", "repeatable": True}
    for run, options, told in (
        (bench.read, {"operation": "listKeys", "query": {"deep": {"a": 1}}}, "deep in the style deepObject"),
        (bench.change, {**xml, "body": "<a/>"}, "a body of text/xml"),
    ):
        assert f"{told} is not supported: use ansible.builtin.uri" in run(**options)["msg"]
    assert bench.sent() == []
    # What is not asked for is not in the way.
    assert bench.read(operation="listKeys")["records"]
    assert bench.change(**xml)["failed"]
    assert bench.sent() == [f"GET {KEYS}", "POST /api/reseller/xml"]


def test_documented_order_is_refused(bench: Bench) -> None:
    for operation in ("POST /api/reseller/contracts", "POST /api/reseller/%63ontracts", "order"):
        for run, options in ((bench.change, {"repeatable": True}), (bench.read, {"reads": True})):
            result = run(operation=operation, body={}, **options)
            assert "Use hosting.reseller.reseller_contract" in result["msg"]
    assert bench.sent() == []


def test_parameter_cannot_make_an_order_of_another_path(bench: Bench) -> None:
    def add(document: dict[str, Any]) -> None:
        document["paths"]["/api/reseller/{kind}"] = {
            "post": {"parameters": [{"name": "kind", "in": "path", "required": True, "schema": {"type": "string"}}]}
        }

    bench.portal.change = add
    for kind in ("contracts", "contracts;x"):
        result = bench.change(operation="POST /api/reseller/{kind}", path_parameters={"kind": kind}, repeatable=True)
        assert "Use hosting.reseller.reseller_contract" in result["msg"], kind
    assert bench.sent() == []


def test_kept_reference_is_read_anew_before_it_refuses_anything(bench: Bench) -> None:
    def reads_of_reference() -> int:
        found = [each.path for each in bench.server.requests].count("/api/docs")
        bench.server.requests.clear()
        return found

    def longer(document: dict[str, Any]) -> None:
        document["components"]["schemas"]["Key"]["properties"]["label"]["maxLength"] = 100
        document["paths"]["/api/reseller/pings"] = {"get": {"operationId": "ping"}}

    label, pings = {"label": "x" * 50}, {"operation": "ping", "missing_ok": True}
    assert bench.read(operation="listKeys")["records"]
    assert reads_of_reference() == 1
    assert bench.read(operation="listKeys")["records"]
    assert reads_of_reference() == 0
    assert "at most 40 characters" in bench.change(**PUT, body=label)["msg"]
    assert bench.read(**pings)["failed"]
    assert reads_of_reference() == 2
    bench.portal.change = longer
    assert bench.change(**PUT, body=label)["sent"]
    assert reads_of_reference() == 1
    assert bench.read(**pings)["status"] == 404
    assert reads_of_reference() == 0

    for status, warned in ((404, True), (405, True), (422, True), (403, False)):
        bench.portal.change = lambda document, status=status: document["info"].update(version=f"{status}")
        bench.instead = lambda request, status=status: Reply({}, status) if request.method == "PUT" else None
        assert bench.change(**PUT, body={"label": "other"})["failed"]
        assert reads_of_reference() == int(warned)
        assert ["another reference" in each for each in bench.runner.warnings] == [True] * warned


MERGE_PATCH, JSON_API = "application/merge-patch+json", "application/vnd.api+json"


@pytest.mark.parametrize(
    ("published", "chosen"),
    [
        (["application/json-patch+json", JSON_API, MERGE_PATCH], MERGE_PATCH),
        (["application/json-patch+json", JSON_API], JSON_API),
    ],
)
def test_patch_requires_nothing_and_is_sent_in_the_form_that_is_partial(
    bench: Bench, published: list[str], chosen: str
) -> None:
    def patch(document: dict[str, Any]) -> None:
        item = document["paths"]["/api/reseller/keys/{id}"]
        body = {"content": {each: {"schema": bench.portal.reference("Key")} for each in published}}
        item["patch"] = {**item["put"], "operationId": "patchKey", "requestBody": body}

    bench.portal.change = patch
    options = {"operation": "patchKey", "path_parameters": {"id": 1}}
    assert "did you mean label?" in bench.change(**options, body={"lable": "x"})["msg"]
    bench.portal.faults = [lambda request: Reply({}, 200)]
    assert bench.change(**options, body={"kind": "ed25519"})["changed"]
    assert bench.server.requests[-1].headers["Content-Type"] == chosen


def test_refusal_of_the_service_names_the_element_of_the_body(bench: Bench) -> None:
    bench.portal.faults = [lambda request: Reply({"errors": {"label": ["Taken."]}}, 422)]
    result = bench.change(**ADD, repeatable=True)
    assert [each["path"] for each in result["violations"]] == ["body.label"]
    assert "body.label: Taken." in result["msg"]


# Where it is sent


@pytest.mark.parametrize("version", VERSIONS)
def test_same_task_sends_the_same_bytes_for_every_version(bench: Bench, version: str) -> None:
    bench.portal.version = version
    body = {"label": "ü", "bits": "4096", "note": None, "kind": "rsa", "tags": ["a", "b"]}
    assert bench.change(**PUT, query={"tags": ["x y", "z"]}, headers={"X-Trace": "t-1"}, body=body)["changed"]
    request = bench.server.requests[-1]
    assert request.target == "/api/reseller/keys/1?tags=x%20y&tags=z"
    assert request.headers["X-Trace"] == "t-1"
    assert request.headers["Content-Type"] == "application/json"
    sent = '{"label": "ü", "bits": 4096, "note": null, "kind": "rsa", "tags": ["a", "b"]}'
    assert request.body.decode() == sent


def test_another_host_never_sees_a_byte(bench: Bench) -> None:
    with ScriptedServer(lambda request: Reply({})) as other:

        def elsewhere(document: dict[str, Any]) -> None:
            key = {"$ref": f"{other.url}/schemas/key.json"}
            document["paths"][KEYS]["post"]["requestBody"]["content"]["application/json"]["schema"] = key
            document["paths"][KEYS]["get"]["servers"] = [{"url": other.url}]

        bench.portal.change = elsewhere
        assert f"is published at another host, {other.url}" in bench.read(operation="listKeys")["msg"]
        assert bench.change(**ADD, repeatable=True)["sent"]
        assert bench.sent() == [f"POST {KEYS}"]

        for location in (f"{other.url}/jobs/7", "http://["):
            bench.portal.faults = [lambda request, to=location: Reply({}, 202, {"Location": to})]
            result = bench.change(**RESET, wait_for={"until": DONE})
            assert "its Location is on another host" in result["msg"]
            assert result["changed"]
        bench.portal.faults = [lambda request: Reply(None, 307, {"Location": f"{other.url}{KEYS}"})]
        assert bench.change(**ADD, repeatable=True)["failed"]
        assert other.requests == []


def test_host_of_openapi_2_is_another_host(bench: Bench) -> None:
    def elsewhere(document: dict[str, Any]) -> None:
        del document["paths"][ORDERS]
        document |= {"host": "elsewhere.example", "schemes": ["http"]}

    bench.portal.version, bench.portal.change = "2.0", elsewhere
    assert "is published at another host" in bench.read(operation="listKeys")["msg"]
    assert bench.sent() == []


# Check mode, and what differs


def test_check_mode_sends_reads_only_whatever_the_method(bench: Bench) -> None:
    unless = {"operation": "listKeys", "shows": [{"pointer": "/label", "equals": "none"}]}
    for options in (
        {**PUT, "body": {"label": "other"}},
        DROP,
        {**ADD, "name": "once"},
        {**ADD, "unless": unless},
        {**RESET, "wait_for": {"until": DONE}},
        {"operation": "nowhere", "body": {"label": "x"}, "compare": "none"},
    ):
        result = bench.change(**options, check=True, diff=True)
        assert (result["changed"], result["sent"], result["wait"]) == (True, False, None), result
    assert {request.split()[0] for request in bench.sent()} == {"GET"}
    assert bench.portal.keys == {1: {"id": 1, "label": "first", "kind": "rsa"}}
    assert bench.read(operation="GET /api/reseller/keys", check=True)["records"]


def test_second_put_is_not_sent_though_the_service_adds_elements(bench: Bench) -> None:
    options = {**PUT, "body": {"label": "second", "bits": 4096, "note": None}}
    first = bench.change(**options, diff=True)
    assert first["differences"] == [
        {"path": "body.label", "before": "first", "after": "second"},
        {"path": "body.bits", "before": None, "after": 4096},
    ]
    assert first["diff"] == {"before": "label: first\n", "after": "label: second\nbits: 4096\nnote: null\n"}
    assert bench.sent() == ["GET /api/reseller/keys/1", "PUT /api/reseller/keys/1"]
    second = bench.change(**options, diff=True)
    assert (second["changed"], second["sent"], second["differences"]) == (False, False, [])
    assert second["diff"]["before"] == second["diff"]["after"]
    assert bench.sent() == ["GET /api/reseller/keys/1"]
    assert bench.change(**options, compare="exact")["sent"]


def test_secret_alone_is_sent_only_if_asked(bench: Bench) -> None:
    options = {**PUT, "body": {"label": "first", "passphrase": "hush-hush-1"}}
    assert not bench.change(**options)["sent"]
    assert bench.change(**options, update_secrets=True)["sent"]


def test_put_that_cannot_be_read_needs_compare_none(bench: Bench) -> None:
    options = {"operation": "nowhere", "body": {"label": "x"}}
    result = bench.change(**options)
    assert "compare: none" in result["msg"]
    result = bench.change(
        **options, read_with={"operation": "getKey", "path_parameters": {"id": 1}, "pointer": "/data"}
    )
    assert result["failed"]
    assert bench.sent() == ["GET /api/reseller/keys/1", "PUT /api/reseller/nowhere"]


def test_lost_answer_of_a_put_is_read_back(bench: Bench) -> None:
    options = {**PUT, "body": {"label": "second"}}

    def done_and_cut(request: Received) -> Reply:
        bench.portal.keys[1]["label"] = "second"
        return Reply(cut=True)

    bench.portal.faults = [done_and_cut]
    result = bench.change(**options)
    assert (result["changed"], result["sent"]) == (True, True)
    assert "A read shows that it is done" in bench.runner.warnings[0]
    assert bench.sent() == ["GET /api/reseller/keys/1", "PUT /api/reseller/keys/1", "GET /api/reseller/keys/1"]
    bench.portal.faults = [cut]
    result = bench.change(**{**options, "body": {"label": "third"}})
    assert "It is unknown whether PUT /api/reseller/keys/{id} was done" in result["msg"]
    assert bench.sent().count("PUT /api/reseller/keys/1") == 1


# Once


def test_post_cut_after_its_body_is_sent_once_and_can_be_settled(bench: Bench) -> None:
    bench.portal.faults = [cut]
    first = bench.change(**ADD, name="deploy key")
    second = bench.change(**ADD, name="deploy key")
    assert bench.sent() == [f"POST {KEYS}"]
    for result in (first, second):
        assert result["failed"]
        assert "ansible localhost -m hosting.reseller.reseller_ledger" in result["msg"]
        assert "    kind: operation\n" in result["settle_with"]
        assert result["record"]["status"] == "in_doubt"
    listed = bench.runner.run("reseller_ledger_info", {})
    assert listed["orders"] == []
    assert [each["name"] for each in listed["operations"]] == ["deploy key"]
    assert bench.change(**ADD, name="deploy key", check=True)["failed"]
    settled = {"name": "deploy key", "kind": "operation"}
    assert bench.runner.run("reseller_ledger", {**settled, "state": "done"})["operation"]["status"] == "done"
    third = bench.change(**ADD, name="deploy key")
    assert (third["changed"], third["sent"]) == (False, False)
    assert bench.runner.run("reseller_ledger", {**settled, "state": "absent"})["changed"]
    assert bench.change(**ADD, name="deploy key")["sent"]


def test_operation_is_settled_by_its_name_and_kind(bench: Bench) -> None:
    settled = {"name": "deploy key", "kind": "operation", "state": "done"}
    assert "state: done is for operations" in bench.runner.run("reseller_ledger", {**settled, "kind": "order"})["msg"]
    assert [bench.runner.run("reseller_ledger", settled)["changed"] for _run in range(2)] == [True, False]
    assert not bench.change(**ADD, name="deploy key")["sent"]
    assert not bench.runner.run("reseller_ledger", {**settled, "name": "deploy", "state": "absent"})["changed"]


@pytest.mark.parametrize(("status", "recorded"), [(201, "done"), (422, "rejected"), (500, "in_doubt")])
def test_status_decides_whatever_the_answer_to_an_operation_holds(bench: Bench, status: int, recorded: str) -> None:
    far = "Mon, 01 Jan 2025 99999999999999999999:00:00 GMT"
    deep = {"note": json.dumps(json.dumps({"x": "[" * 900 + "]" * 900}))}
    bench.portal.faults = [lambda request: Reply(deep, status, {"Retry-After": far})] * 2
    runs = [bench.change(**ADD, name="poisoned") for _run in range(2)]
    assert bench.sent().count(f"POST {KEYS}") == (2 if recorded == "rejected" else 1)
    assert [run.get("failed", False) for run in runs] == [recorded != "done"] * 2
    assert (runs[0].get("record") or {"status": "rejected"})["status"] == recorded


@pytest.mark.parametrize("status", [409, 429, 500])
def test_status_that_means_success_here_is_final(bench: Bench, status: int) -> None:
    bench.instead = lambda request: Reply({"message": "There"}, status) if request.method == "POST" else None
    for changed in (True, False):
        result = bench.change(**ADD, name="one", accept_status=[status])
        assert (result["changed"], result["record"]["status"]) == (changed, "done"), result
        assert bench.sent() == (["POST /api/reseller/keys"] if changed else [])


def test_named_operation_that_is_another_one_is_refused(bench: Bench) -> None:
    assert bench.change(**ADD, name="deploy key")["sent"]
    bench.sent()
    for options, told in (
        ({**ADD, "body": {"label": "other"}}, "kept as a digest only"),
        ({**RESET, "repeatable": False}, "operation: recorded 'POST /api/reseller/keys'"),
        ({**ADD, "organization_id": "4201"}, "organization_id: recorded '4200', requested '4201'"),
    ):
        result = bench.change(**{**options, "name": "deploy key"})
        assert told in result["msg"]
    for name in (" deploy key", "deploy\u200bkey", "deploy ke\u0301y"):
        assert "name" in bench.change(**ADD, name=name)["msg"]
    assert "differs in capital letters only" in bench.change(**ADD, name="Deploy Key")["msg"]
    assert bench.sent() == []


def test_named_upload_of_another_file_is_refused(bench: Bench, tmp_path: Path) -> None:
    def upload(document: dict[str, Any]) -> None:
        file = {"required": ["file"], "properties": {"file": {"type": "string", "minLength": 1}}}
        document["paths"][KEYS]["post"]["requestBody"]["content"]["multipart/form-data"] = {"schema": file}

    bench.portal.change = upload
    bench.portal.faults = [lambda request: Reply({}, 201)]
    path = tmp_path / "id.pdf"
    path.write_bytes(b"one")
    options = {"operation": "addKey", "files": {"file": str(path)}, "name": "upload"}
    assert bench.change(**options)["sent"]
    assert b"one" in bench.server.requests[-1].body
    assert not bench.change(**options)["sent"]
    path.write_bytes(b"two")
    assert "kept as a digest only" in bench.change(**options)["msg"]


def test_post_is_skipped_if_a_read_shows_it(bench: Bench) -> None:
    unless = {"operation": "listKeys", "shows": [{"pointer": "/label", "equals": "deploy"}]}
    assert bench.change(**ADD, unless=unless)["changed"]
    again = bench.change(**ADD, unless=unless)
    assert (again["changed"], again["sent"]) == (False, False)
    assert bench.sent() == [f"GET {KEYS}", f"POST {KEYS}", f"GET {KEYS}"]


@pytest.mark.parametrize("enveloped", [True, False])
def test_pointer_that_no_record_has_is_refused(bench: Bench, enveloped: bool) -> None:
    def listed(request: Received) -> Reply | None:
        if enveloped or (request.method, request.path) != ("GET", KEYS):
            return None
        return Reply(list(bench.portal.keys.values()))

    def unless(**condition: Any) -> dict[str, Any]:
        return {**ADD, "unless": {"operation": "listKeys", "shows": [condition]}}

    bench.instead = listed
    told = bench.change(**unless(pointer="/lable", equals="deploy"))["msg"]
    assert "/lable: nothing has such an element; did you mean /label?" in told
    assert "/gone: nothing" in bench.change(**unless(pointer="/gone", exists=False))["msg"]
    read_with = {"operation": "getKey", "pointer": "/date"}
    assert "read_with.pointer" in bench.change(**PUT, body={"label": "x"}, read_with=read_with)["msg"]
    assert {request.split()[0] for request in bench.sent()} == {"GET"}
    bench.portal.keys.clear()
    assert bench.change(**unless(pointer="/lable", equals="deploy"))["changed"]


def test_list_that_is_not_read_whole_does_not_prove_that_nothing_is_there(bench: Bench) -> None:
    bench.portal.last_page = 1
    unless = {"operation": "invoices", "shows": [{"pointer": "/id", "equals": 99}]}
    assert "was not read as a whole" in bench.change(**ADD, unless=unless)["msg"]
    refused = Reply({"data": []}, 403)
    bench.instead = lambda request: refused if request.method == "GET" and request.path.startswith(KEYS) else None
    unless = {"operation": "listKeys", "shows": [{"pointer": "/label", "equals": "deploy"}]}
    assert "403" in bench.change(**ADD, unless=unless)["msg"]
    assert "403" in bench.change(**PUT, body={"label": "x"})["msg"]
    assert {request.split()[0] for request in bench.sent()} == {"GET"}


# DELETE


def test_delete_of_what_is_gone_changes_nothing(bench: Bench) -> None:
    assert bench.change(**DROP)["changed"]
    assert not bench.change(**DROP, check=True)["changed"]
    assert not bench.change(**DROP)["changed"]
    deleted = "DELETE /api/reseller/keys/1"
    catalogue = "GET /api/reseller/products"
    assert bench.sent() == [deleted, "GET /api/reseller/keys/1", catalogue, deleted, catalogue]


def test_delete_answered_404_is_no_question_where_that_means_success(bench: Bench) -> None:
    bench.instead = lambda request: Reply(None, 404) if request.method == "DELETE" else None
    assert bench.change(**DROP, accept_status=[404])["changed"]
    assert bench.sent() == ["DELETE /api/reseller/keys/1"]


def test_delete_answered_404_in_a_foreign_organization_fails(bench: Bench) -> None:
    hidden = Reply({"message": "Not found."}, 404)
    bench.instead = lambda request: hidden if request.path.startswith("/api/reseller") else None
    result = bench.change(**DROP)
    assert "not certain that the thing is gone" in result["msg"]
    assert not result["changed"]


def test_lost_answer_of_a_delete_is_read_back(bench: Bench) -> None:
    def gone_and_cut(request: Received) -> Reply:
        del bench.portal.keys[1]
        return Reply(cut=True)

    bench.portal.faults = [cut, gone_and_cut]
    assert "unknown whether" in bench.change(**DROP)["msg"]
    assert bench.change(**DROP)["changed"]
    assert [request.split()[0] for request in bench.sent()].count("DELETE") == 2


# Reading


def test_all_pages_are_read(bench: Bench) -> None:
    bench.portal.invoices = [{"id": number} for number in range(345)]
    bench.portal.page_size = 100
    result = bench.read(operation="invoices", all_pages=True)
    assert [record["id"] for record in result["records"]] == list(range(345))
    assert (result["complete"], bench.runner.warnings, len(bench.sent())) == (True, [], 4)
    bounded = bench.read(operation="invoices", all_pages=True, max_records=150)
    assert (len(bounded["records"]), bounded["complete"], len(bench.sent())) == (150, False, 2)
    assert "Not all records of GET /api/reseller/invoices were read" in bench.runner.warnings[0]
    assert bench.read(operation="invoices")["complete"] is False
    assert "was read without all_pages" in bench.runner.warnings[0]


@pytest.mark.parametrize(
    ("first", "second", "complete"),
    [
        (list(range(30)), [], True),
        # The reference lists no parameter for pages, so what it does is no evidence.
        (list(range(30)), {"hello": 1}, True),
        (list(range(30)), list(range(30)), True),
        (list(range(20)), list(range(20, 30)), True),
        ({"items": list(range(30)), "truncated": True}, [], True),
        ({"items": list(range(30)), "truncated": True}, list(range(30)), False),
    ],
    ids=["the end", "not understood", "the same again", "a second page", "doubtful", "doubtful, the same again"],
)
def test_list_is_complete_only_if_it_is_known_to_be(bench: Bench, first: Any, second: Any, complete: bool) -> None:
    def listed(request: Received) -> Reply | None:
        page = {"1": first, "2": second}.get(request.query.get("page", "1"), [])
        return Reply(page) if request.path == KEYS else None

    bench.instead = listed
    result = bench.read(operation="listKeys", all_pages=True)
    assert (len(result["records"]), result["complete"]) == (30, complete)
    assert bool(bench.runner.warnings) is not complete


def test_missing_is_a_result_only_if_asked(bench: Bench) -> None:
    options = {"operation": "getKey", "path_parameters": {"id": 9}}
    assert bench.read(**options)["failed"]
    assert bench.read(**options, missing_ok=True)["status"] == 404


def test_post_that_only_reads_needs_to_be_called_one(bench: Bench) -> None:
    options = {"operation": "search", "body": {"q": "web"}}
    assert "reads: true" in bench.read(**options)["msg"]
    assert bench.sent() == []
    assert bench.read(**options, reads=True, check=True)["body"] == {"found": ["web"]}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"operation": "putKey"}, "reseller_operation"),
        ({"operation": "listKeys", "max_records": 5}, "all_pages"),
        ({"operation": "search", "reads": True, "all_pages": True}, "reads is for one POST"),
        ({"operation": "getKey", "path_parameters": {"id": 1}, "all_pages": True}, "is not a list"),
    ],
)
def test_option_that_means_nothing_is_refused(bench: Bench, options: dict[str, Any], told: str) -> None:
    assert told in bench.read(**options)["msg"]


# Waiting


def test_wait_follows_the_location_and_ends_when_met(bench: Bench) -> None:
    result = bench.change(**RESET, wait_for={"until": DONE, "interval": 0.01})
    assert (result["wait"]["met"], result["wait"]["reads"], result["wait"]["body"]) == (True, 3, {"status": "done"})
    assert bench.sent() == ["POST /api/reseller/servers/1/reset"] + ["GET /api/reseller/jobs/7"] * 3


def test_wait_takes_an_id_from_the_answer(bench: Bench) -> None:
    wait = {"operation": "job", "path_parameters": {"id": {"pointer": "/job"}}, "until": DONE, "interval": 0.01}
    assert bench.change(**RESET, wait_for=wait)["wait"]["met"]
    bench.sent()
    wait["path_parameters"] = {"id": {"pointer": "/nothing"}}
    assert "shows nothing at /nothing" in bench.change(**RESET, wait_for=wait)["msg"]


def test_wait_that_is_over_says_what_was_seen(bench: Bench) -> None:
    soon = {"interval": 0.01, "timeout": 0.03}
    for condition, seen in (
        ({"pointer": "/status", "equals": "gone"}, '/status is "done"'),
        ({"pointer": "/statsu", "exists": True}, "/statsu is not shown"),
    ):
        result = bench.change(**RESET, wait_for={"until": [condition], **soon})
        assert (result["failed"], result["changed"]) == (True, True)
        assert "is not ready after 0.03 s" in result["msg"]
        result = bench.read(operation="job", path_parameters={"id": 7}, wait_for={"until": [condition], **soon})
        assert seen in result["msg"]


def test_next_run_after_a_failed_wait_says_what_stands(bench: Bench) -> None:
    bench.portal.job = ["failed"]
    options = {**RESET, "repeatable": False, "name": "reset"}
    wait = {"until": DONE, "fail_on": [{"pointer": "/status", "equals": "failed"}], "interval": 0.01}
    assert bench.change(**options, wait_for=wait)["failed"]
    again = bench.change(**options, wait_for=wait)
    assert (again["changed"], again["wait"]) == (False, None)
    assert "was done earlier" in bench.runner.warnings[0]
    assert "use another name" in bench.runner.warnings[0]


# Secrets


def test_secrets_are_in_no_result_ledger_or_file(bench: Bench, tmp_path: Path) -> None:
    secrets = ["hush-hush-One1", "hush-hush-Two2", "hush-hush-Three3", "told-once-5577", "test-key-7f3c9a1e"]
    body = {"label": "x", "passphrase": secrets[0], "unlock": secrets[1], "note": secrets[2]}
    options = {**ADD, "body": body, "secrets": ["note"]}
    results = [bench.change(**options, name="k", check=check, diff=True) for check in (True, False, False)]
    bench.portal.faults = [lambda request: Reply({"message": f"bad {secrets[0]} {secrets[2]}"}, 500)]
    results.append(bench.change(**options, name="in doubt", diff=True))
    results.append(bench.change(**{**PUT, "body": body, "secrets": ["note"]}, update_secrets=True, diff=True))
    results.append(bench.read(operation="listKeys", secrets=["note"]))
    results.append(bench.runner.run("reseller_ledger_info", {}))
    results.append(bench.change(**{**PUT, "body": {**body, "bits": secrets[2]}, "secrets": ["note", "bits"]}))
    assert [result.get("failed", False) for result in results] == [False] * 3 + [True] + [False] * 3 + [True]
    shown = json.dumps([results, bench.runner.warnings])
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for secret in secrets:
        assert secret not in shown, secret
        assert secret.encode() not in kept, secret
    assert b"operationkk" in kept


def test_answer_that_is_told_once_is_saved(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    options = {**ADD, "name": "k", "save_answer": str(path)}
    assert bench.change(**options, check=True)["changed"]
    assert not path.exists()
    assert bench.change(**options)["changed"]
    assert json.loads(path.read_bytes())["api_token"] == "told-once-5577"
    assert path.stat().st_mode & 0o777 == 0o600
    assert not bench.change(**options)["changed"]
    assert "it exists" in bench.change(**{**options, "name": "k2"})["msg"]
    again = {**ADD, "save_answer": str(path), "repeatable": True}
    assert "it exists" in bench.change(**again, check=True)["msg"]
    bench.sent()
    assert "it exists" in bench.read(operation="listKeys", save_answer=str(path))["msg"]
    assert bench.sent() == []
    path.unlink()
    assert bench.read(operation="listKeys", save_answer=str(path))["records"]
    assert path.stat().st_size


def test_missing_validator_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect, "JSONSCHEMA_ERROR", ImportError("not there"))
    told = "The Python library jsonschema, needed to check an operation before it is sent, cannot"
    assert told in bench.change(**PUT, body={"label": "x"})["msg"]
    assert bench.sent() == []
