# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests against the simulator's service, in this process, so that they are counted and replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playbooks.files.simulator import data
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from playbooks.files.simulator.operations import FIRST_KEY, INVOICES, KEYS, SERVER
from playbooks.files.simulator.service import Service
from playbooks.files.simulator.shapes import shape_of
from tests.support.tasks import runner_for

LABEL = f"/api/reseller/contracts/{SERVER}/label"
KEY = f"{KEYS}/{FIRST_KEY}"
PUT: dict[str, Any] = {"method": "PUT", "path": LABEL, "body": {"label": "second"}}
ADD: dict[str, Any] = {"method": "POST", "path": KEYS, "body": {"label": "deploy", "public_key": "ssh-ed25519 AAAA"}}
DROP: dict[str, Any] = {"method": "DELETE", "path": KEY}
RESET: dict[str, Any] = {"method": "POST", "path": f"/api/reseller/servers/{SERVER}/reset", "repeatable": True}

CUT, LOST = Reply(cut=True), Reply(cut=True)


class Bench:
    """The service, its server, and what runs tasks against it.

    ``instead`` may answer a request in the service's place. Each of ``faults`` does so once, for the next request that
    is no read: ``LOST`` after the service did what it was sent.
    """

    def __init__(self, folder: Path) -> None:
        self.service = Service(shape_of("laravel"))
        self.instead: Callable[[Received], Reply | None] = lambda request: None
        self.faults: list[Reply] = []
        self.server = ScriptedServer(self.answer)
        self.runner = runner_for(self.server.url, str(folder / "ledger" / "ledger.db"), api_key=data.API_KEY)

    def answer(self, request: Received) -> Reply:
        fault = self.faults.pop(0) if self.faults and request.method != "GET" else self.instead(request)
        if fault is not None and fault is not LOST:
            return fault
        answer = self.service.answer(request)
        return fault or answer

    def change(self, *, check: bool = False, diff: bool = False, **options: Any) -> dict[str, Any]:
        return self.runner.run("reseller_operation", options, check=check, diff=diff)

    def read(self, *, check: bool = False, **options: Any) -> dict[str, Any]:
        return self.runner.run("reseller_operation_info", options, check=check)

    def sent(self) -> list[str]:
        """The requests since the last look, without those of the OpenAPI document."""
        requests = [each for each in self.server.requests if each.path.startswith("/api/reseller")]
        found = [f"{each.method} {each.target}" for each in requests]
        self.server.requests.clear()
        return found


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    with bench.server:
        yield bench


# Refused before anything is sent


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({**ADD, "name": None}, "either name or repeatable (given: none)"),
        ({**ADD, "name": "x", "repeatable": True}, "either name or repeatable (given: name, repeatable)"),
        ({**PUT, "name": "x"}, "name has no meaning for PUT"),
        ({**DROP, "repeatable": True}, "repeatable has no meaning for DELETE"),
        ({**DROP, "force": True}, "force has no meaning for DELETE"),
        ({**ADD, "name": "x", "force": True}, "force has no meaning for POST"),
        ({**ADD, "name": " x"}, "is not a valid name"),
        ({**PUT, "path": "/api/reseller/contracts/{id}/label"}, "is not the plain path"),
        ({**PUT, "status_code": ["4xx"]}, "is not a status"),
        ({**ADD, "path": "/API/reseller/contracts/", "name": "x"}, "Use hosting.reseller.reseller_contract"),
    ],
)
def test_wrong_task_is_refused(bench: Bench, options: dict[str, Any], said: str) -> None:
    result = bench.change(**options)
    assert said in result["msg"]
    assert "Nothing was sent" in result["msg"] or said.startswith("is not a valid name")
    assert bench.server.requests == []


def test_another_origin_never_gets_the_key(bench: Bench) -> None:
    with ScriptedServer(lambda request: Reply({})) as other:
        assert "is not the plain path" in bench.read(path=f"{other.url}/api/x")["msg"]
        bench.faults = [Reply(None, 307, {"Location": f"{other.url}{KEYS}"})]
        assert bench.change(**ADD, repeatable=True)["failed"]
        assert other.requests == []


# What the service does not know


@pytest.mark.parametrize(
    ("status", "path", "near"),
    [
        (404, "/api/reseller/ssh-kees", f"GET {KEYS}"),
        (405, LABEL, "GET /api/reseller/contracts/{id}/label"),
        (501, KEYS, f"GET {KEYS}"),
        (403, KEYS, None),
        (422, KEYS, None),
    ],
)
def test_unknown_request_names_the_nearest_operations(bench: Bench, status: int, path: str, near: str | None) -> None:
    bench.instead = lambda request: Reply({"message": "No."}, status) if request.path == path else None
    for message in (bench.read(path=path)["msg"], bench.change(method="PATCH", path=path, force=True)["msg"]):
        named = message.partition("Nearest operations in the OpenAPI document: ")[2]
        assert (near or "") in named
        assert bool(named) == (near is not None)


