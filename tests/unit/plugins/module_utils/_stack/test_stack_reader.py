# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stack files: what becomes of each part, and all that can be wrong, with its place. Which server joins which L2VPN."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._checks.setting_rules import check_specification_rules
from ansible_collections.hosting.reseller.plugins.module_utils._core.yaml_reader import Document, read_yaml
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Outcome,
    Record,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from ansible_collections.hosting.reseller.plugins.module_utils._stack.stack_contracts import L2vpns, Stack, l2vpns_of
from ansible_collections.hosting.reseller.plugins.module_utils._stack.stack_reader import read_stack

END_USER = "d19f51a8-e747-452b-89a9-286bfa544c77"
L2VPN = "7b4f0c52-3d5c-4f0e-9d3e-0f1b2c3d4e5f"
CONTACT = (
    "{label: l, first_name: Erika, last_name: Mustermann, company_name: '', street: Heidestr. 17, "
    "postal_code: '51147', city: Köln, country: DE, telephone: '+49.2211234567', email: erika@example.org}"
)
CONTACTS = f"contacts:\n  erika: {CONTACT}\n  max: {CONTACT.replace('Erika', 'Max').replace('label: l', 'label: m')}\n"
VPS = "product: VPS M, template: debian-12"
A = f"hostname: a.example.org, {VPS}"
SERVER = "product: Server, template: debian-12, ip4_count: 1"


def read(text: str, *, end_user: str = f"end_user: {END_USER}\n", **outer: Any) -> Stack:
    """The stack in a file whose first line is the end-user, judged as its orders are."""
    return judged(read_stack(read_yaml(end_user + textwrap.dedent(text)), **outer))


def judged(stack: Stack) -> Stack:
    for contract in stack.contracts:
        stack.report(contract, check_specification_rules(contract.kind, contract.settings, check_mode=True).violations)
    return stack


def shown(stack: Stack) -> list[str]:
    return [problem.shown("f") for problem in stack.document.problems]


def contracts(kind: str, *entries: str) -> str:
    """The contracts of one kind, the first in line 4 of the file when nothing else precedes."""
    return f"contracts:\n  {kind}:\n" + "".join(f"    - {{{entry}}}\n" for entry in entries)


WHOLE = f"""\
{CONTACTS}
x-common: &common {{template: debian-12}}
products: {{web: VPS M, homepage: Webhosting Start}}
defaults:
  vps: {{product: web}}
contracts:
  vps:
    - {{<<: *common, hostname: web01.example.org}}
    - {{<<: *common, hostname: web02.example.org, product: VPS L, settings: {{beta: 1}}}}
  webhosting:
    - {{name: home, product: homepage, additional_elements: {{note: x}}}}
  domain:
    - {{domain: example.org, action: register, contact: erika}}
  configurable_vps:
"""


def test_a_whole_stack() -> None:
    stack = read(WHOLE)
    assert shown(stack) == []
    orders = [stack.requested(each, L2vpns(), {}) for each in stack.contracts]
    assert [(order.name, order.product_type, order.product) for order in orders] == [
        ("web01.example.org", "vps", "VPS M"),
        ("web02.example.org", "vps", "VPS L"),
        ("home", "webhosting", "Webhosting Start"),
        ("example.org", "domain", None),
    ]
    assert {order.end_user for order in orders} == {END_USER}
    assert orders[1].settings == {"hostname": "web02.example.org", "template": "debian-12", "beta": 1}
    assert [order.additional_elements for order in orders] == [{}, {}, {"note": "x"}, {}]
    domain = orders[3].settings
    assert domain["ownercData"]["first_name"] == domain["admincData"]["first_name"] == "Erika"


def assert_problems(stack: Stack, expected: list[str]) -> None:
    """These problems and no others, in the order of their places; they may say more."""
    texts = shown(stack)
    assert len(texts) == len(expected), texts
    for text, begin in zip(texts, expected, strict=True):
        assert text.startswith(begin)


# What each mistake is called, in the order of their places; what follows from one is not told, too.

