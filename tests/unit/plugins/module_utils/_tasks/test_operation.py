# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Published operations against the simulator's service, in this process, so that requests are counted and replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._product_types import dialect
from tests.simulator import data
from tests.simulator.operations import FIRST_KEY, INVOICES, KEYS, SERVER
from tests.simulator.service import Service
from tests.simulator.shapes import shape_of
from tests.support.http_server import Received, Reply, ScriptedServer
from tests.support.tasks import runner_for

JSON = "application/json"
LABEL = "/api/reseller/contracts/{id}/label"
LABEL_HERE = LABEL.replace("{id}", SERVER)
KEY_HERE = f"{KEYS}/{FIRST_KEY}"
PRODUCTS = "/api/reseller/products"
PUT: dict[str, Any] = {"operation": f"PUT {LABEL}", "path_parameters": {"id": SERVER}}
ADD: dict[str, Any] = {"operation": "add_key", "body": {"label": "deploy", "public_key": "ssh-ed25519 AAAA"}}
DROP: dict[str, Any] = {"operation": f"DELETE {KEYS}/{{id}}", "path_parameters": {"id": FIRST_KEY}}
RESET: dict[str, Any] = {"operation": "restart", "path_parameters": {"id": SERVER}, "repeatable": True}


CUT, LOST = Reply(cut=True), Reply(cut=True)


class Bench:
    """The service, its server, and what runs tasks against it.

    ``edit`` changes its reference, and ``instead`` may answer a request in its place. Each of ``faults`` does so once,
    for the next request that is no read: ``LOST`` after the service did what it was sent.
    """

    def __init__(self, folder: Path) -> None:
        self.service = Service(shape_of("laravel"))
        self.edit: Callable[[dict[str, Any]], None] = lambda document: None
        self.instead: Callable[[Received], Reply | None] = lambda request: None
        self.faults: list[Reply] = []
        self.server = ScriptedServer(self.answer)
        self.runner = runner_for(self.server.url, str(folder / "ledger" / "ledger.db"), api_key=data.API_KEY)

    def answer(self, request: Received) -> Reply:
        if request.path == "/api/docs":
            document = json.loads(self.service.shape.document)  # type: ignore[attr-defined]
            self.edit(document)
            return Reply(document)
        fault = self.faults.pop(0) if self.faults and request.method != "GET" else self.instead(request)
        if fault is not None and fault is not LOST:
            return fault
        answer = self.service.answer(request)
        return fault or answer

    @property
    def keys(self) -> dict[int, dict[str, Any]]:
        return self.service.operations.own_keys(data.ORGANIZATION_ID)

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


def schema_of(document: dict[str, Any], method: str, path: str) -> dict[str, Any]:
    found: dict[str, Any] = document["paths"][path][method]["requestBody"]["content"][JSON]["schema"]
    return found


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    with bench.server:
        yield bench


# Checked before it is sent


def parameters(document: dict[str, Any]) -> None:
    """Two parameters of the operation that renames."""
    tags = {"name": "tags", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}
    document["paths"][LABEL]["put"]["parameters"] = [tags, {"name": "X-Trace", "in": "header"}]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({**PUT, "operation": f"PATCH {LABEL}"}, f"PUT {LABEL}"),
    ({**PUT, "path_parameters": {"ident": 1}}, "no such parameter; it has id"),
    ({**PUT, "headers": {"X-Trase": "x"}}, "did you mean X-Trace?"),
    ({**PUT, "headers": {"x-api-key": "x"}}, "the collection sets this header itself"),
    ({**PUT, "headers": {"X-HTTP-Method-Override": "POST"}}, "the collection sets this header itself"),
    ({**PUT, "body": {"label": 12345}}, "body.label: a string, not an integer; quote it (given: 12345)"),
    ({**PUT, "body": None}, "body: required"),
    ({**DROP, "path_parameters": {"id": ""}}, "not empty"),
    ({**DROP, "path_parameters": {"id": None}}, "breaks 1 rule. It was not sent.\n  - path_parameters.id: required"),
    ({**PUT, "name": "x"}, "name: this means nothing for PUT"),
    ({**DROP, "compare": "exact"}, "compare: this means nothing for DELETE"),
    (ADD, "exactly one of name, unless and repeatable"),
    ({**ADD, "name": "x", "repeatable": True}, "exactly one of name, unless and repeatable"),
    ({**RESET, "operation": "server"}, "reseller_operation_info"),
]


