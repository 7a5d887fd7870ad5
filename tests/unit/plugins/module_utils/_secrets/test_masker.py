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

from ansible_collections.hosting.reseller.plugins.module_utils._http.answers import service_error
from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import Answer
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.echoes import MASK
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import (
    CONTACT_MASK,
    Masker,
    masked,
    secret_values,
)
from tests.unit.plugins.module_utils._secrets.secret_order import ORDER

# Finding


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"password": "hunter2", "hostname": "a.example"}, {"hunter2"}),
        ({"settings": {"authcode": "x"}}, {"x"}),
        ([{"password": "one"}, {"password": "two"}, {"password": "one"}], {"one", "two"}),
        ({"credentials": {"user": "root", "keys": ["k1", {"deep": "k2"}]}}, {"root", "k1", "k2"}),
        ({"password": 12345}, {"12345"}),
        ({"password": ""}, set()),
        ({"password": None}, set()),
        ({"password": True}, set()),
        ({"hostname": "password"}, set()),
        ({"meta": '{"api_token": "abc", "x": [{"pwd": "def"}]}'}, {"abc", "def"}),
        ({"meta": ' [{"token": "abc"}]'}, {"abc"}),
        ({"meta": '{"token": "abc"'}, set()),
        ({"token": '{"user": "root"}'}, {'{"user": "root"}', "root"}),
        ({7: {"secret": ("a", "b")}}, {"a", "b"}),
        ("hunter2", set()),
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
        ({"password": ""}, [], {"password": MASK}),
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
        ("hunter2 ***", ["hunter2", "***"], f"{MASK} {MASK}"),
        # Short ones would blank half of the text.
        ("a is in ab, and 12 is 12", ["a", "12", "ab"], "a is in ab, and 12 is 12"),
        ({"password": "ab", "hostname": "ab.example", "n": 12}, ["ab", "12"], None),
        # A pattern is text.
        ("a.c abc", ["a.c"], f"{MASK} abc"),
        ("nothing", [""], "nothing"),
        (True, ["True"], True),
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
    ({"a": '{"otp": "x"}'}, [], [], {"a": f'{{"otp": "{MASK}"}}'}),
    ({"a": "\x1b[31m\x9b2J\u202ered\u200b\r\b\ud800"}, [], [], {"a": "�[31m�2J�red����"}),
    ({"a\u2066": ["one\n\ttwo é 世 👍 \xa0"]}, [], [], {"a�": ["one\n\ttwo é 世 👍 \xa0"]}),
]


@pytest.mark.parametrize(("result", "secrets", "names", "shown"), RESULTS)
def test_result_as_it_is_shown(
    result: dict[str, Any], secrets: list[str], names: list[str], shown: dict[str, Any]
) -> None:
    assert Masker(secrets, names=names).result(result) == shown


# Texts and responses


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Hunter/2 ü is too weak", f"{MASK} is too weak"),
        ("Hunter\\/2 \\u00fc, Hunter%2f2%20%c3%bc", f"{MASK}, {MASK}"),
        # The order's name stays, the secret that is a part of it does not stand by itself.
        ("web01.example.org is taken by web", f"web01.example.org is taken by {MASK}"),
        ('Müller-Ng of Haus \\"Sonne%22 7', f"{CONTACT_MASK} of {CONTACT_MASK}"),
        ("MÜLLER-NG", CONTACT_MASK),
        ("call +49.731123 or +49731123 or 731123", f"call {CONTACT_MASK} or {CONTACT_MASK} or {CONTACT_MASK}"),
        ("mail AL@EXAMPLE.COM in 89073", f"mail {CONTACT_MASK} in {CONTACT_MASK}"),
        # Parts of words, short values, the country, and the caller's own label.
        ("Obermüller-Ngo in Ulm, DE, for Al", "Obermüller-Ngo in Ulm, DE, for Al"),
        ("c-4711 is known, order 1890734", "c-4711 is known, order 1890734"),
        ("go to https://me:word1@portal/?token=abc", f"go to https://me:{MASK}@portal/?token={MASK}"),
    ],
)
def test_what_is_kept_of_a_text(text: str, kept: str) -> None:
    assert ORDER.text(text) == kept


@pytest.mark.parametrize("filler", [0, 1975, 1990, 1998, 8000])
def test_answer_is_masked_before_it_is_shortened_and_cleaned(filler: int) -> None:
    secret = "Begin#7 End#9zz"
    for space in (" ", "\n\n \t", "\x00 "):
        told = "x" * filler + " " + secret.replace(" ", space) + " tail"
        for body in (json.dumps({"message": told}), told, f"<html><title>{told}</title></html>"):
            answer = Answer(422, "https://a.example", body.encode(), {"X-Request-Id": f"r-{secret}"})
            error = service_error(answer.masked(Masker({secret})), "the order")
            for text in (error.message, json.dumps(error.results)):
                assert not [part for part in ("Begin", "End", "#9") if part in text]


def test_body_holds_no_contact_data() -> None:
    told = {"message": "Müller-Ng is known", "items": [{"zip": 89073, "phone": "731123"}], "al@example.com": True}
    assert json.loads(ORDER.body(json.dumps(told).encode())) == {
        "message": f"{CONTACT_MASK} is known",
        "items": [{"zip": CONTACT_MASK, "phone": CONTACT_MASK}],
        CONTACT_MASK: True,
    }


def test_message_that_is_json_stays_json_without_secrets() -> None:
    issues = [{"path": ["settings", "password"], "message": 'p"a\\s+w is "weak"'}]
    masker = Masker(['p"a\\s+w', 'x","y'])
    body = json.loads(masker.body(json.dumps({"message": json.dumps(issues), "list": '["x","y"]'}).encode()))
    assert json.loads(body["message"]) == [{**issues[0], "message": f'{MASK} is "weak"'}]
    assert body["list"] == f'["{MASK}"]'


def test_null_is_neither_a_secret_nor_contact_data() -> None:
    masker = Masker(["None", "True"], settings={"ownercData": {"company_name": "None"}})
    content = b'{"error": null, "ok": true, "company": "None"}'
    assert json.loads(masker.body(content)) == {"error": None, "ok": True, "company": MASK}
    assert masker.value([None, True, "None"]) == [None, True, MASK]


def test_error_says_what_is_wrong_with_a_secret() -> None:
    answer = Answer(422, "https://a.example", b'{"errors": {"settings.password": ["is too short"]}}')
    told = service_error(answer.masked(ORDER), "the order")
    assert "settings.password: is too short" in told.message
    silent = Answer(500, "https://a.example", b'{"made": {"rootPw": "kT9x"}, "pin": 4711}')
    told = service_error(silent.masked(ORDER), "the order")
    assert "kT9x" not in told.message
    assert "4711" not in told.message


def test_name_that_equals_a_secret_is_no_name() -> None:
    assert Masker({"hunter2"}, names=["hunter2"]).text("hunter2 is taken") == f"{MASK} is taken"
