# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is kept of the catalogue and the OpenAPI document: who reads it anew, and how often."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
import yaml

from playbooks.files.simulator import data
from tests.unit.plugins.module_utils._tasks.conftest import Bench

WEB = "web01.example.org"
NOTE: dict[str, Any] = {"additional_elements": {"note": "shop"}}
CONTRACTS, PRODUCTS, DOCS = "/api/reseller/contracts", "/api/reseller/products", "/api/docs"


def serve(bench: Bench, *without: str) -> None:
    """Have the service publish its reference without the part at this path."""
    reference = part = yaml.safe_load(bench.service.service.shape.document)  # type: ignore[attr-defined]
    for name in without[:-1]:
        part = part[name]
    del part[without[-1]]
    bench.service.arm("answer", method="GET", on=DOCS, status=200, body=reference, times=-1)


def reads(bench: Bench, path: str) -> int:
    return sum(request.target == path for request in bench.service.requests("GET"))


@pytest.fixture
def outdated(bench: Bench) -> Bench:
    """What is kept was read when the reference had one element of an order less."""
    serve(bench, "components", "schemas", "Order", "properties", "note")
    assert bench.order("web00.example.org")["changed"]
    assert "names no such element" in bench.order(WEB, **NOTE).msg
    bench.service.disarm()
    return bench


def test_element_that_the_reference_names_by_now_is_sent(outdated: Bench) -> None:
    before = reads(outdated, DOCS)
    assert outdated.order(WEB, **NOTE)["changed"]
    assert outdated.service.orders()[-1]["body"]["note"] == "shop"
    assert reads(outdated, DOCS) == before + 1
    for _time in range(2):
        assert "note" in outdated.run("reseller_reference_info")["order"]["elements"]
    assert reads(outdated, DOCS) == before + 3


def test_products_info_reads_anew_and_renews_what_is_kept(bench: Bench) -> None:
    assert bench.order("web00.example.org")["changed"]
    for _time in range(2):
        lines = bench.run("reseller_products_info")["lines"]
    # Each setting has its range and its choices.
    at = lines.index("  template  any, required")
    assert lines[at + 1] == "    debian-12, debian-13, ubuntu-24.04, rocky-9, Windows Server 2022"
    assert "  ram  integer, required, minimum 1024, maximum 65536, step 1024" in lines
    assert bench.order(WEB)["changed"]
    assert reads(bench, PRODUCTS) == 3


def serve_products(bench: Bench, *pages: list[Any]) -> None:
    """Have the service list these products by ``page``."""
    bench.service.disarm()
    for number, page in reversed([*enumerate(pages, 1)]):
        on = f"{PRODUCTS}?page={number}" if number > 1 else PRODUCTS
        bench.service.arm("answer", method="GET", on=on, status=200, body=page, times=-1)


def test_catalogue_that_begins_as_it_was_is_read_as_a_whole_only_before_it_refuses_something(bench: Bench) -> None:
    listed = [{"id": data.VPS_M, "name": "VPS M", "options": []}]
    listed += [{"id": str(uuid.UUID(int=number)), "name": f"VPS {number}", "options": []} for number in range(9)]
    as_vps: dict[str, Any] = {"product_type": "vps", "product": "VPS M"}

    def requests() -> int:
        return sum(each.path == PRODUCTS for each in bench.service.requests("GET"))

    serve_products(bench, listed, [])
    assert bench.order("web00.example.org", **as_vps)["changed"]
    before = requests()
    assert before > 1
    assert bench.order("web01.example.org", **as_vps)["changed"]
    assert requests() == before + 1
    serve_products(bench, listed, [{"id": data.VPS_L, "name": "VPS New", "options": []}])
    assert bench.order("web02.example.org", **{**as_vps, "product": "VPS New"})["changed"]
    assert requests() > before + 2


def test_list_that_is_published_no_more_keeps_no_order_from_being_sent(bench: Bench) -> None:
    assert bench.order("web00.example.org", read_back=True)["changed"]
    serve(bench, "paths", CONTRACTS, "get")
    bench.service.behave(list_status=405)
    done = bench.order(WEB, read_back=True)
    assert done["changed"]
    assert [each for each in done.warnings if "Only the ledger was checked" in each]


def test_key_that_cannot_be_used_is_found_in_check_mode_with_a_warm_cache(bench: Bench) -> None:
    settings = {"hostname": WEB, "template": "debian-12"}
    options = {"end_user": "__self__", "product": data.VPS_M, "settings": settings}
    assert bench.run("reseller_contract", check=True, **options)["changed"]
    wrong = bench.run("reseller_contract", check=True, api_key="an-unusable-key", **options)
    assert wrong.failed
    assert wrong["status"] == 401