def test_wrong_request_is_refused_with_the_nearest_name(bench: Bench) -> None:
    bench.edit = parameters
    for options, told in WRONG:
        result = bench.change(**{"body": {"label": "x"} if "PUT" in options["operation"] else None, **options})
        assert result.get("failed"), options
        assert told in result["msg"], options
    result = bench.change(**PUT, query={"tag": "x"}, body={"labl": "x", "comment": 5})
    paths = [violation["path"] for violation in result["violations"]]
    assert paths == ["query.tag", "body.labl", "body.label", "body.comment"]
    assert bench.sent() == []
    bench.faults = [Reply({"errors": {"label": ["Taken."]}}, 422)]
    assert "body.label: Taken." in bench.change(**ADD, repeatable=True)["msg"]


def test_what_is_not_supported_names_uri(bench: Bench) -> None:
    def change(document: dict[str, Any]) -> None:
        deep = {"name": "deep", "in": "query", "style": "deepObject", "schema": {"type": "object"}}
        document["paths"][KEYS]["get"]["parameters"] = [deep]
        document["paths"]["/api/reseller/xml"] = {"post": {"requestBody": {"content": {"text/xml": {}}}}}

    bench.edit = change
    xml = {"operation": "POST /api/reseller/xml", "repeatable": True}
    told = "is not supported: use ansible.builtin.uri"
    assert f"deep in the style deepObject {told}" in bench.read(operation="keys", query={"deep": {"a": 1}})["msg"]
    assert f"a body of text/xml {told}" in bench.change(**xml, body="<a/>")["msg"]
    assert bench.sent() == []
    # What is not asked for is not in the way.
    assert bench.read(operation="keys")["records"]
    assert bench.change(**xml)["failed"]
    assert bench.sent() == [f"GET {KEYS}", "POST /api/reseller/xml"]


@pytest.mark.parametrize(
    "options",
    [
        {"operation": "POST /api/reseller/contracts"},
        {"operation": "POST /api/reseller/%63ontracts"},
        {"operation": "POST /api/reseller/{kind}", "path_parameters": {"kind": "contracts"}},
        {"operation": "POST /api/reseller/{kind}", "path_parameters": {"kind": "contracts;x"}},
    ],
)
def test_documented_order_is_refused_however_its_path_is_made(bench: Bench, options: dict[str, Any]) -> None:
    bench.edit = lambda document: document["paths"].update({"/api/reseller/{kind}": {"post": {}}})
    for run, how in ((bench.change, {"repeatable": True}), (bench.read, {"reads": True})):
        assert "Use hosting.reseller.reseller_contract" in run(**options, **how)["msg"]
    assert bench.sent() == []


def test_kept_reference_is_read_anew_before_it_refuses_anything(bench: Bench) -> None:
    def reads_of_reference() -> int:
        found = [each.path for each in bench.server.requests].count("/api/docs")
        bench.server.requests.clear()
        return found

    def longer(document: dict[str, Any]) -> None:
        schema_of(document, "put", LABEL)["properties"]["label"]["maxLength"] = 200
        document["paths"]["/api/reseller/pings"] = {"get": {"operationId": "ping"}}

    label, pings = {"label": "x" * 100}, {"operation": "ping", "missing_ok": True}
    assert [bool(bench.read(operation="keys")["records"]) for _time in range(2)] == [True] * 2
    assert reads_of_reference() == 1
    assert "at most 80 characters" in bench.change(**PUT, body=label)["msg"]
    assert bench.read(**pings)["failed"]
    assert reads_of_reference() == 2
    bench.edit = longer
    assert bench.read(**pings)["status"] == 404
    assert bench.change(**PUT, body=label, check=True)["changed"]
    assert reads_of_reference() == 1


@pytest.mark.parametrize(("status", "warned"), [(404, True), (405, True), (422, True), (403, False)])
def test_rejection_that_another_reference_explains_says_so(bench: Bench, status: int, warned: bool) -> None:
    assert bench.read(operation="keys")["records"]
    bench.edit = lambda document: document["info"].update(version="2")
    bench.faults = [Reply({}, status)]
    assert bench.change(**PUT, body={"label": "other"})["failed"]
    assert ["another reference" in each for each in bench.runner.warnings] == [True] * warned


