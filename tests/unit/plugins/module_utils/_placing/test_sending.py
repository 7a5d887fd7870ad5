# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One request and its repetitions, on real sockets: when it is sent again, in which type, and where its answer goes."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._http import answer_file
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import Order
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer, SocketServer, after_the_request
from tests.unit.plugins.module_utils._placing.conftest import (
    CONTRACT,
    NAME,
    NOBODY,
    Bench,
    accepted,
    answering,
    kept_on_disk,
    order,
)


def later(retry_after: str, status: int = 429) -> Reply:
    return Reply({"message": "Not now"}, status, {"Retry-After": retry_after} if retry_after else {})


@pytest.mark.parametrize(
    ("replies", "status", "requests", "waits"),
    [
        ([later("7", 425), later("7", 425), accepted()], "ordered", 3, [7.0, 7.0]),
        ([later("7"), later("7"), Reply(None, 500)], "in_doubt", 3, [7.0, 7.0]),
        ([later("0")], "rejected", 5, []),
        ([later("25")], "rejected", 3, [25.0, 25.0]),
        ([later("59")], "rejected", 2, [59.0]),
        ([later("60")], "rejected", 1, []),
        ([later("")], "rejected", 5, [1.0, 2.0, 4.0, 8.0]),
    ],
)
def test_what_was_not_processed_is_sent_again_when_the_service_says_and_bounded_in_all(
    replies: list[Reply], status: str, requests: int, waits: list[float], bench: Bench
) -> None:
    """After it the order is released: another run sends it again."""
    with answering(*replies) as server:
        placed = bench.place(server.url)
        assert (placed.record.status, len(server.requests), bench.clocks.slept) == (status, requests, waits)
        assert len({request.body for request in server.requests}) == 1
        assert ("Not now" in (placed.record.outcome.reason or "")) is (status == "rejected")
        bench.place(server.url)
        assert len(server.requests) == requests * (1 + (status == "rejected"))


@pytest.mark.parametrize("clock", ["wall", "since_boot"])
@pytest.mark.parametrize(("look", "connections"), [(2, 0), (3, 1)], ids=["claimed", "connected"])
def test_no_attempt_begins_after_the_time_that_others_rely_on(
    clock: str, look: int, connections: int, bench: Bench
) -> None:
    """The machine is suspended, or its clock is set, between the claim and the request or while it connects.

    The clocks are looked at before the claim, after it, and once the connection stands.
    """
    bench.at_look(look, clock, lambda: bench.clocks.pass_(60.0, clock))
    with answering(Reply({"id": "c-1"}, 201)) as server:
        placed = bench.place(server.url)
        server.wait_until_closed(connections)
    assert (server.connections, server.requests) == (connections, [])
    assert placed.record.status == "not_sent"
    assert "could not be sent within 60 seconds of its claim" in (placed.record.outcome.reason or "")


# Media types


LD_JSON = "application/ld+json"


def types_sent(server: ScriptedServer) -> list[str | None]:
    return [request.headers["Content-Type"] for request in server.requests if request.method == "POST"]


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ({"body": {"detail": f'"application/json" is not supported. Supported are "{LD_JSON}".'}}, True),
        ({"body": b'{"types": ["application\\/ld+json"]}'}, True),
        ({"headers": {"Accept-Post": f"{LD_JSON}; charset=utf-8"}}, True),
        ({"headers": {"Accept-Patch": LD_JSON}}, True),
        ({"headers": {"Accept": f"text/html, {LD_JSON}"}}, True),
        ({"body": {"detail": "no"}, "headers": {"Content-Type": LD_JSON}}, True),
        ({"body": {"detail": "Send application/json."}}, False),
        ({"body": {"type": "application/problem+json"}}, False),
    ],
)
def test_order_is_sent_in_the_other_type_that_415_names(answer: dict[str, Any], named: bool, bench: Bench) -> None:
    def script(request: Received) -> Reply:
        if request.headers["Content-Type"] == LD_JSON:
            return accepted()
        return Reply(answer.get("body"), 415, answer.get("headers", {}))

    with ScriptedServer(script) as server:
        assert bench.place(server.url).record.status == ("ordered" if named else "rejected")
    assert types_sent(server) == ["application/json", LD_JSON][: 1 + named]


