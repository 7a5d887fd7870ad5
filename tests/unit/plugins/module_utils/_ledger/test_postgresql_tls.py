# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who gets the password of a ledger in PostgreSQL: no one but a server that shows whose it is."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import trustme

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import postgresql
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import open_ledger
from playbooks.files.simulator.http_server import SocketServer
from tests.support import postgresql_fronts
from tests.support.ledgers import claim
from tests.support.postgresql_fronts import REMOTE
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request

PASSWORD = "correct-horse"
FILE_OF_AUTHORITY, MODE = "add sslrootcert=/path/of/its/certificate to the address", "sslmode=require or less"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGSSLMODE", "PGSSLROOTCERT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def rogue() -> Iterator[SocketServer]:
    """Takes passwords for its requests."""
    with SocketServer(postgresql_fronts.rogue) as rogue:
        yield rogue


def opening(address: str) -> str:
    """Why a ledger is not opened."""
    with pytest.raises(LedgerError) as caught:
        open_ledger(location_of(address, {}), "read")
    assert PASSWORD not in caught.value.message
    return caught.value.message


def says_both_ways(message: str) -> bool:
    return FILE_OF_AUTHORITY in message and MODE in message


@pytest.mark.parametrize(
    ("host", "query", "environment"),
    [
        (REMOTE, "", {}),
        (REMOTE, "", {"PGSSLMODE": "prefer", "PGSSLROOTCERT": "/dev/null"}),
        (REMOTE, "", {"PGSERVICE": "weak"}),
        (REMOTE, "service=weak", {}),
        (f"127.0.0.1:1,{REMOTE}", "", {}),
        ("localhost", f"hostaddr={REMOTE}", {}),
        ("localhost", "", {"PGHOSTADDR": REMOTE}),
        ("", "", {"PGHOST": REMOTE}),
    ],
    ids=str,
)
def test_rogue_server_gets_no_password(
    rogue: SocketServer,
    host: str,
    query: str,
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "services").write_text("[weak]\nsslmode=disable\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    for name, value in {"PGPORT": str(rogue.port), **environment}.items():
        monkeypatch.setenv(name, value)
    port = f":{rogue.port}" if host else ""
    message = opening(f"postgresql://reseller:{PASSWORD}@{host}{port}/ledger?{query}")
    assert "server does not support SSL, but SSL was required" in message
    assert says_both_ways(message)
    assert rogue.requests == []


@pytest.mark.parametrize(
    ("host", "query"), [(REMOTE, "sslmode=prefer"), (REMOTE, "sslmode=disable"), ("127.0.0.1", ""), ("localhost", "")]
)
def test_weaker_mode_in_the_address_and_loopback_count(rogue: SocketServer, host: str, query: str) -> None:
    """Also shows that the rogue server takes what it is given."""
    opening(f"postgresql://reseller:{PASSWORD}@{host}:{rogue.port}/ledger?{query}")
    assert set(rogue.requests) == {PASSWORD.encode()}


@pytest.fixture
def authority(tmp_path: Path) -> trustme.CA:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    return authority


@pytest.fixture
def behind_tls(postgresql_store: Store, authority: trustme.CA, request: Any) -> Iterator[SocketServer]:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(getattr(request, "param", REMOTE)).configure_cert(tls)
    with SocketServer(postgresql_fronts.tls_before(urlsplit(postgresql_store.address).port or 0, tls)) as front:
        yield front


def at(front: SocketServer, store: Store, query: str = "") -> str:
    parts = urlsplit(store.address)
    return f"postgresql://{parts.username}:{parts.password}@{REMOTE}:{front.port}{parts.path}?{query}"


def test_server_with_a_trusted_certificate_is_used(
    behind_tls: SocketServer, postgresql_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trusted by what the address says, or by the system."""
    message = opening(at(behind_tls, postgresql_store))
    assert "certificate verify failed" in message
    assert says_both_ways(message)
    authority = str(tmp_path / "authority.pem")
    written = ((f"sslrootcert={authority}", ""), ("sslmode=require", ""))
    for query, system in (*written, ("", authority), ("sslrootcert=system", authority)):
        monkeypatch.setenv("SSL_CERT_FILE", system)
        with open_ledger(location_of(at(behind_tls, postgresql_store, query), {}), "write") as ledger:
            assert claim(ledger, [request(f"a{query}")]) == [None]


@pytest.mark.parametrize("behind_tls", ["another.example.org"], indirect=True)
def test_certificate_of_another_host_is_refused(
    behind_tls: SocketServer, postgresql_store: Store, tmp_path: Path
) -> None:
    assert "does not match host name" in opening(
        at(behind_tls, postgresql_store, f"sslrootcert={tmp_path}/authority.pem")
    )


@pytest.mark.parametrize(
    ("address", "is_required"),
    [
        ("postgresql://db.example.org/ledger?hostaddr=127.0.0.1,192.0.2.1", True),
        ("postgresql://127.0.0.1.example.org/ledger", True),
        ("postgresql://[::1]/ledger", False),
        ("postgresql:///ledger", False),
        ("postgresql:///ledger?host=/run/postgresql", False),
        ("postgresql://db.example.org/ledger?hostaddr=127.0.0.1", False),
        ("postgresql://db.example.org/ledger?sslmode=require", False),
        ("postgresql://db.example.org/ledger?%73slmode=allow", False),
    ],
)
def test_further_hosts_that_must_show_a_certificate(address: str, is_required: bool) -> None:
    required = postgresql.required_tls(address)
    assert required.get("sslmode") == ("verify-full" if is_required else None)