MERGE_PATCH, JSON_API = "application/merge-patch+json", "application/vnd.api+json"


@pytest.mark.parametrize("others", [[MERGE_PATCH], []])
def test_patch_requires_nothing_and_is_sent_in_the_form_that_is_partial(bench: Bench, others: list[str]) -> None:
    def patch(document: dict[str, Any]) -> None:
        item, schema = document["paths"][LABEL], schema_of(document, "put", LABEL)
        content = {each: {"schema": schema} for each in ("application/json-patch+json", JSON_API, *others)}
        item["patch"] = {**item["put"], "operationId": "patch", "requestBody": {"content": content}}

    bench.edit = patch
    bench.faults = [Reply({}, 200)]
    assert bench.change(operation="patch", path_parameters={"id": SERVER}, body={"comment": "x"})["changed"]
    assert bench.server.requests[-1].headers["Content-Type"] == (MERGE_PATCH if others else JSON_API)


# Where it is sent


def test_another_host_never_sees_a_byte(bench: Bench) -> None:
    with ScriptedServer(lambda request: Reply({})) as other:

        def elsewhere(document: dict[str, Any]) -> None:
            key = {"$ref": f"{other.url}/schemas/key.json"}
            document["paths"][KEYS]["post"]["requestBody"]["content"][JSON]["schema"] = key
            document["paths"][KEYS]["get"]["servers"] = [{"url": other.url}]

        bench.edit = elsewhere
        assert f"is published at another host, {other.url}" in bench.read(operation="keys")["msg"]
        assert bench.change(**ADD, repeatable=True)["sent"]
        bench.faults = [Reply(None, 307, {"Location": f"{other.url}{KEYS}"})]
        assert bench.change(**ADD, repeatable=True)["failed"]
        assert other.requests == []


# Check mode, and what differs


def test_check_mode_sends_reads_only_whatever_the_method(bench: Bench) -> None:
    unless = {"operation": "keys", "shows": [{"pointer": "/label", "equals": "none"}]}
    for options in (
        {**PUT, "body": {"label": "other"}},
        {**PUT, "body": {"label": "other"}, "compare": "none"},
        DROP,
        {**ADD, "name": "once"},
        {**ADD, "unless": unless},
        RESET,
    ):
        result = bench.change(**options, check=True, diff=True)
        assert (result["changed"], result["sent"], result["location"]) == (True, False, None), result
    assert {request.split()[0] for request in bench.sent()} == {"GET"}
    state = bench.service.operations
    assert (list(bench.keys), state.labels, state.tasks) == ([FIRST_KEY], {}, {})
    assert bench.read(operation=f"GET {KEYS}", check=True)["records"]


def test_second_put_is_not_sent_though_the_service_adds_elements(bench: Bench) -> None:
    options = {**PUT, "body": {"label": "second", "comment": "x"}}
    first = bench.change(**options, diff=True)
    assert first["differences"] == [
        {"path": "body.label", "before": "", "after": "second"},
        {"path": "body.comment", "before": None, "after": "x"},
    ]
    assert first["diff"] == {"before": "label: ''\ncomment: null\n", "after": "label: second\ncomment: x\n"}
    second = bench.change(**options, diff=True)
    assert (second["changed"], second["sent"], second["differences"]) == (False, False, [])
    assert second["diff"]["before"] == second["diff"]["after"]
    assert bench.sent() == [f"GET {LABEL_HERE}", f"PUT {LABEL_HERE}", f"GET {LABEL_HERE}"]
    assert bench.change(**options, compare="exact")["sent"]


def test_secret_alone_is_sent_only_if_asked(bench: Bench) -> None:
    secret = {"unlock": {"type": "string", "format": "password"}}
    bench.edit = lambda document: schema_of(document, "put", LABEL)["properties"].update(secret)
    bench.faults = [Reply({})]
    options = {**PUT, "body": {"label": "", "unlock": "hush-hush-1"}}
    assert not bench.change(**options)["sent"]
    assert bench.change(**options, update_secrets=True)["sent"]