def test_rejection_names_the_element(bench: Bench) -> None:
    bench.faults = [Reply({"errors": {"label": ["Taken."]}}, 422)]
    result = bench.change(**ADD, repeatable=True)
    assert (result["violations"][0]["path"], result["changed"]) == ("body.label", False)


# Check mode, PUT and PATCH


def test_check_mode_sends_reads_only_whatever_the_method(bench: Bench) -> None:
    queried = {**PUT, "query": {"part": "a"}}
    for options in (queried, {**PUT, "force": True}, DROP, {**ADD, "name": "once"}, RESET):
        result = bench.change(**options, check=True, diff=True)
        assert (result["changed"], result["sent"], result["location"]) == (True, False, None), result
    assert bench.sent() == [f"GET {LABEL}?part=a"]
    assert bench.read(path=KEYS, check=True)["status"] == 200
    assert bench.runner.run("reseller_ledger_info", {})["operations"] == []


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_second_put_is_not_sent_though_the_service_adds_elements(bench: Bench, method: str) -> None:
    shown = {"label": "", "changed_by": "api"}
    bench.instead = lambda request: Reply(shown) if request.method in ("GET", method) else None
    options = {"method": method, "path": "/api/reseller/x", "body": {"label": "second", "comment": "x"}}
    first = bench.change(**options, diff=True)
    assert (first["changed"], first["sent"], first["status"]) == (True, True, 200)
    assert first["diff"] == {"before": "body:\n  label: ''\n", "after": "body:\n  label: second\n  comment: x\n"}
    shown |= {"label": "second", "comment": "x"}
    second = bench.change(**options, diff=True)
    assert (second["changed"], second["sent"], second["diff"]) == (False, False, {"before": "", "after": ""})
    assert bench.change(**options, check=True)["changed"] is False
    read, sent = "GET /api/reseller/x", f"{method} /api/reseller/x"
    assert bench.sent() == [read, sent, read, read]
    assert bench.change(**options, force=True)["sent"]
    assert bench.sent() == [sent]


@pytest.mark.parametrize("reply", [Reply({}, 405), Reply({}, 404), Reply({}, 500), Reply(b"<html>"), Reply(None, 204)])
def test_put_is_sent_where_no_read_shows_anything(bench: Bench, reply: Reply) -> None:
    bench.instead = lambda request: reply if request.method == "GET" and "/label" in request.path else None
    for check in (True, False):
        result = bench.change(**PUT, check=check)
        assert (result["changed"], result["sent"]) == (True, not check)


@pytest.mark.parametrize("named", ["application/merge-patch+json", "application/vnd.api+json"])
def test_media_type_that_the_service_names_is_used(bench: Bench, named: str) -> None:
    def instead(request: Received) -> Reply:
        accepted = request.headers.get("Content-Type", "") == named
        return Reply({}) if request.method == "GET" or accepted else Reply({"detail": f"Use {named}."}, 415)

    bench.instead = instead
    assert bench.change(**{**PUT, "method": "PATCH"})["changed"]
    types = [each.headers["Content-Type"] for each in bench.server.requests if each.method == "PATCH"]
    assert types == ["application/json", named]


def test_other_media_types_than_json_are_not_sent(bench: Bench) -> None:
    upload = {"method": "POST", "path": f"/api/reseller/contracts/{SERVER}/documents", "repeatable": True}
    assert "use ansible.builtin.uri" in bench.change(**upload, body={"file": "id.pdf"})["msg"]
    assert bench.sent() == [f"POST {upload['path']}"]


def test_lost_answer_to_a_put_is_read_back(bench: Bench) -> None:
    bench.faults = [CUT]
    failed = bench.change(**PUT)
    assert f"It is unknown whether PUT {LABEL} was done" in failed["msg"]
    assert bench.sent() == [f"GET {LABEL}", f"PUT {LABEL}", f"GET {LABEL}"]
    bench.faults = [LOST]
    result = bench.change(**PUT)
    assert (result["changed"], result["sent"], result["status"]) == (True, True, None)
    assert "A read shows that it is done" in bench.runner.warnings[0]
    # With force, what was there before proves nothing.
    bench.faults = [CUT]
    assert bench.change(**PUT, force=True)["failed"]


# DELETE


def test_lost_answer_to_a_delete_says_to_read(bench: Bench) -> None:
    bench.faults = [LOST]
    message = bench.change(**DROP)["msg"]
    assert "It is unknown whether" in message
    assert "Read whether the thing is still there (reseller_operation_info)" in message
    assert bench.sent() == [f"DELETE {KEY}"]


