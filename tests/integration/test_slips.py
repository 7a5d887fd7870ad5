# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Nothing is bought by a slip in the path of a ledger; the service counts."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from playbooks.files.simulator.running import Simulator
from tests.support.playbooks import Runner, vps


def test_one_letter_in_the_path_of_the_ledger_buys_nothing(runner: Runner, simulator: Simulator) -> None:
    # An address of this machine that is no trial's.
    real = {**simulator.env, "RESELLER_BASE_URL": f"http://0.0.0.0:{urlsplit(simulator.base_url).port}"}
    trial = {**simulator.env, "RESELLER_LEDGER": str(runner.ledger.with_name("trial.db"))}
    mistyped = {**real, "RESELLER_LEDGER": str(runner.ledger.with_name("legder.db"))}
    order = vps("web01.example.org", allow_http=True, read_back=False)
    # A trial is no other ledger, and the first one is made with a word.
    assert runner.run(order, trial).result["changed"]
    made = runner.run(order, real)
    assert made.result["changed"]
    assert f"A new ledger was made: {runner.ledger}." in " ".join(made.output.split())
    refused = " ".join(runner.run(order, mistyped).result["msg"].split())
    assert f"{mistyped['RESELLER_LEDGER']}. This user has used another one: {runner.ledger}. Nothing was" in refused
    assert len(simulator.orders()) == 2
    assert runner.run(order, {**mistyped, "RESELLER_NEW_LEDGER": "allow"}).result["changed"]


def test_ledger_that_cannot_be_remembered_is_warned_of(runner: Runner, simulator: Simulator, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for changed in (True, False):
        play = runner.run(vps("web01.example.org"), {**simulator.env, "XDG_STATE_HOME": str(tmp_path / "file")})
        said = " ".join(play.output.split())
        assert play.result["changed"] is changed
        assert "cannot be remembered: there is no directory of this user alone, in" in said
        assert "has not seen the ledger" not in said
