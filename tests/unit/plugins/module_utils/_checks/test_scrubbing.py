# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._checks.scrubbing import CONTACT_MASK, Scrubber
from ansible_collections.hosting.reseller.plugins.module_utils._checks.secrets import MASK
from ansible_collections.hosting.reseller.plugins.module_utils._http.answers import service_error
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Answer
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome

CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
L2VPN = "6f0c4a52-6f43-4b3b-b6c6-6b1b5a0e7a11"
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
SECRETS = {"Hunter/2 ü", "web"}
NAMES = ["web01.example.org", "VPS M"]
SCRUBBER = Scrubber(SECRETS, {"hostname": "web01.example.org", "ownercData": CONTACT_TEXT}, NAMES)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Hunter/2 ü is too weak", f"{MASK} is too weak"),
        ("Hunter\\/2 \\u00fc, Hunter%2f2%20%c3%bc, Hunter/2&#32;&uuml;", f"{MASK}, {MASK}, {MASK}"),
        # The order's name stays, the secret that is a part of it does not stand by itself.
        ("web01.example.org is taken by web", f"web01.example.org is taken by {MASK}"),
        ("Müller-Ng of Haus &quot;Sonne&quot; 7", f"{CONTACT_MASK} of {CONTACT_MASK}"),
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
    assert SCRUBBER.text(text) == kept


@pytest.mark.parametrize("filler", [0, 1975, 1985, 1990, 1995, 1998, 2000, 8000])
@pytest.mark.parametrize("space", [" ", "\n\n \t", "\x00 "])
def test_answer_is_scrubbed_before_it_is_shortened_and_cleaned(filler: int, space: str) -> None:
    secret = "Begin#7 End#9zz"
    scrubber = Scrubber({secret}, {}, [])
    told = "x" * filler + " " + secret.replace(" ", space) + " tail"
    for body in (json.dumps({"message": told}), told, f"<html><title>{told}</title></html>"):
        answer = Answer(422, "https://a.example", body.encode(), {"X-Request-Id": f"r-{secret}"})
        error = service_error(scrubber.answer(answer), "to place the order")
        for text in (error.message, json.dumps(error.results)):
            assert "Begin" not in text
            assert "End" not in text
            assert "#9" not in text


def test_error_says_what_is_wrong_with_a_secret() -> None:
    answer = Answer(422, "https://a.example", b'{"errors": {"settings.password": ["is too short"]}}')
    told = service_error(SCRUBBER.answer(answer), "to place the order")
    assert "settings.password: is too short" in told.message
    silent = Answer(500, "https://a.example", b'{"made": {"rootPw": "kT9x"}, "pin": 4711}')
    told = service_error(SCRUBBER.answer(silent), "to place the order")
    assert "kT9x" not in told.message
    assert "4711" not in told.message


DATES = {"createdAt": "2026-11-21T10:00:00Z", "renews_on": "2027-11-21"}
GATEWAY = {"value": "192.0.2.7", "gateway": "192.0.2.1"}
STATE = {"id": CONTRACT, "state": "in progress"}
KEPT: list[tuple[Any, Any]] = [
    ({"id": CONTRACT, "status": "active"}, {"id": CONTRACT, "status": "active"}),
    ({"contract": {**STATE, "rootPw": "kT9x"}}, {"contract": STATE}),
    ({"ipv4_addresses": ["192.0.2.7", "no address"]}, {"ipv4_addresses": ["192.0.2.7"]}),
    ({"ip6": "2001:db8::/64"}, {"ip6": "2001:db8::/64"}),
    ({"ips": [{**GATEWAY, "mac": "00:00:5e:00:53:01"}]}, {"ips": [GATEWAY]}),
    ({**DATES, "birth_date": "1980-01-01"}, DATES),
    ({"l2vpn_id": L2VPN, "token": L2VPN, "resetToken": {"id": L2VPN}}, {"l2vpn_id": L2VPN}),
    # What could be a credential, whatever it is called.
    ({"note": "kT9x", "value": "kT9x", "initial": "kT9x", "root": "kT9x", "code": 4711, "number": 12.5}, None),
    ({"status": "kT9x", "state": 7, "id": "kT9x", "date": "kT9x", "ip": "kT9x"}, None),
    # What was sent, in values and in names.
    ({"status": "web", "web": {"status": "active"}, "Hunter/2 ü": {"id": CONTRACT}}, None),
    ({"settings": {"ownercData": CONTACT, "hostname": "web01.example.org"}}, None),
    ({"ip": "Hunter/2 ü"}, None),
    ([CONTRACT], None),
    ("active", None),
    (None, None),
    ([], None),
    ({}, None),
]


@pytest.mark.parametrize(("body", "kept"), KEPT)
def test_what_the_ledger_keeps_of_an_answer(body: Any, kept: Any) -> None:
    assert SCRUBBER.outcome(Outcome("ordered", contract_id=CONTRACT, contract=body)).contract == kept


def test_what_the_ledger_keeps_is_bounded() -> None:
    body = {"ips": [f"10.0.{number // 256}.{number % 256}" for number in range(5000)]}
    assert len(SCRUBBER.outcome(Outcome("ordered", contract=body)).contract["ips"]) == 200


@pytest.mark.parametrize(
    ("contract_id", "kept"),
    [
        (CONTRACT, True),
        ("4711", True),
        # A part of it is a secret, or it is a contact's city or name.
        ("web-4711", True),
        ("Ulm", True),
        ("Müller-Ng", True),
        ("c-4711", True),
        ("web", False),
        ("Hunter/2 ü", False),
        ("AL@example.com", False),
        ("+49.731123", False),
        ('Haus "Sonne" 7', False),
    ],
)
def test_contract_id_is_dropped_only_if_it_equals_a_secret_or_contact_data(contract_id: str, kept: bool) -> None:
    outcome = SCRUBBER.outcome(Outcome("ordered", contract_id=contract_id, contract={"id": contract_id}))
    assert outcome.contract_id == (contract_id if kept else None)
    assert outcome.contract == ({"id": contract_id} if kept else None)


def test_name_that_equals_a_secret_is_no_name() -> None:
    assert Scrubber({"hunter2"}, {}, ["hunter2"]).text("hunter2 is taken") == f"{MASK} is taken"
