# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task in the controller's process is given."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from ansible.template import trust_as_template
from ansible.utils.display import Display

from ansible_collections.hosting.reseller.plugins.action import reseller_contract
from ansible_collections.hosting.reseller.plugins.action.reseller_products_info import ActionModule
from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import Context, Task
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.recognition import MASK
from ansible_collections.hosting.reseller.plugins.plugin_utils import _in_process
from ansible_collections.hosting.reseller.plugins.plugin_utils._in_process import as_plain


def test_tagged_texts_become_plain_ones_wherever_they_stand() -> None:
    plain = as_plain({trust_as_template("hostnames"): [trust_as_template("web01.example.org")]})
    assert plain == {"hostnames": ["web01.example.org"]}
    assert [type(key) for key in plain] == [str]
    assert [type(item) for item in plain["hostnames"]] == [str]
    assert as_plain(yaml.safe_load("2026-11-21T10:00:00Z")) == "2026-11-21T10:00:00Z"


def test_environment_of_a_task_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a directory that cannot be entered stops no task."""
    monkeypatch.setenv("OF_BOTH", "0")
    with _in_process._surroundings(str(tmp_path / "missing"), {"OF_THE_TASK": 1, "OF_BOTH": "2"}):
        assert (os.environ["OF_THE_TASK"], os.environ["OF_BOTH"]) == ("1", "2")
    assert ("OF_THE_TASK" in os.environ, os.environ["OF_BOTH"]) == (False, "0")


def test_subclass_that_a_strategy_makes_runs_the_same_task() -> None:
    made = type("ActionModule", (reseller_contract.ActionModule,), {"__module__": "ansible_mitogen.mixins"})
    assert made.TASK is reseller_contract.TASK
    assert made._validator is reseller_contract.ActionModule._validator


@pytest.mark.parametrize("isolated", ["", "/runner"])
def test_progress_reaches_the_main_process_and_nothing_else(
    isolated: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sent: list[str] = []
    queue = SimpleNamespace(send_display=lambda _method, text, *_args, **_options: sent.append(text))
    monkeypatch.setattr(_in_process.display, "_final_q", queue)
    if isolated:
        monkeypatch.setenv("AWX_ISOLATED_DATA_DIR", isolated)
        display = Display.display

        def as_an_old_runner_wraps_it(*args: Any, **kwargs: Any) -> None:
            sys.stderr.write("the context of an event")
            display(*args, **kwargs)

        monkeypatch.setattr(Display, "display", functools.wraps(display)(as_an_old_runner_wraps_it))
    else:
        monkeypatch.delenv("AWX_ISOLATED_DATA_DIR", raising=False)
    _in_process._progress("2/3 orders")
    assert sent == ["2/3 orders"]
    assert capsys.readouterr() == ("", "")


KEY, PASSWORD = "sk-live-51H8xQ2eZvKY", "Hunter/2-xyz"


def test_unexpected_error_shows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in its text nor in its traceback, where the error that caused it stands, too."""
    monkeypatch.setenv("RESELLER_LEDGER", f"postgresql://reseller:{PASSWORD.replace('/', '%2F')}@db.example.org/ledger")

    def run(_context: Context) -> dict[str, Any]:
        try:
            raise ValueError(f"bad header {KEY!r}")
        except ValueError as error:
            raise LookupError(f"no {PASSWORD} in {{'X-API-Key': '{KEY}'}}") from error

    monkeypatch.setattr(ActionModule, "TASK", Task(run))
    action = object.__new__(ActionModule)
    action._task, action._loader = SimpleNamespace(check_mode=False, diff=False), None
    options = {"base_url": "https://a.example.org", "organization_id": "1", "api_key": KEY}
    shown = action._done(options, {}, None)
    assert shown["failed"] is True
    assert f'LookupError("no {MASK} in' in shown["msg"]
    assert f"bad header '{MASK}'" in shown["exception"]
    assert not [secret for secret in (KEY, PASSWORD) if secret in str(shown)]
