# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every rule of sections 2.4, 4.3 and 8: what it accepts at each bound, and what it refuses just past it."""

from __future__ import annotations

import datetime
import json
import math
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._checks.documented import Checked, check_documented
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.domain import CONTACT
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import (
    PRODUCT_TYPES,
    contact_text,
)
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.echoes import MASK

VPS = {"hostname": "web1.example.com", "template": "Debian 12"}
CONFIGURABLE_VPS = {
    "cpu_cores": 2,
    "ram": 2048,
    "disk_size": 20,
    "username": "operator1",
    "password": "correct horse",
    "template_name": "Debian 12",
    "hostname": "web2",
    "ipv4_addresses": 1,
    "traffic_display": 256,
    "backup_count": 7,
    "snapshot_count": 3,
    "ha_upgrade": False,
    "10g_upgrade": True,
}
DEDICATED_SERVER = {"hostname": "db1.example.com", "template": "Debian 12", "ip4_count": 2}
CONTACT_DATA = {
    "label": "customer-0815",
    "first_name": "Zoë",
    "last_name": "Müller",
    "company_name": "Müller & Töchter",
    "street": "Hauptstraße 1",
    "postal_code": "01234",
    "city": "Köln",
    "country": "DE",
    "telephone": "+49.2211234",
    "email": "zoe@example.com",
}
DOMAIN = {"domain": "example.com", "action": "register", "ownercRef": "4711", "admincRef": "4712"}
VALID: Mapping[str, Mapping[str, Any]] = {
    "vps": VPS,
    "configurable_vps": CONFIGURABLE_VPS,
    "dedicated_server": DEDICATED_SERVER,
    "webhosting": {},
    "domain": DOMAIN,
}

LABEL = "a" * 63
LONGEST_NAME = ".".join([LABEL, LABEL, LABEL, "b" * 61])
NAMES_REFUSED_ANYWHERE = [
    "",
    "web_1",
    "-web",
    "web-",
    "a" * 64,
    f"{LONGEST_NAME}c",
    f"{LABEL}.{LABEL}.{LABEL}.{LABEL}",
    "web1.example.com\n",
    " web1.example.com",
    "web1.example.com.",
    "web..example.com",
    "müller.example",
    "web\uff11.example",
    "https://example.com",
    "*.example.com",
    "192.0.2.1",
]
NO_TEXT: list[Any] = [5349, 1.5, True, ["a"], {"a": "b"}, datetime.date(2026, 1, 2), b"abc", float("nan")]
NO_INTEGER: list[Any] = [
    True,
    4.0,
    math.nan,
    "",
    " 4",
    "4\n",
    "4.0",
    "1e3",
    "010",
    "\uff14",
    "true",
    "9" * 5000,
    10**6000,
    [4],
]
NO_BOOLEAN: list[Any] = ["", "maybe", " true", "yes\n", "2", 2, -1, 1.0, 0.0, [True], {"a": True}]

# Product type, setting, values accepted as they are, values refused.
RULES: list[tuple[str, str, list[Any], list[Any]]] = [
    *[
        (
            name,
            "hostname",
            ["a", "web1", "123", "WEB1.Example.COM", "a-b.c", "xn--mller-kva.example", LABEL, LONGEST_NAME],
            [*NAMES_REFUSED_ANYWHERE, *NO_TEXT],
        )
        for name in ("vps", "configurable_vps", "dedicated_server")
    ],
    ("vps", "template", ["Debian 12", "x"], ["", " ", "\n", *NO_TEXT]),
    ("dedicated_server", "template", ["Debian 12", "x"], ["", " ", *NO_TEXT]),
    ("configurable_vps", "template_name", ["Debian 12", "x"], ["", " ", *NO_TEXT]),
    ("configurable_vps", "cpu_cores", [1, 2, 10], [0, 11, -1, *NO_INTEGER]),
    ("configurable_vps", "ram", [1024, 2048, 1024 * 10**6], [0, 1023, 1025, 1536, -1024, *NO_INTEGER]),
    ("configurable_vps", "disk_size", [10, 20, 1000], [0, 9, 11, 15, 999, 1001, 1010, *NO_INTEGER]),
    (
        "configurable_vps",
        "username",
        ["abc", "A1z", "012", "a" * 32],
        ["", "ab", "a" * 33, "abc\n", "a b c", "a-b", "äbc", "ab\uff14", "ab_c", *NO_TEXT],
    ),
    ("configurable_vps", "password", ["x", " ", "pä$$\n", "012345"], ["", *NO_TEXT]),
    ("configurable_vps", "ipv4_addresses", [1, 10], [0, 11, *NO_INTEGER]),
    ("configurable_vps", "traffic_display", [128, 256, 128 * 10**30], [0, 127, 129, 192, *NO_INTEGER]),
    ("configurable_vps", "backup_count", [5, 6, 10**30], [4, 0, *NO_INTEGER]),
    ("configurable_vps", "snapshot_count", [2, 3, 10**30], [1, 0, *NO_INTEGER]),
    ("configurable_vps", "ha_upgrade", [True, False], NO_BOOLEAN),
    ("configurable_vps", "10g_upgrade", [True, False], NO_BOOLEAN),
    ("dedicated_server", "ip4_count", [1, 10], [0, 11, *NO_INTEGER]),
    ("dedicated_server", "ip6_subnet_size", [48, 56, 64], [47, 65, *NO_INTEGER]),
    (
        "dedicated_server",
        "existing_l2vpn",
        ["6f1b2a34-0000-4000-8000-abcdefABCDEF", "00000000-0000-0000-0000-000000000000"],
        [
            "",
            "6f1b2a3400004000800000000000abcd",
            "{6f1b2a34-0000-4000-8000-abcdefabcdef}",
            "urn:uuid:6f1b2a34-0000-4000-8000-abcdefabcdef",
            "6f1b2a34-0000-4000-8000-abcdefabcde",
            "6f1b2a34-0000-4000-8000-abcdefabcdeff",
            "6f1b2a34-0000-4000-8000-abcdefabcdeg",
            "6f1b2a34-0000-4000-8000-abcdefabcdef\n",
            "6f1b2a34-0000-4000-8000-abcdefabcde\uff14",
            *NO_TEXT,
        ],
    ),
    (
        "domain",
        "domain",
        ["a.b", "example.com", "EXAMPLE.com", "xn--mller-kva.example", "a.1", LONGEST_NAME],
        ["example", LABEL, *NAMES_REFUSED_ANYWHERE, *NO_TEXT],
    ),
    ("domain", "action", ["register", "transfer"], ["", "Register", "renew", "register\n", *NO_TEXT]),
    ("domain", "authcode", ["x", "012345", "a b"], ["", " x", "x\n", *NO_TEXT]),
    (
        "domain",
        "nameservers",
        ["ns1.example.net", "ns1.example.net ns2.example.net", LONGEST_NAME],
        [
            "",
            " ",
            [],
            [""],
            [None],
            "ns1.example.net..",
            "ns1.example.net,ns2.example.net",
            "ns1.example.net\u00a0ns2.example.net",
            ["ns1.example.net ns2.example.net"],
            ["ns1.example.net\n"],
            "192.0.2.1",
            f"{LONGEST_NAME}c",
            [["ns1.example.net"]],
            [4],
            {"a": "b"},
            4,
            True,
        ],
    ),
    ("domain", "ownercRef", ["4711", "x"], ["", " ", "4711\n", *NO_TEXT]),
    ("domain", "admincRef", ["4711", "x"], ["", " ", *NO_TEXT]),
]
ACCEPTED = [(name, setting, value) for name, setting, accepted, _refused in RULES for value in accepted]
REFUSED = [(name, setting, value) for name, setting, _accepted, refused in RULES for value in refused]

