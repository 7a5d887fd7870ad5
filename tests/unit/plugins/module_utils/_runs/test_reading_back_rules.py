# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of reading back, each sentence with a story: a ledger, a service's list, and what becomes of an order.

The service is a real server whose list of contracts each story writes; ``@0`` is the ID of the first contract that the
ledger has.
"""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts import reading
from playbooks.files.simulator import data
from tests.support.clocks import HurriedClocks
from tests.support.order_examples import settings
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, VPS, Bench, vps

pytestmark = FOR_OWN

LIST = "/api/reseller/contracts"
WEB, DB, OLD, DOMAIN = "web01.example.org", "db01.example.org", "old01.example.org", "example.org"
USER, OTHER, STRANGER = data.END_USER, data.OTHER_END_USER, "aa0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9baa"
OWN, THEIRS = data.ORGANIZATION_ID, data.END_USER_ORGANIZATION_ID
WEBHOSTING, VPS_L = data.WEBHOSTING_START, data.VPS_L

#: What the file says of the list; the list has a total.
GIVEN: dict[str, Any] = {
    "path": LIST,
    "records": "data",
    "total": "total",
    "id": "id",
    "hostname": "hostname",
    "domain": "domain",
    "product": "product",
    "end_user": "owner",
    "own": [None],
    "state": "status",
}
ENDED = {**GIVEN, "ended": ["gekündigt"]}
OWNED = {name: value for name, value in GIVEN.items() if name not in ("end_user", "own")} | {"owned_by_list": True}
CUSTOMER = {"customer": {"id": USER, "organization_id": THEIRS}}
FOR_USER: dict[str, Any] = {"end_user": USER}
HOSTING: dict[str, Any] = {"name": "shop", "product": WEBHOSTING, "product_type": "webhosting", "settings": {}}


def without(*names: str, **more: Any) -> dict[str, Any]:
    """What the file says without these fields."""
    return {name: value for name, value in GIVEN.items() if name not in names} | more


def raw(id_: Any = "c1", hostname: str | None = WEB, **more: Any) -> dict[str, Any]:
    return {"id": id_, "hostname": hostname, "product": VPS, "owner": None, "status": "active", **more}


def cut(*records: dict[str, Any]) -> dict[str, Any]:
    """A list that says that it has more."""
    return {"data": [*records], "total": 99}


class Story(NamedTuple):
    """What becomes of an order. ``after`` is the list after its answer was lost, ``told`` the body of that answer."""

    expected: Literal["sent", "refused", "settled", "in doubt"]
    before: Any
    after: Any = None
    words: str = ""
    file: dict[str, Any] | None = GIVEN
    end_users: dict[str, Any] = {}
    order: dict[str, Any] = {}
    recorded: tuple[dict[str, Any], ...] = ()
    told: Any = None


#: What several stories have in common: the order, what the ledger has beside it, whose list is read, and the answer.
SHOP = {**HOSTING, **FOR_USER}
TWIN = {"hostname": WEB, "name": "twin"}
BESIDE_ORDERED: dict[str, Any] = {"recorded": ({**TWIN, "no id": True},), "order": {"allow_second": True}}
BESIDE_LOST: dict[str, Any] = {"recorded": ({**TWIN, "lost": True},), "order": {"allow_second": True}}
THEIR_LIST: dict[str, Any] = {"end_users": CUSTOMER, "order": FOR_USER}
RECEIPT = {"contract": {"id": "c1"}}
HOST = {"hostname": OLD}
KNOWN = raw("@0", OLD)

STORIES: dict[str, Story] = {
    # 2. Complete
    "2 total is what was read": Story("settled", [], [raw()]),
    "2 total is more: silent is not allowed": Story("sent", cut(), words="not compared"),
    "2 total is more: nothing settles": Story("in doubt", [], cut(raw()), words="not complete"),
    "2 record without an id": Story("in doubt", [], [raw(), raw(None, DB)], words="no known id"),
    "2 an id twice": Story("in doubt", [], [raw(), raw("c2", DB), raw("c2", "x.example.org")], words="more than once"),
    "2 incomplete before, complete after": Story("in doubt", [raw(None, DB)], [raw()], words="was read before"),
    # 3. Whose
    "3 given organization: without an owner it is theirs": Story("settled", [], [raw()], **THEIR_LIST),
    "3 given organization: without an owner it refuses": Story("refused", [raw()], **THEIR_LIST),
    "3 given organization: another owner is not theirs": Story("sent", [raw(owner=OTHER), raw("c2", DB)], **THEIR_LIST),
    "3 own list with owned_by_list settles": Story("settled", [], [raw()], file=OWNED),
    "3 own list without an owner refuses": Story("refused", [raw()], file=without("end_user", "own")),
    "3 own list without an owner never settles": Story(
        "in doubt", [], [raw()], file=without("own"), words="not shown for certain"
    ),
    "3 own list: another owner is not ours": Story("sent", [raw(owner=OTHER)]),
    "3 own list shows end users: compared": Story(
        "refused", [raw(owner=USER), raw("c2", DB, owner=OTHER)], order=FOR_USER
    ),
    "3 own list shows end users: settled": Story(
        "settled", [raw("c2", DB, owner=OTHER)], [raw("c2", DB, owner=OTHER), raw(owner=USER)], order=FOR_USER
    ),
    "3 own list shows no end users: not compared": Story("sent", [raw("c2", DB)], words=USER, order=FOR_USER),
    "3 organization of another one": Story(
        "sent", [raw("c2", DB, owner=OTHER)], words=f"shows contracts of {OTHER}", **THEIR_LIST
    ),
    "3 organization of another one, required": Story(
        "refused",
        [raw("c2", DB, owner=OTHER)],
        words=f"none of {USER}",
        end_users=CUSTOMER,
        order={**FOR_USER, "read_back": True},
    ),
    "3 organization of another one: no evidence": Story(
        "in doubt",
        [raw("c2", DB, owner=OTHER)],
        [raw("c2", DB, owner=OTHER), raw()],
        words="was read before",
        **THEIR_LIST,
    ),
    # 4. The same thing
    "4 hostname, whatever the product": Story("refused", [raw(product=VPS_L)]),
    "4 hostname of another end user": Story("sent", [raw(owner=OTHER)]),
    "4 hostname as another one's peer": Story("sent", [raw(hostname=DB, peers=[WEB])]),
    "4 decomposed name": Story(
        "refused", [raw(hostname="xn--mller-kva.example.org")], order={"settings": {"hostname": WEB}}
    ),
    "4 webhosting of the end user": Story("refused", [raw("w", None, product=WEBHOSTING, owner=USER)], order=SHOP),
    "4 webhosting of another end user": Story(
        "sent", [raw("w", None, product=WEBHOSTING, owner=OTHER), raw("v", DB, owner=USER)], order=SHOP
    ),
    "4 webhosting that a record explains": Story(
        "sent",
        [raw("@0", None, product=WEBHOSTING, owner=USER)],
        order=SHOP,
        recorded=({**HOSTING, "name": "blog", **FOR_USER},),
    ),
    # 5. Presence refuses
    "5 from a page of an incomplete list": Story("refused", cut(raw())),
    "5 by a name alone": Story("refused", [raw()], file=None),
    "5 without a known id": Story("refused", [raw(None)], words="without a known ID"),
    "5 where the place is not known": Story("refused", [{"id": "c1", "rechner": WEB}], file=None),
    "5 claimed by another run, pending or in doubt": Story("sent", [raw()], **BESIDE_LOST),
    "5 ordered without an id": Story("sent", [raw()], **BESIDE_ORDERED),
    "5 one more than what others have claimed": Story("refused", [raw(), raw("c2")], **BESIDE_ORDERED),
    # 6. Evidence
    "6 the same thing before, of the same end user": Story(
        "in doubt", [raw("c0")], [raw("c0"), raw()], words="2 contracts may be it", order={"allow_second": ["c0"]}
    ),
    "6 a field neither given nor proven": Story(
        "in doubt",
        [raw("c2", DB)],
        [raw("c2", DB), raw()],
        file=without("product"),
        words="contracts.product is neither given nor proven",
    ),
    "6 a record of the product without a name": Story(
        "in doubt", [raw("c2", None)], [raw("c2", None), raw()], words="was read before"
    ),
    "6 a record without product and name": Story(
        "in doubt", [raw("c2", None, product=None)], [raw("c2", None, product=None), raw()], words="was read before"
    ),
    "6 a record of another product without a name": Story(
        "settled", [raw("c2", None, product=VPS_L)], [raw("c2", None, product=VPS_L), raw()]
    ),
    # 7. Settled
    "7 it was there before": Story("in doubt", [raw("c1", DB)], [raw()], words="was there before the order"),
    "7 two newcomers": Story("in doubt", [], [raw(), raw("c2")], words="2 contracts may be it"),
    "7 another product": Story("in doubt", [], [raw(product=VPS_L)], words="shows another product"),
    "7 no product": Story("in doubt", [], [raw(product=None)], words="and not shown in the list"),
    "7 another end user": Story("in doubt", [], [raw(owner=OTHER)], words="None of the 1 contracts"),
    "7 an id that a record has": Story(
        "in doubt", [KNOWN], [raw("@0")], words="it is the contract of", recorded=(HOST,)
    ),
    **{
        f"7 it says {name}: {value}": Story("in doubt", [], [raw(**{name: value})], words=f"it says {name}")
        for name, value in (
            ("status", "failed"),
            ("status", "rejected"),
            ("status", "Cancelled"),
            ("cancelled_at", "2030-01-01"),
            ("is_deleted", True),
        )
    },
    "7 a state of failed in the file": Story(
        "in doubt", [], [raw(status="kaputt")], file={**GIVEN, "failed": ["kaputt"]}, words="status: kaputt"
    ),
    "7 another order in doubt": Story("in doubt", [], [raw()], words="may as well be that of twin", **BESIDE_LOST),
    "7 webhosting, the only newcomer": Story(
        "settled",
        [raw("v", DB, owner=USER)],
        [raw("v", DB, owner=USER), raw("w", None, product=WEBHOSTING, owner=USER)],
        order=SHOP,
    ),
    "7 told id, beside another newcomer": Story(
        "settled", [], [raw(), raw("c2")], told=RECEIPT, words="told the id c1"
    ),
    "7 told id of an incomplete list": Story("in doubt", [], cut(raw()), told=RECEIPT, words="not complete"),
    "7 told id of what is no contract": Story(
        "in doubt", [], [raw(), raw("c2")], told={"contract": {"id": "customer-7"}}, words="2 contracts may be it"
    ),
    "7 told id with another product": Story(
        "in doubt", [], [raw(product=VPS_L)], told=RECEIPT, words="another product"
    ),
    "7 proven by a recorded contract": Story(
        "settled",
        [KNOWN | {"owner": "__self__"}],
        [KNOWN | {"owner": "__self__"}, raw(owner="__self__")],
        file=None,
        recorded=(HOST,),
    ),
    "7 own proven by a recorded contract of an end user": Story(
        "settled",
        [KNOWN, raw("@1", DB, owner=USER)],
        [KNOWN, raw("@1", DB, owner=USER), raw()],
        file=None,
        recorded=(HOST, {"hostname": DB, "end_user": USER}),
    ),
    "7 learned by names alone": Story(
        "in doubt", [], [raw(owner="__self__")], file=None, words="contracts.hostname is neither given nor proven"
    ),
    "7 contradicted by a recorded contract": Story(
        "in doubt",
        [raw("@0", "x.example.org", label=OLD)],
        [raw("@0", "x.example.org", label=OLD), raw()],
        words="contracts.hostname is hostname, but contract",
        recorded=(HOST,),
    ),
    # 8. Over
    "8 a state in ended": Story("sent", [raw(status="gekündigt")], file=ENDED, words="status: gekündigt"),
    "8 a state in ended, with a day ahead": Story("refused", [raw(status="gekündigt", ends="2999-01-31")], file=ENDED),
    "8 deleted": Story("sent", [raw(status="deleted")], words="status: deleted"),
    "8 cancelled alone": Story("refused", [raw(status="cancelled")], words="contracts.ended"),
    "8 cancelled to a day that passed": Story(
        "sent", [raw(status="cancelled", ends_at="2020-01-31")], words="status: cancelled"
    ),
    "8 cancelled to a day in another form": Story("refused", [raw(status="cancelled", ends_at="31.01.2020")]),
    "8 failed stands": Story("refused", [raw(status="failed")]),
    "8 not in the ended of the file": Story("refused", [raw(status="deleted")], file=ENDED),
    # 9. Required or not
    "9 required, and complete": Story("sent", [], order={"read_back": True}),
    "9 required, and incomplete": Story("refused", cut(), order={"read_back": True}, words="not known whether"),
    "9 required for an end user without an organization": Story(
        "refused", [], order={**FOR_USER, "read_back": True}, words="organization_id"
    ),
    "9 never": Story("sent", [raw()], order={"read_back": False}),
    "9 an id in allow_second": Story("sent", [raw()], order={"allow_second": ["c1"]}, words="ordered as well"),
    "9 allow_second true is not enough": Story("refused", [raw()], order={"allow_second": True}),
}


def prepared(bench: Bench, story: Story) -> None:
    """Order what the ledger has, while nothing is read."""
    for each in story.recorded:
        options = {"settings": {"hostname": each["hostname"], "template": "debian-12"}} if "hostname" in each else {}
        options |= {name: value for name, value in each.items() if name not in ("hostname", "lost", "no id")}
        if each.get("lost"):
            bench.lose()
        if each.get("no id"):
            bench.service.arm("answer", status=202, body="", process=True)
        bench.run("reseller_contract", **{"end_user": "__self__", "product": VPS, **options, "read_back": False})
        bench.service.disarm()


def listed(bench: Bench, body: Any, times: int) -> None:
    """Let the service list this."""
    text = json.dumps(body if isinstance(body, dict) else {"data": body, "total": len(body)})
    for at, id_ in enumerate(bench.ids):
        text = text.replace(f'"@{at}"', json.dumps(id_))
    bench.service.arm("answer", method="GET", on=LIST, status=200, body=json.loads(text), times=times)


@pytest.mark.parametrize("case", STORIES)
def test_story(bench: Bench, case: str) -> None:
    story = STORIES[case]
    prepared(bench, story)
    before = bench.sent
    listed(bench, story.before, -1 if story.after is None else 1)
    if story.after is not None:
        bench.service.arm("answer", status=500, process=True, body=story.told, times=1)
        listed(bench, story.after, -1)
    parts = {"contracts": story.file, "end_users": story.end_users}
    parts = {name: value for name, value in parts.items() if value}
    options = {"service": bench.described(**parts)} if parts else {}
    ran = bench.order(WEB, **options, **story.order)
    text = " ".join([ran.msg, *ran.warnings, *ran.result.get("evidence", [])])
    became = "refused" if ran.failed else "sent" if story.after is None else "settled"
    if ran.result.get("order", {}).get("status") == "in_doubt":
        became, left = "in doubt", bench.reconcile(**options)
        assert left["settled"] == []
        text += " ".join(sentence for each in left["ambiguous"] + left["unseen"] for sentence in each["evidence"])
    assert (became, bench.sent - before) == (story.expected, story.expected != "refused"), text
    assert story.words in text, text
    if story.expected == "settled":
        assert ran["contract_id"] in ("c1", "w")
    if story.expected == "sent" and not story.words:
        assert [each for each in ran.warnings if "ledger" not in each] == []


DOMAIN_ROWS = {
    "a domain, wherever": ([raw(hostname=None, domain=DOMAIN, product=data.DOMAIN_DEFAULT, owner=OTHER)], True),
    "a domain as that of a host": ([raw(hostname=f"web.{DOMAIN}", domain=DOMAIN)], False),
    "a domain that expired stands": (
        [raw(hostname=None, domain=DOMAIN, product=data.DOMAIN_DEFAULT, status="expired", ends_at="2020-01-31")],
        True,
    ),
}


@pytest.mark.parametrize("case", DOMAIN_ROWS)
def test_domain(bench: Bench, case: str) -> None:
    before, is_refused = DOMAIN_ROWS[case]
    listed(bench, before, -1)
    domain = {"product_type": "domain", "product": None, "settings": settings(data.DOMAIN, domain=DOMAIN)}
    options = {"verify_nameservers": False, "service": bench.described(contracts=GIVEN), "allow_second": ["c1"]}
    ran = bench.order(None, **domain, **options)
    assert (ran.failed, bench.sent) == (is_refused, int(not is_refused)), ran.msg
    assert not is_refused or "A domain is never bought twice" in ran.msg


def test_warning_says_how_many_orders_are_not_compared_once(bench: Bench) -> None:
    """Also in check mode, and in the return value that reports show above the plan."""
    listed(bench, [raw("c2", DB)], -1)
    contracts = [
        {**vps(f"web{number}.example.org"), "end_user": each} for number, each in enumerate((USER, OTHER, USER))
    ]
    # After an order that is rejected, the list is read again, and nothing is said again.
    bench.service.arm("answer", status=422, body={"message": "no"}, match={"hostname": "web0.example.org"})
    options = {"on_error": "continue", "concurrency": 1}
    for check in (True, False):
        ran = bench.run("reseller_contracts", check, defaults={"product": VPS}, contracts=contracts, **options)
        (said,) = [each for each in ran.warnings if "not compared" in each]
        assert said.startswith("3 orders are not compared with what the service lists.")
        assert f"{{id: {USER}, organization_id:" in said
        assert ran["read_back"]["read"] is False
        assert "3 orders are not compared" in ran["read_back"]["why"]
    assert bench.sent == 3


def test_order_in_doubt_of_an_end_user_without_an_organization_says_that_first(bench: Bench) -> None:
    bench.lose()
    lost = bench.order(WEB, end_user=USER)
    assert f"The organization of end user {USER} is not known" in lost.msg
    bench.service.disarm()
    (left,) = bench.reconcile()["unseen"] + bench.reconcile()["ambiguous"]
    assert left["evidence"][0].startswith(f"The organization of end user {USER} is not known")


# 1. The list is read first, the ledger afterwards


@pytest.mark.parametrize("check", [False, True])
def test_ledger_is_read_after_the_list(bench: Bench, monkeypatch: pytest.MonkeyPatch, check: bool) -> None:
    """What another run buys until the list is read is recorded by then: it refuses nothing."""
    if check:
        # In check mode, a missing ledger remains one.
        assert bench.order(OLD, read_back=False)["changed"]
    read, before = reading.ContractReader.read, bench.sent

    def meanwhile(self: Any, organizations: Any) -> None:
        monkeypatch.setattr(reading.ContractReader, "read", read)
        assert bench.order(WEB, name="twin", read_back=False)["changed"]
        read(self, organizations)

    monkeypatch.setattr(reading.ContractReader, "read", meanwhile)
    done = bench.order(WEB, allow_second=True, check=check)
    assert (done["changed"], bench.sent - before) == (True, 1 if check else 2), done.msg


def reads(bench: Bench) -> int:
    return bench.reads(LIST)


@pytest.mark.parametrize(
    ("why", "times"),
    [("soon", 1), ("61 seconds later", 3), ("rejected", 2), ("accepted without an id", 2), ("in doubt", 2)],
)
def test_list_serves_the_claims_of_one_task(bench: Bench, why: str, times: int) -> None:
    """For 60 seconds, and until a request that was begun is not accepted with a known ID."""
    names = [f"web{number}.example.org" for number in range(3)]
    answers = {"rejected": (422, False), "accepted without an id": (202, True), "in doubt": (500, True)}
    listed(bench, [], -1)
    if why in answers:
        status, is_processed = answers[why]
        body = "" if status == 202 else {"message": "x"}
        match = {"hostname": names[0]}
        bench.service.arm("answer", status=status, body=body, process=is_processed, match=match)
    clocks = HurriedClocks()
    if why == "61 seconds later":
        clocks.look = lambda _name: clocks.ahead.update(monotonic=61 * bench.sent - clocks.ahead["monotonic"])
    options = {"clocks": clocks, "service": bench.described(contracts=GIVEN), "on_error": "continue", "concurrency": 1}
    ran = bench.batch(*names, **options)
    assert bench.sent == 3, ran.msg
    assert reads(bench) == times + (why == "in doubt")


@pytest.mark.parametrize("changed", ["organization", "path", "key", "places"])
def test_another_list_than_before_settles_nothing(bench: Bench, changed: str) -> None:
    """The same order, whose answer was lost, is looked for in another list, or by other places."""
    listed(bench, [], 1)
    bench.lose()
    users = {"customer": {"id": USER, "organization_id": THEIRS}}
    listed(bench, [], 1)
    first = bench.described(contracts=GIVEN, end_users=users)
    assert bench.order(WEB, end_user=USER, service=first).failed
    bench.service.disarm()
    listed(bench, [raw(owner=USER, name=WEB)], -1)
    other: dict[str, Any] = {"contracts": GIVEN, "end_users": users}
    if changed == "organization":
        other["end_users"] = {"customer": {"id": USER, "organization_id": data.OTHER_END_USER_ORGANIZATION_ID}}
    if changed == "path":
        other["contracts"] = {**GIVEN, "path": f"{LIST}/"}
    if changed == "places":
        other["contracts"] = {**GIVEN, "hostname": "name"}
    key = {"api_key": "another-k3y-of-the-reseller"} if changed == "key" else {}
    left = bench.reconcile(service=bench.described(**other), **key)
    assert left["settled"] == []
    assert "another list was read before the order" in str(left["ambiguous"])
    assert bench.reconcile(service=bench.described(contracts=GIVEN, end_users=users)).names("settled") == [WEB]