def test_put_that_cannot_be_read_needs_compare_none(bench: Bench) -> None:
    bench.edit = lambda document: document["paths"][LABEL].pop("get")
    options = {**PUT, "body": {"label": "x"}}
    assert "compare: none" in bench.change(**options)["msg"]
    assert bench.change(**options, read_with={"operation": "server", "pointer": "/data"})["sent"]
    assert bench.sent() == [f"GET /api/reseller/servers/{SERVER}", f"PUT {LABEL_HERE}"]


@pytest.mark.parametrize(
    ("options", "reading"), [({**PUT, "body": {"label": "second"}}, f"GET {LABEL_HERE}"), (DROP, f"GET {KEY_HERE}")]
)
def test_lost_answer_is_read_back(bench: Bench, options: dict[str, Any], reading: str) -> None:
    bench.faults = [CUT]
    assert f"It is unknown whether {options['operation']} was done" in bench.change(**options)["msg"]
    bench.sent()
    bench.faults = [LOST]
    result = bench.change(**options)
    assert (result["changed"], result["sent"]) == (True, True)
    assert "A read shows that it is done" in bench.runner.warnings[0]
    sent = bench.sent()
    assert (sent.count(reading.replace("GET", options["operation"].split()[0])), reading in sent[1:]) == (1, True)


# Once


def test_post_cut_after_its_body_is_sent_once_and_can_be_settled(bench: Bench) -> None:
    bench.faults = [CUT]
    for _run in range(2):
        result = bench.change(**ADD, name="deploy key")
        assert "ansible localhost -m hosting.reseller.reseller_ledger" in result["msg"]
        assert "    kind: operation\n" in result["settle_with"]
        assert result["record"]["status"] == "in_doubt"
    assert bench.sent() == [f"POST {KEYS}"]
    listed = bench.runner.run("reseller_ledger_info", {})
    assert (listed["orders"], [each["name"] for each in listed["operations"]]) == ([], ["deploy key"])
    assert bench.change(**ADD, name="deploy key", check=True)["failed"]

    def settled(state: str, **others: Any) -> dict[str, Any]:
        options = {"name": "deploy key", "kind": "operation", "state": state, **others}
        return bench.runner.run("reseller_ledger", options)

    assert "state: done is for operations" in settled("done", kind="order")["msg"]
    assert "state: ordered is for orders" in settled("ordered")["msg"]
    assert settled("done")["operation"]["status"] == "done"
    assert not settled("done")["changed"]
    third = bench.change(**ADD, name="deploy key")
    assert (third["changed"], third["sent"]) == (False, False)
    assert not settled("absent", name="deploy")["changed"]
    assert settled("absent")["changed"]
    assert bench.change(**ADD, name="deploy key")["sent"]


@pytest.mark.parametrize(
    ("status", "accepted", "recorded"),
    [(201, [], "done"), (422, [], "rejected"), (500, [], "in_doubt"), *((s, [s], "done") for s in (409, 429, 500))],
)
def test_status_decides_how_an_operation_stands(bench: Bench, status: int, accepted: list[int], recorded: str) -> None:
    bench.instead = lambda request: Reply({"message": "There"}, status) if request.method == "POST" else None
    named = {**RESET, "repeatable": False, "name": "one", "accept_status": accepted}
    runs = [bench.change(**named) for _run in range(2)]
    assert bench.sent() == [f"POST /api/reseller/servers/{SERVER}/reset"] * (2 if recorded == "rejected" else 1)
    assert [run.get("failed", False) for run in runs] == [recorded != "done"] * 2
    assert [run["changed"] for run in runs] == [recorded == "done", False]
    assert (runs[0].get("record") or {"status": "rejected"})["status"] == recorded
    assert (f"{SERVER}/reset, organization 4200.\n" in str(runs[1].get("msg"))) == (recorded == "in_doubt")


def test_named_operation_that_is_another_one_is_refused(bench: Bench) -> None:
    assert bench.change(**ADD, name="deploy key")["sent"]
    bench.sent()
    for options, told in (
        ({**ADD, "body": {**ADD["body"], "label": "other"}}, "kept as a digest only"),
        ({**RESET, "repeatable": False}, f"operation: recorded 'POST {KEYS}'"),
        ({**ADD, "organization_id": "4201"}, "organization_id: recorded '4200', requested '4201'"),
        ({**ADD, "name": "Deploy Key"}, "The two names look alike"),
        ({**ADD, "name": " deploy key"}, "name"),
    ):
        assert told in bench.change(**{"name": "deploy key", **options})["msg"]
    assert bench.sent() == []


