# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_operation and reseller_operation_info: what is sent, once, and what is read."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from playbooks.files.simulator.operations import FIRST_KEY, INVOICES, KEYS, SERVER
from tests.conftest import SimulatorFactory
from tests.support.lives import Life
from tests.support.pasting import arguments_of
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, IN_FILE, OF_SIMULATOR, Bench, Ran

pytestmark = OF_SIMULATOR

LABEL = f"/api/reseller/contracts/{SERVER}/label"
KEY = f"{KEYS}/{FIRST_KEY}"
PUT: dict[str, Any] = {"method": "PUT", "path": LABEL, "body": {"label": "second"}}
ADD: dict[str, Any] = {"method": "POST", "path": KEYS, "body": {"label": "deploy", "public_key": "ssh-ed25519 AAAA"}}
DROP: dict[str, Any] = {"method": "DELETE", "path": KEY}
RESET: dict[str, Any] = {"method": "POST", "path": f"/api/reseller/servers/{SERVER}/reset", "repeatable": True}


@dataclass(frozen=True)
class Calls(Bench):
    """A service that has other operations than orders."""

    def change(self, *, check: bool = False, **options: Any) -> Ran:
        return self.run("reseller_operation", check, **options)

    def read(self, *, check: bool = False, **options: Any) -> Ran:
        return self.run("reseller_operation_info", check, **options)

    def answer(self, method: str, on: str, status: int, body: Any, times: int = 1) -> None:
        self.service.arm("answer", method=method, on=on, status=status, body=body, times=times)

    def cut(self, method: str, on: str, *, process: bool) -> None:
        """Have no answer arrive to the next one, whether it is processed or not."""
        self.service.arm("drop_after", method=method, on=on, process=process)

    def sent(self) -> list[str]:
        """The requests since the last look, without those of the OpenAPI document."""
        found = [f"{each.method} {each.target}" for each in self.service.requests() if "/reseller" in each.path]
        self.service.received.clear()
        return found


@pytest.fixture
def bench(start_simulator: SimulatorFactory, tmp_path: Path, life: Life) -> Calls:
    return Calls(start_simulator("laravel"), tmp_path, life)


# Refused before anything is sent


@pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH"])
def test_path_that_ends_in_an_empty_value_is_refused(bench: Calls, method: str) -> None:
    call = {"method": method, "path": f"{KEYS}/", **({} if method == "DELETE" else {"body": {"label": "x"}})}
    for check in (True, False):
        refused = bench.change(check=check, **call)
        assert f"The path of {method} {KEYS}/ ends in a slash" in refused.msg
    assert all(each.startswith("GET /api/docs") for each in bench.sent())
    assert "is not the plain path" in bench.change(**{**call, "path": f"{KEYS}/ "}).msg
    bench.change(**call, force=True)
    assert bench.sent()[0] == f"{method} {KEYS}/"


def test_nearest_operations_are_those_of_the_same_form(bench: Calls) -> None:
    missing = bench.change(method="DELETE", path=f"/api/reseller/ssh-key/{FIRST_KEY}")
    assert f"Nearest operations in the OpenAPI document: DELETE {KEYS}/" in missing.msg


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({**ADD, "name": None}, "POST needs either name or repeatable (given: none)"),
        ({**ADD, "name": "x", "repeatable": True}, "either name or repeatable (given: name, repeatable)"),
        ({**PUT, "name": "x"}, "name has no meaning for PUT"),
        ({**DROP, "repeatable": True}, "repeatable has no meaning for DELETE"),
        ({**ADD, "name": "x", "force": True}, "force has no meaning for POST"),
        ({**ADD, "name": " x"}, "is not a valid name"),
        ({**ADD, "path": "/API/reseller/contracts/", "name": "x"}, "Use hosting.reseller.reseller_contract"),
    ],
)
def test_wrong_task_is_refused(bench: Calls, options: dict[str, Any], said: str) -> None:
    result = bench.change(**options)
    assert said in result.msg
    assert "Nothing was sent" in result.msg or said.startswith("is not a valid name")
    assert bench.service.requests() == []


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
def test_unknown_request_names_the_nearest_operations(bench: Calls, status: int, path: str, near: str | None) -> None:
    for method in ("GET", "PATCH"):
        bench.answer(method, path, status, {"message": "No."})
    for message in (bench.read(path=path).msg, bench.change(method="PATCH", path=path, force=True).msg):
        named = message.partition("Nearest operations in the OpenAPI document: ")[2]
        assert (near or "") in named
        assert bool(named) == (near is not None)


