# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The one ledger of all tasks: that a new one, a lost one, an older one and a moved one are told of."""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import Context
from ansible_collections.hosting.reseller.plugins.module_utils._adapter.ledger_opener import actor_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import Actor
from playbooks.files.simulator import data
from tests.conftest import SimulatorFactory
from tests.support.ledgers import opened
from tests.unit.plugins.module_utils._tasks.conftest import Bench, Ran

STACK = {"end_user": data.END_USER, "contracts": {"webhosting": [{"name": "shop", "product": "Webhosting Start"}]}}
ORDER = {"end_user": "__self__", "product": "VPS M", "settings": {"hostname": "web01", "template": "debian-12"}}
#: Each task that opens a ledger, and those of them that want the right one.
OPENING: list[tuple[str, dict[str, Any]]] = [
    ("reseller_contract", ORDER),
    ("reseller_contracts", {"contracts": [ORDER]}),
    ("reseller_record", {"name": "web01", "state": "present"}),
    ("reseller_ledger_info", {}),
    ("reseller_stack", {"stack": STACK}),
    ("reseller_ledger", {"state": "accepted"}),
]
*DEMANDING, _accepting = OPENING


@pytest.fixture
def bench(start_simulator: SimulatorFactory, tmp_path: Path) -> Bench:
    return Bench(start_simulator("plain"), tmp_path)


def files(bench: Bench) -> dict[str, int]:
    """All files of the ledger, and when each was written."""
    found = (path for path in bench.folder.rglob("*") if "hosting.reseller" not in path.parts)
    return {str(path): path.stat().st_mtime_ns for path in found}


def is_known(bench: Bench, name: str = "web01") -> bool:
    """Whether the ledger answers for an order."""
    again = bench.order(name)
    return not again.failed and not again["changed"]


def accept(bench: Bench) -> list[Ran]:
    """Accept the ledger: in check mode, and twice."""
    accepted = [bench.run("reseller_ledger", state="accepted", check=check) for check in (True, False, False)]
    assert [each["changed"] for each in accepted] == [True, True, False]
    return accepted[:2]


def test_run_that_makes_a_ledger_says_so_once(bench: Bench) -> None:
    (warning,) = bench.order("web01", check=True).warnings
    assert f"There is no ledger at {bench.path} yet." in warning
    (warning,) = bench.order("web01").warnings
    assert warning.startswith(f"A new ledger was made: {bench.path}.")
    assert "Orders recorded elsewhere are missing in it" in warning
    again = bench.order("web01")
    assert (again.failed, again["changed"], again.warnings) == (False, False, [])


def test_nightly_job_can_demand_that_the_ledger_is_there(bench: Bench) -> None:
    for module, options in DEMANDING:
        message = bench.run(module, **options, new_ledger="refuse").msg
        assert message.startswith(f"There is no ledger at {bench.path}, and new_ledger is refuse.")
    assert not files(bench)
    # One in which nothing was ever recorded counts as new.
    with opened(bench.path) as ledger:
        ledger.make()
    for module, options in DEMANDING:
        message = bench.run(module, **options, new_ledger="refuse").msg
        assert message.startswith(f"Nothing was ever recorded in the ledger {bench.path}, and new_ledger is refuse.")
    assert bench.order("web01").warnings[0].startswith(f"A new ledger was made: {bench.path}.")
    assert not bench.order("web01", new_ledger="refuse").failed


def test_mistyped_location_is_refused_where_another_ledger_was_used(bench: Bench) -> None:
    trial, mistyped = (str(bench.path.with_name(name)) for name in ("trial.db", "legder.db"))
    # At a service on this machine all is a trial, and a trial is no other ledger. This address is not one of those.
    real = {"base_url": f"http://0.0.0.0:{urlsplit(bench.service.base_url).port}", "allow_http": True}
    assert bench.order("web01", ledger=trial)["changed"]
    made = bench.order("web01", **real, read_back=False)
    assert made.warnings[0].startswith(f"A new ledger was made: {bench.path}.")
    refusal = f"There is no ledger at {mistyped}. This user has used another one: {bench.path}. Nothing was sent."
    for module, options in DEMANDING:
        for check in (True, False):
            assert bench.run(module, **options, ledger=mistyped, check=check).msg.startswith(refusal)
    assert bench.sent == 2
    assert bench.order("web02", ledger=mistyped, new_ledger="allow")["changed"]