MISTAKES = f"""\
contakts: {{}}
vps: []
x-list: &list {{product: VPS M, template: []}}
products: {{web: }}
contacts:
  erika: C-1
  max: {CONTACT.replace("{", "{vat: x, ")}
defaults:
  dedicated_server: {{ip4_cout: 1, template: []}}
  webhosting: []
contracts:
  vpss: []
  configurable_vps: {{hostname: a.example.org}}
  vps:
    - web01
    - {{hostname: a.example.org, template: x, prodct: x}}
    - {{hostname: b.example.org, template: x}}
    - {{hostname: c.example.org, product: x}}
    - {{hostname: d.example.org, product: x, tempalte: x}}
    - {{hostname: e.example.org, product: x, template: x, settings: {{template: x}}}}
    - {{hostname: f.example.org, product: x, template: x, name: 1}}
    - {{hostname: D.example.org, product: x, template: x}}
    - {{hostname: g.example.org, product: x, template: x, name: f}}
    - {{hostname: h.example.org, product: x, template: x, name: f}}
    - {{<<: *list, hostname: i.example.org}}
    - {{hostname: j.example.org, product: x, template: !vault x}}
  webhosting:
    - {{nam: x, product: x}}
    - {{product: x}}
  domain:
    - {{domain: example.org, action: register, contct: erika}}
    - {{domain: example.net, action: register, owner: erika, admin: max}}
    - {{domain: example.com, action: register, owner: erica, ownercRef: C-1, admincRef: C-1}}
    - {{domain: example.de, action: register, contact: mx}}
    - {{domain: example.at, action: register, ownercRef: C-1}}
  dedicated_server:
    - {{hostname: k.example.org, product: x}}
    - {{hostname: l.example.org, product: x, ip4_count: 1, l2vpn_of: a, existing_l2vpn: {L2VPN}}}
    - {{hostname: m.example.org, product: x, ip4_count: 1, l2vpn_of: 1}}
    - {{hostname: n.example.org, product: x, ip4_count: 1, l2vpn_of: nobody}}
    - {{hostname: o.example.org, product: x, ip4_count: 1, l2vpn_of: p.example.org}}
    - {{hostname: p.example.org, product: x, ip4_count: 1, l2vpn_of: p.example.org}}
"""


def test_each_mistake_is_told_with_its_place() -> None:
    expected = [
        "f:2:1: contakts: unknown key; did you mean contacts?",
        "f:3:1: vps: contracts of this kind belong below contracts, as contracts.vps",
        "f:4:32: contracts.vps[10].template: ",
        "f:5:12: products.web: the name or UUID of a product, not null",
        "f:7:3: contacts.erika: it is not valid JSON: Expecting value: line 1 column 1 (char 0) (given: ",
        "f:8:9: contacts.max.vat: unknown field of the contact payload",
        "f:10:22: defaults.dedicated_server.ip4_cout: unknown key; did you mean ip4_count?",
        "f:10:35: defaults.dedicated_server.template: ",
        "f:11:3: defaults.webhosting: a mapping of what all contracts of the kind webhosting say, not a list",
        "f:13:3: contracts.vpss: unknown kind of contract; did you mean vps?",
        "f:14:3: contracts.configurable_vps: a list of contracts, not a mapping: begin each contract with a dash",
        "f:16:7: contracts.vps[0]: a mapping of what the contract says, not a string",
        "f:17:46: contracts.vps[1].prodct: unknown key; did you mean product?",
        "f:18:7: contracts.vps[2].product: required: one of products (web), or the name or UUID of a product in the",
        "f:19:7: contracts.vps[3].template: required: ",
        "f:20:45: contracts.vps[4].tempalte: unknown key; did you mean template? (a setting that only the ",
        "f:21:69: contracts.vps[5].settings.template: this is given twice, also outside of settings",
        "f:22:58: contracts.vps[6].name: a text, not an integer: quote it",
        "f:23:8: contracts.vps[7].hostname: the names 'd.example.org' and 'D.example.org' look alike (the other: ",
        "f:25:58: contracts.vps[9].name: two contracts have the name f (the other: contracts.vps[8], line 24): give",
        "f:27:55: contracts.vps[11].template: !vault has no place in this file",
        "f:29:8: contracts.webhosting[0].nam: unknown key",
        "f:30:7: contracts.webhosting[1].name: required: by its name a second run knows",
        "f:32:47: contracts.domain[0].contct: unknown key; did you mean contact? ",
        "f:34:47: contracts.domain[2].owner: owner and ownercRef say the same: leave one",
        "f:35:46: contracts.domain[3].contact: contacts has no mx; did you mean max?",
        "f:36:7: contracts.domain[4].admincRef: give either admincRef",
        "f:39:59: contracts.dedicated_server[1].l2vpn_of: l2vpn_of and existing_l2vpn both name an L2VPN: leave one",
        "f:40:59: contracts.dedicated_server[2].l2vpn_of: the name of the dedicated server whose L2VPN is to be",
        "f:41:59: contracts.dedicated_server[3].l2vpn_of: there is no dedicated server nobody here",
        "f:43:59: contracts.dedicated_server[5].l2vpn_of: a cycle, in which this server joins itself: one of them",
    ]
    assert_problems(read(MISTAKES), expected)


