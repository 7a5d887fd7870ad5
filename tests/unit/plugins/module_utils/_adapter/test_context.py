# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals while a task sends, and the secrets among its options."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import psycopg.conninfo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import (
    SIGNALS,
    Context,
    secrets_in_options,
    task_masker,
)
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import read_address
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.recognition import MASK


class CutError(BaseException):
    """What Ansible raises when the timeout of a task runs out."""


def cut(_number: int, _frame: object) -> None:
    raise CutError


@pytest.fixture
def handlers() -> Iterator[None]:
    """Handlers that end the task, as Ansible and Python have them."""
    before = {number: signal.signal(number, cut) for number in (*SIGNALS, signal.SIGALRM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def context() -> Context:
    return Context({}, check_mode=False, diff=False, environ={}, warn=lambda _text: None)


@pytest.mark.parametrize("number", SIGNALS)
def test_signal_is_held_while_a_task_sends_and_obeyed_later(handlers: None, context: Context, number: int) -> None:
    stopped: list[bool] = []
    with context.signals_held(lambda: stopped.append(True)):
        signal.raise_signal(number)
    assert (stopped, context.interrupted, context.timed_out) == ([True], number, False)
    with pytest.raises(CutError):
        signal.raise_signal(number)


def test_timeout_does_not_take_the_result_of_a_task_that_has_sent(handlers: None, context: Context) -> None:
    with context.signals_held(lambda: None):
        pass
    signal.raise_signal(signal.SIGALRM)
    assert context.timed_out


def test_task_without_a_timeout_leaves_its_alarm_alone(context: Context) -> None:
    before = signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with context.signals_held(lambda: None):
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("ledger", "password"),
    [
        ("postgresql://:s3%40cr%2Fet@db/ledger", "s3@cr/et"),
        ("postgresql://user:s3+cret@db/ledger", "s3+cret"),
        ("postgresql://db/ledger?password=s3+cr%20et&sslmode=require", "s3+cr et"),
        ("postgresql://db/ledger?sslpassword=two2nd", "two2nd"),
    ],
)
def test_a_ledgers_password_is_masked_in_all_its_forms(ledger: str, password: str) -> None:
    shown = [f"<{form}>" for form in (ledger, password, quote(password, safe=""))]
    assert task_masker({"ledger": ledger}).result({"notes": shown}) == {"notes": [f"<{MASK}>"] * 3}


@given(password=st.text(alphabet="ab1:@/?#%+&=' \\ü[]", min_size=3, max_size=12), query=st.booleans())
def test_what_libpq_takes_for_the_password_is_masked(password: str, query: bool) -> None:
    address = f"postgresql://db/ledger?password={password}" if query else f"postgresql://user:{password}@db/ledger"
    try:
        read_address(address)
        taken = psycopg.conninfo.conninfo_to_dict(address).get("password")
    except (LedgerError, psycopg.ProgrammingError, UnicodeDecodeError):
        # Neither is connected to, nor is any part of it repeated.
        return
    assert taken is None or len(str(taken)) < 3 or taken in secrets_in_options({"ledger": address})


REFUSED = (
    "postgresql://user:s3@cret@db/ledger",
    "host=db user=user password=s3cret dbname=ledger",
    " postgresql://user:s3cret@db/ledger",
)


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({"api_key": "s3cret", "base_url": "https://a.example", "organization_id": "4711"}, {"s3cret"}),
        ({"settings": {"password": "ab", "authcode": ""}, "api_key": None}, set()),
        ({"pasword": "one", "contracts": [{"settings": {"Passwort": ["two"], "autcode": 345}}]}, {"one", "two", "345"}),
        ({"settings": {"passport": "one", "username": "two", "author": "you", "hostname": "web"}}, set()),
        # Names of secrets, and of the questions in which they are asked for.
        ({"secrets": ["root_word"], "body": {"root_word": "hunter2"}}, {"hunter2"}),
        ({"secrets": {"web": {"any_name": "hunter2"}}}, {"hunter2"}),
        # A ledger in which there is no place for a password, and an address that is refused: that as a whole.
        ({"ledger": "postgresql://user@one.example.com,two.example.com:5433/ledger"}, set()),
        ({"ledger": "postgresql://db.example.com/ledger"}, set()),
        ({"ledger": "/srv/a@b/ledger.db"}, set()),
        ({"ledger": 7}, set()),
        *(({"to": refused}, {refused}) for refused in REFUSED),
    ],
)
def test_what_is_masked_wherever_it_stands(params: dict[str, Any], found: set[str]) -> None:
    assert secrets_in_options(params) == found


def test_result_of_a_task_that_describes_is_shown_without_the_secrets_of_the_options_alone() -> None:
    masker = task_masker({"settings": {"password": "hunter2"}}, describes=True)
    shown = {"msg": f"{MASK} is refused", "password": "a string"}
    assert masker.result({"msg": "hunter2 is refused", "password": "a string"}) == shown


def test_the_options_as_they_are_shown() -> None:
    params = {
        "api_key": "s3cret-key",
        "base_url": "https://portal.example.com",
        "name": "with s3cret-key",
        "note": "has s3cret-key",
        "contracts": [{"name": "one", "settings": {"password": "summer"}}, {"name": "summer"}],
    }
    contracts = [{"name": "one", "settings": {"password": MASK}}, {"name": MASK}]
    shown = {**params, "api_key": MASK, "note": f"has {MASK}", "contracts": contracts}
    assert task_masker(params).result(params) == shown