@pytest.mark.parametrize("status", [404, 410])
def test_delete_of_what_is_gone_fails_unless_that_is_accepted(bench: Bench, status: int) -> None:
    assert bench.change(**DROP)["changed"]
    bench.instead = lambda request: Reply({}, status) if request.method == "DELETE" else None
    failed = bench.change(**DROP)
    assert (failed["failed"], failed["changed"]) == (True, False)
    assert "Organization 4200 has no such thing" in failed["msg"]
    accepted = bench.change(**DROP, status_code=["2xx", str(status)])
    assert (accepted["changed"], accepted["sent"], accepted["status"]) == (False, True, status)
    (warning,) = bench.runner.warnings
    assert "Organization 4200 has no such thing" in warning
    # It is sent once each time, and 204 is no success unless it is listed.
    assert [each for each in bench.sent() if each.startswith("DELETE")] == [f"DELETE {KEY}"] * 3


# POST


def test_post_cut_after_its_body_is_sent_once_and_can_be_settled(bench: Bench) -> None:
    bench.faults = [CUT]
    for _run in range(2):
        result = bench.change(**ADD, name="deploy key")
        assert "ansible localhost -m hosting.reseller.reseller_record" in result["msg"]
        assert "- name: Settle the operation\n" in result["settle_with"]
        assert f"POST {KEYS} at {bench.server.url}, organization 4200" in result["msg"]
        assert result["record"]["status"] == "in_doubt"
    assert bench.sent() == [f"POST {KEYS}"]
    listed = bench.runner.run("reseller_ledger_info", {})
    assert (listed["orders"], [each["name"] for each in listed["operations"]]) == ([], ["deploy key"])
    assert bench.change(**ADD, name="deploy key", check=True)["failed"]

    def settled(state: str, **others: Any) -> dict[str, Any]:
        options = {"name": "deploy key", "state": state, **others}
        return bench.runner.run("reseller_record", options)

    assert "contract_id has no meaning for an operation" in settled("present", contract_id="unknown")["msg"]
    assert settled("present")["operation"]["status"] == "done"
    assert not settled("present")["changed"]
    third = bench.change(**ADD, name="deploy key")
    assert (third["changed"], third["sent"], third["record"]["status"]) == (False, False, "done")
    assert not settled("absent", name="deploy")["changed"]
    assert settled("absent")["changed"]
    assert bench.change(**ADD, name="deploy key")["sent"]


@pytest.mark.parametrize(
    ("status", "accepted", "recorded", "failed"),
    [
        (201, ["2xx"], "done", False),
        (204, ["201"], "done", True),
        (422, ["2xx"], "rejected", True),
        (409, ["2xx", "409"], "rejected", False),
        (500, ["2xx"], "in_doubt", True),
        (500, ["2xx", "500"], "in_doubt", True),
    ],
)
def test_only_a_2xx_records_a_named_post_as_done(
    bench: Bench, status: int, accepted: list[str], recorded: str, failed: bool
) -> None:
    bench.instead = lambda request: Reply({"message": "There"}, status) if request.method == "POST" else None
    named = {**RESET, "repeatable": False, "name": "one", "status_code": accepted}
    runs = [bench.change(**named) for _run in range(2)]
    assert bench.sent() == [f"POST {RESET['path']}"] * (2 if recorded == "rejected" else 1)
    (listed,) = bench.runner.run("reseller_ledger_info", {})["operations"]
    assert listed["status"] == recorded
    assert runs[0].get("failed", False) is failed
    assert runs[1].get("failed", False) is (failed and recorded != "done")
    assert runs[1]["changed"] is False
    assert runs[0]["changed"] is (recorded == "done")


def test_accepted_status_of_a_repeatable_post_succeeds(bench: Bench) -> None:
    bench.instead = lambda request: Reply({"message": "See"}, 303) if request.method == "POST" else None
    assert bench.change(**RESET)["failed"]
    result = bench.change(**RESET, status_code=["303"])
    assert (result["changed"], result["status"], result["body"]) == (True, 303, {"message": "See"})


def test_page_or_contradiction_leaves_a_named_post_in_doubt(bench: Bench) -> None:
    for number, reply in enumerate((Reply(b"<html>Log in</html>"), Reply({"success": False}))):
        bench.faults = [reply]
        assert bench.change(**ADD, name=f"n{number}")["record"]["status"] == "in_doubt"