PERSONAL = ["label", "first_name", "last_name", "street", "postal_code", "city"]
CONTACT_RULES: list[tuple[str, list[Any], list[Any]]] = [
    *[(field, ["x", "Ä ö", "x" * 1000], ["", " ", "\t\n", *NO_TEXT]) for field in PERSONAL],
    ("company_name", ["", "x"], NO_TEXT),
    ("fax", ["", "+49.2211235", "x"], NO_TEXT),
    ("country", ["DE", "de", "No"], ["", "D", "DEU", "D1", "DE\n", "ÄÖ", "\uff24\uff25", *NO_TEXT]),
    (
        "telephone",
        ["+1.2", "+49.2211234", "+999.12345678901234"],
        [
            "",
            "+.2",
            "+1.",
            "+1234.1",
            "+49.123456789012345",
            "49.2211234",
            "+492211234",
            "+49 221 1234",
            "+49.221-1234",
            "+49.2211234\n",
            "+\uff14\uff19.2211234",
            *NO_TEXT,
        ],
    ),
    (
        "email",
        [
            "a@b.c",
            "first.last+tag@mail.example.com",
            "o'neil@example.com",
            f"{'a' * 64}@example.com",
            f"{'a' * 64}@{LABEL}.{LABEL}.{'b' * 61}",
        ],
        [
            "",
            "a",
            "a@",
            "@example.com",
            "a@b@example.com",
            "a b@example.com",
            "a@example",
            "a@-example.com",
            "a@example.com\n",
            "a@example.com.",
            ".a@example.com",
            "a..b@example.com",
            "a,b@example.com",
            "a@192.0.2.1",
            "Zoë <zoe@example.com>",
            "a@müller.example",
            f"{'a' * 65}@example.com",
            f"{'a' * 64}@{LABEL}.{LABEL}.{'b' * 62}",
            *NO_TEXT,
        ],
    ),
]
CONTACT_ACCEPTED = [(field, value) for field, accepted, _refused in CONTACT_RULES for value in accepted]
CONTACT_REFUSED = [(field, value) for field, _accepted, refused in CONTACT_RULES for value in refused]


def checked(name: str, given_settings: Any, **options: Any) -> Checked:
    return check_documented(PRODUCT_TYPES[name], given_settings, **options)


def refusals(result: Checked) -> dict[str, str]:
    """Path to rule; each path once."""
    found = {violation.path: violation.rule for violation in result.violations}
    assert len(found) == len(result.violations)
    assert all(violation.source == "documented" for violation in result.violations)
    return found


def with_contact(contact: Any, setting: str = "ownercData") -> dict[str, Any]:
    other = setting.replace("Data", "Ref")
    return {**{name: value for name, value in DOMAIN.items() if name != other}, setting: contact}


def short_id(value: Any) -> str:
    return repr(value)[:30] if not isinstance(value, int) or value < 10**40 else "huge"