def test_pipeline_makes_no_default_ledger_and_another_one_only_if_that_is_allowed(bench: Bench) -> None:
    """A fresh runner would order again in each run."""
    for variable in ("GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL", "BUILDKITE", "TF_BUILD", "CI"):
        pipeline = {variable: "1", "HOME": str(bench.folder), "XDG_STATE_HOME": ""}
        for options in ({"check": True}, {"new_ledger": "allow"}):
            message = bench.order("web01", environ=pipeline, ledger="", **options).msg
            assert "no default one is made in a pipeline. Nothing was sent." in message
            assert f"{variable} is set." in message
            assert message.index("postgresql://") < message.index("a path that is kept")
    assert "and new_ledger is refuse" in bench.order("web01", environ=pipeline).msg
    assert bench.sent == 0
    assert bench.order("web01", environ=pipeline, new_ledger="allow")["changed"]
    # One that is there is used, also the default one.
    assert not bench.order("web01", environ=pipeline)["changed"]
    assert bench.order("web02", environ={**pipeline, "CI": ""}, ledger="", new_ledger="allow")["changed"]
    assert not bench.order("web02", environ=pipeline, ledger="").failed


def test_lost_ledger_that_was_accepted_is_made_anew_by_this_user(bench: Bench) -> None:
    real = {"base_url": f"http://0.0.0.0:{urlsplit(bench.service.base_url).port}", "allow_http": True}
    other = str(bench.path.with_name("other.db"))
    for ledger in (str(bench.path), other):
        assert bench.order("web01", **real, read_back=False, ledger=ledger, new_ledger="allow")["changed"]
    bench.path.unlink()
    assert "where this user has seen one. Nothing was sent." in bench.order("web02", **real, read_back=False).msg
    accept(bench)
    assert "and new_ledger is refuse" in bench.order("web02", **real, read_back=False, new_ledger="refuse").msg
    made = bench.order("web02", **real, read_back=False)
    assert made["changed"]
    assert made.warnings[0].startswith(f"A new ledger was made: {bench.path}.")
    # From then on it is known again.
    bench.path.unlink()
    assert "where this user has seen one. Nothing was sent." in bench.order("web03", **real, read_back=False).msg


def test_what_is_done_by_hand_is_noted_with_the_user_and_the_job(bench: Bench) -> None:
    bench.order("web01")
    contract = bench.run("reseller_ledger_info")["records"][0]["contract_id"]
    bench.run("reseller_record", name="web01", state="absent", contract_id=contract)
    bench.run("reseller_record", name="web02", state="present", end_user="__self__", product_type="vps")
    shutil.copy(bench.path, bench.folder / "backup.db")
    bench.order("web03")
    shutil.copy(bench.folder / "backup.db", bench.path)
    bench.run("reseller_ledger", state="accepted")
    with opened(bench.path, "read") as ledger:
        events = ledger.events()
    assert [(each.action, each.name) for each in events] == [
        ("removed", "web01"),
        ("adopted", "web02"),
        ("accepted", None),
    ]
    user = pwd.getpwuid(os.getuid()).pw_name
    assert {each.actor for each in events} == {Actor(user)}
    assert events[0].before["contract_id"] == contract
    assert events[2].before["seen_at"] is not None
    # In AWX, its user and job.
    context = Context({}, False, False, {}, print, job={"awx_job_id": "17"}, user="operator")
    assert actor_of(context) == Actor("operator", "17")


