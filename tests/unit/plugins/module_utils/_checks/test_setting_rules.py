# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every rule of sections 2.4, 4.3 and 8: what it accepts at each bound, and what it refuses just past it."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Collection, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.option import Option
from ansible_collections.hosting.reseller.plugins.module_utils._checks.catalogue_rules import check_catalogue_rules
from ansible_collections.hosting.reseller.plugins.module_utils._checks.setting_rules import (
    Checked,
    check_specification_rules,
)
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import MissingLibraryError
from ansible_collections.hosting.reseller.plugins.module_utils._product_types import dialect
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.domain import CONTACT
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import (
    PRODUCT_TYPES,
    contact_text,
)
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.recognition import MASK
from tests.support.cases import cases
from tests.support.json_values import json_values
from tests.support.order_examples import CONTACT as CONTACT_DATA
from tests.support.order_examples import SETTINGS, with_changes

DEDICATED_SERVER = {"hostname": "db1.example.com", "template": "debian-12", "ip4_count": 2}
DOMAIN = {"domain": "example.com", "action": "register", "ownercRef": "4711", "admincRef": "4712"}
VALID: Mapping[str, Mapping[str, Any]] = {**SETTINGS, "dedicated_server": DEDICATED_SERVER, "domain": DOMAIN}

LABEL = "a" * 63
LONGEST_NAME = ".".join([LABEL, LABEL, LABEL, "b" * 61])
L2VPN = "6f1b2a34-0000-4000-8000-abcdefABCDEF"
NO_NAMES = [
    *("", "web_1", "-web", "web-", "a" * 64, f"{LONGEST_NAME}c", "web1.example.com\n", " web1.example.com"),
    *("web1.example.com.", "web..example.com", "müller.example", "web\uff11.example", "https://example.com"),
    *("*.example.com", "192.0.2.1"),
]
# Values of types and forms that a setting may not have.
NO_TEXT: list[Any] = [5349, 1.5, True, ["a"], {"a": "b"}, datetime.date(2026, 1, 2), b"abc", math.nan, "\ud800"]
NO_INTEGER: list[Any] = [
    *(True, [4], 4.0, math.nan, "4.0", "", "010", " 4", "4\n", "1e3", "\uff14", "true", 10**6000),
]
NO_BOOLEAN: list[Any] = ["maybe", "", " true", "yes\n", "2", 2, -1, 0.0, 1.0, [True], {"a": True}, 10**6000]