class TestBounds:
    def test_every_setting_of_the_document_is_in_the_table(self) -> None:
        elsewhere = {("dedicated_server", "ip4_subnet_size"), ("domain", "ownercData"), ("domain", "admincData")}
        in_table = {rule[:2] for rule in RULES}
        documented = {(name, setting) for name in VALID for setting in PRODUCT_TYPES[name].settings}
        assert in_table | elsewhere == documented
        assert {field for field, *_rest in CONTACT_RULES} == set(CONTACT["properties"])

    @pytest.mark.parametrize("name", VALID)
    def test_valid_settings_are_sent_as_given(self, name: str) -> None:
        assert checked(name, VALID[name]) == Checked(dict(VALID[name]), (), ())

    @pytest.mark.parametrize(("name", "setting", "value"), ACCEPTED, ids=short_id)
    def test_accepted(self, name: str, setting: str, value: Any) -> None:
        result = checked(name, {**VALID[name], setting: value})
        assert result.violations == ()
        assert result.settings[setting] == value
        assert type(result.settings[setting]) is type(value)

    @pytest.mark.parametrize(("name", "setting", "value"), REFUSED, ids=short_id)
    def test_refused(self, name: str, setting: str, value: Any) -> None:
        assert set(refusals(checked(name, {**VALID[name], setting: value}))) == {f"settings.{setting}"}

    @pytest.mark.parametrize("size", [25, 27, 29])
    def test_ip4_subnet_size_accepted(self, size: int) -> None:
        given_settings = {**VPS, "ip4_subnet_size": size}
        assert checked("dedicated_server", given_settings) == Checked(given_settings, (), ())

    @pytest.mark.parametrize("size", [24, 30, *NO_INTEGER], ids=short_id)
    def test_ip4_subnet_size_refused(self, size: Any) -> None:
        assert set(refusals(checked("dedicated_server", {**VPS, "ip4_subnet_size": size}))) == {
            "settings.ip4_subnet_size"
        }

    @pytest.mark.parametrize(
        ("name", "setting"),
        [(name, setting) for name in VALID for setting in PRODUCT_TYPES[name].schema["required"]],
    )
    @pytest.mark.parametrize("how", ["left out", "null"])
    def test_required(self, name: str, setting: str, how: str) -> None:
        given_settings = {**VALID[name], setting: None}
        if how == "left out":
            del given_settings[setting]
        found = refusals(checked(name, given_settings))
        assert set(found) == {f"settings.{setting}"}
        assert found[f"settings.{setting}"].startswith("required: ")

    def test_all_violations_at_once_in_the_order_of_the_document(self) -> None:
        wrong = {"10g_upgrade": "maybe", "hostname": "a_b", "disk_size": 1005, "ram": 1, "cpu_cores": 11}
        result = checked("configurable_vps", {**CONFIGURABLE_VPS, **wrong, "colour": "red"})
        assert [violation.path for violation in result.violations] == [
            "settings.cpu_cores",
            "settings.ram",
            "settings.disk_size",
            "settings.hostname",
            "settings.10g_upgrade",
            "settings.colour",
        ]
        assert [violation.value for violation in result.violations] == [11, 1, 1005, "a_b", "maybe", "red"]
        assert result.violations[2].rule == "an integer, 10 to 1000, step 10"

    @pytest.mark.parametrize(
        ("setting", "rule"),
        [
            ("cpu_cores", "an integer, 1 to 10, step 1"),
            ("ram", "an integer, 1024 up to ORG_MAX_RAM, step 1024"),
            ("disk_size", "an integer, 10 to 1000, step 10"),
            ("ipv4_addresses", "an integer, 1 to 10, step 1"),
            ("traffic_display", "an integer, 128 or more, step 128"),
            ("backup_count", "an integer, 5 or more, step 1"),
            ("snapshot_count", "an integer, 2 or more, step 1"),
        ],
    )
    def test_a_number_s_rule_tells_its_bounds(self, setting: str, rule: str) -> None:
        assert refusals(checked("configurable_vps", {**CONFIGURABLE_VPS, setting: 0})) == {f"settings.{setting}": rule}

    @pytest.mark.parametrize(
        ("maximum", "ram", "accepted"), [(4096, 4096, True), (4096, 5120, False), (None, 5120, True)]
    )
    def test_org_max_ram(self, maximum: int | None, ram: int, accepted: bool) -> None:
        result = checked("configurable_vps", {**CONFIGURABLE_VPS, "ram": ram}, org_max_ram=maximum)
        assert (result.violations == ()) is accepted
        if not accepted:
            assert refusals(result) == {
                "settings.ram": "an integer, 1024 up to ORG_MAX_RAM, step 1024; ORG_MAX_RAM is 4096"
            }

    def test_org_max_ram_adds_nothing_to_a_wrong_value_or_another_type(self) -> None:
        assert set(refusals(checked("configurable_vps", {**CONFIGURABLE_VPS, "ram": 5000}, org_max_ram=4096))) == {
            "settings.ram"
        }
        assert checked("vps", VPS, org_max_ram=1).violations == ()