def test_named_upload_of_another_file_is_refused(bench: Bench, tmp_path: Path) -> None:
    def upload(document: dict[str, Any]) -> None:
        file = {"required": ["file"], "properties": {"file": {"type": "string", "minLength": 1}}}
        document["paths"][KEYS]["post"]["requestBody"]["content"]["multipart/form-data"] = {"schema": file}

    bench.edit, bench.faults = upload, [Reply({}, 201)]
    path = tmp_path / "id.pdf"
    options = {"operation": "add_key", "files": {"file": str(path)}, "name": "upload"}
    path.write_bytes(b"one")
    assert [bench.change(**options)["sent"] for _run in range(2)] == [True, False]
    path.write_bytes(b"two")
    assert "kept as a digest only" in bench.change(**options)["msg"]


def test_post_is_skipped_if_a_read_shows_it(bench: Bench) -> None:
    unless = {"operation": "keys", "shows": [{"pointer": "/label", "equals": "deploy"}]}
    assert bench.change(**ADD, unless=unless)["changed"]
    again = bench.change(**ADD, unless=unless)
    assert (again["changed"], again["sent"]) == (False, False)
    assert bench.sent() == [f"GET {KEYS}", f"POST {KEYS}", f"GET {KEYS}"]


def test_pointer_that_no_record_has_is_refused(bench: Bench) -> None:
    def unless(**condition: Any) -> dict[str, Any]:
        return {**ADD, "unless": {"operation": "keys", "shows": [condition]}}

    told = bench.change(**unless(pointer="/lable", equals="deploy"))["msg"]
    assert "/lable: nothing has such an element; did you mean /label?" in told
    assert "/gone: nothing" in bench.change(**unless(pointer="/gone", exists=False))["msg"]
    read_with = {"operation": "label", "pointer": "/date"}
    assert "read_with.pointer" in bench.change(**PUT, body={"label": "x"}, read_with=read_with)["msg"]
    # So it is of a list without an envelope, and of one that the path names.
    for listed in ([*bench.keys.values()], {"sshKeys": [*bench.keys.values()], "count": len(bench.keys)}):
        bench.instead = lambda request, listed=listed: Reply(listed) if request.path == KEYS else None  # type: ignore[misc]
        assert "did you mean /label?" in bench.change(**unless(pointer="/lable", equals="deploy"))["msg"]
    bench.instead = lambda request: None
    assert {request.split()[0] for request in bench.sent()} == {"GET"}
    bench.keys.clear()
    assert bench.change(**unless(pointer="/lable", equals="deploy"))["changed"]


def test_list_that_is_not_read_whole_does_not_prove_that_nothing_is_there(bench: Bench) -> None:
    page = Reply({"data": [{"id": 1}], "meta": {"total": 37}})
    bench.instead = lambda request: page if request.path == INVOICES else None
    unless = {"operation": "invoices", "shows": [{"pointer": "/id", "equals": 99}]}
    assert "was not read as a whole" in bench.change(**ADD, unless=unless)["msg"]
    bench.instead = lambda request: Reply({"data": []}, 403) if request.method == "GET" else None
    for options in ({**ADD, "unless": {**unless, "operation": "keys"}}, {**PUT, "body": {"label": "x"}}):
        assert "403" in bench.change(**options)["msg"]
    assert {request.split()[0] for request in bench.sent()} == {"GET"}


# DELETE


def test_delete_of_what_is_gone_changes_nothing(bench: Bench) -> None:
    assert bench.change(**DROP)["changed"]
    assert not bench.change(**DROP, check=True)["changed"]
    assert not bench.change(**DROP, read_with={"operation": "keys"})["changed"]
    deleted, catalogue = f"DELETE {KEY_HERE}", f"GET {PRODUCTS}"
    assert bench.sent() == [deleted, f"GET {KEY_HERE}", catalogue, deleted, f"GET {KEYS}"]
    # That is no question where 404 means success, and not certain where no read succeeds.
    assert bench.change(**DROP, accept_status=[404])["changed"]
    assert bench.sent() == [deleted]
    hidden = Reply({"message": "Not found."}, 404)
    bench.instead = lambda request: hidden if request.path.startswith("/api/reseller") else None
    result = bench.change(**DROP)
    assert ("not certain that the thing is gone" in result["msg"], result["changed"]) == (True, False)


