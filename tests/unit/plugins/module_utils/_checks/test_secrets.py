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

from ansible_collections.hosting.reseller.plugins.module_utils._checks.secrets import (
    MASK,
    WITHHELD,
    contact_digest,
    kept_contract,
    kept_elements,
    kept_settings,
    masked,
    masked_text,
    secret_values,
)
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import is_secret_name

DIGEST_KEY = b"k" * 32
NOT_KEPT = "(contact data, not kept)"

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


# Names


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "authcode",
        "Password",
        "root_password",
        "rootPassword",
        "password_confirmation",
        "passwd",
        "passphrase",
        "user_pass",
        "pwd",
        "secret",
        "client_secret",
        "token",
        "accessToken",
        "credentials",
        "auth_code",
        "authCode",
        "auth-code",
        "authInfo",
        "epp_code",
        "api_key",
        "apiKey",
        "X-API-Key",
        "private_key",
        "access_key",
        "license_key",
        "licenceKey",
    ],
)
def test_names_that_say_that_they_hold_a_secret(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "hostname",
        "username",
        "template",
        "action",
        "domain",
        "author",
        "ssh_key",
        "public_key",
        "compassion",
        "key",
        "id",
    ],
)
def test_names_that_do_not(name: str) -> None:
    assert not is_secret_name(name)


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
        ({"pin": 123456}, ["123456"], {"pin": MASK}),
        ({"pin": 1234567}, ["123456"], {"pin": 1234567}),
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
    ],
)
def test_what_is_shown(value: Any, secrets: list[str], shown: Any) -> None:
    before = copy.deepcopy(value)
    if shown is None and value is not None:
        shown = {**value, "password": MASK}
    assert masked(value, secrets) == shown
    assert value == before


@pytest.mark.parametrize("secrets", [["abc", "abcdef"], ["abcdef", "abc"], {"abcdef", "abc", "b", ""}])
def test_a_text_is_masked_in_any_order_of_its_secrets(secrets: Any) -> None:
    assert masked_text("abcdefabc b", secrets) == f"{MASK}{MASK} b"


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


# What the ledger keeps


def test_settings_are_kept_without_secrets_and_contacts() -> None:
    settings = {
        "domain": "example.com",
        "password": "hunter2",
        "authcode": "x",
        "root_token": "t",
        "pin": "1234",
        "ownercData": CONTACT_TEXT,
        "admincRef": "c-1",
        "years": 1,
        "users": [{"name": "deploy", "password": "hunter3"}],
        "config": '{"api_token": "hunter4"}',
    }
    kept = kept_settings(settings, DIGEST_KEY, {"pin", "password"})
    assert kept == {
        "domain": "example.com",
        "ownercData": contact_digest(CONTACT_TEXT, DIGEST_KEY),
        "admincRef": "c-1",
        "years": 1,
        "pin": WITHHELD,
        "users": [{"name": "deploy", "password": MASK}],
        "config": f'{{"api_token": "{MASK}"}}',
    }
    assert "Müller" not in str(kept)


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


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ({"id": 7, "status": "new"}, {"id": 7, "status": "new"}),
        ({"password": "hunter2", "note": "hunter2"}, {"password": MASK, "note": MASK}),
        ({"settings": {"ownercData": CONTACT_TEXT}}, {"settings": {"ownercData": NOT_KEPT}}),
        ({"settings": {"ownercData": CONTACT}}, {"settings": {"ownercData": NOT_KEPT}}),
        ({"settings": {"admincData": None}}, {"settings": {"admincData": NOT_KEPT}}),
        ({"echo": CONTACT_TEXT}, {"echo": NOT_KEPT}),
        ({"echo": json.dumps(CONTACT)}, {"echo": NOT_KEPT}),
        ({"echo": f"request was {json.dumps({'name': 'Müller-Ng'})}"}, {"echo": NOT_KEPT}),
        ({"owner": {"lastName": "Müller-Ng", "id": 7}}, {"owner": {"lastName": NOT_KEPT, "id": 7}}),
        ({"owners": [["Al Müller-Ng"]]}, {"owners": [[NOT_KEPT]]}),
        ({"mail": "AL@EXAMPLE.COM"}, {"mail": NOT_KEPT}),
        ({"zip": 89073}, {"zip": NOT_KEPT}),
        # Short ones only where they are what they were given as.
        (
            {"firstName": "Al", "city": "ULM", "country": "DE"},
            dict.fromkeys(("firstName", "city", "country"), NOT_KEPT),
        ),
        ({"vendor": "Al", "city": "Köln", "location": "DE"}, {"vendor": "Al", "city": "Köln", "location": "DE"}),
        ({"company_name": "", "fax": ""}, {"company_name": "", "fax": ""}),
        ({"first_name": None, "active": True}, {"first_name": None, "active": True}),
        ([], []),
        ("Al Müller-Ng", NOT_KEPT),
        (None, None),
    ],
)
def test_what_is_kept_of_an_answer(body: Any, kept: Any) -> None:
    settings = {"domain": "example.org", "ownercData": CONTACT_TEXT, "admincData": None}
    assert kept_contract(body, settings, {"hunter2"}) == kept


@pytest.mark.parametrize("contact", ["no JSON", "[1]", "7", "", None])
def test_whatever_a_contact_is_an_answer_can_be_kept(contact: Any) -> None:
    assert kept_contract({"id": 17, "name": "other"}, {"ownercData": contact}, set()) == {"id": 17, "name": "other"}


def test_without_contacts_an_answer_is_kept_whole() -> None:
    body = {"city": "Ulm", "country": "DE", "first_name": "Al", "template": "Debian 12"}
    assert kept_contract(body, {"hostname": "a.example"}, set()) == body