class TestExactlyOneOf:
    @pytest.mark.parametrize(
        ("given_settings", "accepted"),
        [
            ({"ip4_subnet_size": 29}, True),
            ({"ip4_count": 1}, True),
            ({"ip4_subnet_size": 29, "ip4_count": None}, True),
            ({"ip4_subnet_size": None, "ip4_count": 1}, True),
            ({}, False),
            ({"ip4_count": None}, False),
            ({"ip4_subnet_size": None, "ip4_count": None}, False),
            ({"ip4_subnet_size": 29, "ip4_count": 1}, False),
        ],
    )
    def test_ip4(self, given_settings: dict[str, Any], accepted: bool) -> None:
        result = checked("dedicated_server", {**VPS, **given_settings})
        assert (result.violations == ()) is accepted
        if not accepted:
            rule = refusals(result)["settings.ip4_subnet_size"]
            assert rule.startswith("give either ip4_subnet_size or ip4_count")
            both = {29, 1} <= set(given_settings.values())
            assert rule.endswith("; here both are given" if both else "; here neither is given")

    def test_ip4_count_null_is_sent_as_written(self) -> None:
        assert checked("dedicated_server", {**VPS, "ip4_subnet_size": 29, "ip4_count": None}).settings == {
            **VPS,
            "ip4_subnet_size": 29,
            "ip4_count": None,
        }
        assert (
            "ip4_subnet_size" not in checked("dedicated_server", {**DEDICATED_SERVER, "ip4_subnet_size": None}).settings
        )

    @pytest.mark.parametrize("contact", ["ownerc", "adminc"])
    @pytest.mark.parametrize(
        ("reference", "data", "accepted"),
        [
            ("4711", None, True),
            (None, CONTACT_DATA, True),
            (None, None, False),
            ("4711", CONTACT_DATA, False),
        ],
    )
    def test_contacts(self, contact: str, reference: Any, data: Any, accepted: bool) -> None:
        result = checked("domain", {**DOMAIN, f"{contact}Ref": reference, f"{contact}Data": data})
        assert (result.violations == ()) is accepted
        if not accepted:
            found = refusals(result)
            assert set(found) == {f"settings.{contact}Ref"}
            assert f"{contact}Data" in found[f"settings.{contact}Ref"]


class TestCoercion:
    @pytest.mark.parametrize(
        ("name", "setting", "value", "sent"),
        [
            ("configurable_vps", "cpu_cores", "4", 4),
            ("configurable_vps", "cpu_cores", "+4", 4),
            ("configurable_vps", "cpu_cores", "10", 10),
            ("configurable_vps", "traffic_display", "128", 128),
            ("dedicated_server", "ip4_count", "3", 3),
            *[
                ("configurable_vps", "ha_upgrade", word, True)
                for word in ("true", "True", "TRUE", "yes", "on", "y", "t", "1", "Y", 1)
            ],
            *[
                ("configurable_vps", "ha_upgrade", word, False)
                for word in ("false", "False", "no", "off", "n", "f", "0", "NO", 0)
            ],
            ("domain", "nameservers", ["ns1.example.net", "ns2.example.net"], "ns1.example.net ns2.example.net"),
            ("domain", "nameservers", ("ns1.example.net",), "ns1.example.net"),
            (
                "domain",
                "nameservers",
                ["ns1.example.net.", "NS1.example.NET", "ns2.example.net"],
                "ns1.example.net ns2.example.net",
            ),
            (
                "domain",
                "nameservers",
                "NS2.example.net ns1.example.net. ns2.example.net.",
                "NS2.example.net ns1.example.net",
            ),
            ("domain", "nameservers", "  ns1.example.net \t\r\n ns2.example.net\n", "ns1.example.net ns2.example.net"),
        ],
        ids=short_id,
    )
    def test_becomes(self, name: str, setting: str, value: Any, sent: Any) -> None:
        result = checked(name, {**VALID[name], setting: value})
        assert result.violations == ()
        assert result.settings[setting] == sent
        assert type(result.settings[setting]) is type(sent)

    @pytest.mark.parametrize(
        ("value", "sent"),
        [(10**1000 - 1, 10**1000 - 1), (10**1000, None), ("9" * 1000, 10**1000 - 1), ("1" + "0" * 1000, None)],
        ids=["number", "larger number", "text", "longer text"],
    )
    def test_a_number_without_a_bound_is_one_that_python_can_print(self, value: Any, sent: int | None) -> None:
        result = checked("configurable_vps", {**CONFIGURABLE_VPS, "backup_count": value})
        assert [violation.path for violation in result.violations] == ([] if sent else ["settings.backup_count"])
        assert sent is None or result.settings["backup_count"] == sent

    @pytest.mark.parametrize(
        ("value", "what"),
        [
            (5349, "an integer"),
            (1.5, "a number"),
            (False, "a boolean"),
            (datetime.date(2026, 1, 2), "a value of type date"),
        ],
    )
    @pytest.mark.parametrize(("name", "setting"), [("configurable_vps", "password"), ("domain", "ownercRef")])
    def test_no_text_is_made_of_anything(self, name: str, setting: str, value: Any, what: str) -> None:
        rule = refusals(checked(name, {**VALID[name], setting: value}))[f"settings.{setting}"]
        assert f"YAML has read it as {what}: quote it" in rule

    def test_settings_are_not_changed_in_place(self) -> None:
        contact = {**CONTACT_DATA, "fax": None}
        given_settings = {**with_contact(contact), "nameservers": ["ns1.example.net"]}
        checked("domain", given_settings)
        assert given_settings == {**with_contact(contact), "nameservers": ["ns1.example.net"]}

    def test_documented_order_first_then_the_rest(self) -> None:
        backwards = dict(reversed([*CONFIGURABLE_VPS.items(), ("zone", {"a": [1]}), ("alpha", None)]))
        result = checked("configurable_vps", backwards, also_known=["zone", "alpha"])
        assert result.violations == ()
        assert list(result.settings) == [*CONFIGURABLE_VPS, "zone"]

    @pytest.mark.parametrize("nothing", [None, {}])
    def test_no_settings(self, nothing: Any) -> None:
        assert checked("webhosting", nothing) == Checked({}, (), ())