@pytest.mark.parametrize(
    ("replies", "status", "types"),
    [
        # Each names one more: a few are tried.
        (
            [Reply({"detail": f"Send application/v{number}+json."}, 415) for number in range(9)],
            "rejected",
            [f"application/{name}" for name in ("json", "v0+json", "v1+json", "v2+json", "v3+json")],
        ),
        # Attempts are counted anew in another type.
        ([Reply({"detail": f"Send {LD_JSON}."}, 415), later("0")], "rejected", ["application/json", *[LD_JSON] * 5]),
        # None is tried after an answer that may be an order.
        (
            [Reply({"detail": f"Send {LD_JSON} or application/hal+json."}, 415), Reply(None, 500), accepted()],
            "in_doubt",
            ["application/json", LD_JSON],
        ),
    ],
)
def test_other_types_are_tried_as_long_as_that_is_safe(
    replies: list[Reply], status: str, types: list[str], bench: Bench
) -> None:
    with answering(*replies) as server:
        assert bench.place(server.url).record.status == status
    assert types_sent(server) == types


# The file for the answer

ANSWER = {"id": CONTRACT, "rootPw": "kT9xToldOnce"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answer.json"


def with_file(path: Path, name: str = NAME) -> Order:
    return replace(order(name), save_answer=str(path))


def test_answer_is_saved_as_it_arrived_and_kept_nowhere_else(path: Path, bench: Bench) -> None:
    modes: list[tuple[int, int]] = []

    def answer(request: Received) -> Reply:
        modes.append((path.stat().st_mode & 0o777, path.stat().st_size))
        if len(modes) == 1:
            return Reply({"message": "Not now, " + "x" * 500}, 429, {"Retry-After": "0"})
        return Reply(ANSWER, 201)

    with ScriptedServer(answer) as server:
        placed = bench.place(server.url, with_file(path))
    # Before the order is sent once more, too, the file is empty.
    assert modes == [(0o600, 0)] * 2
    assert json.loads(path.read_bytes()) == ANSWER
    assert path.stat().st_mode & 0o777 == 0o600
    assert placed.record.status == "ordered"
    assert b"ToldOnce" not in kept_on_disk(path.parent)


@pytest.mark.parametrize("kind", ["a file", "a link to nothing", "no path", "of others"])
def test_nothing_is_sent_without_the_file_for_the_answer(kind: str, path: Path, bench: Bench) -> None:
    elsewhere = path.with_name("elsewhere")
    if kind == "a file":
        path.write_text("precious")
    elif kind == "a link to nothing":
        path.symlink_to(elsewhere)
    elif kind == "of others":
        # As /tmp is.
        (shared := path.with_name("shared")).mkdir()
        shared.chmod(0o1777)
        path = shared / "answer.json"
    else:
        path = path.with_name("a\0b")
    with answering(accepted()) as server:
        with pytest.raises(ConfigurationError, match="save_answer"):
            bench.place(server.url, with_file(path))
        assert server.requests == []
        assert bench.record().status == "not_sent"
        assert bench.place(server.url).record.status == "ordered"
    assert not elsewhere.exists()
    if kind == "a file":
        assert path.read_text() == "precious"


@pytest.mark.parametrize("why", ["No space left on device", "the file was removed meanwhile"])
def test_contract_is_kept_though_its_answer_cannot_be_saved(
    why: str, path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(descriptor: int, content: bytes) -> int:
        if why.startswith("No"):
            raise OSError(errno.ENOSPC, why)
        path.unlink(missing_ok=True)
        return os.write(descriptor, content)

    monkeypatch.setattr(answer_file, "os", SimpleNamespace(**{**vars(os), "write": write}))
    with answering(Reply(ANSWER, 201)) as server:
        placed = bench.place(server.url, with_file(path))
    assert placed.record.status == "ordered"
    assert placed.sent is not None
    assert f"could not be saved to {str(path)!r}: {why}." in (placed.sent.warning or "")


def test_file_for_the_answer_is_removed_if_there_was_none_or_an_empty_one(path: Path, bench: Bench) -> None:
    with (
        answering(Reply(None, 204)) as silent,
        answering(Reply({"message": "No"}, 422)) as refusing,
        SocketServer(after_the_request()) as losing,
        answering(Reply(ANSWER, 500)) as failing,
    ):
        for url, name, status, kept in (
            (silent.url, "web03.example.org", "ordered", False),
            (refusing.url, NAME, "rejected", False),
            (NOBODY, NAME, "not_sent", False),
            (losing.url, NAME, "in_doubt", False),
            (failing.url, "web02.example.org", "in_doubt", True),
        ):
            assert (bench.place(url, with_file(path, name)).record.status, path.exists()) == (status, kept)
