# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether an order had begun to be sent decides whether it may be sent again: each way to fail, on real sockets."""

from __future__ import annotations

import base64
import contextlib
import datetime
import http.client
import io
import itertools
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests
import trustme
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    LostAnswerError,
    MissingLibraryError,
    ServiceError,
    UnreachableError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._http import connections as observed
from ansible_collections.hosting.reseller.plugins.module_utils._http import transport
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import (
    HttpRequest,
    HttpTransport,
    RawAnswer,
)
from playbooks.files.simulator.http_server import (
    Peer,
    SocketServer,
    after_the_request,
    dripping,
    keep_answering,
    tunnel,
)

GALAXY = yaml.safe_load((Path(__file__).parents[5] / "galaxy.yml").read_text(encoding="utf-8"))
KEY = "s3cret-key"
BODY = b'{"settings": {"password": "hunter2-hunter2"}}'
#: Long enough for an answer on loopback, short enough to wait for one that never comes.
SHORT = 0.3
LONG = 20.0
#: Where nothing listens: the port of a service that nobody runs.
UNHEARD = 9


Serve = Callable[[Callable[[Peer], None]], SocketServer]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def server_tls(authority: trustme.CA, *names: str, **options: Any) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*(names or ("127.0.0.1", "0.0.0.0")), **options).configure_cert(context)
    return context


def elsewhere(server: SocketServer) -> str:
    """The URL of a server under an address that leads to this machine, and is none of loopback."""
    return server.url.replace("127.0.0.1", "0.0.0.0")