class TestContact:
    @pytest.mark.parametrize("setting", ["ownercData", "admincData"])
    @pytest.mark.parametrize("fax", [None, "", "+49.2211235"])
    def test_sent_as_canonical_json(self, setting: str, fax: str | None) -> None:
        expected = (
            '{"label":"customer-0815","first_name":"Zoë","last_name":"Müller","company_name":"Müller & Töchter",'
            '"street":"Hauptstraße 1","postal_code":"01234","city":"Köln","country":"DE","telephone":"+49.2211234",'
            '"email":"zoe@example.com"' + ("}" if fax is None else f',"fax":"{fax}"}}')
        )
        backwards = dict(reversed([*CONTACT_DATA.items(), ("fax", fax)]))
        for form in (backwards, json.dumps(backwards), json.dumps(backwards, indent=4), f" {json.dumps(backwards)}\n"):
            result = checked("domain", with_contact(form, setting))
            assert result.violations == ()
            assert contact_text(result.settings[setting]) == expected

    @pytest.mark.parametrize(("field", "value"), CONTACT_ACCEPTED, ids=short_id)
    def test_accepted(self, field: str, value: str) -> None:
        result = checked("domain", with_contact({**CONTACT_DATA, field: value}))
        assert result.violations == ()
        assert result.settings["ownercData"][field] == value

    @pytest.mark.parametrize(("field", "value"), CONTACT_REFUSED, ids=short_id)
    def test_refused(self, field: str, value: Any) -> None:
        contact = {**CONTACT_DATA, field: value}
        assert set(refusals(checked("domain", with_contact(contact)))) == {f"settings.ownercData.{field}"}

    @pytest.mark.parametrize("field", [field for field in CONTACT["properties"] if field != "fax"])
    def test_required(self, field: str) -> None:
        contact = {name: value for name, value in CONTACT_DATA.items() if name != field}
        for form in (contact, json.dumps(contact), {**contact, field: None}):
            found = refusals(checked("domain", with_contact(form)))
            assert set(found) == {f"settings.ownercData.{field}"}
            assert found[f"settings.ownercData.{field}"].startswith("required: ")

    def test_personal_data_are_not_shown_in_a_mapping_nor_in_a_string(self) -> None:
        data = {**CONTACT_DATA, "postal_code": 98765, "emial": "x", "telephone": "0221 98765"}
        for contact in (data, json.dumps(data)):
            result = checked("domain", with_contact(contact))
            assert {violation.path: violation.value for violation in result.violations} == {
                "settings.ownercData.postal_code": MASK,
                "settings.ownercData.emial": MASK,
                "settings.ownercData.telephone": MASK,
            }
            assert "98765" not in str(result.violations)
        (unreadable,) = checked("domain", with_contact('{"label": "Erika"')).violations
        assert "Erika" not in str(unreadable)

    def test_unknown_field_with_did_you_mean(self) -> None:
        contact = {name: value for name, value in CONTACT_DATA.items() if name != "email"}
        found = refusals(checked("domain", with_contact({**contact, "emial": "zoe@example.com"})))
        assert set(found) == {"settings.ownercData.emial"}
        assert "did you mean email?" in found["settings.ownercData.emial"]

    @pytest.mark.parametrize(
        ("value", "reason"),
        [
            (str(CONTACT_DATA), "Python's notation"),
            ("{'label': 'x'}", "to_json"),
            ("", "it is empty"),
            (" \n", "it is empty"),
            ("not JSON", "not valid JSON"),
            ('{"label": "x"', "not valid JSON"),
            (json.dumps(CONTACT_DATA) + "}", "not valid JSON"),
            ("[" * 100_000, "not valid JSON"),
            ('{"label": ' + "9" * 5000 + "}", "settings.ownercData"),
            ("null", "its JSON is null"),
            ("[]", "its JSON is a list"),
            (json.dumps(json.dumps(CONTACT_DATA)), "its JSON is a string"),
            (4711, "as a mapping or as a string"),
            ([CONTACT_DATA], "as a mapping or as a string"),
            (True, "as a mapping or as a string"),
        ],
        ids=short_id,
    )
    def test_no_contact(self, value: Any, reason: str) -> None:
        result = checked("domain", with_contact(value))
        assert reason in "\n".join(f"{path}: {rule}" for path, rule in refusals_by_prefix(result).items())


def refusals_by_prefix(result: Checked) -> dict[str, str]:
    assert result.violations
    assert all(violation.path.startswith("settings.ownercData") for violation in result.violations)
    return {violation.path: violation.rule for violation in result.violations}


