# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import Answer
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import (
    CONTACT_MASK,
    WITHHELD,
    Masker,
    contact_digest,
    kept_elements,
    kept_settings,
    secret_values,
)
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.recognition import MASK

#: An order with secrets and a contact, and what masks them.
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
SECRETS = {"Hunter/2 ü", "web", "eb01"}
NAMES = ["web01.example.org", "VPS M"]
ORDER = Masker(SECRETS, settings={"hostname": "web01.example.org", "ownercData": CONTACT_TEXT}, kept=NAMES)

# Finding


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"credentials": {"user": "root", "keys": ["k1", {"deep": "k2"}]}}, {"root", "k1", "k2"}),
        ({"password": 12345}, {"12345"}),
        ([{"password": ""}, {"password": None}, {"password": True}], set()),
        ({"meta": ' [{"api_token": "abc", "x": [{"pwd": "def"}]}]'}, {"abc", "def"}),
        ({"meta": '{"token": "abc"', "deep": "[" * 100_000}, set()),
        ({"token": '{"user": "root"}'}, {'{"user": "root"}', "root"}),
        ({7: {"secret": ("a", "b")}}, {"a", "b"}),
    ],
)
def test_values_under_a_secret_name(value: Any, found: set[str]) -> None:
    assert secret_values(value) == found


# Masking


@pytest.mark.parametrize(
    ("value", "secrets", "shown"),
    [
        # Under a secret name, whatever it is.
        ({"password": ""}, [], {"password": MASK}),
        ({"credentials": {"user": "root"}}, [], {"credentials": MASK}),
        ({"password": None, "token": False}, [], {"password": None, "token": False}),
        ({"a": [({"authcode": "x"},)]}, [], {"a": [[{"authcode": MASK}]]}),
        # Wherever it stands.
        ([{"hunter2": ["it was hunter2!", "hunter2"]}], ["hunter2"], [{MASK: [f"it was {MASK}!", MASK]}]),
        ([123456, 1234567, 12.5], ["123456", "12.5"], [MASK, 1234567, MASK]),
        ({"password": "ab", "hostname": "ab.example", "n": 12}, ["ab", "12"], None),
        ([None, True, "None"], ["None", "True"], [None, True, MASK]),
        # Under a doubtful name, what can be a credential.
        ({"key": "hunter2", "private": {"x": "y"}}, [], {"key": MASK, "private": {"x": MASK}}),
        ({"key": "hostname", "private": ["192.0.2.7", True], "auth": "2026-11-21"}, [], None),
        # By the name beside it.
        ([{"name": "root_password", "value": "x"}], [], [{"name": "root_password", "value": MASK}]),
        ([{"name": "hostname", "value": "x"}], [], None),
        # What a string holds as JSON.
        ({"text": '{"password": "a\\"b c", "n": 1}'}, [], {"text": f'{{"password": "{MASK}", "n": 1}}'}),
        # Credentials in URLs.
        ("see https://me:hunter2@a.example/x", [], f"see https://me:{MASK}@a.example/x"),
        ("https://ghp12345@a.example", [], f"https://{MASK}@a.example"),
        ("postgresql://me@a.example/x", [], None),
        ("ftp://me:p@ss@a.example", [], f"ftp://me:{MASK}@a.example"),
        ("https://a.example/?id=7&token=abc&x=1#pw=2", [], f"https://a.example/?id=7&token={MASK}&x=1#pw={MASK}"),
        ("/list?key=hostname&author=me, me@example.com, a=b", [], None),
    ],
)
def test_what_is_shown(value: Any, secrets: list[str], shown: Any) -> None:
    before = copy.deepcopy(value)
    if shown is None and value is not None:
        shown = {**value, "password": MASK} if isinstance(value, dict) and "password" in value else value
    assert Masker(secrets).value(value) == shown
    assert value == before


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ({"msg": "web01 is there, not hunter2"}, {"msg": f"web01 is there, not {MASK}"}),
        ({"contract": {"pin": 1}}, {"contract": {"pin": MASK}}),
        ({"a\u2066": "\x1b[31m\x9b2J\u202ered\u200b\r\b\ud800"}, {"a�": "�[31m�2J�red����"}),
        ({"a": "one\n\té 世 👍 \xa0"}, {"a": "one\n\té 世 👍 \xa0"}),
    ],
)
def test_result_as_it_is_shown(result: dict[str, Any], shown: dict[str, Any]) -> None:
    assert Masker(["web", "hunter2"], kept=["web01"]).result(result) == shown


# Texts and responses


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Hunter\\/2 \\u00fc, Hunter%2f2%20%c3%bc", f"{MASK}, {MASK}"),
        # The order's name stays, the secret that is a part of it does not stand by itself. Words are in all texts.
        ("web01.example.org is taken by eb01", f"web01.example.org is taken by {MASK}"),
        ("the web is taken", "the web is taken"),
        ('MÜLLER-NG of Haus \\"Sonne%22 7', f"{CONTACT_MASK} of {CONTACT_MASK}"),
        ("call +49.731123 or +49731123 or 731123", f"call {CONTACT_MASK} or {CONTACT_MASK} or {CONTACT_MASK}"),
        ("mail AL@EXAMPLE.COM in 89073", f"mail {CONTACT_MASK} in {CONTACT_MASK}"),
        # Parts of words, short values, the country, and the caller's own label.
        ("Obermüller-Ngo in Ulm, DE, for Al", "Obermüller-Ngo in Ulm, DE, for Al"),
        ("\\nM\\u00fcller-Ng, of_müller-ng", f"\\n{CONTACT_MASK}, of_{CONTACT_MASK}"),
        ("x%2520M%25c3%25bcLLER-NG%252520", f"x%2520{CONTACT_MASK}%252520"),
        ("c-4711 is known, order 1890734", "c-4711 is known, order 1890734"),
        ("go to https://me:word1@portal/?token=abc", f"go to https://me:{MASK}@portal/?token={MASK}"),
    ],
)
def test_what_is_kept_of_a_text(text: str, kept: str) -> None:
    assert ORDER.text(text) == kept