# Reading


def test_all_pages_are_read(bench: Bench) -> None:
    result = bench.read(operation="invoices", all_pages=True)
    assert [record["id"] for record in result["records"]] == [f"4200-{number:05d}" for number in range(1, 38)]
    assert (result["complete"], bench.runner.warnings, len(bench.sent())) == (True, [], 7)
    bounded = bench.read(operation="invoices", all_pages=True, max_records=10)
    assert (len(bounded["records"]), bounded["complete"], len(bench.sent())) == (10, False, 2)
    assert f"Not all records of GET {INVOICES} were read" in bench.runner.warnings[0]
    assert bench.read(operation="invoices")["complete"] is False
    assert "was read without all_pages" in bench.runner.warnings[0]


SEARCH = {"operation": "search", "body": {"text": "off"}}
MISSING = {"operation": "key", "path_parameters": {"id": 9}}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"operation": "rename"}, "reseller_operation"),
        ({"operation": "keys", "max_records": 5}, "all_pages"),
        (SEARCH, "reads: true"),
        ({"operation": "search", "reads": True, "all_pages": True}, "reads is for one POST"),
        ({"operation": "label", "path_parameters": {"id": SERVER}, "all_pages": True}, "is not a list"),
        (MISSING, "404"),
    ],
)
def test_option_that_means_nothing_is_refused(bench: Bench, options: dict[str, Any], told: str) -> None:
    assert told in bench.read(**options)["msg"]


def test_missing_and_post_that_only_reads_are_results_if_asked(bench: Bench) -> None:
    assert bench.read(**MISSING, missing_ok=True)["status"] == 404
    assert bench.read(**SEARCH, reads=True, check=True)["body"]["data"]["found"] == 1


def test_result_has_the_location_to_wait_at(bench: Bench) -> None:
    location = bench.change(**RESET)["location"]
    (task,) = bench.service.operations.tasks
    assert location.endswith(f"/api/reseller/tasks/{task}")
    assert bench.read(operation="task", path_parameters={"id": task})["body"]["data"]["id"] == task


def test_read_that_lacks_a_parameter_is_no_refusal_of_what_was_sent(bench: Bench) -> None:
    required = [{"name": "q", "in": "query", "required": True}]
    bench.edit = lambda document: document["paths"][KEYS]["get"].update(parameters=required)
    assert bench.change(**ADD, repeatable=True)["sent"]


@pytest.mark.parametrize("status", [422, 500])
def test_secret_that_an_answer_repeats_is_masked(bench: Bench, status: int) -> None:
    bench.faults = [Reply({"message": "bad hush-hush-One1"}, status)]
    options = {**ADD, "body": {**ADD["body"], "label": "hush-hush-One1"}}
    result = bench.change(**options, name="k", secrets=["label"], diff=True)
    assert "bad " in result["msg"]
    assert "hush" not in str(result)


# Secrets


def test_answer_that_is_told_once_is_saved(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    bench.faults = [Reply({"api_token": "told-once-5577"}, 201)]
    options = {**ADD, "name": "k", "save_answer": str(path)}
    assert bench.change(**options, check=True)["changed"]
    assert not path.exists()
    assert bench.change(**options)["changed"]
    assert json.loads(path.read_bytes())["api_token"] == "told-once-5577"
    assert not bench.change(**options)["changed"]
    bench.sent()
    for run, wanted in (
        (bench.change, {**options, "name": "k2"}),
        (bench.change, {**ADD, "save_answer": str(path), "repeatable": True, "check": True}),
        (bench.read, {"operation": "keys", "save_answer": str(path)}),
    ):
        assert "it exists" in run(**wanted)["msg"]
    assert bench.sent() == []
    path.unlink()
    assert bench.read(operation="keys", save_answer=str(path))["records"]
    assert path.stat().st_size


def test_missing_validator_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect, "JSONSCHEMA_ERROR", ImportError("not there"))
    told = "The Python library jsonschema, needed to check an operation before it is sent, cannot"
    assert told in bench.change(**PUT, body={"label": "x"})["msg"]
    assert bench.sent() == []