# Contacts

DOMAIN = "domain: example.org, action: register"
CONTACT_CASES: dict[str, tuple[str, str, tuple[str, str]]] = {
    "admin beats contact": ("", "contact: erika, admin: max", ("Erika", "Max")),
    "an existing one beside contact": ("", "contact: erika, admincRef: C-1", ("Erika", "C-1")),
    "owner beats contact": ("", "contact: erika, owner: max", ("Max", "Erika")),
    "owner beats a default contact": ("contact: erika", "owner: max", ("Max", "Erika")),
    "contact beats default roles": ("owner: max, admin: max", "contact: erika", ("Erika", "Erika")),
    "owner beats a default ID": ("ownercRef: C-1, admincRef: C-2", "owner: erika", ("Erika", "C-2")),
}


@pytest.mark.parametrize(("default", "said", "expected"), CONTACT_CASES.values(), ids=CONTACT_CASES)
def test_contacts(default: str, said: str, expected: tuple[str, str]) -> None:
    stack = read(f"{CONTACTS}defaults: {{domain: {{{default}}}}}\n{contracts('domain', f'{DOMAIN}, {said}')}")
    assert shown(stack) == []
    found = stack.contracts[0].settings
    who = [found.get(f"{role}Data", {}).get("first_name") or found[f"{role}Ref"] for role in ("ownerc", "adminc")]
    assert tuple(who) == expected
    assert len({"ownercRef", "ownercData", "admincRef", "admincData"} & found.keys()) == 2


def test_name_that_a_mac_decomposed_is_composed() -> None:
    (contract,) = read(contracts("vps", f"{A}, name: Ko\u0308ln")).contracts
    assert contract.name == "K\u00f6ln"


# Defaults and secrets


DEFAULT_CASES: dict[str, tuple[dict[str, Any], str, str, dict[str, Any]]] = {
    "the contract's beat both": ({"template": "x"}, "template: y", "template: z", {"template": "z"}),
    "an empty L2VPN was meant to be one": ({"existing_l2vpn": ""}, "", "", {"existing_l2vpn": ""}),
    "null unsets": ({}, "existing_l2vpn: " + L2VPN, "existing_l2vpn: null", {"existing_l2vpn": None}),
    "instead, in the contract": ({}, "ip4_count: 1", "ip4_subnet_size: 29", {"ip4_count": ..., "ip4_subnet_size": 29}),
    "null unsets all settings": ({"settings": {"a": 1}}, "", "settings: null", {"a": ...}),
    "l2vpn_of beside null": ({}, "", "existing_l2vpn: null, l2vpn_of: b", {"existing_l2vpn": ...}),
    "settings together": ({"settings": {"a": 1, "b": 1}}, "settings: {b: 2}", "settings: {c: 3}", {"a": 1, "b": 2}),
}


@pytest.mark.parametrize(("outer", "default", "own", "expected"), DEFAULT_CASES.values(), ids=DEFAULT_CASES)
def test_defaults(outer: dict[str, Any], default: str, own: str, expected: dict[str, Any]) -> None:
    base = "hostname: a.example.org, product: Server"
    text = f"defaults: {{dedicated_server: {{{default}}}}}\n{contracts('dedicated_server', f'{base}, {own}')}"
    (contract,) = read(text, defaults={"dedicated_server": outer}).contracts
    assert {name: contract.settings.get(name, ...) for name in expected} == expected


def test_secrets_are_added_and_never_shown() -> None:
    text = contracts("domain", "domain: example.org, action: transfer, ownercRef: a, admincRef: b")
    stack = read(text, secrets={"example.org": {"authcode": "code-1"}})
    assert (shown(stack), stack.contracts[0].settings["authcode"]) == ([], "code-1")
    wrong = read(contracts("vps", A), secrets={"a.example.org": {"template": 1234567}})
    assert len(wrong.document.problems) == 1
    assert "1234567" not in shown(wrong)[0]


