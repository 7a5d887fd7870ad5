# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan as a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._orders.plan_file import read_plan, write_plan

PLAN = [{"name": "müller", "action": "order"}]


def test_plan_is_written_for_its_owner_alone_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    for digest in ("plan-2:new:1", None):
        write_plan(str(file), PLAN, digest)
        assert (read_plan(str(file)), json.loads(file.read_text("utf-8"))["plan_digest"]) == (PLAN, digest)
        assert file.stat().st_mode & 0o777 == 0o600
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"plan": []}', '{"plan": {}, "plan_digest": null}', "[" * 100_000])
def test_file_that_is_no_plan_is_neither_read_nor_replaced(tmp_path: Path, text: str) -> None:
    file = tmp_path / "precious.json"
    file.write_text(text, encoding="utf-8")
    for use in (lambda: read_plan(str(file)), lambda: write_plan(str(file), PLAN, None)):
        with pytest.raises(ConfigurationError, match="is not a plan"):
            use()
    assert file.read_text("utf-8") == text


def test_plan_that_cannot_be_written_or_read_is_told(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing" / "plan.json")
    with pytest.raises(ConfigurationError, match="cannot be written: No such file"):
        write_plan(missing, PLAN, None)
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