#: Product type, setting, values accepted as they are, values refused (API specification 2.4, 4.3 and 8).
RULES: list[tuple[str, str, list[Any], list[Any]]] = [
    *[
        (
            name,
            "hostname",
            ["a", "123", "WEB1.Example.COM", "a-b.c", "xn--mller-kva.example", LABEL, LONGEST_NAME],
            [*NO_NAMES, *NO_TEXT],
        )
        for name in ("vps", "configurable_vps", "dedicated_server")
    ],
    ("vps", "template", ["Debian 12", "x"], ["", " ", *NO_TEXT]),
    ("dedicated_server", "template", ["Debian 12", "x"], ["", " ", *NO_TEXT]),
    ("configurable_vps", "template_name", ["Debian 12", "x"], ["", " ", *NO_TEXT]),
    ("configurable_vps", "cpu_cores", [1, 2, 10], [0, 11, *NO_INTEGER]),
    ("configurable_vps", "ram", [1024, 2048, 1024 * 10**6], [0, 1023, 1025, 1536, *NO_INTEGER]),
    ("configurable_vps", "disk_size", [10, 20, 1000], [0, 9, 11, 15, 1001, 1010, *NO_INTEGER]),
    (
        *("configurable_vps", "username", ["abc", "A1z", "012", "a" * 32]),
        ["ab", "a" * 33, "abc\n", "a b c", "a-b", "äbc", "ab\uff14", "ab_c", *NO_TEXT],
    ),
    ("configurable_vps", "password", ["x", "pä $$", "012345"], ["", " ", "x\n", "x\r", " x", "x\ty", *NO_TEXT]),
    ("configurable_vps", "ipv4_addresses", [1, 10], [0, 11, *NO_INTEGER]),
    ("configurable_vps", "traffic_display", [128, 256, 128 * 10**30], [0, 127, 129, 192, *NO_INTEGER]),
    ("configurable_vps", "backup_count", [5, 6, 10**999], [4, 10**1000, "9" * 5000, *NO_INTEGER]),
    ("configurable_vps", "snapshot_count", [2, 3, 10**30], [1, 0, *NO_INTEGER]),
    ("configurable_vps", "ha_upgrade", [True, False], NO_BOOLEAN),
    ("configurable_vps", "10g_upgrade", [True, False], NO_BOOLEAN),
    ("dedicated_server", "ip4_count", [1, 10], [0, 11, *NO_INTEGER]),
    ("dedicated_server", "ip4_subnet_size", [25, 29], [24, 30, *NO_INTEGER]),
    ("dedicated_server", "ip6_subnet_size", [48, 56, 64], [47, 65, *NO_INTEGER]),
    (
        *("dedicated_server", "existing_l2vpn", [L2VPN, "00000000-0000-0000-0000-000000000000"]),
        ["", L2VPN.replace("-", ""), f"{{{L2VPN}}}", L2VPN[:-1], f"{L2VPN}f", f"{L2VPN[:-1]}g", f"{L2VPN}\n", *NO_TEXT],
    ),
    (
        *("domain", "domain", ["a.b", "example.com", "EXAMPLE.com", "xn--mller-kva.example", "a.1", LONGEST_NAME]),
        ["example", LABEL, *NO_NAMES, *NO_TEXT],
    ),
    ("domain", "action", ["register", "transfer"], ["", "Register", "renew", "register\n", *NO_TEXT]),
    ("domain", "authcode", ["x", "012345", "a b"], ["", " x", "x\n", *NO_TEXT]),
    (
        *("domain", "nameservers", ["ns1.example.net", "ns1.example.net ns2.example.net", LONGEST_NAME]),
        [
            *("", " ", "ns1.example.net..", "ns1.example.net,ns2.example.net", "ns1.example.net\u00a0ns2.example.net"),
            *("192.0.2.1", f"{LONGEST_NAME}c", [], [""], [None], ["ns1.example.net ns2.example.net"], [[]], [4], {}, 4),
        ],
    ),
    ("domain", "ownercRef", ["4711", "x"], ["", " ", "4711\n", *NO_TEXT]),
    ("domain", "admincRef", ["4711", "x"], ["", " ", *NO_TEXT]),
]
#: Control characters, which a registry's own systems obey, and more than a registry takes.
NO_LINE = ["a\nb", "a\x1b[2Jb", "a\tb", "a\x7f", "a\x85b", "x\n", "x" * 256]
CONTACT_RULES: list[tuple[str, list[Any], list[Any]]] = [
    *[
        (field, ["x", "Ä ö", "x" * 255], ["", " ", "\t\n", *NO_LINE, *NO_TEXT])
        for field in ("label", "first_name", "last_name", "street", "postal_code", "city")
    ],
    ("company_name", ["", "x", "x" * 255], [*NO_LINE, *NO_TEXT]),
    ("fax", ["", "+49.2211235", "x"], [*NO_LINE, *NO_TEXT]),
    ("country", ["DE", "de", "No"], ["", "D", "DEU", "D1", "DE\n", "ÄÖ", "\uff24\uff25", *NO_TEXT]),
    (
        *("telephone", ["+1.2", "+49.2211234", "+999.12345678901234"]),
        [
            *("", "+.2", "+1.", "+1234.1", "+49.123456789012345", "49.2211234", "+492211234", "+49 221 1234"),
            *("+49.221-1234", "+49.2211234\n", "+\uff14\uff19.2211234", *NO_TEXT),
        ],
    ),
    (
        "email",
        [
            *("a@b.c", "first.last+tag@mail.example.com", "o'neil@example.com", f"{'a' * 64}@example.com"),
            f"{'a' * 64}@{LABEL}.{LABEL}.{'b' * 61}",
        ],
        [
            *("", "a", "a@", "@example.com", "a@b@example.com", "a b@example.com", "a@example", "a@-example.com"),
            *("a@example.com\n", "a@example.com.", ".a@example.com", "a..b@example.com", "a,b@example.com"),
            *("a@192.0.2.1", "Zoë <zoe@example.com>", "a@müller.example", f"{'a' * 65}@example.com"),
            *(f"{'a' * 64}@{LABEL}.{LABEL}.{'b' * 62}", *NO_TEXT),
        ],
    ),
]