ACTION_CASES = {
    "own code": ("", "authcode: code-1", {}, "transfer"),
    "secret code against a default": ("action: register", "", {"authcode": "code-1"}, "transfer"),
    "code by default": ("action: register, authcode: code-1", "", {}, "register"),
    "own code and own action": ("", "action: register, authcode: code-1", {}, "register"),
}


@pytest.mark.parametrize(("default", "own", "secret", "action"), ACTION_CASES.values(), ids=ACTION_CASES)
def test_authcode_of_a_domain_means_transfer(default: str, own: str, secret: dict[str, str], action: str) -> None:
    text = f"defaults: {{domain: {{{default}}}}}\n" + contracts("domain", f"domain: example.org, {own}")
    (contract,) = read(text, secrets={"example.org": secret}).contracts
    assert contract.settings["action"] == action


def test_a_missing_secret_is_asked_for() -> None:
    stack = read(contracts("configurable_vps", "hostname: a.example.org"))
    messages = {problem.path.rpartition(".")[2]: problem.message for problem in stack.document.problems}
    secret = next(iter(PRODUCT_TYPES["configurable_vps"].secrets & messages.keys()))
    assert messages[secret].endswith("; it may also be given in secrets")


# What else can be wrong


def two_contacts(other: str) -> str:
    """A stack with two contacts, each of which orders a domain."""
    domains = (f"domain: {name}.example, action: register, contact: {name}" for name in ("one", "two"))
    return f"contacts:\n  one: {CONTACT}\n  two: {other}\n{contracts('domain', *domains)}"


MAX, AS_JSON = CONTACT.replace("Erika", "Max"), json.dumps({**yaml.safe_load(CONTACT), "first_name": "Max"})
VPS_A, TWICE = contracts("vps", A), contracts("vps", f"{A}, settings: {{beta: 1}}")
OWNER = f"defaults: {{domain: {{ownercData: {CONTACT.replace('DE', '[]')}}}}}\n"
JSON_DOMAIN = f"domain: b.example, action: register, admincRef: x, ownercData: '{AS_JSON}'"
KINDS, NO_USER = ", ".join(PRODUCT_TYPES), "f:1:1: end_user: required: the end user's UUID, __self__ for your own"
TRANSFER = "domain: example.org, action: transfer, ownercRef: a, admincRef: b"
CODE = contracts("domain", f"{TRANSFER}, authcode: code-1")
NOBODY: dict[str, Any] = {"end_user": ""}
#: A file, what is given beside it (without END_USER as its first line where that is empty), and its problem, if any.
PROBLEMS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a list": ("- a\n", NOBODY, "f:1:1: a stack file is a mapping of "),
    "a readable secret": (
        CODE,
        {"may_hold_secrets": False},
        "f:4:75: contracts.domain[0].authcode: a secret",
    ),
    "a secret of the option defaults": (
        contracts("domain", TRANSFER),
        {"may_hold_secrets": False, "defaults": {"domain": {"authcode": "code-1"}}},
        "",
    ),
    "names that hold dots": (
        contracts("vps", f"{A}, settings: {{beta: 1, beta.x: .nan}}"),
        {},
        "f:4:90: contracts.vps",
    ),
    "no contracts": ("", {}, "f:1:1: contracts: required: the contracts, by kind ("),
    "end_usr": (f"end_usr: x\n{VPS_A}", NOBODY, "f:1:1: end_usr: unknown key; "),
    "no kind": (f"contracts: [{{{A}}}]\n", {}, f"f:2:1: contracts: the contracts, by kind ({KINDS}), not"),
    "a word for an end-user": (
        f"end_user: me\n{VPS_A}",
        NOBODY,
        f"{NO_USER} organization, or a name in the service's file (given: 'me')",
    ),
    "defaults": (f"defaults: {{vps: {{settings: {{template: x}}}}}}\n{TWICE}", {}, "f:2:29: defaults.vps.settings.t"),
    "contact": (OWNER + contracts("domain", f"{DOMAIN}, admincRef: C-1"), {}, "f:2:160: defaults.domain.ownercData.c"),
    "a named end user": (f"end_user: shop\n{VPS_A}", {**NOBODY, "end_users": {"shop": END_USER}}, ""),
    "an empty outer kind": (VPS_A, {"defaults": {"vps": "", "domain": None}}, ""),
    "outer kind": (VPS_A, {"defaults": {"vsp": {}}}, "option defaults.vsp: unknown kind of contract; did you mean vp"),
    "outer key": (VPS_A, {"defaults": {"vps": {"tempalte": "x"}}}, "option defaults.vps.tempalte: unknown key; did yo"),
    "secrets of nobody": (VPS_A, {"secrets": {"b.example.org": {}}}, "f:1:1: secrets are given for b.example.org, "),
    "secrets as text": (VPS_A, {"secrets": {"a.example.org": "x"}}, "f:4:7: contracts.vps[0]: the secrets of a."),
    "same contact, empty fax": (two_contacts(CONTACT.replace("}", ", fax: ''}")), {}, ""),
    "another label": (two_contacts(MAX.replace("label: l", "label: m")), {}, ""),
    "same label": (
        two_contacts(MAX.replace("51147", "51149")),
        {},
        "f:4:9: contacts.two.label: two contacts have the label l and differ in first_name, postal_code (the",
    ),
    "same label in JSON": (
        CONTACTS + contracts("domain", f"{DOMAIN}, contact: erika", JSON_DOMAIN),
        {},
        "f:8:59: contracts.domain[1].ownercData.label: two contacts have the label l",
    ),
}