class TestNames:
    @pytest.mark.parametrize(
        ("name", "setting", "meant"),
        [
            ("vps", "hostnam", "hostname"),
            ("vps", "Hostname", "hostname"),
            ("vps", "template_name", "template"),
            ("configurable_vps", "template", "template_name"),
            ("configurable_vps", "cpu_core", "cpu_cores"),
            ("configurable_vps", "10G_upgrade", "10g_upgrade"),
            ("dedicated_server", "ip4_subnet", "ip4_subnet_size"),
            ("domain", "nameserver", "nameservers"),
            ("domain", "ownerc_ref", "ownercRef"),
        ],
    )
    def test_did_you_mean(self, name: str, setting: str, meant: str) -> None:
        found = refusals(checked(name, {**VALID[name], setting: "x"}))
        assert set(found) == {f"settings.{setting}"}
        assert f"did you mean {meant}?" in found[f"settings.{setting}"]

    def test_a_misspelt_required_setting_is_one_violation(self) -> None:
        found = refusals(checked("vps", {"hostnme": "web1", "template": "Debian 12"}))
        assert set(found) == {"settings.hostnme"}
        misspelt = {**{name: value for name, value in DOMAIN.items() if name != "ownercRef"}, "ownerRef": "4711"}
        assert set(refusals(checked("domain", misspelt))) == {"settings.ownerRef"}

    @pytest.mark.parametrize("given_settings", [{"ip4_cont": 1}, {"ip4_cont": 1, "ip4_count": None}])
    def test_a_misspelt_setting_does_not_make_it_another_type(self, given_settings: dict[str, Any]) -> None:
        found = refusals(checked("dedicated_server", {**VPS, **given_settings}))
        assert "did you mean ip4_count?" in found["settings.ip4_cont"]

    def test_setting_of_another_type(self) -> None:
        rule = refusals(checked("vps", {**VPS, "ip6_subnet_size": 64}))["settings.ip6_subnet_size"]
        assert rule == "ip6_subnet_size belongs to dedicated_server, not to vps"

    def test_unknown_without_a_likeness_lists_what_is_known(self) -> None:
        for known in ((), ("hostname",)):
            told = refusals(check_documented(PRODUCT_TYPES["vps"], {**VPS, "xyz": 1}, also_known=known))["settings.xyz"]
            assert told.endswith("allowed: hostname, template")
        assert "needs none" in refusals(checked("webhosting", {"xyz": 1}))["settings.xyz"]

    @pytest.mark.parametrize(
        ("name", "given_settings", "fitting"),
        [
            ("vps", CONFIGURABLE_VPS, "configurable_vps"),
            ("vps", DEDICATED_SERVER, "dedicated_server"),
            ("vps", DOMAIN, "domain"),
            ("configurable_vps", VPS, "vps"),
            ("configurable_vps", DEDICATED_SERVER, "dedicated_server"),
            ("dedicated_server", CONFIGURABLE_VPS, "configurable_vps"),
            ("dedicated_server", DOMAIN, "domain"),
            ("webhosting", VPS, "vps"),
            ("webhosting", DOMAIN, "domain"),
            ("domain", VPS, "vps"),
        ],
    )
    def test_settings_for_another_type_are_one_violation(
        self, name: str, given_settings: Mapping[str, Any], fitting: str
    ) -> None:
        found = refusals(checked(name, given_settings))
        assert set(found) == {"settings"}
        assert f"fits the product type {PRODUCT_TYPES[fitting]}:" in found["settings"]

    @pytest.mark.parametrize(
        ("name", "given_settings", "wrong", "meant"),
        [
            ("configurable_vps", {"template": "debian-12", "cpu_cores": 2}, "template", "template_name"),
            ("configurable_vps", {"template": "debian-12"}, "template", "template_name"),
            ("vps", {"template_name": "debian-12"}, "template_name", "template"),
        ],
    )
    def test_template_of_another_type_in_incomplete_settings_is_a_misspelling(
        self, name: str, given_settings: Mapping[str, Any], wrong: str, meant: str
    ) -> None:
        found = refusals(checked(name, given_settings))
        assert found[f"settings.{wrong}"].endswith(f"did you mean {meant}?")
        assert f"settings.{meant}" not in found

    def test_wrong_values_are_told_along_with_the_wrong_type(self) -> None:
        assert set(refusals(checked("vps", {**CONFIGURABLE_VPS, "hostname": "a_b"}))) == {
            "settings",
            "settings.hostname",
        }

    def test_live_settings_pass_untouched(self) -> None:
        extra = {"ssh_key": "4", "labels": {"a": [1, None, "4"]}, "ha_upgrade": "yes"}
        assert checked("vps", {**VPS, **extra}, also_known=extra).settings == {**VPS, **extra}
        assert set(refusals(checked("vps", {**VPS, **extra}))) == {f"settings.{name}" for name in extra}
        result = checked("domain", with_contact({**CONTACT_DATA, "ssh_key": "4"}), also_known=extra)
        assert set(refusals(result)) == {"settings.ownercData.ssh_key"}

    @pytest.mark.parametrize("value", [math.nan, [math.inf], {1, 2}, b"x", datetime.date(2026, 1, 2), "\ud800"])
    def test_live_settings_that_json_cannot_carry(self, value: Any) -> None:
        assert set(refusals(checked("vps", {**VPS, "extra": value}, also_known=["extra"]))) == {"settings.extra"}

    @pytest.mark.parametrize(("name", "path"), [(True, "settings.True"), (1, "settings.1"), (None, "settings.None")])
    def test_name_that_is_no_string(self, name: Any, path: str) -> None:
        assert set(refusals(checked("vps", {**VPS, name: "x"}))) == {path}

    def test_null_counts_as_not_given_whatever_its_name(self) -> None:
        assert checked("vps", {**VPS, "ip4_count": None, "xyz": None}) == Checked(VPS, (), ())