@pytest.fixture
def ca_path(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@pytest.fixture(params=["plain", "TLS"])
def serve(
    request: pytest.FixtureRequest, authority: trustme.CA, ca_path: str, monkeypatch: pytest.MonkeyPatch
) -> Serve:
    """Makes servers with and without TLS, whose certificates are trusted."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", ca_path)
    return lambda script: SocketServer(script, server_tls(authority) if request.param == "TLS" else None)


def post(url: str, *, over: HttpTransport | None = None, verify: bool | str = True, timeout: float = LONG) -> RawAnswer:
    """Send an order, with the environment as it is now, or over a transport that is there."""
    with contextlib.nullcontext(over) if over else contextlib.closing(HttpTransport(url, verify)) as transport:
        return transport.send(order_at(url, timeout=timeout))


def order_at(url: str, body: bytes = BODY, timeout: float = LONG) -> HttpRequest:
    headers = {"X-API-Key": KEY, "X-Organization-ID": "4711", "Content-Type": "application/json"}
    return HttpRequest("POST", f"{url}/api/reseller/contracts", headers, body, timeout)


def refusal(url: str, *, advice: str = "", **options: Any) -> str:
    """The message of an order that was not sent."""
    with pytest.raises(UnreachableError) as caught:
        post(url, **options)
    assert advice in caught.value.message
    return said(caught.value)


def loss(url: str, **options: Any) -> str:
    """The message of an order whose answer was lost."""
    with pytest.raises(LostAnswerError) as caught:
        post(url, **options)
    return said(caught.value)


def said(error: ServiceError) -> str:
    message = error.message
    assert KEY not in message
    assert "hunter2" not in message
    assert "object at 0x" not in message
    # What to do is on a line of its own.
    assert message.count("\n") <= 1
    return message


@contextlib.contextmanager
def full_port(host: str = "127.0.0.1", port: int = 0) -> Iterator[int]:
    """A port that answers no more attempts to connect: nobody takes those that wait."""
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind((host, port))
        listening.listen(0)
        address = listening.getsockname()
        for _attempt in range(16):
            waiting = stack.enter_context(socket.socket())
            waiting.settimeout(SHORT)
            try:
                waiting.connect(address)
            except TimeoutError:
                break
        else:
            pytest.skip("the kernel accepts connections beyond the backlog")
        yield address[1]


# Not sent


def say_garbage(peer: Peer) -> None:
    peer.send(b"\x00\x01\x02 no TLS at all\r\n" * 10)
    peer.wait_until_left()


def refuse_tunnel(peer: Peer) -> None:
    peer.read_head()
    peer.send(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")


REACH = "Check base_url, HTTPS_PROXY, ALL_PROXY and NO_PROXY, and that the controller can reach the service"
NO_TLS = "The service speaks no TLS there: try http://"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_host_that_takes_no_connection(scheme: str) -> None:
    unheard = refusal(f"{scheme}://127.0.0.1:{UNHEARD}", advice=REACH)
    with full_port() as port:
        late = refusal(f"{scheme}://127.0.0.1:{port}", timeout=SHORT, advice=REACH)
    unknown = refusal(f"{scheme}://portal.invalid", advice=REACH)
    # More time would change nothing where none ran out.
    assert ["Raise timeout" in each for each in (unheard, late, unknown)] == [False, True, False]
    assert "Connection refused" in unheard
    assert unknown.startswith(f"POST {scheme}://portal.invalid/api/reseller/contracts was not sent: ")


@pytest.mark.parametrize(
    ("script", "advice"),
    [(lambda peer: None, ""), (say_garbage, NO_TLS), (Peer.wait_until_left, "Raise timeout above 0.3")],
    ids=["closes", "garbage", "silent"],
)
def test_handshake_that_fails(script: Callable[[Peer], None], advice: str) -> None:
    with SocketServer(script) as server:
        refusal(server.url.replace("http:", "https:"), timeout=SHORT, advice=advice)


@pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning")
def test_which_certificates_are_trusted(
    monkeypatch: pytest.MonkeyPatch,
    authority: trustme.CA,
    ca_path: str,
    tmp_path: Path,
) -> None:
    other, missing = str(tmp_path / "other.pem"), str(tmp_path / "missing.pem")
    trustme.CA().cert_pem.write_to_path(other)
    with SocketServer(keep_answering, server_tls(authority, "portal.example.com")) as another_name:
        refusal(another_name.url, verify=ca_path, advice="set ca_path")
    with SocketServer(keep_answering, server_tls(authority)) as server:
        for wrong in (True, other, missing):
            refusal(server.url, verify=wrong, advice="et ca_path (or REQUESTS_CA_BUNDLE)")
        assert server.requests == another_name.requests == []
        with contextlib.closing(Client(ServiceConfig(server.url, KEY, "4711", verify=ca_path))) as client:
            assert client.get("/").ok
        for environment in (other, missing):
            monkeypatch.setenv("REQUESTS_CA_BUNDLE", environment)
            refusal(server.url, advice="REQUESTS_CA_BUNDLE")
            # What the task says counts more than the environment.
            assert post(server.url, verify=ca_path).status == 200
            assert post(server.url, verify=False).status == 200
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", ca_path)
        assert post(server.url).status == 200


@pytest.mark.parametrize(("begins", "ends"), [(-20, -10), (10, 20)], ids=["expired", "not yet valid"])
def test_certificate_that_is_out_of_date(authority: trustme.CA, ca_path: str, begins: int, ends: int) -> None:
    now = datetime.datetime.now(datetime.UTC)
    first, last = (now + datetime.timedelta(days=days) for days in (begins, ends))
    with SocketServer(keep_answering, server_tls(authority, not_before=first, not_after=last)) as server:
        refusal(server.url, verify=ca_path, advice="Check the controller's clock. If it is right, the service")


# Proxies


def test_proxy_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with SocketServer(refuse_tunnel) as refusing, SocketServer(Peer.wait_until_left) as silent:
        for address, reason in (
            (refusing.url, "407 Proxy Authentication Required"),
            (silent.url, "timed out"),
            (f"http://127.0.0.1:{UNHEARD}", "refused"),
            ("http://user:hunter2/word@[bad", "is not valid"),
            ("http://", ""),
        ):
            monkeypatch.setenv("HTTPS_PROXY", address)
            assert reason in refusal("https://portal.example.com", timeout=1.0, advice=REACH)


@pytest.mark.parametrize("is_encrypted", [False, True], ids=["proxy", "proxy with TLS"])
def test_an_order_goes_through_a_tunnel(
    monkeypatch: pytest.MonkeyPatch, authority: trustme.CA, ca_path: str, is_encrypted: bool
) -> None:
    answer_twice = after_the_request(Peer.answer, Peer.read_request, Peer.answer, Peer.read_request)
    proxy_tls = server_tls(authority) if is_encrypted else None
    with SocketServer(answer_twice, server_tls(authority)) as server, SocketServer(tunnel, proxy_tls) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("://", "://me:p%40ss@"))
        with contextlib.closing(HttpTransport(elsewhere(server), ca_path)) as kept:
            for _request in range(2):
                assert post(elsewhere(server), over=kept).status == 200
            loss(elsewhere(server), over=kept)
    assert len(server.requests) == 3
    assert len(proxy.requests) == 1
    assert KEY.encode() not in proxy.requests[0]
    assert base64.b64encode(b"me:p@ss") in proxy.requests[0]


def test_missing_library_for_a_socks_proxy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://user:hunter2@127.0.0.1:1080")
    monkeypatch.setattr(transport, "find_spec", lambda _name: None)
    with pytest.raises(MissingLibraryError, match="PySocks, needed for the proxy in ALL_PROXY") as caught:
        HttpTransport("https://portal.example.com", True)
    assert "-m pip install PySocks" in caught.value.message
    assert "hunter2" not in caught.value.message


def test_key_passes_no_proxy_without_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = ("127.0.0.1", "localhost", "127.1", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433")
    with SocketServer(keep_answering) as server, SocketServer(keep_answering) as proxy:
        for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(variable, proxy.url)
        for host in hosts:
            assert post(server.url.replace("127.0.0.1", host)).status == 200
    assert (len(server.requests), proxy.connections) == (len(hosts), 0)


# Sent, and no status came back


def half_a_request(peer: Peer) -> None:
    peer.read(lambda held: min(len(held), 40))


CREATED = b"HTTP/1.1 201 Created\r\n"
LATE = "it was not there within 0.3 seconds (timeout)"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


#: What a server does with an order, the status that is known then, and what is said of the rest of the answer.
ANSWERS: dict[str, tuple[Callable[[Peer], None], int | None, str]] = {
    "half a request": (half_a_request, None, ""),
    "close": (after_the_request(), None, ""),
    "reset": (after_the_request(Peer.reset), None, ""),
    "half a status line": (after_the_request(b"HTTP/1.1 201"), None, ""),
    "HTTP/0.9": (after_the_request(b"<html>no HTTP</html>"), None, ""),
    "long status line": (after_the_request(b"HTTP/1.1 200 " + 70000 * b"x"), None, "got more than 65536 bytes"),
    "silence": (after_the_request(Peer.wait_until_left), None, LATE),
    "interim": (after_the_request(b"HTTP/1.1 100 Continue\r\n\r\n", Peer.wait_until_left), None, LATE),
    "endless headers": (after_the_request(CREATED, dripping(b"X: y\r\n")), 201, LATE),
    "endless body": (after_the_request(CREATED + b"\r\n{", dripping(b" ")), 201, LATE),
    "close after the status line": (after_the_request(CREATED), 201, "in its headers"),
    "long header": (after_the_request(CREATED + b"X: " + b"x" * 70000), 201, "in its headers (got more than 65536"),
    "half a body": (after_the_request(CREATED + b"Content-Length: 10\r\n\r\n{}"), 201, "cut off"),
    "no last chunk": (after_the_request(CREATED + CHUNKED + b"2\r\n{}\r\n"), 201, "cut off"),
    "endless chunk": (after_the_request(CREATED + CHUNKED + b"0" * 70_000), 201, "cut off"),
    "endless trailer": (after_the_request(CREATED + CHUNKED + b"0\r\nA: " + b"0" * 70_000), 201, "cut off"),
    "gzip in gzip": (
        after_the_request(CREATED + b"Content-Encoding: gzip, gzip\r\n\r\nx"),
        201,
        "more than one content",
    ),
    "no gzip": (after_the_request(CREATED + b"Content-Encoding: gzip\r\n\r\nxyz"), 201, "cannot be decoded"),
    "whole without a length": (after_the_request(CREATED + b"\r\n{}"), 201, "None"),
    # Nothing that it asks for is done.
    "redirect": (after_the_request(lambda peer: peer.answer("307 Moved", b"{}", "Location: http://[")), 307, "None"),
    "again": (after_the_request(lambda peer: peer.answer("503 Busy", b"{}", "Retry-After: 0")), 503, "None"),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_answer_that_is_lost_or_not_whole_keeps_its_status(serve: Serve, case: str) -> None:
    script, status, words = ANSWERS[case]
    options: dict[str, Any] = {"timeout": SHORT if words == LATE else LONG}
    with serve(script) as server:
        if status is None:
            message = loss(server.url, **options)
            assert message.startswith(f"POST {server.url}/api/reseller/contracts was sent, and the answer was lost: ")
        else:
            received = post(server.url, **options)
            assert received.status == status
            message = str(received.flaw)
    assert words in message
    assert server.connections == 1
    assert len(server.requests) == (script is not half_a_request)


def test_line_that_urllib3_would_read_to_its_end_has_a_limit() -> None:
    """Before urllib3 2.8, that is a line of a chunked body or trailer."""
    short, long = b"0" * 65_534 + b"\r\n", b"0" * 70_000
    assert observed.Lines(io.BytesIO(short[1:])).readline() == short[1:]
    with pytest.raises(http.client.LineTooLong):
        observed.Lines(io.BytesIO(long)).readline()


def test_address_after_two_dead_ones_is_reached_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    found = socket.getaddrinfo

    def several(_host: str, port: int, *options: Any) -> list[Any]:
        return [each for last in (2, 3, 1) for each in found(f"127.0.0.{last}", port, *options)]

    with SocketServer(keep_answering) as server, contextlib.ExitStack() as stack:
        port = int(server.url.rpartition(":")[2])
        for last in (2, 3):
            stack.enter_context(full_port(f"127.0.0.{last}", port))
        monkeypatch.setattr(socket, "getaddrinfo", several)
        assert post(f"http://many.example:{port}", timeout=3 * SHORT).status == 200


# A status came back


def test_answer_that_comes_before_all_is_sent_is_read() -> None:
    def script(peer: Peer) -> None:
        peer.read_head()
        # What it does not read resets the connection while the rest is being sent.
        peer.answer("413 Too Large")

    with SocketServer(script) as server, contextlib.closing(HttpTransport(server.url, True)) as transport:
        answer = transport.send(order_at(server.url, b"x" * 20_000_000))
    assert (answer.status, answer.flaw) == (413, None)


@pytest.mark.parametrize("interim", [b"100 Continue", b"103 Early Hints"])
def test_no_request_gets_the_answer_of_another_behind_interim_ones(interim: bytes) -> None:
    def script(peer: Peer) -> None:
        for number in itertools.count(1):
            if not peer.read_request():
                break
            with contextlib.suppress(OSError):
                peer.send(b"HTTP/1.1 " + interim + b"\r\nLink: </style.css>; rel=preload\r\n\r\n")
                peer.answer("201 Created", b'{"id": %d}' % number)

    with SocketServer(script) as server, contextlib.closing(HttpTransport(server.url, True)) as kept:
        for number in (1, 2):
            if interim == b"100 Continue":
                assert post(server.url, over=kept).body == b'{"id": %d}' % number
            else:
                assert "interim" in loss(server.url, over=kept)


# Sent once


def test_connection_that_ended_or_said_something_unasked_is_not_used() -> None:
    answered, spoken = threading.Event(), threading.Event()

    def script(peer: Peer) -> None:
        peer.read_request()
        peer.answer()
        if peer.number == 1:
            return
        answered.wait(LONG)
        peer.answer("500 Stray Answer")
        spoken.set()
        peer.wait_until_left()

    with SocketServer(script) as server, contextlib.closing(HttpTransport(server.url, True)) as kept:
        assert post(server.url, over=kept).status == 200
        server.wait_until_closed(1)
        assert post(server.url, over=kept).status == 200
        answered.set()
        assert spoken.wait(LONG)
        assert post(server.url, over=kept).status == 200
    assert server.connections == len(server.requests) == 3


CONTRACTS = "/api/reseller/contracts"


@contextlib.contextmanager
def client_of(server: SocketServer, **options: Any) -> Iterator[Client]:
    with contextlib.closing(Client(ServiceConfig(server.url, KEY, "4711", **options))) as client:
        yield client


def test_request_that_changes_something_has_a_connection_of_its_own_and_each_attempt_another_one(
    serve: Serve,
) -> None:
    numbers: list[tuple[str, int]] = []

    def script(peer: Peer) -> None:
        while request := peer.read_request():
            numbers.append((request.split()[0].decode(), peer.number))
            peer.answer()

    with serve(script) as server, client_of(server) as client:
        client.get("/")
        for method in ("POST", "POST", "PUT", "PATCH", "DELETE"):
            assert client.send_once(method, CONTRACTS, BODY, {}).ok
            client.get("/")
    reads = {number for method, number in numbers if method == "GET"}
    changes = [number for method, number in numbers if method != "GET"]
    assert len(reads) == 1
    assert len({*changes} - reads) == 5


def test_request_is_not_sent_if_the_look_right_before_its_first_byte_forbids_it(serve: Serve) -> None:
    def check() -> None:
        raise UnreachableError("It is too late.")

    def script(peer: Peer) -> None:
        accepted.set()
        peer.wait_until_left()

    accepted = threading.Event()
    with serve(script) as server, client_of(server) as client:
        with pytest.raises(UnreachableError, match=r"It is too late\."):
            client.send_once("POST", CONTRACTS, BODY, {}, check)
        # The connection stands by then.
        assert accepted.wait(LONG)
    assert server.requests == []


def test_session_of_one_request_has_the_certificates_and_proxies_of_the_client(
    monkeypatch: pytest.MonkeyPatch, authority: trustme.CA, ca_path: str
) -> None:
    """They are read once: what the environment says later changes nothing."""
    with SocketServer(keep_answering, server_tls(authority)) as server, SocketServer(tunnel) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        with contextlib.closing(Client(ServiceConfig(elsewhere(server), KEY, "4711", verify=ca_path))) as client:
            monkeypatch.delenv("HTTPS_PROXY")
            for _order in range(2):
                assert client.send_once("POST", CONTRACTS, BODY, {}).ok
                Path(ca_path).unlink(missing_ok=True)
    assert (len(proxy.requests), len(server.requests)) == (2, 2)


# What is sent


def test_only_the_given_credentials_are_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password s0mething\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))

    def script(peer: Peer) -> None:
        while peer.read_request():
            peer.answer("200 OK", b"{}", "Set-Cookie: session=1; Path=/")

    key = "schlüssel-ÿ"
    with SocketServer(script) as server, contextlib.closing(HttpTransport(server.url, True)) as kept:
        assert requests.utils.get_netrc_auth(server.url) == ("somebody", "s0mething")
        for _number in range(2):
            kept.send(HttpRequest("POST", server.url, {"X-API-Key": key}, BODY))
    assert len(server.requests) == 2
    for request in server.requests:
        assert b"X-API-Key: " + key.encode("latin-1") + b"\r\n" in request
        assert b"Content-Length: %d\r\n" % len(BODY) in request
        assert b"User-Agent: hosting.reseller/%s (Ansible)\r\n" % str(GALAXY["version"]).encode() in request
        assert b"Authorization:" not in request
        assert b"Cookie:" not in request
        assert request.endswith(b"\r\n\r\n" + BODY)


# Threads


def test_threads_share_a_session_and_mix_nothing_up() -> None:
    def script(peer: Peer) -> None:
        while (request := peer.read_request()) and (number := int(re.findall(rb"\d+$", request)[0])) % 3:
            peer.answer(f"{200 + number % 2} Fine", b"%d" % number)

    def order(number: int) -> tuple[int, bytes] | type[ServiceError]:
        def check() -> None:
            if number % 3 == 1:
                raise UnreachableError("It is too late.")

        try:
            received = shared.send(replace(order_at(server.url, b"%d" % number), check=check))
        except (UnreachableError, LostAnswerError) as error:
            return type(error)
        return received.status, received.body

    with (
        SocketServer(script) as server,
        contextlib.closing(HttpTransport(server.url, True)) as shared,
        ThreadPoolExecutor(16) as threads,
    ):
        outcomes = list(threads.map(order, range(320)))
    assert outcomes == [
        (LostAnswerError, UnreachableError, (200 + number % 2, b"%d" % number))[number % 3] for number in range(320)
    ]
    arrived = sorted(int(re.findall(rb"\d+$", request)[0]) for request in server.requests)
    assert arrived == [number for number in range(320) if number % 3 != 1]