@pytest.mark.parametrize(("text", "outer", "expected"), PROBLEMS.values(), ids=PROBLEMS)
def test_problem_is_told_with_its_place(text: str, outer: dict[str, Any], expected: str) -> None:
    assert_problems(read(text, **outer), [expected] if expected else [])


# L2VPNs


def servers(*joins: str) -> str:
    """Servers from words such as ``b>a``: b joins a's L2VPN."""
    entries = []
    for join in joins:
        name, _sign, joined = join.partition(">")
        entries.append(f"name: {name}, hostname: {name}.example.org, {SERVER}{f', l2vpn_of: {joined}' * bool(joined)}")
    return contracts("dedicated_server", *entries)


@pytest.mark.parametrize(
    ("joins", "roots"),
    [
        (("a", "b>a"), {"b": "a"}),
        (("d>c", "c>b", "b>a", "a"), {"d": "a", "c": "a", "b": "a"}),
        (("a>b", "b>c", "c>b"), {}),
    ],
)
def test_each_server_joins_the_first_of_its_chain(joins: tuple[str, ...], roots: dict[str, str]) -> None:
    assert list(read(servers(*joins)).roots.items()) == list(roots.items())


def test_orders_join_known_l2vpns_and_name_unknown_ones() -> None:
    stack = read(servers("a", "b>a", "c>b"))
    l2vpns = L2vpns(joins={"b": L2VPN}, waiting={"c": "a"})
    orders = [stack.requested(each, l2vpns, {}) for each in stack.contracts]
    assert [order.settings.get("existing_l2vpn") for order in orders] == [None, L2VPN, None]
    assert [order.l2vpn_of for order in orders] == [None, None, "a"]


def record(name: str, *, joined: str | None = None, l2vpn: str | None = None, status: Any = "ordered") -> Record:
    """A recorded server that joined an L2VPN, or whose own L2VPN the service shows, or neither."""
    settings = {"hostname": name} | ({"existing_l2vpn": joined} if joined else {})
    request = StoredRequest(name, "http://x", "1", "__self__", "p", "Server", "dedicated_server", settings)
    return Record(name, Outcome(status, l2vpn_id=l2vpn), request, None, None, None, "")


def resolved(records: list[Record], given: dict[str, Any], own: str = "") -> tuple[Any, ...]:
    """ids, joins, waiting and messages for a stack in which b and c join a, which has these settings of its own."""
    stack = read(servers("a", "b>a", "c>a").replace("name: a,", f"name: a, {own}"))
    assert shown(stack) == []
    found = l2vpns_of(stack, {each.name: each for each in records}, given)
    return found.ids, found.joins, found.waiting, [problem.message for problem in stack.document.problems]