#: Settings that cannot be beside one another.
BESIDE: dict[str, dict[str, Any]] = {"ip4_subnet_size": {"ip4_count": ...}}
TRUE, FALSE = ("True", "yes", "on", "y", "t", "1", 1), ("FALSE", "no", "off", "n", "f", "0", 0)
NINES, DATE = 10**1000 - 1, datetime.date(2026, 1, 2)


def owner(contact: Any) -> dict[str, Any]:
    """The owner's contact in place of its reference."""
    return {"ownercRef": ..., "ownercData": contact}


def checked(name: str, changes: Mapping[Any, Any], **options: Any) -> Checked:
    """Valid settings with these changes, judged."""
    return check_specification_rules(PRODUCT_TYPES[name], with_changes(VALID[name], changes), **options)


def refusals(result: Checked, listed: Collection[str] = ()) -> dict[str, str]:
    """Path to rule and fix; each path once."""
    violations = result.violations_among(listed)
    found = {each.path.removeprefix("settings."): "; ".join(filter(None, each[2::2])) for each in violations}
    assert len(found) == len(violations)
    assert all(violation.source == "specification" for violation in violations)
    return found


# The rules


def test_every_setting_of_the_document_is_in_the_table() -> None:
    contacts = {("domain", "ownercData"), ("domain", "admincData")}
    documented = {(name, setting) for name in VALID for setting in PRODUCT_TYPES[name].settings}
    assert {rule[:2] for rule in RULES} | contacts == documented
    assert {field for field, *_rest in CONTACT_RULES} == set(CONTACT["properties"])