def test_rejection_names_the_element(bench: Calls) -> None:
    bench.answer("POST", KEYS, 422, {"errors": {"label": ["Taken."]}})
    result = bench.change(**ADD, repeatable=True)
    assert (result["violations"][0]["path"], result["changed"]) == ("body.label", False)


# Check mode, PUT and PATCH


def test_check_mode_sends_reads_only_whatever_the_method(bench: Calls) -> None:
    queried = {**PUT, "query": {"part": "a"}}
    for options in (queried, {**PUT, "force": True}, DROP, {**ADD, "name": "once"}, RESET):
        result = bench.change(**options, check=True)
        assert (result["changed"], result["sent"], result["location"]) == (True, False, None), result
    assert bench.sent() == [f"GET {LABEL}?part=a"]
    assert bench.read(path=KEYS, check=True)["status"] == 200
    assert bench.run("reseller_ledger_info")["records"] == []


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_second_put_is_not_sent_though_the_service_adds_elements(bench: Calls, method: str) -> None:
    shown = {"label": "", "changed_by": "api"}
    for each in ("GET", method):
        bench.answer(each, "/api/reseller/x", 200, shown, times=-1)
    options = {"method": method, "path": "/api/reseller/x", "body": {"label": "second", "comment": "x"}}
    first = bench.change(**options)
    assert (first["changed"], first["sent"], first["status"]) == (True, True, 200)
    assert first["diff"] == {"before": "body:\n  label: ''\n", "after": "body:\n  label: second\n  comment: x\n"}
    shown |= {"label": "second", "comment": "x"}
    second = bench.change(**options)
    assert (second["changed"], second["sent"], second["diff"]) == (False, False, {"before": "", "after": ""})
    assert bench.change(**options, check=True)["changed"] is False
    read, sent = "GET /api/reseller/x", f"{method} /api/reseller/x"
    assert bench.sent() == [read, sent, read, read]
    assert bench.change(**options, force=True)["sent"]
    assert bench.sent() == [sent]


@pytest.mark.parametrize(("status", "body"), [(405, {}), (404, {}), (500, {}), (200, "<html>"), (204, "")])
def test_put_is_sent_where_no_read_shows_anything(bench: Calls, status: int, body: Any) -> None:
    bench.answer("GET", LABEL, status, body, times=-1)
    for check in (True, False):
        result = bench.change(**PUT, check=check)
        assert (result["changed"], result["sent"]) == (True, not check)


@pytest.mark.parametrize("named", ["application/merge-patch+json", "application/vnd.api+json"])
def test_media_type_that_the_service_names_is_used(bench: Calls, named: str) -> None:
    bench.answer("PATCH", LABEL, 415, {"detail": f"Use {named}."})
    bench.answer("PATCH", LABEL, 200, {})
    assert bench.change(**{**PUT, "method": "PATCH"})["changed"]
    types = [each.headers["Content-Type"] for each in bench.service.requests("PATCH")]
    assert types == ["application/json", named]


def test_other_media_types_than_json_are_not_sent(bench: Calls) -> None:
    upload = {"method": "POST", "path": f"/api/reseller/contracts/{SERVER}/documents", "repeatable": True}
    assert "use ansible.builtin.uri" in bench.change(**upload, body={"file": "id.pdf"}).msg
    assert bench.sent() == [f"POST {upload['path']}"]


def test_lost_answer_to_a_put_is_read_back(bench: Calls) -> None:
    bench.cut("PUT", LABEL, process=False)
    failed = bench.change(**PUT)
    assert f"It is unknown whether PUT {LABEL} was done" in failed.msg
    assert bench.sent() == [f"GET {LABEL}", f"PUT {LABEL}", f"GET {LABEL}"]
    bench.cut("PUT", LABEL, process=True)
    result = bench.change(**PUT)
    assert (result["changed"], result["sent"], result["status"]) == (True, True, None)
    assert "A read shows that it is done" in result.warnings[0]
    # With force, what was there before proves nothing.
    bench.cut("PUT", LABEL, process=False)
    assert bench.change(**PUT, force=True).failed


