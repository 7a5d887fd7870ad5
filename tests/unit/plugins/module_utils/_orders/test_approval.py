# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an approval lets a run send, by the numbers of names; and the file of a plan."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError, ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._orders.approval import (
    read_plan,
    spent_names,
    write_plan,
)
from ansible_collections.hosting.reseller.plugins.module_utils._orders.plan import plan_digest

_NEW: Any = SimpleNamespace(history=lambda: SimpleNamespace(token=None), place="/ledger.db")
_USED: Any = SimpleNamespace(history=lambda: SimpleNamespace(token=1), id="0123456789abcdef", place="/ledger.db")


def entry(name: str, action: str = "order", number: int = 0, **more: Any) -> dict[str, Any]:
    shown = {"product": "p-1", "product_name": "VPS M", "product_type": "vps", "end_user": "__self__"}
    fingerprint = f"of {name}" if action == "order" else None
    return {"name": name, "number": number, "action": action, "fingerprint": fingerprint, **shown, **more}


PLAN = [entry("a"), entry("b", number=2), entry("c", "none", 1)]
APPROVED = {"plan": PLAN, "plan_digest": plan_digest(PLAN, _USED)}


def judged(now: list[dict[str, Any]], approved: Any = APPROVED, ledger: Any = _USED) -> Any:
    """The names that were claimed under the approval and have no record, or what differs."""
    digest, before = approved["plan_digest"], approved.get("plan")
    numbers = {each["name"]: each["number"] for each in (*PLAN, *now)}
    ledger.numbers = lambda names: {name: numbers[name] for name in names}
    try:
        return {*spent_names(digest, before, now, plan_digest(now, ledger), ledger)}
    except ResellerError as error:
        return error.results["plan_differences"]


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        # What has the plan's number and no record is sent.
        (PLAN, set()),
        ([entry("a", "none", 1), *PLAN[1:]], set()),
        # What a person adopted, or another run has claimed under it, is not, and stops nothing.
        ([entry("a", "none", 0), *PLAN[1:]], set()),
        ([entry("a", "pending", 1), *PLAN[1:]], set()),
        # What was claimed under it, and removed since, is spent.
        ([entry("a", number=1), *PLAN[1:]], {"a"}),
        # Any other number fails.
        ([entry("a", number=2), *PLAN[1:]], ["'a': claimed since the plan was made"]),
        ([entry("a", "none", 2), *PLAN[1:]], ["'a': claimed since the plan was made"]),
        ([PLAN[0], entry("b", number=1), PLAN[2]], ["'b': this ledger is older than the plan"]),
        ([*PLAN[:2], entry("c", "none", 2)], ["'c': claimed since the plan was made"]),
        # What was recorded when it was approved is not ordered under it.
        ([*PLAN[:2], entry("c", number=1)], ["'c': action was none, and is order"]),
        # Added, left out, changed.
        ([*PLAN, entry("d")], ["'d': requested now (order), but not in the approved list"]),
        ([*PLAN, entry("d", "none", 1)], ["'d': requested now (none), but not in the approved list"]),
        (PLAN[:2], ["'c': approved, but no longer requested"]),
        ([PLAN[0] | {"product": "p-2"}, *PLAN[1:]], ["'a': product was p-1, and is p-2"]),
        ([PLAN[0] | {"end_user": "u"}, *PLAN[1:]], ["'a': end_user was __self__, and is u"]),
        ([PLAN[0] | {"product_type": "domain"}, *PLAN[1:]], ["'a': product_type was vps, and is domain"]),
        (
            [PLAN[0] | {"fingerprint": "other"}, *PLAN[1:]],
            ["'a': the settings, additional elements, service or organization differ"],
        ),
        # Of a plan that was begun, what is no longer wanted can be left out.
        ([entry("a", "none", 1), PLAN[2]], set()),
        ([*reversed(PLAN)], ["the entries are the same, in another sequence"]),
    ],
)
def test_resumed_plan_sends_what_was_never_claimed(now: list[dict[str, Any]], expected: Any) -> None:
    assert judged(now) == expected