@pytest.mark.parametrize(
    ("name", "setting", "accepted", "refused"), RULES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_setting(name: str, setting: str, accepted: list[Any], refused: list[Any]) -> None:
    for value in accepted:
        result = checked(name, {**BESIDE.get(setting, {}), setting: value})
        assert (result.violations, result.settings[setting]) == ((), value)
        assert type(result.settings[setting]) is type(value)
    for value in refused:
        assert {*refusals(checked(name, {**BESIDE.get(setting, {}), setting: value}))} == {setting}, value


@pytest.mark.parametrize(
    ("field", "accepted", "refused"), CONTACT_RULES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_field_of_a_contact(field: str, accepted: list[Any], refused: list[Any]) -> None:
    for value in accepted:
        result = checked("domain", owner({**CONTACT_DATA, field: value}))
        assert (result.violations, result.settings["ownercData"][field]) == ((), value)
    for value in refused:
        assert {*refusals(checked("domain", owner({**CONTACT_DATA, field: value})))} == {f"ownercData.{field}"}, value


@pytest.mark.parametrize(
    ("name", "setting"), [(name, setting) for name in VALID for setting in PRODUCT_TYPES[name].schema["required"]]
)
def test_required(name: str, setting: str) -> None:
    for nothing in (None, ...):
        ((path, rule),) = refusals(checked(name, {setting: nothing})).items()
        assert (path, rule.partition(": ")[0]) == (setting, "required")


def test_all_violations_at_once_in_the_order_of_the_document() -> None:
    wrong = {"10g_upgrade": "maybe", "hostname": "a_b", "disk_size": 1005, "ram": 1, "cpu_cores": 11, "colour": "red"}
    violations = checked("configurable_vps", wrong).violations_among([])
    in_order = ["cpu_cores", "ram", "disk_size", "hostname", "10g_upgrade", "colour"]
    assert [(each.path, each.value) for each in violations] == [(f"settings.{x}", wrong[x]) for x in in_order]
    assert violations[2].rule == "an integer in GB, 10 to 1000, step 10"


@pytest.mark.parametrize(
    ("maximum", "ram", "rule"),
    [
        (4096, 4096, None),
        (4096, 5120, "an integer in MB, 1024 up to ORG_MAX_RAM, step 1024; ORG_MAX_RAM is 4096"),
        (4096, 5000, "an integer in MB, 1024 up to ORG_MAX_RAM, step 1024"),
        (None, 5120, None),
    ],
)
def test_org_max_ram(maximum: int | None, ram: int, rule: str | None) -> None:
    result = checked("configurable_vps", {"ram": ram}, org_max_ram=maximum)
    assert refusals(result) == ({} if rule is None else {"ram": rule})
    assert checked("vps", {}, org_max_ram=1).violations == ()


EITHER = "give either ip4_subnet_size or ip4_count"
WITHOUT_CITY = {name: value for name, value in CONTACT_DATA.items() if name != "city"}
DID_YOU_MEAN = ": did you mean {}?"


@pytest.mark.parametrize(
    ("name", "changes", "path", "words"),
    [
        # Exactly one of two.
        ("dedicated_server", {"ip4_count": ...}, "ip4_subnet_size", [EITHER, "; here neither is given"]),
        ("dedicated_server", {"ip4_count": None, "ip4_subnet_size": None}, "ip4_subnet_size", ["; here neither is"]),
        ("dedicated_server", {"ip4_subnet_size": 29}, "ip4_subnet_size", [EITHER, "; here both are given"]),
        *(
            ("domain", {f"{contact}Ref": reference, f"{contact}Data": data}, f"{contact}Ref", [f"{contact}Data", words])
            for contact in ("ownerc", "adminc")
            for reference, data, words in ((None, None, "neither is given"), ("4711", CONTACT_DATA, "both are given"))
        ),
        # Values that YAML changed, and those that a template computes.
        ("configurable_vps", {"password": 5349}, "password", ["YAML has read it as an integer: quote it"]),
        ("configurable_vps", {"password": DATE}, "password", ["YAML has read it as a value of type date: quote it"]),
        ("configurable_vps", {"password": "a\ud800"}, "password", ["bytes that are not UTF-8"]),
        ("configurable_vps", {"ram": 4096.0}, "ram", ["write 4096, or in a template add | int"]),
        ("configurable_vps", {"ram": 1.5}, "ram", ["write an integer, or in a template add | int"]),
        ("configurable_vps", {"username": "admin\n"}, "username", ["trim filter"]),
        # Contacts.
        ("domain", owner(" \n"), "ownercData", ["it is empty"]),
        ("domain", owner("not JSON"), "ownercData", ["not valid JSON"]),
        ("domain", owner("[" * 100_000), "ownercData", ["not valid JSON"]),
        ("domain", owner(json.dumps(json.dumps(CONTACT_DATA))), "ownercData", ["its JSON is a string"]),
        ("domain", owner(4711), "ownercData", ["as a mapping or as a string"]),
        ("domain", owner(WITHOUT_CITY), "ownercData.city", ["required: "]),
        ("domain", owner(json.dumps(WITHOUT_CITY)), "ownercData.city", ["required: "]),
        ("domain", owner({**WITHOUT_CITY, "city": None}), "ownercData.city", ["required: "]),
        # Unknown names. What is misspelt is not missing, too.
        ("vps", {"Hostname": "x"}, "Hostname", [DID_YOU_MEAN.format("hostname")]),
        ("domain", owner({**CONTACT_DATA, "emial": "x"}), "ownercData.emial", [DID_YOU_MEAN.format("email")]),
        ("vps", {"hostname": ..., "hostnme": "web1"}, "hostnme", [DID_YOU_MEAN.format("hostname")]),
        ("domain", {"ownercRef": ..., "ownerRef": "1"}, "ownerRef", [DID_YOU_MEAN.format("ownercRef")]),
        ("dedicated_server", {"ip4_count": ..., "ip4_cont": 1}, "ip4_cont", [DID_YOU_MEAN.format("ip4_count")]),
        ("vps", {"ip6_subnet_size": 1}, "ip6_subnet_size", ["belongs to dedicated_server, not to vps"]),
        ("vps", {"xyz": 1}, "xyz", ["of the product type vps (regular VPS); allowed: hostname, template, extra"]),
        ("webhosting", {"xyz": 1}, "xyz", ["of the product type webhosting, which needs none"]),
        ("vps", {True: "x"}, "True", ["unknown setting"]),
    ],
    ids=lambda each: str(each)[:30],
)
def test_refusal_names_the_path_and_what_is_wrong(name: str, changes: Any, path: str, words: list[str]) -> None:
    found = refusals(checked(name, changes), ["extra"] if name == "vps" else [])
    assert [*found] == [path]
    assert [each for each in words if each not in found[path]] == []


@pytest.mark.parametrize(
    ("name", "changes", "sent"),
    [
        *((name, {}, {}) for name in VALID),
        # A null is sent as written where it counts as a value, and left out where it counts as not given.
        ("dedicated_server", {"ip4_count": ..., "ip4_subnet_size": 29}, {"ip4_count": ..., "ip4_subnet_size": 29}),
        ("dedicated_server", {"ip4_count": None, "ip4_subnet_size": 29}, {"ip4_count": None, "ip4_subnet_size": 29}),
        ("dedicated_server", {"ip4_subnet_size": None}, {}),
        ("domain", {"ownercData": None}, {}),
        ("domain", {"admincRef": None, "admincData": CONTACT_DATA}, {"admincRef": ..., "admincData": CONTACT_DATA}),
        ("configurable_vps", {"cpu_cores": "+4", "backup_count": "9" * 1000}, {"cpu_cores": 4, "backup_count": NINES}),
        *[("configurable_vps", {"ha_upgrade": word}, {"ha_upgrade": True}) for word in TRUE],
        *[("configurable_vps", {"ha_upgrade": word}, {"ha_upgrade": False}) for word in FALSE],
        ("domain", {"nameservers": ("ns1.example.net",)}, {"nameservers": "ns1.example.net"}),
        ("domain", {"nameservers": ["a.example.", "A.EXAMPLE", "b.net"]}, {"nameservers": "a.example b.net"}),
        ("domain", {"nameservers": "  A.example \t\r\n b.net. a.example.\n"}, {"nameservers": "A.example b.net"}),
    ],
    ids=lambda each: str(each)[:30],
)
def test_is_sent_as(name: str, changes: Any, sent: Any) -> None:
    result = checked(name, changes)
    assert (result.violations, result.warnings, result.not_known) == ((), (), ())
    assert json.dumps(result.settings, sort_keys=True) == json.dumps(with_changes(VALID[name], sent), sort_keys=True)


# Contacts


@pytest.mark.parametrize("fax", [None, "", "+49.1"])
def test_contact_is_sent_as_canonical_json(fax: str | None) -> None:
    expected = {name: value for name, value in {**CONTACT_DATA, "fax": fax}.items() if value is not None}
    backwards = dict(reversed({**CONTACT_DATA, "fax": fax}.items()))
    for form in (backwards, json.dumps(backwards), f" {json.dumps(backwards, indent=4)}\n"):
        result = checked("domain", owner(form))
        assert result.violations == ()
        sent = json.dumps(expected, ensure_ascii=False, separators=(",", ":"))
        assert contact_text(result.settings["ownercData"]) == sent


def test_personal_data_are_not_shown_in_a_mapping_nor_in_a_string() -> None:
    data = {**CONTACT_DATA, "postal_code": 98765, "emial": "x", "telephone": "0221 98765"}
    for contact in (data, json.dumps(data)):
        result = checked("domain", owner(contact))
        assert [violation.value for violation in result.violations] == [MASK] * 3
        assert "98765" not in str(result.violations)
    assert "Erika" not in str(checked("domain", owner('{"label": "Erika"')).violations)


# Settings of the rules of the catalogue


def test_live_settings_pass_untouched() -> None:
    extra = {"ssh_key": "4", "labels": {"a": [1, None, "4"]}, "ha_upgrade": "yes"}
    assert checked("vps", extra).settings == {**VALID["vps"], **extra}
    assert set(refusals(checked("vps", extra))) == {*extra}
    for value in (math.nan, [math.inf], {1, 2}, b"x", DATE, "\ud800"):
        assert {*refusals(checked("vps", {"extra": value}), ["extra"])} == {"extra"}
    contact = {**CONTACT_DATA, "ssh_key": "4"}
    assert set(refusals(checked("domain", owner(contact)), extra)) == {"ownercData.ssh_key"}


# What people write


@cases("settings")
def test_what_people_write_is_refused_with_what_is_right(case: dict[str, Any]) -> None:
    for setting in case["setting"]:
        for value in case["given"]:
            is_field = setting in CONTACT["properties"]
            name = (
                "domain" if is_field else next(name for name, each in PRODUCT_TYPES.items() if setting in each.settings)
            )
            more = owner({**CONTACT_DATA, setting: value}) if is_field else {setting: value}
            kind = PRODUCT_TYPES[name]
            result = checked(name, more)
            listed, sent = check_catalogue_rules(result.settings, (), documented=kind.settings)
            found = [*result.violations, *listed]
            said, warned = "\n".join(map(str, found)), "\n".join(result.warnings)
            assert bool(found) == ("refused" in case), (value, said)
            assert all(words in said for words in case.get("refused", ())), (value, said)
            assert all(words in warned for words in case.get("warned", ())), (value, warned)
            assert bool(warned) == ("warned" in case or setting == "authcode"), warned
            assert "hidden" not in case or case["hidden"] not in said
            assert found or (sent["ownercData"] if is_field else sent)[setting] == value


def test_a_text_of_several_lines_that_only_the_service_knows_is_sent() -> None:
    key = "-----BEGIN KEY-----\nabc\n-----END KEY-----\n"
    for text, broken in ((key, 0), (key.replace("\n", "\r\n"), 0), ("#!\tx", 0), ("x\n", 1), ("x ", 1), ("a\x1bb", 1)):
        found, sent = check_catalogue_rules({"user_data": text}, (), documented=())
        assert (len(found), sent) == (broken, {"user_data": text}), text
    (violation,), _sent = check_catalogue_rules({"pin": "4711\n"}, [Option("pin", secret=True)], documented=())
    assert violation.value == MASK


# Messages


def test_each_wrong_nameserver_is_named() -> None:
    violations = checked("domain", {"nameservers": ["ns_1", "ns2.example.net", "ns3..", 4]}).violations
    assert [(each.path, each.value) for each in violations] == [
        ("settings.nameservers", name) for name in ("ns_1", "ns3.", 4)
    ]


@pytest.mark.parametrize(("name", "setting"), [("configurable_vps", "password"), ("domain", "authcode")])
@pytest.mark.parametrize("value", [834729, ["hunter22"], {"x": "hunter22"}, "hunter22\ud800"])
def test_secrets_are_masked(name: str, setting: str, value: Any) -> None:
    (violation,) = checked(name, {setting: value}).violations
    assert violation.value == MASK
    assert not re.search("hunter22|834729", str(violation))
    for shown in ({"password": value}, {"pasword": value}, {"auth_code": value}):
        assert "hunter22" not in str(check_specification_rules(PRODUCT_TYPES["webhosting"], shown).violations)


def test_long_and_deep_values_are_told_in_short() -> None:
    deep: list[Any] = []
    for _rest in range(50_000):
        deep = [deep]
    wrong = {"hostname": deep, "template": "x" * 10**6 + "\ud800", "y" * 10**5: 1, "zone": deep, "id": 10**6000}
    violations = checked("vps", {**wrong, "rate": math.nan}).violations_among(["zone", "id"])
    assert len(violations) == 6
    assert violations[0].value == "a list"
    assert all(len(str(violation)) < 1000 for violation in violations)
    json.dumps([violation._asdict() for violation in violations], allow_nan=False).encode()


def test_without_jsonschema_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect, "JSONSCHEMA_ERROR", ImportError("No module named 'jsonschema'"))
    with pytest.raises(MissingLibraryError, match="jsonschema, needed to check the settings of an order, cannot"):
        check_specification_rules(PRODUCT_TYPES["webhosting"], {})


SETTING_NAMES = sorted({name for each in PRODUCT_TYPES.values() for name in each.settings})
VALUES = json_values(
    " ".join(CONTACT["properties"]), "4", "yes", "example.com", "{}", "[]", 1024, b"x", datetime.date.min
)


@given(st.sampled_from(sorted(VALID)), st.dictionaries(st.sampled_from(SETTING_NAMES) | st.text(), VALUES, max_size=4))
def test_no_settings_make_it_raise(name: str, settings: dict[str, Any]) -> None:
    result = check_specification_rules(PRODUCT_TYPES[name], settings, org_max_ram=8192)
    violations = result.violations_among(SETTING_NAMES[::9])
    json.dumps([violation._asdict() for violation in violations], allow_nan=False).encode()
    assert all(re.match(r"settings\.", violation.path) and violation.rule for violation in violations)