class TestMessages:
    @pytest.mark.parametrize(
        ("name", "setting", "value", "advice"),
        [
            ("vps", "hostname", "müller.example", "punycode form, xn--mller-kva.example"),
            ("domain", "domain", "straße.example", "punycode form, xn--strae-oqa.example"),
            ("domain", "domain", f"{'ü' * 64}.example", "punycode form"),
            ("domain", "nameservers", "ns1.müller.example", "punycode form, ns1.xn--mller-kva.example"),
            ("domain", "domain", "example.com.", "without the dot"),
            ("vps", "hostname", "web1\n", "trim filter"),
            ("configurable_vps", "username", "admin\n", "trim filter"),
            ("configurable_vps", "backup_count", 8.0, "| int"),
            ("domain", "nameservers", "a,b", "separated by spaces"),
            ("domain", "nameservers", "ns1.example.net, ns2.example.net", "write it without the ','"),
        ],
    )
    def test_says_what_to_do(self, name: str, setting: str, value: Any, advice: str) -> None:
        assert advice in refusals(checked(name, {**VALID[name], setting: value}))[f"settings.{setting}"]

    def test_each_wrong_nameserver_is_named(self) -> None:
        result = checked("domain", {**DOMAIN, "nameservers": ["ns_1", "ns2.example.net", "ns3..", 4]})
        assert [(violation.path, violation.value) for violation in result.violations] == [
            ("settings.nameservers", "ns_1"),
            ("settings.nameservers", "ns3."),
            ("settings.nameservers", 4),
        ]

    @pytest.mark.parametrize(
        ("given_settings", "warned"),
        [
            ({"action": "register", "authcode": "abc-xyz"}, True),
            ({"action": "transfer", "authcode": "abc-xyz"}, False),
            ({"action": "register"}, False),
            ({"action": "register", "authcode": None}, False),
        ],
    )
    def test_authcode_without_a_transfer(self, given_settings: dict[str, Any], warned: bool) -> None:
        result = checked("domain", {**DOMAIN, **given_settings})
        assert result.violations == ()
        assert ["authcode" in warning for warning in result.warnings] == ([True] if warned else [])
        assert "abc-xyz" not in "".join(result.warnings)

    @pytest.mark.parametrize(("password", "warned"), [("hunter22", False), ("hunter 22", False), ("hunter22\n", True)])
    def test_a_password_that_nobody_can_type(self, password: str, warned: bool) -> None:
        result = checked("configurable_vps", {**CONFIGURABLE_VPS, "password": password})
        assert result.settings["password"] == password
        assert ["whitespace" in warning for warning in result.warnings] == ([True] if warned else [])
        assert "hunter" not in "".join(result.warnings)

    @pytest.mark.parametrize("value", [834729, ["hunter22"], {"x": "hunter22"}, "hunter22\ud800"])
    def test_secrets_are_masked(self, value: Any) -> None:
        for result in (
            checked("configurable_vps", {**CONFIGURABLE_VPS, "password": value}),
            checked("domain", {**DOMAIN, "authcode": value}),
        ):
            assert [violation.value for violation in result.violations] == [MASK]
            assert "hunter22" not in str(result.violations)
            assert "834729" not in str(result.violations)

    @pytest.mark.parametrize("name", ["pasword", "Password", "passwrd", "auth_code", "api_key", "root_pw_secret"])
    def test_misspelt_secrets_are_masked(self, name: str) -> None:
        for result in (
            checked("configurable_vps", {**CONFIGURABLE_VPS, name: "hunter22"}),
            checked("domain", with_contact({**CONTACT_DATA, name: "hunter22"})),
            checked("vps", {**VPS, name: math.nan}, also_known=[name]),
        ):
            assert [violation.value for violation in result.violations] == [MASK]

    def test_secrets_for_another_type_are_not_shown(self) -> None:
        for value in ("password=hunter22", ["hunter22"], {"password": "hunter22"}):
            assert "hunter22" not in str(checked("webhosting", value).violations)

    def test_long_and_deep_values_are_told_in_short(self) -> None:
        deep: list[Any] = []
        for _rest in range(50_000):
            deep = [deep]
        wrong = {
            "hostname": deep,
            "template": "x" * 10**6 + "\ud800",
            "y" * 10**5: 1,
            "zone": deep,
            "zone_id": 10**6000,
        }
        wrong |= {"rate": math.nan, "share": math.inf}
        result = checked("vps", wrong, also_known=["zone", "zone_id"])
        assert len(result.violations) == 7
        assert all(len(str(violation)) < 1000 for violation in result.violations)
        json.dumps([violation.as_dict() for violation in result.violations], allow_nan=False).encode()

    def test_many_unknown_settings(self) -> None:
        result = checked("vps", {**VPS, **{f"setting{number}": number for number in range(5000)}})
        assert len(result.violations) == 5000


@pytest.mark.parametrize("value", [4096.0, "4096.0", "+1.5"])
def test_a_fraction_says_how_to_make_it_an_integer(value: Any) -> None:
    """A template that computes gives a number, or with ansible-core up to 2.18 its text."""
    [violation] = check_documented(PRODUCT_TYPES["configurable_vps"], {**CONFIGURABLE_VPS, "ram": value}).violations
    assert "add | int to its template" in violation.rule


