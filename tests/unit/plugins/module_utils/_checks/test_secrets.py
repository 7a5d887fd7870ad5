# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._checks import secrets
from ansible_collections.hosting.reseller.plugins.module_utils._checks.secrets import (
    MASK,
    WITHHELD,
    contact_digest,
    kept_elements,
    kept_settings,
    masked,
    masked_result,
    secret_values,
)

DIGEST_KEY = b"k" * 32

CONTACT = {
    "label": "c-4711",
    "first_name": "Al",
    "last_name": "Müller-Ng",
    "company_name": "",
    "street": 'Haus "Sonne" 7',
    "postal_code": "89073",
    "city": "Ulm",
    "country": "DE",
    "telephone": "+49.731123",
    "email": "al@example.com",
    "fax": "",
}
CONTACT_TEXT = json.dumps(CONTACT, ensure_ascii=False, separators=(",", ":"))


# Finding


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"password": "hunter2", "hostname": "a.example"}, {"hunter2"}),
        ({"settings": {"authcode": "x"}}, {"x"}),
        ([{"password": "one"}, {"password": "two"}, {"password": "one"}], {"one", "two"}),
        ({"credentials": {"user": "root", "keys": ["k1", {"deep": "k2"}]}}, {"root", "k1", "k2"}),
        ({"password": 12345}, {"12345"}),
        ({"password": 1.5}, {"1.5"}),
        ({"password": ""}, set()),
        ({"password": None}, set()),
        ({"password": True}, set()),
        ({"password": {}}, set()),
        ({"hostname": "password"}, set()),
        ({"meta": '{"api_token": "abc", "x": [{"pwd": "def"}]}'}, {"abc", "def"}),
        ({"meta": ' [{"token": "abc"}]'}, {"abc"}),
        ({"meta": '{"token": "abc"'}, set()),
        ({"meta": "{{ not.json }}"}, set()),
        ({"token": '{"user": "root"}'}, {'{"user": "root"}', "root"}),
        ({7: {"secret": ("a", "b")}}, {"a", "b"}),
        ("hunter2", set()),
        (None, set()),
    ],
)
def test_values_under_a_secret_name(value: Any, found: set[str]) -> None:
    assert secret_values(value) == found


def test_json_that_is_nested_too_deep_is_text() -> None:
    assert secret_values({"meta": "[" * 100_000}) == set()


# Masking


@pytest.mark.parametrize(
    ("value", "secrets", "shown"),
    [
        # Under a secret name, whatever it is.
        ({"password": "hunter2"}, [], {"password": MASK}),
        ({"password": "x"}, [], {"password": MASK}),
        ({"password": ""}, [], {"password": MASK}),
        ({"password": 12}, [], {"password": MASK}),
        ({"password": ["a", "b"]}, [], {"password": MASK}),
        ({"credentials": {"user": "root"}}, [], {"credentials": MASK}),
        ({"password": None, "token": False}, [], {"password": None, "token": False}),
        ({"a": [{"b": ({"authcode": "x"},)}]}, [], {"a": [{"b": [{"authcode": MASK}]}]}),
        # Wherever it stands.
        ({"echo": "it was hunter2!"}, ["hunter2"], {"echo": f"it was {MASK}!"}),
        (["hunter2hunter2"], ["hunter2"], [MASK + MASK]),
        ({"hunter2": 1}, ["hunter2"], {MASK: 1}),
        ({"number": 123456}, ["123456"], {"number": MASK}),
        ({"number": 1234567}, ["123456"], {"number": 1234567}),
        ({"price": 12.5}, ["12.5"], {"price": MASK}),
        ({"text": '{"password": "a\\"b\\\\c"}'}, ['a"b\\c'], {"text": f'{{"password": "{MASK}"}}'}),
        ({"text": '"gr\\u00fc\\u00dfe"'}, ["grüße"], {"text": f'"{MASK}"'}),
        ({"text": '"grü\\"ße"'}, ['grü"ße'], {"text": f'"{MASK}"'}),
        ({"text": "line\\none"}, ["line\none"], {"text": MASK}),
        # The longer one first, and none in the mask of another.
        ("abcdef and abc", ["abc", "abcdef"], f"{MASK} and {MASK}"),
        ("abcdef and abc", ["abcdef", "abc"], f"{MASK} and {MASK}"),
        ("hunter2 ***", ["hunter2", "***"], f"{MASK} {MASK}"),
        # Short ones would blank half of the text.
        ("a is in ab, and 12 is 12", ["a", "12", "ab"], "a is in ab, and 12 is 12"),
        ({"password": "ab", "hostname": "ab.example", "n": 12}, ["ab", "12"], None),
        # A pattern is text.
        ("a.c abc", ["a.c"], f"{MASK} abc"),
        ("nothing", [], "nothing"),
        ("nothing", [""], "nothing"),
        (True, ["True"], True),
        (None, ["None"], None),
        # Under a doubtful name, what can be a credential.
        ({"key": "hunter2", "private": {"x": "y"}}, [], {"key": MASK, "private": {"x": MASK}}),
        ({"key": "hostname", "private": ["192.0.2.7", True], "auth": "2026-11-21"}, [], None),
        # By the name beside it.
        ([{"name": "root_password", "value": "x"}], [], [{"name": "root_password", "value": MASK}]),
        ([{"name": "hostname", "value": "x"}], [], None),
        # What a string holds as JSON.
        ({"text": '{"password": "ab c", "n": 1}'}, [], {"text": f'{{"password": "{MASK}", "n": 1}}'}),
        # Credentials in URLs.
        ("see https://me:hunter2@a.example/x", [], f"see https://me:{MASK}@a.example/x"),
        ("https://ghp12345@a.example", [], f"https://{MASK}@a.example"),
        ("postgresql://me@a.example/x", [], None),
        ("ftp://me:p@ss@a.example", [], f"ftp://me:{MASK}@a.example"),
        ("https://a.example/?id=7&token=abc&x=1#pw=2", [], f"https://a.example/?id=7&token={MASK}&x=1#pw={MASK}"),
        ("/reset?key=abc", [], f"/reset?key={MASK}"),
        ("/list?key=hostname&author=me", [], None),
        ("me@example.com, a=b", [], None),
    ],
)
def test_what_is_shown(value: Any, secrets: list[str], shown: Any) -> None:
    before = copy.deepcopy(value)
    if shown is None and value is not None:
        shown = {**value, "password": MASK} if isinstance(value, dict) and "password" in value else value
    assert masked(value, secrets) == shown
    assert value == before