WEAK = ["is too short"]


@pytest.mark.parametrize(
    ("masker", "body", "shown"),
    [
        # What is wrong with a secret stays.
        (
            ORDER,
            {"items": [{"zip": 89073}], "al@example.com": True, "errors": {"settings.password": WEAK}},
            {"items": [{"zip": CONTACT_MASK}], CONTACT_MASK: True, "errors": {"settings.password": WEAK}},
        ),
        # What is JSON stays JSON.
        (
            Masker(['p"a\\s+w', 'x","y']),
            {"message": json.dumps([{"message": 'p"a\\s+w is "weak"'}]), "list": '["x","y"]'},
            {"message": json.dumps([{"message": f'{MASK} is "weak"'}]), "list": f'["{MASK}"]'},
        ),
        # Null is neither a secret nor contact data.
        (
            Masker(["None", "True"], settings={"ownercData": {"company_name": "None"}}),
            {"error": None, "ok": True, "company": "None"},
            {"error": None, "ok": True, "company": MASK},
        ),
    ],
)
def test_what_is_shown_of_a_body(masker: Masker, body: dict[str, Any], shown: dict[str, Any]) -> None:
    assert Answer(422, "", json.dumps(body).encode()).masked(masker).json == shown


# What the ledger keeps

DIGEST_KEY = b"k" * 32
CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
L2VPN = "6f0c4a52-6f43-4b3b-b6c6-6b1b5a0e7a11"

DATES = {"createdAt": "2026-11-21T10:00:00Z", "renews_on": "2027-11-21"}
STATE = {"id": CONTRACT, "state": "in progress"}
ADDRESSES = [f"10.0.{number // 256}.{number % 256}" for number in range(5000)]


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ({"contract": {**STATE, "rootPw": "kT9x"}}, {"contract": STATE}),
        ({"ips": [{"value": "192.0.2.7", "mac": "00:00:5e:00:53:01"}, "none"]}, {"ips": [{"value": "192.0.2.7"}]}),
        ({"ip6": "2001:db8::/64"}, {"ip6": "2001:db8::/64"}),
        ({"ips": ADDRESSES}, {"ips": ADDRESSES[:200]}),
        ({**DATES, "birth_date": "1980-01-01"}, DATES),
        ({"l2vpn_id": L2VPN, "token": L2VPN, "resetToken": {"id": L2VPN}}, {"l2vpn_id": L2VPN}),
        # What could be a credential, whatever it is called.
        ({"note": "kT9x", "code": 4711, "number": 12.5}, None),
        ({"status": "kT9x", "state": 7, "id": "kT9x", "date": "kT9x", "ip": "kT9x"}, None),
        # What was sent, in values and in names.
        ({"status": "web", "web": {"status": "active"}, "Hunter/2 ü": {"id": CONTRACT}}, None),
        ({"settings": {"ownercData": CONTACT, "hostname": "web01.example.org"}}, None),
        ([], None),
    ],
)
def test_what_the_ledger_keeps_of_an_answer(body: Any, kept: Any) -> None:
    assert Outcome("ordered", contract_id=CONTRACT, contract=body).masked(ORDER).contract == kept


@pytest.mark.parametrize(
    ("contract_id", "kept"),
    [
        # A part of it is a secret, or it is a contact's city or label.
        ("web-4711", True),
        ("c-4711", True),
        ("c-Hunter%2F2%20%C3%BC", False),
        ("of-AL@example.com", False),
        ('Haus "Sonne" 7', False),
    ],
)
def test_contract_id_is_dropped_only_if_it_holds_a_secret_or_contact_data(contract_id: str, kept: bool) -> None:
    outcome = Outcome("ordered", contract_id=contract_id, contract={"id": contract_id}).masked(ORDER)
    assert outcome.contract_id == (contract_id if kept else None)
    assert outcome.contract == ({"id": contract_id} if kept else None)


# Settings


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


def test_additional_elements_are_kept_as_digests_that_need_the_key() -> None:
    kept = kept_elements({"note": {"b": 1, "a": "ü"}, "other": None}, DIGEST_KEY)
    assert kept == kept_elements({"other": None, "note": {"a": "ü", "b": 1}}, DIGEST_KEY)
    assert set(kept) == {"note", "other"}
    assert all(value.startswith("hmac-sha256:") for value in kept.values())
    assert kept["note"] != kept_elements({"note": {"b": 2, "a": "ü"}}, DIGEST_KEY)["note"]
    assert kept["note"] != kept_elements({"note": {"b": 1, "a": "ü"}}, b"o" * 32)["note"]
