# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is kept of the catalogue and the published reference: who reads it anew, and how often."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.contract_service import REFERENCE, VPS
from tests.unit.plugins.module_utils._tasks.conftest import Bench

WEB = "web01.example.org"
NOTE: dict[str, Any] = {"additional_elements": {"note": "shop"}}
WRONG = {"end_user": "__self__", "product": VPS, "additional_elements": {"nite": "shop"}}


@contextmanager
def outdated(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is read meanwhile has another catalogue, and a reference with other elements of an order."""
    with monkeypatch.context() as older:
        older.setattr(bench.service, "_reference", lambda: REFERENCE)
        yield
    bench.service.requests.clear()


def reads(bench: Bench, path: str) -> int:
    return sum(request.method == "GET" and request.path.endswith(path) for request in bench.service.requests)


def test_element_that_the_reference_names_by_now_is_sent(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with outdated(bench, monkeypatch):
        assert bench.order("web00.example.org")["changed"]
        assert "names no such element" in bench.order(WEB, **NOTE).msg
    assert bench.order(WEB, **NOTE)["changed"]
    assert bench.service.sent[-1]["note"] == "shop"
    assert reads(bench, "/api/docs") == 1


def test_element_that_is_named_nowhere_is_refused_after_one_more_look(bench: Bench) -> None:
    assert bench.order("web00.example.org")["changed"]
    bench.service.requests.clear()
    refused = bench.batch(WEB, "web02.example.org", defaults=WRONG)
    assert "names no such element" in refused.msg
    assert (reads(bench, "/api/docs"), reads(bench, "/products")) == (1, 1)
    assert len(bench.service.sent) == 1


def test_reference_info_reads_anew_and_renews_what_is_kept(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with outdated(bench, monkeypatch):
        assert bench.order("web00.example.org")["changed"]
    for _time in range(2):
        assert "note" in bench.run("reseller_reference_info")["order"]["elements"]
    assert reads(bench, "/api/docs") == 2
    bench.service.requests.clear()
    assert bench.order(WEB, **NOTE)["changed"]
    assert reads(bench, "/api/docs") == 0


def test_products_info_reads_anew_and_renews_what_is_kept(bench: Bench) -> None:
    assert bench.order("web00.example.org")["changed"]
    bench.service.requests.clear()
    for _time in range(2):
        assert bench.run("reseller_products_info")["products"]
    assert reads(bench, "/products") == 2
    assert bench.order(WEB)["changed"]
    assert reads(bench, "/products") == 2


def test_list_that_is_published_no_more_keeps_no_order_from_being_sent(bench: Bench) -> None:
    assert bench.order("web00.example.org", read_back=True)["changed"]
    bench.service._readable = False
    done = bench.order(WEB, read_back=True)
    assert done["changed"]
    assert [each for each in done.warnings if "it is not known what the service has already" in each]
