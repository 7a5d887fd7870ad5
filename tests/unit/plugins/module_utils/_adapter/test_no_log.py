# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import psycopg.conninfo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.no_log import (
    may_hold_a_password,
    secrets_in_options,
    task_masker,
)
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.echoes import MASK


@pytest.mark.parametrize(
    ("ledger", "may"),
    [
        ("postgresql://user@db.example.com:5432/ledger", False),
        ("postgresql://user:@db/ledger", True),
        ("postgresql://user@db/ledger?sslpassword=word", True),
        ("postgresql://user@word@db/ledger", True),
        ("postgresql:/user:word@db/ledger", True),
        ("user:word@db/ledger", True),
        ("/srv/a@b/ledger.db", False),
        ("postgresql://db.example.com/ledger", True),
        ("host=db password=word", True),
        ("/var/lib/ledger.db", False),
        (None, False),
        (7, False),
    ],
)
def test_which_ledgers_may_hold_a_password(ledger: Any, may: bool) -> None:
    assert may_hold_a_password(ledger) is may


@pytest.mark.parametrize(
    ("ledger", "passwords"),
    [
        ("postgresql://user:s3cret@db/ledger", {"s3cret"}),
        ("postgresql://:s3cret@db/ledger", {"s3cret"}),
        ("postgresql://user:s3%40cr%2Fet@db/ledger", {"s3%40cr%2Fet", "s3@cr/et"}),
        ("postgresql://user:s3+cret@db/ledger", {"s3+cret", "s3%2Bcret"}),
        ("postgresql://user:s3:cret@db/ledger", {"s3:cret"}),
        ("postgresql://db/ledger?password=s3+cr%20et&sslmode=require", {"s3+cr%20et", "s3+cr et"}),
        ("postgresql://db/ledger?sslpassword=s3cret", {"s3cret"}),
        ("postgresql://user:one1st@db/ledger?password=two2nd", {"one1st", "two2nd"}),
        # Refused by libpq, and no reason to show them.
        ("postgresql://user:s3@cret@db/ledger", {"s3@cret"}),
        ("postgresql://user:s3/cret@db/ledger", {"s3/cret"}),
        ("host=db user=user password=s3cret dbname=ledger", {"s3cret"}),
        ("password='s3 \\'cr\\\\et' host=db", {"s3 'cr\\et"}),
        ("password=s3\\ cret host=db", {"s3 cret"}),
        ("host=db password='s3cret", {"s3cret"}),
        ("postgresql:/user:s3cret@db/ledger", {"s3cret"}),
        ("user:s3cret@db/ledger", {"s3cret"}),
        (" postgresql://user:s3cret@db/ledger", {"s3cret"}),
    ],
)
def test_a_ledgers_password_is_masked_in_all_its_forms(ledger: str, passwords: set[str]) -> None:
    found = secrets_in_options({"ledger": ledger})
    assert ledger in found
    assert passwords <= found
    assert task_masker({"ledger": ledger}).result({"ledger": ledger}) == {"ledger": MASK}
    for password in passwords:
        shown = task_masker({"ledger": ledger, "note": f"<{password}>"}).result(
            {"ledger": ledger, "note": f"<{password}>"}
        )
        assert shown["note"] == f"<{MASK}>"


@given(password=st.text(alphabet="ab1:@/?#%+&=' \\ü[]", min_size=3, max_size=12), query=st.booleans())
def test_what_libpq_takes_for_the_password_is_masked(password: str, query: bool) -> None:
    address = f"postgresql://db/ledger?password={password}" if query else f"postgresql://user:{password}@db/ledger"
    try:
        taken = psycopg.conninfo.conninfo_to_dict(address).get("password")
    except (psycopg.ProgrammingError, UnicodeDecodeError):
        return
    assert taken is None or len(str(taken)) < 3 or taken in secrets_in_options({"ledger": address})


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({"api_key": "s3cret", "base_url": "https://a.example", "organization_id": "4711"}, {"s3cret"}),
        ({"contracts": [{"settings": {"password": "one"}}, {"settings": {"password": "two"}}]}, {"one", "two"}),
        ({"defaults": {"additional_elements": {"token": "abc"}}}, {"abc"}),
        ({"settings": {"password": "ab", "authcode": ""}, "api_key": None}, set()),
        (
            {"settings": {"pasword": "one", "Passwort": ["two"], "autcode": 345, "hostname": "web"}},
            {"one", "two", "345"},
        ),
        ({"pasword": "one", "contracts": [{"settings": {"passwrd": "two"}}]}, {"one", "two"}),
        ({"base_url": "https://me:word@portal.example.com"}, {"word"}),
        ({"settings": {"passport": "one", "username": "two", "author": "you", "hostname": "web"}}, set()),
        ({"settings": None, "ledger": None}, set()),
        # Names of secrets, and of the questions in which they are asked for.
        ({"shown_as": {"secrets": "Secrets of the order", "file_is_private": "private"}}, set()),
        ({"secrets": ["root_word"], "body": {"root_word": "hunter2"}}, {"hunter2"}),
        ({"secrets": {"web": {"any_name": "hunter2"}}}, {"hunter2"}),
        ({"ledger": "/var/lib/ledger.db"}, set()),
        ({"ledger": "postgresql://db/ledger"}, {"postgresql://db/ledger"}),
    ],
)
def test_what_is_masked_wherever_it_stands(params: dict[str, Any], found: set[str]) -> None:
    assert secrets_in_options(params) == found


@pytest.mark.parametrize(("describes", "shown"), [(False, "********"), (True, "a string")])
def test_result_is_shown_without_the_secrets_of_the_options(describes: bool, shown: str) -> None:
    masker = task_masker({"settings": {"password": "hunter2"}, "base_url": "https://h"}, describes=describes)
    assert masker.result({"msg": "hunter2 is refused", "password": "a string"}) == {
        "msg": "******** is refused",
        "password": shown,
    }


def test_the_options_as_they_are_shown() -> None:
    params = {
        "api_key": "s3cret-key",
        "base_url": "https://portal.example.com",
        "ledger": "/var/lib/ledger.db",
        "name": "with s3cret-key",
        "note": "has s3cret-key",
        "settings": {"hostname": "a.example", "password": "ab", "nested": [{"authcode": "abc"}]},
        "contracts": [{"name": "one", "settings": {"password": "hunter2"}}, {"name": "hunter2"}],
        "timeout": 30.0,
        "product": None,
    }
    assert task_masker(params).result(dict(params)) == {
        "api_key": MASK,
        "base_url": "https://portal.example.com",
        "ledger": "/var/lib/ledger.db",
        "name": "with s3cret-key",
        "note": f"has {MASK}",
        "settings": {"hostname": "a.example", "password": MASK, "nested": [{"authcode": MASK}]},
        "contracts": [{"name": "one", "settings": {"password": MASK}}, {"name": MASK}],
        "timeout": 30.0,
        "product": None,
    }
    assert params["api_key"] == "s3cret-key"


def test_name_that_is_a_plain_word_and_a_secret_is_not_shown() -> None:
    masker = task_masker({"name": "summer", "settings": {"password": "summer"}})
    assert masker.result({"order": {"name": "summer"}}) == {"order": {"name": MASK}}