def test_ledger_that_cannot_be_remembered_is_warned_of(bench: Bench) -> None:
    (bench.folder / "file").touch()
    for changed in (True, False):
        ran = bench.order("web01", environ={"XDG_STATE_HOME": str(bench.folder / "file")})
        said = " ".join(ran.warnings)
        assert ran["changed"] is changed
        assert "cannot be remembered: there is no directory of this user alone, in" in said
        assert "has not seen the ledger" not in said


def test_what_changes_nothing_makes_no_ledger_and_says_nothing_of_a_new_one(bench: Bench) -> None:
    moved = {"state": "readdressed", "from": "https://old.example", "to": "https://new.example"}
    tasks: list[tuple[str, dict[str, Any]]] = [
        ("reseller_contract", {**ORDER, "product": "VPS of another service"}),
        ("reseller_contract", {**ORDER, "settings": {"hostname": "not a hostname"}}),
        *(
            ("reseller_record" if "name" in each else "reseller_ledger", each)
            for each in ({"name": "web01", "state": "absent"}, {"state": "accepted"}, moved)
        ),
    ]
    for module, options in tasks:
        done = bench.run(module, **options)
        assert not done["changed"]
        assert not [text for text in done.warnings if "ew ledger" in text]
    assert not files(bench)
    # Adopting a contract is the first change.
    adopted = bench.run("reseller_record", name="web01", state="present", end_user=data.END_USER)
    assert adopted["changed"]
    assert f"A new ledger was made: {bench.path}." in "".join(adopted.warnings)


def test_ledger_that_went_back_in_time_is_refused_until_it_is_accepted(bench: Bench) -> None:
    bench.order("a")
    backup = shutil.copy(bench.path, bench.folder / "backup.db")
    bench.order("b")
    shutil.copy(backup, bench.path)
    refused = [bench.order("b", new_ledger="allow", check=check).msg for check in (True, False)]
    info = bench.run("reseller_ledger_info")
    assert info.names("records") == ["a"]
    for message in (*refused, *info.warnings):
        assert "went back in time" in message
        assert "Do not order anything until the ledger has been restored" in message
    told_by_hand = {"name": "b", "state": "present", "end_user": "__self__", "product_type": "vps"}
    adopted = bench.run("reseller_record", **told_by_hand)
    assert (adopted["changed"], "went back in time" in adopted.warnings[0]) == (True, True)
    assert "orders: 2" in accept(bench)[0]["diff"]["after"]
    assert (is_known(bench, "b"), bench.order("c")["changed"]) == (True, True)


def test_ledger_that_was_moved_is_used_again_once_it_is_accepted(bench: Bench) -> None:
    new = str(bench.folder / "new" / "ledger.db")
    bench.order("web01")
    for check in (True, False):
        assert bench.run("reseller_ledger", state="moved", to=new, new_ledger="refuse", check=check)["changed"]
    adopted = bench.run("reseller_record", name="web02", state="present", check=True)
    for message in (adopted.msg, bench.order("web01", check=True).msg, *bench.run("reseller_ledger_info").warnings):
        assert f"was moved to {new}. Nothing was sent." in message
    accepted = accept(bench)
    assert f"moved_to: {new}" in accepted[0]["diff"]["before"]
    for each in accepted:
        assert f"was moved to {new}. By accepting it, you put it into use again." in each.warnings[0]
    assert (is_known(bench), bench.sent) == (True, 1)


def test_check_mode_makes_nothing_where_the_ledger_is(bench: Bench) -> None:
    for module, options in OPENING:
        assert not bench.run(module, check=True, **options).failed
    assert not files(bench)
    bench.order("web01")
    before = files(bench)
    assert str(bench.path) in before
    for module, options in (*OPENING, ("reseller_record", {"name": "web01", "state": "absent"})):
        bench.run(module, check=True, **options)
    assert files(bench) == before