X, Y = L2VPN, "1b4f0c52-3d5c-4f0e-9d3e-0f1b2c3d4e5f"
KNOWN = {
    "nothing is known": ([], {}, "", {}, {}, {"b": "a", "c": "a"}),
    "told by the service": ([record("a", l2vpn=X)], {}, "", {"a": X}, {"b": X, "c": X}, {}),
    "in the stack": ([], {}, f"existing_l2vpn: {X},", {"a": X}, {"b": X, "c": X}, {}),
    "joined before": ([record("a"), record("b", joined=X)], {}, "", {"a": X}, {"b": X, "c": X}, {}),
    "new first server, and given": ([], {"a": X}, "", {"a": X}, {"a": X, "b": X, "c": X}, {}),
    "new first server, and joined before": ([record("b", joined=X)], {}, "", {"a": X}, {"a": X, "b": X, "c": X}, {}),
    "new first server before the one that made it": ([record("b", l2vpn=X)], {}, "", {"a": X}, {"a": X, "c": X}, {}),
    "the one that made it is not known to, but given": ([record("b")], {"a": X}, "", {"a": X}, {"a": X, "c": X}, {}),
    "rejected before": ([record("b", joined=X, status="rejected")], {}, "", {}, {}, {"b": "a", "c": "a"}),
    "in doubt before": ([record("b", status="in_doubt")], {}, "", {}, {}, {"b": "a", "c": "a"}),
    "in capitals": ([record("a", l2vpn=X), record("b", joined=X.upper())], {}, "", {"a": X}, {"b": X, "c": X}, {}),
}


@pytest.mark.parametrize(("records", "given", "own", "ids", "joins", "waiting"), KNOWN.values(), ids=KNOWN)
def test_servers_join_the_l2vpn_of_their_cluster(
    records: list[Record], given: Any, own: str, ids: Any, joins: Any, waiting: Any
) -> None:
    assert resolved(records, given, own) == (ids, joins, waiting, [])


REFUSED = {
    "contradiction": ([record("a", l2vpn=X), record("b", joined=Y)], {}, "it is not clear which L2VPN it has: "),
    "no UUID": ([], {"a": "my-l2vpn"}, "the id of its L2VPN is a UUID (given: 'my-l2vpn')"),
    "no such server": ([], {"aa": X}, "l2vpn_ids holds an L2VPN for aa, which is not a dedicated server here"),
    "second L2VPN by a new first server": (
        [record("b")],
        {},
        "b is recorded with an L2VPN of its own, whose UUID is not known, so it would not be that of a: set l2vpn_ids",
    ),
}


@pytest.mark.parametrize(("records", "given", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_would_make_two_l2vpns_is_refused(records: list[Record], given: Any, expected: str) -> None:
    *_found, (message,) = resolved(records, given)
    assert message.startswith(expected)


# Whatever there is

STRANGE: list[Any] = [None, 1, "x", [], ["x"], {}, {1: {"x": []}}]


def altered(given: Any) -> Iterator[Any]:
    """What is given, with something strange in one place of it."""
    yield from STRANGE
    for place in given if isinstance(given, dict) else range(len(given)) if isinstance(given, list) else ():
        for value in altered(given[place]):
            copied = given.copy()
            copied[place] = value
            yield copied


def test_values_of_a_private_document_are_not_quoted() -> None:
    text = "end_user: customer-of-mine\ncontracts:\n  vps:\n    - {hostname: not_a_host, product: x, template: y}\n"
    for is_private in (False, True):
        document = read_yaml(text)
        document.is_private = is_private
        messages = " ".join(each.message for each in judged(read_stack(document)).document.problems)
        assert ("not_a_host" in messages, "customer-of-mine" in messages) == (not is_private, not is_private)


def test_nothing_raises() -> None:
    servers = f"[{{hostname: a.example.org, {SERVER}, l2vpn_of: b}}, {{name: b, hostname: b.example.org, {SERVER}}}]"
    given = {
        "data": read_yaml(f"end_user: {END_USER}\n{WHOLE}  dedicated_server: {servers}").data,
        "defaults": {"vps": {"settings": {"beta": 2}}, "dedicated_server": {"existing_l2vpn": None}},
        "secrets": {"example.org": {"authcode": "x"}},
    }
    for part, whole in given.items():
        for value in altered(whole):
            if part == "data" or isinstance(value, dict):
                outer = {**given, part: value}
                stack = judged(read_stack(Document(outer.pop("data")), **outer))
                orders = [stack.requested(each, L2vpns(), {}) for each in stack.contracts]
                assert stack.document.problems or orders, (part, value)
