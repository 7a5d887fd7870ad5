# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What looks like an order that is about to be sent, and when a list does not tell that nothing does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.alike import look
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.contract import Listing, ShownContract
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.likeness import MOST_TEXTS, Asked, texts

PRODUCT, OTHER_PRODUCT = "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a", "c0a8f3d4-5b6e-4f70-8a91-b2c3d4e5f607"
USER, OTHER_USER = "3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11", "9d0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b99"
HOST, OWN = "web01.example.org", "4711"
LEARNED = {"hostname": "/hostname", "product": "/product", "end_user": "/endUser", "domain": "/domain"}

SERVER = Asked(HOST, USER, PRODUCT, "VPS M", "hostname", HOST, "4712")
DOMAIN = Asked("example.org", USER, PRODUCT, None, "domain", "example.org", "4712")
SHOP = Asked("shop", USER, PRODUCT, "Webhosting S", organization="4712")


def contract(**changes: Any) -> ShownContract:
    return replace(ShownContract("c1", PRODUCT, USER, hostname=HOST), **changes)


def listed(*contracts: ShownContract, **changes: Any) -> Listing:
    return replace(Listing(contracts, complete=True, learned=LEARNED), **changes)


@pytest.mark.parametrize(
    ("asked", "shown", "seen", "unrecorded"),
    [
        (SERVER, contract(), True, True),
        (SERVER, contract(hostname=HOST.upper()), True, True),
        (SERVER, contract(product=OTHER_PRODUCT), True, True),
        (SERVER, contract(end_user=OTHER_USER), True, False),
        (SERVER, contract(end_user=None), True, True),
        (SERVER, contract(end_user=None, organization="4713"), True, False),
        (SERVER, contract(hostname="db.example.org"), False, False),
        (SERVER, ShownContract("c1", raw={"server": {"name": HOST}}), True, True),
        (SERVER, ShownContract("c1", raw={"server": {"name": f"not-{HOST}"}}), False, False),
        (SERVER, contract(id="known"), True, False),
        (SERVER, contract(id="by-name"), True, True),
        (DOMAIN, contract(domain="Example.org", end_user=OTHER_USER), True, True),
        (SHOP, contract(hostname=None), True, True),
        (SHOP, contract(hostname=None, product="Webhosting S"), True, True),
        (SHOP, contract(hostname=None, product=OTHER_PRODUCT), False, False),
        (SHOP, contract(hostname=None, end_user=OTHER_USER), True, False),
        (SHOP, contract(id="by-name"), True, False),
        (SHOP, ShownContract("c1", raw={"product": {"id": PRODUCT}}), True, True),
    ],
)
def test_what_looks_like_an_order(asked: Asked, shown: ShownContract, seen: bool, unrecorded: bool) -> None:
    found = look(asked, listed(shown), ["known", "by-name"], "4712", ["by-name"])
    assert found.seen == ((shown.id,) if seen else ())
    assert bool(found.unrecorded) == unrecorded
    assert all(shown.id in words for words in found.unrecorded)
    assert found.unclear == ""


@pytest.mark.parametrize(
    ("asked", "listing", "read_in", "words"),
    [
        (SERVER, listed(), "4712", ""),
        (SERVER, listed(learned={}), "4712", ""),
        (SERVER, listed(contract(), learned={}), "4712", "holds the hostname is not known: not learned"),
        (SERVER, listed(contract(), learned={}, unclear={"hostname": "no control"}), "4712", "no control"),
        (SHOP, listed(contract(), learned={"hostname": "/hostname"}), "4712", "holds the product is not known"),
        (SERVER, listed(complete=False, why_incomplete="page 3 repeats"), "4712", "page 3 repeats"),
        (SERVER, listed(), OWN, "set organizations"),
        (SERVER, listed(contract(end_user="__self__")), OWN, "set organizations"),
        (SERVER, listed(contract(end_user=OTHER_USER)), OWN, ""),
        (replace(SERVER, organization=None), listed(contract()), OWN, ""),
        (replace(SERVER, end_user="__self__", organization=OWN), listed(), OWN, ""),
    ],
)
def test_when_a_list_does_not_tell(asked: Asked, listing: Listing, read_in: str, words: str) -> None:
    found = look(asked, listing, [], read_in)
    assert words in found.unclear
    assert bool(words) == bool(found.unclear)


def test_huge_record_is_searched_within_bounds() -> None:
    assert len(list(texts({"deep": [[str(number)] for number in range(3 * MOST_TEXTS)]}))) == MOST_TEXTS