# A success that says that it is none


@pytest.mark.parametrize("options", [DROP, {**PUT, "force": True}, {**PUT, "method": "PATCH", "force": True}, RESET])
def test_success_that_says_that_it_is_none_is_unknown_to_be_done(bench: Calls, options: dict[str, Any]) -> None:
    """A playbook would remove the record of a contract that was not cancelled."""
    bench.answer(options["method"], options["path"], 200, {"success": False, "message": "It has a minimum term."})
    failed = bench.change(**options)
    assert failed.failed
    assert f"It is unknown whether {options['method']} {options['path']} was done" in failed.msg


def test_message_alone_is_no_failure_of_a_request(bench: Calls) -> None:
    bench.answer("DELETE", KEY, 200, {"message": "The key was deleted."})
    assert bench.change(**DROP)["changed"]


# DELETE


def test_lost_answer_to_a_delete_says_to_read(bench: Calls) -> None:
    bench.cut("DELETE", KEY, process=True)
    message = bench.change(**DROP).msg
    assert "It is unknown whether" in message
    assert "Read whether the thing is still there (reseller_operation_info)" in message
    assert bench.sent() == [f"DELETE {KEY}"]


@pytest.mark.parametrize("status", [404, 410])
def test_delete_of_what_is_gone_fails_unless_that_is_accepted(bench: Calls, status: int) -> None:
    assert bench.change(**DROP)["changed"]
    bench.answer("DELETE", KEY, status, {}, times=-1)
    failed = bench.change(**DROP)
    assert (failed.failed, failed["changed"]) == (True, False)
    assert "Organization 4200 has no such thing" in failed.msg
    accepted = bench.change(**DROP, status_code=["2xx", str(status)])
    assert (accepted["changed"], accepted["sent"], accepted["status"]) == (False, True, status)
    (warning,) = accepted.warnings
    assert "Organization 4200 has no such thing" in warning
    # It is sent once each time, and 204 is no success unless it is listed.
    assert [each for each in bench.sent() if each.startswith("DELETE")] == [f"DELETE {KEY}"] * 3


# POST

THERE = {"message": "There"}


@IN_FILE
def test_post_cut_after_its_body_is_sent_once_and_can_be_settled(bench: Calls) -> None:
    bench.cut("POST", KEYS, process=False)
    for _run in range(2):
        result = bench.change(**ADD, name="deploy key")
        (line,) = (each for each in result.msg.splitlines() if each.startswith("ansible localhost -m "))
        assert "- name: Settle the operation\n" in result["settle_with"]
        assert f"POST {KEYS} at {bench.service.base_url}, organization 4200" in result.msg
        assert result["record"]["status"] == "in_doubt"
    assert bench.sent() == [f"POST {KEYS}"]
    listed = bench.run("reseller_ledger_info")
    assert [(each["kind"], each["name"]) for each in listed["records"]] == [("operation", "deploy key")]
    assert bench.change(**ADD, name="deploy key", check=True).failed

    def settled(state: str, **others: Any) -> Ran:
        return bench.run("reseller_record", **{"name": "deploy key", "state": state, **others})

    assert "contract_id has no meaning for an operation" in settled("present", contract_id="unknown").msg
    *_words, module, _a, offered = shlex.split(line)
    done = bench.run(module.removeprefix("hosting.reseller."), **arguments_of(offered))
    assert done["record"]["status"] == "done"
    assert not settled("present")["changed"]
    third = bench.change(**ADD, name="deploy key")
    assert (third["changed"], third["sent"], third["record"]["status"]) == (False, False, "done")
    assert not settled("absent", name="deploy")["changed"]
    assert settled("absent")["changed"]
    assert bench.change(**ADD, name="deploy key")["sent"]