def test_named_operation_that_is_another_one_is_refused(bench: Bench) -> None:
    assert bench.change(**ADD, name="deploy key")["sent"]
    bench.sent()
    for options, said in (
        ({**ADD, "body": {**ADD["body"], "label": "other"}}, "kept as a digest only"),
        ({**ADD, "query": {"x": 1}}, "kept as a digest only"),
        ({**RESET, "repeatable": False}, f"operation: recorded 'POST {KEYS}'"),
        ({**ADD, "organization_id": "4201"}, "organization_id: recorded '4200', requested '4201'"),
        ({**ADD, "name": "Deploy Key"}, "The two names look alike"),
    ):
        assert said in bench.change(**{"name": "deploy key", **options})["msg"]
    # Secrets are in no form in the ledger, so another one is the same operation.
    secret = {**ADD, "name": "secret"}
    assert bench.change(**{**secret, "body": {"password": "one-secret-1"}})["sent"]
    assert not bench.change(**{**secret, "body": {"password": "two-secret-2"}})["sent"]
    assert bench.sent() == [f"POST {KEYS}"]


# Reading


def test_all_pages_are_read(bench: Bench) -> None:
    result = bench.read(path=INVOICES, all_pages=True)
    assert [record["id"] for record in result["records"]] == [f"4200-{number:05d}" for number in range(1, 28)]
    assert (result["complete"], bench.runner.warnings, len(bench.sent())) == (True, [], 5)
    one = bench.read(path=INVOICES)
    assert (one["records"], one["complete"], len(bench.sent())) == (None, None, 1)
    bench.instead = lambda request: (
        Reply({"data": [{"id": 1}], "meta": {"total": 37}}) if INVOICES in request.path else None
    )
    assert bench.read(path=INVOICES, all_pages=True)["complete"] is False
    assert f"Not all records of GET {INVOICES} were read" in bench.runner.warnings[0]


def test_reads_that_show_nothing(bench: Bench) -> None:
    for options, said in (
        ({"path": KEY, "all_pages": True}, "is not a list"),
        ({"path": KEYS, "method": "HEAD", "all_pages": True}, "have no meaning for HEAD"),
        ({"path": f"{KEYS}/9"}, "404"),
    ):
        assert said in bench.read(**options)["msg"]
    for all_pages in (False, True):
        result = bench.read(path=f"{KEYS}/9", status_code=["2xx", "404"], all_pages=all_pages)
        assert (result["status"], result["records"]) == (404, None)
    bench.sent()
    bench.instead = lambda request: Reply(b"", 200) if request.method == "HEAD" else None
    assert (bench.read(path=KEYS, method="HEAD")["status"], bench.sent()) == (200, [f"HEAD {KEYS}"])


# Secrets


@pytest.mark.parametrize("status", [422, 500])
def test_secret_that_an_answer_repeats_is_masked(bench: Bench, status: int) -> None:
    bench.faults = [Reply({"message": "bad hush-hush-One1"}, status)]
    options = {**ADD, "body": {**ADD["body"], "label": "hush-hush-One1"}}
    result = bench.change(**options, name="k", secrets=["label"], diff=True)
    assert "bad " in result["msg"]
    assert "hush" not in str(result)


def test_secret_that_a_read_shows_is_masked_in_the_diff(bench: Bench) -> None:
    bench.instead = lambda request: Reply({"note": "old-hush-1"}) if request.method == "GET" else Reply({})
    options = {"method": "PUT", "path": "/api/reseller/x", "body": {"note": "new-hush-2"}, "secrets": ["note"]}
    assert "hush" not in str(bench.change(**options, diff=True))


@pytest.mark.parametrize(
    ("reply", "options", "warned"),
    [
        (Reply({"api_token": "told-once-5577"}, 201), {}, True),
        (Reply({"word": "told-once-5577"}, 201), {"secrets": ["word"]}, True),
        (Reply({"word": "told-once-5577"}, 201), {}, False),
        (Reply({"api_token": "mine-5577"}, 201), {"body": {"api_token": "mine-5577"}}, False),
        (Reply({"api_token": "told-once-5577"}, 201), {"save_answer": "answer.json"}, False),
    ],
)
def test_secret_that_is_not_saved_is_warned_of(
    bench: Bench, tmp_path: Path, reply: Reply, options: dict[str, Any], warned: bool
) -> None:
    bench.faults = [reply]
    if "save_answer" in options:
        options = {**options, "save_answer": str(tmp_path / options["save_answer"])}
    assert bench.change(**{**ADD, **options}, name="k")["changed"]
    assert any("save_answer: ./answer.json" in each for each in bench.runner.warnings) is warned


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
    assert "File exists" in bench.change(**{**options, "name": "k2"})["msg"]
    assert bench.sent() == []
    assert "File exists" in bench.read(path=KEYS, save_answer=str(path))["msg"]
    path.unlink()
    assert bench.read(path=KEYS, save_answer=str(path))["body"]
    assert path.stat().st_size