@pytest.mark.parametrize(
    ("approved", "now", "ledger", "expected"),
    [
        # A new ledger has an ID once it was ordered with.
        (_NEW, PLAN, _NEW, set()),
        (_NEW, [entry("a", "none", 1), *PLAN[1:]], _USED, set()),
        (_NEW, PLAN, _USED, ["the ledger: approved with a new one, now /ledger.db, the one with ID 0123456789ab..."]),
        (_USED, PLAN, _NEW, ["the ledger: approved with the one with ID 0123456789ab..., now /ledger.db, a new one"]),
    ],
)
def test_plan_is_approved_for_one_ledger(approved: Any, now: Any, ledger: Any, expected: Any) -> None:
    assert judged(now, {"plan": PLAN, "plan_digest": plan_digest(PLAN, approved)}, ledger) == expected


@pytest.mark.parametrize(
    "plan",
    [
        *(
            [PLAN[0] | each, *PLAN[1:]]
            for each in ({"product": "p-2"}, {"number": 1}, {"action": "none"}, {"name": "z"})
        ),
        "all",
        [{}],
        [{"name": ["a"]}],
        {},
    ],
)
def test_plan_of_another_digest_is_refused(plan: Any) -> None:
    assert judged(PLAN, {**APPROVED, "plan": plan}) == ["plan_file holds another plan than the one with this digest"]


def test_digest_alone_approves_the_whole_plan_and_otherwise_says_what_would_be_ordered() -> None:
    digest = APPROVED["plan_digest"]
    assert judged(PLAN, {"plan_digest": digest}) == set()
    now = [entry("a", "none", 1), *PLAN[1:]]
    with pytest.raises(ResellerError, match="give that as plan_file") as raised:
        spent_names(digest, None, now, plan_digest(now, _USED), _USED)
    # What differs comes first, and alone.
    assert raised.value.message.splitlines()[1] == "  - would be ordered now: 'b', VPS M for __self__"


@pytest.mark.parametrize(("digest", "said"), [("", "missing or empty"), ("yes", "not a valid plan digest")])
def test_malformed_approval_is_refused(digest: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=f"approved_plan is {said}"):
        spent_names(digest, PLAN, PLAN, plan_digest(PLAN, _USED), _USED)


# The file of a plan

WRITTEN = [{"name": "müller", "action": "order"}]


def test_plan_is_written_for_its_owner_alone_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    for digest in ("plan-2:new:1", None):
        write_plan(str(file), WRITTEN, digest)
        assert (read_plan(str(file)), json.loads(file.read_text("utf-8"))["plan_digest"]) == (WRITTEN, digest)
        assert file.stat().st_mode & 0o777 == 0o600
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"plan": []}', '{"plan": {}, "plan_digest": null}', "[" * 100_000])
def test_file_that_is_no_plan_is_neither_read_nor_replaced(tmp_path: Path, text: str) -> None:
    file = tmp_path / "precious.json"
    file.write_text(text, encoding="utf-8")
    for use in (lambda: read_plan(str(file)), lambda: write_plan(str(file), WRITTEN, None)):
        with pytest.raises(ConfigurationError, match="is not a plan"):
            use()
    assert file.read_text("utf-8") == text


def test_plan_that_cannot_be_written_or_read_is_told(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing" / "plan.json")
    with pytest.raises(ConfigurationError, match="cannot be written: No such file"):
        write_plan(missing, WRITTEN, None)
    with pytest.raises(ConfigurationError, match=r"cannot be read: No such file(?s:.*)--check, which writes it"):
        read_plan(missing)


@pytest.mark.parametrize("mode", [0o1777, 0o777, 0o707, 0o770])
def test_plan_is_not_written_where_others_could_change_it(tmp_path: Path, mode: int) -> None:
    """To be read, it may lie anywhere: its digest decides."""
    path = tmp_path / "shared" / "plan.json"
    path.parent.mkdir()
    write_plan(str(path), [], "plan-2:a")
    path.parent.chmod(mode)
    with pytest.raises(
        ConfigurationError, match=f"Others could change plan_file '{path}': {path.parent} can be written by"
    ):
        write_plan(str(path), [], "plan-2:b")
    assert "plan-2:a" in path.read_text()
    assert read_plan(str(path)) == []