@pytest.mark.parametrize(
    ("status", "body", "accepted", "recorded", "failed"),
    [
        (201, THERE, ["2xx"], "done", False),
        (204, THERE, ["201"], "done", True),
        (422, THERE, ["2xx"], "rejected", True),
        (409, THERE, ["2xx", "409"], "rejected", False),
        (500, THERE, ["2xx"], "in_doubt", True),
        (500, THERE, ["2xx", "500"], "in_doubt", True),
        # A page, and a contradiction.
        (200, "<html>Log in</html>", ["2xx"], "in_doubt", True),
        *((status, {"success": False}, ["2xx"], "in_doubt", True) for status in (200, 201, 202)),
    ],
)
def test_only_a_2xx_records_a_named_post_as_done(
    bench: Calls, status: int, body: Any, accepted: list[str], recorded: str, failed: bool
) -> None:
    bench.answer("POST", RESET["path"], status, body, times=-1)
    named = {**RESET, "repeatable": False, "name": "one", "status_code": accepted}
    runs = [bench.change(**named) for _run in range(2)]
    assert bench.sent() == [f"POST {RESET['path']}"] * (2 if recorded == "rejected" else 1)
    (listed,) = bench.run("reseller_ledger_info")["records"]
    assert listed["status"] == recorded
    assert runs[0].failed is failed
    assert runs[1].failed is (failed and recorded != "done")
    assert runs[1]["changed"] is False
    assert runs[0]["changed"] is (recorded == "done")


def test_accepted_status_of_a_repeatable_post_succeeds(bench: Calls) -> None:
    bench.answer("POST", RESET["path"], 303, {"message": "See"}, times=-1)
    assert bench.change(**RESET).failed
    result = bench.change(**RESET, status_code=["303"])
    assert (result["changed"], result["status"], result["body"]) == (True, 303, {"message": "See"})


@FOR_OWN
def test_named_operation_that_is_another_one_is_refused(bench: Calls) -> None:
    assert bench.change(**ADD, name="deploy key")["sent"]
    bench.sent()
    for options, said in (
        ({**ADD, "body": {**ADD["body"], "label": "other"}}, "kept as a digest only"),
        ({**ADD, "query": {"x": 1}}, "kept as a digest only"),
        ({**RESET, "repeatable": False}, f"operation: recorded 'POST {KEYS}'"),
        ({**ADD, "organization_id": "4201"}, "organization_id: recorded '4200', requested '4201'"),
        ({**ADD, "name": "Deploy Key"}, "The two names look alike"),
    ):
        assert said in bench.change(**{"name": "deploy key", **options}).msg
    # Secrets are in no form in the ledger, so another one is the same operation.
    secret = {**ADD, "name": "secret"}
    assert bench.change(**{**secret, "body": {"password": "one-secret-1"}})["sent"]
    assert not bench.change(**{**secret, "body": {"password": "two-secret-2"}})["sent"]
    assert bench.sent() == [f"POST {KEYS}"]


def test_name_of_an_order_is_none_of_an_operation_and_the_reverse(bench: Calls) -> None:
    assert bench.order("web01.example.org")["changed"]
    assert bench.change(**ADD, name="deploy key")["sent"]
    bench.sent()
    refused = bench.change(**ADD, name="web01.example.org")
    assert "web01.example.org is recorded as an order, not as an operation." in refused.msg
    refused = bench.order("web02.example.org", name="deploy key")
    assert "deploy key is recorded as an operation, not as an order. This order was not sent." in refused.msg
    assert not [each for each in bench.sent() if each.startswith("POST")]


# Reading


def test_all_pages_are_read(bench: Calls) -> None:
    result = bench.read(path=INVOICES, all_pages=True)
    assert [record["id"] for record in result["records"]] == [f"4200-{number:05d}" for number in range(1, 28)]
    assert (result["complete"], result.warnings, len(bench.sent())) == (True, [], 5)
    one = bench.read(path=INVOICES)
    assert (one["records"], one["complete"], len(bench.sent())) == (None, None, 1)
    bench.answer("GET", INVOICES, 200, {"data": [{"id": 1}], "meta": {"total": 37}}, times=-1)
    some = bench.read(path=INVOICES, all_pages=True)
    assert (some["complete"], f"Not all records of GET {INVOICES} were read" in some.warnings[0]) == (False, True)
    # Only the OpenAPI document tells that there may be more than one.
    bench.service.reset()
    bench.answer("GET", INVOICES, 200, [{"id": 1}], times=-1)
    bench.read(path=INVOICES, all_pages=True)
    assert f"GET {INVOICES}?page=2" in bench.sent()


