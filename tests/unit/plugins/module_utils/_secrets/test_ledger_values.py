# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.ledger_values import (
    WITHHELD,
    contact_digest,
    kept_elements,
    kept_settings,
)
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.needles import MASK
from tests.unit.plugins.module_utils._secrets.secret_order import CONTACT, CONTACT_TEXT, ORDER

DIGEST_KEY = b"k" * 32
CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
L2VPN = "6f0c4a52-6f43-4b3b-b6c6-6b1b5a0e7a11"
# Responses

DATES = {"createdAt": "2026-11-21T10:00:00Z", "renews_on": "2027-11-21"}
STATE = {"id": CONTRACT, "state": "in progress"}


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ({"contract": {**STATE, "rootPw": "kT9x"}}, {"contract": STATE}),
        ({"ips": [{"value": "192.0.2.7", "mac": "00:00:5e:00:53:01"}, "none"]}, {"ips": [{"value": "192.0.2.7"}]}),
        ({"ip6": "2001:db8::/64"}, {"ip6": "2001:db8::/64"}),
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


def test_what_the_ledger_keeps_is_bounded() -> None:
    body = {"ips": [f"10.0.{number // 256}.{number % 256}" for number in range(5000)]}
    assert len(Outcome("ordered", contract=body).masked(ORDER).contract["ips"]) == 200


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