@pytest.mark.parametrize("secrets", [["abc", "abcdef"], ["abcdef", "abc"], {"abcdef", "abc", "b", ""}])
def test_a_text_is_masked_in_any_order_of_its_secrets(secrets: Any) -> None:
    assert masked("abcdefabc b", secrets) == f"{MASK}{MASK} b"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["password", "token"]), inner),
    max_leaves=10,
)


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        yield from texts_in(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    else:
        yield value if isinstance(value, str) else ""


@given(value=JSON, secret=st.text(min_size=3).filter(lambda text: "*" not in text))
def test_no_secret_is_left_in_any_text(value: Any, secret: str) -> None:
    told = [value, {"password": secret, "echo": f"<{secret}>", secret: [json.dumps({"x": secret})]}]
    shown = masked(told, [secret])
    assert not [text for text in texts_in(shown) if secret in text]
    assert masked(shown, [secret]) == shown


RESULTS: list[tuple[dict[str, Any], list[str], list[str], dict[str, Any]]] = [
    ({"msg": "web01 is there"}, ["web"], ["web01"], {"msg": "web01 is there"}),
    ({"msg": "hunter2 is there"}, ["hunter2"], [], {"msg": f"{MASK} is there"}),
    ({"contract": {"pin": 1}}, [], [], {"contract": {"pin": MASK}}),
    ({"a": ["https://me:x@b/"]}, [], [], {"a": [f"https://me:{MASK}@b/"]}),
    ({"a": [{"key": "x"}]}, [], [], {"a": [{"key": MASK}]}),
    ({"a": '{"otp": "x"}'}, [], [], {"a": f'{{"otp": "{MASK}"}}'}),
    ({"a": "\x1b[31m\x9b2J\u202ered\u200b\r\b\ud800"}, [], [], {"a": "�[31m�2J�red����"}),
    ({"a\u2066": ["one\n\ttwo é 世 👍 \xa0"]}, [], [], {"a�": ["one\n\ttwo é 世 👍 \xa0"]}),
]


@pytest.mark.parametrize(("result", "secrets", "names", "shown"), RESULTS)
def test_result_as_it_is_shown(
    result: dict[str, Any], secrets: list[str], names: list[str], shown: dict[str, Any]
) -> None:
    assert masked_result(result, secrets, names=names) == shown


# What the ledger keeps


def test_settings_are_kept_without_secrets_and_contacts() -> None:
    settings = {
        "domain": "example.com",
        "password": "hunter2",
        "authcode": "x",
        "root_token": "t",
        "pin": "1234",
        "boot_word": "5678",
        "key": "hunter5",
        "note": "hunter2, then hunter3",
        "hostname": "hunter2.example.com",
        "ownercData": CONTACT_TEXT,
        "admincRef": "c-1",
        "years": 1,
        "users": [{"name": "deploy", "password": "hunter3"}],
        "config": '{"api_token": "hunter4"}',
    }
    kept = kept_settings(settings, DIGEST_KEY, {"boot_word", "password"})
    assert kept == {
        "domain": "example.com",
        "ownercData": contact_digest(CONTACT_TEXT, DIGEST_KEY),
        "admincRef": "c-1",
        "years": 1,
        "boot_word": WITHHELD,
        "key": WITHHELD,
        "note": f"{MASK}, then {MASK}",
        "hostname": "hunter2.example.com",
        "users": [{"name": "deploy", "password": MASK}],
        "config": f'{{"api_token": "{MASK}"}}',
    }
    assert "Müller" not in str(kept)


@pytest.mark.parametrize("before", range(45))
def test_name_is_found_wherever_it_stands_in_a_large_result(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_PIECE", 40)
    result = {"note": "x" * before, "db_password": "hunter22", "more": "y" * 100}
    assert masked_result(result, ())["db_password"] == MASK


def test_a_digest_tells_a_change_and_needs_the_key() -> None:
    one = contact_digest(CONTACT_TEXT, DIGEST_KEY)
    assert one == contact_digest(CONTACT_TEXT, DIGEST_KEY)
    assert one != contact_digest(CONTACT_TEXT + " ", DIGEST_KEY)
    assert one != contact_digest(CONTACT_TEXT, b"o" * 32)
    assert one.startswith("hmac-sha256:")


def test_additional_elements_are_kept_as_digests() -> None:
    kept = kept_elements({"note": {"b": 1, "a": "ü"}, "other": None}, DIGEST_KEY)
    assert kept == kept_elements({"other": None, "note": {"a": "ü", "b": 1}}, DIGEST_KEY)
    assert set(kept) == {"note", "other"}
    assert all(value.startswith("hmac-sha256:") for value in kept.values())
    assert kept["note"] != kept_elements({"note": {"b": 2, "a": "ü"}}, DIGEST_KEY)["note"]