def test_reads_that_show_nothing(bench: Calls) -> None:
    for options, said in (
        ({"path": KEY, "all_pages": True}, "is not a list"),
        ({"path": KEYS, "method": "HEAD", "all_pages": True}, "have no meaning for HEAD"),
        ({"path": f"{KEYS}/9"}, "404"),
    ):
        assert said in bench.read(**options).msg
    for all_pages in (False, True):
        result = bench.read(path=f"{KEYS}/9", status_code=["2xx", "404"], all_pages=all_pages)
        assert (result["status"], result["records"]) == (404, None)
    bench.sent()
    bench.answer("HEAD", KEYS, 200, "")
    assert (bench.read(path=KEYS, method="HEAD")["status"], bench.sent()) == (200, [f"HEAD {KEYS}"])


# Secrets


@pytest.mark.parametrize("status", [422, 500])
def test_secret_that_an_answer_repeats_is_masked(bench: Calls, status: int) -> None:
    bench.answer("POST", KEYS, status, {"message": "bad hush-hush-One1"})
    options = {**ADD, "body": {**ADD["body"], "label": "hush-hush-One1"}}
    result = bench.change(**options, name="k", secrets=["label"])
    assert "bad " in result.msg
    assert "hush" not in str(result)


def test_secret_that_is_a_plain_word_is_masked_by_its_name_alone(bench: Calls) -> None:
    bench.answer("POST", KEYS, 201, {"host": "web01", "password": "web"})
    shown = bench.change(**{**ADD, "body": {"password": "web"}}, name="k")["body"]
    assert (shown["host"], "web" in shown["password"]) == ("web01", False)


def test_secret_that_a_read_shows_is_masked_in_the_diff(bench: Calls) -> None:
    bench.answer("GET", "/api/reseller/x", 200, {"note": "old-hush-1"})
    bench.answer("PUT", "/api/reseller/x", 200, {})
    options = {"method": "PUT", "path": "/api/reseller/x", "body": {"note": "new-hush-2"}, "secrets": ["note"]}
    changed = bench.change(**options)
    assert ("note" in str(changed["diff"]), "hush" in str(changed)) == (True, False)


@pytest.mark.parametrize(
    ("body", "options", "warned"),
    [
        ({"api_token": "told-once-5577"}, {}, True),
        ({"word": "told-once-5577"}, {"secrets": ["word"]}, True),
        ({"word": "told-once-5577"}, {}, False),
        ({"api_token": "mine-5577"}, {"body": {"api_token": "mine-5577"}}, False),
    ],
)
def test_secret_that_is_not_saved_is_warned_of(bench: Calls, body: Any, options: dict[str, Any], warned: bool) -> None:
    bench.answer("POST", KEYS, 201, body)
    done = bench.change(**{**ADD, **options}, name="k")
    assert done["changed"]
    assert any("save_answer: /a/directory/answer.json" in each for each in done.warnings) is warned


def test_answer_that_is_told_once_is_saved(bench: Calls, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    bench.answer("POST", KEYS, 201, {"api_token": "told-once-5577"})
    options = {**ADD, "name": "k", "save_answer": str(path)}
    assert bench.change(**options, check=True)["changed"]
    assert not path.exists()
    done = bench.change(**options)
    assert (done["changed"], [each for each in done.warnings if "save_answer" in each]) == (True, [])
    assert json.loads(path.read_bytes())["api_token"] == "told-once-5577"
    assert not bench.change(**options)["changed"]
    bench.sent()
    refused = bench.change(**{**options, "name": "k2"}).msg
    assert ("File exists" in refused, "move the file that is there away" in refused) == (True, True)
    assert bench.sent() == []
    assert "File exists" in bench.read(path=KEYS, save_answer=str(path)).msg
    path.unlink()
    assert bench.read(path=KEYS, save_answer=str(path))["body"]
    assert path.stat().st_size