def test_without_jsonschema_the_error_names_it() -> None:
    program = """
import sys
sys.modules["jsonschema"] = None
from ansible_collections.hosting.reseller.plugins.module_utils._checks.documented import check_documented
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import MissingLibraryError
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import (
    PRODUCT_TYPES,
    contact_text,
)
try:
    check_documented(PRODUCT_TYPES["webhosting"], {})
except MissingLibraryError as error:
    print(error.library, error)
"""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(
        "jsonschema The Python library jsonschema, needed to check the settings of an order, cannot"
    )


SETTING_NAMES = sorted({name for each in PRODUCT_TYPES.values() for name in each.settings})
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.binary(),
    st.dates(),
    st.sampled_from(["4", "yes", "off", "example.com", "register", "null", "{}", "[]", "1024", 1024, 5, 28]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.text(), st.booleans(), st.integers()), inner, max_size=3),
        st.dictionaries(st.sampled_from(list(CONTACT["properties"])), inner),
    ),
    max_leaves=8,
)
ANYTHING = st.one_of(
    VALUES,
    st.dictionaries(st.one_of(st.sampled_from(SETTING_NAMES), st.text(), st.booleans()), VALUES, max_size=8),
)


@given(
    name=st.sampled_from(sorted(VALID)), value=ANYTHING, also_known=st.lists(st.sampled_from(SETTING_NAMES), max_size=3)
)
def test_no_settings_make_it_raise(name: str, value: Any, also_known: list[str]) -> None:
    result = checked(name, value, also_known=also_known, org_max_ram=8192)
    json.dumps([violation.as_dict() for violation in result.violations], allow_nan=False).encode()
    for violation in result.violations:
        assert violation.path == "settings" or violation.path.startswith("settings.")
        assert violation.rule


@st.composite
def nearly_valid(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Valid settings with a few of them changed, in each form that a playbook may give."""
    name = draw(st.sampled_from(sorted(VALID)))
    changes = {
        "ip4_count": st.sampled_from([None, 1, "10", 11]),
        "ip4_subnet_size": st.sampled_from([None, 25, "29", 30]),
        "nameservers": st.lists(st.from_regex(r"[a-z.]{1,5}", fullmatch=True), max_size=3),
        "ownercRef": st.sampled_from([None, "4711"]),
        "ownercData": st.sampled_from([None, CONTACT_DATA, json.dumps(CONTACT_DATA)]),
        "ha_upgrade": st.sampled_from(["yes", "0", 1, False]),
        "ram": st.integers(1, 9).map(lambda number: number * 1024),
        "password": st.text(),
        "hostname": st.from_regex(r"[a-zA-Z0-9.-]{1,8}", fullmatch=True),
        "template": st.text(),
        "live": VALUES,
    }
    known = {
        setting: values for setting, values in changes.items() if setting in {*PRODUCT_TYPES[name].settings, "live"}
    }
    chosen = draw(st.lists(st.sampled_from(sorted(known)), unique=True))
    return name, {**VALID[name], **{setting: draw(known[setting]) for setting in chosen}}


@given(nearly_valid())
def test_what_is_sent_checks_as_identical(order: tuple[str, dict[str, Any]]) -> None:
    name, given_settings = order
    first = checked(name, given_settings, also_known=["live"])
    if not first.violations:
        json.dumps(first.settings, allow_nan=False).encode()
        assert repr(checked(name, first.settings, also_known=["live"])) == repr(first)


SERVER = VALID["dedicated_server"]


@pytest.mark.parametrize("nothing", [None, "", " "])
def test_a_null_that_was_meant_to_be_a_value_is_refused(nothing: Any) -> None:
    """An older ansible-core makes an empty string of a template that is null."""
    result = checked("dedicated_server", {**SERVER, "existing_l2vpn": nothing})
    (violation,) = result.violations
    assert violation.path == "settings.existing_l2vpn"
    assert violation.rule.endswith("so a value seems to be missing: leave it out if a new L2VPN is wanted")


@pytest.mark.parametrize("nothing", [None, "", " "])
def test_a_null_that_was_meant_to_be_a_value_is_not_known_yet_in_check_mode(nothing: Any) -> None:
    result = checked("dedicated_server", {**SERVER, "existing_l2vpn": nothing}, check_mode=True)
    assert (result.violations, result.not_known) == ((), ("existing_l2vpn",))
    assert "existing_l2vpn" not in result.settings
    # A value is one in check mode, too.
    assert checked("dedicated_server", {**SERVER, "existing_l2vpn": "x"}, check_mode=True).violations


@pytest.mark.parametrize(
    ("kind", "name", "warned"),
    [
        (
            "domain",
            "nameservers",
            "settings.nameservers is null, which counts as not given: the service's own",
        ),
        ("dedicated_server", "ip6_subnet_size", "settings.ip6_subnet_size is null, which counts as not given"),
        ("dedicated_server", "ip4_subnet_size", None),
        ("domain", "authcode", None),
        ("vps", "existing_l2vpn", None),
    ],
)
def test_a_null_that_changes_the_contract_is_told(kind: str, name: str, warned: str | None) -> None:
    given_settings = {key: value for key, value in VALID[kind].items() if key != name}
    if name == "ip4_subnet_size":
        given_settings["ip4_count"] = 1
    result = checked(kind, {**given_settings, name: None})
    assert (result.violations, result.not_known) == ((), ())
    assert name not in result.settings
    assert [warned is not None and warning.startswith(warned) for warning in result.warnings] == [True] * bool(warned)
    assert checked(kind, given_settings).warnings == ()
